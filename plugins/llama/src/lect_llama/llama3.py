"""The formats of Llama 3, 3.1, 3.2 and 3.2 Vision: a header names the role.

Since 3.1 there are tools, dates, and a system turn in nearly every prompt.
"""

from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any

from lect.plugin import Call, Chat, Template, Turn, TurnTemplate, Writer
from lect.plugin.grammar import JSON_OBJECT, NAMED_JSON_IN_TAGS, PYTHON_CALL, PYTHON_LIST, Grammar, ReplyFormat, Section
from lect_llama.tools import call_json, result_json, tool_texts, write_parts

HEADER, END_HEADER, EOT, EOM = "<|start_header_id|>", "<|end_header_id|>\n\n", "<|eot_id|>", "<|eom_id|>"

# Without the tag, an object at the very start is a call if it has a name and arguments. Built-in tools are called as in
# Python.
LLAMA3_JSON = ReplyFormat(
    Grammar(
        "llama3_json",
        sections=(
            Section(
                (JSON_OBJECT, PYTHON_CALL.but(rename=r"(.+)\.call")),
                ("<|python_tag|>",),
                between=";",
                after=" \n",
                special=True,
            ),
            Section((JSON_OBJECT,), between=";", after=" \n", start=True),
            Section((NAMED_JSON_IN_TAGS,)),
        ),
    ),
    stop=("<|eot_id|>", "<|eom_id|>", "<|end_of_text|>"),
    names="Llama 3.1, 3.2 and 3.3",
    example='{"name": "get_weather", "parameters": {"city": "Paris"}}',
    model_types=("mllama",),
    signs=("<|start_header_id|>ipython",),
)
# What Llama 3.2 writes where its tools are given in the system text.
PYTHONIC = ReplyFormat(
    Grammar("pythonic", sections=(PYTHON_LIST,)),
    stop=("<|eot_id|>", "<|eom_id|>"),
    names="Llama 3.2, ToolACE",
    example='[get_weather(city="Paris")]',
)


def llama3_1(chat: Chat, out: Writer, *, dated: bool) -> None:
    """Write Llama 3.1: like 3.2, with built-in tools and, where it is `dated`, a fixed date."""
    builtin = builtin_tools(chat)
    about = dates(chat.text_option("date_string", "26 Jul 2024")) if dated else []
    if builtin is not None:
        # The interpreter is available without being named.
        names = [piece for name in builtin if name != "code_interpreter" for piece in (", ", name)]
        about = ["Tools: ", *names[1:], "\n\n", *about]
    write_turns(chat, out, about, builtin=builtin)


def llama3_2(chat: Chat, out: Writer) -> None:
    """Write Llama 3.2."""
    write_turns(chat, out, dates(day(chat)))


def llama3_2_vision(chat: Chat, out: Writer) -> None:
    """Write Llama 3.2 Vision.

    Only the first text is trimmed, and with images a system turn is written only for a system text.
    """
    images = any(part.type == "image" for message in chat.messages for part in message.parts)
    write_turns(chat, out, dates(day(chat)) if chat.system or not images else None, in_parts=True)


def write_turns(
    chat: Chat,
    out: Writer,
    about: Sequence[str] | None,
    *,
    builtin: Sequence[str] | None = None,
    in_parts: bool = False,
) -> None:
    """Write a prompt.

    `about` precedes the system text in the system turn; None where there is no such turn. With `in_parts`, content is
    written part by part; otherwise it is trimmed.
    """
    for_system, for_user = tool_texts(chat)
    system, messages = chat.system, chat.without_system
    out.append(chat.bos)
    if about is not None:
        out.turn(system)
        out += HEADER, "system", END_HEADER
        if for_system or for_user or builtin is not None:
            out.append("Environment: ipython\n")
        out += *about, *for_system
        if system is not None:
            out.append(chat.content(system).strip())
        out.append(EOT)
        out.turn(None)
    if for_user:
        # The maker's template treats the first message as the user's, whatever its role.
        first, *messages = messages
        out.turn(first)
        out += HEADER, "user", END_HEADER, *for_user, chat.content(first).strip(), EOT
    for message in out.turns(messages):
        if message.tool_calls:
            call, *others = message.tool_calls
            if others:
                chat.refuse(
                    f"messages[{message.index}] has {1 + len(others)} tool calls; the model makes one at a time",
                    instead="give every call a message of its own, with its result after it",
                )
            out += HEADER, "assistant", END_HEADER
            if builtin is not None and call.name in builtin:
                out += "<|python_tag|>", call.name, ".call("
                write_python_arguments(chat, out, call)
                out.append(")")
            else:
                out += call_json(chat, call)
            # With built-in tools the turn waits for the result.
            out.append(EOT if builtin is None else EOM)
        elif message.role in ("tool", "ipython"):
            out += HEADER, "ipython", END_HEADER, result_json(chat, message), EOT
        else:
            out += HEADER, message.role, END_HEADER
            if in_parts:
                write_parts(out, message)
            else:
                out.append(message.content.strip())
            out.append(EOT)
    if chat.add_generation_prompt:
        out += HEADER, "assistant", END_HEADER


def write_python_arguments(chat: Chat, out: Writer, call: Call) -> None:
    """Write arguments by name. Text that is not a JSON object is written as given."""
    path = (*call.path, "arguments")
    arguments = chat.input(call.arguments, *path)
    if isinstance(arguments, str):
        out.append(arguments)
        return
    separator = ""
    for name, value in arguments.items():
        # The maker's template can only handle text here; anything else is written as JSON.
        out += separator, name if isinstance(name, str) else chat.json(name, *path), '="'
        out += value if isinstance(value, str) else chat.json(value, *path, str(name)), '"'
        separator = ", "


def dates(today: str) -> list[str]:
    """Return the lines that tell the model the date."""
    return ["Cutting Knowledge Date: December 2023\nToday Date: ", today, "\n\n"]


def day(chat: Chat) -> str:
    """Return the day to write: the option `date_string`, or what the clock says."""
    if chat.option("date_string") is None:
        return written_day(chat.date())
    return chat.text_option("date_string", "")


@lru_cache(maxsize=2)
def written_day(day: Any) -> str:
    """Return a date as the maker's template writes it; kept, because that takes as long as writing a short chat."""
    text: str = day.strftime("%d %b %Y")
    return text


def builtin_tools(chat: Chat) -> Sequence[str] | None:
    """Return the names in the option `builtin_tools`; None where it is not given."""
    names: Sequence[str] | None = chat.input(chat.option("builtin_tools", kind="names"), "options", "builtin_tools")
    return names


EVERY_ROLE = Turn("<|start_header_id|>{role}<|end_header_id|>\n\n", "<|eot_id|>")
LLAMA3 = TurnTemplate(
    "llama-3",
    system=EVERY_ROLE,
    user=EVERY_ROLE,
    assistant=EVERY_ROLE,
    other=EVERY_ROLE,
    trim=True,
    empty="generation",
    bos="<|begin_of_text|>",
    stop={EOT: 128009, "<|end_of_text|>": 128001},
    markers={
        "<|begin_of_text|>": 128000, "<|end_of_text|>": 128001, HEADER: 128006, "<|end_header_id|>": 128007,
        EOT: 128009, "<|reserved_special_token_{}|>": (*range(128002, 128006), 128008, *range(128010, 128256)),
    },
    source="meta-llama/Meta-Llama-3-8B-Instruct, tokenizer_config.json",
)  # fmt: skip
CHINESE_CHAT = LLAMA3.but(
    name="llama-3-chinese-chat",
    default_system="You are a helpful assistant.",
    bos="",
    opening="<|begin_of_text|>",
    empty="all",
    source="shenzhi-wang/Llama3-8B-Chinese-Chat, tokenizer_config.json",
)
LLAMA3_1 = Template(
    "llama-3.1",
    partial(llama3_1, dated=True),
    bos=LLAMA3.bos,
    roles=["system", "user", "assistant", "tool", "ipython"],
    stop={EOT: 128009, EOM: 128008, "<|end_of_text|>": 128001},
    markers={
        **LLAMA3.markers, EOM: 128008, "<|python_tag|>": 128010, "<|finetune_right_pad_id|>": 128004,
        # The maker's two tokenizers, of the code and of the repositories, number the rest differently.
        "<|step_id|>": None, "<|reserved_special_token_{}|>": None,
    },
    capabilities=["system", "tools"],
    options={"custom_tools": None, "tools_in_user_message": bool, "builtin_tools": None, "date_string": str},
    reply=LLAMA3_JSON.grammar,
    source="meta-llama/Llama-3.1-8B-Instruct, tokenizer_config.json",
)  # fmt: skip
NEMOTRON_70B = LLAMA3_1.but(
    name="llama-3.1-nemotron",
    program=partial(llama3_1, dated=False),
    options={"custom_tools": None, "tools_in_user_message": bool, "builtin_tools": None},
    source="nvidia/Llama-3.1-Nemotron-70B-Instruct-HF, the GGUF of Ollama's nemotron:70b",
    evidence="second-hand",
)
LLAMA3_2 = LLAMA3_1.but(
    name="llama-3.2",
    program=llama3_2,
    options={"custom_tools": None, "tools_in_user_message": bool, "date_string": str, "date": None},
    source="meta-llama/Llama-3.2-3B-Instruct, tokenizer_config.json",
)
LLAMA3_2_VISION = LLAMA3_2.but(
    name="llama-3.2-vision",
    program=llama3_2_vision,
    markers={**LLAMA3_2.markers, "<|image|>": None},
    capabilities=["system", "tools", "images"],
    accepts=["parts"],
    media={"image": {"rule": "fixed", "placeholder": "<|image|>", "num_image_tokens": 1}},
    source="meta-llama/Llama-3.2-11B-Vision-Instruct, chat_template.json",
)
