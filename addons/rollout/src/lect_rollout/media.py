"""Images, videos and sounds in a rollout: as many tokens as the model gets, or the messages are refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from lect.addon import objects, spell
from lect.errors import MessageError, RefusedError, saferepr
from lect.plugin import SPELLINGS, install_command

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lect import Prompt
    from lect_media import Item, Place

    Media = Literal["parts"] | Callable[[list[Item]], Sequence[int | str]]


class Shown(NamedTuple):
    """A prompt in which what a model is shown stands as the model gets it."""

    prompt: Prompt
    places: Sequence[Place]
    """Where that is in its text; the paths are those of the whole conversation."""
    items: Sequence[Item]


def read_messages(messages: Any, first: int) -> list[Mapping[str, Any]]:
    """Return messages to add, the first of which has this index.

    Raises:
        MessageError: If these are no messages.
        RefusedError: If one has a part of an unknown type, or is an assistant's after the beginning.
    """
    plain = objects.plain_messages(messages)
    if not isinstance(plain, list | tuple) or not all(isinstance(message, Mapping) for message in plain):
        raise MessageError(f"messages is {saferepr(messages)}; expected a list of messages")
    for index, message in enumerate(plain, first):
        kinds = [part.get("type") for part in _parts(message) if isinstance(part, Mapping)]
        other = next((kind for kind in kinds if kind != "text" and str(kind) not in SPELLINGS), None)
        if other is not None:
            known = ", ".join(dict.fromkeys(SPELLINGS.values()))
            raise RefusedError(f"messages[{index}] has a part of the type {saferepr(other)}\n  try: text, {known}")
        if first and message.get("role") == "assistant":
            raise RefusedError(f"messages[{index}] is an assistant's, and that is sampled here\n  try: feed(ids)")
    return list(plain)


def shown(
    prompt: Prompt, messages: Sequence[Mapping[str, Any]], indices: Sequence[int], begin: int, first: int,
    media: Media, earlier: Sequence[Item],
) -> Shown:  # fmt: skip
    """Return a prompt with what is shown from some position on as the model gets it.

    Args:
        prompt: A prompt of some messages of a conversation.
        messages: These messages.
        indices: Their indices in the conversation.
        begin: The position. What is shown before it is left as it is, so that the position stays the same.
        first: The index in the conversation of the first message that is new.
        media: Where the sizes come from, as in `Rollout`.
        earlier: What was shown before: how many tokens something is may depend on that.

    Raises:
        RefusedError: If something that is new has no place in the prompt, or it is not known what it is there.
        SourceError: If it does not tell its size.
    """
    new = ((at, message) for at, message in zip(indices, messages, strict=True) if at >= first)
    wanted = {path for at, message in new for path in _media(message, at)}
    if not wanted:
        return Shown(prompt, (), ())
    try:
        from lect_media import Item, expand, item_of
    except ImportError as error:
        msg = f"{spell(min(wanted))} is no text, and lect-media says how many tokens it is, which is not installed"
        raise RefusedError(f"{msg}\n  try: {install_command('lect-media')}") from error
    places = [place for place in prompt.media if place.start >= begin]
    paths = [("messages", indices[int(place.path[1])], *place.path[2:]) for place in places]
    if missing := wanted.difference(paths):
        _refuse(prompt, min(missing))
    texts: list[int | str]
    if callable(media):
        items = [Item(place.kind, (), path=path) for place, path in zip(places, paths, strict=True)]
        texts = [*media([*earlier, *items])][len(earlier) :]
    else:
        items = [item_of(place, messages)._replace(path=path) for place, path in zip(places, paths, strict=True)]
        where = f"template {prompt.template.label!r}"
        made_of_all = expand(prompt.template.media, [*earlier, *items], where=where)
        texts = [each.text for each in made_of_all[len(earlier) :]]
    left = len(prompt.media) - len(places)
    made = prompt.expand(lambda _: [*[1] * left, *texts])
    return Shown(made, [place._replace(path=path) for place, path in zip(made.media[left:], paths, strict=True)], items)


def _refuse(prompt: Prompt, path: tuple[str | int, ...]) -> None:
    template = prompt.template
    if any(each.path[:4] == path for each in prompt.unused) or not template.media:
        msg = f"template {template.label!r} writes nothing for {spell(path)}"
        raise RefusedError(f"{msg}\n  try: another message for it, such as a user's; or a model that sees")
    msg = f"it is not known how many tokens {spell(path)} is for {template.label!r}"
    raise RefusedError(f"{msg}\n  try: template.but(media=...), with what another format states")


def _media(message: Mapping[str, Any], index: int) -> Iterator[tuple[str | int, ...]]:
    """Yield the path of each part of a message that is no text."""
    for at, part in enumerate(_parts(message)):
        if isinstance(part, Mapping) and str(part.get("type")) in SPELLINGS:
            yield "messages", index, "content", at


def _parts(message: Mapping[str, Any]) -> Sequence[Any]:
    content = message.get("content")
    return content if isinstance(content, list | tuple) else ()
