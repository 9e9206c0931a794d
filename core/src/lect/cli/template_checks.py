"""Whether every template writes a prompt and reads a reply."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import lect
from lect.cli.findings import Finding
from lect.errors import LectError, MessageError

QUESTION = [{"role": "user", "content": "Hello!"}]
CONVERSATION = [
    *QUESTION,
    {"role": "assistant", "content": "Hello! How can I help?"},
    {"role": "user", "content": "Tell me a joke."},
]
REPLY = "Two tokens walk into a bar."


def check_templates(
    templates: Mapping[str, Sequence[lect.Template]], progress: Callable[[str], None]
) -> Iterator[Finding]:
    """Render a conversation with every template, and parse a reply to it; `progress` gets the name of each."""
    for owner, owned in templates.items():
        for template in owned:
            name = f"{owner}:{template.name}"
            progress(name)
            action = "render a plain conversation"
            try:
                prompt = _prompt(template)
                action = "parse a plain reply"
                reply = template.parse(REPLY + next(iter(template.stop), ""), prompt=prompt)
            except LectError as error:
                yield Finding.of(error, f"{name} cannot {action}: {str(error).partition(chr(10))[0]}")
                continue
            if REPLY not in (reply.content or "") + (reply.reasoning or ""):
                yield Finding(True, f"{name} loses the text of a plain reply: {reply.content!r}")


def _prompt(template: lect.Template) -> lect.Prompt | None:
    """Return a prompt for a conversation that the template does not refuse; None if it refuses both."""
    for messages in (CONVERSATION, QUESTION):
        try:
            return template.render(messages, add_generation_prompt=True)
        except MessageError:
            continue
    return None
