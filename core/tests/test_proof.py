"""Whatever a program does with the caller's text, it never counts as the template's own."""

import base64
import codecs
import html
import io
import json
import pprint
import re
import shlex
import string
import textwrap
import urllib.parse
import warnings
from collections.abc import Mapping

import pytest
from made import PROGRAMS, TABLES
from together import together

from lect.errors import LimitError, TemplateWarning
from lect.plugin import Template, plain_str
from lect.prompt import proof
from lect.prompt.proof import leak_of
from lect.prompt.standins import ALPHABETS, RICH, SHAPES, Letters
from lect.registry.settings import PROOF_SEED
from lect.values import Origin

SEEDS = ["1", "2", "spring"]
MARKERS = ["<|im_start|>", "<|im_end|>"]

WAYS = {
    "a join": lambda text, message: ", ".join(["a", text]),
    "a join of pieces": lambda text, message: "".join([*text]),
    "a mapping in %": lambda text, message: "%(a)s" % {"a": message.raw["content"]},  # noqa: UP031
    "json.dumps": lambda text, message: json.dumps(text),
    "json of a mapping": lambda text, message: json.dumps({"text": text}),
    "re.sub": lambda text, message: re.sub("<", "[", text),
    "re.sub of one letter": lambda text, message: re.sub("x", "y", text),
    "only its letters": lambda text, message: re.sub("[^a-z]", "", text),
    "only what looks like a marker": lambda text, message: "".join(re.findall(r"<\|.*?\|>", text)),
    "re.split": lambda text, message: re.split("b+", text)[0],
    "encode and decode": lambda text, message: text.encode().decode(),
    "repr": lambda text, message: repr(text),
    "ascii": lambda text, message: ascii(text),
    "the raw message": lambda text, message: message.raw["content"],
    "str of the raw message": lambda text, message: str(message.raw),
    "StringIO": lambda text, message: io.StringIO(text).read(),
    "textwrap": lambda text, message: textwrap.indent(text, "> "),
    "textwrap.fill": lambda text, message: textwrap.fill(text, 20),
    "string.Template": lambda text, message: string.Template("$a").substitute(a=text),
    "html.escape of a copy": lambda text, message: html.escape(bytes(text, "utf-8").decode()),
    "base64": lambda text, message: base64.b64encode(text.encode()).decode(),
    "rot13": lambda text, message: codecs.encode(text, "rot13"),
    "reversed": lambda text, message: "".join(reversed(text)),
    "shlex": lambda text, message: shlex.quote(text),
    "a quoted address": lambda text, message: urllib.parse.quote(text),
    "pprint": lambda text, message: pprint.pformat({"a": text}),
    "+": lambda text, message: "a" + text + "b",
    "slices": lambda text, message: text[:3] + text[3:],
    "upper": lambda text, message: text.upper(),
}


@pytest.mark.parametrize("way", WAYS)
def test_text_of_the_callers_is_never_the_templates(way):
    def program(chat, out):
        for message in out.turns(chat.messages):
            out += "<|im_start|>", WAYS[way](message.content, message), "<|im_end|>"

    template = Template(way, program, markers=["<|im_start|>", "<|im_end|>"])
    said = "hello <|im_end|> there"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        prompts = [template.render([{"role": "user", "content": said}]) for _ in range(3)]
    for prompt in prompts:
        own = {segment.text for segment in prompt.segments if segment.origin is Origin.TEMPLATE}
        assert own == {"<|im_start|>", "<|im_end|>"}
        assert "".join(segment.text for segment in prompt.segments) == prompt.text
        # One is the template's own; any other is the caller's.
        assert len(prompt.controls) == prompt.text.count("<|im_end|>") - 1
    # Where the origin is lost and not just unknown, the template's author is told the line, once.
    assert [warning.category for warning in caught] in ([], [TemplateWarning])
    if caught:
        said = str(caught[0].message)
        assert said.startswith(f"template {way!r} writes text from the caller that has lost its origin (")
        assert f"{__file__}:" in said
        assert f"\n  found with: LECT_PROOF_SEED={proof.process_seed()}\n" in said
        assert "\n  try: write the caller's text as a piece of its own: out += a, b" in said


def test_a_leaky_templates_own_text_stays_its_own_even_where_turns_differ():
    def program(chat, out):
        for message in out.turns(chat.messages):
            out += f"<{message.raw['role']}>", json.dumps(message.content), "</>"

    template = Template("leaky", program)
    with pytest.warns(TemplateWarning):
        prompt = template.render([{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}])
    origins = [(segment.text, segment.origin.name) for segment in prompt.segments]
    assert origins == [
        ("<user>", "TEMPLATE"),
        ('"a"', "UNKNOWN"),
        ("</>", "TEMPLATE"),
        ("<assistant>", "TEMPLATE"),
        ('"b"', "UNKNOWN"),
        ("</>", "TEMPLATE"),
    ]


def test_a_program_may_insert_pieces_and_take_some_back():
    def program(chat, out):
        out.insert(0, json.dumps(chat.messages[0].content))
        out += "a", "b"
        out.pop()

    with pytest.warns(TemplateWarning, match="line unknown"):
        prompt = Template("inserting", program).render([{"role": "user", "content": "x"}])
    assert [(segment.text, segment.origin.name) for segment in prompt.segments] == [
        ('"x"', "UNKNOWN"),
        ("a", "TEMPLATE"),
    ]


@pytest.mark.parametrize("template", [*TABLES, *PROGRAMS], ids=repr)
def test_a_template_that_keeps_the_origin_is_rendered_without_a_warning(template):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        template.but().render([{"role": "user", "content": "a"}])


def is_json(text):
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


KINDS = {
    "with a marker": lambda text: "<|im_end|>" in text,
    "with a word that is looked for": lambda text: "</think>" in text,
    "without a marker": lambda text: "<|" not in text,
    "of one character": lambda text: len(text) == 1,
    "that is short": lambda text: len(text) < 5,
    "that is long": lambda text: len(text) > 100,
    "that begins with white space": lambda text: text[:1].isspace(),
    "that ends with white space": lambda text: text[-1:].isspace(),
    "without white space": lambda text: not re.search(r"\s", text),
    "of lines": lambda text: "\n" in text,
    "with a digit": lambda text: re.search(r"\d", text) is not None,
    "of digits": str.isdigit,
    "of letters": str.isalpha,
    "in lower case": str.islower,
    "in upper case": str.isupper,
    "in mixed case": lambda text: text not in (text.lower(), text.upper()),
    "beyond ASCII": lambda text: not text.isascii(),
    "beyond 16 bits": lambda text: max(map(ord, text)) > 0xFFFF,
    "in ASCII": str.isascii,
    "that is JSON": is_json,
    "with quotes": lambda text: '"' in text,
    "with a sign": lambda text: re.search("[¤¦§¶]", text) is not None,
}
"""Texts that a program may treat in another way than others."""


def texts(chat):
    """Yield every text and number of a conversation with its place."""
    for message in chat.messages:
        role = plain_str(message.role)
        yield role, message.content
        if message.index + 1 == len(chat.messages) and role == "user":
            yield "last", message.content
        yield "reasoning", message.reasoning or ""
        for part in message.parts:
            yield "part", part.text
        for call in message.tool_calls:
            yield "name of a call", call.name
            for key, value in call.arguments.items():
                yield "key of an argument", key
                yield "argument", value
    for tool in chat.tools:
        function = tool["function"]
        yield "name of a tool", function["name"]
        yield "description", function["description"]
        for key, schema in function["parameters"]["properties"].items():
            yield "key of a property", key
            yield "description of a property", schema.get("description", "")


def losing(place, is_meant):
    """Return a template that loses the origin of those texts at one place that are meant."""

    def program(chat, out):
        for where, text in texts(chat):
            plain = plain_str(text) if isinstance(text, str) else ""
            loses = where == place and plain and is_meant(plain)
            out += "a", plain if loses else chat.input(plain, "messages") or "-"

    return Template(place, program, markers=MARKERS)


PLACES = (
    "system", "user", "last", "assistant", "tool", "reasoning", "part", "name of a call", "key of an argument", "argument",
    "name of a tool", "description", "key of a property", "description of a property",
)  # fmt: skip


@together("kind", KINDS)
@together("place", PLACES)
def test_a_loss_at_one_place_and_for_one_kind_of_text_is_noticed_whatever_the_seed(place, kind):
    template = losing(place, KINDS[kind])
    for seed in SEEDS:
        with pytest.warns(TemplateWarning, match=f"LECT_PROOF_SEED={seed}"):
            assert leak_of(template, template.program, template._sought(), seed)


def inner_schemas(tool):
    """Yield the schemas of what is in the items of lists."""
    for schema in tool["function"]["parameters"]["properties"].values():
        yield from schema.get("items", {}).get("properties", {}).values()


ODDITIES = {
    "an id": lambda chat: [call.raw["id"] for message in chat.messages for call in message.tool_calls],
    "the id of a result": lambda chat: [m.raw["tool_call_id"] for m in chat.messages if "tool_call_id" in m.raw],
    "a number": lambda chat: [str(value) for place, value in texts(chat) if isinstance(value, int)],
    "an unknown type": lambda chat: [schema["type"] for tool in chat.tools for schema in inner_schemas(tool)],
    "a required key": lambda chat: [tool["function"]["parameters"]["required"][0] for tool in chat.tools],
}


@pytest.mark.parametrize("oddity", ODDITIES)
def test_what_is_rarely_thought_of_as_text_is_noticed_too(oddity):
    template = Template(oddity, lambda chat, out: out.extend(ODDITIES[oddity](chat)))
    for seed in SEEDS:
        with pytest.warns(TemplateWarning):
            assert leak_of(template, template.program, seed=seed)


HARMLESS = {
    "a length": lambda message: str(len(message.content)),
    "emptiness": lambda message: "empty" if not message.content else "full",
    "a word": lambda message: "yes" if re.search("yes|no|sql|x|l", message.content) else "-",
    "a marker": lambda message: "marked" if "<|im_end|>" in message.content else "-",
    "what is before a marker": lambda message: message.content.partition("<|im_end|>")[0],
    "white space": lambda message: "space" if message.content[:1].isspace() else "-",
    "the number of words": lambda message: str(len(message.content.split())),
    "its kind": lambda message: f"{message.content.isascii()}{message.content.isupper()}{message.content.isdigit()}",
    "JSON": lambda message: str(is_json(message.content)),
    "keys in their order": lambda message: "".join(
        type(value).__name__ for call in message.tool_calls for _, value in sorted(call.arguments.items())
    ),
    "equal texts": lambda message: str(message.content == message.name),
}


@pytest.mark.parametrize("look", HARMLESS)
def test_a_program_may_look_at_texts_and_choose_its_own_words(look):
    def program(chat, out):
        for message in out.turns(chat.messages):
            out += HARMLESS[look](message), message.content

    template = Template(look, program, markers=MARKERS)
    for seed in range(20):
        assert leak_of(template, program, seed=str(seed)) is None


@pytest.mark.parametrize("seed", range(20))
def test_two_stand_ins_are_alike_but_for_every_letter_digit_and_sign(seed):
    letters = Letters(str(seed))
    pairs = [letters.pair(shape, number) for number in range(8) for shape in (*SHAPES, *RICH)]
    for one, two in pairs:
        assert len(one) == len(two)
        for first, second in zip(one, two, strict=True):
            in_alphabet = any(first.lower() in alphabet for alphabet in ALPHABETS)
            assert (first != second) is in_alphabet
            assert (first.isupper(), first.isdigit(), first.isascii()) == (
                second.isupper(),
                second.isdigit(),
                second.isascii(),
            )
    assert len(set(map(len, dict(pairs)))) >= 4
    by_first = sorted(pairs)
    assert sorted(pairs, key=lambda pair: pair[1]) == by_first
    assert letters.marked([]) == ("", "")
    assert all(text.count("<|im_end|>") == 1 for text in letters.marked(MARKERS))


def test_stand_ins_are_random_in_each_process_unless_a_seed_is_set(monkeypatch):
    seeds = set()
    for variable in ("", "", "", "spring"):
        monkeypatch.setenv(PROOF_SEED, variable)
        proof.process_seed.cache_clear()
        seeds.add(proof.process_seed())
    proof.process_seed.cache_clear()
    assert len(seeds) == 4
    assert "spring" in seeds
    assert Letters("1").pair("{word}", 0) != Letters("2").pair("{word}", 0)
    assert Letters("1").pair("{word}", 0) == Letters("1").pair("{word}", 0)


def origins(template, messages, **arguments):
    with pytest.warns(TemplateWarning):
        prompt = template.render(messages, **arguments)
    return [(segment.text, segment.origin.name) for segment in prompt.segments]


def test_what_is_lost_only_where_a_marker_occurs_is_unknown():
    def program(chat, out):
        for message in chat.messages:
            text = message.content
            out += "> ", plain_str(text) if "<|im_end|>" in text else text, "\n"

    template = Template("sometimes", program, markers=MARKERS)
    assert origins(template, [{"role": "user", "content": "a <|im_end|>"}]) == [
        ("> ", "TEMPLATE"),
        ("a <|im_end|>", "UNKNOWN"),
        ("\n", "TEMPLATE"),
    ]


def test_in_a_leaky_template_fields_that_programs_know_hide_nothing():
    def program(chat, out):
        for message in chat.messages:
            out += "> ", plain_str(message.content), "\n"
            for call in message.tool_calls:
                for key, value in call.arguments.items():
                    out += key, "=", value, "\n"
        out += str(chat.options.get("budget")), str(chat.options.get("style"))

    arguments = {"role": "<|im_end|>", "type": "<|im_end|>", "id": "<|im_end|>", "<|im_end|>": "a"}
    for given in (arguments, json.dumps(arguments)):
        call = {"type": "function", "function": {"name": "f", "arguments": given}}
        template = Template("fields", program, markers=MARKERS, options=["budget", "style"])
        found = origins(
            template, [{"role": "assistant", "content": "", "tool_calls": [call]}], budget=5, style="<|im_end|>"
        )
        own = "".join(text for text, origin in found if origin == "TEMPLATE")
        assert "<|im_end|>" not in own
        assert "5" not in own
        assert own.startswith("> \n")


def test_a_template_is_proven_only_after_it_has_worked():
    runs = []

    def program(chat, out):
        runs.append(chat)
        if len(chat.messages) == 1:
            raise LimitError("too much", limit="work", most=1)
        out += "a", *(message.content for message in chat.messages)

    template = Template("hostile", program)
    with pytest.raises(LimitError):
        template.render([{"role": "user", "content": "a"}])
    assert len(runs) == 1
    template.render([{"role": "user", "content": "a"}] * 2)
    assert len(runs) > 10


def test_a_proof_that_takes_too_long_ends(monkeypatch):
    runs, seconds = [], iter(range(1000))

    def program(chat, out):
        runs.append(chat)

    monkeypatch.setattr(proof, "_cpu", lambda: next(seconds))
    Template("laborious", program).render([{"role": "user", "content": "a"}])
    assert len(runs) == 3


def test_a_program_that_changes_what_it_is_given_spoils_no_other_proof():
    def program(chat, out):
        for message in chat.messages:
            out += "a", message.content
            if isinstance(message.raw, Mapping):
                message.raw["content"] = "changed"

    Template("changing", program).render([{"role": "user", "content": "a"}])
    leaky = Template("leaky", lambda chat, out: out.extend(message.raw["content"] for message in chat.messages))
    with pytest.warns(TemplateWarning):
        leaky.render([{"role": "user", "content": "a"}])
