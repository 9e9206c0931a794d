"""Random conversations, put to a template of ours and to its maker's own.

    differential.check("Qwen--Qwen2.5-3B-Instruct", template)

Needs `../shared`, where the makers' templates are, and jinja2; a test that uses it is skipped if either is missing.
"""

import importlib
import json
import re
import sys
from contextlib import suppress
from functools import cache, partial

import pytest
from goldens import THE_DAY
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shared import SHARED

from lect import LectError, RefusedError

REFERENCE = SHARED / "oracles/reference.py"
WRITTEN_ANYWAY = ("Cannot pass both content and thinking",)
"""How makers' templates refuse what their own models write: ours follows the maker's guide to the format (gpt-oss)."""
OF_OTHER_FORMATS = [
    "<|im_start|>", "<|im_end|>\n", "<s>", "</s>", "[INST]", "[/INST]", "<<SYS>>", "<|eot_id|>", "<think>", "</think>",
    "<think>\n\n</think>\n\n", "<tool_call>", "</tool_call>", "<tool_response>", "<|user|>", "<|end|>",
    "<start_of_turn>", "{{ x }}", "{% raw %}", "{%- if", '{"a": 1}', "None",
]  # fmt: skip
SPELLINGS = [
    ("image", "image_url", "input_image"),
    ("audio", "audio_url", "input_audio"),
    ("video", "video_url"),
]
"""The types of parts that mean the same thing."""
STAND_IN = "a-stand-in.bin"
"""What a part that is respelled holds."""
WHITE_SPACE = ["", " ", "\n", "\n\n", "\t", "\r\n", "\u00a0", "\u3000", "\x1c", "\u200b"]
NAMES = ["get_weather", "calculate", "brave_search", "code_interpreter", "naïve", 'a"b']


def reference():
    """Return the module that renders a maker's template, or skip the test if it is not available."""
    return shared_module("reference")


@cache
def shared_module(name):
    if not REFERENCE.exists():
        pytest.skip("the makers' templates are not available: ../shared is missing")
    pytest.importorskip("jinja2", reason="the makers' templates are Jinja; jinja2 is not installed")
    for folder in (SHARED / "oracles", SHARED / "tools"):
        if str(folder) not in sys.path:
            sys.path.append(str(folder))
    return importlib.import_module(name)


def texts(markers=()):
    """Return texts such as people and models write, and odd ones: white space at the ends, markers and what looks like
    them, any characters."""
    words = ["Hello!", *markers, *OF_OTHER_FORMATS, "你好🎉"]
    # Built beforehand, because these tests spend nearly all their time drawing.
    pool = ["Hello!", *WHITE_SPACE]
    for number, word in enumerate(words):
        for before, after in zip(WHITE_SPACE, reversed(WHITE_SPACE), strict=True):
            pool += [before + word + after, before + words[number - 1] + after + word + before]
    return st.sampled_from(pool) | st.text(max_size=5)


# Cached, because hypothesis inspects every new strategy before it draws from it.
@cache
def values(text):
    """Return values that JSON can hold."""
    scalars = text | st.integers(-999, 999) | st.booleans() | st.none() | st.sampled_from([0.5, -2.0, 1e30])
    return scalars | st.lists(scalars, max_size=2) | st.dictionaries(text, scalars, max_size=2)


def tools(text):
    """Return lists of tool schemas."""
    properties = st.fixed_dictionaries(
        {"type": st.sampled_from(["string", "integer", "boolean", "array", "object"])},
        optional={"description": text, "enum": st.lists(text, min_size=1, max_size=2), "default": values(text)},
    )
    parameters = st.fixed_dictionaries(
        {
            "type": st.just("object"),
            "properties": st.dictionaries(st.sampled_from(["location", "unit", "数"]), properties, max_size=2),
        },
        optional={"required": st.just(["location"])},
    )
    function = st.fixed_dictionaries({"name": st.sampled_from(NAMES), "description": text, "parameters": parameters})
    return st.lists(st.fixed_dictionaries({"type": st.just("function"), "function": function}), min_size=1, max_size=2)


@cache
def contents(text, *, parts):
    """Return the contents of messages: texts, and with `parts` also lists with images in them."""
    if not parts:
        return text
    image = st.sampled_from(
        [{"type": "image"}, {"type": "image"}, {"type": "image_url", "image_url": {"url": "http://example.com/a.jpg"}}]
    )
    listed = st.lists(image | text.map(lambda words: {"type": "text", "text": words}), max_size=3)
    # Not `text | listed`: that would choose a list as rarely as any one of the many kinds of text.
    return st.booleans().flatmap(lambda plain: text if plain else listed)


@cache
def functions(text):
    """Return the functions of calls: a name, and arguments as a mapping or as text."""
    arguments = st.dictionaries(st.sampled_from(["location", "n", "数"]), values(text), max_size=2)
    # As clients send them: a mapping, or its JSON text, which some formats write as it is.
    written = arguments.map(partial(json.dumps, separators=(",", ":"))) | st.just('{"n":1e5}')
    return st.fixed_dictionaries({"name": st.sampled_from(NAMES), "arguments": arguments | written})


@st.composite
def answers(draw, text, *, calls):
    """Return what an assistant says, with reasoning and calls or without, and the results of its calls."""
    message = {"role": "assistant", "content": draw(text)}
    if draw(st.integers(0, 3)) == 0:
        message["reasoning_content"] = draw(text)
    if not calls or draw(st.booleans()):
        return [message]
    # Most makers allow one call; those that check ids require nine characters.
    count = draw(st.sampled_from([1, 1, 1, 2, 3, 0]))
    ids = [f"call{draw(st.integers(0, 99999)):05}" for _ in range(count)]
    function = functions(text)
    message["tool_calls"] = [{"id": call_id, "type": "function", "function": draw(function)} for call_id in ids]
    if draw(st.booleans()):
        message["content"] = draw(st.sampled_from(["", None]))
    return [
        message,
        *({"role": "tool", "tool_call_id": call_id, "name": "get_weather", "content": draw(text)} for call_id in ids),
    ]


@st.composite
def rounds(draw, text, *, parts, calls):
    """Return a conversation in good order: perhaps a system text, then questions and answers, ending anywhere."""
    messages = [{"role": "system", "content": draw(text)}] if draw(st.booleans()) else []
    question, answer = contents(text, parts=parts), answers(text, calls=calls)
    for _ in range(draw(st.integers(0, 2))):
        messages += [{"role": "user", "content": draw(question)}, *draw(answer)]
        if messages[-1]["role"] == "tool" and draw(st.booleans()):
            messages.append({"role": "assistant", "content": draw(text)})
    return messages if messages and draw(st.booleans()) else [*messages, {"role": "user", "content": draw(question)}]


@st.composite
def disorder(draw, text, *, parts, calls):
    """Return a conversation in any order, however wrong."""
    role = st.sampled_from(["system", "user", "assistant", "developer", *(["tool"] if calls else [])])
    return draw(
        st.lists(
            st.builds(lambda role, content: {"role": role, "content": content}, role, contents(text, parts=parts)),
            max_size=4,
        )
    )


def conversations(text, *, parts=False, calls=True, disorderly=True):
    """Return lists of messages: three quarters in good order, or all if not `disorderly`."""
    in_order = rounds(text, parts=parts, calls=calls)
    if not disorderly:
        return in_order
    return st.integers(0, 3).flatmap(lambda quarter: in_order if quarter else disorder(text, parts=parts, calls=calls))


@cache
def accepts(slug):
    """Return what a maker's template takes as it is given, by an independent reading of that template."""
    return shared_module("put_right").takes_of(
        maker_source(slug), lambda messages, tools: reference().render(slug, messages, tools, True)
    )


def maker_source(slug):
    """Return the text of a maker's template, or skip the test; the later ones are in a folder of their own."""
    reference()
    files = (SHARED / f"oracles/{folder}/{slug}.jinja" for folder in ("jinja", "more/jinja", "autumn/revisions"))
    return next(file.read_text("utf-8") for file in files if file.exists())


def add_revisions():
    """Let `reference` also render the dated texts of makers that are in neither of its folders; return it."""
    module = reference()
    known = {maker_source(slug).removesuffix("\n") for slug in module.MORE | module.INDEX}
    for entry in json.loads((SHARED / "oracles/autumn/revisions/index.json").read_text("utf-8")):
        if entry["maker_text"] and maker_source(entry["slug"]).removesuffix("\n") not in known:
            module.MORE[entry["slug"]] = {"confidence": "medium", "family": None, **entry}
    module.compiled = cache(lambda slug: module.ENVIRONMENT.from_string(maker_source(slug)))
    return module


def entries():
    """Return what is known of each maker's template, by its slug; nothing where they are not available."""
    return reference().INDEX | reference().MORE if REFERENCE.exists() else {}


def own_template(slug):
    """Return a maker's template, loaded as from a tokenizer's configuration."""
    import lect_jinja

    source = maker_source(slug)  # It skips the test where there is none.
    named = entries()[slug]["special_tokens"] or {}
    tokens = {name: value for name, value in named.items() if isinstance(value, str)}
    return lect_jinja.load({"chat_template": source, **tokens}, name=slug)


def normalize(slug, messages):
    """Return the messages as the maker's template must get them: normalized, by an independent implementation."""
    takes = accepts(slug)
    right = shared_module("put_right").put_right(without_nulls(respelled(maker_source(slug), messages)), *takes)
    return in_parts(slug, [with_argument_text(message) for message in right] if takes[1] else right)


def in_parts(slug, messages):
    """Return the messages with each text as a part where the maker's template leaves out any other."""
    return [as_part(message) for message in messages] if reads_only_parts(slug) else messages


@cache
def reads_only_parts(slug):
    """Return whether a maker's template writes a text only where it is a part: servers then make it one."""
    said, contents = "Hello!", ("Hello!", [{"type": "text", "text": "Hello!"}])
    return [said in written(slug, [{"role": "user", "content": each}]) for each in contents] == [False, True]


def written(slug, messages):
    """Return what a maker's template makes of messages; nothing where it refuses or crashes, in whatever way."""
    try:
        return reference().render(slug, messages)
    except Exception:
        return ""


def as_part(message):
    """Return a message whose text is its only part."""
    content = message.get("content") if isinstance(message, dict) else None
    return {**message, "content": [{"type": "text", "text": content}]} if isinstance(content, str) else message


def with_argument_text(message):
    """Return a message with the arguments of its calls as JSON text, for a template that takes nothing else."""
    calls = message.get("tool_calls") if isinstance(message, dict) else None
    if not isinstance(calls, list):
        return message
    return {**message, "tool_calls": [argument_text(call) for call in calls]}


def argument_text(call):
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict) or not isinstance(function.get("arguments"), dict):
        return call
    text = json.dumps(function["arguments"], ensure_ascii=False)
    return {**call, "function": {**function, "arguments": text}}


def without_nulls(messages):
    """Drop the fields of messages that are null, as transformers does from 5.23 on: content is another matter."""
    return [
        {name: value for name, value in each.items() if value is not None or name == "content"} for each in messages
    ]


def respelled(source, messages):
    """Return messages whose pictures, sounds and films are spelled as a template, given as text, names them."""
    named = {each for spellings in SPELLINGS for each in spellings if re.search(f"['\"]{each}['\"]", source)}

    def part_of(part):
        kind = part.get("type") if isinstance(part, dict) else None
        others = next((each for each in SPELLINGS if kind in each), ())
        wanted = next((each for each in others if each in named), kind)
        return part if kind in named or wanted == kind else {"type": wanted, wanted: STAND_IN}

    return [
        {**message, "content": list(map(part_of, message["content"]))}
        if isinstance(message, dict) and isinstance(message.get("content"), list)
        else message
        for message in messages
    ]


def check(slug, template, *, parts=False, calls=True, disorderly=True, options=None, max_examples=100):
    """Assert that a template gives what its maker's does, on random conversations.

    Args:
        slug: The name of the maker's template in the index of the oracles.
        template: Ours.
        parts: Whether contents may be lists of parts.
        calls: Whether there may be tools, calls and results.
        disorderly: Whether messages may be in any order.
        options: Strategies for the values of the maker's options, by name; each is given or left out at random.
        max_examples: How many conversations to try, each with a generation prompt and without.
    """
    reference()
    text = texts(template.markers)
    arguments = {
        "messages": conversations(text, parts=parts, calls=calls, disorderly=disorderly),
        "tools": st.none() | tools(text) if calls else st.none(),
        "options": st.fixed_dictionaries({}, optional=options or {}),
    }

    @settings(
        max_examples=max_examples,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    @given(**arguments)
    def is_equal(messages, tools, options):
        for add_generation_prompt in (False, True):
            compare(slug, template, messages, tools=tools, add_generation_prompt=add_generation_prompt, **options)

    is_equal()


def compare(slug, template, messages, **arguments):
    """Assert that both give the same text; that ours refuses exactly what the maker's does; that ours fails with a
    clear error, if at all, where the maker's crashes."""
    maker = reference()
    from jinja2.exceptions import TemplateError

    ours = {"date": THE_DAY, **arguments} if "date" in template.options else arguments
    try:
        expected = maker.render(slug, normalize(slug, messages), **arguments)
    # A template may crash in any way.
    except Exception as error:
        # What a template raises on purpose is of exactly this type; accidents are of other types.
        if type(error) is TemplateError and not str(error).startswith(WRITTEN_ANYWAY):
            with pytest.raises(RefusedError):
                template.text(messages, **ours)
            with pytest.raises(RefusedError):
                template.render(messages, **ours)
        else:
            with suppress(LectError):
                template.text(messages, **ours)
            with suppress(LectError):
                template.render(messages, **ours)
        return
    if STAND_IN in expected:
        return  # It prints parts as they are, and a family's program as they were given.
    assert template.text(messages, **ours) == expected
    rendered = template.render(messages, **ours)
    assert rendered.text == expected
    assert "".join(segment.text for segment in rendered.segments) == expected
