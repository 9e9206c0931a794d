"""Conversions between notations: the result renders the same prompts, and every loss is reported."""

import json
import warnings

import pytest
from goldens import battery
from sampling import in_turn, one_a_style
from together import together

import lect
from lect import dump_template
from lect.cli import main
from lect.errors import ConversionWarning
from lect_fastchat import conv_templates
from lect_jinja.writing.turn_table import renderer

NOTATIONS = ("fastchat", "jinja", "paddlenlp", "xtuner")
NAMES = [f"{owner}:{name}" for owner, names in lect.templates(load=True).items() for name in names]
TABLES = [name for name in NAMES if lect.template(name).table is not None]
FASTCHATS = [name for name in TABLES if name.startswith("fastchat:")]
# The battery's conversations in which user and assistant take turns with non-empty texts: all that tables share.
TURNS = ["user", "assistant"]
EMPTY = "what is written for an empty text"
TAGGED_TWICE = ("fastchat:llama-2", "fastchat:mistral")
QUESTION = [{"role": "user", "content": "What is 6 times 7?"}]


def takes_turns(case):
    messages = (
        case["messages"][1:] if case["messages"][:1] and case["messages"][0]["role"] == "system" else case["messages"]
    )
    return (
        messages
        and all(
            message["role"] == TURNS[place % 2]
            and isinstance(message.get("content"), str)
            and message["content"]
            and set(message) == {"role", "content"}
            for place, message in enumerate(messages)
        )
        and (len(messages) % 2 == 1) == case["add_generation_prompt"]
    )


PLAIN = [case for case in battery().values() if not case.get("tools") and takes_turns(case)]


def render_of(template):
    return lambda messages, opened: template.text(messages, add_generation_prompt=opened)


def prompts(render):
    return [render(case["messages"], case["add_generation_prompt"]) for case in PLAIN]


def check(template, notation, original):
    """Write a template and read it back: it must write what the original does, or report what is lost.

    This compares more conversations than the conversion itself does.
    """
    try:
        text = dump_template(template, notation)
    except lect.ConversionError:
        return None
    again = lect.load_template(text, notation=notation)
    assert lect.load_template(text).name == again.name
    written = prompts(render_of(again)) if notation != "jinja" else prompts(renderer(text, template))
    # Some tools leave the BOS to their tokenizer.
    assert written in (prompts(render_of(original)), prompts(render_of(original.but(bos=""))))
    return again


def walk(template, original, left, trail=()):
    """Convert through the notations in every order, as long as nothing is lost; yield each sequence of notations."""
    for notation in left:
        again = check(template, notation, original)
        if again is not None:
            yield (*trail, notation)
            if again.table is not None:
                yield from walk(again, original, [each for each in left if each != notation], (*trail, notation))


def test_there_is_something_to_compare():
    assert len(PLAIN) > 5
    assert len(FASTCHATS) >= 96
    assert len(TABLES) > 150


@pytest.mark.parametrize("name", in_turn(one_a_style(TABLES), 6))
def test_a_turn_table_writes_the_same_after_any_sequence_of_notations(name):
    template = lect.template(name)
    ways = list(walk(template, template, NOTATIONS))
    # Every turn table can be written as Jinja, and so can what was read from a notation of tables.
    assert ("jinja",) in ways
    assert all((*way, "jinja") in ways for way in ways if "jinja" not in way and "paddlenlp" not in way)


@pytest.mark.parametrize("name", ["fastchat:baichuan2-chat", "fastchat:raw"])
def test_some_templates_convert_through_three_notations(name):
    ways = set(walk(lect.template(name), lect.template(name), NOTATIONS))
    assert ways >= {("fastchat", "xtuner", "jinja"), ("fastchat", "paddlenlp")}


def losses(template, notation):
    """Write a template with `lossy`; return what was written, and what is lost."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConversionWarning)
        text = dump_template(template, notation, lossy=True)
    lines = "".join(str(each.message) for each in caught).splitlines()
    return text, [line.removeprefix("  lost: ") for line in lines if line.startswith("  lost: ")]


# In these formats a user's and an assistant's turns are one and the same text with `{role}` in it.
ONE_TURN_FOR_ALL = [
    name for name in TABLES if all("{role}" in lect.template(name).table.turns[role].prefix for role in TURNS)
]


@together("notation", NOTATIONS)
@together("name", in_turn(sorted({*one_a_style(TABLES), *ONE_TURN_FOR_ALL}), 3))
def test_what_a_lossy_conversion_loses_is_all_that_it_loses(name, notation):
    template = lect.template(name)
    text, lost = losses(template, notation)
    assert all(": at character" not in each or name in TAGGED_TWICE for each in lost)
    if set(lost) <= {"the default system text", "the turns of tools", "the turns of other roles", EMPTY}:
        again = lect.load_template(text, notation=notation)
        render = renderer(text, template) if notation == "jinja" else render_of(again)
        firsts = [(case, case["messages"][0]) for case in PLAIN]
        cases = [case for case, first in firsts if first["role"] == "system" and first["content"]]
        assert cases
        for case in cases:
            expected = template.text(case["messages"], add_generation_prompt=case["add_generation_prompt"])
            assert render(case["messages"], case["add_generation_prompt"]) == expected.removeprefix(
                "" if again.bos or notation in ("jinja", "paddlenlp") else template.bos
            )


@pytest.mark.parametrize("name", ["seallm:seallm-v3", "yi:yi-1.5-chat", "qwen:qwen-7b-chat"])
def test_fastchat_does_not_end_an_empty_answer_which_is_a_loss(name):
    with pytest.raises(lect.ConversionError) as caught:
        dump_template(lect.template(name), "fastchat")
    assert caught.value.lost == (EMPTY,)


def test_most_fastchat_templates_convert_to_jinja_and_the_others_say_why_not():
    # One more, yandexgpt, is a conversation for an API: FastChat cannot write a prompt for it either.
    names = [f"fastchat:{name}" for name in conv_templates if name != "yandexgpt"]
    assert len(names) == 101
    converted = [name for name in names if check(lect.template(name), "jinja", lect.template(name)) is not None]
    assert len(converted) == 94
    reasons = {}
    for name in sorted(set(names) - set(converted)):
        with pytest.raises(lect.ConversionError) as caught:
            dump_template(lect.template(name), "jinja")
        (reasons[name],) = caught.value.lost
    assert reasons == {
        "fastchat:cllm": "all: the style CLLM writes only the last two messages",
        "fastchat:falcon": "all: the style RWKV turns several line ends in a row into one",
        "fastchat:llama-3": (
            "all: the style LLAMA3 strips white space from what user and assistant say, but not the system text"
        ),
        # Nothing in a table says that the first tag is written even where the question is empty.
        **dict.fromkeys(TAGGED_TWICE, "an empty question: at character 6, ' [INST][/INST]' / '[/INST]'"),
        "fastchat:rwkv": "all: the style RWKV turns several line ends in a row into one",
        "fastchat:yuan2": "all: the style YUAN2 removes every '<', 'n' and '>' at the end of a prompt",
    }


@together("name", in_turn(sorted(set(NAMES) - set(TABLES)), 3))
@together("notation", NOTATIONS)
def test_a_program_says_why_it_cannot_be_converted(name, notation):
    template = lect.template(name)
    if name.startswith("fastchat:") and notation == "fastchat":
        assert check(template, notation, template) is not None
        return
    with pytest.raises(
        lect.ConversionError, match=r"lost: all: (it is a program, .*|the style [A-Z0-9]+ .*)"
    ) as caught:
        dump_template(template, notation)
    words = set() if name.startswith("fastchat:") else template.capabilities - {"system"}
    assert all(word in str(caught.value) for word in words)


def test_every_xtuner_template_is_written_as_xtuner_has_it():
    from lect_xtuner import PROMPT_TEMPLATE

    for name, fields in PROMPT_TEMPLATE.items():
        text = dump_template(lect.template(f"xtuner:{name}"), "xtuner")
        assert json.loads(text) == {field: value for field, value in fields.items() if value}, name


# The command line


@pytest.fixture
def mine(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.json").write_text(
        '{"INSTRUCTION": "U:{input}\\nB:", "SUFFIX": "</s>", "SUFFIX_AS_EOS": true}', "utf-8"
    )


@pytest.mark.parametrize("source", ["mine.json", "./mine.json"])
def test_convert_prints_a_template_that_can_be_read_back(mine, source, capsys, tmp_path):
    assert main(["convert", source, "--to", "paddlenlp"]) == 0
    text = capsys.readouterr().out
    assert lect.load_template(text).text(QUESTION, add_generation_prompt=True) == "U:What is 6 times 7?\nB:"
    assert main(["convert", source, "--to", "paddlenlp", "-o", "out.json"]) == 0
    assert (tmp_path / "out.json").read_text("utf-8") == text
    assert main(["diff", "mine.json", "out.json"]) == 0
    assert capsys.readouterr().out == "12 of 12 kinds of conversation are equal\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["chatml", "--to", "xtuner"], "lost: the turns of tools\n  try: --lossy, to write the rest"),
        (["Qwen/Qwen2.5-7B-Instruct", "--to", "xtuner"], "lost: all: it is a program"),
        (["xtuner:internlm", "--to", "fastchat"], "did you mean the template 'xtuner:internlm_chat'?"),
        (["default", "--to", "xtunr"], "no installed package has a notation 'xtunr'\n  try: one of "),
        (["default", "--to", "xtuner", "-o", "nowhere/x.json"], "cannot write 'nowhere/x.json': No such file"),
        (
            ["mine.json", "--from", "fastchat", "--to", "xtuner"],
            "mine.json' has a field 'INSTRUCTION', which FastChat does not know",
        ),
        (["nothing.json", "--to", "xtuner"], "no installed adapter recognises 'nothing.json'"),
    ],
)
def test_convert_says_what_is_wrong(mine, words, said, capsys):
    assert main(["convert", *words]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert said in printed.err


def test_convert_lossy_writes_what_it_can_and_warns(capsys):
    assert main(["convert", "chatml", "--to", "xtuner", "--lossy"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["SUFFIX"] == "<|im_end|>"
    said = "warning: the notation 'xtuner' cannot express all of 'lect:chatml'\n  lost: the turns of tools"
    assert said in printed.err


def test_diff_shows_the_first_difference_of_each_kind_with_its_bytes(mine, capsys):
    assert main(["diff", "mine.json", "xtuner:default"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == [
        "a question: they differ at character 0",
        r"  mine.json       'U:What is 6 times 7?\nB:'     55 3a 57 68 61 74 20 69",
        "  xtuner:default  '<|User|>:What is 6 times'...  3c 7c 55 73 65 72 7c 3e",
    ]
    assert lines[-1] == "0 of 12 kinds of conversation are equal"


def test_diff_as_json_has_the_whole_prompts(mine, capsys):
    assert main(["diff", "mine.json", "default", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found[0] == {
        "kind": "a question",
        "one": "U:What is 6 times 7?\nB:",
        "other": "<|User|>:What is 6 times 7?\n<|Bot|>:",
        "at": 0,
    }


def test_a_conversation_that_one_template_refuses_is_a_difference(capsys):
    assert main(["diff", "gemma:gemma", "xtuner:gemma"]) == 1
    assert "refuses this conversation" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["xtuner:internlm_chat", "fastchat:vicuna_v1.1", "lect-xtuner:xtuner:default"])
@pytest.mark.parametrize(
    "words",
    [
        ["prompt", "NAME", "Hi"],
        ["prompt", "acme/unknown", "Hi", "--default", "NAME"],
        ["prompt", "acme/unknown", "Hi", "--adapter", "NAME"],
        ["parse", "NAME", "reply.txt"],
        ["why", "NAME"],
        ["why", "NAME", "--json"],
        ["convert", "NAME", "--to", "jinja"],
        ["diff", "NAME", "NAME"],
    ],
    ids=" ".join,
)
def test_the_name_of_a_template_can_replace_that_of_a_model(words, name, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "reply.txt").write_text("Hello!", "utf-8")
    assert main([name if word == "NAME" else word for word in words]) == 0
    printed = capsys.readouterr()
    assert printed.out
    assert "error" not in printed.err


@pytest.mark.parametrize("name", ["xtuner:internlm_chat", "fastchat:vicuna_v1.1"])
def test_the_name_of_a_template_can_replace_that_of_a_model_in_python_too(name):
    template = lect.template(name)
    assert lect.resolve(name).template is lect.get_template(name) is template
    assert lect.get_conversation_template(name).template is lect.get_conv_template(name).template is template
    assert lect.render(name, QUESTION).text == template.text(QUESTION)
    assert lect.parse(name, "Hi").content == "Hi"
    assert lect.stream(name).close("stop").finish == "stop"


def test_a_lossy_conversion_warns_in_python_too():
    with pytest.warns(ConversionWarning, match="the turns of tools"):
        dump_template(lect.template("chatml"), "xtuner", lossy=True)
