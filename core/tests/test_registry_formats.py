"""Reply formats by name: `lect.replies`."""

import pytest
from installs import install, registry_of

import lect
from lect import MessageError, PluginError
from lect.errors import PluginWarning
from lect.plugin.grammar import reply_format

TAGGED = """
from lect.plugin.grammar import JSON_IN_TAGS, Grammar, ReplyFormat

TAGGED = ReplyFormat(Grammar("tagged", sections=(JSON_IN_TAGS,)), stop=("<over>",))
"""
OTHER = """
from lect.plugin.grammar import THINK, Grammar, ReplyFormat

TAGGED = ReplyFormat(Grammar("tagged", reasoning=THINK))
"""


@pytest.fixture
def only(site, monkeypatch):
    """Install distributions, each with one source, and let lect see only those."""

    def see(environ=None, **sources):
        for name, source in sources.items():
            install(site, f"formats-{name}", None, source, replies=["tagged"])
        registry = registry_of(*(f"formats-{name}" for name in sources), environ=environ)
        monkeypatch.setattr(lect, "_registry", registry)

    return see


def test_a_format_is_listed_without_importing_it_and_found_by_its_name(only):
    only(listed=TAGGED)
    assert lect.reply_formats() == ["hermes_json", "plain", "tagged", "think"]
    assert lect.parse(None, "Hi<over>x", format="tagged").content == "Hi"


def test_an_author_gets_a_format_by_its_name():
    assert reply_format("think").grammar.reasoning.open == ("<think>",)
    with pytest.raises(MessageError, match="did you mean 'think'"):
        reply_format("thinc")


def test_two_owners_of_equal_grammars_are_not_an_error(only):
    only(one=TAGGED, two=TAGGED)
    assert lect.parse(None, "Hi<over>x", format="tagged").content == "Hi"


def test_two_owners_of_different_grammars_are_named(only):
    only(three=TAGGED, four=OTHER)
    with pytest.raises(PluginError, match="formats-four:tagged, formats-three:tagged, and they differ"):
        lect.parse(None, "Hi", format="tagged")


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("raise RuntimeError('closed')", "RuntimeError: closed"),
        ("TAGGED = 'hermes'", "expected a ReplyFormat called 'tagged'"),
        (TAGGED.replace('"tagged"', '"another"'), "expected a ReplyFormat called 'tagged'"),
    ],
)
def test_a_format_that_cannot_be_loaded_is_recorded_and_named(only, source, problem, request):
    only(**{f"broken{abs(hash(request.node.name))}": source})
    with pytest.warns(PluginWarning, match=problem), pytest.raises(PluginError, match="cannot be loaded"):
        lect.parse(None, "Hi", format="tagged")
    assert lect.parse(None, "Hi", format="plain").content == "Hi"


def test_one_format_that_works_is_enough(only):
    only(works=TAGGED, fails="raise RuntimeError('closed')")
    with pytest.warns(PluginWarning, match="closed"):
        assert lect.parse(None, "Hi<over>x", format="tagged").content == "Hi"


@pytest.mark.parametrize("environ", [{"LECT_DISABLE_PLUGINS": "formats-blocked"}, {"LECT_LOAD_PLUGINS": "other"}])
def test_formats_of_a_blocked_package_are_unknown(only, environ):
    only(environ, blocked=TAGGED)
    assert lect.reply_formats() == ["hermes_json", "plain", "think"]
    with pytest.raises(MessageError, match="no installed package has a reply format 'tagged'"):
        lect.parse(None, "Hi", format="tagged")
