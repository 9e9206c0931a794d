"""Masks that follow the `{% generation %}` marks of makers' templates, beside those of transformers.

An ordinary run tries every template with a few conversations of the battery, different ones for each; `LECT_STRESS=1`
tries each with all.
"""

import json
from datetime import datetime

import goldens
import marked
import pytest
from sampling import STRESS, in_turn
from shared import SHARED

import lect
import lect_jinja
from lect import LossPolicy, MaskError

if not marked.sources():
    pytest.skip("the makers' templates are not available: ../shared is missing", allow_module_level=True)

SLUGS = list(marked.sources())
MARKS = LossPolicy(marks="template")
THE_MOMENT = datetime(2024, 7, 26, 12)
EVERY = 1 if STRESS else 6
"""One in this many conversations is tried."""
INDEX = json.loads((SHARED / "oracles/index.json").read_text("utf-8"))
FROM_TRL = [row["slug"] for row in INDEX if row["source"].startswith("pypi:trl@") and "_training" in row["source"]]


def clock(template):
    return {"date": THE_MOMENT} if "date" in template.options else {}


def test_the_makers_templates_are_here():
    assert (len(SLUGS), len(FROM_TRL)) == (34, 19)


@pytest.mark.parametrize("slug", in_turn(SLUGS, 3))
def test_what_carries_loss_is_what_transformers_marks(slug):
    template = marked.ours(slug)
    compared = 0
    for case in list(goldens.battery().values())[SLUGS.index(slug) % EVERY :: EVERY]:
        arguments = {key: case.get(key) for key in ("messages", "tools", "add_generation_prompt")}
        try:
            text, marks = marked.theirs(slug, **arguments)
        # A template may crash in any way.
        except Exception:
            continue
        prompt = template.render(**arguments, **clock(template))
        assert (prompt.text, prompt.marked) == (text, marks)
        trained = [place for span in prompt.loss_spans(MARKS) for place in range(span.start, span.end)]
        assert trained == [place for start, end in marks for place in range(start, end)]
        compared += 1
    assert compared


def test_marks_are_the_same_in_a_process_of_its_own():
    source, tokens = marked.sources()["Qwen--Qwen3-8B--training"]
    isolated = lect_jinja.load({"chat_template": source, **tokens}, isolate=True)
    for case in list(goldens.battery().values())[:: 5 * EVERY]:
        text, marks = marked.theirs("Qwen--Qwen3-8B--training", case["messages"], case.get("tools"))
        prompt = isolated.render(case["messages"], tools=case.get("tools"))
        assert (prompt.text, prompt.marked) == (text, marks)


# Models on disk

CHAT = [
    {"role": "user", "content": [{"type": "text", "text": "QuestionA"}]},
    {"role": "assistant", "content": [{"type": "text", "text": "AnswerB"}]},
    {"role": "user", "content": [{"type": "text", "text": "QuestionC"}]},
    {"role": "assistant", "content": [{"type": "text", "text": "AnswerD"}]},
]


@pytest.mark.parametrize("slug", SLUGS if STRESS else SLUGS[::4])
def test_a_model_of_a_known_family_is_loaded_by_its_path_to_follow_its_marks(slug, tmp_path):
    source, tokens = marked.sources()[slug]
    (tmp_path / "chat_template.jinja").write_text(source, "utf-8")
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(tokens))
    family, own = lect.get_template(tmp_path), lect.load_template(tmp_path)
    prompt = own.render(CHAT, **clock(own))
    assert (prompt.text, prompt.marked) == marked.theirs(slug, CHAT)
    if not isinstance(family, lect_jinja.JinjaTemplate):
        with pytest.raises(MaskError, match=r"has no {% generation %} marks.*\n.*\n.*lect\.load_template\(path\)"):
            family.render(CHAT, **clock(family)).loss_spans(MARKS)


# What marks train beyond what a model has to write: docs/how-to/train-on-what-you-serve.md

OF_THE_PROMPT = {
    "Qwen--Qwen3.5-0.8B--training": "<think>\n\n</think>\n\n",
    "Qwen--Qwen3.5-27B--training": "<think>\n",
    "Qwen--Qwen3.8-27B--training": "<think>\n",
    "deepseek-ai--DeepSeek-R1-Distill-Qwen-7B--training": "<｜Assistant｜>",
    "nvidia--NVIDIA-Nemotron-3-Super--training": "<think>",
    "nvidia--NVIDIA-Nemotron-3.5-Lightning--training": "<think>",
    "HuggingFaceTB--SmolLM3-3B": "<|im_start|>assistant\n",
    "poolside--Laguna-S-2.1": "<assistant><think>",
    "poolside--Laguna-XS-2.1": "<assistant>\n</think>",
    "poolside--Laguna-XS.2": "<assistant>\n</think>",
}
"""Templates whose marks begin before the generation prompt ends, and what of it they train."""
NO_NEWLINE = {
    "CohereLabs--aya-expanse-8b--training",
    "deepseek-ai--DeepSeek-R1-Distill-Qwen-7B--training",
    "llava-hf--llava-v1.6-mistral-7b-hf--training",
    "meta-llama--Meta-Llama-3-8B-Instruct--training",
}
"""Those of TRL whose marks end with the stop; all others also train the line end after it."""


@pytest.mark.parametrize("slug", SLUGS)
def test_marks_train_a_part_of_the_prompt_where_the_page_says_so(slug):
    template = marked.ours(slug)
    prompt = template.render(CHAT[:2], **clock(template))
    start, end = prompt.marked[0]
    served = template.text(CHAT[:1], add_generation_prompt=True, **clock(template))
    alike = next(
        (place for place, pair in enumerate(zip(prompt.text, served, strict=False)) if pair[0] != pair[1]),
        min(len(prompt.text), len(served)),
    )
    assert prompt.text[start:alike] == OF_THE_PROMPT.get(slug, "")
    if slug in FROM_TRL:
        assert prompt.text[:end].endswith("\n") == (slug not in NO_NEWLINE)


def test_the_marks_of_llava_onevision_leave_out_the_stop():
    prompt = marked.ours("llava-hf--llava-onevision-qwen2-7b-ov-hf").render(CHAT)
    assert [prompt.text[start:end] for start, end in prompt.marked] == ["AnswerB", "AnswerD"]
