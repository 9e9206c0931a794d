"""LongCat-Flash: numbered rounds, and calls in its own tags."""

from lect.plugin import Chat, Template, Writer
from lect.plugin.grammar import JSON_OBJECT, Grammar, ReplyFormat, Section

LONGCAT = ReplyFormat(
    Grammar("longcat", sections=(Section((JSON_OBJECT,), ("<longcat_tool_call>",), ("</longcat_tool_call>",)),)),
    stop=("</longcat_s>",),
    names="LongCat-Flash",
    example='<longcat_tool_call>{"name": "get_weather", "arguments": {"city": "Paris"}}</longcat_tool_call>',
    model_types=("longcat_flash",),
)


def longcat_flash(chat: Chat, out: Writer) -> None:
    """Write LongCat-Flash-Chat. Of tools, its maker documents only how they are introduced."""
    if chat.system:
        out.turn(chat.system)
        out += "SYSTEM:", chat.system.content
    messages = chat.without_system
    chat.require_alternation(messages)
    for position, message in enumerate(out.turns(messages)):
        if message.role == "user":
            out += " " if message.index else "", f"[Round {position // 2}] USER:", message.content
        else:
            out += " ASSISTANT:", message.content, "</longcat_s>"
    if chat.add_generation_prompt:
        out.append(" ASSISTANT:")


LONGCAT_FLASH = Template(
    "longcat-flash",
    longcat_flash,
    roles=["system", "user", "assistant"],
    capabilities=["system"],
    stop={"</longcat_s>": 2},
    markers=[
        *("<longcat_s>", "</longcat_s>", "<longcat_tool_call>", "</longcat_tool_call>"),
        *("SYSTEM:", "USER:", "ASSISTANT:"),
    ],
    control_tokens=["<longcat_s>"],
    text_separators=True,
    reply=LONGCAT.grammar,
    source="meituan-longcat/LongCat-Flash-Chat at 87d1b71, README.md",
)
