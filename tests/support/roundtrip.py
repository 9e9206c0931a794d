"""What a template writes as an answer, heard again."""

import lect
from lect import LectError

QUESTION = {"role": "user", "content": "Hi"}


def answer(template, history, message, *, tools=None, **options):
    """Return the prompt and the answer as a template writes a message, as a model would: the answer is what follows the
    prompt.

    None where the template cannot write all of the message.
    """
    for given in [tools, None] if tools else [None]:
        try:
            rendered = template.render([*history, message], tools=given, strict=True, **options)
            prompt = template.text(history, tools=given, add_generation_prompt=True, **options)
        except LectError:
            continue
        if any(path[:2] == ("messages", len(history)) for path, _ in rendered.unused):
            continue
        return _split(template, prompt, rendered.text)
    return None


def _split(template, prompt, text):
    """Cut a text where the answer begins. A prompt may end otherwise than the same turn begins once it is history: then
    where the two part."""
    if text.startswith(prompt):
        return prompt, text[len(prompt) :]
    end = next(
        (at for at, (one, other) in enumerate(zip(prompt, text, strict=False)) if one != other),
        min(len(prompt), len(text)),
    )
    # Not in the midst of a mark.
    marks = [*template.markers, "<think>", "</think>", "<tool_call>", "<｜tool▁calls▁begin｜>"]
    while any(text[:end].endswith(mark[:length]) for mark in marks for length in range(1, len(mark))):
        end -= 1
    return text[:end], text[end:]


def heard(template, prompt, text, tools=None):
    """Return a reply as it is heard by a template's grammar, as `(content, reasoning, calls)`."""
    reply = lect.resolve("a-model", adapter=template).parse(text, prompt=prompt, tools=tools)
    return reply.content, reply.reasoning, [(call.name, call.arguments) for call in reply.tool_calls]


def meant(message):
    """Return a message as `(content, reasoning, calls)`."""
    calls = [call["function"] for call in message.get("tool_calls") or ()]
    return (
        message.get("content") or "",
        message.get("reasoning_content"),
        [(call["name"], call["arguments"]) for call in calls],
    )
