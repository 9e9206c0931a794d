"""Every installed template: what it claims by `looks_for` is true, and plain conversations take the fast path."""

import sys
from functools import partial
from types import CodeType, FunctionType

import differential
import pytest
from differential import long_way
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sampling import few, one_a_style, some

import lect
from lect import LectError
from lect.plugin import Template, Turn, TurnTemplate
from lect.prompt.watched import stand_in


def installed():
    """Return every installed template as `plugin:name`, including those of a fallback."""
    adapters = [
        lect._registry.find(f"{plugin.package}:{plugin.name}") for plugin in lect.plugins(load=True) if plugin.package
    ]
    return {
        f"{adapter.name}:{name}": template
        for adapter in adapters
        for name, template in adapter.list_templates().items()
    }


TEMPLATES = installed()
PLAIN = ("u", "ua", "uau", "uaua", "su", "sua", "suau", "suauau" * 3)
ROLES = {"u": "user", "a": "assistant", "s": "system", "d": "developer", "t": "tool"}
TOOL = {
    "type": "function",
    "function": {"name": "look", "description": "Look.", "parameters": {"type": "object", "properties": {"at": {}}}},
}
REWRITES = "it rewrites texts, so there is nothing to fill in"
LONG_WAY = {
    "falcon:falcon-instruct": REWRITES,
    "fastchat:falcon": REWRITES,
    "fastchat:rwkv": REWRITES,
    "fastchat:yuan2": REWRITES,
}

ASCII = TurnTemplate("ascii", user=Turn("<u>", "</u>"), assistant=Turn("<a>", "</a>"))
WIDE = TurnTemplate("wide", user=Turn("<｜u｜>", "\n"), assistant=Turn("<｜a｜>", "\n"))
"""Neither has a place for a system text."""

every_template = pytest.mark.parametrize("name", one_a_style(TEMPLATES))


def constants(code):
    """Yield the strings in a function and in the functions defined inside it."""
    for constant in code.co_consts:
        if isinstance(constant, str):
            yield constant
        elif isinstance(constant, tuple):
            yield from (each for each in constant if isinstance(each, str))
        elif isinstance(constant, CodeType):
            yield from constants(constant)


def words_of(template):
    """Return the strings in a plugin's modules, and others that formats look for: a program may look for any."""
    program = template.program
    while isinstance(program, partial):
        program = program.func
    package = program.__module__.partition(".")[0]
    words = {*template.markers, *differential.OF_OTHER_FORMATS}
    for name, module in sys.modules.items():
        if package != "lect" and name.partition(".")[0] == package:
            for value in vars(module).values():
                if isinstance(value, FunctionType):
                    words.update(constants(value.__code__))
                elif isinstance(value, tuple):
                    words.update(each for each in value if isinstance(each, str))
                elif isinstance(value, str):
                    words.add(value)
    return sorted(word for word in words if 0 < len(word) < 40)


def conversation(roles, *texts):
    return [{"role": ROLES[letter], "content": texts[index % len(texts)]} for index, letter in enumerate(roles)]


def conversations(words):
    """Return a strategy for conversations of roles and texts, allowed by every format or not; texts may repeat."""
    roles = st.sampled_from([*PLAIN, "aua", "ususa", "uatata", "sduau"]) | st.text("uasdt", max_size=6)
    texts = st.lists(differential.texts(words) | st.sampled_from(words), min_size=1, max_size=5)
    return st.builds(lambda roles, texts: conversation(roles, *texts), roles, texts)


def views(template, messages, **arguments):
    """Return everything a template makes of a conversation, or its refusal."""
    try:
        text = template.text(messages, **arguments)
    except LectError as error:
        return type(error), str(error)
    rendered = template.render(messages, **arguments)
    return text, rendered.text, rendered.segments, rendered.unused, rendered.controls


def text_or_refusal(template, messages, **arguments):
    try:
        return template.text(messages, **arguments)
    except LectError as error:
        return type(error), str(error)


@every_template
def test_looks_for_names_every_word_that_changes_the_prompt(name):
    template = TEMPLATES[name]
    twin = long_way(template)
    for word in some([*words_of(template), *differential.WHITE_SPACE], seed=name):
        for text in (word, f"a{word}b", f" {word}\n", f"{word}a{word.replace('<', '</', 1)}"):
            for letter in "sua":
                for roles in ("suau", "suaua"):
                    messages = [
                        {"role": ROLES[each], "content": text if each == letter else f"text {index}"}
                        for index, each in enumerate(roles)
                    ]
                    assert text_or_refusal(template, messages) == text_or_refusal(twin, messages)


@every_template
def test_the_fast_path_and_the_long_way_give_the_same_result(name):
    template = TEMPLATES[name]
    twin = long_way(template)

    @settings(max_examples=few(12), deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(conversations(words_of(template)), st.booleans(), st.sampled_from([None, None, [TOOL]]))
    @example(conversation("uauau", "same"), True, [TOOL])
    @example(conversation("uaua", stand_in(0)), False, None)
    def check(messages, generate, tools):
        # FastChat's system texts are formatted, and the long way cannot always tell what came from where.
        result = text_or_refusal if name.startswith("fastchat:") else views
        # The shape is met, then learnt, then used.
        for _ in range(3):
            assert result(template, messages, tools=tools, add_generation_prompt=generate) == result(
                twin, messages, tools=tools, add_generation_prompt=generate
            )

    check()


@every_template
@pytest.mark.parametrize("generate", [True, False])
def test_plain_conversations_take_the_fast_path(name, generate):
    # One that has not met other shapes: after many that never repeat, few are looked up.
    template = TEMPLATES[name].but()
    fast = []
    for roles in PLAIN:
        messages = conversation(roles, *(f"text {index}" for index in range(len(roles))))
        if isinstance(views(long_way(template), messages, add_generation_prompt=generate)[0], str):
            for _ in range(2):
                filled = template._skeletons.fill(messages, {}, generate)
            fast.append(filled is not None)
    assert fast
    assert not any(fast) if name in LONG_WAY else all(fast)


@pytest.mark.parametrize("template", [ASCII, WIDE], ids=repr)
@pytest.mark.parametrize(
    "wrong", [5, 0, None, b"x", ["x"], {"a": 1}, "", " ", "\ud800", "é", "中文", "👩‍🚀", "\0"], ids=repr
)
@pytest.mark.parametrize("place", [0, 1, 2, 3])
def test_a_known_shape_accepts_nothing_that_the_long_way_refuses(template, wrong, place):
    good = conversation("suau", "a", "b", "c", "d")
    assert template.text(good) == template.text(good) == long_way(template).text(good)
    for changed in (
        {**good[place], "content": wrong},
        {**good[place], "name": "n"},
        {"role": "user"},
        {"role": "nobody", "content": "x"},
        wrong,
    ):
        messages = [*good[:place], changed, *good[place + 1 :]]
        assert views(template, messages) == views(long_way(template), messages)
    assert template.text(good) == long_way(template).text(good)


@pytest.mark.parametrize("template", [ASCII, WIDE], ids=repr)
@pytest.mark.parametrize("count", [1, 2, 5, 20])
def test_shapes_of_equal_length_do_not_interfere(template, count):
    for roles in ("u" * count, "a" * count, "s" * count, "u" * count, ("sua" * count)[:count]):
        for generate in (False, True, True, False):
            messages = conversation(roles, *map(str, range(count)))
            assert views(template, messages, add_generation_prompt=generate) == views(
                long_way(template), messages, add_generation_prompt=generate
            )


def test_a_repeated_text_does_not_mislead_a_template_that_compares_messages():
    def program(chat, out):
        for message in out.turns(chat.messages):
            if chat.tools and message.raw == chat.messages[-1].raw:
                out.append("[TOOLS]")
            out += message.content, "\n"

    template = Template("finding", program, looks_for=())
    for _ in range(4):
        assert template.text(conversation("uu", "a", "b"), tools=[TOOL]) == "a\n[TOOLS]b\n"
        assert template.text(conversation("uu", "a", "a"), tools=[TOOL]) == "[TOOLS]a\n[TOOLS]a\n"
