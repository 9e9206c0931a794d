"""Hostile contents: where each stands in a request, and which of our templates it is aimed at."""

import json
from copy import deepcopy
from fnmatch import fnmatchcase
from functools import cache

from goldens import REPOSITORY

import idiolect
from idiolect.plugin import CHATML, DEFAULT

EVERY = {
    "chatml/qwen": "qwen:*",
    "qwen-eos": "qwen:*",
    "qwen": "qwen:* tools",
    "qwen-resp": "qwen:* tools",
    "qwen3": "qwen:qwen3*",
    "llama2": "llama:llama-2*",
    "llama3": "llama:llama-3*",
    "mllama": "llama:llama-3.2-vision",
    "llama4": "llama:llama-4*",
    "vicuna": "vicuna:vicuna*",
    "vicuna-nl": "vicuna:vicuna*",
    "xwin/wizard": "vicuna:vicuna*",
}
"""Families of the battery, and our templates (`plugin:template`, and what they must be capable of) every one of which must see through them."""

SOME = {
    "qwen3-coder": "qwen:qwen3-coder*",
    "qwen-audio": "qwen:*audio*",
    "chatglm3": "chatglm:*",
    "chatglm4": "chatglm:*",
    "glm4": "chatglm:*",
    "internlm1": "internlm:*",
    "internlm2": "internlm:*",
    "internlm2-old": "internlm:*",
    "baichuan1": "baichuan:*",
    "baichuan2": "baichuan:*",
    "mistral-v1": "mistral:*",
    "mistral-v3": "mistral:*",
    "mistral-v7": "mistral:*",
    "mistral-res": "mistral:*",
    "magistral": "mistral:*",
    "pixtral": "mistral:*",
    "deepseek": "deepseek:*",
    "deepseek-llm": "deepseek:*",
    "deepseek-v3": "deepseek:*",
    "gemma": "gemma:*",
    "gemma4": "gemma:*",
    "yi": "yi:*",
    "zephyr": "zephyr:*",
    "phi3": "phi:*",
    "phi3v": "phi:*",
    "gpt-oss": "gptoss:*",
    "kimi": "kimi:*",
    "command-r": "cohere:*",
    "granite": "granite:*",
}
"""Families of which one plugin has several formats: at least one of its templates must see through them."""

PLAIN_TEXT = "known only in FastChat's notation, whose separators are plain text that nothing can protect"
NO_FAMILY = "no family of this project"
NOT_OURS = {
    **dict.fromkeys(["alpaca", "dolly", "h2ogpt", "koala", "phoenix", "rwkv", "openchat", "hermes"], PLAIN_TEXT),
    **dict.fromkeys(["exaone", "falcon3", "internvl", "llava", "minicpm", "minimax", "seed", "seed-oss", "smollm/olmo"], NO_FAMILY),
}

HARMLESS = {
    "re/prefix-of-template": "`<` before the template's own marker makes no other marker",
    "re/two-messages": "the halves are of a marker that the format does not have",
    "re/think-removed": "what stands before </think> is left out whole",
    "re/nfkc-ds": "letters that only look like a marker's are none to a tokenizer",
    "reason/qwen3": "the text is cut at the marker, which is left out itself",
}
"""Cases in which no marker arises, and why."""


@cache
def cases():
    """Return all cases."""
    return json.loads((REPOSITORY / "tests/data/hostile_content.json").read_text("utf-8"))["cases"]


@cache
def installed():
    """Return every installed template of a family as `plugin:name`, core's two among them.

    A fallback is left out: what it has is another tool's, faults included, such as a format that eats the last letter of a text.
    """
    found = {"idiolect:chatml": CHATML, "idiolect:default": DEFAULT}
    for plugin in idiolect.plugins(load=True):
        if plugin.fallback:
            continue
        adapter = idiolect._registry.find(f"{plugin.package}:{plugin.name}" if plugin.package else plugin.name)
        found |= {f"{plugin.name}:{name}": template for name, template in adapter.list_templates().items()}
    return found


def spoken_by(family):
    """Return the installed templates that a family of the battery is aimed at."""
    pattern, _, capability = {**EVERY, **SOME}[family].partition(" ")
    return [
        template
        for name, template in installed().items()
        if fnmatchcase(name, pattern) and (not capability or capability in template.capabilities) and template not in (CHATML, DEFAULT)
    ]


CALL = {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": {"where": "here"}}}
TOOL = {"type": "function", "function": {"name": "look", "description": "Look.", "parameters": {"type": "object", "properties": {"where": {}}}}}
USER = {"role": "user", "content": "Hi"}


def request(case):
    """Return the arguments of `render` for a case, and the path of the field that is hostile."""
    if "messages" in case:
        return {"messages": deepcopy(case["messages"])}, ("messages",)
    text = case["content"]
    call, tool = deepcopy(CALL), deepcopy(TOOL)
    answer = {"role": "assistant", "content": "Yes", "tool_calls": [call]}
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
            return {"messages": [USER, {"role": "assistant", "content": "x", "reasoning_content": text}]}, ("messages", 1, "reasoning_content")
        case "user.name":
            return {"messages": [{**USER, "name": text}]}, ("messages", 0, "name")
        case "tool.content":
            return {**with_call, "messages": [USER, answer, {"role": "tool", "content": text}]}, ("messages", 2, "content")
        case "tool.tool_call_id":
            return {**with_call, "messages": [USER, answer, {"role": "tool", "content": "x", "tool_call_id": text}]}, ("messages", 2, "tool_call_id")
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
    """Return what stands at the path of a segment in what was given to `render`."""
    value = arguments
    for step in path:
        value = value[step]
    return value
