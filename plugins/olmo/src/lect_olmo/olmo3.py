"""Olmo 3: ChatML, with the functions in the system turn and calls that look like Python."""

from functools import partial

from lect.plugin import Call, Chat, Message, Template, Writer
from lect.plugin.grammar import PYTHON_CALL, THINK, Grammar, ReplyFormat, Section

OLMO3_PYTHONIC = ReplyFormat(
    Grammar(
        "olmo3_pythonic",
        reasoning=THINK,
        sections=(Section((PYTHON_CALL,), ("<function_calls>",), ("</function_calls>",)),),
    ),
    stop=("<|im_end|>", "<|endoftext|>"),
    names="Olmo 3",
    example='<function_calls>get_weather(city="Paris")\nget_time()</function_calls>',
    model_types=("olmo3",),
)

NO_FUNCTIONS = "You do not currently have access to any functions. <functions></functions>"
WITH_FUNCTIONS = (
    "You are provided with function signatures within <functions></functions> XML tags. You may call one or more "
    "functions to assist with the user query. Output any function calls within <function_calls></function_calls> XML "
    "tags. Do not make assumptions about what values to plug into functions."
)
FUNCTION_CALLER = "You are a helpful function-calling AI assistant."
OLMO_BY_AI2 = (
    "You are Olmo, a helpful AI assistant built by Ai2. Your date cutoff is December 2024, and your model weights are "
    "available at https://huggingface.co/allenai."
)


def field_of(chat: Chat, message: Message, name: str) -> str | None:
    """Return the text of a field that only these templates read; None where a message does not have it.

    Raises:
        MessageError: If it is not text.
    """
    value, path = message.raw.get(name), ("messages", message.index, name)
    return None if value is None else chat.text(chat.expect("text", value, *path), *path)


def write_functions(out: Writer, functions: str) -> None:
    """Write the functions that the model may call."""
    out += "<functions>", functions, "</functions>"


def write_call(chat: Chat, out: Writer, call: Call) -> None:
    """Write one call as in Python, with its values in JSON.

    Raises:
        RefusedError: If the arguments are not a mapping.
    """
    out += call.name, "("
    for index, (name, value, where) in enumerate(chat.named_arguments(call)):
        out += ", " if index else "", name, "=", chat.json(value, *where)
    out.append(")")


def write_answer(chat: Chat, out: Writer, message: Message, *, calls: bool) -> None:
    """Write an answer; with `calls`, its tool calls too. A final answer ends with the eos."""
    out += "<|im_start|>assistant\n", message.content
    written = field_of(chat, message, "function_calls")
    if written is not None or (calls and message.tool_calls):
        out.append("<function_calls>")
        if written is not None:
            out.append(written)
        else:
            for index, call in enumerate(message.tool_calls):
                out.append("\n" if index else "")
                write_call(chat, out, call)
        out.append("</function_calls>")
    out.append(chat.eos if message is chat.messages[-1] else "<|im_end|>\n")


def instruct(chat: Chat, out: Writer, *, identity: str) -> None:
    """Write Olmo 3 Instruct."""
    tools = chat.json(chat.tools, "tools") if chat.tools else None
    if not any(message.role == "system" for message in chat.messages):
        out += "<|im_start|>system\n", identity, " "
        if tools is None:
            out.append(NO_FUNCTIONS)
        else:
            out.append(WITH_FUNCTIONS)
            write_functions(out, tools)
        out.append("<|im_end|>\n")
    for message in out.turns(chat.messages):
        role = message.role
        if role == "assistant":
            write_answer(chat, out, message, calls=True)
        elif role == "system":
            out += "<|im_start|>system\n", message.content
            functions = field_of(chat, message, "functions")
            if tools is not None:
                write_functions(out, tools)
            elif functions is not None:
                out.append(" ")
                write_functions(out, functions)
            out.append("<|im_end|>\n")
        elif role in ("user", "environment", "tool"):
            out += "<|im_start|>", "user" if role == "user" else "environment", "\n", message.content, "<|im_end|>\n"
    if chat.messages and chat.add_generation_prompt:
        out.append("<|im_start|>assistant\n")


def think(chat: Chat, out: Writer) -> None:
    """Write Olmo 3 Think, which takes its functions from a field of the messages and ignores `tools`."""
    if not any(message.role == "system" for message in chat.messages):
        out += "<|im_start|>system\n", chat.default_system, "<|im_end|>\n"
    for message in out.turns(chat.messages):
        role = message.role
        functions = field_of(chat, message, "functions")
        if role == "assistant":
            write_answer(chat, out, message, calls=False)
        elif role in ("system", "user", "environment"):
            out += "<|im_start|>", role, "\n", message.content
            if role != "environment" and functions is not None:
                out.append(" " if role == "system" else "\n")
                write_functions(out, functions)
            elif role == "system":
                out += " ", NO_FUNCTIONS
            out.append("<|im_end|>\n")
    if chat.messages and chat.add_generation_prompt:
        out.append("<|im_start|>assistant\n<think>")


OLMO3_INSTRUCT = Template(
    "olmo-3-instruct",
    partial(instruct, identity=FUNCTION_CALLER),
    default_system=f"{FUNCTION_CALLER} {NO_FUNCTIONS}",
    roles=["system", "user", "assistant", "tool", "environment"],
    capabilities=["system", "tools", "parallel_tools"],
    accepts=["null"],
    eos="<|endoftext|>",
    stop={"<|im_end|>": 100265, "<|endoftext|>": 100257},
    markers=[
        "<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|pad|>", "<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>",
        "<|endofprompt|>", "<functions>", "</functions>", "<function_calls>", "</function_calls>",
    ],
    reply=OLMO3_PYTHONIC.grammar,
    source="allenai/Olmo-3-7B-Instruct, chat_template.jinja",
)  # fmt: skip
OLMO3_1_INSTRUCT = OLMO3_INSTRUCT.but(
    name="olmo-3.1-instruct",
    program=partial(instruct, identity=OLMO_BY_AI2),
    default_system=f"{OLMO_BY_AI2} {NO_FUNCTIONS}",
    source="allenai/Olmo-3.1-32B-Instruct, chat_template.jinja",
)
OLMO3_THINK = OLMO3_INSTRUCT.but(
    name="olmo-3-think",
    program=think,
    default_system="You are a helpful AI assistant.",
    roles=["system", "user", "assistant", "environment"],
    capabilities=["system", "reasoning"],
    markers=[*OLMO3_INSTRUCT.markers, "<think>", "</think>"],
    source="allenai/open-instruct, dataset_transformation.py: the template olmo_thinker",
)
OLMO3_THINK_7B = OLMO3_THINK.but(
    name="olmo-3-think-7b",
    default_system=(
        "You are OLMo, a helpful function-calling AI assistant built by Ai2. Your date cutoff is November 2024, and "
        f"your model weights are available at https://huggingface.co/allenai. {NO_FUNCTIONS}"
    ),
    source="allenai/Olmo-3-7B-Think, chat_template.jinja",
)
OLMO3_1_THINK = OLMO3_THINK.but(
    name="olmo-3.1-think", default_system=OLMO_BY_AI2, source="allenai/Olmo-3.1-32B-Think, chat_template.jinja"
)
