"""Faulty template files, in every notation that can be read: one clear error, or the right bytes."""

import json
import struct
from functools import lru_cache

import pytest
from goldens import REPOSITORY
from sampling import in_turn

import lect

GOOD = {
    "fastchat": {
        "name": "mine",
        "system_template": "{system_message}",
        "roles": ["U", "B"],
        "sep_style": "ADD_COLON_SINGLE",
        "sep": "\n",
    },
    "jinja": {
        "chat_template": "{% for m in messages %}{{ {'system': '', 'user': 'U: '}[m.role] }}{{ m.content }}\n{% endfor %}B:"
    },
    "paddlenlp": {
        "system": "{{system}}\n",
        "conversation": ["U: {{user}}\n", "B: {{bot}}\n"],
        "query": "U: {{query}}\nB:",
    },
    "xtuner": {"SYSTEM": "{system}\n", "INSTRUCTION": "U: {input}\nB:"},
}
"""One format in four notations."""
NOTATIONS = list(GOOD)
BRACES = "{input} {{query}} {% if x %} {system_message} {0} }} {"
HELLO = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]
CONFIGS = [
    case
    for case in json.loads((REPOSITORY / "tests/data/hostile_configs.json").read_text("utf-8"))["cases"]
    if case["file"].endswith(".json") and ("text" in case or "text_expr" in case)
]

every_notation = pytest.mark.parametrize("notation", NOTATIONS)


@pytest.fixture
def path(tmp_path):
    # The name that Hugging Face and PaddleNLP share.
    return tmp_path / "chat_template.json"


def read(path, contents, notation=None):
    if isinstance(contents, dict):
        contents = json.dumps(contents)
    path.write_bytes(contents if isinstance(contents, bytes) else contents.encode())
    return lect.load_template(path, notation=notation)


def refused(path, contents, notation, said):
    """Check that there is one error, which names the file."""
    with pytest.raises(lect.SourceError, match=said) as caught:
        read(path, contents, notation)
    assert "chat_template.json" in str(caught.value)


def written(template, messages=HELLO):
    return template.text(messages, add_generation_prompt=True)


@every_notation
def test_a_good_file_is_recognised_and_read(notation, path):
    assert written(read(path, GOOD[notation])) == "Be brief.\nU: Hi\nB:"


@pytest.mark.parametrize(
    ("notation", "missing", "said"),
    [
        ("fastchat", "sep_style", "sep_style is None, which is not a separator style\n  try: one of ADD_COLON_SINGLE"),
        ("jinja", "chat_template", "chat_template is None; expected the text of a template"),
        ("xtuner", "INSTRUCTION", "has no INSTRUCTION"),
    ],
)
def test_a_field_that_is_missing_is_named(notation, missing, said, path):
    refused(path, {field: value for field, value in GOOD[notation].items() if field != missing}, notation, said)


def test_every_paddlenlp_field_may_be_missing(path):
    assert written(read(path, {}, "paddlenlp")) == "Hi"
    without = read(path, {"query": "{{query}}"})
    with pytest.raises(lect.RefusedError, match="no place for earlier rounds"):
        written(without, [*HELLO, {"role": "assistant", "content": "2"}, HELLO[1]])


@pytest.mark.parametrize(("notation", "field"), [(notation, field) for notation in GOOD for field in GOOD[notation]])
@pytest.mark.parametrize("value", [99, True, [99], {"a": "b"}], ids=str)
def test_a_field_of_the_wrong_type_is_named(notation, field, value, path):
    # What each is expected to be is tested in its own package.
    refused(path, GOOD[notation] | {field: value}, notation, f"{field}.* is ")


@pytest.mark.parametrize(
    ("notation", "change", "said"),
    [
        ("fastchat", {"system_template": "{sytem_message}"}, "system_template is '{sytem_message}', which cannot"),
        ("xtuner", {"INSTRUCTION": "U: {inputs}"}, r"INSTRUCTION has the placeholder \{inputs\} at character 3"),
        ("xtuner", {"SYSTEM": "{system} {sytem}"}, r"SYSTEM has the placeholder \{sytem\} at character 9"),
    ],
)
def test_an_unknown_placeholder_is_named(notation, change, said, path):
    refused(path, GOOD[notation] | change, notation, said)


@pytest.mark.parametrize(
    ("notation", "change"),
    [("jinja", {"chat_template": "{{ mesages }}"}), ("paddlenlp", {"query": "U: {{querry}}"})],
)
def test_an_unknown_variable_is_empty_and_the_unused_input_is_reported(notation, change, path):
    template = read(path, GOOD[notation] | change, notation)
    assert template.options
    assert ("messages", 1, "content") in [unused.path for unused in template.render(HELLO).unused]
    with pytest.raises(lect.UnusedInputError):
        template.render(HELLO, strict=True)


@pytest.mark.parametrize(
    ("notation", "change", "said"),
    [
        ("fastchat", {"system_template": "{system_message"}, "system_template is '{system_message', which cannot"),
        ("jinja", {"chat_template": "x\n{{ messages"}, "line 2: "),
        ("paddlenlp", {"query": "U:\n{{ query "}, "'query', line 2: "),
        ("paddlenlp", {"conversation": ["{{user}}", "{% if bot %}"]}, r"'conversation\[1\]', line 1: "),
        ("xtuner", {"INSTRUCTION": "U: {input"}, "INSTRUCTION has a single '{' at character 3"),
        ("xtuner", {"SYSTEM": "{system} }"}, "SYSTEM has a single '}' at character 9"),
    ],
)
def test_an_unbalanced_brace_is_an_error_with_its_place(notation, change, said, path):
    refused(path, GOOD[notation] | change, notation, said)


@every_notation
@pytest.mark.parametrize("named", [True, False], ids=["named", "recognised"])
@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda text: text.encode("utf-16"), "is not UTF-8, from byte 0 on"),
        (lambda text: text[:-1].encode() + b', "x": "\xff"}', r"is not UTF-8, from byte \d\d+ on"),
        (lambda text: text[:-1] + ', "x": 1, "x": 2}', "the key 'x' occurs twice in one object"),
        (
            lambda text: text[:-1] + f', "x": "{"x" * 40_000_000}"}}',
            "has more than 33,554,432 bytes",
        ),
        (lambda text: text[:-1], r"is not JSON: Expecting ',' delimiter: line 1 column \d+"),
        (lambda text: text + text, r"is not JSON: Extra data: line 1 column \d+"),
        (lambda text: '{"a":' * 100_000, "is nested too deeply|is not JSON"),
        (lambda text: "", "is not JSON: Expecting value: line 1 column 1"),
        (lambda text: f"[{text}]", "is list|is .*list|not a template in any"),
    ],
    ids=["UTF-16", "Latin-1", "a key twice", "40 MB", "cut off", "two objects", "deep", "empty", "a list"],
)
def test_a_file_that_is_not_a_json_object_is_one_error(notation, named, spoil, said, path):
    refused(path, spoil(json.dumps(GOOD[notation])), notation if named else None, said)


@pytest.mark.parametrize(
    ("notation", "said"),
    [
        ("fastchat", "has a field 'chat_template', which FastChat does not know"),
        ("paddlenlp", "is Hugging Face's file of that name, with one whole template\n  try: notation='jinja'"),
        ("xtuner", "has a field 'chat_template', which XTuner does not know"),
    ],
)
def test_hugging_faces_file_of_the_same_name_is_recognised(notation, said, path):
    refused(path, GOOD["jinja"], notation, said)
    assert written(read(path, GOOD["jinja"])) == "Be brief.\nU: Hi\nB:"


@pytest.mark.parametrize(
    ("change", "said"),
    [({"INSTRUCTION": "only"}, r"INSTRUCTION has no \{input\}"), ({"SYSTEM": "only"}, r"SYSTEM has no \{system\}")],
)
def test_an_xtuner_template_without_placeholders_is_an_error(change, said, path):
    refused(path, GOOD["xtuner"] | change, "xtuner", said)


@pytest.mark.parametrize(
    ("notation", "change", "text", "lost"),
    [
        ("fastchat", {"system_template": "only"}, "only\nU: Hi\nB:", 0),
        ("jinja", {"chat_template": "only"}, "only", 1),
        ("paddlenlp", {"query": "only"}, "Be brief.\nonly", 1),
    ],
)
def test_another_template_without_placeholders_reports_what_it_leaves_out(notation, change, text, lost, path):
    template = read(path, GOOD[notation] | change)
    assert written(template) == text
    assert ("messages", lost, "content") in [unused.path for unused in template.render(HELLO).unused]


@every_notation
def test_braces_in_a_users_text_are_text(notation, path):
    messages = [{"role": "system", "content": BRACES}, {"role": "user", "content": BRACES}]
    assert written(read(path, GOOD[notation]), messages) == f"{BRACES}\nU: {BRACES}\nB:"


@every_notation
@pytest.mark.parametrize("case", in_turn(CONFIGS, 8), ids=lambda case: case["id"])
def test_no_hostile_configuration_raises_anything_else(notation, case, path):
    for contents in made(case.get("text"), case.get("text_expr")):
        try:
            said = read(path, contents, notation).label
        except lect.SourceError as error:
            said = str(error)
        assert "chat_template.json" in said


@lru_cache(maxsize=1)  # some take a second to make
def made(text, expression):
    """Return the contents of a hostile file; there may be several."""
    contents = text if expression is None else eval(expression, {"json": json, "struct": struct})
    return contents if isinstance(contents, list) else [contents]
