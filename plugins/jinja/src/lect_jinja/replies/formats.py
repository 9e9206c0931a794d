"""What tells that a model writes its replies in a format: read off the grammars of the formats, ours and others'.

`formats.json` has it for the formats of this repository, so that none of their packages is imported for it, and so
that one that is not installed can be named. Any other installed format is asked itself.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import lect
from lect.errors import LectError
from lect.plugin.grammar import CallSyntax, Params, ReplyFormat, reply_format

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

CORE = "lect"
FEWEST_LETTERS = 3


class FormatSigns(NamedTuple):
    """What in a template, in its tokens or in an answer tells that replies are written in a format.

    Attributes:
        name: The name of the reply format.
        package: The package that has it.
        calls: For each way to write a call, the texts that are all in it, in their order; none where a call is bare.
        closes: What closes calls and their sections.
        opens: What opens reasoning.
        needs: What a template must have: what closes reasoning, where replies begin inside it.
        marks: All texts that the format writes, and its signs.
        shown: Those of them that are in its example; formats of one grammar differ in that alone.
        stop: Where its replies end.
        signs: The texts by which a template shows that its model writes this way, whether it writes calls or not.
        model_types: The values of `model_type` that mean it, whatever the template.
    """

    name: str
    package: str
    calls: tuple[tuple[str, ...], ...] = ()
    closes: tuple[str, ...] = ()
    opens: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    stop: tuple[str, ...] = ()
    signs: tuple[str, ...] = ()
    model_types: tuple[str, ...] = ()

    def may_read(self, prompt: str, text: str) -> bool:
        """Return whether calls in an answer may be of this format: how one is written occurs in it, or opens it."""
        return any(_is_written(call, prompt, text) for call in self.calls)

    def seen(self, text: str) -> tuple[str, ...]:
        """Return what in a text speaks most for this format: all texts of a call, a sign, or what opens reasoning."""
        if self.needs and not _present(self.needs, text):
            return ()
        if not self.calls:
            return _present(self.opens, text)
        ways = [tuple(filter(_tells, call)) for call in self.calls] + [(sign,) for sign in self.signs]
        found = max((way for way in ways if _present(way, text) == way), key=len, default=())
        return (*found, *_present(self.closes, text)) if found else ()

    def ends(self, source: str, stop: Collection[str]) -> bool:
        """Return whether replies of a template end as those of this format do, or it writes how these end."""
        return any(each in stop or each in source for each in self.stop)

    def shares(self, text: str) -> tuple[float, float]:
        """Return which part of its example, and of all that this format writes, occurs in a text."""
        example, whole = (len(_present(each, text)) / max(len(each), 1) for each in (self.shown, self.marks))
        return example, whole


def _present(marks: tuple[str, ...], text: str) -> tuple[str, ...]:
    return tuple(mark for mark in marks if mark in text)


def _is_written(call: tuple[str, ...], prompt: str, text: str) -> bool:
    if any(map(_tells, call)):
        return all(each in text for each in call)
    # Nothing but its place tells that a bracket is no text.
    opens = call[0] if call else "{"
    return text.lstrip().startswith(opens) or (bool(call) and prompt.rstrip().endswith(opens))


def _tells(mark: str) -> bool:
    """Return whether a text is a mark wherever it occurs, not a bracket like others."""
    return sum(map(str.isalpha, mark)) >= FEWEST_LETTERS


def signs_of(found: ReplyFormat, package: str) -> FormatSigns:
    """Return what tells that replies are written in a format."""
    grammar, reasoning = found.grammar, found.grammar.reasoning
    opens, closes = (reasoning.open, reasoning.close) if reasoning else ((), ())
    ways = tuple(dict.fromkeys(_calls(found)))
    closing = ((section.close, *(call.close for call in _own(section.calls))) for section in grammar.sections)
    ends = (mark for closes_of in closing for marks in closes_of for mark in marks)
    wrapped = (mark for wrapper in grammar.wrappers for mark in (*wrapper.open, *wrapper.close))
    ends_of_calls = _telling(ends)
    marks = _telling([*(each for way in ways for each in way), *opens, *closes, *ends_of_calls, *wrapped, *found.signs])
    return FormatSigns(
        found.name,
        package,
        calls=ways,
        closes=ends_of_calls,
        opens=_telling(opens),
        needs=_telling(closes) if reasoning is not None and reasoning.starts else (),
        marks=marks,
        shown=_present(marks, found.example),
        stop=tuple(each.strip() for each in found.stop),
        signs=found.signs,
        model_types=found.model_types,
    )


def _telling(marks: Iterable[Any]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(_tells, _texts(marks))))


def _calls(found: ReplyFormat) -> Iterator[tuple[str, ...]]:
    """Yield the texts in each way to write a call that is the format's own, in their order."""
    for section in found.grammar.sections:
        for call in _own(section.calls):
            for opened in section.open or ((),):
                for begun in call.open or ((),):
                    yield (*_texts([opened]), *_texts([begun]), *_inside(call))
    if channels := found.grammar.channels:
        yield from ((*_texts([start]), *_texts([body])) for start in channels.start for body, _ in channels.bodies)


def _own(calls: Iterable[CallSyntax]) -> list[CallSyntax]:
    return [call for call in calls if not call.foreign]


def _inside(call: CallSyntax) -> Iterator[str]:
    """Yield the marks that are in every call: what ends its head, if that is always the same, and opens a parameter."""
    ends = {text for text in _texts(call.head.end if call.head else ()) if _tells(text)}
    if call.head and len(ends) == 1 and all(map(_tells, call.head.end)):
        yield from ends
    if isinstance(call.arguments, Params):
        yield from _texts([call.arguments.open])


def _texts(marks: Iterable[Any]) -> Iterator[str]:
    """Yield the texts of marks, line by line: a template may write their line ends in another way."""
    for mark in marks:
        for each in (mark,) if isinstance(mark, str) else mark:
            yield from filter(None, map(str.strip, each.split("\n")))


def formats() -> dict[str, FormatSigns]:
    """Return what is known of all formats: those of this repository, and of others that are installed."""
    found = dict(known_formats())
    for name in lect.reply_formats():
        if name not in found:
            try:
                found[name] = signs_of(reply_format(name), "")
            except LectError:
                continue  # `lect doctor` says what is wrong with it.
    return found


def known_formats() -> dict[str, FormatSigns]:
    """Return what is known of the formats of this repository, installed or not."""
    return {name: FormatSigns(name, **_tuples(row)) for name, row in _generated()["formats"].items()}


def first_prompts() -> dict[str, list[str]]:
    """Return the fingerprints of what each of our templates writes at first, by `plugin:name`: see `compare.prints`."""
    return _generated()["first_prompts"]


def _tuples(row: dict[str, Any]) -> dict[str, Any]:
    calls = tuple(map(tuple, row.get("calls", ())))
    return {name: each if isinstance(each, str) else tuple(each) for name, each in row.items()} | {"calls": calls}


@cache
def _generated() -> dict[str, dict[str, Any]]:
    import json
    from pkgutil import get_data

    return json.loads(get_data(__package__, "formats.json") or b"{}")  # type: ignore[no-any-return]
