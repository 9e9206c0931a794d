"""Why two prompts differ where they first do: found by the fields around that place."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

from lect import Template
from lect.addon import REASONING_NAMES
from lect_explain.fields import Side, common
from lect_explain.step import spelled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lect import Prompt, Reply
    from lect_explain.fields import Field
    from lect_explain.step import Path, Rule, Sent


class Why(NamedTuple):
    """Why two prompts differ in a place."""

    rule: Rule
    reason: str
    was: Path = ()
    now: Path = ()


class Forked(NamedTuple):
    """Two requests whose prompts differ, and where."""

    before: Sent
    sampled: str
    after: Sent
    at: int


def why(forked: Forked) -> Why:
    """Return why two prompts differ where they first do."""
    old, new, at = Side(forked.before.prompt), Side(forked.after.prompt), forked.at
    if at == len(forked.after.prompt.text):
        return Why("beginning", "it is the beginning of the one before, so that nothing of it has to be computed")
    shared = [bisect_right([field.end for field in side.fields], at) for side in (old, new)]
    if _is_other(old, new):
        return Why("other", "it is another conversation", *_around(old, new, shared))
    if shared[1] < len(old.fields):
        return _in_history(forked, old, new, min(shared))
    return _in_reply(forked, old, new, shared[1])


def _around(old: Side, new: Side, shared: Sequence[int]) -> tuple[Path, Path]:
    """Return the fields in a place, or after it."""
    before, after = (_field(side, at) for side, at in zip((old, new), shared, strict=True))
    return before.path if before else (), after.path if after else ()


def _field(side: Side, at: int) -> Field | None:
    return side.fields[at] if at < len(side.fields) else None


def _is_other(old: Side, new: Side) -> bool:
    """Return whether it is another conversation: other instructions, and nothing that was said is the same.

    One with other instructions and other tools is another even if it begins with the same question, as a request for
    a title does.
    """
    (told, tools), (told_now, tools_now) = ((side.instructions(), side.all_said("tools")) for side in (old, new))
    if told != told_now and tools != tools_now:
        return True
    if (told or tools) and (told, tools) == (told_now, tools_now):
        return False
    spoken = zip(old.spoken(), new.spoken(), strict=False)
    return not any(one == other != [] for one, other in spoken)


# In what both requests have


def _in_history(forked: Forked, old: Side, new: Side, shared: int) -> Why:
    """Return why they differ before the reply: the fields before `shared` are the same."""
    was, now = _field(old, shared), _field(new, shared)
    if was is not None and now is None and not new.has(was.path):
        return _absent(forked, new, was.path)
    if was is None or now is None:
        return _by_template(forked, was, now)
    for group in ("tools", "messages"):
        if group in (was.path[0], now.path[0]) and (moved := _shifted(group, old, new)):
            return moved._replace(was=was.path, now=now.path)
    if was.path == now.path:
        if old.text_of(was.path) == new.text_of(was.path):
            return _by_template(forked, was, now)
        name = spelled(forked.after.where(now.path))
        return Why("changed", f"{name} is not what it was", was.path, now.path)
    if was.path not in new.paths:
        return _absent(forked, new, was.path)._replace(now=now.path)
    if now.path not in old.paths:
        name = spelled(forked.after.where(now.path))
        return Why("new", f"{name} was not in the prompt before", was.path, now.path)
    return Why("moved", f"{spelled(forked.before.where(was.path))} stands elsewhere", was.path, now.path)


def _shifted(group: str, old: Side, new: Side) -> Why | None:
    """Return what came, went or moved among the messages or the tools; None if they only differ in what they say."""
    was, now = old.all_said(group), new.all_said(group)
    at = common(was, now)
    if sorted(was) == sorted(now):
        return Why("moved", f"the {group} are the same, in another order") if was != now else None
    if at == min(len(was), len(now)):
        # That a conversation goes on is no reason.
        came = _came(group, at, len(now)) if len(was) < len(now) else _went(group, at, len(was))
        return came if group == "tools" else None
    ways = [(common(was[at + 1 :], now[at + 1 :]), 0, 0)]
    ways += [(common(was[at:], now[later:]), 1, later) for later in range(at + 1, len(now)) if now[later] == was[at]]
    ways += [(common(was[later:], now[at:]), 2, later) for later in range(at + 1, len(was)) if was[later] == now[at]]
    # What leaves most of them as they were; what says nothing may be anywhere.
    most, way, later = max(ways, key=lambda each: each[0])
    if not most or not way or not (was, now)[way - 1][at]:
        return None
    return _came(group, at, later) if way == 1 else _went(group, at, later)


def _came(group: str, first: int, behind: int) -> Why:
    return Why("inserted", f"{_range(group, first, behind)} came in there, before what follows")


def _went(group: str, first: int, behind: int) -> Why:
    return Why("removed", f"what was {_range(group, first, behind)} is not in the request any more")


def _range(group: str, first: int, behind: int) -> str:
    return f"{group}[{first}]" + (f" to {group}[{behind - 1}]" if behind - first > 1 else "")


def _absent(forked: Forked, new: Side, path: Path) -> Why:
    """Return why a field is not in the new prompt."""
    name = spelled(forked.before.where(path))
    if lost := new.left_out(path):
        return Why("left out", f"{name} was in the prompt before, and the format leaves it out now ({lost.why})", path)
    return Why("gone", f"{name} was in the prompt before, and is not in the request any more", path)


def _by_template(forked: Forked, was: Field | None, now: Field | None) -> Why:
    """Return why the template itself writes something else."""
    fields = was.path if was else (), now.path if now else ()
    one, other = forked.before.options, forked.after.options
    for name in sorted({*one, *other}):
        if one.get(name) != other.get(name) or (name in one) != (name in other):
            return Why("option", f"the option {name} is another", *fields)
    return Why("template", "the format itself writes this place otherwise, because of what follows", *fields)


# In what the model answered


def _in_reply(forked: Forked, old: Side, new: Side, shared: int) -> Why:
    """Return why they differ after all that the request before gave."""
    answer = len(old.roles)
    now = _field(new, shared)
    path = now.path if now else ()
    if answer >= len(new.roles):
        return _by_template(forked, None, now)
    if new.roles[answer] != "assistant":
        name = spelled(forked.after.where(("messages", answer)))
        role = new.roles[answer]
        return Why("no answer", f"{name} is of the role {role}, where the model has answered", now=path)
    if forked.at < _reply_start(forked.before.prompt):
        return _by_template(forked, None, now)
    reply = _read(forked)
    own = [field for field in new.fields if field.path[:2] == ("messages", answer) and field.path[-1] != "role"]
    begun = [field for field in own if field.start < forked.at <= field.end]
    # What begins there may be in its own words, but stand in the place of something that is gone.
    after = [field for field in own if field.start == forked.at]
    found = _reworded(forked, new, begun, reply) or _lost(forked, new, answer, reply, after)
    found = found or (_reworded(forked, new, after, reply) if forked.sampled else None)
    if found:
        return found
    if not forked.sampled:
        return Why("opening", "a prompt ends otherwise than the format begins the answer in history", now=path)
    reason = "the format writes what is around the answer otherwise than the model did"
    return Why("template", reason, now=own[-1].path if own else ())


def _reply_start(prompt: Prompt) -> int:
    """Return where a prompt begins what the model continues: behind the last turn."""
    layout = prompt.layout
    turns = [
        start for start, segment in zip(layout.starts[1:], layout.segments, strict=True) if segment.turn is not None
    ]
    return turns[-1] if turns else 0


def _read(forked: Forked) -> Reply | None:
    """Return what the model sampled as it is read."""
    template = forked.before.prompt.template
    if not forked.sampled or not isinstance(template, Template):
        return None
    return template.parse(forked.sampled, prompt=forked.before.prompt)


def _lost(forked: Forked, new: Side, answer: int, reply: Reply | None, after: Sequence[Field]) -> Why | None:
    """Return why something that the model wrote before some fields is not in the prompt any more; None if all is."""
    said: dict[tuple[str, ...], bool] = {REASONING_NAMES: True}
    if reply is not None:
        said = {REASONING_NAMES: bool(reply.reasoning), ("content",): bool(reply.content.strip())}
        said["tool_calls",] = bool(reply.tool_calls)
    for names, is_said in said.items():
        if any(field.path[2] in names for field in after):
            return None
        paths = [("messages", answer, name) for name in names]
        if not is_said or any(map(new.has, paths)):
            continue
        for path in paths:
            if lost := new.left_out(path):
                name = spelled(forked.after.where(path))
                return Why("left out", f"{name} is in the request, and the format leaves it out ({lost.why})", now=path)
        if reply is not None:
            name = spelled(forked.after.where(paths[0]))
            return Why("gone", f"the model wrote {name}, which is not in the request", now=paths[0])
    return None


def _reworded(forked: Forked, new: Side, fields: Sequence[Field], reply: Reply | None) -> Why | None:
    """Return which of some fields of an answer is not what the model wrote; None if all are."""
    said = {"content": reply.content, **dict.fromkeys(REASONING_NAMES, reply.reasoning)} if reply else {}
    for field in fields:
        name, text = str(field.path[2]), new.text_of(field.path[:3])
        if said.get(name) == text:
            continue
        reason = f"{spelled(forked.after.where(field.path))} is not in the words of the model"
        if (said.get(name) or "").strip() == text.strip():
            reason += ": white space was added or removed"
        return Why("other words", reason, now=field.path)
    return None
