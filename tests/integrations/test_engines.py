"""Constraints in the engines that people serve with: llama.cpp, xgrammar's own definitions, and real tokenizers."""

import json
import random

import pytest
from constraints import XGrammar, problem, random_message, random_tools, vocabulary_of, without_stop
from tiny_gguf import tiny_gguf

import lect
from lect_constrain import constrain

QUESTION = [{"role": "user", "content": "Hi"}]
TIRED = 6.0
"""How much likelier tokens are that close something: a random model would never end."""


def tool(name, properties=None):
    parameters = {"type": "object", "properties": properties or {}, "required": [*(properties or ())]}
    return {"type": "function", "function": {"name": name, "parameters": parameters | {"additionalProperties": False}}}


TOOLS = [tool("get_weather", {"city": {"type": "string"}}), tool("get_time")]


def called(name, arguments):
    return {"id": "call_0", "type": "function", "function": {"name": name, "arguments": arguments}}


@pytest.mark.parametrize(
    "name",
    ["qwen:qwen3", "qwen:qwen3-coder", "chatglm:glm-4.5", "llama:llama-3.1", "deepseek:deepseek-v3.2", "gemma:gemma-4"],
)
def test_llama_cpp_generates_calls_that_are_read(name, tmp_path):
    llama = pytest.importorskip("xllamacpp")
    template = lect.template(name)
    stop = next(iter(template.stop))
    model = tmp_path / "tiny.gguf"
    controls = [*dict.fromkeys([*(each for each in template.markers if "{}" not in each), stop])]
    model.write_bytes(tiny_gguf(controls, stop))
    parameters = llama.CommonParams()
    parameters.model.path, parameters.n_ctx, parameters.warmup, parameters.special = str(model), 4096, False, True
    server = llama.Server(parameters)
    finished = 0
    for seed in range(20):
        tools = random_tools(random.Random(seed))
        constraint = constrain(template, tools, tool_choice="required", parallel=False, any_order=seed % 2 == 1)
        bias = [[ord(each), TIRED] for each in "\"}])'<"]
        bias += [[256 + at, 2 * TIRED] for at, each in enumerate(controls) if each not in constraint.strays]
        request = {"prompt": "x", "n_predict": 500, "grammar": constraint.gbnf(), "seed": seed, "logit_bias": bias}
        answer = server.handle_completions({**request, "special": True})
        choice = (json.loads(answer) if isinstance(answer, str) else answer)["choices"][0]
        if choice["finish_reason"] == "stop":
            finished += 1
            prompt = template.text(QUESTION, tools=tools, add_generation_prompt=True)
            text = choice["text"]
            # llama.cpp takes some control tokens for ends by their names, such as `<|file_sep|>`.
            for control in constraint.strays:
                text = text.removesuffix(control)
            reply = template.parse(text, tools=tools, prompt=prompt)
            assert problem(reply, tools, "required", constraint.loose["gbnf"]) == "", choice["text"]
    assert finished


@pytest.mark.parametrize(
    ("theirs", "name", "message"),
    [
        ("qwen_3_coder", "qwen:qwen3-coder", {"content": "", "tool_calls": [called("get_time", {})]}),
        ("qwen_3_5", "qwen:qwen3.5", {"content": "", "tool_calls": [called("get_time", {})]}),
        ("mimo", "mimo:mimo-vl", {"content": "", "tool_calls": [called("get_weather", {"city": "Paris"})]}),
    ],
)
def test_what_xgrammars_own_definition_rejects_is_allowed(theirs, name, message):
    xgrammar = pytest.importorskip("xgrammar")
    template = lect.template(name)
    vocabulary = vocabulary_of(template)
    messages = [*QUESTION, {"role": "assistant", **message}]
    text = without_stop(template, template.reply_text(messages, tools=TOOLS).text)
    for reasoning in ("enabled", "auto", "disabled"):
        own = xgrammar.get_model_structural_tag(theirs, tools=TOOLS, reasoning=reasoning).model_dump_json()
        assert XGrammar(vocabulary, json.loads(own)).accepts(text) is not None, "it accepts this now: change the page"
    tag = constrain(template, TOOLS, tokenizer=vocabulary).structural_tag()
    assert XGrammar(vocabulary, tag).accepts(text) is None


def test_the_request_fields_of_servers_hold_a_structural_tag():
    """SGLang validates a `response_format` by xgrammar's own model; vLLM takes any `format`, and a text elsewhere."""
    xgrammar = pytest.importorskip("xgrammar")
    for name in ("qwen:qwen3", "qwen:qwen3-coder", "gemma:gemma-4", "gptoss:gpt-oss"):
        tag = constrain(lect.template(name), TOOLS).structural_tag()
        assert xgrammar.StructuralTag.model_validate(tag).model_dump(exclude_unset=True) == tag
        assert tag.keys() == {"type", "format"}
        assert json.loads(json.dumps(tag)) == tag


@pytest.mark.parametrize(
    ("tokenizer", "name"),
    [("qwen3", "qwen:qwen3"), ("deepseek_v3", "deepseek:deepseek-v3.1"), ("mistral_nemo", "mistral:mistral-nemo")],
)
def test_what_a_template_writes_is_allowed_with_the_makers_tokenizer(tokenizer, name):
    llguidance = pytest.importorskip("llguidance")
    real_tokenizers = pytest.importorskip("real_tokenizers")
    if tokenizer not in real_tokenizers.names():
        pytest.skip(real_tokenizers.ABSENT)
    made, template = real_tokenizers.tokenizer(tokenizer), lect.template(name)
    engine = llguidance.LLTokenizer(made.to_str())
    for seed in range(20):
        rng, any_order = random.Random(seed), seed % 2 == 1
        tools = random_tools(rng)
        constraint = constrain(template, tools, any_order=any_order)
        loose = constraint.loose["lark"] if any_order else None
        message = random_message(rng, tools, "reasoning" in template.capabilities, loose)
        try:
            text = without_stop(template, template.reply_text([*QUESTION, message], tools=tools).text)
        except lect.LectError:
            continue
        grammar = llguidance.LLMatcher.grammar_from_lark(constraint.lark())
        matcher = llguidance.LLMatcher(engine, grammar, log_level=0)
        ids = made.encode(text, add_special_tokens=False).ids
        assert not matcher.is_error(), matcher.get_error()
        assert matcher.try_consume_tokens(ids) == len(ids), text
        assert matcher.is_accepting(), text
