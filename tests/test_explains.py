"""Why a prompt does not extend the one before it, in every format: what a test changes is what is named."""

import copy
import random
from collections import defaultdict

import pytest
from agent_requests import recorded
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from installed_templates import installed
from sampling import few, in_turn
from sessions import TOOLS, dated, random_session
from together import together

from lect import LectError
from lect_explain import explain, explain_requests

pytestmark = pytest.mark.filterwarnings("ignore:invalid escape sequence")  # in a maker's template
FORMATS = {name: each for name, each in installed().items() if "tools" in each.capabilities}
NEW = "zqnew words"


def sent(template, messages, tools=TOOLS):
    """Return the prompt of a request; None if the format does not carry it."""
    try:
        return template.render(messages, tools=tools, add_generation_prompt=True, **dated(template))
    except LectError:
        return None


def begun(seed):
    """Return a random session up to where a model is asked."""
    messages = random_session(random.Random(seed))
    return [{"role": "system", "content": "Be brief."}, *(each for each in messages if each["role"] != "system")]


UNCHANGED = ("extended", "left out", "opening", "template", "moved")
"""What is said where nobody changed anything: at most the format leaves out, or writes otherwise, what it had written."""
SEEDS = st.integers(0, 10**6)


def fields(messages):
    """Return the paths of the texts of a session, and of the arguments of its calls."""
    for at, message in enumerate(messages):
        if message["role"] != "assistant":  # What a model said may be cut by the maker's rule.
            yield "messages", at, "content"
        for number, _ in enumerate(message.get("tool_calls", ())):
            yield "messages", at, "tool_calls", number, "function", "arguments", "city"
    yield from (("tools", at, "function", "description") for at in range(len(TOOLS)))


def changed(request, path):
    """Return a request with other words in a field."""
    request = copy.deepcopy(request)
    place = request
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = NEW
    return request


@together("name", in_turn(FORMATS, 4))
def test_a_changed_field_is_named(name):
    template = FORMATS[name]

    @settings(max_examples=few(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(seed=SEEDS, data=st.data())
    def is_named(seed, data):
        request = {"messages": begun(seed), "tools": TOOLS}
        path = data.draw(st.sampled_from([*fields(request["messages"])]))
        before, after = (sent(template, **each) for each in (request, changed(request, path)))
        if before is None or after is None or before.text == after.text:
            return
        step = explain(before, after)
        assert step.rule == "changed", step
        # A format may write several fields, or all tools, as one text.
        assert step.was == step.now == path[: len(step.now)], step
        assert len(step.now) > 2 or path[0] == "tools", step

    is_named()


@together("name", in_turn(FORMATS, 4))
def test_a_tool_that_came_is_named(name):
    template = FORMATS[name]
    for seed in range(few(20)):
        messages = begun(seed)
        prompts = [sent(template, messages, tools) for tools in (TOOLS[:1], TOOLS)]
        if None in prompts or prompts[0].text == prompts[1].text:
            continue
        came, went = explain(*prompts), explain(*reversed(prompts))
        if came.was == ("tools",):  # They are one text, such as the JSON of a list.
            assert (came.rule, went.rule) == ("changed", "changed")
            continue
        assert (came.rule, came.reason) == ("inserted", "tools[1] came in there, before what follows")
        assert (went.rule, went.reason) == ("removed", "what was tools[1] is not in the request any more")


@together("name", in_turn(FORMATS, 4))
def test_what_is_appended_extends_where_prompts_grow_by_appending(name):
    template = FORMATS[name]
    for seed in range(few(40)):
        messages = begun(seed)
        before = sent(template, messages)
        after = sent(
            template, [*messages, {"role": "assistant", "content": "Yes."}, {"role": "user", "content": "So?"}]
        )
        if before is None or after is None:
            continue
        step = explain(before, after)
        assert step.extends == after.text.startswith(before.text)
        assert step.rule in UNCHANGED, step


CLIENTS = defaultdict(list)
for client, _, body in recorded():
    CLIENTS[client.rpartition(" ")[0]].append(body)


@pytest.mark.skipif(not CLIENTS, reason="the requests of agents are not here: ../shared/clients is missing")
@together("name", in_turn(FORMATS, 8))
def test_recorded_sessions_go_on(name):
    template = FORMATS[name]
    for client, requests in CLIENTS.items():
        try:
            steps = explain_requests(template, requests, fit=True, **dated(template))
        except LectError:
            continue
        if client.startswith("opencode"):  # It asks for a title first.
            assert steps.pop(0).kind == "other"
        assert {step.rule for step in steps} <= set(UNCHANGED), (client, steps)
