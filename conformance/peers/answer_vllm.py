"""Answer the replies of the conformance pack with vLLM's parsers, in the parser that it composes for a request.

    python run.py --only replies -- python answer_vllm.py

Three parsers are left out: that for gpt-oss needs the model's own vocabulary, which it downloads, that for Olmo the
tokens of Olmo, and that for Command a package of its own.
"""

import json
import logging
import sys

# What vLLM and torch say when they are imported must not stand between the answers.
answers, sys.stdout = sys.stdout, sys.stderr
logging.disable(logging.WARNING)

import tokenizers  # noqa: E402
import transformers  # noqa: E402
from serving import ANY, MARK, answer_all, cut, tools_of  # noqa: E402
from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest  # noqa: E402
from vllm.parser import ParserManager  # noqa: E402

PARSERS = [
    (ANY, "apertus", "apertus", None),
    (ANY, "deepseek_r1", "deepseek_v3", "deepseek_r1"),
    (ANY, "deepseek_v3", "deepseek_v3", None),
    (ANY, "deepseek_v31", "deepseek_v31", "deepseek_v3"),
    (ANY, "deepseek_v32_dsml", "deepseek_v32", "deepseek_v3"),
    (ANY, "deepseek_v4_dsml", "deepseek_v4", "deepseek_v4"),
    (ANY, "dots", "dots", None),
    (ANY, "ernie45", "ernie45", "ernie45"),
    (ANY, "functiongemma", "functiongemma", None),
    (ANY, "gemma4", "gemma4", "gemma4"),
    (ANY, "gigachat3", "gigachat3", None),
    ("GLM-4.(1|5|6)", "glm4_xml", "glm45", "glm45"),
    (ANY, "glm4_xml", "glm47", "glm47"),
    (ANY, "granite20b_fc", "granite-20b-fc", None),
    (ANY, "granite3_list", "granite", None),
    (ANY, "granite_think", None, "granite"),
    ("Qwen", "hermes_json", "qwen3_json", "qwen3"),
    ("granite-4.0", "hermes_json", "granite4", None),
    (ANY, "hermes_json", "hermes", "qwen3"),
    (ANY, "hunyuan_a13b", "hunyuan_a13b", "hunyuan_a13b"),
    (ANY, "hunyuan_v3_xml", "hy_v3", "hy_v3"),
    (ANY, "inkling", "inkling", "inkling"),
    (ANY, "internlm2_action", "internlm", None),
    (ANY, "jamba", "jamba", None),
    (ANY, "kimi_k2", "kimi_k2", "kimi_k2"),
    (ANY, "kimi_k3", "kimi_k3", "kimi_k3"),
    (ANY, "lfm2_pythonic", "lfm2", "qwen3"),
    (ANY, "llama3_json", "llama3_json", None),
    ("Llama-4", "llama4_pythonic", "llama4_json", None),
    (ANY, "llama4_pythonic", "llama4_pythonic", None),
    (ANY, "longcat", "longcat", None),
    (ANY, "mimo", "hermes", "qwen3"),
    (ANY, "minicpm5_xml", "minicpm5", None),
    (ANY, "minicpm_v4_5", "hermes", "minicpmv"),
    (ANY, "minimax_m2_xml", "minimax_m2", "minimax_m2"),
    (ANY, "minimax_m3", "minimax_m3", "minimax_m3"),
    (ANY, "mistral", "mistral", "mistral"),
    (ANY, "muse_glimmer", "muse_glimmer", "muse_glimmer"),
    (ANY, "phi4mini_functools", "phi4_mini_json", None),
    (ANY, "poolside_v1", "poolside_v1", "poolside_v1"),
    (ANY, "pythonic", "pythonic", None),
    ("Nemotron", "qwen3_coder_xml", "qwen3_coder", "nemotron_v3"),
    (ANY, "qwen3_coder_xml", "qwen3_coder", "qwen3"),
    (ANY, "seed_oss_xml", "seed_oss", "seed_oss"),
    (ANY, "step3", "step3", "step3"),
    (ANY, "step3_5", "step3p5", "step3p5"),
    (ANY, "think", None, "qwen3"),
    (ANY, "xlam", "xlam", None),
]  # fmt: skip


def read(request, text, opened, tool_parser, reasoning_parser):
    """Return a reply as it is read whole, and in chunks."""
    tools = tools_of(request)
    prompt = request["prompt"] if request["prompt"] is not None else "<think>\n" if opened else ""
    tokenizer = tokenizer_for(prompt + text)
    asked = ChatCompletionRequest(
        model="m", messages=[{"role": "user", "content": "Hi"}], **({"tools": tools} if tools else {})
    )
    parser = ParserManager.get_parser(
        tool_parser_name=tool_parser if tools else None,
        reasoning_parser_name=reasoning_parser,
        enable_auto_tools=True,
        tokenizer=tokenizer,
    )
    if parser is None:
        return {"content": text, "reasoning": None, "calls": [], "streams": [[{"content": text}]] * 3}
    before = tokenizer.encode(prompt, add_special_tokens=False)

    def made():
        # A server passes what its template was told: the option that opens reasoning in the prompt, or closes it.
        thinking = True if opened else False if prompt.rstrip().endswith("</think>") else None
        options = {} if thinking is None else {"enable_thinking": thinking, "thinking": thinking}
        return parser(tokenizer, asked.tools, chat_template_kwargs=options)

    reasoning, content, calls = made().parse(text, asked, enable_auto_tools=True)
    called = [{"name": call.name, "arguments": json.loads(call.arguments)} for call in calls or ()]
    streams = []
    for sizes in request["sizes"]:
        one, chunks = made(), cut(text, sizes)
        deltas = [
            one.parse_delta(
                chunk,
                tokenizer.encode(chunk, add_special_tokens=False),
                asked,
                before,
                finished=number == len(chunks) - 1,
            )
            for number, chunk in enumerate(chunks)
        ]
        streams.append([delta.model_dump(exclude_none=True) for delta in deltas if delta])
    return {"content": content, "reasoning": reasoning, "calls": called, "streams": streams}


def tokenizer_for(text):
    """Return a tokenizer of bytes, and of all marks in a text and those that a parser asks for."""
    made = tokenizers.Tokenizer(tokenizers.models.BPE(vocab=dict(BYTES), merges=[]))
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = tokenizers.decoders.ByteLevel()
    marks = [*dict.fromkeys([*MARKS, *MARK.findall(text)])]
    made.add_special_tokens([tokenizers.AddedToken(mark, normalized=False, special=True) for mark in marks])
    # What the configuration of Hy3's tokenizer says.
    suffix = ":opensource" if ":opensource>" in text else ""
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, eos_token="<|im_end|>", pad_token="<|im_end|>", token_suffix=suffix
    )


BYTES = {character: number for number, character in enumerate(tokenizers.pre_tokenizers.ByteLevel.alphabet())}
MARKS = (
    "<|im_end|>", "<think>", "</think>", "<mm:think>", "</mm:think>", "<tool_call>", "</tool_call>", "<tool_calls>",
    "</tool_calls>", "[TOOL_CALLS]", "[THINK]", "[/THINK]", "<|python_tag|>",
)  # fmt: skip

if __name__ == "__main__":
    answer_all(PARSERS, read, answers)
