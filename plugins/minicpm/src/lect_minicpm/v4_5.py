"""MiniCPM-V-4.5: the text format of Qwen3, which it is built on."""

from lect.plugin import Chat, Template, Writer, thought_and_answer
from lect.plugin.grammar import JSON_IN_A_FENCE, JSON_IN_TAGS, THINK, Grammar
from lect_minicpm.chatml import last_question, write_generation, write_result, write_thought
from lect_minicpm.media import SLICES


def write_system(chat: Chat, out: Writer) -> None:
    """Write the system turn where there is a system text or a tool."""
    system = chat.system
    if not (system or chat.tools):
        return
    out.append("<|im_start|>system\n")
    if system:
        out.turn(system)
        out.append(system.content)
        out.turn(None)
    if chat.tools:
        out += (
            "\n\n" if system else "",
            "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
            "You are provided with function signatures within <tools></tools> XML tags:\n<tools>",
        )
        for index, tool in enumerate(chat.tools):
            out += "\n", chat.json(tool, "tools", index)
        out.append(
            "\n</tools>\n\nFor each function call, return a json object with function name and arguments within "
            "<tool_call></tool_call> XML tags:\n"
            '<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>'
        )
    out.append("<|im_end|>\n")


def minicpm_v4_5(chat: Chat, out: Writer) -> None:
    """Write MiniCPM-V-4.5: thoughts are kept only after the last question."""
    write_system(chat, out)
    messages = chat.messages
    question = last_question(messages)
    for position, message in enumerate(out.turns(messages)):
        role = message.role
        if role == "user" or (role == "system" and position):
            out += "<|im_start|>", role, "\n", message.content, "<|im_end|>\n"
        elif role == "assistant":
            thought, content = thought_and_answer(message)
            out += "<|im_start|>", role, "\n"
            if position > question and (position + 1 == len(messages) or thought):
                write_thought(out, thought, content)
            else:
                out.append(content)
                out.by_rule(message.reasoning)
            for index, call in enumerate(message.tool_calls):
                out += "\n" if index or content else "", '<tool_call>\n{"name": "', call.name, '", "arguments": '
                out += chat.arguments_as_given(call), "}\n</tool_call>"
            out.append("<|im_end|>\n")
        elif role == "tool":
            write_result(chat, out, message)
    write_generation(chat, out)


MINICPM_V4_5 = Template(
    "minicpm-v-4.5",
    minicpm_v4_5,
    roles=["system", "user", "assistant", "tool"],
    capabilities=["system", "tools", "parallel_tools", "reasoning"],
    options={"enable_thinking": bool},
    stop={"<|im_end|>": 151645, "<|endoftext|>": 151643},
    markers=[
        *("<|im_start|>", "<|im_end|>", "<|endoftext|>", "<tool_call>", "</tool_call>", "<tool_response>"),
        *("</tool_response>", "<think>", "</think>", "<image>", "</image>", "<unk>"),
    ],
    control_tokens=["<tool_response>", "</tool_response>", "<image>", "</image>", "<unk>"],
    reply=Grammar("minicpm_v4_5", reasoning=THINK, sections=(JSON_IN_TAGS, JSON_IN_A_FENCE)),
    media=SLICES,
    source="openbmb/MiniCPM-V-4_5, tokenizer_config.json",
)
