"""Grammars written by third parties, and the mistakes in them."""

import inspect
import pickle

import pytest
from installs import install, registry_of

import lect
from lect import PluginError
from lect.plugin import Family, Rule, Turn, TurnTemplate
from lect.plugin.grammar import (
    KEY,
    CallSyntax,
    Channels,
    Grammar,
    Head,
    Json,
    Literals,
    NamedJson,
    Params,
    Reasoning,
    Section,
    Wrapper,
)

CALL = CallSyntax(Json())
PARAMS = Params("<p>", Head((":",), KEY), "</p>")
MISTAKES = {
    "a mark that is no tuple": ({"reasoning": Reasoning("<idea>", ("</idea>",))}, "reasoning.open is '<idea>'", "a tuple, ('<idea>',)"),
    "marks in a list": ({"wrappers": (Wrapper(["<a>"], ()),)}, "wrappers[0].open is ['<a>']", "a tuple of marks"),
    "an empty mark": ({"wrappers": (Wrapper(("",), ()),)}, "wrappers[0].open contains ''", "marks that are text and not empty"),
    "a mark that is a number": ({"wrappers": (Wrapper((7,), ()),)}, "wrappers[0].open contains 7", "marks that are text"),
    "an empty row of marks": ({"sections": (Section((CALL,), ((),)),)}, "sections[0].open contains ()", "marks that are text"),
    "one section and no tuple": ({"sections": Section((CALL,), ("<c>",))}, "sections is Section(", "a tuple of Section, such as (Section(...),)"),
    "a section of sections": ({"sections": (Section((Section(()),), ("<c>",)),)}, "sections[0].calls is (Section(", "a tuple of CallSyntax"),
    "arguments of no kind": ({"sections": (Section((CallSyntax("json"),), ("<c>",)),)}, "sections[0].calls[0].arguments is 'json'", "Json or JsonMap or NamedJson"),
    "a section without calls": ({"sections": (Section((), ("<c>",)),)}, "sections[0].calls is empty", "how a call is written"),
    "a section that nothing opens": ({"sections": (Section((CALL,)),)}, "sections[0] has nothing that opens it", "start=True"),
    "a call without a name": ({"sections": (Section((CallSyntax(NamedJson(), ("<c>",)),)),)}, "sections[0].calls[0].head names nothing", "head=Head("),
    "a name without a name": ({"sections": (Section((CallSyntax(Literals(), ("<c>",), Head(("(",), r"\w+")),)),)}, "sections[0].calls[0].head names nothing", "(?P<name>...)"),
    "parameters without an end": ({"sections": (Section((CallSyntax(PARAMS, ("<c>",), Head((">",))),)),)}, "sections[0].calls[0].close is empty", "close=("),
    "a parameter without a key": (
        {"sections": (Section((CallSyntax(PARAMS.but(head=Head((":",))), ("<c>",), Head((">",)), ("</c>",)),)),)},
        "sections[0].calls[0].arguments.head names no key",
        "(?P<key>...)",
    ),
    "a pattern that is none": ({"channels": Channels(("<h>",), (("\n", ""),), to="(")}, "channels.to is not a regular expression: missing )", "a regular expression"),
    "a text that is none": ({"sections": (Section((CALL,), ("<c>",), between=None),)}, "sections[0].between is None", "a text"),
    "a word for yes": ({"sections": (Section((CALL,), ("<c>",), special="yes"),)}, "sections[0].special is 'yes'", "True or False"),
    "a body without a kind": ({"channels": Channels(("<h>",), ("\n",))}, "channels.bodies is ('\\n',)", "pairs of a mark"),
    "a body of no kind": ({"channels": Channels(("<h>",), (("\n", "contents"),))}, "channels.bodies is (('\\n', 'contents'),)", "pairs of a mark"),
    "no bodies": ({"channels": Channels(("<h>",), ())}, "channels.bodies is empty", "the marks that are written there"),
    "a head without an end": ({"sections": (Section((CallSyntax(NamedJson(), ("<c>",), Head(())),)),)}, "sections[0].calls[0].head.end is empty", "the marks that are"),
    "reasoning that white space closes": ({"reasoning": Reasoning(("<t>",), ("\n\n",))}, "reasoning.close contains '\\n\\n'", "marks that are more than white space"),
    "a section that white space opens": ({"sections": (Section((CallSyntax(Json()),), (("<c>", " "),)),)}, "sections[0].open contains ('<c>', ' ')", "marks that are more than white space"),
    "parameters that white space closes": ({"sections": (Section((CallSyntax(Params("<p=", Head((">",), KEY), "\n"), ("<c>",), Head((">",)), ("</c>",)),)),)}, "sections[0].calls[0].arguments.close is '\\n'", "a mark that is more than white space"),
    "reasoning without a close": ({"reasoning": Reasoning(("<t>",), ())}, "reasoning.close is empty", "the marks that are written there"),
    "one text round reasoning": ({"reasoning": Reasoning(("<t>",), ("</t>",), written="</t>")}, "reasoning.written is '</t>'", "two texts"),
    "a text that closes nothing": ({"reasoning": Reasoning(("<t>",), ("</t>",), written=("\n", "\n"))}, "reasoning.written[1] is '\\n'", "a text with </t> in it"),
    "a new name without a group": ({"sections": (Section((CALL.but(rename="f.+"),), ("<c>",)),)}, "sections[0].calls[0].rename has no group", "(.+)"),
    "a kind of value that is none": (
        {"sections": (Section((CallSyntax(PARAMS.but(untyped="strin"), ("<c>",), Head((">",)), ("</c>",)),)),)},
        "sections[0].calls[0].arguments.untyped is 'strin'",
        "'json' or 'string'",
    ),
    "a trim of two": (
        {"sections": (Section((CallSyntax(PARAMS.but(trim="\r\n"), ("<c>",), Head((">",)), ("</c>",)),)),)},
        "sections[0].calls[0].arguments has a trim of several characters",
        "trim of one character, and a mark before",
    ),
    "reasoning that is a text": ({"reasoning": "<think>"}, "reasoning is '<think>'", "Reasoning"),
}  # fmt: skip


SHOP = """
from lect.plugin import Family, Rule, Turn, TurnTemplate
from lect.plugin.grammar import CallSyntax, Grammar, Head, NamedJson, Reasoning, Section

SHOP = Grammar(
    "shop",
    reasoning=Reasoning(("<idea>",), ("</idea>",)),
    sections=(Section((CallSyntax(NamedJson(), open=("@@",), head=Head((" ",)), close=("@@",)),)),),
)
adapter = Family("shop", Rule("shop", TurnTemplate("shop", user=Turn("<user>"), assistant=Turn("<bot>"), stop=["<user>"], reply=SHOP)))
"""


def test_a_package_brings_its_own_grammar(site, monkeypatch):
    install(site, "grammar-shop", "shop", SHOP)
    monkeypatch.setattr(lect, "_registry", registry_of("grammar-shop"))
    reply = lect.parse("shop-7b", '<idea>Look.</idea>Well: @@buy {"what": "tea"}@@<user>')
    assert (reply.reasoning, reply.content, reply.stop) == ("Look.", "Well: ", "<user>")
    assert [(call.name, call.arguments) for call in reply.tool_calls] == [("buy", {"what": "tea"})]


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_in_a_grammar_is_named_with_what_to_write(mistake):
    facts, problem, instead = MISTAKES[mistake]
    with pytest.raises(PluginError) as caught:
        lect.parse(None, "Hello!", format=Grammar("acme", **facts))
    said, _, advice = str(caught.value).partition("\n  try: ")
    assert said.startswith(f"the grammar 'acme' is invalid: {problem}")
    assert instead in advice


def test_a_mistake_is_named_for_the_template_that_has_it(registry):
    template = TurnTemplate(
        "acme", user=Turn("<user>"), assistant=Turn("<bot>"), reply=Grammar("acme", wrappers="</bot>")
    )
    registry.adapters.register(Family("acme", Rule("acme", template)))
    with pytest.raises(PluginError, match="the grammar 'acme' is invalid: wrappers is '</bot>'"):
        lect.parse("acme-7b", "Hello!")


def test_facts_are_named_and_checked_when_a_part_is_made():
    with pytest.raises(TypeError, match=r"Section\(\) takes calls, open, .*; check opens"):
        Section((CALL,), opens=("<c>",))
    with pytest.raises(TypeError, match=r"Head\(\) takes end, fields, keep, within; check end"):
        Head()
    with pytest.raises(AttributeError, match="a grammar is immutable"):
        CALL.open = ("<c>",)


def test_help_shows_the_facts_of_a_part():
    assert str(inspect.signature(Reasoning)).startswith("(open: 'tuple[str, ...]', close: 'tuple[str, ...]', until: ")
    assert inspect.signature(Head).parameters["keep"].default is False


def test_parts_are_values():
    section = Section((CALL,), ("<c>",))
    assert section == Section((CallSyntax(Json()),), ("<c>",))
    assert section.but(open=("<d>",)) == Section((CALL,), ("<d>",))
    assert section != section.but(close=("</c>",))
    assert hash(section) == hash(Section((CALL,), ("<c>",)))
    assert pickle.loads(pickle.dumps(section)) == section
    assert repr(Head((">",), "x")) == "Head(end=('>',), fields='x')"
