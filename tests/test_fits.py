"""Requests as agents send them, fitted to every format with tools: most are carried, the rest is named, and the maker's
own template writes the same of what was fitted."""

import json
import re
import runpy

import differential
import goldens
import pytest
from agent_requests import MADE_UP, recorded
from installed_templates import installed
from repository import REPOSITORY
from sampling import ROTATING, in_turn
from together import together

import lect
import lect_apis

pytestmark = pytest.mark.filterwarnings("ignore:invalid escape sequence")  # in a maker's template
FORMATS = dict(in_turn([(name, each) for name, each in installed().items() if "tools" in each.capabilities], 4))
REQUESTS = {
    name: (row.messages, row.tools)
    for name, api, body in [*MADE_UP, *recorded()]
    for row in [lect_apis.request(body, format=api)]
}
IMPOSSIBLE = {"image", "call", "text beside a call"}
"""What is left of the requests: pictures for formats without pictures, calls that makers' templates do not write in
history, and the text beside a call where they write only one of them."""
LEAST = 0.85
DIFFERING = {
    row["slug"] for path in REPOSITORY.glob("plugins/*/deviations.json") for row in json.loads(path.read_text("utf-8"))
}
"""The makers' templates from which a family differs somewhere, on purpose and by name."""
AS_MAKERS = sorted(goldens.native_models().keys() - DIFFERING)


def words(value):
    """Yield the words of the texts in a value that survive quoting and trimming."""
    if isinstance(value, str):
        yield from re.findall(r"[A-Za-z0-9]{3,}", value)
    elif isinstance(value, dict):
        yield from (word for each in value.values() for word in words(each))
    elif isinstance(value, list):
        yield from (word for each in value for word in words(each))


def said(message):
    """Yield the words that a model should read of a message. Reasoning may be left out by rule."""
    content = message.get("content") or ""
    for part in content if isinstance(content, list) else [{"type": "text", "text": content}]:
        if part["type"] == "text":
            yield from words(part["text"])
    for call in message.get("tool_calls") or ():
        arguments = call["function"]["arguments"]
        yield from words(call["function"]["name"])
        yield from words(json.loads(arguments) if isinstance(arguments, str) else arguments)


@pytest.fixture(scope="module")
def fitted():
    """Return every request, fitted to every format."""
    return {
        (name, request): template.fit(messages, tools, invent=True)
        for name, template in FORMATS.items()
        for request, (messages, tools) in REQUESTS.items()
    }


def test_most_requests_are_carried_and_what_is_left_of_the_others_is_named(fitted):
    left = [each.left for each in fitted.values() if each.left]
    # Of a few formats, half may be without pictures.
    assert ROTATING != 1 or 1 - len(left) / len(fitted) >= LEAST
    assert {each.kind for several in left for each in several} <= {*IMPOSSIBLE, "refused"}
    refused = {each.why for several in left for each in several if each.kind == "refused"}
    assert [why for why in refused if "of type 'image'" not in why and "of the type 'image'" not in why] == []


def test_no_word_of_a_request_that_is_carried_is_lost_in_silence(fitted):
    lost = {
        key: missing
        for key, each in fitted.items()
        if not each.left
        and (missing := [word for message in each.messages for word in said(message) if word not in each.prompt.text])
    }
    assert lost == {}


def test_the_changes_of_every_request_can_be_undone_and_none_is_changed_twice(fitted):
    for (name, request), each in fitted.items():
        assert each.undo() == REQUESTS[request], (name, request)
        again = FORMATS[name].fit(each.messages, each.tools, invent=True)
        assert again.changes == (), (name, request)
        assert again.messages is each.messages


def test_the_table_of_what_each_format_carries_is_up_to_date():
    made = runpy.run_path(str(REPOSITORY / "docs/make_carried.py"))
    assert made["PAGE"].read_text("utf-8") == made["page"](), "try: python docs/make_carried.py"


@together("slug", in_turn(AS_MAKERS, 8))
def test_the_makers_template_writes_the_same_of_what_was_fitted(slug):
    template = lect.resolve(goldens.native_models()[slug]).template
    for messages, tools in REQUESTS.values():
        each = template.fit(messages, tools, invent=True)
        if not each.left:
            differential.compare(slug, template, each.messages, tools=each.tools, add_generation_prompt=True)
