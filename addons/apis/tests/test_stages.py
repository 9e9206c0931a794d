"""Replies that are read in two stages, as servers do: first reasoning, then calls."""

import pytest

import lect
from lect.plugin import Template
from lect.plugin.grammar import JSON_IN_TAGS, THINK, Grammar
from lect_apis import Stages, add_up


def write(chat, out):
    for message in out.turns(chat.messages):
        out += "<|im_start|>", message.role, "\n", message.content, "<|im_end|>\n"
    if chat.add_generation_prompt:
        out.append("<|im_start|>assistant\n")
        if not chat.options.get("enable_thinking", True):
            out.append("<think>\n\n</think>\n\n")


FORMAT = Template(
    "thinking",
    write,
    reply=Grammar("thinking", reasoning=THINK, sections=(JSON_IN_TAGS,)),
    stop={"<|im_end|>": None},
    markers=("<|im_start|>", "<|im_end|>"),
    options=("enable_thinking",),
)
CALL = '<tool_call>\n{"name": "f", "arguments": {"x": [1, "a"]}}\n</tool_call>'
TEXTS = [
    "", "Hi!<|im_end|>", f"<think>\nAsk.\n</think>\n\nSee: {CALL}{CALL}<|im_end|>", f"See: {CALL} Done.<|im_end|>",
    f"See: {CALL[:-20]}", "<think>As", "<think>\nHm.\n</think>\n\n", f"<think>\nHm.\n</think>\n\n{CALL}",
]  # fmt: skip


def read(text, size, **arguments):
    """Return what both stages read, as vLLM runs them: the second one takes over where the first has found content."""
    stages = Stages(FORMAT)
    first, second = stages.reasoning_stream(**arguments), stages.tool_stream(None)
    deltas, began = [], False
    for chunk in (text[at : at + size] for at in range(0, len(text), size)):
        if not began:
            delta = add_up(first.feed(chunk))
            deltas.append(delta._replace(content=""))
            began = bool(delta.content)
            chunk = delta.content + add_up(first.finish()).content if began else ""
        deltas.append(add_up(second.feed(chunk)))
    rest = add_up(first.finish())
    deltas += [rest._replace(content=""), add_up(second.feed(rest.content)), add_up(second.finish())]
    calls = {}
    for call in (call for delta in deltas for call in delta.calls):
        whole = calls.setdefault(call["index"], {"name": "", "arguments": ""})
        whole["name"] += call.get("name", "")
        whole["arguments"] += call["arguments"]
    return "".join(each.reasoning for each in deltas), "".join(each.content for each in deltas), [*calls.values()]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_two_stages_read_what_one_reads(text, size):
    reply = FORMAT.parse(text)
    message = reply.to_openai()
    calls = [call["function"] for call in message.get("tool_calls", ())]
    assert read(text, size) == (reply.reasoning or "", reply.content, calls)


def test_ids_of_calls_are_unique_unless_the_family_has_its_own():
    ids = [add_up(Stages(FORMAT).tool_stream(None).feed(CALL)).calls[0]["id"] for _ in range(2)]
    assert ids[0] != ids[1]
    own = FORMAT.but(reply=FORMAT.reply.but(ids="functions.{name}:{index}"))
    assert add_up(Stages(own).tool_stream(None).feed(CALL)).calls[0]["id"] == "functions.f:0"


def test_the_options_of_a_request_decide_how_the_prompt_ends():
    stages = Stages(FORMAT)
    assert stages.prompt({"enable_thinking": False, "unheard_of": 1}).endswith("</think>\n\n")
    assert not stages.ended(stages.prompt({}))
    assert stages.ended(stages.prompt({"enable_thinking": False}))
    assert not stages.ended("<think>a</think>b<|im_end|>\n<|im_start|>assistant\n")
    assert not stages.ended("<|im_start|>assistant\n<think>a</think><think>")
    assert stages.ends_within("a</think>")
    assert stages.after_reasoning() == {"prompt": stages.prompt({}), "reasoning": False}
    opened = FORMAT.but(program=lambda chat, out: out.append("<|im_start|>assistant\n<think>\n"))
    assert Stages(opened).after_reasoning()["prompt"].endswith("<think>\n</think>")


def test_a_template_that_refuses_the_question_does_not_refuse_the_reply():
    def refuse(chat, out):
        raise lect.RefusedError("no")

    assert Stages(FORMAT.but(program=refuse)).prompt({}) is None


def test_a_format_without_reasoning_has_always_ended_it():
    assert Stages(FORMAT.but(reply=Grammar("calls", sections=(JSON_IN_TAGS,)))).ended("anything")


def test_reasoning_that_opens_again_is_left_to_the_second_stage():
    anywhere = FORMAT.but(reply=FORMAT.reply.but(reasoning=THINK.but(special=True)))
    delta = add_up(Stages(anywhere).tool_stream(None, reasoning=True).feed("Hm. <think>a</think>b"))
    assert (delta.reasoning, delta.content) == ("a", "Hm. b")
