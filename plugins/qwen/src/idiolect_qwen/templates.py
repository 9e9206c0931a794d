"""The formats of Qwen: ChatML, from the first generation on; tools since 2.5."""

from collections.abc import Sequence

from idiolect.plugin import Chat, Message, Template, Turn, TurnTemplate, Writer

STOP = ("<|im_end|>", "<|endoftext|>")
STOP_IDS = (151645, 151643)
MARKERS = ("<|im_start|>", "<|im_end|>", "<|endoftext|>")
TOOL_MARKERS = ("<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>")

ASSISTANT = "You are a helpful assistant."
QWEN = "You are Qwen, created by Alibaba Cloud. You are a helpful assistant."

BEFORE_TOOLS = (
    "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
    "You are provided with function signatures within <tools></tools> XML tags:\n<tools>"
)
AFTER_TOOLS = (
    "\n</tools>\n\nFor each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:\n"
    '<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call><|im_end|>\n'
)

# The first generation. Source: QwenLM/Qwen, `make_context`, which stops at <|im_start|> too.
QWEN1 = TurnTemplate(
    "qwen-7b-chat",
    system=Turn("<|im_start|>system\n", "<|im_end|>\n"),
    user=Turn("<|im_start|>user\n", "<|im_end|>\n"),
    assistant=Turn("<|im_start|>assistant\n", "<|im_end|>\n"),
    default_system=ASSISTANT,
    stop=["<|im_end|>", "<|im_start|>", "<|endoftext|>"],
    stop_token_ids=[151645, 151644, 151643],
    markers=MARKERS,
    source="QwenLM/Qwen, examples and qwen_generation_utils.py: make_context",
)


def qwen1_5(chat: Chat, out: Writer) -> None:
    """Write Qwen1.5 and Qwen2: every role alike, and a default system text before anything else."""
    messages = chat.messages
    if messages and chat.system is None:
        out += "<|im_start|>system\n", ASSISTANT, "<|im_end|>\n"
    for message in out.turns(messages):
        out += "<|im_start|>", message.role, "\n", message.content, "<|im_end|>\n"
    if chat.add_generation_prompt:
        out.append("<|im_start|>assistant\n")


def qwen2_5(chat: Chat, out: Writer) -> None:
    """Write Qwen2.5: as before, with tools in the system turn, calls in the assistant's and results in the user's."""
    messages = chat.messages
    system = chat.system
    out.turn(system)
    out += "<|im_start|>system\n", system.content if system else QWEN
    if chat.tools:
        out += "\n\n", BEFORE_TOOLS
        for index, tool in enumerate(chat.tools):
            out += "\n", chat.json(tool, "tools", index)
        out.append(AFTER_TOOLS)
    else:
        out.append("<|im_end|>\n")
    out.turn(None)
    write_turns(chat, out, messages[1:] if system else messages)
    if chat.add_generation_prompt:
        out.append("<|im_start|>assistant\n")


def write_turns(chat: Chat, out: Writer, messages: Sequence[Message]) -> None:
    """Write the turns after the first system turn. Results of tools that follow each other share one user turn."""
    after_tool = False
    for position, message in enumerate(out.turns(messages)):
        role = message.role
        if role == "tool":
            if not after_tool:
                out.append("<|im_start|>user")
            out += "\n<tool_response>\n", message.content, "\n</tool_response>"
            if position + 1 == len(messages) or messages[position + 1].role != "tool":
                out.append("<|im_end|>\n")
        elif role == "assistant" and message.tool_calls:
            out += "<|im_start|>", role
            if message.content:
                out += "\n", message.content
            for call in message.tool_calls:
                arguments = chat.json(call.arguments, *call.path, "arguments")
                out += '\n<tool_call>\n{"name": "', call.name, '", "arguments": ', arguments, "}\n</tool_call>"
            out.append("<|im_end|>\n")
        elif role in ("user", "assistant", "system"):
            out += "<|im_start|>", role, "\n", message.content, "<|im_end|>\n"
        after_tool = role == "tool"


QWEN1_5 = Template(
    "qwen1.5",
    qwen1_5,
    default_system=ASSISTANT,
    stop=STOP,
    stop_token_ids=STOP_IDS,
    markers=MARKERS,
    looks_for=(),
    source="Qwen/Qwen1.5-4B-Chat, tokenizer_config.json",
)
QWEN2_5 = Template(
    "qwen2.5",
    qwen2_5,
    default_system=QWEN,
    roles=["system", "user", "assistant", "tool"],
    capabilities=["system", "tools", "parallel_tools"],
    stop=STOP,
    stop_token_ids=STOP_IDS,
    markers=[*MARKERS, *TOOL_MARKERS],
    looks_for=(),
    source="Qwen/Qwen2.5-3B-Instruct, tokenizer_config.json",
)
