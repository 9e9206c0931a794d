"""lect-vllm with vLLM itself: its registries of parsers, and the parser that it composes for a request."""

import json
import random
import warnings
from functools import partial
from importlib.metadata import entry_points

import differential
import pytest
import real_tokenizers
import staged
from damaged import random_chat, rendered
from goldens import native_models
from staged import CALL, MODEL, REPLY, TOOL

import lect
import lect_tokens
import lect_vllm

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # What vLLM and torch do when they are imported is not ours.
    pytest.importorskip("vllm.parser")
    tiny_model = pytest.importorskip("tiny_model")
    from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest
    from vllm.parser import ParserManager
    from vllm.reasoning import ReasoningParserManager
    from vllm.renderers.hf import safe_apply_chat_template
    from vllm.sampling_params import SamplingParams
    from vllm.tool_parsers import ToolParserManager
    from vllm.v1.structured_output.backend_xgrammar import validate_xgrammar_grammar

# Calls in a thought that is never closed are certain only at the end, when vLLM no longer asks the tool parser: the text
# is content.
UNCLOSED = {
    "kimi_k2-78c50b38", "magistral-unclosed-call", "ds31-unclosed-call", "lfm2-unclosed-call", "mistral-args-eos",
}  # fmt: skip
VECTORS = [vector for vector in staged.WITH_TOOLS if vector["id"] not in UNCLOSED]


@pytest.fixture(scope="module")
def tokenizer():
    tokenizer = tiny_model.tiny_tokenizer()
    tokenizer.name_or_path = MODEL
    return tokenizer


@pytest.fixture(scope="module", autouse=True)
def registered():
    (point,) = [point for point in entry_points(group="vllm.general_plugins") if point.name == "lect"]
    point.load()()


def request(tools=({"type": "function", "function": TOOL},), **more):
    return ChatCompletionRequest(model=MODEL, messages=[{"role": "user", "content": "Hi"}], tools=tools, **more)


def parser(tokenizer, name="lect", *, reasoning=True, tools=True, options=None, asked=None):
    found = ParserManager.get_parser(
        tool_parser_name=name if tools else None,
        reasoning_parser_name=name if reasoning else None,
        enable_auto_tools=True,
        tokenizer=tokenizer,
    )
    return found(tokenizer, (asked or request()).tools, chat_template_kwargs=options or {})


def streamed(parser, chunks, tokenizer, asked, prompt):
    """Return what the deltas of a stream add up to: reasoning, content and calls."""
    reasoning, content, calls = "", "", {}
    for number, chunk in enumerate(chunks):
        ids = tokenizer.encode(chunk, add_special_tokens=False)
        delta = parser.parse_delta(chunk, ids, asked, prompt, finished=number == len(chunks) - 1)
        if delta is None:
            continue
        reasoning += delta.reasoning or ""
        content += delta.content or ""
        for call in delta.tool_calls:
            whole = calls.setdefault(call.index, ["", ""])
            whole[0] += call.function.name or ""
            whole[1] += call.function.arguments or ""
    return reasoning, content, list(calls.values())


def prompt_ids(tokenizer, **options):
    messages = [{"role": "user", "content": "Hi"}]
    return tokenizer.encode(lect.render(MODEL, messages, add_generation_prompt=True, **options).text)


@pytest.mark.parametrize("size", [1, 2, 5, 11, 40, 1000])
def test_a_stream_loses_nothing_however_many_tokens_are_in_a_delta(tokenizer, size):
    said = streamed(parser(tokenizer), staged.cut(REPLY, size), tokenizer, request(), prompt_ids(tokenizer))
    assert said == ("A tool can tell.", "Let me see.", [["get_time", '{"zone": "UTC"}']] * 2)


def test_a_whole_reply_is_read_alike(tokenizer):
    reasoning, content, calls = parser(tokenizer).parse(REPLY, request(), enable_auto_tools=True)
    assert (reasoning, content) == ("A tool can tell.", "Let me see.")
    assert [(call.name, call.arguments) for call in calls] == [("get_time", '{"zone": "UTC"}')] * 2
    assert len({call.id for call in calls}) == 2


@pytest.mark.parametrize("size", [1, 1000])
def test_a_reply_without_reasoning_follows_a_prompt_that_has_closed_it(tokenizer, size):
    prompt = prompt_ids(tokenizer, enable_thinking=False)
    found = parser(tokenizer, options={"enable_thinking": False})
    assert streamed(found, staged.cut(f"Hi. {CALL}", size), tokenizer, request(), prompt)[1:] == (
        "Hi. ", [["get_time", '{"zone": "UTC"}']]
    )  # fmt: skip
    assert parser(tokenizer, options={"enable_thinking": False}).parse("Hi.", request(), True)[:2] == (None, "Hi.")


def test_each_parser_works_alone(tokenizer):
    alone = streamed(parser(tokenizer, tools=False), staged.cut(REPLY, 3), tokenizer, request(), prompt_ids(tokenizer))
    assert alone == ("A tool can tell.", f"Let me see.\n{CALL}\n{CALL}", [])
    alone = streamed(
        parser(tokenizer, reasoning=False), staged.cut(REPLY, 3), tokenizer, request(), prompt_ids(tokenizer)
    )
    assert alone[:2] == ("", "<think>\nA tool can tell.\n</think>\n\nLet me see.")
    assert len(alone[2]) == 2


def test_tokens_of_reasoning_are_counted_and_found(tokenizer):
    found = ReasoningParserManager.get_reasoning_parser("lect")(tokenizer)
    ids = tokenizer.encode(REPLY, add_special_tokens=False)
    thought = tokenizer.encode("A tool can tell.", add_special_tokens=False)
    assert abs(found.count_reasoning_tokens(ids) - len(thought)) <= 1
    assert tokenizer.decode(found.extract_content_ids(ids)).startswith("Let me see.")
    prompt = prompt_ids(tokenizer)
    assert not found.is_reasoning_end(prompt)
    assert found.is_reasoning_end(prompt_ids(tokenizer, enable_thinking=False))
    close = tokenizer.encode("</think>", add_special_tokens=False)
    before = [*prompt, *tokenizer.encode("<think>\nHm.\n", add_special_tokens=False)]
    assert not found.is_reasoning_end_streaming(before, before[-1:])
    assert found.is_reasoning_end_streaming([*before, *close], close)
    assert (found.reasoning_start_str, found.reasoning_end_str) == ("<think>", "</think>")


def test_special_tokens_are_kept_and_a_required_call_is_forced_in_the_models_own_notation(tokenizer):
    assert parser(tokenizer).adjust_request(request()).skip_special_tokens is False
    asked = parser(tokenizer).adjust_request(request(tool_choice="required"))
    first = json.loads(asked.structured_outputs.structural_tag)["format"]["elements"][0]
    assert first == {"type": "token", "token": tokenizer.convert_tokens_to_ids("<tool_call>")}
    validate_xgrammar_grammar(SamplingParams(structured_outputs=asked.structured_outputs))
    named = {"type": "function", "function": {"name": "get_time"}}
    asked = parser(tokenizer).adjust_request(request(tool_choice=named))
    assert "get_time" in asked.structured_outputs.structural_tag
    said = streamed(
        parser(tokenizer), staged.cut(REPLY, 4), tokenizer, request(tool_choice="required"), prompt_ids(tokenizer)
    )
    assert len(said[2]) == 2


def test_no_call_is_read_where_none_is_allowed(tokenizer):
    said = streamed(
        parser(tokenizer), staged.cut(REPLY, 4), tokenizer, request(tool_choice="none"), prompt_ids(tokenizer)
    )
    assert (said[0], said[2]) == ("A tool can tell.", [])


def test_a_plug_in_file_names_the_model(tokenizer, tmp_path):
    (tmp_path / "my_parsers.py").write_text(
        'import lect_vllm\nlect_vllm.register("deepseek-ai/DeepSeek-R1", name="r1")\n'
    )
    ToolParserManager.import_tool_parser(str(tmp_path / "my_parsers.py"))
    ReasoningParserManager.import_reasoning_parser(str(tmp_path / "my_parsers.py"))
    assert "r1" in ToolParserManager.list_registered()
    reasoning, content, _ = parser(tokenizer, "r1").parse("Hm.</think>Yes.", request(), True)
    assert (reasoning, content) == ("Hm.", "Yes.")


def test_a_model_that_lect_does_not_know_is_refused_when_the_server_starts(tokenizer):
    unknown = tiny_model.tiny_tokenizer()
    unknown.name_or_path = "acme/unheard-of-7b"
    with pytest.raises(TypeError, match="acme/unheard-of-7b"):
        ParserManager.get_parser("lect", "lect", True, tokenizer=unknown)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["id"])
def test_vectors_are_read_as_by_lect(tokenizer, vector):
    template = staged.template_for(vector)
    lect_vllm.register(template, name="vector")
    asked = request(tools=staged.tools_of(vector))
    prompt = tokenizer.encode(template.text([{"role": "user", "content": "Hi"}], add_generation_prompt=True))
    for size in (1, 7, 10_000):
        chunks = staged.cut(vector["input"], size)
        said = streamed(parser(tokenizer, "vector", asked=asked), chunks, tokenizer, asked, prompt)
        assert said == staged.as_read(vector), size


# Ids


def makers_of(name):
    """Yield the makers' templates that a real tokenizer encodes, with the tokenizer as vLLM has it."""
    import transformers

    if name not in real_tokenizers.names():
        pytest.skip(real_tokenizers.ABSENT)
    config = real_tokenizers.config(name)
    tokens = {key: config.get(key) for key in ("bos_token", "eos_token")}
    named = {key: each["content"] if isinstance(each, dict) else each for key, each in tokens.items() if each}
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=real_tokenizers.tokenizer(name), **named)
    known = [each for each in real_tokenizers.templates(name).values() if real_tokenizers.has_marks(name, each)]
    for slug, model in native_models().items():
        if (template := lect.resolve(model).template) in known:
            yield slug, template, fast


@pytest.mark.parametrize("name", real_tokenizers.SPEAK)
def test_the_ids_that_vllm_sends_are_read_back(name):
    count = 0
    for slug, template, fast in makers_of(name):
        rng = random.Random(slug)
        for messages, tools in [random_chat(rng, template) for _ in range(12)]:
            asked = {"tools": tools, "add_generation_prompt": messages[-1]["role"] != "assistant"}
            prompt = rendered(template, messages, **asked)
            write = partial(
                safe_apply_chat_template,
                None,
                fast,
                differential.normalize(slug, messages),
                chat_template=differential.maker_source(slug),
                **asked,
            )
            # Where ours differs on purpose, ours is the format.
            if prompt is not None and write(tokenize=False) == prompt.text:
                count += 1
                results = lect_tokens.check_ids(template, write(), real_tokenizers.tokenizer(name))
                assert [each for each in results if each.status == "wrong"] == [], (slug, prompt.text)
    assert count
