"""Every installed template is asked little for its first constraint, and nothing twice."""

from contextlib import suppress

import pytest
from installed_templates import installed
from sampling import in_turn, one_a_style

import lect
from lect import LectError
from lect.plugin import Template
from lect_constrain import constrain

MOST_RENDERS = 12
TOOL = {
    "type": "function",
    "function": {"name": "look", "parameters": {"type": "object", "properties": {"at": {"type": "string"}}}},
}


TEMPLATES = installed()


@pytest.fixture
def rendered(monkeypatch):
    """The names of the methods with which templates were asked to write, without those that they call themselves."""
    calls, depth = [], []

    def counting(name):
        method = getattr(Template, name)

        def call(self, *given, **named):
            calls.extend([name] * (not depth))
            depth.append(name)
            try:
                return method(self, *given, **named)
            finally:
                depth.pop()

        return call

    for name in ("render", "text"):
        monkeypatch.setattr(Template, name, counting(name))
    return calls


@pytest.mark.parametrize("name", in_turn(one_a_style(TEMPLATES), 8))
def test_the_first_constraint_takes_few_renders_and_the_next_none(name, rendered):
    template = TEMPLATES[name].but(name="fresh")
    for most in (MOST_RENDERS, 0):
        rendered.clear()
        with suppress(LectError):  # Some formats have no prompt for a plain question.
            constrain(template, [TOOL])
        assert len(rendered) <= most


@pytest.mark.parametrize("name", in_turn(one_a_style(TEMPLATES), 3))
def test_whether_a_prompt_grows_is_found_out_once(name, rendered):
    template = TEMPLATES[name].but(name="fresh")
    grows = template.prefix_stable
    rendered.clear()
    assert template.prefix_stable is grows
    assert rendered == []


@pytest.mark.parametrize("model", ["zai-org/GLM-4.5", "zai-org/GLM-5", "zai-org/GLM-5.1"])
def test_the_answers_of_glm_end_with_the_header_of_whoever_speaks_next(model):
    template = lect.get_template(model)
    call = {"id": "a", "type": "function", "function": {"name": "look", "arguments": {"at": "x"}}}
    question = {"role": "user", "content": "Hi"}
    said = [question, {"role": "assistant", "content": "Hello", "reasoning_content": "R"}]
    called = [question, {"role": "assistant", "content": "", "reasoning_content": "R", "tool_calls": [call]}]
    assert template.reply_text(said).text.endswith("Hello<|user|>")
    assert template.reply_text(called, tools=[TOOL]).text.endswith("</tool_call><|observation|>")
