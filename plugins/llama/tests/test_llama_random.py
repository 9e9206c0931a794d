"""Llama against its maker's own templates, on random conversations and on odd ones."""

import differential
import pytest
from hypothesis import strategies as st
from sampling import in_turn
from together import together

import lect

TEXT = differential.texts()
TOOLS = {"custom_tools": st.none() | st.just([]) | differential.tools(TEXT), "tools_in_user_message": st.booleans()}
DATES = {"date_string": TEXT}
BUILTIN = {"builtin_tools": st.lists(st.sampled_from(differential.NAMES), max_size=3)}
WITHOUT_TOOLS = [
    ("meta-llama--Llama-2-7b-chat-hf", "llama-2-chat", {}),
    ("codellama--CodeLlama-34b-Instruct-hf", "codellama-instruct", {}),
    ("codellama--CodeLlama-70b-Instruct-hf", "codellama-70b-instruct", {}),
    ("meta-llama--Meta-Llama-3-8B-Instruct", "llama-3", {}),
]
WITH_TOOLS = [
    ("meta-llama--Llama-3.1-8B-Instruct", "llama-3.1", {**TOOLS, **DATES, **BUILTIN}),
    ("meta-llama--Llama-3.2-3B-Instruct", "llama-3.2", {**TOOLS, **DATES}),
    ("meta-llama--Llama-3.2-11B-Vision-Instruct", "llama-3.2-vision", {**TOOLS, **DATES}),
    ("meta-llama--Llama-4-Scout-17B-16E-Instruct", "llama-4", TOOLS),
]
SYSTEM = {"role": "system", "content": "Be brief."}
USER = {"role": "user", "content": "Hello!"}
ODD_MESSAGES = {
    "no text": {"role": "user", "content": None},
    "no content": {"role": "user"},
    "an answer without text": {"role": "assistant", "content": None},
    "a result without text": {"role": "tool", "content": None},
    "a result without content": {"role": "tool"},
    "a result of no parts": {"role": "tool", "content": []},
    "calls that are None": {"role": "assistant", "content": "a", "tool_calls": None},
    "no calls": {"role": "assistant", "content": "a", "tool_calls": []},
    "a result with no calls": {"role": "tool", "content": "a", "tool_calls": []},
    "text in another part": {
        "role": "user",
        "content": [{"type": "reasoning", "text": " a "}, {"type": "text", "text": " b "}],
    },
}


def template(name):
    return lect.get_conv_template(f"llama:{name}").template


@pytest.mark.parametrize(("slug", "name", "options"), in_turn([*WITHOUT_TOOLS, *WITH_TOOLS], 3))
def test_equals_the_makers_template_on_random_conversations(slug, name, options):
    differential.check(slug, template(name), parts=True, options=options)


@together("odd", ODD_MESSAGES)
@together(("slug", "name", "options"), [*WITHOUT_TOOLS, *WITH_TOOLS])
def test_equals_the_makers_template_on_odd_messages(slug, name, options, odd):
    message = ODD_MESSAGES[odd]
    for messages in ([message], [USER, message], [SYSTEM, message], [{**message, "role": "system"}, USER]):
        for tools in (None, [{"type": "function", "function": {"name": "a"}}]):
            differential.compare(slug, template(name), messages, tools=tools)


@pytest.mark.parametrize(("slug", "name", "options"), WITH_TOOLS)
def test_equals_the_makers_template_on_results_under_their_other_role(slug, name, options):
    differential.compare(slug, template(name), [USER, {"role": "ipython", "content": " 22 "}])
