"""An answer is trained as the model writes it after the prompt that a server sends."""

import pickle
import warnings

import pytest
from tiny_tokenizer import Tiny

import lect
from lect import LossPolicy, MaskError, MessageError
from lect.errors import ServedDifferentlyWarning
from lect.plugin import CHATML, Template, Turn, TurnTemplate
from lect.plugin.grammar import CallSyntax, Grammar, Json, Reasoning, Section

UNKNOWN = Reasoning(("<think>",), ("</think>",), lead="\n", trail="\n", after="\n")
THINK = UNKNOWN.but(written=("\n", "\n</think>\n\n"))
MARKERS = ["<|user|>", "<|assistant|>", "<|end|>", "<think>", "</think>"]
QUESTION = {"role": "user", "content": "6 times 7?"}
ANSWER = {"role": "assistant", "content": "42.", "reasoning_content": "Multiply."}
TALK = [QUESTION, ANSWER, {"role": "user", "content": "Sure?"}, {**ANSWER, "content": "Yes."}]


def forgetful(chat, out):
    """Write a format whose prompt opens reasoning, and whose history has none: as DeepSeek-R1's."""
    for message in chat.messages:
        out.turn(message)
        out += "<|", message.role, "|>", message.content
        out.by_rule(message.reasoning)
        if message.role == "assistant":
            out.append("<|end|>")
    out.turn(None)
    if chat.add_generation_prompt:
        out.append("<|assistant|><think>\n" if chat.option("thinking", True) else "<|assistant|></think>")


def template(reasoning=THINK, **facts):
    return Template(
        "forgetful",
        forgetful,
        reply=Grammar("forgetful", reasoning),
        stop=["<|end|>"],
        markers=MARKERS,
        capabilities=["reasoning"],
        options=["thinking"],
        **facts,
    )


def trained(prompt, policy=None):
    return [prompt.text[span.start : span.end] for span in prompt.loss_spans(policy)]


def test_a_reply_goes_on_where_the_prompt_ends():
    reply = template().reply_text(TALK)
    assert reply.text == "Multiply.\n</think>\n\nYes.<|end|>"
    assert [(segment.text, segment.path) for segment in reply.segments if segment.path] == [
        ("Multiply.", ("messages", 3, "reasoning_content")),
        ("Yes.", ("messages", 3, "content")),
    ]
    parsed = template().parse(reply.text, prompt=template().text(TALK[:3], add_generation_prompt=True))
    assert (parsed.reasoning, parsed.content, parsed.stop) == ("Multiply.", "Yes.", "<|end|>")
    assert (
        pickle.loads(pickle.dumps(CHATML.reply_text([QUESTION, {**ANSWER, "reasoning_content": ""}]))).text
        == "42.<|im_end|>"
    )


def test_a_sequence_is_the_served_prompt_and_the_reply():
    prompts = template().unroll(TALK)
    assert [prompt.trains for prompt in prompts] == [{1}, {3}]
    for prompt, end in zip(prompts, (1, 3), strict=True):
        served = template().text(TALK[:end], add_generation_prompt=True)
        assert prompt.text == served + template().reply_text(TALK[: end + 1]).text
        assert trained(prompt) == ["Multiply.\n</think>\n\n", TALK[end]["content"], "<|end|>"]
    assert not template().prefix_stable


def test_reasoning_that_the_prompt_opens_is_closed_and_reported():
    plain = [QUESTION, {"role": "assistant", "content": "42."}]
    (prompt,) = template().unroll(plain)
    assert trained(prompt) == ["\n</think>\n\n42.", "<|end|>"]
    assert [deviation.reason for deviation in prompt.deviations] == [
        "the prompt opens reasoning, but none is given: an empty one is trained"
    ]


@pytest.mark.parametrize(
    ("facts", "messages", "options", "says"),
    [
        ({}, [QUESTION], {}, "expected an assistant's"),
        ({}, [], {}, "expected an assistant's"),
        ({"reasoning": UNKNOWN}, TALK, {}, "how the model writes reasoning is not known"),
        ({}, TALK, {"thinking": False}, "the prompt tells the model not to reason\n  try: thinking=True"),
        ({}, [QUESTION, {**ANSWER, "content": "a<|end|>b"}], {}, "its text contains a stop"),
    ],
)
def test_what_a_model_cannot_write_is_refused(facts, messages, options, says):
    with pytest.raises(MessageError) as caught:
        template(**facts).reply_text(messages, **options)
    assert says in str(caught.value)


def test_a_format_without_reasoning_or_calls_says_so():
    with pytest.raises(MessageError, match="no place for reasoning"):
        CHATML.reply_text([QUESTION, ANSWER])
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": {}}}
    with pytest.raises(MessageError, match="does not write its tool calls"):
        CHATML.reply_text([QUESTION, {"role": "assistant", "content": "", "tool_calls": [call]}])


def test_an_answer_that_cannot_be_written_is_left_out_and_reported():
    messages = [*TALK[:2], TALK[2], {"role": "assistant", "content": "a<|end|>b"}]
    (prompt,) = template().unroll(messages)
    assert prompt.trains == {1}
    ((message, reason, kind),) = prompt.deviations
    assert (message, kind) == (3, "left_out")
    assert "its text contains a stop" in reason


def test_one_sequence_that_is_not_true_says_so():
    prompt = template().render(TALK)
    assert [*prompt.deviations] == [
        (1, "its reasoning is not in the text: the format leaves it out of history", "differs"),
        (3, "its reasoning is not in the text: the format leaves it out of history", "differs"),
    ]
    plain = template().render([QUESTION, {"role": "assistant", "content": "42."}])
    assert "a server sends '<think>\\n' where this text has '42.<|end|>'" in plain.deviations[0].reason
    assert CHATML.render([QUESTION, {"role": "assistant", "content": "42."}]).deviations == ()


@pytest.mark.filterwarnings("ignore::lect.errors.ServedDifferentlyWarning")
def test_a_report_has_the_deviations_and_strict_refuses_them():
    tokenizer = Tiny(*MARKERS)
    with lect.register(Adapter(template()), name="forgetful"):
        encode = {"policy": LossPolicy()}
        assert len(lect.encode("forgetful-7b", TALK, tokenizer, **encode).report.deviations) == 2
        assert all(
            not each.report.deviations for each in lect.encode("forgetful-7b", TALK, tokenizer, unroll="auto", **encode)
        )
        with pytest.raises(MaskError, match=r"not what a server makes the model write\n  messages\[1\]: its reasoning"):
            lect.encode("forgetful-7b", TALK, tokenizer, strict=True, **encode)
        stored = [QUESTION, {"role": "assistant", "content": "<think>Hm.</think>42."}]
        reasons = [each.reason for each in lect.encode("forgetful-7b", stored, tokenizer, **encode).report.deviations]
        assert any("messages[1].content spells out '<think>'" in reason for reason in reasons)


def test_training_otherwise_than_serving_warns_once_for_each_line_that_asks():
    tokenizer, policy = Tiny(*MARKERS), LossPolicy()
    talks = [[{**message, "content": f"{message['content']} {n}"} for message in TALK] for n in range(3)]
    prompts = [template().render(talk) for talk in (*talks, [QUESTION, {"role": "assistant", "content": "4."}])]
    with lect.register(Adapter(template()), name="forgetful"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for prompt in prompts:
            prompt.encode(tokenizer, policy=policy)
        for talk in talks:
            lect.encode("forgetful-7b", talk, tokenizer, policy=policy)
            lect.encode("forgetful-7b", talk, tokenizer, policy=policy, unroll="auto")
            lect.encode("forgetful-7b", talk, tokenizer)
        prompts[0].encode(tokenizer, policy=policy, strict=False)
        warnings.simplefilter("always")
        for prompt in prompts[2:]:
            prompt.encode(tokenizer, policy=policy)
    assert [(each.category, each.filename) for each in caught] == [(ServedDifferentlyWarning, __file__)] * 4
    assert str(caught[0].message) == (
        "2 of the answers would be written otherwise on a server\n"
        "  messages[1]: its reasoning is not in the text: the format leaves it out of history\n"
        "  try: lect.encode(..., unroll='auto'), which trains what is served"
    )
    assert "a server sends" in str(caught[3].message)
    with pytest.raises(MaskError, match=r"not what a server makes the model write\n  messages\[1\]: its reasoning"):
        prompts[0].encode(tokenizer, policy=policy, strict=True)


class Adapter:
    def __init__(self, own):
        self.own = own

    @lect.plugin.hookimpl
    def match(self, model_path):
        return lect.plugin.Match(lect.plugin.Specificity.NAME, "forgetful") if "forgetful" in str(model_path) else None

    @lect.plugin.hookimpl
    def get_template(self, model_path):
        return self.own


def test_prompt_and_reply_are_encoded_apart_whatever_carries_loss():
    tokenizer = Tiny(*MARKERS)
    (prompt,) = template().unroll([QUESTION, {"role": "assistant", "content": "42."}])
    for policy in (LossPolicy(), LossPolicy(reasoning=0)):
        served = template().render([QUESTION], add_generation_prompt=True).encode(tokenizer).ids
        assert prompt.encode(tokenizer, policy=policy).ids[: len(served)] == served


def test_a_last_answer_that_is_trained_is_given_its_stop():
    glm = TurnTemplate(
        "glm",
        user=Turn("<|user|>\n", ""),
        assistant=Turn("<|assistant|>\n", ""),
        generation="<|assistant|>",
        stop=["<|user|>", "<|observation|>"],
    )
    tokenizer = Tiny("<|user|>", "<|assistant|>", "<|observation|>")
    talk = [{**message, "reasoning_content": None} for message in TALK]
    prompt = glm.render(talk)
    without = prompt.encode(tokenizer, policy=LossPolicy(stop="none"))
    assert without.report.stops_lost == (3,)
    assert without.ids == prompt.encode(tokenizer).ids
    for policy in (LossPolicy(), LossPolicy(stop="last")):
        stopped = prompt.encode(tokenizer, policy=policy)
        assert stopped.report.stops_lost == ()
        assert stopped.ids == [*without.ids, tokenizer.control_tokens()["<|user|>"]]
        assert stopped.labels[-1] == stopped.ids[-1]
    unended = [
        glm.render([*talk[:3], {**talk[3], "train": False}]),
        glm.render(talk, continue_final_message=True),
        glm.render(talk, add_generation_prompt=True),
    ]
    for prompt in unended:
        assert prompt.encode(tokenizer, policy=LossPolicy()).ids == prompt.encode(tokenizer).ids


def test_the_token_with_which_a_format_ends_an_answer_is_its_only_stop():
    own = TurnTemplate(
        "own",
        user=Turn("<|user|>", ""),
        assistant=Turn("<|assistant|>", "<|done|>\n"),
        generation="<|assistant|>",
        stop=["<|eos|>"],
        markers=["<|user|>", "<|assistant|>", "<|done|>"],
    )
    messages = [QUESTION, {"role": "assistant", "content": "42."}]
    assert own.reply_text(messages).text == "42.<|done|>"
    assert [trained(prompt) for prompt in (*own.unroll(messages), own.render(messages))] == [["42.", "<|done|>"]] * 2


def results_within(chat, out):
    """Write results of calls into the turn that has called: as Gemma 4's own template."""
    for message in chat.messages:
        if message.role == "tool":
            continue
        out.turn(message)
        out += "<|", message.role, "|>"
        for call in message.tool_calls:
            out += "<call>", call.name, "</call>"
        for result in chat.messages[message.index + 1 : message.index + 2] if message.tool_calls else ():
            out += "<result>", message.tool_calls[0].name, ":", result.content, "</result>"
        out += message.content, "<|end|>" if message.role == "assistant" else ""
    out.turn(None)
    if chat.add_generation_prompt:
        out.append("<|assistant|>")


def test_a_result_in_the_turn_of_its_call_is_not_trained_nor_what_is_around_it():
    section = Section((CallSyntax(Json()),), ("<call>",), ("</call>",))
    own = Template("within", results_within, reply=Grammar("within", sections=(section,)), stop=["<|end|>"])
    called = {"id": "c", "type": "function", "function": {"name": "f", "arguments": {}}}
    messages = [
        QUESTION,
        {"role": "assistant", "content": "", "tool_calls": [called]},
        {"role": "tool", "tool_call_id": "c", "content": "RESULT"},
        {"role": "assistant", "content": "Done."},
    ]
    assert trained(own.render(messages)) == ["<call>f</call>", "Done.", "<|end|>"]
