"""Granite Vision 3.2: a word in markers before each text, and a default system text."""

from lect.plugin import Chat, Writer
from lect_granite.granite3 import GRANITE3_0

END = "<|end_of_text|>"
TURNS = {
    "system": ("<|system|>\n", "\n"),
    "user": ("<|user|>\n", "\n"),
    "assistant": ("<|assistant|>\n", END),
    "assistant_tool_call": ("<|start_of_role|>assistant<|end_of_role|><|tool_call|>", f"{END}\n"),
    "tool_response": ("<|start_of_role|>tool_response<|end_of_role|>", f"{END}\n"),
}


def vision(chat: Chat, out: Writer) -> None:
    """Write Granite Vision 3.2: calls and results have roles of their own. An image is a tag in the caller's text."""
    if chat.tools:
        out.append("<|start_of_role|>available_tools<|end_of_role|>\n")
        for index, tool in enumerate(chat.tools):
            out += "\n\n" if index else "", chat.json(tool, "tools", index, indent=4)
        out += END, "\n"
    if all(message.role != "system" for message in chat.messages):
        before, after = TURNS["system"]
        out += before, chat.default_system, after
    for message in out.turns(chat.messages):
        if message.role in TURNS:
            before, after = TURNS[message.role]
            out += before, message.content, after
    if chat.add_generation_prompt and chat.messages:
        out.append("<|assistant|>\n")


GRANITE_VISION = GRANITE3_0.but(
    name="granite-3.2-vision",
    program=vision,
    default_system=(
        "A chat between a curious user and an artificial intelligence assistant. The assistant gives helpful, "
        "detailed, and polite answers to the user's questions."
    ),
    markers=["<|system|>", "<|user|>", "<|assistant|>", *GRANITE3_0.markers, "<image>"],
    control_tokens=["<image>"],
    source=(
        "ibm-granite/granite-vision-3.2-2b, chat_template of the GGUF behind Ollama's granite3.2-vision:2b; its turns "
        "also in hiyouga/LLaMA-Factory at ff6d4d1, src/llamafactory/data/template.py"
    ),
    evidence="second-hand",
)
