"""What a format carries: found out by probes, each asked once, and kept with the template."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from lect.addon import respelled, spell
from lect.errors import LectError, LimitError
from lect.plugin import boundary
from lect_fit.probes import PLACE, PROBES, Probe, missing

if TYPE_CHECKING:
    from lect import Template
    from lect.addon import Edges

SIMPLE = (bool, int, float, str, type(None))
"""The types of options that may decide what a format carries. The others are content, such as documents, and dates."""
NUMBERED = re.compile(r"messages\[\d+\]")
ROLES = ("developer",)
"""The roles that some formats write as a header without knowing them: any name becomes one there."""


class Known(dict[str, str]):
    """What is known of a format; something else is asked when it is looked up, which is as quick as a dictionary."""

    def __init__(self, ask: Callable[[str], str]):
        super().__init__()
        self._ask = ask

    def __missing__(self, name: str) -> str:
        why = self[name] = self._ask(name)
        return why


class Carried(Mapping[str, str]):
    """What a format carries, by name: empty if it does, else why not. A probe is written when it is first asked for.

    Args:
        template: The template.
        options: The options with which it is asked.
    """

    def __init__(self, template: Template, options: Mapping[str, Any]):
        self._template, self._options = template, options
        self.known = Known(self._why_lacking)
        """The same as a dictionary of what was asked so far, and of what is looked up in it."""
        self._exceeded = ""
        self.efforts: dict[str, dict[str, Any]] = {}
        """The options for each level of effort, once `effort` has asked."""

    def __getitem__(self, name: str) -> str:
        return self.known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(PROBES)

    def __len__(self) -> int:
        return len(PROBES)

    def __repr__(self) -> str:
        return f"<Carried by {self._template.name!r}: {sum(not self[name] for name in self)} of {len(self)}>"

    def _why_lacking(self, name: str) -> str:
        found = PROBES[name]
        probes = (found,) if isinstance(found, Probe) else found
        return next(filter(None, (self._why_not(name, probe) for probe in probes)), "")

    def _why_not(self, name: str, probe: Probe) -> str:
        if any(name.startswith((role, f"system, {role}")) and role not in self._template.roles for role in ROLES):
            return "the format does not know the role"
        # A hostile template would use up its limits in each probe.
        if self._exceeded:
            return self._exceeded
        template = self._template
        try:
            prompt = template.render(
                respelled(probe.messages, template.reply),
                tools=probe.tools,
                add_generation_prompt=True,
                on_control="allow",
                **self._options,
            )
            lost = [each.path for each in prompt.unused if each.why == "dropped" and _is_about(probe, each.path)]
            if lost:
                return f"it has no place for {spell(lost[0][2:] or lost[0])}"
            return "it writes the address as text" if PLACE in prompt.text else missing(prompt.text, probe.words)
        except LimitError as error:
            self._exceeded = self._said(error)
            return self._exceeded
        except LectError as error:
            return self._said(error)

    def _said(self, error: LectError) -> str:
        """Return what a refusal says, of a message whose number in the probe tells nobody anything."""
        line = str(error).partition("\n")[0].removeprefix(f"{self._template.name}: ")
        return "refused: " + NUMBERED.sub("a message", line)


def _is_about(probe: Probe, path: tuple[Any, ...]) -> bool:
    if path[0] == "messages":
        return not probe.about or any(path[1 : len(each) + 1] == each for each in probe.about)
    # What becomes of the tools is asked by the probes that have nothing else.
    return path[0] == "tools" and len(probe.messages) == 1


@boundary
def carried(template: Template, options: Mapping[str, Any] | None = None) -> Carried:
    """Return what a template carries with some options."""
    deciding = {name: value for name, value in (options or {}).items() if isinstance(value, SIMPLE)}
    edges: Edges = template.edges(deciding)
    if edges.carries is None:
        edges.carries = Carried(template, {name: deciding[name] for name in template.options if name in deciding})
    kept: Carried = edges.carries
    return kept
