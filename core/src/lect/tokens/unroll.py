"""One conversation as several sequences, so that every trained turn sees what a server would send before it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from lect.errors import MaskError, saferepr

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Protocol, TypeVar

    from lect.tokens.turns import TurnSpan

    class Prompt(Protocol):
        """What a conversation is unrolled into."""

        text: str
        trains: frozenset[int] | None

        @property
        def turns(self) -> Sequence[TurnSpan]: ...

    P = TypeVar("P", bound=Prompt)


Unroll = Literal["never", "auto", "always"]


def check_unroll(how: object) -> None:
    """Check how to unroll a conversation.

    Raises:
        MaskError: If there is no such way.
    """
    if how not in get_args(Unroll):
        msg = f"unroll is {saferepr(how)}; expected one of {', '.join(map(repr, get_args(Unroll)))}"
        raise MaskError(msg)


def unrolled(render: Callable[[int], P], answers: list[int], how: Unroll) -> list[P]:
    """Return prompts of the beginnings of a conversation, each with the messages that are trained in it.

    Args:
        render: Renders the first n messages.
        answers: The assistant's messages.
        how: `always` gives each answer its own prompt; `auto` only if the previous prompt is not the beginning of this
            one.
    """
    prompts: list[P] = []
    for answer in answers:
        prompt = render(answer + 1)
        trained = {answer}
        if how == "auto" and prompts and prompt.text.startswith(_to_its_stop(prompts[-1])):
            trained |= prompts.pop().trains or set()
        prompt.trains = frozenset(trained)
        prompts.append(prompt)
    return prompts


def _to_its_stop(prompt: Prompt) -> str:
    return prompt.text[: prompt.turns[-1].end] if prompt.turns else prompt.text
