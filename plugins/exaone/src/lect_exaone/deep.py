"""EXAONE Deep: the turns of EXAONE 3.5, with a thought that the prompt opens."""

from lect.plugin import Chat, Template, Writer
from lect.plugin.grammar import Grammar, Reasoning
from lect_exaone.exaone3_5 import EXAONE3_5


def exaone_deep(chat: Chat, out: Writer) -> None:
    """Write EXAONE Deep: there is always a system turn, and no text keeps its thought."""
    messages = chat.messages
    if messages and not chat.system:
        out.append("[|system|][|endofturn|]\n")
    for position, message in enumerate(out.turns(messages)):
        # Before a turn, not after it: the generation prompt begins with the line end too.
        out.append("\n" if position else "")
        content = message.content
        if "</thought>" in content:
            content = content.split("</thought>")[-1].lstrip("\n")
        out.by_rule(message.reasoning)
        if message.role == "assistant":
            out += "[|assistant|]", content, "[|endofturn|]"
        else:
            out += "[|", message.role, "|]", content, "" if message.role == "user" else "[|endofturn|]"
    if chat.add_generation_prompt:
        out.append("\n[|assistant|]<thought>\n")


EXAONE_DEEP = Template(
    "exaone-deep",
    exaone_deep,
    capabilities=["system", "reasoning"],
    stop=EXAONE3_5.stop,
    markers=[*EXAONE3_5.markers, "<thought>", "</thought>"],
    reply=Grammar(
        "exaone_deep", reasoning=Reasoning(("<thought>",), ("</thought>",), lead="\n", trail="\n", after="\n")
    ),
    source="LG-AI-EXAONE/EXAONE-Deep, README.md",
)
