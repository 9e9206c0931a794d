"""Falcon 3 and Falcon-H1: tools in the system turn, calls as JSON in tags."""

from lect.plugin import Chat, Template, Writer
from lect.plugin.grammar import HERMES_JSON, JSON_IN_TAGS, JSON_OBJECT, Grammar, Section
from lect_falcon.falcon import TOKENS

TAGS = ("<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>")


def write_tools(chat: Chat, out: Writer) -> None:
    """Write the system turn of a conversation with tools."""
    out.append("<|system|>\n")
    if chat.system:
        out.turn(chat.system)
        out.append(chat.system.content)
        out.turn(None)
    out += (
        "You are a Falcon assistant skilled in function calling. You are helpful, respectful, and concise.\n\n"
        "# Tools\n\nYou have access to the following functions. You MUST use them to answer questions when needed. For "
        "each function call, you MUST return a JSON object inside <tool_call></tool_call> tags.\n\n<tools>",
        chat.json(chat.tools, "tools", indent=2),
        "</tools>\n\n# Output Format\n\nYour response MUST follow this format when making function calls:\n"
        '<tool_call>\n[\n  {"name": "function_name", "arguments": {"arg1": "value1", "arg2": "value2"}},\n'
        '  {"name": "another_function", "arguments": {"arg": "value"}}\n]\n</tool_call>\n'
        "If no function calls are needed, respond normally without the tool_call tags.\n",
    )


def with_tools(chat: Chat, out: Writer) -> None:
    """Write a conversation with tools. Results are assistant turns."""
    write_tools(chat, out)
    for message in out.turns(chat.without_system):
        content = message.content
        if message.role == "user":
            out += "<|user|>\n", content, "\n"
        elif message.role == "assistant":
            out += "<|assistant|>\n" if content else "", content
            if message.tool_calls:
                where = ("messages", message.index, "tool_calls")
                out += "\n<tool_call>\n", chat.json(message.raw["tool_calls"], *where, indent=2), "\n</tool_call>"
            out += chat.eos, "\n"
        elif message.role == "tool":
            out += "<|assistant|>\n<tool_response>\n", content, "\n</tool_response>\n"
    if chat.add_generation_prompt:
        out.append("<|assistant|>\n")


def without_tools(chat: Chat, out: Writer) -> None:
    """Write a conversation without tools: there is no newline after a final answer."""
    messages = chat.messages
    for position, message in enumerate(out.turns(messages), 1):
        if message.role in ("system", "user"):
            out += "<|", message.role, "|>\n", message.content, "\n"
        elif message.role == "assistant":
            out += "<|assistant|>\n", message.content, chat.eos, "\n" if position < len(messages) else ""
    if messages and chat.add_generation_prompt:
        out.append("<|assistant|>\n")


def falcon3(chat: Chat, out: Writer) -> None:
    """Write Falcon 3."""
    (with_tools if chat.tools else without_tools)(chat, out)


def falcon_h1(chat: Chat, out: Writer) -> None:
    """Write Falcon-H1: ChatML, whose system turn stays open after tools, and which writes no calls."""
    system = chat.system
    out.append(chat.bos)
    out.turn(system)
    if chat.tools:
        out.append("<|im_start|>system\n")
        if system:
            out += system.content, "\n\n"
        out.append(
            "You are a function calling AI model. You are provided with function signature within <tools> </tools> XML "
            "tags. You may call one or more functions to assist with the user query. Don't make assumptions about what "
            "values to plug into functions.\n<tools>\n"
        )
        for index, tool in enumerate(chat.tools):
            out += "[", chat.json(tool, "tools", index), "]"
        out.append(
            "\n</tools>\nFor each function call, return a json object with function name and arguments within "
            "<tool_call> </tool_call> tags with the following schema:\n<tool_call>\n"
            "{'arguments': <args-dict>, 'name': <function-name>}\n</tool_call>\n"
        )
    elif system:
        out += "<|im_start|>system\n", system.content, "<|im_end|>\n"
    out.turn(None)
    for message in out.turns(chat.messages):
        if message.role != "system":
            out += "<|im_start|>", message.role, "\n", message.content, "<|im_end|>\n"
    if chat.add_generation_prompt:
        out.append("<|im_start|>assistant\n")


FALCON3 = Template(
    "falcon3",
    falcon3,
    roles=["system", "user", "assistant", "tool"],
    capabilities=["system", "tools", "parallel_tools"],
    eos="<|endoftext|>",
    stop=["<|endoftext|>"],
    markers=["<|system|>", "<|user|>", "<|assistant|>", "<|pad|>", *TOKENS, *TAGS],
    text_separators=True,
    reply=Grammar(
        "falcon3",
        sections=(
            Section((JSON_OBJECT,), (("<tool_call>", "["),), (("]", "</tool_call>"),), between=",", before=("\n",)),
            JSON_IN_TAGS,
        ),
    ),
    source="tiiuae/Falcon3-3B-Instruct, tokenizer_config.json",
)
FALCON_H1 = Template(
    "falcon-h1",
    falcon_h1,
    roles=["system", "user", "assistant", "tool"],
    capabilities=["system", "tools"],
    bos="<|begin_of_text|>",
    stop=["<|im_end|>", "<|end_of_text|>"],
    markers=["<|im_start|>", "<|im_end|>", "<|begin_of_text|>", "<|end_of_text|>", *TAGS],
    # The replies of Hermes and Qwen, without thoughts.
    reply=HERMES_JSON.but(reasoning=None),
    source="tiiuae/Falcon-H1-7B-Instruct, tokenizer_config.json",
)
