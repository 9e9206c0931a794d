"""What servers ask of a stream: prompts that end inside a call, calls of unknown tools, completions and usage."""

import pytest
import replies

import lect
import lect_apis

WEATHER = {"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}}  # fmt: skip
QUESTION = [{"role": "user", "content": 'Use <tool_call>\n{"name": "get_weather", "arguments": {"city": "'}]
CALL = '{"name": "get_weather", "arguments": {"city": "Paris"}}'
ARGUMENTS = '{"city": "Paris"}'
OPENED = [
    ("Qwen/Qwen3-8B", "<tool_call>\n", CALL, "\n</tool_call><|im_end|>"),
    ("Qwen/Qwen3-8B", '<think>\n\n</think>\n\n<tool_call>\n{"name": "get_weather", "arguments": ', ARGUMENTS, "}\n</tool_call><|im_end|>"),
    ("Qwen/Qwen3-8B", '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Pa', 'ris"}', "}\n</tool_call><|im_end|>"),
    ("Qwen/Qwen3-Coder-30B-A3B-Instruct", "<tool_call>\n<function=get_weather>\n", "<parameter=city>\nParis\n</parameter>", "\n</function>\n</tool_call><|im_end|>"),
    ("meta-llama/Llama-3.1-8B-Instruct", '{"name": "get_weather", "parameters": ', ARGUMENTS, "}<|eom_id|>"),
    ("openai/gpt-oss-20b", "<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>", ARGUMENTS, "<|call|>"),
    ("mistralai/Mistral-7B-Instruct-v0.3", "[TOOL_CALLS] [", CALL, "]</s>"),
    ("deepseek-ai/DeepSeek-V3.1", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>", ARGUMENTS, "<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>"),
    ("moonshotai/Kimi-K2-Instruct", "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>", ARGUMENTS, "<|tool_call_end|><|tool_calls_section_end|><|im_end|>"),
    ("zai-org/GLM-4.5", "<tool_call>get_weather\n", "<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>", "\n</tool_call><|user|>"),
]  # fmt: skip


def prompt_for(model, prefill=""):
    return lect.render(model, QUESTION, tools=[WEATHER], add_generation_prompt=True).text + prefill


@pytest.mark.parametrize(("model", "prefill", "body", "close"), OPENED)
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_a_call_that_the_prompt_opens_is_continued_and_its_close_is_no_content(model, prefill, body, close, size):
    stream = lect.stream(model, tools=[WEATHER], prompt=prompt_for(model, prefill))
    events = [event for chunk in replies.chunks(body + close, [size]) for event in stream.feed(chunk)]
    events += stream.finish()
    reply = stream.close()
    assert [(call.name, call.arguments) for call in reply.tool_calls] == [("get_weather", {"city": "Paris"})]
    assert (reply.content, reply.reasoning, reply.finish, reply.problems) == ("", None, "tool_calls", ())
    assert reply.raw == body + close == "".join(reply.raw[piece.start : piece.end] for piece in reply.pieces)
    assert replies.folded_deltas(events) == reply.to_openai()
    offsets = [offset for event in events for offset in (event.start, event.end)]
    assert offsets == sorted(offsets)
    assert offsets[0] >= 0


@pytest.mark.parametrize(
    ("model", "prefill"),
    [("Qwen/Qwen3-8B", ""), ("Qwen/Qwen3-8B", "Sure: "), ("meta-llama/Llama-3.1-8B-Instruct", "Sure: ")],
)
def test_what_a_user_writes_opens_no_call(model, prefill):
    reply = lect.parse(model, 'Paris"}} it is.', tools=[WEATHER], prompt=prompt_for(model, prefill))
    assert (reply.content, reply.tool_calls, reply.incomplete) == ('Paris"}} it is.', (), ())


def test_what_the_prompt_has_said_is_not_content():
    reply = lect.parse("Qwen/Qwen3-8B", "No call.<|im_end|>", prompt=prompt_for("Qwen/Qwen3-8B", "<tool_call>\n"))
    assert (reply.content, reply.tool_calls) == ("No call.", ())


def test_a_call_that_the_prompt_opens_may_break_off():
    prompt = prompt_for("Qwen/Qwen3-8B", OPENED[2][1])
    reply = lect.parse("Qwen/Qwen3-8B", "ri", prompt=prompt, tools=[WEATHER])
    assert [(call.arguments_text, call.span) for call in reply.incomplete] == [('{"city": "Pari', (0, 2))]
    assert [(problem.code, problem.span) for problem in reply.problems] == [("incomplete_call", (0, 2))]


UNKNOWN = f'A<tool_call>{{"name": "g", "arguments": {{"x": 1}}}}</tool_call>\n<tool_call>{CALL}</tool_call>'


@pytest.mark.parametrize(
    ("policy", "content", "names"),
    [
        ("keep", "A", ["g", "get_weather"]),
        ("text", 'A{"name": "g", "arguments": {"x": 1}}', ["get_weather"]),
        ("drop", "A", ["get_weather"]),
    ],
)
@pytest.mark.parametrize("size", [1, 1000])
def test_calls_of_unknown_tools_are_kept_made_text_or_dropped(policy, content, names, size):
    reply, events = replies.read(UNKNOWN, [size], format="hermes_json", tools=[WEATHER], unknown_tools=policy)
    assert (reply.content, [call.name for call in reply.tool_calls]) == (content, names)
    assert [call.index for call in reply.tool_calls] == list(range(len(names)))
    assert [problem.code for problem in reply.problems] == ["unknown_tool"]
    assert replies.folded_deltas(events) == reply.to_openai()


@pytest.mark.parametrize("policy", ["keep", "text", "drop"])
@pytest.mark.parametrize("name", ["g", "get_weather"])
def test_the_stop_comes_after_the_call_that_it_cuts(policy, name):
    text = f'A<tool_call>{{"name": "{name}", "arguments": {{"city": "Pa<|im_end|>'
    _, events = replies.read(text, format="hermes_json", tools=[WEATHER], unknown_tools=policy)
    assert events[-1].kind == "stop"
    offsets = [event.start for event in events if event.start is not None]
    assert offsets == sorted(offsets)


def test_another_policy_is_refused():
    with pytest.raises(lect.MessageError, match="unknown_tools is 'raise'; expected one of 'keep', 'text', 'drop'"):
        lect.parse(None, "", format="think", unknown_tools="raise")


@pytest.mark.parametrize(
    ("name", "chunks", "inside"),
    [
        ("think", ["<thi", "nk>", "Hm", ".</thi", "nk>", "\n", "Yo"], [False, True, True, True, False, False, False]),
        ("harmony", ["<|channel|>analysis<|message|>", "Hm.", "<|end|>", "<|start|>"], [True, True, False, False]),
    ],
)
def test_a_stream_knows_whether_it_is_in_reasoning(name, chunks, inside):
    stream = replies.open_stream(name)
    for chunk, expected in zip(chunks, inside, strict=True):
        stream.feed(chunk)
        assert stream.in_reasoning is expected
    assert replies.open_stream("think", starts_in_reasoning=True).in_reasoning


def test_a_completion_has_the_message_and_the_usage():
    stream = lect.stream("Qwen/Qwen3-8B")
    stream.feed("<think>Hmmm.</think>Hmmm.<|im_end|>")
    reply = stream.close()
    assert reply.characters == {"content": 5, "reasoning": 5, "call": 0, "mark": 25, "after": 0}
    usage = lect_apis.usage(stream, 7, 14)
    details = {"reasoning_tokens": 2}
    assert usage == {
        "prompt_tokens": 7,
        "completion_tokens": 14,
        "total_tokens": 21,
        "completion_tokens_details": details,
    }
    given = {"id": "c1", "created": 7, "usage": usage, "reasoning_key": "reasoning"}
    assert lect_apis.completion(reply, "acme", **given) == {
        "id": "c1",
        "object": "chat.completion",
        "created": 7,
        "model": "acme",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "Hmmm.", "reasoning": "Hmmm."},
                "logprobs": None,
                "finish_reason": "stop",
            }
        ],
        "usage": usage,
    }
    with pytest.raises(lect.MessageError, match="no ids were fed"):
        lect_apis.usage(stream, 7)


def test_ids_need_a_tokenizer():
    with pytest.raises(lect.MessageError, match=r"no tokenizer\n  try: lect.stream"):
        lect.stream("Qwen/Qwen3-8B").feed_ids([1])
    with pytest.raises(lect.MessageError, match=r"the prompt is .*\n  try: tokenizer="):
        lect.stream("Qwen/Qwen3-8B", prompt=[1])
