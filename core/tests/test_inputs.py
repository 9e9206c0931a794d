"""Text from the caller keeps its origin through what templates do with it, or is distrusted."""

import operator

import pytest
from hypothesis import given as examples
from hypothesis import settings
from hypothesis import strategies as st
from made import texts

from lect.prompt.inputs import Input, given, plain_str, unknown
from lect.values import TRANSFORMED

PATH = ("messages", 0, "content")
FIELD_STARTS_AT = 7

CUTS = {
    "strip": lambda text: [text.strip()],
    "strip-letters": lambda text: [text.strip("<|")],
    "lstrip": lambda text: [text.lstrip()],
    "rstrip": lambda text: [text.rstrip()],
    "removeprefix": lambda text: [text.removeprefix(text[:1])],
    "removesuffix": lambda text: [text.removesuffix(text[-1:])],
    "slice": lambda text: [text[1:], text[:-1], text[-2:], text[2:4], text[5:1]],
    "letters": list,
    "index": lambda text: [text[0], text[-1]] if text else [],
    "split": lambda text: text.split(),
    "split-once": lambda text: text.split(None, 1),
    "split-at": lambda text: text.split("|"),
    "split-at-two": lambda text: text.split("ab"),
    "rsplit": lambda text: text.rsplit(None, 1),
    "rsplit-at": lambda text: text.rsplit("|", 1),
    "splitlines": lambda text: text.splitlines(),
    "splitlines-keeping-ends": lambda text: text.splitlines(True),
    "partition": lambda text: text.partition("|"),
    "rpartition": lambda text: text.rpartition("|"),
}
CHANGES = {
    "replace": lambda text: text.replace("a", "b"),
    "upper": lambda text: text.upper(),
    "lower": lambda text: text.lower(),
    "title": lambda text: text.title(),
    "capitalize": lambda text: text.capitalize(),
    "swapcase": lambda text: text.swapcase(),
    "casefold": lambda text: text.casefold(),
    "center": lambda text: text.center(20, "*"),
    "ljust": lambda text: text.ljust(20),
    "rjust": lambda text: text.rjust(20),
    "zfill": lambda text: text.zfill(20),
    "expandtabs": lambda text: text.expandtabs(2),
    "translate": lambda text: text.translate({97: "b"}),
    "backwards": lambda text: text[::-1],
    "twice": lambda text: text * 2,
    "twice from the left": lambda text: 2 * text,
}
JOINS = {
    "plus": lambda text: text + "x",
    "plus from the left": lambda text: "x" + text,
    "join": lambda text: text.join(["x", "y"]),
}
LEAKS = {
    "f-string": lambda text: f"<{text}>",
    "f-string with !s": lambda text: f"<{text!s}>",
    "format": lambda text: format(text),
    "format method": "<{}>".format,
    "percent": lambda text: operator.mod("<%s>", text),
    "its own percent": lambda text: text % (),
    "its own format": lambda text: text.format(),
    "its own format_map": lambda text: text.format_map({}),
}  # fmt: skip


def odd_texts():
    return st.one_of(texts, st.text("ab|< \n\t\x1c\r", max_size=14))


@settings(max_examples=500)
@examples(st.sampled_from(sorted(CUTS)), odd_texts())
def test_a_part_of_a_text_knows_its_offset(name, text):
    cut = CUTS[name]
    source = "#" * FIELD_STARTS_AT + text
    for piece, same in zip(cut(given(text, PATH, FIELD_STARTS_AT)), cut(text), strict=True):
        assert type(piece) is Input
        assert piece == same
        assert piece.path == PATH
        assert source[piece.start : piece.start + len(piece)] == piece


@examples(odd_texts(), st.text("ab|< \n", min_size=1, max_size=2))
def test_the_pieces_of_a_split_are_one_separator_apart(text, separator):
    pieces = given(text, PATH).split(separator)
    assert [piece.start for piece in pieces[1:]] == [piece.start + len(piece) + len(separator) for piece in pieces[:-1]]


@pytest.mark.parametrize("cut", CUTS.values(), ids=CUTS)
def test_a_part_of_a_transformed_text_has_no_offset(cut):
    assert {piece.start for piece in cut(given("<|a| b", PATH, TRANSFORMED))} == {TRANSFORMED}


@settings(max_examples=300)
@examples(st.sampled_from(sorted(CHANGES)), odd_texts())
def test_a_changed_text_keeps_its_field_and_loses_its_offset(name, text):
    change = CHANGES[name]
    changed = change(given(text, PATH))
    assert type(changed) is Input
    assert changed == change(text)
    assert changed.path == PATH
    assert changed.start == (0 if changed == text else TRANSFORMED)


@pytest.mark.parametrize("join", JOINS.values(), ids=JOINS)
def test_a_joined_text_is_of_unknown_origin(join):
    joined = join(given("abc", PATH))
    assert type(joined) is Input
    assert (joined.path, joined.start) == ((), TRANSFORMED)
    assert joined == join("abc")


@pytest.mark.parametrize("leak", LEAKS.values(), ids=LEAKS)
def test_a_text_cannot_be_formatted_into_a_trusted_string(leak):
    with pytest.raises(TypeError, match="write the pieces one by one"):
        leak(given("abc", PATH))


def test_asking_for_a_string_does_not_make_a_text_trusted():
    text = given("abc", PATH)
    assert str(text) is text
    assert type(plain_str(text)) is str


@pytest.mark.parametrize("compare", [operator.eq, operator.le, operator.contains])
def test_a_text_compares_as_the_string_that_it_is(compare):
    assert compare(given("abc", PATH), "abc")
    assert hash(given("abc", PATH)) == hash("abc")


def test_no_method_of_strings_gives_a_plain_string_from_the_callers_text():
    harmless = {"count", "encode", "endswith", "find", "index", "maketrans", "rfind", "rindex", "startswith"}
    methods = {name for name in dir(str) if not name.startswith(("_", "is"))}
    # A method that Python adds to str must be considered here.
    assert methods - harmless - set(vars(Input)) == set()


def test_unknown_text_names_no_field():
    assert (unknown("abc").path, unknown("abc").start) == ((), TRANSFORMED)
