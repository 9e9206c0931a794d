"""The reply formats, as data."""

import inspect
import re
import runpy
from collections import defaultdict
from importlib.metadata import entry_points
from pathlib import Path

import pytest
import replies

import lect
from lect.reply import grammar
from lect.reply.events import CODES
from lect_jinja.replies.formats import known_formats

FORMATS = replies.formats()
DOCS = Path(__file__).parents[1] / "docs"


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_the_example_of_a_format_is_valid(name):
    reply_format = FORMATS[name]
    reply, _ = replies.read(
        reply_format.example,
        format=name,
        starts_in_reasoning=replies.starts_inside(reply_format) or None,
    )
    assert reply.problems == ()
    if name not in replies.NO_CALL:
        assert [(call.name, call.arguments) for call in reply.tool_calls] == [("get_weather", {"city": "Paris"})]
        assert reply.content in ("", "Look.", "Look:")


def test_all_formats_are_here():
    assert len(FORMATS) >= 55


def parts_of(value):
    """Yield the parts of a grammar, itself included."""
    if isinstance(value, grammar.GrammarPart):
        yield value
        value = tuple(value.facts().values())
    for each in value if isinstance(value, tuple) else ():
        yield from parts_of(each)


def test_a_fact_of_the_grammar_serves_several_formats_or_has_a_reason_beside_it():
    templates = [
        lect.template(f"{owner}:{name}") for owner, names in lect.templates(load=True).items() for name in names
    ]
    users = defaultdict(set)
    for each in {*(known.grammar for known in FORMATS.values()), *(template.reply for template in templates)} - {None}:
        for part in parts_of(each):
            kind = type(part)
            users[kind.__name__].add(each.name)
            for fact, value in part.facts().items():
                users[f"{kind.__name__}.{fact}"] |= {each.name} if value != kind.defaults.get(fact) else set()
    assert [fact for fact in users if not users[fact]] == []
    reasons, kind = {}, ""
    for found in re.finditer(r"(?m)^class (\w+)|^ +# Only (\w+): .+\n(?: +(\w+): )?", inspect.getsource(grammar)):
        kind, only, fact = found[1] or kind, found[2], found[3]
        if only:
            reasons[f"{kind}.{fact}" if fact else kind] = {only}
    assert reasons == {fact: names for fact, names in users.items() if len(names) == 1}


def test_every_vector_has_a_format_and_every_format_but_react_has_a_vector():
    # No output of Nemotron Mini with a call was found in public; its template says how it calls.
    assert set(FORMATS) - {vector["format"] for vector in replies.vectors("parse")} == {"react", "nemotron_mini"}


def test_the_package_advised_for_a_missing_reply_format_has_it():
    owners = {(point.name, point.dist.name) for point in entry_points(group="lect.replies")}
    advised = {(each.name, each.package) for each in known_formats().values() if each.package != "lect"}
    assert advised <= owners


def test_no_two_formats_are_meant_by_one_model_type():
    types = [each for found in known_formats().values() for each in found.model_types]
    assert sorted(types) == sorted(set(types))


def test_the_gallery_shows_what_every_format_says():
    made = runpy.run_path(str(DOCS / "make_reply_formats.py"))
    assert made["PAGE"].read_text("utf-8") == made["page"](), "try: python docs/make_reply_formats.py"
    assert {f"### {name}" for name in FORMATS} <= set(made["page"]().splitlines())


def test_every_problem_code_is_explained():
    explained = re.findall(r"^### (\w+)$", (DOCS / "reference/reply-problems.md").read_text("utf-8"), re.MULTILINE)
    assert sorted(explained) == sorted(CODES)
