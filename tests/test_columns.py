"""Every installed template: what lect-data writes in columns, and what a table's loop writes, is what the program
writes, whatever words are in the texts."""

import sys
from functools import partial
from itertools import product
from types import CodeType, FunctionType

import differential
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from installed_templates import installed
from sampling import few, in_turn, one_a_style, some
from together import together

from lect import LectError
from lect.plugin import Template, TurnTemplate

pa = pytest.importorskip("pyarrow", reason="lect-data needs pyarrow")
columnar = pytest.importorskip("lect_data.columnar")
frames = pytest.importorskip("lect_data.frames")

TEMPLATES = installed()
PLAIN = ("u", "ua", "uau", "uaua", "su", "sua", "suau", "suauau" * 3)
ROLES = {"u": "user", "a": "assistant", "s": "system", "d": "developer", "t": "tool"}
REWRITES = "it rewrites texts, so there is nothing to fill in"
NO_FRAMES = {"fastchat:falcon": REWRITES, "fastchat:rwkv": REWRITES, "fastchat:yuan2": REWRITES}

every_template = together("name", one_a_style(TEMPLATES))
some_templates = together("name", in_turn(one_a_style(TEMPLATES), 8))
every_table = together(
    "name", one_a_style(name for name, template in TEMPLATES.items() if isinstance(template, TurnTemplate))
)


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


def text_or_refusal(template, messages, **arguments):
    try:
        return template.text(messages, **arguments)
    except LectError as error:
        return type(error), str(error)


def unrolled(template, messages, **arguments):
    """Return the texts that a conversation is unrolled into, or the refusal."""
    try:
        return [prompt.text for prompt in template.unroll(messages, "auto", **arguments)]
    except LectError as error:
        return type(error), str(error)


def check_columns(template, chats, unroll="never", **options):
    """Write all that can be written in columns, and assert that the template writes the same; return which it is."""
    batch = pa.RecordBatch.from_pylist([{"messages": messages} for messages in chats])
    columns = columnar.plain_chats(batch)
    if columns is None:
        return []
    prompts = columnar.write_prompts(columns, frames.Frames(template, options, unroll).of)
    for row, text, turns in zip(prompts.rows, prompts.texts.to_pylist(), prompts.turns, strict=True):
        if unroll == "auto":
            assert [text] == unrolled(template, chats[row], **options)
            assert text == template.text(chats[row][:turns], **options)
        else:
            assert text == text_or_refusal(template, chats[row], **options)
    return prompts.rows


def with_word(word):
    """Yield conversations in which a word is in the texts of one role."""
    for text in (word, f"a{word}b", f" {word}\n", f"{word}a{word.replace('<', '</', 1)}"):
        for letter in "suat":
            for roles in ("suau", "suaua", "uatau"):
                yield [
                    {"role": ROLES[each], "content": text if each == letter else f"text {index}"}
                    for index, each in enumerate(roles)
                ]


@some_templates
@pytest.mark.parametrize("unroll", ["never", "auto"])
def test_no_word_makes_a_difference_that_columns_do_not_know(name, unroll):
    template = TEMPLATES[name]
    words = some([*words_of(template), *differential.WHITE_SPACE], seed=name)
    check_columns(template, [messages for word in words for messages in with_word(word)], unroll)


@some_templates
@pytest.mark.parametrize("unroll", ["never", "auto"])
def test_columns_give_what_the_template_writes(name, unroll):
    template = TEMPLATES[name]

    @settings(max_examples=few(12), deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(conversations(words_of(template)), min_size=1, max_size=8), st.booleans())
    @example([conversation("uaua", "\ue000\ue001"), conversation("uauau", "same")], True)
    def check(chats, generate):
        check_columns(template, chats, unroll, add_generation_prompt=generate)

    check()


@every_template
def test_plain_conversations_for_which_one_text_is_true_are_written_in_columns(name):
    for unroll, generate in in_turn(product(["never", "auto"], [True, False]), 4, name):
        check_plain_conversations(name, unroll, add_generation_prompt=generate)


def check_plain_conversations(name, unroll, **options):
    template = TEMPLATES[name]
    options |= {"date": differential.THE_DAY} if "date" in template.options else {}
    chats = [conversation(roles, *(f"text {index}" for index in range(len(roles)))) for roles in PLAIN]
    true = [row for row, messages in enumerate(chats) if is_true(template, messages, unroll, **options)]
    assert check_columns(template, chats, unroll, **options) == ([] if name in NO_FRAMES else true)


def is_true(template, messages, unroll, **options):
    """Return whether a text of the template has all answers as they are served."""
    try:
        prompt, *others = template.unroll(messages, unroll, **options)
        turns = max(prompt.trains) + 1 if prompt.trains else len(messages)
        is_whole = prompt.text == template.text(messages[:turns], **options)
    except LectError:
        return False
    return is_whole and not others and not prompt.deviations


@every_table
def test_the_loop_of_a_table_gives_what_its_program_gives(name):
    table = TEMPLATES[name]
    program = Template(**Template.stated(table))

    @settings(max_examples=few(40), deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(conversations(words_of(table)), st.booleans())
    def check(messages, generate):
        assert text_or_refusal(table, messages, add_generation_prompt=generate) == text_or_refusal(
            program, messages, add_generation_prompt=generate
        )

    check()
