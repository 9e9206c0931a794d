"""No text of the caller's is ever taken for the template's own, and none is lost silently: tested with texts that no
template could write."""

import json
import re
from contextlib import suppress
from copy import deepcopy
from functools import cache, lru_cache, partial

import hostile
import pytest
from goldens import battery
from revisions import default
from sampling import in_turn, some

from lect import Origin, RefusedError, UnusedInputError
from lect.prompt.proof import leak_of

WORDS = re.compile(r"(\s+|</?think>)")
FOREIGN = re.compile(r"[\ue000-\uf8ff]|\\ue[0-9a-f]{3}")
"""A private-use character, also as JSON and Python escape it."""

KEYWORDS = {
    "type", "function", "name", "description", "parameters", "properties", "required", "enum", "items", "oneOf",
    "default", "nullable", "response",
}  # fmt: skip
"""The keys of a schema that formats depend on; all others are replaced."""
RICH = {
    "type": "function",
    "function": {
        "name": "plan",
        "description": "Plan a journey.",
        "parameters": {
            "type": "object",
            "properties": {
                "stops": {
                    "type": "array",
                    "description": "Where to stop",
                    "items": {"type": "object", "properties": {"town": {"type": "string"}}},
                },
                "names": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "nullable": True},
                "mood": {
                    "oneOf": [{"type": "string", "description": "In a word", "default": "merry"}, {"type": "number"}],
                    "default": "calm",
                },
                "pace": {"type": "string", "enum": ["slow", "fast"], "default": "slow", "extra": "odd"},
                "party": {
                    "type": "object",
                    "properties": {"size": {"type": "integer", "default": 2}},
                    "required": ["size"],
                },
                "either": {"type": ["string", "null"], "default": "none"},
                "bare": {"type": "object", "where": {"type": "string", "description": "Beside the type"}},
            },
            "required": ["stops", "pace"],
            "extra": {"odd": "even"},
        },
        "response": {"type": "object", "description": "The plan"},
        "extra": "odd",
    },
    "extra": "odd",
}
"""A tool with everything that a schema may have, added to those of the battery."""

IDS = ("messages",)
"""The path of ids, which occur in several messages and are not counted."""
TEXT_OPTIONS = ("date_string", "model_identity")
"""Options whose text is written into the prompt, whatever it is."""
PART_KEYS = ("text", "image", "image_url", "url")
PICKS = {
    "tools": [
        "command-a-reasoning", "gemma-4", "glm-5.1", "gpt-oss", "internlm2-chat", "internlm3-instruct",
        "mistral-nemo", "mistral-v3", "qwen3-coder", "minimax-m2", "minimax-m2.1", "minimax-m2.5", "minimax-m2.7",
        "minimax-m3", "nemotron-nano-v2", "nemotron-3", "nemotron-3.5", "nemotron-3-omni", "nemotron-3-super", "nemotron-3-ultra",
        "nemotron-super-v1.5",
        "hermes-2-pro", "hermes-2-pro-mistral", "hermes-3", "glm-4-0414",
        "glm-5.2", "glm-5.3", "deepseek-v3.2", "gemma-4-31b", "seed-oss", "apertus", "deepseek-v4",
        "deepseek-v4-flash-0731", "deepseek-v4-pro-0813", "deepseek-v4.1-flash", "glm-5.3-flash", "minicpm3", "muse-glimmer", "solar-open",
        "gigachat-3", "gigachat-3.1", "inkling", "north-mini-code", "spark-x2.5",
    ],
    "documents": ["granite-3.1", "granite-3.2", "granite-3.3"],
}  # fmt: skip
"""Formats that write only those fields of a tool or a document that they know."""
BY_ID = ["kimi-k2-thinking", "kimi-k2.5"]
"""Formats that write the id of a call instead of its name: the ids of their models contain the names."""


class Sentinels:
    """Replaces texts by characters that no template could write, and remembers the field of each.

    Every replacement is one character nine times: as long as the ids that some models require.
    """

    def __init__(self):
        self.path_of = {}

    def new(self, *path):
        letter = chr(0xE000 + len(self.path_of))
        self.path_of[letter] = path
        return letter * 9

    def words(self, text, *path):
        """Replace the words of a text; white space and thought tags stay, because formats depend on them."""
        return "".join(word if not word or WORDS.fullmatch(word) else self.new(*path) for word in WORDS.split(text))

    def value(self, value, *path, keys=(), fixed=(), known=None):
        """Replace all texts of a value, including its keys. A repeated text gets the same replacement, as names in a
        schema must.

        Args:
            value: The value.
            path: The field that it is from.
            keys: Keys that stay.
            fixed: Keys that stay together with their values.
            known: Earlier replacements.
        """
        known = {} if known is None else known
        if isinstance(value, str):
            if value not in known:
                known[value] = self.new(*path)
            return known[value]
        if isinstance(value, list):
            return [self.value(item, *path, keys=keys, fixed=fixed, known=known) for item in value]
        if isinstance(value, dict):
            replaced = {}
            for key, item in value.items():
                new_key = key if key in keys or key in fixed else self.value(key, *path, known=known)
                replaced[new_key] = (
                    item if key in fixed else self.value(item, *path, keys=keys, fixed=fixed, known=known)
                )
            return replaced
        return value

    def message(self, message, index, ids, *, as_text):
        """Replace all texts of a message, in place."""
        where = ("messages", index)
        content = message["content"]
        if isinstance(content, str):
            message["content"] = self.words(content, *where, "content")
        else:
            parts = enumerate({"image": "a.jpg", **part} if part["type"] == "image" else part for part in content)
            message["content"] = [
                self.value(part, *where, "content", place, keys=PART_KEYS, fixed=("type",)) for place, part in parts
            ]
        for name in ("reasoning_content", "name"):
            if name in message:
                message[name] = self.words(message[name], *where, name)
        if "tool_call_id" in message:
            message["tool_call_id"] = self.value(message["tool_call_id"], *IDS, known=ids)
        for place, call in enumerate(message.get("tool_calls", ())):
            path = (*where, "tool_calls", place, "function")
            arguments = self.value(call["function"]["arguments"], *path, "arguments")
            call["id"] = self.value(call["id"], *IDS, known=ids)
            call["function"] = {
                "name": self.new(*path, "name"),
                "arguments": json.dumps(arguments, ensure_ascii=False) if as_text else arguments,
            }

    def extras(self, message, index):
        """Add the fields that only one family knows, in place."""
        where = ("messages", index)
        message["metadata"] = self.new(*where, "metadata")
        message["tool_plan"] = self.new(*where, "tool_plan")
        message["tools"] = [self.value(RICH, *where, "tools", keys=KEYWORDS, fixed=("type",))]
        message["tool_responses"] = [
            {"name": self.new(*where, "tool_responses"), "response": {self.new(*where, "tool_responses"): 1}}
        ]
        for place, call in enumerate(message.get("tool_calls", ())):
            call["function"]["content_type"] = self.new(*where, "tool_calls", place)


@cache
def foreign(name, options="{}", *, types=True, as_text=False, extras=False):
    """Return a conversation of the battery as arguments of `render` with every text of the caller's replaced, and the
    replacements.

    Args:
        name: The conversation.
        options: Options of the template, as JSON, so that templates with the same options share the result.
        types: Whether the types in schemas stay, which decide how a format describes a parameter.
        as_text: Whether the arguments of calls are given as JSON text, as servers do.
        extras: Whether messages also have the fields that only one family knows.
    """
    case, options, given, ids = battery()[name], json.loads(options), Sentinels(), {}
    messages = deepcopy(case["messages"])
    for index, message in enumerate(messages):
        given.message(message, index, ids, as_text=as_text)
        if extras:
            given.extras(message, index)
    tools = [*case["tools"], RICH] if case["tools"] else None
    if tools:
        fixed = ("type",) if types else ()
        tools = [given.value(tool, "tools", index, keys=KEYWORDS, fixed=fixed) for index, tool in enumerate(tools)]
    if "documents" in options:
        documents = [{**document, "extra": "odd"} for document in options["documents"]]
        documents = [
            given.value(document, "documents", index, keys=hostile.DOCUMENTS[0])
            for index, document in enumerate(documents)
        ]
        options = {**options, "documents": documents}
    options = {name: given.new("options", name) if name in TEXT_OPTIONS else value for name, value in options.items()}
    return {
        "messages": messages,
        "tools": tools,
        "add_generation_prompt": case["add_generation_prompt"],
        **options,
    }, given


def requests(template, *, extras):
    """Yield every conversation for a template, with its texts replaced, as a function that returns arguments and
    replacements."""
    for name, case in battery().items():
        for options in hostile.options_of(template):
            yield partial(foreign, name, json.dumps(options))
        if case["tools"]:
            yield partial(foreign, name, types=False)
            yield partial(foreign, name, as_text=True)
        if extras:
            yield partial(foreign, name, extras=True)
            texts = dict.fromkeys(sorted(set(template.options).intersection(TEXT_OPTIONS)))
            yield partial(foreign, name, json.dumps(texts))


@lru_cache(maxsize=2)  # the tests of one template come one after another
def renderings(template, *, extras=False):
    """Return each request with its rendering, unless refused; with `extras`, also those with fields and options that
    only one family knows, which are not counted."""
    made = []
    for make in some(requests(template, extras=extras), seed=template.name):
        arguments, given = make()
        with suppress(RefusedError):
            made.append((arguments, given, template.render(**arguments)))
    return made


def letters(text):
    """Return the foreign characters in a text, including escaped ones."""
    return {found if len(found) == 1 else chr(int(found[2:], 16)) for found in FOREIGN.findall(text)}


NAMES = in_turn(hostile.installed(), 3)
every_template = pytest.mark.parametrize(
    "template", [hostile.installed()[name] for name in NAMES], ids=NAMES, scope="module"
)


@every_template
def test_no_text_of_the_callers_is_taken_for_the_templates_own(template):
    for arguments, given, rendered in renderings(template, extras=True):
        for segment in rendered.segments:
            assert segment.origin is not Origin.UNKNOWN, segment
            found = letters(segment.text)
            assert not (segment.origin is Origin.TEMPLATE and found), segment
            assert all(hostile.related(segment.path, given.path_of[letter]) for letter in found), segment
        assert template.text(**arguments) == rendered.text


@every_template
def test_the_offset_of_a_text_is_its_position_in_its_field(template):
    for arguments, _, rendered in renderings(template, extras=True):
        for segment in rendered.segments:
            if segment.start >= 0:
                text = hostile.value_at({**arguments, "options": arguments}, segment.path)
                assert isinstance(text, str), segment
                assert text[segment.start :].startswith(segment.text), segment


def is_whole(template, arguments, field):
    """Say whether a format that writes something of a field writes all of it."""
    if field[0] in PICKS:
        return default(template) not in PICKS[field[0]]
    # Many formats keep only what follows a thought inside a text.
    return "</think>" not in str(hostile.value_at(arguments, field))


def is_medium(arguments, field):
    """Say whether a field is a part other than text: a prompt has only a placeholder for it."""
    return field[2:3] == ("content",) and len(field) == 4 and hostile.value_at(arguments, field)["type"] != "text"


def without(arguments, field):
    """Return arguments without a part."""
    *holder, place = field
    fewer = deepcopy(arguments)
    del hostile.value_at(fewer, holder)[place]
    return fewer


@every_template
def test_every_text_is_in_the_prompt_or_reported(template):
    for arguments, given, rendered in renderings(template):
        standing = letters(rendered.text)
        unused = {unused.path: unused.why for unused in rendered.unused}
        for field in set(given.path_of.values()) - {IDS}:
            of_field = {letter for letter, path in given.path_of.items() if path == field}
            if is_medium(arguments, field):
                assert field in unused or template.text(**without(arguments, field)) != rendered.text, field
            elif unused.get(field) == "by-rule":
                # It may be only the reasoning inside a content.
                assert not of_field <= standing, field
            elif field in unused:
                assert not of_field & standing, field
            elif is_whole(template, arguments, field):
                assert of_field <= standing or (template.name in BY_ID and field[-1] == "name"), field
            else:
                assert of_field & standing, field


@every_template
def test_text_of_the_callers_provably_keeps_its_origin(template):
    assert leak_of(template, template.program, template._sought()) is None


@every_template
def test_strict_refuses_what_is_reported_unless_it_is_left_out_by_rule(template):
    for arguments, _, rendered in renderings(template):
        dropped = tuple(unused for unused in rendered.unused if unused.why == "dropped")
        if not dropped:
            assert template.text(**arguments, strict=True) == rendered.text
            continue
        with pytest.raises(UnusedInputError) as caught:
            template.text(**arguments, strict=True)
        assert caught.value.unused == dropped
