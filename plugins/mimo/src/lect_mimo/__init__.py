"""MiMo, by Xiaomi."""

from lect.plugin import DEFAULT, Chat, Family, Rule, Template, Writer
from lect.plugin.grammar import JSON_IN_A_FENCE, JSON_IN_TAGS, THINK, Grammar

__lect_api__ = "~=1.0"


def write_system(chat: Chat, out: Writer) -> None:
    """Write the system turn: the caller's text, or the maker's, and the tools, one JSON object per line."""
    system = chat.system
    out.turn(system)
    out += "<|im_start|>system\n", system.content if system else chat.default_system
    out.turn(None)
    if chat.tools:
        out.append(
            "\n\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
            "You are provided with function signatures within <tools></tools> XML tags:\n<tools>"
        )
        for index, tool in enumerate(chat.tools):
            out += "\n", chat.json(tool, "tools", index)
        out.append(
            "\n</tools>\n\nFor each function call, return a json object with function name and arguments within "
            "<tool_call></tool_call> XML tags:\n"
            '<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>'
        )
    out.append("<|im_end|>\n")


def mimo_vl(chat: Chat, out: Writer) -> None:
    """Write MiMo-VL. Consecutive tool results share one user turn."""
    write_system(chat, out)
    messages = chat.messages
    for position, message in enumerate(out.turns(messages)):
        role, content = message.role, message.content
        if role == "tool":
            if chat.begins_run(message):
                out.append("<|im_start|>user")
            out += "\n<tool_response>\n", content, "\n</tool_response>"
            if chat.ends_run(message):
                out.append("<|im_end|>\n")
        elif role == "assistant" and message.tool_calls:
            out += "<|im_start|>", role, *(("\n", content) if content else ())
            for call in message.tool_calls:
                out += (
                    '\n<tool_call>\n{"name": "',
                    call.name,
                    '", "arguments": ',
                    chat.arguments(call),
                    "}\n</tool_call>",
                )
            out.append("<|im_end|>\n")
        elif role in ("user", "assistant") or (role == "system" and position):
            out += "<|im_start|>", role, "\n", content, "<|im_end|>\n"
    if chat.add_generation_prompt:
        out.append("<|im_start|>assistant\n")


MIMO_VL = Template(
    "mimo-vl",
    mimo_vl,
    roles=["system", "user", "assistant", "tool"],
    default_system="You are MiMo, an AI assistant developed by Xiaomi.",
    capabilities=["system", "tools", "parallel_tools"],
    stop=["<|im_end|>", "<|endoftext|>"],
    markers=[
        *("<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|vision_start|>", "<|vision_end|>", "<|image_pad|>"),
        *("<|video_pad|>", "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<think>", "</think>"),
    ],
    reply=Grammar("mimo", reasoning=THINK, sections=(JSON_IN_TAGS, JSON_IN_A_FENCE)),
    source="XiaomiMiMo/MiMo-VL-7B-RL, chat_template.json",
)

NEVER_CHATTED = "a base model: the chat markers were never trained on"

adapter = Family(
    "mimo",
    Rule("mimo 7 b base", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("mimo v 2 flash base", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("mimo vl 7 b rl 2508", None, note="no public copy of its template has been seen"),
    Rule("mimo vl 7 b rl", MIMO_VL),
)
