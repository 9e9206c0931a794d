"""Facts about formats by which a model's own template is recognised: fingerprints, families' markers, reply formats."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from lect_jinja.sources.tokens import NAMES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class ReplyRule(NamedTuple):
    """Which models write replies in a format.

    Attributes:
        format: The name of the reply format.
        package: A package that has it.
        model_types: The values of `model_type` that mean it, whatever the template.
        marks: Texts that must all be special tokens of the model, or occur in its template.
    """

    format: str
    package: str
    model_types: tuple[str, ...]
    marks: tuple[str, ...]


# From the most specific to the most general: the first that fits wins.
REPLIES = (
    ReplyRule("harmony", "lect-gptoss", ("gpt_oss",), ("<|channel|>", "<|message|>")),
    ReplyRule("gemma4", "lect-gemma", (), ("<|tool_call>",)),
    ReplyRule("functiongemma", "lect-gemma", (), ("<start_function_call>",)),
    ReplyRule("kimi_k3", "lect-kimi", (), ("<|open|>", "<|close|>", "<|sep|>")),
    ReplyRule("kimi_k2", "lect-kimi", ("kimi_k2",), ("<|tool_calls_section_begin|>",)),
    ReplyRule("kimi_vl_think", "lect-kimi", (), ("◁think▷",)),
    ReplyRule("deepseek_v32_dsml", "lect-deepseek", (), ("｜DSML｜",)),
    ReplyRule("deepseek_r1", "lect-deepseek", (), ("<｜tool▁calls▁begin｜>", "```json", "</think>")),
    ReplyRule("deepseek_v3", "lect-deepseek", (), ("<｜tool▁calls▁begin｜>", "```json")),
    ReplyRule("deepseek_v31", "lect-deepseek", (), ("<｜tool▁calls▁begin｜>",)),
    ReplyRule("step3", "lect-step", (), ("<｜tool_calls_begin｜>",)),
    ReplyRule("cohere_action", "lect-cohere", ("cohere2",), ("<|START_ACTION|>",)),
    ReplyRule("command_r_plus", "lect-cohere", ("cohere",), ("<|START_OF_TURN_TOKEN|>", "```json")),
    ReplyRule("internlm2_action", "lect-internlm", (), ("<|action_start|>",)),
    ReplyRule("apertus", "lect-apertus", ("apertus",), ("<|tools_prefix|>",)),
    ReplyRule("llama4_pythonic", "lect-llama", ("llama4",), ("<|header_start|>", "<|python_start|>")),
    ReplyRule("functionary_v31", "lect-dialects", (), ("<|start_header_id|>", "<function=")),
    ReplyRule("functionary_v32", "lect-dialects", (), ("<|start_header_id|>", ">>>")),
    ReplyRule("firefunction_v2", "lect-dialects", (), ("<|start_header_id|>", "functools")),
    ReplyRule("llama3_json", "lect-llama", ("mllama",), ("<|start_header_id|>", "ipython")),
    ReplyRule("phi4mini_functools", "lect-phi", (), ("<|tool|>", "<|/tool|>")),
    ReplyRule("mistral", "lect-mistral", ("mistral3",), ("[TOOL_CALLS]",)),
    ReplyRule("hermes_json", "lect", ("granitemoehybrid", "qwen3"), ("<|start_of_role|>", "<tool_call>")),
    ReplyRule("granite3_list", "lect-granite", (), ("<|start_of_role|>", "<|tool_call|>")),
    ReplyRule("granite_think", "lect-granite", (), ("<|start_of_role|>", "Here is my thought process:")),
    ReplyRule("solar_open", "lect-solar", ("solar_open",), ("<|tool_call:begin|>",)),
    ReplyRule("minicpm3_python", "lect-minicpm", ("minicpm3",), ("<|thought_start|>", "<|tool_call_start|>")),
    ReplyRule("lfm2_pythonic", "lect-lfm2", ("lfm2", "lfm2_moe"), ("<|tool_call_start|>",)),
    # Those of its templates that write no calls.
    ReplyRule("lfm2_pythonic", "lect-lfm2", (), ("<|tool_list_start|>",)),
    ReplyRule("glm4_xml", "lect-chatglm", ("glm4_moe",), ("<tool_call>", "<arg_key>")),
    ReplyRule("minimax_m3", "lect-minimax", (), ("]<]minimax[>[",)),
    ReplyRule("minimax_m2_xml", "lect-minimax", ("minimax_m2",), ("<minimax:tool_call>",)),
    ReplyRule("seed_oss_xml", "lect-seed", ("seed_oss",), ("<seed:tool_call>",)),
    ReplyRule("hunyuan_a13b", "lect-hunyuan", ("hunyuan_v1_moe",), ("<|extra_4|>", "<tool_calls>")),
    ReplyRule("jamba", "lect-jamba", ("jamba",), ("<|bom|>", "<tool_calls>")),
    ReplyRule("apriel", "lect-dialects", (), ("[BEGIN FINAL RESPONSE]",)),
    ReplyRule("olmo3_pythonic", "lect-olmo", ("olmo3",), ("<function_calls>",)),
    ReplyRule("dots", "lect-dialects", ("dots1",), ("<dots_function_call>",)),
    ReplyRule("longcat", "lect-longcat", ("longcat_flash",), ("<longcat_tool_call>",)),
    ReplyRule("nemotron_nano_v2", "lect-nemotron", (), ("<TOOLCALL>",)),
    ReplyRule("ernie45", "lect-ernie", (), ("<tool_call>", "<response>")),
    ReplyRule("qwen3_coder_xml", "lect-qwen", (), ("<tool_call>", "<function=")),
    ReplyRule("hermes_json", "lect", (), ("<tool_call>",)),
    ReplyRule("think", "lect", (), ("<think>",)),
)

# Which reply formats may read an answer, by a mark that is in it; of several that read it alike, the first is chosen.
READERS = {
    "<|tools_prefix|>": ("apertus",),
    "<tool_calls>": ("apriel", "hunyuan_a13b", "jamba", "hunyuan_v3_xml"),
    "<tool_calls:": ("hunyuan_v3_xml",),
    "<|START_ACTION|>": ("cohere_action",),
    "<｜tool▁calls▁begin｜>": ("deepseek_v31", "deepseek_v3", "deepseek_r1"),
    "DSML｜function_calls>": ("deepseek_v32_dsml", "deepseek_v4_dsml"),
    "DSML｜tool_calls>": ("deepseek_v4_dsml", "deepseek_v32_dsml"),
    "<dots_function_call>": ("dots",),
    "functools": ("firefunction_v2", "phi4mini_functools"),
    ">>>": ("functionary_v32",),
    "<start_function_call>": ("functiongemma",),
    "<|tool_call>": ("gemma4",),
    "<|function_call|>": ("gigachat3",),
    "function call<|role_sep|>": ("gigachat3",),
    "<function_call>": ("granite20b_fc",),
    "<|tool_call|>": ("granite3_list", "granite_think", "phi4mini_functools"),
    "<|channel|>": ("harmony",),
    "<|message_model|>": ("inkling",),
    "<|action_start|>": ("internlm2_action",),
    "<|tool_calls_section_begin|>": ("kimi_k2",),
    "<|open|>": ("kimi_k3",),
    "<|tool_call_start|>": ("lfm2_pythonic", "minicpm3_python"),
    "<|python_start|>": ("llama4_pythonic",),
    "<|python_tag|>": ("llama3_json",),
    "<longcat_tool_call>": ("longcat",),
    "<function ": ("minicpm5_xml",),
    "<minimax:tool_call>": ("minimax_m2_xml",),
    "]<]minimax[>[": ("minimax_m3",),
    "[TOOL_CALLS]": ("mistral", "xlam"),
    "<atem:function_calls>": ("muse_glimmer",),
    "<TOOLCALL>": ("nemotron_nano_v2",),
    "<toolcall>": ("nemotron_mini",),
    "<function_calls>": ("olmo3_pythonic",),
    "<seed:tool_call>": ("seed_oss_xml",),
    "<|tool_call:begin|>": ("solar_open",),
    "<｜tool_calls_begin｜>": ("step3",),
    "<tool_call>": ("hermes_json", "qwen3_coder_xml", "glm4_xml", "poolside_v1", "ling3", "ernie45", "reka", "xlam"),
    "<function=": ("functionary_v31", "llama3_json"),
    "```json": ("hermes_json", "reka", "xlam"),
    "Action:": ("command_r_plus", "react", "internlm2_action"),
}
AT_THE_START = {
    "[": ("pythonic", "llama4_pythonic", "xlam", "granite3_list"),
    "{": ("llama3_json",),
}
"""The same for calls without a mark of their own, by how an answer begins."""

# Which families a template may belong to, by what occurs in it or is one of its special tokens.
FAMILIES_OF_MARKS = {
    "<|im_start|>": ("qwen", "yi", "internlm", "zephyr", "lect"),
    "<|im_sep|>": ("phi",),
    "<|start_header_id|>": ("llama",),
    "<|header_start|>": ("llama",),
    "[INST]": ("mistral", "llama"),
    "[TOOL_CALLS]": ("mistral",),
    "Source: ": ("llama",),
    "<start_of_turn>": ("gemma",),
    "<|turn>": ("gemma",),
    "<|start_of_role|>": ("granite",),
    "<|START_OF_TURN_TOKEN|>": ("cohere",),
    "<｜User｜>": ("deepseek",),
    "### Instruction:": ("deepseek",),
    "User: ": ("deepseek",),
    "<|im_middle|>": ("kimi",),
    "<|channel|>": ("gptoss",),
    "[gMASK]": ("chatglm",),
    "<|user|>": ("zephyr", "phi", "chatglm"),
    "<|end|>": ("phi",),
    "USER: ": ("vicuna",),
    "<reserved_106>": ("baichuan",),
}
FAMILIES_OF_MODEL_TYPES = {
    "baichuan": ("baichuan",),
    "chatglm": ("chatglm",),
    "cohere": ("cohere",),
    "cohere2": ("cohere",),
    "deepseek_v3": ("deepseek",),
    "gemma": ("gemma", "zephyr"),
    "gemma2": ("gemma",),
    "gemma3": ("gemma",),
    "gemma3_text": ("gemma",),
    "glm4_moe": ("chatglm",),
    "gpt_oss": ("gptoss",),
    "granite": ("granite",),
    "internlm2": ("internlm",),
    "kimi_k2": ("kimi",),
    "llama4": ("llama",),
    "mllama": ("llama",),
    "phi3": ("phi",),
    "qwen2": ("qwen",),
    "qwen3": ("qwen",),
    "stablelm": ("zephyr",),
}


EARLIER = "an earlier"
TODAY = "9999"
"""The date of a text that nobody has changed."""


def fingerprint(text: str) -> str:
    """Return the sha256 of a template's text, with line endings as Jinja reads them."""
    return sha256(text.replace("\r\n", "\n").removesuffix("\n").encode()).hexdigest()


def named_by_text(source: str, tokens: Mapping[str, str]) -> str:
    """Return the name of our template that is known to write what this text writes with these tokens; empty if none."""
    row = fingerprints().get(fingerprint(source))
    return _only_name([row] if row else [], source, tokens)


def known_text(source: str, current: str = "") -> str:
    """Return which model a published text is the template of, who has it and as of when; empty if it is not known.

    Args:
        source: The text.
        current: The name of our template for the model that is asked about.
    """
    row = fingerprints().get(fingerprint(source))
    if row is None or "model" not in row:
        return ""
    date = f", as of {row['date']}" if "date" in row else ""
    same_model = (each for each in fingerprints().values() if each.get("model") == row["model"])
    dates = [each.get("date", TODAY) for each in same_model if each.get("template") == current]
    is_earlier = row.get("date", TODAY) < max(dates, default="")
    which = "the" if not dates or row.get("template") == current else EARLIER if is_earlier else "another"
    return f"{which} template of {row['model']}{date}, as in {row['source']}"


def named_by_tree(tree: str, source: str, tokens: Mapping[str, str]) -> str:
    """Return the same for any text with this syntax tree."""
    return _only_name((row for row in fingerprints().values() if row.get("tree") == tree), source, tokens)


def _only_name(rows: Iterable[Mapping[str, Any]], source: str, tokens: Mapping[str, str]) -> str:
    """Return the one name that known templates with these tokens have; empty if there are several.

    One tree may stand for two names, with other stops and other replies.
    """
    # Tokens of the usual names are in a row if the template reads them; a model may have others.
    unusual = [name for name in tokens if name not in NAMES and name in source]
    ours = (row for row in rows if "template" in row)
    fitting = [row for row in ours if _fits(row.get("tokens", {}), tokens, unusual)]
    names = {row["template"] for row in fitting}
    return "" if len(names) != 1 or any(row.get("differs") for row in fitting) else str(names.pop())


def _fits(known: Mapping[str, str], tokens: Mapping[str, str], unusual: Iterable[str]) -> bool:
    return all(tokens.get(name, "") == known.get(name, "") for name in (*known, *unusual))


def fingerprints() -> dict[str, dict[str, Any]]:
    """Return what is known of published templates, such as our equivalents, by the fingerprint of the text."""
    return _generated()["templates"]


def first_prompts() -> dict[str, list[str]]:
    """Return the fingerprints of what each of our templates writes for a question, and with tools, by `plugin:name`."""
    return _generated()["first_prompts"]


@cache
def _generated() -> dict[str, dict[str, Any]]:
    import json
    from pkgutil import get_data

    return json.loads(get_data(__package__, "fingerprints.json") or b"{}")  # type: ignore[no-any-return]
