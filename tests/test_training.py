"""Every template, for training: masks, sequences that see what a server sends, prompts that end within an answer."""

import hostile
import pytest
from sampling import one_a_style

import lect
from lect import LossPolicy

ROUNDS = [
    {"role": "user", "content": "QuestionA"},
    {"role": "assistant", "content": "AnswerB"},
    {"role": "user", "content": "QuestionC"},
    {"role": "assistant", "content": "AnswerD"},
]
WITH_REASONING = [
    {**message, "reasoning_content": f"Thought{index}"} if index % 2 else message
    for index, message in enumerate(ROUNDS)
]
TEMPLATES = hostile.installed() | {
    f"{plugin}:{name}": lect.template(f"{plugin}:{name}")
    for plugin in ("fastchat", "xtuner")
    for name in lect.templates()[plugin]
}
KEEPS_THE_LAST_ROUND = ("fastchat:cllm",)
"""Templates that drop all rounds but one: what is not there is not trained."""

every_template = pytest.mark.parametrize("name", one_a_style(sorted(TEMPLATES)))


def trained(prompt, policy=None):
    """Return the trained text of each message."""
    found = {}
    for span in prompt.loss_spans(policy):
        found[span.message] = found.get(span.message, "") + prompt.text[span.start : span.end]
    return found


@every_template
def test_a_mask_has_each_answer_and_no_question(name):
    prompt = TEMPLATES[name].render(ROUNDS)
    found = trained(prompt)
    assert sorted(found) == ([3] if name in KEEPS_THE_LAST_ROUND else [1, 3])
    for index, text in found.items():
        assert ROUNDS[index]["content"] in text
        assert "Question" not in text
    assert 0 < sum(map(len, found.values())) < len(prompt.text)


@every_template
def test_no_template_text_with_a_role_is_trained_with_an_answer(name):
    """The header of a turn is not part of what its speaker says."""
    template = TEMPLATES[name]
    prompt = template.render(ROUNDS)
    for text in trained(prompt, LossPolicy(stop="none")).values():
        before = text[: text.index("Answer")]
        assert not any(
            role.lower() in before.lower() for role in ("assistant", "user", "model", "system", "[/inst]")
        ), text


# Sequences

OPENS_WHAT_HISTORY_HAS_NOT = {
    "chatglm:chatglm-6b": "a lone question is sent bare, and has a round in history",
    "chatglm:glm-5": "the prompt opens reasoning, and history closes it where there was none",
    "deepseek:deepseek-r1": "the prompt opens reasoning, and history has none",
    "deepseek:deepseek-r1-distill": "the prompt opens reasoning, and history has none",
    "llama:codellama-70b-instruct": "the prompt names a destination, and history does not",
    "qwen:qwq": "the prompt opens reasoning, and history has none",
    "fastchat:yuan2": "the prompt ends with another separator than history has",
    "gemma:gemma-4-31b": "the prompt closes an empty thought, and history has none",
    **dict.fromkeys(
        (
            "minimax:minimax-m2", "minimax:minimax-m2.1", "minimax:minimax-m2.5", "minimax:minimax-m2.7",
            "nemotron:nemotron-3", "nemotron:nemotron-3.5",
            "olmo:olmo-3-think", "olmo:olmo-3-think-7b", "olmo:olmo-3.1-think",
        ),
        "the prompt opens reasoning, and history has none",
    ),
}  # fmt: skip
"""Formats in which no training text begins with the prompt that a server sends, and why."""

CLOSES_REASONING = {
    "hunyuan:hy3",
    "laguna:laguna-xs-2.1",
    "laguna:laguna-xs.2",
    "lfm2:lfm2.5-vl-450m",
    "qwen:qwen3.5-small",
}
"""Formats that do not think unless they are asked to: a server's prompt leaves no room for the reasoning given here."""


@pytest.mark.parametrize("messages", [ROUNDS, WITH_REASONING], ids=["plain", "reasoning"])
@pytest.mark.parametrize("how", ["auto", "always"])
@every_template
def test_each_trained_answer_sees_what_a_server_sends(name, how, messages):
    template = TEMPLATES[name]
    prompts = template.unroll(messages, how)
    seen = []
    for prompt in prompts:
        for turn in prompt.turns:
            if turn.message not in prompt.trains:
                continue
            seen.append(turn.message)
            served = template.text(messages[: turn.message], add_generation_prompt=True)
            is_asked = messages is ROUNDS or name not in CLOSES_REASONING
            if is_asked and name not in OPENS_WHAT_HISTORY_HAS_NOT:
                assert prompt.text[: turn.start] == served
        assert set(trained(prompt)) == prompt.trains
    assert seen == [1, 3]
    assert len(prompts) == 2 or how == "auto"
    assert [prompt.text for prompt in template.unroll(messages, "never")] == [template.text(messages)]


@pytest.mark.parametrize("name", sorted(OPENS_WHAT_HISTORY_HAS_NOT))
def test_the_exceptions_are_still_exceptions(name):
    template = TEMPLATES[name]
    served = template.text(ROUNDS[:1], add_generation_prompt=True)
    assert not template.text(ROUNDS[:2]).startswith(served)


@every_template
def test_a_stable_prefix_is_one_that_only_grows_and_needs_one_sequence(name):
    template = TEMPLATES[name]
    messages = WITH_REASONING if "reasoning" in template.capabilities else ROUNDS
    first = template.render(messages[:2])
    # Up to its stop: the text after that depends on what follows.
    end = first.text.rindex("AnswerB") + len("AnswerB")
    stops = [first.text.index(stop, end) + len(stop) for stop in template.stop if stop in first.text[end:]]
    end = min(stops, default=end)
    grows = template.text(messages).startswith(first.text[:end].rstrip())
    assert template.prefix_stable == grows
    assert len(template.unroll(messages)) == (1 if grows else 2)


def test_how_to_unroll_is_checked():
    with pytest.raises(lect.MaskError, match="unroll is 'sometimes'; expected one of 'never', 'auto', 'always'"):
        lect.template("chatml").unroll(ROUNDS, "sometimes")


# Prompts that end within an answer

BEGUN = [*ROUNDS[:3], {"role": "assistant", "content": "Sure, "}]


@every_template
def test_a_prompt_ends_with_the_beginning_of_an_answer(name):
    template = TEMPLATES[name]
    prompt = template.render(BEGUN, continue_final_message=True, add_generation_prompt=True)
    assert prompt.text == template.text(BEGUN[:-1], add_generation_prompt=True) + "Sure, "
    assert prompt.segments[-1] == lect.Segment("Sure, ", lect.Origin.INPUT, ("messages", 3, "content"), 0, 3)
    assert template.text(BEGUN, continue_final_message=True, add_generation_prompt=True) == prompt.text
    history = template.render(BEGUN, continue_final_message=True)
    assert template.text(BEGUN).startswith(history.text)
    assert history.text.endswith(("Sure, ", "Sure,"))


@pytest.mark.parametrize(
    "messages", [ROUNDS[:1], [], [*ROUNDS[:3], {"role": "assistant", "content": ""}], ["Hi"], None]
)
def test_what_cannot_be_continued_is_refused(messages):
    with pytest.raises(lect.MessageError):
        lect.template("chatml").render(messages, continue_final_message=True)
