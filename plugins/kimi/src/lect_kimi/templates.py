"""The formats of Kimi K2: every turn says who speaks, in a marker and in a word."""

from lect.plugin import Call, Chat, Message, Template, Writer

STOP = ("<|im_end|>", "[EOS]")
STOP_IDS = (163586, 163585)
MARKERS = (
    "<|im_system|>", "<|im_user|>", "<|im_assistant|>", "<|im_middle|>", "<|im_end|>", "<|tool_calls_section_begin|>",
    "<|tool_calls_section_end|>", "<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>",
    "<|media_start|>", "<|media_content|>", "<|media_pad|>", "<|media_end|>", "[BOS]", "[EOS]",
)  # fmt: skip
SPEAKERS = {"user": "<|im_user|>", "assistant": "<|im_assistant|>"}
"""The marker of each speaker; everybody else is the system."""


def write_content(out: Writer, message: Message) -> None:
    """Write the content: its text, or its parts in order."""
    if not message.parts:
        out.append(message.content)
    for part in message.parts:
        if part.type in ("image", "image_url") or "image" in part.raw or "image_url" in part.raw:
            out.append("<|media_start|>image<|media_content|><|media_pad|><|media_end|>\n")
            out.used(*part.path)
        else:
            out.append(part.text)


def write_call(out: Writer, arguments: str, *name: str) -> None:
    """Write one call under the name that the format gives it."""
    out += "<|tool_call_begin|>", *name, "<|tool_call_argument_begin|>", arguments, "<|tool_call_end|>"


def call_id(chat: Chat, message: Message) -> str:
    """Return which call a tool answers; a template prints what is missing as nothing."""
    text: str = chat.given(message.raw.get("tool_call_id") or "", "messages", message.index, "tool_call_id")
    return text


def k2(chat: Chat, out: Writer) -> None:
    """Write Kimi-K2-Instruct: calls are numbered, and roles that it has no word for are written without an opening."""
    if chat.tools:
        out += "<|im_system|>tool_declare<|im_middle|>", chat.json(chat.tools, "tools"), "<|im_end|>"
    if chat.messages and chat.system is None:
        out.append("<|im_system|>system<|im_middle|>You are a helpful assistant<|im_end|>")
    for message in out.turns(chat.messages):
        role = message.role
        if role in ("system", "user", "assistant", "tool"):
            out += SPEAKERS.get(role, "<|im_system|>"), role, "<|im_middle|>"
        if role == "assistant" and message.tool_calls:
            out += message.content, "<|tool_calls_section_begin|>"
            for index, call in enumerate(message.tool_calls):
                write_call(
                    out, chat.json(call.arguments, *call.path, "arguments"), "functions.", call.name, f":{index}"
                )
            out.append("<|tool_calls_section_end|>")
        elif role == "tool":
            # The backslash and the n are the maker's: its template has them outside of any string.
            out += "## Return of ", call_id(chat, message), "\\n", chat.shown(message)
        else:
            write_content(out, message)
        out.append("<|im_end|>")
    if chat.add_generation_prompt:
        out.append("<|im_assistant|>assistant<|im_middle|>")


def arguments_of(chat: Chat, call: Call) -> str:
    """Return the arguments as JSON; those that were given as text stay as they are."""
    return chat.json(call.arguments, *call.path, "arguments") if call.text is None else call.text


def k2_thinking(chat: Chat, out: Writer) -> None:
    """Write Kimi-K2-Thinking: thoughts are kept only after the last plain answer.

    Calls go by their ids, and speakers by their names.
    """
    if chat.tools:
        out += (
            "<|im_system|>tool_declare<|im_middle|>",
            chat.json(chat.tools, "tools", separators=(",", ":")),
            "<|im_end|>",
        )
    if chat.system is None:
        out.append("<|im_system|>system<|im_middle|>You are Kimi, an AI assistant created by Moonshot AI.<|im_end|>")
    answers = [message.index for message in chat.messages if message.role == "assistant" and not message.tool_calls]
    last_answer = answers[-1] if answers else -1
    for message in out.turns(chat.messages):
        role = message.role
        out += SPEAKERS.get(role, "<|im_system|>"), message.name or role, "<|im_middle|>"
        if role == "assistant":
            if message.index > last_answer:
                out += "<think>", message.reasoning or "", "</think>"
            else:
                out.append("<think></think>")
                out.by_rule(message.reasoning)
            write_content(out, message)
            if message.tool_calls:
                out.append("<|tool_calls_section_begin|>")
                for call in message.tool_calls:
                    write_call(out, arguments_of(chat, call), call.id or "")
                    out.used(*call.path, "name")
                out.append("<|tool_calls_section_end|>")
        else:
            if role == "tool":
                out += "## Return of ", call_id(chat, message), "\n"
            write_content(out, message)
        out.append("<|im_end|>")
    if chat.add_generation_prompt:
        out.append("<|im_assistant|>assistant<|im_middle|>")


K2 = Template(
    "kimi-k2",
    k2,
    roles=["system", "user", "assistant", "tool"],
    default_system="You are a helpful assistant",
    capabilities=["system", "tools", "parallel_tools", "images"],
    stop=STOP,
    stop_token_ids=STOP_IDS,
    markers=MARKERS,
    looks_for=(),
    reply="kimi_k2",
    source="moonshotai/Kimi-K2-Instruct, chat_template.jinja",
)
K2_THINKING = Template(
    "kimi-k2-thinking",
    k2_thinking,
    roles=["system", "user", "assistant", "tool"],
    default_system="You are Kimi, an AI assistant created by Moonshot AI.",
    capabilities=["system", "tools", "parallel_tools", "reasoning", "images"],
    stop=STOP,
    stop_token_ids=STOP_IDS,
    markers=[*MARKERS, "<think>", "</think>"],
    looks_for=(),
    reply="kimi_k2",
    source="moonshotai/Kimi-K2-Thinking, chat_template.jinja",
)
