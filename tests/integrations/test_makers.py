"""Formats against the packages with which their makers write prompts, on random conversations."""

import json
import re
from importlib.util import find_spec

import differential
import makers
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import lect

EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max", "ultra"]
THINKING = {"thinking": st.booleans(), "reasoning_effort": st.sampled_from(EFFORTS)}
CASES = {
    "deepseek-v4-pro-0813": ("deepseek_recipe", lambda: makers.deepseek("V4"), THINKING),
    "deepseek-v4.1-flash": ("deepseek_recipe", lambda: makers.deepseek("V41"), THINKING),
    "glm-5.3-flash": (
        "sglang",
        lambda: makers.glm,
        {"reasoning_effort": st.sampled_from(["low", "high", "max"]), "clear_thinking": st.booleans()},
    ),
    "inkling": (
        "tml_renderers",
        lambda: lambda *asked: makers.inkling_text(makers.inkling(*asked)),
        {"reasoning_effort": st.integers(0, 1000).map(lambda thousandths: thousandths / 1000)},
    ),
}
BIG = re.compile(r"\d[eE]|\d{17}")
"""Numbers that the package of Inkling, which is no Python, writes otherwise than JSON in Python."""
EXAMPLES = settings(max_examples=3000, deadline=None, suppress_health_check=list(HealthCheck))


@st.composite
def conversations(draw, markers):
    """Return a conversation whose results come in any order, and which may end with an answer that is only begun."""
    messages = draw(differential.conversations(differential.texts(markers), parts=True))
    roles = [each["role"] for each in messages]
    for start in range(len(roles)):
        if roles[start] == "tool" and (start == 0 or roles[start - 1] != "tool"):
            end = next((at for at in range(start, len(roles)) if roles[at] != "tool"), len(roles))
            messages[start:end] = draw(st.permutations(messages[start:end]))
    if draw(st.integers(0, 5)) == 0:
        messages = [*messages, {"role": "latest_reminder", "content": draw(differential.texts())}]
    if messages and messages[-1]["role"] == "assistant" and draw(st.booleans()):
        messages[-1] = messages[-1] | {"prefix": True}
    return messages


def taken(name, messages):
    """Return messages without what a maker's package does not know."""
    known = {"deepseek-v4-pro-0813": {"latest_reminder"}, "deepseek-v4.1-flash": {"latest_reminder"}}.get(name, set())
    messages = [each for each in messages if each["role"] in {"system", "user", "assistant", "tool"} | known]
    return messages if known else [{key: each[key] for key in each if key != "prefix"} for each in messages]


def need(package):
    """Skip a test where a package is not installed; it is not imported, because some need a GPU for that."""
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed: it is in `nox -s makers`")


@pytest.mark.parametrize("name", CASES)
def test_differs_nowhere_from_the_makers_package(name):
    package, write, options = CASES[name]
    need(package)
    maker, template = write(), lect.template(name)
    compared = []

    @EXAMPLES
    @given(
        conversations(template.markers),
        st.none() | differential.tools(differential.texts(template.markers)),
        st.fixed_dictionaries({}, optional=options),
    )
    def is_equal(messages, tools, given_options):
        messages = taken(name, messages)
        assume(messages)
        if name == "inkling":
            assume(not BIG.search(json.dumps([messages, tools])))
        try:
            expected = maker(messages, tools, given_options)
        except makers.RefusedByMakerError:
            return
        arguments = {"tools": tools, "add_generation_prompt": True, **given_options}
        compared.append(expected)
        assert template.text(messages, **arguments) == expected
        assert template.render(messages, **arguments).text == expected

    is_equal()
    # A package that refused nearly everything would prove nothing.
    assert len(compared) > 1500


class Tokenizer:
    """The tokenizer of Inkling, as lect takes one."""

    def __init__(self, tokenizer):
        self.tokenizer = tokenizer

    def control_tokens(self):
        return {f"<|{name}|>": self.tokenizer.encode_special(name) for name in self.tokenizer.special_tokens()}

    def encode_ordinary(self, text):
        ids = self.tokenizer.encode_ordinary(text)
        ends = [len(self.tokenizer.decode_bytes(ids[: at + 1]).decode("utf-8", "ignore")) for at in range(len(ids))]
        return ids, list(zip([0, *ends], ends, strict=False))


@settings(EXAMPLES, max_examples=300)
@given(conversations(["<|end_message|>"]))
def test_ids_of_inkling_are_those_of_the_makers_package(messages):
    need("tml_renderers")
    messages = taken("inkling", messages)
    assume(messages and not BIG.search(json.dumps(messages)))
    try:
        expected = makers.inkling(messages, None, {})
    except makers.RefusedByMakerError:
        return
    prompt = lect.template("inkling").render(messages)
    assert [*prompt.encode(Tokenizer(makers.tml()[1])).ids] == expected
