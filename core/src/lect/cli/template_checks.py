"""Whether every template writes a prompt and reads a reply."""

from __future__ import annotations

from traceback import format_exception
from typing import TYPE_CHECKING

from lect.cli.findings import Finding
from lect.errors import LectError, MessageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from lect import Prompt, Template

QUESTION = [{"role": "user", "content": "Hello!"}]
CONVERSATION = [
    *QUESTION,
    {"role": "assistant", "content": "Hello! How can I help?"},
    {"role": "user", "content": "Tell me a joke."},
]
REPLY = "Two tokens walk into a bar."


def examine_templates(
    templates: Mapping[str, Sequence[Template]], progress: Callable[[str], None]
) -> Iterator[Finding]:
    """Render a conversation with every template, and parse a reply to it.

    Args:
        templates: The templates by owner.
        progress: Is told the name of each, before it is checked.
    """
    for owner, owned in templates.items():
        for template in owned:
            name = f"{owner}:{template.name}"
            progress(name)
            yield from _examine(template, name)


def _examine(template: Template, name: str) -> Iterator[Finding]:
    try:
        prompt = _prompt(template)
    except LectError as error:
        yield _failed(f"{name} cannot render a plain conversation", error)
        return
    try:
        reply = template.parse(REPLY + next(iter(template.stop), ""), prompt=prompt)
    except LectError as error:
        yield _failed(f"{name} cannot parse a plain reply", error)
        return
    if REPLY not in (reply.content or "") + (reply.reasoning or ""):
        yield Finding(True, f"{name} loses the text of a plain reply: {reply.content!r}")


def _prompt(template: Template) -> Prompt | None:
    """Return a prompt for a conversation that the template does not refuse; None if it refuses both."""
    for messages in (CONVERSATION, QUESTION):
        try:
            return template.render(messages, add_generation_prompt=True)
        except MessageError:
            continue
    return None


def _failed(what: str, error: LectError) -> Finding:
    return Finding(True, f"{what}: {str(error).partition(chr(10))[0]}", "".join(format_exception(error)))
