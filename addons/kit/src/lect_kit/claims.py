"""Checks of what templates claim: their capabilities reach the prompt, and their markers and options are declared."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from lect.errors import LectError
from lect.plugin import Chat
from lect.values import Origin
from lect_kit.base import SuiteBase, check
from lect_kit.capabilities import unproven
from lect_kit.conversations import PLAIN, conversations, dated

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lect.format.prompt import Prompt
    from lect.format.template import Template
    from lect.values import Segment

TOKEN = re.compile(r"<[|｜][^<>|｜\s\0]+[|｜]>")
"""What only control tokens look like, wherever they are written."""
TAG = re.compile(rf"{TOKEN.pattern}|</?[A-Za-z][\w.:-]*>|<</?[A-Z]+>>|\[/?[A-Za-z]*[A-Z]{{2,}}[A-Z_]*\]")
"""What may be one, if it is around a text."""
ONLY_TAGS = re.compile(rf"(?:{TAG.pattern}|\s)*")
NOT_OURS = "\0"
"""Stands for a text of the caller's."""


class ClaimChecks(SuiteBase):
    """What a template states about itself is so."""

    @check(
        "write it, or take the word out of `capabilities`; where the maker's format leaves reasoning out, say so with "
        "`out.by_rule(message.reasoning)`"
    )
    def test_capabilities_reach_the_prompt(self) -> Iterator[str]:
        """What a template says that it supports is in its prompts: tools and results, images, reasoning, documents."""
        for name, template in self.templates.items():
            for word in sorted(template.capabilities):
                if problem := unproven(template, word):
                    yield f"{name} claims {word!r}, and {problem}"

    @check("name it in `markers`, as the maker's tokenizer has it; text that is no token belongs in no turn's frame")
    def test_written_tags_are_markers(self) -> Iterator[str]:
        """What a template writes around texts and looks like a control token is one of its markers."""
        for name, template in self.templates.items():
            if hasattr(template, "jinja"):
                continue  # A model's own text: its markers are read off its literals, or off the tokens that it lists.
            found: dict[str, str] = {}
            for case, arguments in conversations().items():
                with suppress(LectError):
                    prompt = template.render(**arguments, **dated(template))
                    for tag in _undeclared(template, prompt, is_plain=case in PLAIN):
                        found.setdefault(tag, case)
            for tag, case in found.items():
                yield f"{name}: {tag!r}, written for {case}, is no marker: a user who types it forges a turn unseen"

    @check('name it in `options`, with its type: `options={"enable_thinking": bool}`')
    def test_options_are_declared(self) -> Iterator[str]:
        """Each option that a program reads is declared: otherwise whoever gives it is told that nothing reads it."""
        for name, template in self.templates.items():
            for each in sorted(_options_read(template).difference(template.options)):
                yield f"{name} reads the option {each!r}, and does not declare it"


def _options_read(template: Template) -> set[str]:
    """Return the options that a program asks for."""
    read: set[str] = set()
    option = Chat.option

    def noting(chat: Chat, name: str, *more: Any, **named: Any) -> Any:
        read.add(name)
        return option(chat, name, *more, **named)

    with patch.object(Chat, "option", noting):
        for arguments in conversations().values():
            with suppress(LectError):
                template.text(**arguments, **dated(template))
    return read


def _undeclared(template: Template, prompt: Prompt, *, is_plain: bool) -> Iterator[str]:
    """Yield what looks like a control token in the template's own text, and is none of its markers."""
    yield from _tags(template, TOKEN, prompt.segments)
    if not is_plain:
        return  # The notation of calls and tools is prose to many models.
    turns = [segment for segment in prompt.segments if segment.turn is not None]
    yield from _tags(template, TAG, turns)
    first = prompt.segments.index(turns[0]) if turns else len(prompt.segments)
    preamble = prompt.segments[:first]
    # A preamble may be prose with tags in it.
    if ONLY_TAGS.fullmatch("".join(segment.text for segment in preamble)):
        yield from _tags(template, TAG, preamble)


def _tags(template: Template, pattern: re.Pattern[str], segments: Sequence[Segment]) -> Iterator[str]:
    """Yield what fits a pattern in the template's own pieces, a role that it names included."""
    own = "".join(segment.text if _is_own(template, segment) else NOT_OURS for segment in segments)
    declared = template.markers.pattern
    for found in pattern.finditer(own):
        if declared is None or not any(
            each.start() < found.end() and found.start() < each.end() for each in declared.finditer(own)
        ):
            yield found[0]


def _is_own(template: Template, segment: Segment) -> bool:
    if segment.origin is Origin.TEMPLATE:
        return segment.text != template.default_system
    return segment.path[-1:] == ("role",) and segment.text in template.roles
