"""Gemma 4 as its small models were first published: thoughts only before calls, and every answer closes its turn."""

from lect.plugin import Chat, Writer
from lect_gemma.gemma3 import speaker
from lect_gemma.gemma4 import (
    GEMMA4,
    MEDIA,
    last_question,
    write_calls,
    write_content,
    write_opening,
    write_results,
    write_thought,
)
from lect_gemma.schema import Notation


def gemma4_first(chat: Chat, out: Writer) -> None:
    """Write the first Gemma 4."""
    notation = Notation(chat, out, null=False)
    messages = write_opening(chat, out, notation)
    asked = last_question(messages)
    role_before = ""
    waits = False
    for message in out.turns(messages):
        if not (message.role == role_before == "assistant"):
            out += "<|turn>", speaker(message), "\n"
        role_before = message.role
        write_thought(out, message, shown=message.index > asked and bool(message.tool_calls))
        write_calls(chat, out, notation, message, texts=True)
        results = write_results(chat, out, notation, message, media={})
        content = write_content(out, message)
        media = any(part.type in MEDIA for part in message.parts)
        # A call that has no result yet leaves the turn open for it; after a result the model continues.
        calling = bool(message.tool_calls) and not results and not media
        waits = (calling or results) and not media
        if calling:
            out.append("<|tool_response>")
        elif content or not results:
            out.append("<turn|>\n")
    if chat.add_generation_prompt and not waits:
        out.append("<|turn>model\n")


GEMMA4_FIRST = GEMMA4.but(
    name="gemma-4-2026-04",
    program=gemma4_first,
    options={"enable_thinking": bool},
    source="google/gemma-4-E2B-it, chat_template.jinja as first published",
)
