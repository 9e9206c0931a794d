"""Masks of templates that carry `{% generation %}`, and prompts that end within an answer, compared with those of
transformers."""

import json
import re

import differential
import marked as makers
import pytest
import real_tokenizers
from shared import SHARED

import lect
import lect_jinja
from lect import LossPolicy

pytest.importorskip("transformers")
from transformers.utils.chat_template_utils import render_jinja_template

ORACLES = SHARED / "oracles"
ABSENT = "the makers' templates are not available: ../shared/oracles is missing"
CHAT = [
    {"role": "user", "content": "QuestionA"},
    {"role": "assistant", "content": "AnswerB"},
    {"role": "user", "content": "QuestionC"},
    {"role": "assistant", "content": "AnswerD"},
]
PARITY = LossPolicy(train_prefill=True, train_separator=True)

CHATML = """{%- for m in messages -%}
{%- if m.role == 'assistant' -%}
{{ '<|im_start|>assistant\\n' }}{% generation %}{{ m.content + '<|im_end|>' }}{% endgeneration %}{{ '\\n' }}
{%- else -%}{{ '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}{{ '<|im_start|>assistant\\n' }}{%- endif -%}"""
WRITTEN = {
    # name: (template, end, the policy that gives transformers' mask)
    "as we do it": (CHATML, "<|im_end|>", LossPolicy()),
    "with the separator (G3)": (
        CHATML.replace("{% endgeneration %}{{ '\\n' }}", "{{ '\\n' }}{% endgeneration %}"), "<|im_end|>", LossPolicy(train_separator=True),
    ),
    "with the prefill (G2)": (
        CHATML.replace("{{ m.content +", "{{ '<think>\\n\\n</think>\\n\\n' + m.content +").replace(
            "-%}{{ '<|im_start|>assistant\\n' }}{%- endif -%}", "-%}{{ '<|im_start|>assistant\\n<think>\\n\\n</think>\\n\\n' }}{%- endif -%}"
        ), "<|im_end|>", LossPolicy(train_prefill=True),
    ),
    "without the stop": (CHATML.replace("m.content + '<|im_end|>' }}{% endgeneration %}", "m.content }}{% endgeneration %}{{ '<|im_end|>' }}"), "<|im_end|>", LossPolicy(stop="none")),
    "an empty generation prompt": (
        "{% for m in messages %}{% if m.role == 'user' %}{{ '[INST] ' + m.content + ' [/INST]' }}{% else %}"
        "{% generation %}{{ ' ' + m.content + '</s>' }}{% endgeneration %}{% endif %}{% endfor %}", "</s>", LossPolicy(),
    ),
}  # fmt: skip


def theirs(source, messages, **tokens):
    """Return transformers' text, and what it marks for each answer."""
    (text,), (spans,) = render_jinja_template(
        [messages], chat_template=source, return_assistant_tokens_mask=True, **tokens
    )
    return text, [text[start:end] for start, end in spans if end > start]


def ours(template, messages, policy):
    prompt = template.render(messages)
    found = {}
    for span in prompt.loss_spans(policy):
        found[span.message] = found.get(span.message, "") + prompt.text[span.start : span.end]
    return prompt.text, list(found.values())


@pytest.mark.parametrize("name", WRITTEN)
def test_masks_are_those_of_transformers_or_differ_by_a_rule(name):
    source, eos, policy = WRITTEN[name]
    template = lect_jinja.load({"chat_template": source, "eos_token": eos}, name="own")
    assert ours(template, CHAT, policy) == theirs(source, CHAT)
    # The mark itself plays no part.
    unmarked = lect_jinja.load(
        {"chat_template": re.sub(r"{%-?\s*(end)?generation\s*-?%}", "", source), "eos_token": eos}, name="unmarked"
    )
    assert ours(unmarked, CHAT, policy) == theirs(source, CHAT)


HEADER = "it also trains the header of the turn, which the generation prompt always supplies (G1)"
FINAL_EOS = "it marks an end of the text that belongs to no turn"
BY_RULE = {
    "HuggingFaceTB--SmolLM3-3B": HEADER,
    "deepseek-ai--DeepSeek-R1-Distill-Qwen-7B--training": HEADER,
    "poolside--Laguna-S-2.1": HEADER,
    "poolside--Laguna-XS-2.1": HEADER,
    "poolside--Laguna-XS.2": HEADER,
    "microsoft--Phi-3-mini-4k-instruct--training": FINAL_EOS,
    "microsoft--Phi-3.5-mini-instruct--training": FINAL_EOS,
}


def marked():
    """Return the makers' templates that carry the mark, with their tokens."""
    if not ORACLES.exists():
        return {}
    found = {}
    for row in json.loads((ORACLES / "index.json").read_text("utf-8")):
        path = ORACLES / "jinja" / f"{row['slug']}.jinja"
        source = path.read_text("utf-8") if path.exists() else ""
        if re.search(r"{%-?\s*generation", source):
            tokens = {name: value for name, value in (row["special_tokens"] or {}).items() if isinstance(value, str)}
            found[row["slug"]] = source, tokens
    return found


MARKED = marked()


def test_the_makers_templates_are_here():
    if not ORACLES.exists():
        pytest.skip(ABSENT)
    assert len(MARKED) > 20
    assert set(BY_RULE) <= set(MARKED)


@pytest.mark.parametrize("slug", MARKED)
def test_makers_masks_are_ours_with_prefill_and_separator(slug):
    source, tokens = MARKED[slug]
    template = lect_jinja.load({"chat_template": source, **tokens}, name=slug)
    text, expected = theirs(source, differential.in_parts(slug, CHAT), **tokens)
    policies = (LossPolicy(), LossPolicy(train_separator=True), PARITY)
    found = [ours(template, CHAT, policy) for policy in policies]
    assert {each for each, _ in found} == {text}
    if slug not in BY_RULE:
        assert expected in [masks for _, masks in found]
    elif BY_RULE[slug] is HEADER:
        headers = [mine.removesuffix(more) for mine, more in zip(expected, found[2][1], strict=True)]
        asked = template.text(CHAT[:1], add_generation_prompt=True).partition("QuestionA")[2]
        assert all(header and header in asked for header in headers)
    else:
        assert "".join(expected) == "".join(found[2][1])


# Marks that are followed

MARKS = LossPolicy(marks="template", boundary="whole", allow_uniform=True)
MARKS_NO_STOP = "llava-hf--llava-onevision-qwen2-7b-ov-hf"
"""Its marks end with the last character of an answer. If that is no character to the tokenizer, as an accent that it
joins to its letter, transformers trains the rest of the text; and if it is several tokens, only the first of them."""


def given(template, messages):
    """Return messages as a template takes them."""
    if "parts" not in template.accepts:
        return messages
    return [{**each, "content": [{"type": "text", "text": each["content"]}]} for each in messages]


@pytest.mark.parametrize("slug", makers.sources())
def test_marks_are_followed_as_in_transformers(slug):
    (source, tokens), template = makers.sources()[slug], makers.ours(slug)
    messages = given(template, CHAT)
    (text,), (spans,) = render_jinja_template(
        [messages], chat_template=source, return_assistant_tokens_mask=True, **tokens
    )
    prompt = template.render(messages)
    assert (prompt.text, prompt.marked) == (text, [span for span in spans if span[0] < span[1]])
    if "strftime_now" not in source:
        assert makers.theirs(slug, messages) == (prompt.text, prompt.marked)


@pytest.mark.parametrize("name", real_tokenizers.names())
def test_masks_of_tokens_are_those_of_transformers(name):
    from transformers import PreTrainedTokenizerFast

    tokenizer = real_tokenizers.tokenizer(name)
    theirs = PreTrainedTokenizerFast(tokenizer_object=tokenizer)
    compared = 0
    for slug, (source, tokens) in makers.sources().items():
        template = makers.ours(slug)
        for messages in map(given, [template] * 12, real_tokenizers.chats(slug, 12)):
            try:
                row = theirs.apply_chat_template(
                    messages, chat_template=source, return_dict=True, return_assistant_tokens_mask=True, **tokens
                )
            # A template may refuse a system text, or crash in any way.
            except Exception:
                continue
            prompt = template.render(messages)
            encoded = prompt.encode(tokenizer, safe=False, policy=MARKS, strict=False)
            first = len(encoded.ids) - len(row["input_ids"])
            assert encoded.ids[first:] == row["input_ids"]
            starts = {start for start, _ in prompt.marked}
            for weight, expected, (begin, end) in zip(
                encoded.weights[first:], row["assistant_masks"], encoded.offsets[first:], strict=True
            ):
                if weight != expected and slug != MARKS_NO_STOP:
                    # We do not train a token that begins in the prompt; transformers does.
                    assert (weight, expected) == (0, 1)
                    assert starts.intersection(range(begin + 1, end))
            compared += 1
    assert compared > 200


# Prompts that end within an answer

MODELS = {}
if ORACLES.exists():
    for model, slug in json.loads((ORACLES / "resolution.json").read_text("utf-8")).items():
        MODELS.setdefault(slug, model)
BEGUN = [*CHAT[:3], {"role": "assistant", "content": "Sure, here"}]


@pytest.mark.parametrize("slug", MODELS)
def test_the_beginning_of_an_answer_is_continued_as_in_transformers(slug):
    rows = {row["slug"]: row for row in json.loads((ORACLES / "index.json").read_text("utf-8"))}
    tokens = {name: value for name, value in (rows[slug]["special_tokens"] or {}).items() if isinstance(value, str)}
    source = (ORACLES / "jinja" / f"{slug}.jinja").read_text("utf-8")
    template = lect.get_template(MODELS[slug])
    (expected,), _ = render_jinja_template([BEGUN], chat_template=source, continue_final_message=True, **tokens)
    assert template.text(BEGUN, continue_final_message=True) == expected
