"""Odd but ordinary inputs: each was handled wrongly once, and is compared with the maker's template."""

import json

import differential
import goldens
import pytest
from shared import SHARED

import lect

RESOLUTION = json.loads((goldens.REPOSITORY / "tests/data/resolution.json").read_text("utf-8"))["models"]
USER = {"role": "user", "content": "Hi"}


def call(arguments):
    return {"id": "call00001", "type": "function", "function": {"name": "f", "arguments": arguments}}


CASES = {
    "an empty system text and no effort to speak of": (
        "Qwen--Qwen3.8-27B",
        [{"role": "system", "content": ""}, USER],
        {"reasoning_effort": "medium"},
    ),
    "a thought that ends in the second part": (
        "Qwen--Qwen3.5-27B",
        [
            USER,
            {
                "role": "assistant",
                "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b</think>c"}],
            },
        ],
        {},
    ),
    "tools that are a text": ("THUDM--glm-4-9b-chat", [{"role": "system", "content": "x", "tools": "none"}, USER], {}),
    "arguments that are an empty text": (
        "zai-org--GLM-4.6",
        [USER, {"role": "assistant", "content": "", "tool_calls": [call("")]}],
        {},
    ),
    "an empty list of calls, Llama 3.1": (
        "meta-llama--Llama-3.1-8B-Instruct",
        [USER, {"role": "assistant", "content": "x", "tool_calls": []}],
        {},
    ),
    "an empty list of calls, Llama 4": (
        "meta-llama--Llama-4-Scout-17B-16E-Instruct",
        [USER, {"role": "assistant", "content": "x", "tool_calls": []}],
        {},
    ),
    "arguments as JSON text": (
        "google--gemma-4-E2B-it--ollama-2026-07-14",
        [USER, {"role": "assistant", "content": "", "tool_calls": [call('{"x": "y"}')]}],
        {},
    ),
    "a preamble as an option": (
        "CohereLabs--c4ai-command-r7b-12-2024",
        [USER],
        {"developer_preamble": "Be brief.", "documents": [{"title": "t", "text": "x"}]},
    ),
    "a preamble as an option that is a message": (
        "CohereLabs--command-a-reasoning-08-2025",
        [USER],
        {"developer_preamble": {"role": "system", "content": "Be brief."}},
    ),
    "parts for a format of text alone": (
        "Qwen--Qwen3-4B",
        [{"role": "user", "content": [{"type": "text", "text": "x"}]}],
        {},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_it_is_written_as_the_makers_template_writes_it(name):
    slug, messages, options = CASES[name]
    template = lect.get_template(next(model for model, each in RESOLUTION.items() if each == slug))
    assert template.text(messages, add_generation_prompt=True, **options)
    differential.compare(slug, template, messages, add_generation_prompt=True, **options)


@pytest.mark.parametrize("name", ["V3", "V2.5", "R1-Distill-Llama-8B"])
def test_arguments_as_text_stay_as_they_are_where_calls_are_written_only_beside_a_null_content(name):
    slug, arguments = f"deepseek-ai--DeepSeek-{name}", '{"n":1e5}'
    messages = [USER, {"role": "assistant", "content": None, "tool_calls": [call(arguments)]}]
    tokens = differential.reference().INDEX[slug]["special_tokens"]
    source = (SHARED / f"oracles/jinja/{slug}.jinja").read_text("utf-8")
    makers = lect.load_template({"chat_template": source, **tokens})
    for template in (lect.get_template(f"deepseek-ai/DeepSeek-{name}"), makers):
        assert arguments in template.text(messages)
        differential.compare(slug, template, messages)


def test_a_preamble_that_is_a_text_is_refused_by_the_format_that_would_drop_it():
    template = lect.get_template("CohereLabs/command-a-reasoning-08-2025")
    with pytest.raises(lect.MessageError, match=r"option developer_preamble is 'Be brief\.'"):
        template.text([USER], developer_preamble="Be brief.")


def test_a_thought_that_the_format_takes_out_of_a_content_is_reported():
    messages = [USER, {"role": "assistant", "content": "<think>\nHm.\n</think>\n\n42"}, USER]
    for model in ("Qwen/QwQ-32B", "Qwen/Qwen3-8B", "deepseek-ai/DeepSeek-R1", "zai-org/GLM-4.5"):
        assert lect.render(model, messages).unused == (lect.Unused(("messages", 1, "content"), "by-rule"),)
    assert lect.render("Qwen/Qwen2.5-7B-Instruct", messages).unused == ()
