"""Seed-OSS: tools as Python signatures, calls in tags, and a budget of tokens to think with."""

from collections.abc import Mapping
from typing import Any

from lect.errors import saferepr
from lect.plugin import Call, Chat, Message, Template, Writer
from lect.plugin.grammar import FUNCTION_TAGS, KEY, Grammar, Head, Params, Reasoning, ReplyFormat, Section, in_tags

SEED_OSS_XML = ReplyFormat(
    Grammar(
        "seed_oss_xml",
        reasoning=Reasoning(("<seed:think>",), ("</seed:think>",), after="\n"),
        # Notes on the budget, which are part of a thought.
        wrappers=(in_tags("seed:cot_budget_reflect"),),
        sections=(
            Section(
                (FUNCTION_TAGS.but(arguments=Params("<parameter=", Head((">",), KEY), "</parameter>")),),
                ("<seed:tool_call>",),
                ("</seed:tool_call>",),
                before=("\n\n", "\n"),
            ),
        ),
    ),
    stop=("<seed:eos>",),
    names="Seed-OSS",
    example="<seed:tool_call>\n<function=get_weather>\n<parameter=city>Paris</parameter>\n</function>\n</seed:tool_call>",
    model_types=("seed_oss",),
)

BOS, EOS = "<seed:bos>", "<seed:eos>"
WITH_TOOLS = "You are Doubao, a helpful AI assistant. You may call one or more functions to assist with the user query."
TOOL_LIST = (
    "\nTool List:\nYou are authorized to use the following tools (described in JSON Schema format). Before performing "
    "any task, you must decide how to call them based on the descriptions and parameters of these tools.\n"
)
HOW_TO_CALL = (
    "\n工具调用请遵循如下格式:\n<seed:tool_call>\n<function=example_function_name>\n"
    "<parameter=example_parameter_1>value_1</parameter>\n"
    "<parameter=example_parameter_2>This is the value for the second parameter\nthat can span\nmultiple lines"
    "</parameter>\n</function>\n</seed:tool_call>\n"
)
TYPES = {"string": "str", "number": "int", "integer": "int", "boolean": "bool", "array": "list"}
REFLECTIONS = {0: 0, 512: 128, 1024: 256, 2048: 512, 4096: 512, 8192: 1024, 16384: 1024}
"""After how many tokens the model reflects on its thought, by the largest budget to which this applies."""
NO_BUDGET = (
    f"{BOS}system\nYou are an intelligent assistant that can answer questions in one step without the need for "
    "reasoning and thinking, that is, your thinking budget is 0. Next, please skip the thinking process and directly "
    f"start answering the user's questions.\n{EOS}"
)
NO_THOUGHT = (
    "<seed:think>\n<seed:cot_budget_reflect>The current thinking budget is 0, so I will directly start answering the "
    "question.</seed:cot_budget_reflect>\n</seed:think>"
)


def python_type(schema: Any) -> str:
    """Return the Python type of a parameter."""
    kind = schema.get("type") if isinstance(schema, Mapping) else None
    return TYPES.get(kind, "Any") if isinstance(kind, str) else "Any"


def write_described(chat: Chat, out: Writer, name: str, schema: Any, path: tuple[str | int, ...], need: str) -> None:
    """Write a line for one parameter, or one field of what a function returns."""
    text = schema.get("description") if isinstance(schema, Mapping) else None
    out += "\n    - ", chat.printed(name, *path), " (", python_type(schema), ")", need, ": "
    out.append(chat.text(text or "", *path, "description"))


def write_function(chat: Chat, out: Writer, index: int) -> None:
    """Write a function as a signature with a docstring."""
    function, path = chat.function(index)
    parameters = function.get("parameters") or {}
    properties = parameters.get("properties") or {}
    name = chat.expect("text", function.get("name"), *path, "name")
    out += "\n\nFunction:\ndef ", chat.text(name, *path, "name"), "("
    for number, (name, schema) in enumerate(properties.items()):
        where = (*path, "parameters", "properties", name)
        out += "," if number else "", chat.printed(name, *where), ": ", python_type(schema)
    description = chat.text(function.get("description", ""), *path, "description")
    out += '):\n    """\n    ', description.strip(), "\n\n"
    if properties:
        out.append("    Args:")
    required = frozenset(parameters.get("required") or ())
    for name, schema in properties.items():
        need = " [必填]" if name in required else " [选填]"
        write_described(chat, out, name, schema, (*path, "parameters", "properties", name), need)
    returns = function.get("returns")
    fields = returns.get("properties") if isinstance(returns, Mapping) else None
    if fields:
        out.append("\n    Returns:")
        for name, schema in chat.expect("mapping", fields, *path, "returns", "properties").items():
            write_described(chat, out, name, schema, (*path, "returns", "properties", name), "")
    else:
        out.append("\n")
    out.append('\n    """')


def write_system(chat: Chat, out: Writer) -> None:
    """Write the system turn: the caller's text, and the tools as signatures or, if requested, as JSON."""
    system = chat.system
    if system:
        out.turn(system)
        out += f"{BOS}system\n", system.content
        out.turn(None)
    elif chat.tools:
        out += f"{BOS}system\n", WITH_TOOLS
    if chat.option("use_json_tooldef"):
        out += TOOL_LIST, chat.json(list(chat.tools), "tools") if chat.tools else "[]"
    else:
        for index, tool in enumerate(chat.tools):
            if tool.get("type") == "function":
                write_function(chat, out, index)
    if chat.tools:
        out.append(HOW_TO_CALL)
    if system or chat.tools:
        out.append(EOS)


def write_budget(chat: Chat, out: Writer, budget: Any) -> None:
    """Write how many tokens the model may spend on thinking; -1 means no limit."""
    if not isinstance(budget, int | float):
        chat.refuse(f"the option thinking_budget is {saferepr(budget)}", instead="a number of tokens; -1 for no limit")
    if budget == 0:
        out.append(NO_BUDGET)
    elif budget != -1:
        tokens = chat.printed(budget, "options", "thinking_budget")
        interval = next((after for gear, after in REFLECTIONS.items() if budget <= gear), REFLECTIONS[16384])
        out += (
            f"{BOS}system\nYou are an intelligent assistant with reflective ability. In the process of thinking and "
            "reasoning, you need to strictly follow the thinking budget, which is ",
            tokens,
            ". That is, you need to complete your thinking within ",
            tokens,
            f" tokens and start answering the user's questions. You will reflect on your thinking process every "
            f"{interval} tokens, stating how many tokens have been used and how many are left.\n{EOS}",
        )


def write_call(chat: Chat, out: Writer, call: Call) -> None:
    """Write one call, each argument in a tag: texts as they are, the rest as Python prints it."""
    out += "\n<seed:tool_call>\n<function=", call.name, ">\n"
    for name, value, where in chat.named_arguments(call):
        out += "<parameter=", name, ">", chat.text(value, *where), "</parameter>\n"
    out.append("</function>\n</seed:tool_call>")


def write_answer(chat: Chat, out: Writer, message: Message) -> None:
    """Write a thought, an answer and its calls; without text and calls, nothing closes the turn."""
    thought, content = (message.reasoning or "").strip(), message.content.strip()
    out += BOS, message.role
    if thought:
        out += "\n<seed:think>", thought, "</seed:think>"
    if content:
        out += "\n", content, "\n" if message.tool_calls else ""
    for call in message.tool_calls:
        write_call(chat, out, call)
    if content or message.tool_calls:
        out.append(EOS)


def seed_oss(chat: Chat, out: Writer) -> None:
    """Write Seed-OSS."""
    budget = chat.option("thinking_budget", -1)
    write_system(chat, out)
    write_budget(chat, out, budget)
    for message in out.turns(chat.without_system):
        if message.role == "assistant":
            write_answer(chat, out, message)
        else:
            out += BOS, message.role, "\n", message.content, EOS
    if chat.add_generation_prompt:
        out += f"{BOS}assistant\n", NO_THOUGHT if budget == 0 else ""


SEED_OSS = Template(
    "seed-oss",
    seed_oss,
    roles=["system", "user", "assistant", "tool"],
    bos=BOS,
    capabilities=["system", "tools", "parallel_tools", "reasoning"],
    options={"thinking_budget": int, "use_json_tooldef": bool},
    stop={EOS: 2},
    markers={
        BOS: 0, "<seed:pad>": 1, EOS: 2,
        **dict.fromkeys((
            "<seed:think>", "</seed:think>", "<seed:cot_budget_reflect>", "</seed:cot_budget_reflect>",
            "<seed:tool_call>", "</seed:tool_call>", "<function=", "</function>", "<parameter=", "</parameter>",
        )),
    },
    reply=SEED_OSS_XML.grammar,
    source="ByteDance-Seed/Seed-OSS-36B-Instruct, chat_template.jinja",
)  # fmt: skip
