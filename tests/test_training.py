"""Every template, for training: masks, sequences that see what a server sends, prompts that end within an answer."""

import hostile
import pytest
from sampling import one_a_style
from together import together

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

every_template = together("name", one_a_style(sorted(TEMPLATES)))


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
        # Muse Glimmer's models write themselves whom they speak to, and Inkling's open their messages.
        before = text[: text.index("Answer")].removeprefix(" to=user").removeprefix("<|message_model|>")
        assert not any(
            role.lower() in before.lower() for role in ("assistant", "user", "model", "system", "[/inst]")
        ), text


# Sequences


def cannot_write(prompts):
    """Return the messages that the format cannot write."""
    return [each.message for prompt in prompts for each in prompt.deviations if "cannot write" in each.reason]


@together("messages", [ROUNDS, WITH_REASONING], ids=["plain", "reasoning"])
@together("how", ["auto", "always"])
@every_template
def test_each_trained_answer_follows_what_a_server_sends_and_is_whole(name, how, messages):
    template = TEMPLATES[name]
    prompts = template.unroll(messages, how)
    seen = []
    for prompt in prompts:
        for turn in prompt.turns:
            if turn.message not in prompt.trains or messages[turn.message]["role"] != "assistant":
                continue
            seen.append(turn.message)
            assert prompt.text[: turn.start] == template.text(messages[: turn.message], add_generation_prompt=True)
            said = prompt.text[turn.start : turn.end]
            given = messages[turn.message]
            assert all(given[field] in said for field in ("content", "reasoning_content") if field in given)
        assert set(trained(prompt)) == prompt.trains
    assert sorted([*seen, *cannot_write(prompts)]) == [1, 3]
    assert how == "auto" or not seen or len(prompts) == len(seen)
    assert [prompt.text for prompt in template.unroll(messages, "never")] == [template.text(messages)]


@every_template
def test_a_prefix_is_stable_if_one_sequence_trains_all_answers(name):
    template = TEMPLATES[name]
    system = [{"role": "system", "content": "SystemE"}]
    for messages in ([*system, *WITH_REASONING], WITH_REASONING, [*system, *ROUNDS], ROUNDS):
        first_answer = len(messages) - 3
        try:
            reply = template.reply_text(messages[: first_answer + 1])
        except lect.MessageError:
            continue  # The model cannot reason here, or has no place for a system text.
        first = template.text(messages[:first_answer], add_generation_prompt=True) + reply.text
        assert template.prefix_stable == template.text(messages[:-1], add_generation_prompt=True).startswith(first)
        return


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
