"""Nemotron Mini and Mistral-NeMo-Minitron: turns after `<extra_id_1>`, and every system text at the beginning."""

from lect.plugin import Chat, Template, Writer
from lect.plugin.grammar import JSON_OBJECT, Grammar, ReplyFormat, Section

NEMOTRON_MINI = ReplyFormat(
    Grammar("nemotron_mini", sections=(Section((JSON_OBJECT,), ("<toolcall>",), ("</toolcall>",), before=("\n",)),)),
    stop=("<extra_id_1>", "</s>"),
    names="Nemotron-Mini",
    example='<toolcall> {"name": "get_weather", "arguments": {"city": "Paris"}} </toolcall>',
)

NAMES = {"user": "User", "assistant": "Assistant", "tool": "Tool"}


def mini(chat: Chat, out: Writer) -> None:
    """Write Nemotron Mini. The prompt ends with the opening of an answer, requested or not."""
    contexts = chat.input(chat.option("contexts", kind="names"), "options", "contexts") or ()
    out.append("<extra_id_0>System")
    for message in out.turns([each for each in chat.messages if each.role == "system"]):
        out += "\n", message.content.strip(), "\n" if chat.tools or contexts else ""
    for index, tool in enumerate(chat.tools):
        out += "\n<tool> ", chat.json(tool, "tools", index), " </tool>"
    if chat.tools and contexts:
        out.append("\n")
    for context in contexts:
        out += "\n<context> ", context.strip(), " </context>"
    out.append("\n\n")
    for message in out.turns([each for each in chat.messages if each.role in NAMES]):
        out += "<extra_id_1>", NAMES[message.role], "\n", message.content.strip(), "\n"
    out.append("<extra_id_1>Assistant\n")


def minitron(chat: Chat, out: Writer) -> None:
    """Write Mistral-NeMo-Minitron: each question opens its answer."""
    out.append("<extra_id_0>System")
    for message in out.turns([each for each in chat.messages if each.role == "system"]):
        out += "\n", message.content.strip()
    out.append("\n")
    for message in out.turns(chat.messages):
        if message.role == "user":
            out += "\n<extra_id_1>User\n", message.content.strip(), "\n<extra_id_1>Assistant\n"
        elif message.role == "assistant":
            out.append(message.content.strip())


MINI = Template(
    "nemotron-mini",
    mini,
    roles=["system", "user", "assistant", "tool"],
    capabilities=["system", "tools"],
    options=["contexts"],
    stop=["<extra_id_1>", "</s>"],
    markers=[
        "<s>", "</s>", "<unk>", "<extra_id_{}>", "<tool>", "</tool>", "<context>", "</context>", "<toolcall>",
        "</toolcall>",
    ],
    control_tokens=["<s>", "<unk>"],
    reply=NEMOTRON_MINI.grammar,
    source="nvidia/Nemotron-Mini-4B-Instruct, the GGUF of Ollama's nemotron-mini:4b",
    evidence="second-hand",
)  # fmt: skip
MINITRON = Template(
    "minitron",
    minitron,
    stop=["<extra_id_1>", "</s>"],
    markers=["<s>", "</s>", "<unk>", "<extra_id_{}>"],
    control_tokens=["<s>", "<unk>"],
    source=(
        "nvidia/Mistral-NeMo-Minitron-8B-Instruct, tokenizer_config.json, from one copy (onnxruntime-extensions), and "
        "its model card"
    ),
    evidence="second-hand",
)
