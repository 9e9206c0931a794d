"""PaddleNLP's chat templates against PaddleNLP's own output."""

import json
import pickle
from pathlib import Path

import pytest
from together import together

import lect
from lect import dump_template
from lect_jinja.writing.turn_table import renderer
from lect_kit import AdapterSuite
from lect_paddlenlp import ChatTemplate, WholeTemplate, init_chat_template

FOLDER = Path(__file__).parents[1]
GOLDEN = json.loads((Path(__file__).parent / "golden/paddlenlp.json").read_text("utf-8"))
DEVIATIONS = {(row["slug"], row["case"]) for row in json.loads((FOLDER / "deviations.json").read_text("utf-8"))}
SEED = GOLDEN["templates"]["seed"]


class TestPaddleNLP(AdapterSuite):
    plugin = "paddlenlp"
    examples = {}


def case_id(case):
    return "-".join(str(case.get(key)) for key in ("template", "conversation", "context") if key in case)


def conversation(name):
    found = GOLDEN["conversations"].get(name, GOLDEN["jinja_conversations"].get(name))
    # JSON has no tuples.
    return [tuple(each) for each in found] if name == "tuple_pairs" else found


@together("case", GOLDEN["apply"], ids=case_id)
def test_apply_gives_paddlenlps_prompts(case):
    template = init_chat_template(GOLDEN["templates"][case["template"]])
    context = GOLDEN["contexts"][case["context"]]
    name = case["conversation"]
    if "warnings" in case:
        with pytest.warns(UserWarning, match="the last round has an answer, which is left out"):
            assert template.apply(conversation(name), context) == case["text"]
    elif "text" in case:
        assert template.apply(conversation(name), context) == case["text"]
    elif ("*", name) in DEVIATIONS and (template.fields.user is not None or name == "openai_messages"):
        try:
            assert template.apply(conversation(name), context)
        except lect.MessageError:
            assert template.fields.user is None
    else:
        with pytest.raises(lect.MessageError):
            template.apply(conversation(name), context)


@together("case", GOLDEN["encode_chat_inputs"], ids=case_id)
def test_encode_chat_inputs_gives_paddlenlps_parts(case):
    conversations = {
        "single": [["a", "b"]],
        "multi3": [["1+1=", "1+1=2"], ["Add one more", "3"], ["again", "4"]],
        "chinese": [["你好", "您好"], ["今天吃啥", "面条🎉"]],
        "open_last": [["a", "b"], ["c"]],
    }[case["conversation"]]
    template = init_chat_template(GOLDEN["templates"][case["template"]])
    context = GOLDEN["contexts"][case["context"]]
    if "error" in case:
        with pytest.raises(lect.MessageError):
            template.encode_chat_inputs(conversations, context_data=context)
        return
    encoded = template.encode_chat_inputs(conversations, context_data=context)
    assert {"system": None, **encoded} == case["result"]
    assert [list(span) for span in template.spans(conversations, context)] == case["spans"]


def test_a_tokenizer_gives_ids():
    class Letters:
        def encode(self, text, add_special_tokens):
            assert add_special_tokens is False
            return [ord(letter) for letter in text]

    template = ChatTemplate(["U{{user}}", "B{{bot}}"])
    assert template.encode_chat_inputs([["a", "b"]], Letters()) == {"conversations": [[[85, 97], [66, 98]]]}


@together("case", GOLDEN["jinja_apply"], ids=lambda case: f"{case_id(case)}-{case['add_generation_prompt']}")
def test_a_whole_template_gives_paddlenlps_prompts(case):
    template = init_chat_template(GOLDEN["jinja_string_templates"][case["template"]], GOLDEN["special_tokens_map"])
    given = conversation(case["conversation"])
    ask = case["add_generation_prompt"]
    if ("jinja", case["conversation"]) in DEVIATIONS:
        assert template.apply(given, add_generation_prompt=ask) != case.get("text")
    elif "text" in case:
        assert template.apply(given, add_generation_prompt=ask) == case["text"]
    else:
        with pytest.raises(lect.LectError):
            template.apply(given, add_generation_prompt=ask)


@pytest.mark.parametrize(
    "case",
    GOLDEN["jinja_encode"],
    ids=lambda case: f"{case['template']}-{case['id']}-{case['add_generation_prompt']}",
)
def test_a_whole_template_gives_paddlenlps_training_examples(case):
    template = init_chat_template(GOLDEN["jinja_string_templates"][case["template"]], GOLDEN["special_tokens_map"])
    ask = case["add_generation_prompt"]
    if "result" in case:
        encoded = template.encode_chat_inputs(case["conversation"], add_generation_prompt=ask)
        assert encoded == {"conversations": case["result"]}
    elif ("jinja_encode", case["id"]) in DEVIATIONS:
        encoded = template.encode_chat_inputs(case["conversation"], add_generation_prompt=ask)
        whole = template.apply(case["conversation"], add_generation_prompt=False)
        assert "".join(text for pair in encoded["conversations"] for text in pair) == whole
        answers = [bot for _, bot in encoded["conversations"]]
        assert all(map(str.startswith, answers, (answer for _, answer in case["conversation"])))
    else:
        with pytest.raises(lect.MessageError):
            template.encode_chat_inputs(case["conversation"], add_generation_prompt=ask)


def test_a_whole_template_gives_spans_and_ids_too():
    class Letters:
        def encode(self, text, add_special_tokens):
            return [ord(letter) for letter in text]

    template = init_chat_template("{% for m in messages %}{{ m.role[0] }}{{ m.content }};{% endfor %}")
    assert template.spans([["a", "b"]]) == [("ua;", False), ("ab;", True)]
    assert template.encode_chat_inputs([["a", "b"]], Letters()) == {"conversations": [[[117, 97, 59], [97, 98, 59]]]}
    messages = [{"role": "system", "content": "S"}, {"role": "user", "content": "a"}]
    assert template.spans([*messages, {"role": "assistant", "content": "b"}]) == [("sS;ua;", False), ("ab;", True)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{% for m in messages %}{{ m.content }}{{ loop.revindex }}{% endfor %}", "writes round 0 differently"),
        ("{% for m in messages %}{{ m.content }};{% endfor %}END", "writes round 0 differently"),
        ("{% for m in messages %}{{ m.content }};{% endfor %}{{ messages[2:] and 'END' or '' }}", "last answer .* 'END'"),
    ],
)  # fmt: skip
def test_a_template_that_does_not_show_what_to_learn_is_an_error(text, said):
    with pytest.raises(lect.MessageError, match=said):
        init_chat_template(text).spans([["a", "b"], ["c", "d"]])


# Ways to load


def golden_source(case, folder):
    """Return PaddleNLP's input in a case of `init_chat_template`, after writing its files."""
    files = {
        "chat_template.json": json.dumps(SEED),
        "hf.json": '{"chat_template": "{{ messages }}"}',
        "tc.json": '{"system": "You are a bot.",}',
        "l.json": '["a"]',
    }
    value = case["value"]
    if case["case"] == "ChatTemplate instance":
        return ChatTemplate()
    if not isinstance(value, str) or not value.startswith("<tmp>"):
        return value
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")
    return value.replace("<tmp>", str(folder))


@pytest.mark.parametrize("case", GOLDEN["init_chat_template"], ids=lambda case: case["case"])
def test_init_chat_template_behaves_like_paddlenlps(case, tmp_path):
    source = golden_source(case, tmp_path)
    deviates = ("init_chat_template", case["case"]) in DEVIATIONS
    if case["case"] == "directory":
        assert deviates
        assert init_chat_template(source).apply("Hi") == ChatTemplate(**SEED).apply("Hi")
    elif "init_error" in case or deviates:
        with pytest.raises(lect.LectError):
            init_chat_template(source)
    else:
        template = init_chat_template(source, GOLDEN["special_tokens_map"])
        assert isinstance(template, ChatTemplate if case["kind"] == "ChatTemplate" else WholeTemplate)
        for name in ("str", "seed_multi"):
            if "text" in case[name]:
                assert template.apply(conversation(name)) == case[name]["text"]
            else:
                with pytest.raises(lect.MessageError):
                    template.apply(conversation(name))


def test_no_state_leaks_from_call_to_call():
    template = init_chat_template(GOLDEN["templates"][GOLDEN["state_leak"]["template"]])
    first = template.apply("first")
    template.apply([["a", "b"], ["c"]])
    template.encode_chat_inputs([["a", "b"]])
    assert first == template.apply("first") == GOLDEN["state_leak"]["call1"]


# Files


def test_a_file_and_a_directory_are_read(tmp_path):
    path = tmp_path / "chat_template.json"
    path.write_text(json.dumps(SEED), "utf-8")
    expected = ChatTemplate(**SEED).apply("Hi")
    for source in (path, str(path), tmp_path, str(tmp_path)):
        assert ChatTemplate.from_file(source).apply("Hi") == init_chat_template(source).apply("Hi") == expected
    for source in (path, tmp_path):
        assert lect.load_template(source).text([{"role": "user", "content": "Hi"}]) == expected


@pytest.mark.parametrize(
    ("contents", "said"),
    [
        ('{"chat_template": "{{ messages }}"}', "is Hugging Face's file of that name"),
        ('{"system": "s", "foo": 1}', "has a field 'foo'"),
        ('["a"]', "is list; expected an object"),
        ('{"query": "x",}', "is not JSON: Expecting property name .* column 15 .*; expected an object"),
        ('{"query": "x", "query": "y"}', "the key 'query' occurs twice"),
        ('{"query": 7}', r"query is 7 \(int\); expected text"),
        ('{"conversation": "{{user}}"}', "expected two templates"),
        ('{"conversation": ["{{user}}"]}', "expected two templates"),
        ('{"conversation": ["{{user}}", 1]}', r"conversation\[1\] is 1"),
        ("{\"system\": \"{{system | 'You are'}}\", \"query\": \"x\"}", "'system', line 1: expected token 'name'"),
        ('{"query": "{{ query | nosuch }}"}', "nosuch"),
        ('{"query": "{{ query "}', "'query', line 1"),
    ],
)  # fmt: skip
def test_an_invalid_chat_template_is_one_error_with_file_and_field(contents, said, tmp_path):
    path = tmp_path / "chat_template.json"
    path.write_text(contents, "utf-8")
    with pytest.raises(lect.SourceError, match=said) as caught:
        ChatTemplate.from_file(path)
    assert "chat_template.json" in str(caught.value)


@pytest.mark.parametrize("source", ["/no/such/chat_template.json", "chat_template.jsn", "", None, 3, ["a"]])
def test_a_mistyped_path_is_an_error_and_not_a_template(source):
    with pytest.raises(lect.SourceError):
        init_chat_template(source)


def test_a_template_is_returned_as_it_is():
    for template in (ChatTemplate(), WholeTemplate("{{ messages[0].content }}")):
        assert init_chat_template(template) is template


# Mistakes


@pytest.mark.parametrize("name", ["query", "index"])
def test_context_does_not_replace_the_question(name):
    with pytest.raises(lect.MessageError, match=f"context_data has '{name}'"):
        ChatTemplate(**SEED).apply("Hi", {name: "x"})


def test_context_replaces_the_texts_of_history_as_in_paddlenlp():
    assert "Question: OVERRIDE\n" in ChatTemplate(**SEED).apply([["a", "b"], ["c"]], {"user": "OVERRIDE"})


def test_there_are_no_tensors():
    for call in (ChatTemplate().apply, ChatTemplate().encode_chat_inputs):
        with pytest.raises(lect.MessageError, match=r"return_tensors is 'pd'.*\n  try: ids"):
            call("Hi", return_tensors="pd")


# As a template of lect


def test_messages_are_rounds_and_texts_keep_their_origin():
    template = lect.load_template(GOLDEN["templates"]["default_system_idiom"], notation="paddlenlp")
    messages = [
        {"role": "system", "content": "S {{x}}"},
        {"role": "user", "content": "1+1="},
        {"role": "assistant", "content": "2"},
        {"role": "user", "content": "{{user}}"},
    ]
    prompt = template.render(messages, add_generation_prompt=True, strict=True)
    assert prompt.text == template.text(messages) == "S {{x}}\nU0/2:1+1=\nB:2\nQ1/2:{{user}}\nB:"
    inputs = [(segment.path, segment.text) for segment in prompt.segments if segment.origin is lect.Origin.INPUT]
    assert inputs == [(("messages", index, "content"), each["content"]) for index, each in enumerate(messages)]
    assert template.text(messages[1:3]) == "You are a helpful assistant.\nU0/:1+1=\nB:2\n"


def test_a_system_text_without_a_place_is_reported():
    template = lect.load_template(SEED)
    prompt = template.render([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}])
    assert [unused.path for unused in prompt.unused] == [("messages", 0, "content")]


def test_options_are_context():
    template = lect.load_template(GOLDEN["templates"]["repo_tests_fixture_with_context"])
    assert tuple(template.options) == ("instruction",)
    assert "-Do it.\n" in template.text([{"role": "user", "content": "Hi"}], instruction="Do it.")


def test_templates_can_be_pickled():
    messages = [{"role": "user", "content": "Hi"}]
    template = lect.load_template(SEED)
    assert pickle.loads(pickle.dumps(template)).text(messages) == template.text(messages)
    mine = ChatTemplate(**SEED)
    assert pickle.loads(pickle.dumps(mine)).apply("Hi") == mine.apply("Hi")


@pytest.mark.parametrize("roles", [["assistant"], ["user", "user"], ["user", "tool"]])
def test_messages_that_are_not_rounds_are_refused(roles):
    with pytest.raises(lect.RefusedError):
        lect.load_template(SEED).text([{"role": role, "content": "x"} for role in roles])


def test_a_models_directory_is_recognised_by_its_file(tmp_path):
    fields = {"conversation": ["<u>{{user}}</u>", "<b>{{bot}}</b>"], "query": "<u>{{query}}</u><b>"}
    (tmp_path / "chat_template.json").write_text(json.dumps(fields), "utf-8")
    resolution = lect.resolve(tmp_path)
    assert (resolution.package, resolution.reason) == (
        "lect-paddlenlp",
        "chat_template.json is there, in PaddleNLP's notation",
    )
    assert resolution.template.text([{"role": "user", "content": "Hi"}], add_generation_prompt=True) == "<u>Hi</u><b>"


def test_the_models_own_jinja_template_takes_precedence(tmp_path):
    (tmp_path / "chat_template.json").write_text(json.dumps({"query": "<u>{{query}}</u>"}), "utf-8")
    (tmp_path / "chat_template.jinja").write_text("{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}")
    assert lect.resolve(tmp_path).package == "lect-jinja"


# In other notations


TABLES = {
    "seed", "docs_zh_get_started", "repo_tests_fixture", "repo_tree_of_thought_llama", "docs_llm_qwen_14b_chat",
    "reconstructed_qwen_14b_chat", "reconstructed_chatglm_6b_v1.1",
}  # fmt: skip
PLAIN = ("str", "single_open", "seed_multi", "multi3", "chinese", "jinja_in_user", "html_chars", "whitespace")


def messages_of(query):
    rounds = [[query]] if isinstance(query, str) else query
    return [
        {"role": role, "content": text}
        for each in rounds
        for role, text in zip(("user", "assistant"), each, strict=False)
    ]


@pytest.mark.parametrize("name", GOLDEN["templates"])
def test_a_file_becomes_a_chat_template_that_writes_paddlenlps_prompts_or_says_why_not(name):
    template = lect.load_template(GOLDEN["templates"][name], notation="paddlenlp")
    if name not in TABLES:
        with pytest.raises(lect.ConversionError, match="lost: all: a field has more in it than one place for a text"):
            dump_template(template, "jinja")
        return
    render = renderer(dump_template(template, "jinja"), template)
    cases = [case for case in GOLDEN["apply"] if (case["template"], case["context"]) == (name, "none")]
    compared = [case for case in cases if case["conversation"] in PLAIN]
    assert len(compared) == len(PLAIN)
    for case in compared:
        assert render(messages_of(conversation(case["conversation"])), True) == case["text"]


@pytest.mark.parametrize("name", GOLDEN["templates"])
def test_a_file_is_written_as_it_was_read(name):
    fields = {field: text for field, text in GOLDEN["templates"][name].items() if text}
    text = dump_template(lect.load_template(fields, notation="paddlenlp"), "paddlenlp")
    assert json.loads(text) == {"query": "{{query}}"} | fields


@pytest.mark.parametrize(
    "change",
    [
        {"query": "Q:{{query}}\nB:"},
        {"query": "U:{{query | trim}}\nB:"},
        {"conversation": ["U:{{user}}{{user}}\n", "B:{{bot}}\n"]},
        {"conversation": ["U:{{user}}\n", "B:{% if bot %}{{bot}}{% endif %}\n"]},
        {"conversation": ["{round}U:{{user}}\n", "B:{{bot}}\n"], "query": "{round}U:{{query}}\nB:"},
        {"system": "{{index}}{{system}}"},
        {"system": "{# none #}"},
        {"conversation": None},
    ],
    ids=str,
)
def test_fields_that_are_more_than_a_table_have_no_table(change):
    fields = {"conversation": ["U:{{user}}\n", "B:{{bot}}\n"], "query": "U:{{query}}\nB:"}
    assert lect.load_template(fields, notation="paddlenlp").table is not None
    assert lect.load_template(fields | change, notation="paddlenlp").table is None


def test_a_place_for_a_system_text_is_carried_over():
    fields = {"system": "<{{system}}>", "conversation": ["U:{{user}}\n", "B:{{bot}}\n"], "query": "U:{{query}}\nB:"}
    template = lect.load_template(fields)
    render = renderer(dump_template(template, "jinja"), template)
    question = [{"role": "user", "content": "Hi"}]
    assert render(question, True) == ChatTemplate(**fields).apply("Hi") == "<>U:Hi\nB:"
    assert render([{"role": "system", "content": "S"}, *question], True) == "<S>U:Hi\nB:"
