"""lect-sglang with SGLang itself: its tables of parsers, and the two that it builds for a request."""

import warnings
from importlib.metadata import entry_points

import pytest
import staged
from staged import MODEL, REPLY, TOOL

import lect_sglang

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # What SGLang and torch do when they are imported is not ours.
    pytest.importorskip("sglang.srt.function_call.function_call_parser")
    tiny_model = pytest.importorskip("tiny_model")
    from sglang.srt.entrypoints.openai.protocol import Tool, ToolChoice, ToolChoiceFuncName
    from sglang.srt.function_call.function_call_parser import FunctionCallParser
    from sglang.srt.parser.reasoning_parser import ReasoningParser
    from sglang.srt.server_args import _reasoning_parser_choices, _tool_call_parser_choices

TOOLS = [Tool(type="function", function=TOOL)]
EXPECTED = ("A tool can tell.", "Let me see.", [["get_time", '{"zone": "UTC"}']] * 2)


@pytest.fixture(scope="module")
def tokenizer():
    tokenizer = tiny_model.tiny_tokenizer()
    tokenizer.name_or_path = MODEL
    return tokenizer


@pytest.fixture(scope="module", autouse=True)
def registered():
    (point,) = [point for point in entry_points(group="sglang.srt.plugins") if point.name == "lect"]
    point.load()()


def streamed(chunks, tokenizer, name="lect", tools=TOOLS, **options):
    """Return what the deltas of a stream add up to, as SGLang's server passes them from parser to parser."""
    first = ReasoningParser(name, tokenizer=tokenizer, tool_call_parser_active=True, **options)
    second = FunctionCallParser(tools, name, tokenizer=tokenizer)
    reasoning, content, calls = "", "", {}
    for number, chunk in enumerate(chunks):
        is_last = number == len(chunks) - 1
        texts = [first.parse_stream_chunk(chunk)] + ([first.parse_stream_end()] if is_last else [])
        reasoning += "".join(thought or "" for thought, _ in texts)
        parts = [second.parse_stream_chunk("".join(text or "" for _, text in texts))]
        parts += [second.parse_stream_end()] if is_last else []
        content += "".join(text for text, _ in parts)
        for call in (call for _, listed in parts for call in listed):
            whole = calls.setdefault(call.tool_index, ["", ""])
            whole[0] += call.name or ""
            whole[1] += call.parameters
    return reasoning, content, list(calls.values())


def test_the_command_line_offers_them():
    assert "lect" in _tool_call_parser_choices()
    assert "lect" in _reasoning_parser_choices()


@pytest.mark.parametrize("size", [1, 2, 5, 11, 40, 1000])
def test_a_stream_loses_nothing_however_many_tokens_are_in_a_delta(tokenizer, size):
    assert streamed(staged.cut(REPLY, size), tokenizer) == EXPECTED
    assert streamed(staged.cut(REPLY, size), tokenizer, stream_reasoning=False) == EXPECTED
    assert streamed(staged.cut(REPLY, size), tokenizer, force_reasoning=True) == EXPECTED


def test_a_whole_reply_is_read_alike(tokenizer):
    reasoning, text = ReasoningParser("lect", tokenizer=tokenizer).parse_non_stream(REPLY)
    parser = FunctionCallParser(TOOLS, "lect", tokenizer=tokenizer)
    assert parser.has_tool_call(text)
    content, calls = parser.parse_non_stream(text)
    assert (reasoning, content, [[call.name, call.parameters] for call in calls]) == EXPECTED
    assert not parser.has_tool_call("Hi!")
    assert FunctionCallParser(TOOLS, "lect", tokenizer=tokenizer).parse_non_stream("Hi!") == ("Hi!", [])


def test_reasoning_is_where_the_prompt_of_the_model_begins_it(tokenizer):
    assert streamed(["Hi."], tokenizer, force_reasoning=False) == ("", "Hi.", [])
    lect_sglang.register("deepseek-ai/DeepSeek-R1", name="r1")
    assert streamed(["Hm.</thi", "nk>Yes."], tokenizer, "r1") == ("Hm.", "Yes.", [])
    lect_sglang.register("deepseek-ai/DeepSeek-V3.1", name="v31")
    assert streamed(["Hm.</think>Yes."], tokenizer, "v31", force_reasoning=True) == ("Hm.", "Yes.", [])


def test_a_reply_that_is_all_reasoning_can_be_content(tokenizer):
    from sglang.srt.entrypoints.openai.protocol import ChatCompletionRequest

    asked = ChatCompletionRequest(
        model=MODEL, messages=[{"role": "user", "content": "Hi"}], chat_template_kwargs={"force_nonempty_content": True}
    )
    assert streamed(["<think>Hm"], tokenizer, stream_reasoning=False, request=asked)[1] == "Hm"
    assert ReasoningParser("lect", tokenizer=tokenizer, request=asked).parse_non_stream("<think>Hm")[1] == "Hm"


@pytest.mark.parametrize("choice", ["required", ToolChoice(function=ToolChoiceFuncName(name="get_time"))])
def test_a_required_call_is_forced_in_the_models_own_notation(tokenizer, choice):
    parser = FunctionCallParser(TOOLS, "lect", tokenizer=tokenizer, tool_choice=choice)
    assert parser.owns_tool_format()
    kind, tag = parser.get_structure_constraint(choice, parallel_tool_calls=False)
    assert kind == "structural_tag"
    first = tag.model_dump()["format"]["elements"][0]
    assert first["token"] == tokenizer.convert_tokens_to_ids("<tool_call>")


@pytest.mark.parametrize("vector", staged.WITH_TOOLS, ids=lambda vector: vector["id"])
def test_vectors_are_read_as_by_lect(tokenizer, vector):
    lect_sglang.register(staged.template_for(vector), name="vector")
    tools = [Tool(**tool) for tool in staged.tools_of(vector)]
    for size in (1, 7, 10_000):
        said = streamed(staged.cut(vector["input"], size), tokenizer, "vector", tools)
        assert said == staged.as_read(vector), size
