"""Prompts that end within an assistant's message, so that the model continues it.

Only the template knows where the end of a text is in its prompt, and what it makes of the text before. So a mark is
appended to the last text of the last message, the template writes it, and the prompt ends there.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from lect.errors import MessageError, saferepr
from lect.prompt.fields import is_list
from lect.prompt.inputs import given, plain_str
from lect.prompt.message import REASONING_NAMES
from lect.prompt.normalize import is_text_part, normalized_message
from lect.prompt.segments import Composed, ended
from lect.prompt.unused import all_unused
from lect.reports import Unused
from lect.values import Origin, Path, Segment

MARK, SPACE = "CONTINUE_FINAL_MESSAGE_TAG", " "
"""The mark of transformers, which a template may know: LFM2.5-VL's writes it behind the calls. Where the space that
follows it is missing, the template takes white space off the ends of texts."""


def marked(messages: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """Return the messages with a mark after the last text of the last one."""
    if not is_list(messages):
        return messages  # Reading them refuses it.
    _, _, name, *part = said_last(messages)
    return [*messages[:-1], {**messages[-1], str(name): _with_mark(messages[-1][str(name)], part)}]


def _with_mark(value: Any, part: Sequence[Any]) -> Any:
    if not part:
        return plain_str(value) + MARK + SPACE
    at, key = part
    return [*value[:at], {**value[at], key: _with_mark(value[at][key], ())}, *value[at + 1 :]]


def without_end(name: str, source: Composed, messages: Sequence[Mapping[str, Any]]) -> Composed:
    """Return what was written up to the mark, and without the white space that the template takes off there.

    Others may have written it too: the template's last one, or the last one of the text, counts.
    """
    segments, field = source.segments(), said_last(messages)[:3]
    at = [index for index, each in enumerate(segments) if MARK in each.text and each.path[:3] in (field, ())]
    if not at:
        raise MessageError(
            f"{name}: the last message cannot be continued, because the format does not write its text as it is\n"
            "  try: add_generation_prompt=True with continue_final_message=True, which puts it after the prompt"
        )
    kept, last, behind = segments[: at[-1]], segments[at[-1]], segments[at[-1] + 1 :]
    text, _, after = last.text.rpartition(MARK)
    kept.append(last._replace(text=text))
    if not after.startswith(SPACE):
        while kept and not kept[-1].text.strip():
            kept.pop()
        kept[-1:] = [segment._replace(text=segment.text.rstrip()) for segment in kept[-1:]]
    kept = [segment for segment in kept if segment.text]
    written = {segment.path for segment in kept}
    lost = dict.fromkeys(each.path for each in behind if each.path and each.path[-1] != "role")
    return ended(source, kept, [Unused(path, "dropped") for path in lost if path not in written and path != last.path])


def with_beginning(source: Composed, messages: Sequence[Mapping[str, Any]]) -> Composed:
    """Return a generation prompt for all messages but the last, followed by the text of the last."""
    path = said_last(messages)[:3]
    last = normalized_message(messages[-1], path[:2], (), tracked=True)
    text = given(last[str(path[2])], path)
    parts = messages[-1]["content"] if len(said_last(messages)) > 3 else ()
    unsaid = (Unused((*path, at), "dropped") for at, part in enumerate(parts) if not is_text_part(part))
    dropped = [*unsaid, *all_unused(messages[-1], path[:2], path)]
    segments = [*source.segments(), Segment(plain_str(text), Origin.INPUT, text.path, text.start, len(messages) - 1)]
    return ended(source, segments, dropped)


def said_last(messages: Sequence[Mapping[str, Any]]) -> Path:
    """Return the last text of the last message, an assistant's: of its content, or of its reasoning without any."""
    last = messages[-1] if messages else None
    if isinstance(last, Mapping) and last.get("role") == "assistant":
        where, content = ("messages", len(messages) - 1), last.get("content") or ()
        texts = [at for at, part in enumerate(content) if is_text_part(part)] if is_list(content) else []
        if texts and any(part.get("text") for part in content):
            return (*where, "content", texts[-1], "text")
        names = ("content",) if content and not texts else REASONING_NAMES
        name = next((name for name in names if isinstance(last.get(name), str) and last[name]), None)
        if name is not None:
            return (*where, name)
    what = f"the last message is {saferepr(last)}" if messages else "there are no messages"
    raise MessageError(
        f"continue_final_message=True, but {what}; expected an assistant's message with a text at the end\n"
        "  try: end the messages with {'role': 'assistant', 'content': 'Sure, '}"
    )
