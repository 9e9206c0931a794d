"""The engine of `lect-jinja` compared with Jinja2 itself, on the templates that makers publish.

An ordinary run tries one template in eight, those whose turn it is at this commit, with a few conversations of the
battery, different ones for each; `LECT_FULL=1` tries every template, and `LECT_STRESS=1` each with all conversations.
"""

from datetime import datetime

import differential
import goldens
import pytest
from differential import own_template
from sampling import STRESS, in_turn
from shared import SHARED

import lect
from lect import LectError, LimitError, Origin, RefusedError

ORACLES = SHARED / "oracles"
if not ORACLES.exists():
    pytest.skip("the makers' templates are not available: ../shared is missing", allow_module_level=True)

INDEX = differential.reference().INDEX
SLUGS = list(INDEX)
ENTRIES = differential.entries()
NATIVE = goldens.native_models()
THE_MOMENT = datetime(2024, 7, 26, 12)
EVERY = 1 if STRESS else 10
"""One in this many conversations is tried."""
REWRITTEN = {
    "Qwen--Qwen3-8B--training": "takes the reasoning out of a content and writes the tags itself",
    "Qwen--Qwen3.5-0.8B--training": "the same",
    "Qwen--Qwen3.5-27B--training": "the same",
    "openbmb--MiniCPM5-2B": "the same",
    "tiiuae--falcon-7b-instruct": "replaces line ends in a content",
}
"""Templates that rewrite some contents, and happen to write the same characters."""
PUNCTUATION = {
    "deepcogito--cogito-v1-preview-llama-3B": "it writes a whole call as JSON: to the family the name and the arguments are the call's",
    "CohereLabs--command-a-reasoning-08-2025": "it writes a result letter by letter, as JSON: to the family all of that is the result",
    "LiquidAI--LFM2.5-VL-450M": "it writes a part that is neither text nor image as JSON: to the family all of that is the part",
    "mistralai--Mistral-7B-Instruct-v0.3": "it writes a function as JSON: to the family the braces round it are the template's",
    "mistralai--Mistral-Nemo-Instruct-2407--e4676cb5": "the same",
}
"""Formats whose JSON punctuation belongs to the template for one side and to the message for the other."""

LABORIOUS = {
    "RekaAI--reka-edge-2603": "it puts all of its prompt together before it writes it",
    "google--gemma-4-31B-it--tool_use": "it looks back at earlier messages for each",
}
"""Templates whose work grows faster than the number of messages."""
NOT_REPLACED = {
    "microsoft--Phi-4-reasoning": "it leaves out a system text that is given, and writes its own",
    "microsoft--Phi-4-mini-reasoning": "it writes its own before one that is given",
    "nvidia--Llama3-ChatQA-1.5-8B": "it writes its own beside one that is given",
    "allenai--Olmo-3-7B-Think--open-instruct-olmo_thinker": "it says more where none is given than the system text",
}
"""Formats whose family states a default system text that cannot be detected."""


def cases(slug):
    """Yield the conversations that a template is tried with, as arguments of `render`."""
    first = list(ENTRIES).index(slug)
    for number, case in enumerate(goldens.battery().values()):
        if (number + first) % EVERY == 0:
            keys = ("messages", "tools", "add_generation_prompt")
            yield {key: case.get(key) for key in keys}


def asked(template, arguments, way):
    """Return what a template gives, or the error that it raises."""
    clock = {"date": THE_MOMENT} if "date" in template.options else {}
    try:
        return getattr(template, way)(**arguments, **clock)
    except LectError as error:
        return error


def expected(slug, arguments):
    """Return what Jinja2 gives for the same arguments, or the error that it raises."""
    messages = differential.normalize(slug, arguments["messages"])
    try:
        return differential.reference().render(slug, **{**arguments, "messages": messages})
    # A template may crash in any way.
    except Exception as error:
        return error


def characters(prompt):
    """Return for each character of a prompt the field and the offset that it came from."""
    return [
        (segment.path, segment.start + place if segment.start >= 0 else -1)
        for segment in prompt.segments
        for place in range(len(segment.text))
    ]


def contents(template, messages):
    """Yield each message text of four or more characters, stripped, as `(field, offset, text)`."""
    for index, message in enumerate(messages):
        content = message.get("content")
        if isinstance(content, str):
            texts = [(("messages", index, "content"), content)]
        elif "parts" in template.accepts or len(content or ()) == 1:
            parts = [(place, part.get("text")) for place, part in enumerate(content or ())]
            texts = [(("messages", index, "content", place, "text"), text) for place, text in parts if text]
        else:
            # Parts are joined before a template sees them: one text, without an offset.
            texts = []
        for path, text in texts:
            stripped = text.strip()
            if len(stripped) >= 4:
                yield path, text.index(stripped), stripped


def is_found(text, fields, path, start, content):
    """Return whether one occurrence of a content in the prompt is traced to that content, or to the same words in
    another message."""
    wanted = [(path, start + offset) for offset in range(len(content))]
    at = text.find(content)
    while at >= 0:
        there = fields[at : at + len(content)]
        if there == wanted or all(field[:1] == ("messages",) and field[1] != path[1] for field, _ in there):
            return True
        at = text.find(content, at + 1)
    return False


def test_the_makers_templates_are_here():
    assert len(SLUGS) == 472
    assert NATIVE.keys() <= ENTRIES.keys()


@pytest.mark.parametrize("slug", in_turn(SLUGS, 8))
def test_a_template_writes_what_jinja2_writes_and_knows_where_it_came_from(slug):
    template = own_template(slug)
    assert (
        ("parts" in template.accepts),
        ("argument_text" in template.accepts),
        ("null" in template.accepts),
    ) == differential.accepts(slug)
    for arguments in cases(slug):
        wanted = expected(slug, arguments)
        prompt = asked(template, arguments, "render")
        text = asked(template, arguments, "text")
        if isinstance(wanted, Exception):
            kind = RefusedError if type(wanted).__name__ == "TemplateError" else LectError
            assert isinstance(prompt, kind), wanted
            assert isinstance(text, kind), wanted
            continue
        assert text == wanted
        assert str(prompt) == wanted
        assert "".join(segment.text for segment in prompt.segments) == wanted
        check_origins(template, arguments, prompt)


def check_origins(template, arguments, prompt):
    """Assert that offsets are right, and that contents in the prompt are traced to their fields."""
    for segment in prompt.segments:
        assert segment.origin is not Origin.UNKNOWN, segment
        if segment.start >= 0:
            field = arguments
            for step in segment.path:
                field = field[step]
            assert field[segment.start :].startswith(segment.text), segment
    fields = characters(prompt)
    standing = {}
    for path, start, content in contents(template, arguments["messages"]):
        if content in prompt.text:
            standing.setdefault(content, []).append(is_found(prompt.text, fields, path, start, content))
    lost = [content for content, found in standing.items() if not any(found)]
    assert not lost or template.name in REWRITTEN, lost


def message_text(prompt):
    """Return the segment of each character of message text in a prompt, by position; roles excepted."""
    place, found = 0, {}
    for segment in prompt.segments:
        for _ in segment.text:
            if segment.path[:1] == ("messages",) and segment.path[2:3] != ("role",):
                found[place] = segment
            place += 1
    return found


def same_field(one, other):
    """Return whether two paths lead to the same field; a value in arguments counts as all of the arguments."""
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]


@pytest.mark.parametrize("slug", in_turn(NATIVE, 8))
def test_the_familys_program_and_the_makers_template_name_the_same_fields(slug):
    own, family = own_template(slug), lect.resolve(NATIVE[slug]).template
    compared = 0
    for arguments in cases(slug):
        prompt, other = asked(own, arguments, "render"), asked(family, arguments, "render")
        if isinstance(prompt, LectError) or isinstance(other, LectError) or prompt.text != other.text:
            continue
        compared += 1
        ours, theirs = message_text(prompt), message_text(other)
        for place in ours.keys() & theirs.keys():
            assert same_field(ours[place].path, theirs[place].path), (ours[place], theirs[place])
            if ours[place].start >= 0 and theirs[place].start >= 0:
                assert ours[place].path == theirs[place].path
        one_only = [(ours.get(place), theirs.get(place)) for place in sorted(ours.keys() ^ theirs.keys())]
        assert one_only == [] or slug in PUNCTUATION, one_only[:3]
    assert compared or not STRESS


@pytest.mark.parametrize("slug", in_turn(NATIVE, 8))
def test_the_default_system_text_is_the_one_that_the_family_states(slug):
    stated = "" if slug in NOT_REPLACED else lect.resolve(NATIVE[slug]).template.default_system
    assert own_template(slug).default_system == stated


@pytest.mark.parametrize("slug", SLUGS if STRESS else LABORIOUS)
def test_two_thousand_messages_are_within_the_limits(slug):
    template = own_template(slug)
    chat = [{"role": ("user", "assistant")[turn % 2], "content": "word " * 200} for turn in range(2000)]
    call = {"id": "call00001", "type": "function", "function": {"name": "add", "arguments": {"a": 1}}}
    task = [
        {"role": "user", "content": "What is 1 + 1?"},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call00001", "name": "add", "content": "2"},
        {"role": "assistant", "content": "Two."},
    ]
    for messages in (chat, task * 500):
        for way in ("text", "render") if STRESS else ("text",):
            assert not isinstance(asked(template, {"messages": messages}, way), LimitError)
