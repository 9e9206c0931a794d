"""Hostile contents: where each is in a request, and which of our templates it is aimed at."""

import json
import re
from copy import deepcopy
from fnmatch import fnmatchcase
from functools import cache

from goldens import REPOSITORY

import lect
from lect.plugin import CHATML, DEFAULT

LIKE_CHATML = "lect:chatml qwen:* yi:* internlm:internlm[23]* zephyr:zephyr-gemma phi:phi-4 phi:phi-4-reasoning"
V3_AND_R1 = "deepseek:deepseek-v3* deepseek:deepseek-r1*"
SPOKEN = {
    "chatml/qwen": LIKE_CHATML,
    "qwen-eos": "qwen:*",
    "qwen": "qwen:*+tools granite:granite-4*",
    "hermes": "qwen:*+tools granite:granite-4*",
    "qwen-resp": "qwen:*+tools",
    "qwen3": "qwen:*+reasoning",
    "qwen3-coder": "qwen:qwen3-coder qwen:qwen3.[568]",
    "llama2": "llama:llama-2-chat llama:codellama*",
    "llama3": "llama:llama-3*",
    "mllama": "llama:llama-3.2-vision llama:llama-4",
    "llama4": "llama:llama-4",
    "vicuna": "vicuna:*",
    "vicuna-nl": "vicuna:vicuna*",
    "xwin/wizard": "vicuna:vicuna* wizardlm:*",
    "alpaca": "deepseek:deepseek-coder",
    "chatglm3": "chatglm:chatglm3* chatglm:glm-*",
    "chatglm4": "chatglm:glm-*",
    "glm4": "chatglm:glm-4.[56]*+tools chatglm:glm-5*+tools",
    "internlm1": "internlm:internlm-chat*",
    "internlm2": "internlm:internlm[23]*",
    "internlm2-old": "internlm:internlm2*",
    "baichuan1": "baichuan:baichuan-chat",
    "baichuan2": "baichuan:baichuan2-chat",
    "mistral-v1": "mistral:* llama:llama-2-chat llama:codellama-instruct",
    "mistral-v3": "mistral:*",
    "mistral-v7": "mistral:mistral-large* mistral:mistral-small*",
    "mistral-res": "mistral:*+tools",
    "pixtral": "mistral:*+images",
    "deepseek": V3_AND_R1,
    "deepseek-llm": "deepseek:*",
    "deepseek-v3": V3_AND_R1,
    "gemma": "gemma:gemma gemma:gemma-3*",
    "gemma4": "gemma:gemma-4*",
    "yi": "yi:*",
    "zephyr": "zephyr:zephyr zephyr:tinyllama-chat",
    "falcon3": "zephyr:stablelm-zephyr",
    "smollm/olmo": "zephyr:stablelm-zephyr",
    "phi3": "phi:phi-3* phi:phi-4-mini",
    "gpt-oss": "gptoss:*",
    "kimi": "kimi:kimi-k2* kimi:kimi-vl* kimi:moonlight",
    "command-r": "cohere:*",
    "tool/command-r": "cohere:command-a* cohere:command-r7b",
    "granite": "granite:granite-[34]*",
}
"""Families of the battery, or single cases, and our templates that have their markers (`plugin:template`, and the
capability that it must have)."""

PLAIN_TEXT = "known only in FastChat's notation, whose separators are plain text that nothing can protect"
NO_FAMILY = "no family of this project"
NO_MODEL = "a model that the family has no template for"
NOT_OURS = {
    **dict.fromkeys(["dolly", "h2ogpt", "koala", "phoenix", "rwkv", "openchat"], PLAIN_TEXT),
    **dict.fromkeys(["exaone", "internvl", "llava", "minicpm", "minimax", "seed", "seed-oss"], NO_FAMILY),
    **dict.fromkeys(["magistral", "phi3v", "qwen-audio"], NO_MODEL),
}
NEVER_IMITATED = (
    "chatglm:chatglm-6b", "chatglm:chatglm2-6b", "granite:granite-code", "vicuna:one_shot", "lect:default",
)  # fmt: skip
"""Templates whose turns no case imitates: they are plain text."""
SINCE = (
    "apertus", "bielik", "bluelm", "dbrx", "dolphin", "dots", "ernie", "exaone", "falcon", "gigachat", "hermes",
    "hunyuan", "inkling", "internvl", "jamba", "laguna", "lfm2", "ling", "llava", "longcat", "mimo", "minicpm", "minimax",
    "muse", "nanbeige", "nemotron", "olmo", "openbuddy", "openchat", "opencoder", "orion", "rnj", "seallm", "seed",
    "smollm", "solar", "spark", "step", "telechat", "xuanyuan", "xverse", "llama:chinese-alpaca-2", "llama:cogito-v1-llama",
    "kimi:kimi-k3", "llama:vigogne-2-chat", "phi:phi-4-mini-reasoning", "phi:phi-4-multimodal",
)  # fmt: skip
"""Families and templates that the battery has no case for; their own markers are tried one by one."""
TAKEN_OUT = {"nemotron:nemotron-nano-v2": "</think>", "exaone:exaone-deep": "</thought>"}
"""Markers that never arrive: these formats remove `/think`, and what ends with `</thought>`, from what a user says."""
CHANGES_TEXTS = frozenset({"falcon:falcon-instruct"})
"""Templates that rewrite the inside of a text."""

HARMLESS = {
    "re/prefix-of-template": "`<` before the template's own marker makes no other marker",
    "re/two-messages": "the halves are of a marker that the format does not have",
    "re/nfkc-ds": "letters that only look like a marker's are none to a tokenizer",
}
"""Cases in which no marker arises, and why."""

TAGS = re.compile(r"<\|[^|<>\s]+\|?>|<[^|<>\s]+\|>|<｜[^｜]+｜>|\[/?[A-Z_]+(?:_\d+)?\]|</?[A-Za-z_]\w*>|<</?[A-Z]+>>")
"""What looks like a control marker."""
SEPARATORS = re.compile(r"### \w+:|\b(?:USER|ASSISTANT):")
"""What looks like a speaker in plain text."""

A_FRAME = "frames what the model is told; neither turns nor replies are cut there"
A_CALL = "stands inside a call, which markers enclose"
A_SOURCE = "names a source within a sentence of a reply"
NO_MARKERS = {
    **dict.fromkeys(
        [
            "tools", "results", "documents", "IMPORTANT", "name", "description", "type", "parameters",
            "role_description", "available_modalities", "instruction_priority", "function_usage", "memory_guidelines",
            "assistant_guidelines",
        ],
        A_FRAME,
    ),
    **dict.fromkeys(["function", "parameter"], A_CALL),
    "co": A_SOURCE,
}  # fmt: skip
"""Tags that look like markers and are plain words, and why."""


def imitated(text):
    """Return what looks like a control marker in a text, without tags that are plain words."""
    return {found for found in TAGS.findall(text) if found.strip("</>") not in NO_MARKERS}


@cache
def cases():
    """Return all cases."""
    return json.loads((REPOSITORY / "tests/data/hostile_content.json").read_text("utf-8"))["cases"]


@cache
def installed():
    """Return every installed template of a family as `plugin:name`; core's two once, as `lect:name`.

    A fallback is left out: its templates are another tool's, faults included, such as a format that eats the last
    character of a text.
    """
    own = [DEFAULT, CHATML]
    found = {f"lect:{template.name}": template for template in own}
    for plugin in lect.plugins(load=True):
        if plugin.fallback:
            continue
        adapter = lect._registry.find(f"{plugin.package}:{plugin.name}" if plugin.package else plugin.name)
        found |= {
            f"{plugin.name}:{name}": template
            for name, template in adapter.list_templates().items()
            if template not in own
        }
    return found


def spoken_by(case):
    """Return the names of the installed templates that a case is aimed at."""
    found = []
    for wanted in SPOKEN[case["id"] if case["id"] in SPOKEN else case["family"]].split():
        pattern, _, capability = wanted.partition("+")
        found += [
            name
            for name, template in installed().items()
            if fnmatchcase(name, pattern) and (not capability or capability in template.capabilities)
        ]
    return found


def is_never_imitated(name):
    """Return whether a template is known to be imitated by no case."""
    return name in (*NEVER_IMITATED, *SINCE) or name.partition(":")[0] in SINCE


CALL = {"id": "call00001", "type": "function", "function": {"name": "look", "arguments": {"where": "here"}}}
TOOL = {
    "type": "function",
    "function": {"name": "look", "description": "Look.", "parameters": {"type": "object", "properties": {"where": {}}}},
}
USER = {"role": "user", "content": "Hi"}
# Some models require ids of nine characters.
RESULT = {"role": "tool", "content": "x", "tool_call_id": "call00001"}


def request(case):
    """Return the arguments of `render` for a case, and the path of the field that is hostile."""
    if "messages" in case:
        return {"messages": deepcopy(case["messages"])}, ("messages",)
    text = case["content"]
    call, tool = deepcopy(CALL), deepcopy(TOOL)
    # Some formats write calls only if there is no content.
    answer = {"role": "assistant", "content": None, "tool_calls": [call]}
    with_call = {"messages": [USER, answer], "tools": [TOOL]}
    with_tool = {"messages": [USER], "tools": [tool]}
    function = ("messages", 1, "tool_calls", 0, "function")
    match case["field"]:
        case "user.content":
            return {"messages": [{"role": "user", "content": text}]}, ("messages", 0, "content")
        case "system.content":
            return {"messages": [{"role": "system", "content": text}, USER]}, ("messages", 0, "content")
        case "assistant.content":
            return {"messages": [USER, {"role": "assistant", "content": text}, USER]}, ("messages", 1, "content")
        case "assistant.reasoning_content":
            return {"messages": [USER, {"role": "assistant", "content": "x", "reasoning_content": text}]}, (
                "messages",
                1,
                "reasoning_content",
            )
        case "user.name":
            return {"messages": [{**USER, "name": text}]}, ("messages", 0, "name")
        case "tool.content":
            return {**with_call, "messages": [USER, answer, {**RESULT, "content": text}]}, ("messages", 2, "content")
        case "tool.tool_call_id":
            return {**with_call, "messages": [USER, answer, {**RESULT, "tool_call_id": text}]}, (
                "messages",
                2,
                "tool_call_id",
            )
        case "assistant.tool_calls[0].function.name":
            call["function"]["name"] = text
            return with_call, (*function, "name")
        case "assistant.tool_calls[0].function.arguments.key":
            call["function"]["arguments"] = {text: 1}
            return with_call, (*function, "arguments")
        case "assistant.tool_calls[0].function.arguments.value":
            call["function"]["arguments"] = {"where": text}
            return with_call, (*function, "arguments")
        case "tools[0].function.description":
            tool["function"]["description"] = text
            return with_tool, ("tools", 0)
        case "tools[0].function.parameters.properties.key":
            tool["function"]["parameters"]["properties"] = {text: {}}
            return with_tool, ("tools", 0)
        case "documents[0].text":
            return {"messages": [USER], "documents": [{"title": "t", "text": text}]}, ("documents", 0)
        case "role":
            return {"messages": [USER, {"role": text, "content": "x"}]}, ("messages", 1, "role")
    raise NotImplementedError(case["field"])


def value_at(arguments, path):
    """Return the value at the path of a segment in the arguments of `render`."""
    value = arguments
    for step in path:
        value = value[step]
    return value


def related(one, other):
    """Return whether two paths name the same field, or a field and one inside it."""
    return all(step == other_step for step, other_step in zip(one, other, strict=False))


DOCUMENTS = [{"doc_id": "7", "title": "Paris", "text": "A city."}]
OPTIONS = {
    "enable_thinking": [True, False],
    "thinking": [True, False],
    "clear_thinking": [False],
    "preserve_thinking": [True, False],
    "reasoning": [False],
    "skip_thinking": [True],
    "reasoning_effort": ["low"],
    "add_vision_id": [True],
    "documents": [DOCUMENTS],
    "response_format": [{"type": "json_object", "schema": "any"}],
    "builtin_tools": [["browser", "python"]],
    "tools_in_user_message": [False],
    "spelling": ["numbered"],
}
WITH_DOCUMENTS = {"controls": {"citations": True, "hallucinations": True}, "enable_citations": True}
"""Options that matter only with documents."""


def options_of(template):
    """Yield none of a template's options, then each one alone that changes what it writes, then all about documents."""
    yield {}
    for name in template.options:
        for value in OPTIONS.get(name, []):
            yield {name: value}
    if "documents" in template.options:
        yield {
            "documents": DOCUMENTS,
            **{name: value for name, value in WITH_DOCUMENTS.items() if name in template.options},
        }
