"""Fallbacks: asked if no other adapter claims a model, warned about, and turned off by users who want no guess."""

import warnings

import pytest
from installs import install, registry_of

import lect
from lect import FallbackWarning, LectError, UnknownModelError
from lect.cli import main
from lect.plugin import CHATML, Family, Rule

LAST = """
from lect.plugin import Family, Rule, Turn, TurnTemplate
adapter = Family("last", Rule("shop", TurnTemplate("shop", user=Turn("U", "/"), assistant=Turn("A", "/"))))
"""
HELLO = [{"role": "user", "content": "Hello!"}]


@pytest.fixture(autouse=True)
def last(site, monkeypatch):
    """A fallback that knows `shop`, and a family that knows `acme`; return a function that rebuilds the registry."""
    install(site, "shop-last", "last", LAST, group="lect.fallback")

    def begin(**environ):
        monkeypatch.setattr(lect, "_registry", registry_of("shop-last", environ=environ))
        lect.register(Family("acme", Rule("acme", CHATML)))

    begin()
    return begin


def test_its_answer_comes_with_a_warning_that_says_what_to_type():
    with pytest.warns(FallbackWarning) as caught:
        resolution = lect.resolve("store/shop-7b")
    assert (resolution.template.name, resolution.fallback) == ("shop", True)
    assert str(caught[0].message) == (
        "only a fallback knows 'store/shop-7b': last (shop-last 0.1.0) gives it 'shop', which may not be its maker's "
        "format\n"
        "  try: LECT_PINS='store/shop-7b=shop-last:last', if it is right\n"
        "   or: get_conversation_template(path, adapter='chatml'), or any name from `lect templates`\n"
        "   or: LECT_FALLBACK=0, or lect.resolve(path, fallback=False), to get an error instead"
    )


@pytest.mark.parametrize(
    "use",
    [
        lambda path: lect.resolve(path),
        lambda path: lect.get_template(path),
        lambda path: lect.get_conversation_template(path, default="chatml"),
        lambda path: lect.render(path, HELLO),
        lambda path: lect.parse(path, "Hi!"),
        lambda path: lect.stream(path),
    ],
    ids=["resolve", "get_template", "get_conversation_template", "render", "parse", "stream"],
)
def test_the_warning_is_at_the_line_of_the_caller_every_time(use):
    for _ in range(2):
        with pytest.warns(FallbackWarning) as caught:
            use("shop-7b")
        (warning,) = caught
        assert warning.filename == __file__
        assert warning.lineno == use.__code__.co_firstlineno


def test_python_shows_it_once_for_each_line():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(3):
            lect.resolve("shop-7b")
    assert len(caught) == 1


def test_the_claim_of_a_family_comes_without_a_warning():
    assert not lect.resolve("acme-7b").fallback


def test_an_explicit_choice_of_a_fallback_comes_without_a_warning():
    assert not lect.resolve("shop-7b", adapter="last").fallback
    with lect.pin("shop-*", "shop-last:last"):
        assert lect.resolve("shop-7b").template.name == "shop"
        assert not lect.resolve("shop-7b", fallback=False).fallback


def test_without_fallbacks_the_model_is_unknown():
    with pytest.raises(UnknownModelError, match="\n  no fallback was asked: fallback=False\n") as caught:
        lect.resolve("shop-7b", fallback=False)
    verdict = next(each for each in caught.value.candidates if each.adapter == "last")
    assert (verdict.outcome, verdict.why) == ("not asked", "a fallback, turned off by fallback=False")
    assert lect.resolve("acme-7b", fallback=False).template is CHATML


def test_an_earlier_resolution_changes_nothing():
    with pytest.warns(FallbackWarning):
        lect.resolve("shop-7b")
    with pytest.raises(UnknownModelError):
        lect.resolve("shop-7b", fallback=False)
    with pytest.warns(FallbackWarning):
        lect.resolve("shop-7b")


def test_a_variable_turns_them_off_everywhere(last):
    last(LECT_FALLBACK="0")
    for use in (lect.resolve, lect.get_template, lect.get_conversation_template, lect.stream):
        with pytest.raises(UnknownModelError, match="no fallback was asked: LECT_FALLBACK=0"):
            use("shop-7b")
    assert lect.get_template("shop-7b", default="chatml") is CHATML
    assert lect.template("last:shop").name == "shop"
    assert lect.resolve("shop-7b", adapter="last").template.name == "shop"


@pytest.mark.parametrize("value", ["", "1", " 1 "])
def test_a_variable_may_leave_them_on(last, value):
    last(LECT_FALLBACK=value)
    with pytest.warns(FallbackWarning):
        assert lect.resolve("shop-7b").fallback


def test_a_variable_that_says_neither_is_an_error(last):
    last(LECT_FALLBACK="no")
    with pytest.raises(LectError, match="LECT_FALLBACK is 'no'; expected 0 or 1\n  try: LECT_FALLBACK=0"):
        lect.resolve("acme-7b")


# On the command line

NOTE = (
    "note: only a fallback knows 'shop-7b': last (shop-last 0.1.0) gives it 'shop', which may not be its maker's "
    "format\n"
    "  try: LECT_PINS='shop-7b=shop-last:last', if it is right\n"
    "   or: lect:chatml in its place, or any name from `lect templates`\n"
    "   or: LECT_FALLBACK=0 to get an error instead\n"
)


def test_a_prompt_comes_with_a_note(capsys):
    assert main(["prompt", "shop-7b", "Hello!"]) == 0
    assert capsys.readouterr() == ("UHello!/A", NOTE)


def test_a_reply_comes_with_a_note(capsys, tmp_path):
    (tmp_path / "reply.txt").write_text("Hi!", "utf-8")
    assert main(["parse", "shop-7b", str(tmp_path / "reply.txt")]) == 0
    assert capsys.readouterr().err == NOTE


def test_why_has_the_note_among_the_facts(capsys):
    assert main(["why", "shop-7b", "--all"]) == 0
    out, err = capsys.readouterr()
    assert "  note        only a fallback knows 'shop-7b': last (shop-last 0.1.0) gives it 'shop'" in out
    assert not err


def test_why_says_what_turned_them_off(capsys, last):
    last(LECT_FALLBACK="0")
    assert main(["why", "shop-7b", "--all"]) == 1
    out, err = capsys.readouterr()
    assert "  last (shop-last 0.1.0)  a fallback, turned off by LECT_FALLBACK=0\n" in out
    assert "  no fallback was asked: LECT_FALLBACK=0\n" in err
