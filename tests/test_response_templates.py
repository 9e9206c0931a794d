"""Response templates of models that no family knows: replies are read and constrained by them."""

import json
import random
import warnings

import pytest
import response_templates
from sampling import few, in_turn

import lect
from lect.errors import ReplyFormatWarning

pytest.importorskip("lect_jinja")
CHAT = (
    "{%- if tools %}{{ tools | tojson }}{% endif -%}"
    "{%- for message in messages %}{% if message.role == 'assistant' %}ANSWER{% else %}"
    "{{ '[' + message.role + ']' + message.content }}{% endif %}{{ '\n' }}{% endfor -%}"
    "{%- if add_generation_prompt %}START{% endif -%}"
)
INKLING = {
    "start_anchor": "<|message_model|>",
    "fields": {
        name: {"open_pattern": rf"(?:<\|message_model\|>)?[^<]*<\|{mark}\|>", "close": "<|end_message|>", **more}
        for name, mark, more in (
            ("thinking", "content_thinking", {"repeats": True, "join": "", "content_args": {"strip": False}}),
            ("content", "content_text", {"repeats": True, "join": "", "content_args": {"strip": False}}),
            (
                "tool_calls",
                "content_invoke_tool_json",
                {
                    "repeats": True,
                    "content": "json",
                    "transform": {
                        "type": "function",
                        "function": {"name": "{content.name}", "arguments": "{content.args}"},
                    },
                },
            ),
        )
    },
}
"""What transformers' own tests have for Inkling (tests/utils/test_chat_parsing.py)."""


def chat(start="[assistant]\n", answer="{{ message.content }}"):
    """Return a chat template."""
    return CHAT.replace("START", f"{{{{ {start!r} }}}}").replace("ANSWER", answer)


@pytest.fixture
def model(tmp_path):
    """Return what makes the directory of a model, and loads its template."""

    def load(spec, *written):
        config = {"chat_template": chat(*written), "eos_token": "<eos>", "response_template": spec}
        (tmp_path / "tokenizer_config.json").write_text(json.dumps(config), "utf-8")
        return lect.get_template(str(tmp_path))

    return load


def said(reply):
    calls = [[call.name, call.arguments] for call in reply.tool_calls]
    return {"thinking": reply.reasoning or "", "content": reply.content, "calls": calls}


@pytest.mark.parametrize("seed", in_turn(range(60), 12))
def test_replies_are_read_as_they_were_meant_whole_and_streamed(model, seed):
    case = response_templates.case(seed)
    template = model(case.spec, case.start, case.jinja)
    assert template.reply_reason == "'response_template', by its response_template in tokenizer_config.json"
    prompt = template.text([{"role": "user", "content": "Hi"}], add_generation_prompt=True)
    for text, meant in case.replies:
        reply = template.parse(text, prompt=prompt, tools=response_templates.TOOLS)
        assert (said(reply), reply.problems) == (meant, ()), text
        stream = template.stream(prompt=prompt, tools=response_templates.TOOLS)
        for letter in text:
            stream.feed(letter)
        assert stream.close() == reply


@pytest.mark.parametrize("seed", range(few(20)))
def test_what_they_allow_is_read(model, seed):
    pytest.importorskip("llguidance")
    constraints = pytest.importorskip("constraints")
    lect_constrain = pytest.importorskip("lect_constrain")
    case = response_templates.case(seed)
    template = model(case.spec, case.start, case.jinja)
    chance = random.Random(seed)
    for choice in ("auto", "required"):
        constraint = lect_constrain.constrain(template, response_templates.TOOLS, tool_choice=choice)
        allowed = constraints.Guidance(constraints.vocabulary_of(template), constraint.lark())
        text = constraints.sample(allowed, chance, constraints.ends_of(constraint.node))
        if text is not None:
            reply = template.parse(text, tools=response_templates.TOOLS)
            assert constraints.problem(reply, response_templates.TOOLS, choice, constraint.loose["lark"]) == "", text


def test_the_marks_of_inkling_are_no_content(model):
    template = model(INKLING, "<|message_model|>")
    text = (
        "<|content_thinking|>Hm.<|end_message|><|message_model|>bot<|content_text|>See.<|end_message|>"
        '<|message_model|>f<|content_invoke_tool_json|>{"name": "f", "args": {"a": 1}}<|end_message|>'
    )
    assert said(template.parse(text)) == {"thinking": "Hm.", "content": "See.", "calls": [["f", {"a": 1}]]}
    assert "<|end_message|>" not in template.stop


def test_what_ends_content_stops_a_reply(model):
    template = model({"start_anchor": "[assistant]\n", "fields": {"content": {"close": ["<|over|>", "<|turn|>"]}}})
    assert list(template.stop) == ["<eos>", "<|over|>", "<|turn|>"]
    reply = template.parse("Hi<|turn|> and more")
    assert (reply.content, reply.stop) == ("Hi", "<|turn|>")


def named(group):
    """Return a response template whose calls have their name in a group."""
    call = {
        "open_pattern": rf"<\|do\|>{group}<\|with\|>",
        "close": "<|did|>",
        "content": "json",
        "transform": {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}},
    }
    return {"start_anchor": "[assistant]\n", "fields": {"tool_calls": call}}


PIECES = [r"\s*", r"\w*", "[^<]+", ".*?", r"[\w ]{1,}", r"\d+"]


@pytest.mark.parametrize("letter", "a 0!")
def test_no_pattern_takes_long(model, letter):
    # One whose time grows faster than the text would not end.
    chance = random.Random(letter)
    for _ in range(few(40)):
        before, inner, after = ("".join(chance.choices(PIECES, k=chance.randint(0, 3))) for _ in range(3))
        template = model(named(f"{before}(?P<name>{inner}){after}"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ReplyFormatWarning)
            reply = template.parse(f"<|do|>{letter * 4000}!{letter * 900}!<|with|>{{}}<|did|>")
        assert reply.raw


def test_what_cannot_be_read_is_told_once_and_quickly(model):
    told = 0
    for seed in range(few(400)):
        spec = response_templates.mutant(seed)
        template = model(spec)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            reply = template.parse("Hello. " + "a" * 2_000)
        assert reply.content.startswith("Hello."), spec
        kinds = [each.category for each in caught]
        assert kinds in ([], [ReplyFormatWarning]), spec
        # Either it is read, or somebody is told; without one, there is nothing to tell.
        assert bool(kinds) == (template.reply is None and spec is not None), spec
        if kinds:
            told += 1
            assert "has a response_template that cannot be read (" in str(caught[0].message)
            assert "try: format=" in str(caught[0].message)
    assert told > few(400) / 4


def test_a_format_that_reads_back_what_the_template_writes_is_preferred(tmp_path):
    pytest.importorskip("lect_qwen")
    text = (
        "{%- for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content or '' }}{% for c in m.tool_calls or [] %}\n"
        "<tool_call>\n{{ {'name': c.function.name, 'arguments': c.function.arguments} | tojson }}\n</tool_call>"
        "{% endfor %}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
        "{% if tools %}{% endif %}"
    )
    config = {
        "chat_template": text,
        "response_template": {"start_anchor": "x", "fields": {"content": {"close": "<|im_end|>"}}},
    }
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config), "utf-8")
    assert lect.get_template(str(tmp_path)).reply.name == "hermes_json"


def test_a_configuration_in_memory_has_one_too():
    config = {"chat_template": chat(), "response_template": INKLING}
    assert lect.load_template(config, notation="jinja").reply.name == "response_template"
