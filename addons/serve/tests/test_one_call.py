"""With `parallel_tool_calls: false` a client gets one call at most, whatever the model writes."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from installed_templates import installed
from sampling import in_turn
from talking_agent import DONE, LOOK, QUESTION, Agent, rows
from together import together

import lect
from lect import LectError
from lect.addon import Decoder, encoder_of
from lect_rollout import Rollout
from lect_serve.model import ByteTokenizer
from lect_serve.one_call import OneCall

FIND = {"type": "function", "function": {**LOOK["function"], "name": "find"}}
THOUGHT = "<think>\nI look.\n</think>\n\n"
CALL = '<tool_call>\n{"name": "look",  "arguments": {"q": "x"}}\n</tool_call>'
FIRST, SECOND = CALL, CALL.replace("look", "find")
STOP = "<|im_end|>"
BOTH = f"{THOUGHT}{FIRST}\n{SECOND}{STOP}"


def called(api, data):
    """Return the names of the calls in an answer, and why it ended."""
    if api == "chat":
        choice = data["choices"][0]
        return [each["function"]["name"] for each in choice["message"]["tool_calls"]], choice["finish_reason"]
    items = data["output" if api == "responses" else "content"]
    calls = [each["name"] for each in items if each["type"] in ("function_call", "tool_use")]
    return calls, data["status"] if api == "responses" else data["stop_reason"]


def streamed(api, events):
    """Return the same of the events of a stream."""
    if api == "responses":
        assert sum(each["type"] == "response.function_call_arguments.done" for each in events) == 1
        return called(api, events[-1]["response"])
    if api == "messages":
        blocks = [each["content_block"] for each in events if each["type"] == "content_block_start"]
        calls = [each["name"] for each in blocks if each["type"] == "tool_use"]
        return calls, next(each["delta"]["stop_reason"] for each in events if each["type"] == "message_delta")
    choices = [each["choices"][0] for each in events]
    calls = [call for each in choices for call in each["delta"].get("tool_calls", ())]
    assert {call["index"] for call in calls} == {0}
    return [call["function"]["name"] for call in calls if call.get("id")], choices[-1]["finish_reason"]


def body_of(api, choice):
    """Return what asks for one call at most."""
    if api == "chat":
        return {"tools": [LOOK, FIND], "tool_choice": choice, "parallel_tool_calls": False}
    flat = [each["function"] for each in (LOOK, FIND)]
    if api == "responses":
        tools = [{"type": "function", **each} for each in flat]
        return {"tools": tools, "tool_choice": choice, "parallel_tool_calls": False}
    tools = [{"name": each["name"], "input_schema": each["parameters"]} for each in flat]
    kind = {"auto": "auto", "required": "any"}[choice]
    return {"tools": tools, "tool_choice": {"type": kind, "disable_parallel_tool_use": True}}


ENDS = {"chat": "tool_calls", "responses": "completed", "messages": "tool_use"}


@pytest.mark.parametrize("choice", ["auto", "required"])
def test_a_client_that_wants_one_call_gets_the_first_alone(api, ask, asking, scripted, choice):
    async def never():
        raise AssertionError("the engine goes on")

    engine = scripted([THOUGHT, FIRST, "\n", SECOND, never])
    with asking(engine) as (client, _):
        whole = ask(client, **body_of(api, choice))
        assert whole.status_code == 200, whole.text
        assert called(api, whole.json()) == (["look"], ENDS[api])
        assert streamed(api, ask.events(client, **body_of(api, choice))) == (["look"], ENDS[api])
    assert engine.ended == len(engine.asked) == 2


def test_the_model_inside_calls_one_tool_too(api, ask, asking):
    said = "look and find"
    question = {"input": said} if api == "responses" else {"messages": [{"role": "user", "content": said}]}
    with asking() as (client, _):
        both = {name: value for name, value in body_of(api, "auto").items() if name == "tools"}
        assert called(api, ask(client, **question, **both).json())[0] == ["look", "find"]
        assert called(api, ask(client, **question, **body_of(api, "auto")).json())[0] == ["look"]


@pytest.mark.parametrize("end", [STOP, f"\n{STOP}"])
def test_a_reply_that_ends_by_itself_is_left_as_it_was_sampled(asking, scripted, tmp_path, end):
    engine = scripted(THOUGHT + FIRST + end)
    with asking(engine, record=str(tmp_path)) as (client, _):
        Agent(client).ask(parallel_tool_calls=False)
    (row,) = rows(tmp_path)
    assert [each for each in row["labels"] if each >= 0] == engine.ids(THOUGHT + FIRST + end)


@pytest.mark.parametrize("more", [SECOND, "And now I tell you what I have seen.", "<think>\nNow what?\n</think>"])
def test_what_is_recorded_is_what_the_client_was_told_and_the_next_prompt_continues(asking, scripted, tmp_path, more):
    kept = THOUGHT + FIRST
    engine = scripted(f"{kept}\n{more}{STOP}", f"{kept}\n{more}{STOP}", DONE)
    with asking(engine, record=str(tmp_path)) as (client, _):
        agent = Agent(client)
        for _ in range(2):
            message = agent.ask(parallel_tool_calls=False)
            assert [call["function"]["name"] for call in message["tool_calls"]] == ["look"]
            assert not (message["content"] or "").strip()
            assert agent.answers[-1].json()["usage"]["completion_tokens"] == len(engine.ids(kept))
            agent.result()
        agent.ask(parallel_tool_calls=False)
    assert agent.how == ["new", "extension", "extension"]
    prompts = [list(each.ids) for each in engine.asked]
    for before, after in pairwise(prompts):
        told = before + engine.ids(kept) + engine.ids(STOP)
        assert after[: len(told)] == told
    (row,) = rows(tmp_path)
    assert row["input_ids"] == prompts[-1] + engine.ids(DONE)
    assert [each for each in row["labels"] if each >= 0] == engine.ids(kept) * 2 + engine.ids(DONE)
    assert len(row["logprobs"]) == len(row["input_ids"])
    assert [len(each.get("tool_calls", ())) for each in row["messages"]] == [0, 0, 1, 0, 1, 0, 0]


def test_engines_that_send_text_are_cut_too(asking, scripted):
    from lect_serve.engines.base import Piece

    class Texts(type(scripted())):
        takes_ids = False

        async def generate(self, ask):
            self.asked.append(ask)
            for at in range(0, len(BOTH), 9):
                yield [Piece(text=BOTH[at : at + 9])]
            yield [Piece(finish="stop")]

    with asking(Texts(scripted().model)) as (client, _):
        message = Agent(client).ask(parallel_tool_calls=False)
    assert [call["function"]["name"] for call in message["tool_calls"]] == ["look"]


# Every format


def two_calls(template):
    """Return a prompt, a reply to it with two calls, and its tokens; None where a format has no such reply."""
    calls = [
        {"id": f"call{at:05}", "type": "function", "function": {"name": each["function"]["name"], "arguments": {"q": "a {b"}}}
        for at, each in enumerate((LOOK, FIND))
    ]  # fmt: skip
    answer = {"role": "assistant", "content": "", "tool_calls": calls}
    try:
        text = template.reply_text([QUESTION, answer], tools=[LOOK, FIND]).text
        prompt = template.render([QUESTION], tools=[LOOK, FIND], add_generation_prompt=True)
    except LectError:
        return None
    controls = [*template.control_tokens, *template.stop, template.bos, template.eos]
    return prompt, text, ByteTokenizer(dict.fromkeys(filter(None, controls)))


def replies():
    """Yield the name and the template of every format that has two calls in a reply, each way to write them once."""
    seen = set()
    for name, template in sorted(installed().items()):
        if template.reply is not None and (made := two_calls(template)) and made[1] not in seen:
            seen.add(made[1])
            yield name, template


FORMATS = dict(replies())


@together("name", in_turn(FORMATS, 3))
def test_in_every_format_one_call_is_left_however_the_tokens_come(name):
    template = FORMATS[name]
    prompt, text, tokenizer = two_calls(template)
    ids = list(encoder_of(tokenizer).whole(text).ids)

    def made():
        options = {"tools": [LOOK, FIND], "prompt": prompt, "tokenizer": tokenizer}
        return template.stream(**options, call_id="call_{}".format)

    kept = set()
    for size in (1, 7, len(ids)):
        one, events = OneCall(made, next(iter(template.stop), "")), []
        for at in range(0, len(ids), size):
            events += one.feed_ids(ids[at : at + size])
            if one.is_over:
                break
        kept.add(one.settle("stop"))
        events += one.finish("stop")
        reply = one.close()
        assert [event.kind for event in events].count("call_end") == 1
        assert [(call.name, call.arguments) for call in reply.tool_calls] == [("look", {"q": "a {b"})]
        assert not reply.incomplete
        assert not reply.content.strip()
        # What was told is what the reply has.
        assert next(event.call for event in events if event.kind == "call_end")[:2] == reply.tool_calls[0][:2]
    (count,) = kept
    # A rollout reads the same, and closes what is open as the format does.
    rollout = Rollout(template, [QUESTION], tokenizer, tools=[LOOK, FIND])
    rollout.feed(ids[:count])
    told = len(rollout.ids)
    (call,) = rollout.reply.tool_calls
    assert call[:2] == reply.tool_calls[0][:2]
    rollout.add([{"role": "tool", "tool_call_id": call.id, "content": "wet"}], close=True)
    anew = template.render(rollout.messages, tools=[LOOK, FIND], add_generation_prompt=True).text
    assert anew.endswith(Decoder(tokenizer).feed(rollout.ids[told:]))


WORDS = st.text('ab <>{}"\n\\é', max_size=12)


@given(
    st.lists(
        st.sampled_from([THOUGHT, FIRST, SECOND, STOP, '<tool_call>\n{"name": "look', "\n", "word"]) | WORDS, max_size=6
    ),
    st.data(),
)
def test_whatever_a_model_writes_events_and_reply_have_one_call_and_agree(model, parts, data):
    ids = list(encoder_of(model.tokenizer).whole("".join(parts)).ids)
    prompt = model.template.render([{"role": "user", "content": "?"}], tools=[LOOK], add_generation_prompt=True)

    def made():
        return model.template.stream(tools=[LOOK], prompt=prompt, tokenizer=model.tokenizer, call_id="call_{}".format)

    one, events, at = OneCall(made, STOP), [], 0
    while at < len(ids) and not one.is_over:
        end = at + data.draw(st.integers(1, 40))
        events += one.feed_ids(ids[at:end])
        at = end
    kept = one.settle("stop")
    events += one.finish("stop")
    reply = one.close()
    assert len(reply.tool_calls) + len(reply.incomplete) <= 1
    assert sum(event.kind == "call_start" for event in events) == len(reply.tool_calls) + len(reply.incomplete)
    told = "".join(event.text for event in events if event.kind == "content")
    assert told.strip() == reply.content.strip()
    plain = made()
    plain.feed_ids(ids[:kept])
    assert plain.close("stop") == reply


def test_white_space_without_end_behind_a_call_costs_no_more_than_a_little():
    template, made = lect.get_template("mistralai/Mistral-7B-Instruct-v0.3"), []

    def make():
        made.append(template.stream(tools=[LOOK]))
        return made[-1]

    # With a mistake before the call no beginning of the reply is without a problem, so each is tried.
    one = OneCall(make, *template.stop)
    for text in ("[/INST]", '[TOOL_CALLS] [{"name": "look", "arguments": {"q": "x"}}]', *["\n" * 50] * 100, "More."):
        one.feed(text)
    one.settle("stop")
    assert [call.name for call in one.close().tool_calls] == ["look"]
    assert len(made) < 300
