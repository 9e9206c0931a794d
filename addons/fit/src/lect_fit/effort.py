"""How hard a model is to think, as options of its format: found out by asking the template."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal, get_args

from lect.errors import LectError, MessageError, expect_one_of
from lect.plugin import boundary
from lect_fit.carried import carried

if TYPE_CHECKING:
    from lect import Template

Level = Literal["off", "low", "medium", "high"]
LEVELS: tuple[Level, ...] = get_args(Level)
ABOUT_THINKING = re.compile("think|reason")
"""What the names of such options contain. An option about reasoning in history changes nothing in a first prompt."""
TURNS_OFF = re.compile("skip|disable|no_think")
BUDGET = re.compile("budget")
"""What the names of options contain that are a number of tokens."""
WORDS = {
    "none": 0.0, "off": 0.0, "no_think": 0.0, "disabled": 0.0, "minimal": 0.8, "low": 1.0, "medium": 2.0,
    "adaptive": 2.2, "high": 3.0, "enabled": 3.2, "xhigh": 3.4, "max": 3.6,
}  # fmt: skip
"""The words that formats have for it, by how much they mean, on the scale of the levels."""
NO_WORD = "zqword"
QUESTION = [{"role": "user", "content": "zquser"}]


@boundary
def effort(template: Template, level: Level) -> dict[str, Any]:
    """Return the options by which a format says how hard the model is to think; empty if it cannot say it.

    Where a format has no such level, it is the nearest: `off` is the least that there is.

    Args:
        template: The template.
        level: `off`, `low`, `medium` or `high`.

    Raises:
        MessageError: If there is no such level.
    """
    expect_one_of(LEVELS, "level", level, MessageError)
    known = carried(template).efforts
    if not known:
        known.update(zip(LEVELS, _found(template), strict=True))
    return dict(known[level])


def _found(template: Template) -> list[dict[str, Any]]:
    """Return the options for each level."""
    kinds = {name: kind for name, kind in template.options.items() if ABOUT_THINKING.search(name)}
    for name in (name for name, kind in kinds.items() if kind is None):
        # What an own template prints may be anything.
        kinds[name] = int if BUDGET.search(name) else str if any(_nearest(template, name, {})) else bool
    off: dict[str, Any] = _switches(template, [name for name, kind in kinds.items() if kind is bool])
    on: dict[str, Any] = {name: not value for name, value in off.items()}
    levels = [dict(on) for _ in LEVELS]
    for name in (name for name, kind in kinds.items() if kind is str):
        for at, word in enumerate(_nearest(template, name, on)):
            if word:
                levels[at][name] = word
    for name in (name for name, kind in kinds.items() if kind is int and not off):
        # A budget of tokens: only none of them means the same everywhere.
        if _written(template, **{name: 0}) not in (None, _written(template)):
            off[name] = 0
    return [off, *levels[1:]] if off else levels


def _switches(template: Template, names: list[str]) -> dict[str, bool]:
    """Return the truth values that turn thinking off; of several that do the same, one."""

    def written(off: dict[str, bool]) -> tuple[str | None, str | None]:
        return _written(template, **off), _written(template, **{name: not value for name, value in off.items()})

    def is_switch(turned_off: str | None, on: str | None) -> bool:
        # A model that always thinks may refuse to be turned off.
        return None not in (turned_off, on) and turned_off != on

    switches = {name: TURNS_OFF.search(name) is not None for name in names}
    off = {name: value for name, value in switches.items() if is_switch(*written({name: value}))}
    for name in reversed(off):
        fewer = {other: value for other, value in off.items() if other != name}
        if fewer and written(fewer) == written(off):
            off = fewer
    return off


def _nearest(template: Template, name: str, on: dict[str, Any]) -> list[str]:
    """Return the word of an option for each level; none if the option is to be left out, or says nothing."""
    unknown = _written(template, **on, **{name: NO_WORD})
    if unknown is not None and NO_WORD in unknown:
        return ["low", *LEVELS[1:]]  # It hands on to the model whatever is given.
    by_default = _written(template, **on)
    # A word that is refused, or says what any word says, is not known.
    written = {word: _written(template, **on, **{name: word}) for word in WORDS}
    known = {word: WORDS[word] for word, text in written.items() if text not in (None, unknown)}
    if known and by_default not in (written[word] for word in known):
        known[""] = max(3.0, *known.values()) + 0.1  # What is neither: all that there is.
    thinking = {word: meant for word, meant in known.items() if meant} or known
    return [
        min(some, key=lambda word: (abs(some[word] - at), some[word]), default="")
        for at, some in enumerate([known, thinking, thinking, thinking])
    ]


def _written(template: Template, **options: Any) -> str | None:
    try:
        return template.text(QUESTION, add_generation_prompt=True, **options)
    except LectError:
        return None
