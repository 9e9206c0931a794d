"""Llama Nemotron Super v1.5: the headers of Llama 3, the calls of Nemotron Nano v2, a thought that words switch off."""

from lect.plugin import Chat, Template, Writer
from lect_nemotron.nano_v2 import NEMOTRON_NANO_V2, write_calls

HEADER, END_HEADER, EOT = "<|start_header_id|>", "<|end_header_id|>\n\n", "<|eot_id|>"


def super_v1_5(chat: Chat, out: Writer) -> None:
    """Write Llama Nemotron Super v1.5; only the first system message is written, and it alone can switch thinking."""
    thinks = write_system(chat, out)
    for message in out.turns(chat.messages):
        if message.role == "user":
            out += HEADER, "user", END_HEADER, message.content, EOT
        elif message.role == "assistant":
            content = message.content
            if "</think>" in content:
                content = content.split("</think>")[-1].lstrip()
            out += HEADER, "assistant", END_HEADER, content
            if message.tool_calls:
                write_calls(chat, out, message.tool_calls)
            out.append(EOT)
        elif message.role == "tool":
            if chat.begins_run(message):
                out += HEADER, "tool", END_HEADER, "<TOOL_RESPONSE>["
            out.append(message.content)
            out += ("]</TOOL_RESPONSE>", EOT) if chat.ends_run(message) else (", ",)
    if chat.add_generation_prompt:
        out += HEADER, "assistant", END_HEADER, "" if thinks else "<think>\n\n</think>\n\n"


def write_system(chat: Chat, out: Writer) -> bool:
    """Write the system turn, which is never left out, and return whether the model is to think."""
    text = chat.system.content if chat.system else ""
    thinks = "/no_think" not in text
    if not thinks:
        text = text.replace("/no_think", "").strip()
    elif "/think" in text:
        text = text.replace("/think", "").strip()
    out += chat.bos, HEADER, "system", END_HEADER
    if chat.system and chat.system.content:
        out.turn(chat.system)
        out += text, "\n\n"
        out.turn(None)
    if chat.tools:
        out.append("You can use the following tools to assist the user if required:\n<AVAILABLE_TOOLS>[")
        for index in range(len(chat.tools)):
            function, path = chat.function(index)
            out += ", " if index else "", chat.json(function, *path)
        out.append(
            "]</AVAILABLE_TOOLS>\n\nIf you decide to call any tool(s), use the following format:\n"
            '<TOOLCALL>[{{"name": "tool_name1", "arguments": "tool_args1"}}, '
            '{{"name": "tool_name2", "arguments": "tool_args2"}}]</TOOLCALL>\n\n'
            "Response from tool(s) will be returned in this format:\n"
            '<TOOL_RESPONSE>[{{"response": "tool_response1"}}, {{"response": "tool_response2"}}]</TOOL_RESPONSE>\n\n'
            "Based on the results returned by the tool(s), you can call additional tools if needed, correct tool calls "
            "if any errors are found, or just respond with the answer to the user."
        )
    out.append(EOT)
    return thinks


SUPER_V1_5 = Template(
    "nemotron-super-v1.5",
    super_v1_5,
    roles=["system", "user", "assistant", "tool"],
    capabilities=["system", "tools", "parallel_tools", "reasoning"],
    bos="<|begin_of_text|>",
    stop={EOT: 128009, "<|end_of_text|>": 128001},
    markers=[
        "<|begin_of_text|>", "<|end_of_text|>", HEADER, "<|end_header_id|>", EOT, "<|eom_id|>", "<|python_tag|>",
        "<|finetune_right_pad_id|>", "<|step_id|>", "<|reserved_special_token_{}|>", "<think>", "</think>",
        "<AVAILABLE_TOOLS>", "</AVAILABLE_TOOLS>", "<TOOLCALL>", "</TOOLCALL>", "<TOOL_RESPONSE>", "</TOOL_RESPONSE>",
    ],
    reply=NEMOTRON_NANO_V2.grammar,
    source="nvidia/Llama-3_3-Nemotron-Super-49B-v1_5, tokenizer_config.json, from one copy (llama.cpp)",
    evidence="second-hand",
)  # fmt: skip
