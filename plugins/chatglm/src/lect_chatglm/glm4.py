"""GLM-4, with tools in the field `tools` of a message, GLM-4 of April 2025, and GLM-Edge."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from lect.plugin import Chat, Message, Template, Turn, TurnTemplate, Writer
from lect_chatglm.builtin import BUILT_IN


def write_function(chat: Chat, out: Writer, function: Mapping[str, Any], path: tuple[str | int, ...]) -> None:
    """Write one of the caller's functions."""
    name = chat.text(function.get("name", ""), *path, "name")
    schema = chat.json(function, *path, indent=4)
    out += "\n## ", name, "\n\n", schema, "\n在调用上述函数时，请使用 Json 格式表示调用的参数。"


def write_tools(chat: Chat, out: Writer, message: Message, tools: Any, name: str) -> None:
    """Write who the model is and which tools it has: the caller's functions, and built-in tools."""
    out += "<|system|>\n你是一个名为 ", name, " 的人工智能助手。你是基于智谱AI训练的语言模型 GLM-4 模型开发的，"
    out.append("你的任务是针对用户的问题和要求提供适当的答复和支持。\n\n# 可用工具")
    path = ("messages", message.index, "tools")
    # The maker's template iterates over the characters of a text, and finds no tools in them.
    for index, tool in enumerate(() if isinstance(tools, str) else chat.expect("mappings", tools, *path)):
        where = (*path, index)
        kind = tool.get("type")
        if kind == "function":
            function = chat.expect("mapping", tool.get("function", {}), *where, "function")
            write_function(chat, out, function, (*where, "function"))
        else:
            out.append(BUILT_IN.get(kind, "") if isinstance(kind, str) else "")


def glm4(chat: Chat, out: Writer, *, name: str) -> None:
    """Write GLM-4: empty messages are left out, and the `metadata` of a message follows its role."""
    out.append("[gMASK]<sop>")
    for message in out.turns(chat.messages):
        tools = message.raw.get("tools")
        if tools is not None:
            write_tools(chat, out, message, tools, name)
        if message.content:
            metadata = chat.text(message.raw.get("metadata", ""), "messages", message.index, "metadata")
            out += "<|", message.role, "|>", metadata, "\n", message.content
    if chat.add_generation_prompt:
        out.append("<|assistant|>")


GLM4 = Template(
    "glm-4",
    partial(glm4, name="ChatGLM"),
    roles=["system", "user", "assistant", "observation"],
    stop={"<|endoftext|>": 151329, "<|user|>": 151336, "<|observation|>": 151338},
    markers={
        "<|endoftext|>": 151329, "[MASK]": 151330, "[gMASK]": 151331, "[sMASK]": 151332, "<sop>": 151333,
        "<eop>": 151334, "<|system|>": 151335, "<|user|>": 151336, "<|assistant|>": 151337, "<|observation|>": 151338,
        "<|begin_of_image|>": 151339, "<|end_of_image|>": 151340, "<|begin_of_video|>": 151341,
        "<|end_of_video|>": 151342,
    },
    source="THUDM/glm-4-9b-chat, tokenizer_config.json",
)  # fmt: skip
GLM4_HF = GLM4.but(
    name="glm-4-hf",
    program=partial(glm4, name="GLM-4"),
    source="THUDM/glm-4-9b-chat-1m-hf, tokenizer_config.json",
)


def glm4_0414(chat: Chat, out: Writer) -> None:
    """Write GLM-4 of April 2025: tools and system texts come first, wherever they are."""
    out.append("[gMASK]<sop>")
    if chat.tools:
        out.append("<|system|>\n# 可用工具\n")
    for index in range(len(chat.tools)):
        function, path = chat.function(index)
        write_function(chat, out, function, path)
    for message in out.turns([message for message in chat.messages if message.role == "system"]):
        out += "<|system|>\n", message.content
    for message in out.turns([message for message in chat.messages if message.role != "system"]):
        if message.role == "assistant":
            metadata = chat.text(message.raw.get("metadata") or "", "messages", message.index, "metadata")
            out += "<|assistant|>", metadata, " \n" if metadata else "\n", message.content
        elif message.role in ("user", "observation"):
            out += "<|", message.role, "|>\n", message.content
    out.turn(None)
    if chat.add_generation_prompt:
        out.append("<|assistant|>")


GLM4_0414 = GLM4.but(
    name="glm-4-0414",
    program=glm4_0414,
    capabilities=["system", "tools"],
    source="zai-org/GLM-4-9B-0414, chat_template.jinja",
)
GLM_EDGE = TurnTemplate(
    "glm-edge",
    system=Turn("<|system|>\n"),
    user=Turn("<|user|>\n"),
    assistant=Turn("<|assistant|>\n"),
    stop={"<|endoftext|>": 59246, "<|user|>": 59253, "<|observation|>": 59255},
    markers=[*GLM4.markers],
    control_tokens=GLM4.control_tokens,
    source="THUDM/glm-edge-4b-chat, tokenizer_config.json",
)
