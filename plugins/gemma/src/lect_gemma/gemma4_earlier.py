"""The earlier revisions of Gemma 4: thoughts only before calls, and every answer closes its turn."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from lect.plugin import Chat, Template, Writer
from lect_gemma.gemma3 import speaker
from lect_gemma.gemma4 import (
    EMPTY_THOUGHT,
    FIRST,
    GEMMA4,
    GEMMA4_LARGE,
    LATEST,
    MEDIA,
    REVISIONS,
    last_question,
    without_results,
    write_calls,
    write_content,
    write_opening,
    write_results,
    write_thought,
)
from lect_gemma.gemma4_first import gemma4_first
from lect_gemma.schema import ITSELF, Notation


def gemma4_earlier(
    chat: Chat, out: Writer, *, large: bool = False, second: bool = False, media: Mapping[str, str] = MEDIA
) -> None:
    """Write an earlier Gemma 4, with these `media` in results of tools.

    The `second` revision writes no parameters that are called like what describes a parameter, prints a system text in
    parts as a list, and closes a turn after a result and a content of white space.
    """
    notation = Notation(chat, out, null=False, without=ITSELF if second else ())
    messages = without_results(write_opening(chat, out, notation, reads_parts=not second))
    asked = last_question(messages)
    role_before = ""
    waits = False
    for message in out.turns(messages):
        if not (message.role == role_before == "assistant"):
            out += "<|turn>", speaker(message), "\n"
        role_before = message.role
        write_thought(out, message, shown=message.index > asked and bool(message.tool_calls))
        write_calls(chat, out, notation, message, texts=True)
        results = write_results(chat, out, notation, message, media)
        content = write_content(out, message) or (second and bool(message.parts or message.content))
        shows_media = any(part.type in MEDIA for part in message.parts)
        # A call that has no result yet leaves the turn open for it; after a result the model continues.
        calling = bool(message.tool_calls) and not results and not shows_media
        waits = (calling or results) and not shows_media
        if calling:
            out.append("<|tool_response>")
        elif content or not results:
            out.append("<turn|>\n")
    if chat.add_generation_prompt and not waits:
        out.append("<|turn>model\n")
        if large and not chat.option("enable_thinking"):
            out.append(EMPTY_THOUGHT)


def _earlier(latest: Template, *, large: bool) -> Iterator[Template]:
    """Yield the revisions of a template that are its own, from the first: each states what the later ones changed."""
    changes: list[dict[str, Any]] = [{"second": True, "media": {}}, {"media": {}}, {}]
    for (suffix, date), change in zip(REVISIONS.items(), changes, strict=True):
        yield latest.but(
            name=f"{latest.name}-{suffix}",
            program=partial(gemma4_earlier, large=large, **change),
            options={"enable_thinking": bool},
            source=latest.source.replace(LATEST, date),
        )


GEMMA4_EARLIER = [
    GEMMA4.but(
        name=FIRST,
        program=gemma4_first,
        capabilities=GEMMA4.capabilities - {"reasoning"},
        options={"enable_thinking": bool},
        source=GEMMA4.source.replace(LATEST, "2026-04-01"),
    ),
    *_earlier(GEMMA4, large=False),
    *_earlier(GEMMA4_LARGE, large=True),
]
