"""MiniCPM3: ChatML with tools and calls as Python."""

from lect.plugin import Call, Chat, Message, Template, Writer
from lect.plugin.grammar import PYTHON_CALL, Grammar, Reasoning, ReplyFormat, Section
from lect_minicpm.python_tools import write_functions

CALLS_BEGIN = "<|tool_call_start|>"
CALLS_END = "<|tool_call_end|>"
MINICPM3_PYTHON = ReplyFormat(
    Grammar(
        "minicpm3_python",
        reasoning=Reasoning(("<|thought_start|>",), ("<|thought_end|>",), lead="\n", trail="\n", after="\n"),
        sections=(
            Section(
                (PYTHON_CALL,),
                ((CALLS_BEGIN, "```python"), (CALLS_BEGIN, "```")),
                (("```", CALLS_END),),
                after="\n",
            ),
        ),
    ),
    stop=("<|im_end|>", "</s>"),
    names="MiniCPM3",
    example=(
        "<|thought_start|>\nLook.\n<|thought_end|>\n<|tool_call_start|>\n```python\n"
        'get_weather(city="Paris")\n```\n<|tool_call_end|>\n'
    ),
    model_types=("minicpm3",),
)

MARKERS = {
    "<unk>": 0, "<s>": 1, "</s>": 2, "<|im_end|>": 73440, "<|im_start|>": 73441, "<|tool_call|>": 73442,
    "<|execute_start|>": 73443, "<|execute_end|>": 73444, "<|fim_prefix|>": 73445, "<|fim_middle|>": 73446,
    "<|fim_suffix|>": 73447, "<|thought_start|>": None, "<|thought_end|>": None, CALLS_BEGIN: None,
    CALLS_END: None,
}  # fmt: skip
BEFORE_TOOLS = (
    "\n# Functions\nHere is a list of functions that you can invoke:\n```python\nfrom enum import Enum\n"
    "from typing import List, Dict, Optional\nfrom pydantic import BaseModel, Field\n\n"
)
AFTER_TOOLS = (
    "\n```\n\n# Function Call Rule and Output Format\n"
    "- If the user's question can be answered without calling any function, please answer the user's question "
    "directly. In this situation, you should return your thought and answer the user's question directly.\n"
    "- If the user cannot be answered without calling any function, and the user does not provide enough information "
    "to call functions, please ask the user for more information. In this situation, you should return your thought "
    "and ask the user for more information.\n"
    "- If the user's question cannot be answered without calling any function, and the user has provided enough "
    "information to call functions to solve it, you should call the functions. In this situation, the assistant "
    "should return your thought and call the functions.\n"
    "- Use default parameters unless the user has specified otherwise.\n"
    "- You should answer in the following format:\n\n"
    "<|thought_start|>\n{explain why the user's question can be answered without calling a function or why you should "
    "ask the user for more information or why you should call one or more functions and your plan to solve the user's "
    "question.}\n<|thought_end|>\n<|tool_call_start|>\n```python\n"
    "func1(params_name=params_value, params_name2=params_value2...)\nfunc2(params)\n```\n<|tool_call_end|>\n"
    "{answer the user's question directly or ask the user for more information}"
)


def write_system(chat: Chat, out: Writer) -> None:
    """Write the system turn where there is a system text or a tool."""
    system = chat.system
    text = system.content if system else ""
    if not (text or chat.tools):
        return
    out.append("<|im_start|>system\n")
    out.turn(system)
    out.append(text)
    out.turn(None)
    if chat.tools:
        out.append(BEFORE_TOOLS)
        write_functions(chat, out)
        out.append(AFTER_TOOLS)
    out.append("<|im_end|>\n")


def write_thought(chat: Chat, out: Writer, message: Message) -> None:
    """Write the thought of an answer, which the maker's template reads from the field `thought`."""
    thought = message.raw.get("thought")
    if thought:
        path = ("messages", message.index, "thought")
        text = chat.text(chat.expect("text", thought, *path), *path)
        out += "<|thought_start|>\n", text, "\n<|thought_end|>\n"


def write_call(chat: Chat, out: Writer, call: Call) -> None:
    """Write a call as in Python, except for its values, which are JSON.

    Raises:
        RefusedError: If the arguments are not a mapping.
    """
    out += call.name, "("
    for index, (name, value, where) in enumerate(chat.named_arguments(call)):
        out += "," if index else "", name, "=", chat.json(value, *where)
    out.append(")\n")


def write_answer(chat: Chat, out: Writer, message: Message) -> None:
    """Write a thought, the calls, and the text; a text that is itself a list of calls is left out beside calls."""
    write_thought(chat, out, message)
    if message.tool_calls:
        out += CALLS_BEGIN, "\n```python\n"
        for call in message.tool_calls:
            write_call(chat, out, call)
        out += "```\n", CALLS_END, "\n"
    if message.tool_calls and message.content.startswith(CALLS_BEGIN):
        out.by_rule(message.content)
    else:
        out.append(message.content)


def minicpm3(chat: Chat, out: Writer) -> None:
    """Write MiniCPM3."""
    write_system(chat, out)
    for message in out.turns(chat.without_system):
        out += "<|im_start|>", message.role, "\n"
        if message.role == "assistant":
            write_answer(chat, out, message)
        else:
            out.append(message.content)
        out.append("<|im_end|>\n")
    if chat.add_generation_prompt:
        out.append("<|im_start|>assistant\n")


MINICPM3 = Template(
    "minicpm3",
    minicpm3,
    roles=["system", "user", "assistant", "tool"],
    capabilities=["system", "tools", "parallel_tools"],
    stop={"<|im_end|>": 73440, "</s>": 2},
    markers=MARKERS,
    reply=MINICPM3_PYTHON.grammar,
    source="openbmb/MiniCPM3-4B, tokenizer_config.json",
)
