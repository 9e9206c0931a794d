"""XTuner's training assembly: which texts are in a training example, and which of them carry loss."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from lect import RefusedError, Unused, UnusedInputError
from lect.plugin import boundary
from lect_xtuner.chat import DEFAULT_BOT_NAME, fields_of, filled, table_of
from lect_xtuner.fields import Fields


class Span(NamedTuple):
    """A piece of a training example, which XTuner encodes separately.

    Attributes:
        kind: `bos`, `input`, `output`, `eos` or `sep`.
        text: Its text; empty for `bos` and `eos`, which are tokens of the tokenizer.
        loss: Whether the model is to learn it.
    """

    kind: str
    text: str
    loss: bool


class Spans(list[Span]):
    """A training example.

    Attributes:
        unused: Input that is not in it.
    """

    unused: tuple[Unused, ...] = ()


class _Turn(NamedTuple):
    system: str
    input: str
    output: str
    loss: bool


@boundary
def training(
    what: str | Mapping[str, Any],
    messages: Sequence[Mapping[str, Any]],
    *,
    bos: bool = True,
    bot_name: str = DEFAULT_BOT_NAME,
    strict: bool = False,
) -> Spans:
    """Return the training example that XTuner builds from a conversation.

    An answer carries loss unless its message says `"loss": False`.

    Args:
        what: The name of one of XTuner's templates, or the fields of one.
        messages: OpenAI-shaped messages.
        bos: Whether there is a BOS; XTuner writes none with Qwen's tokenizers.
        bot_name: What to write for `{bot_name}`.
        strict: Raise if any input would not be in it, such as a last question without an answer.

    Raises:
        MessageError: If the messages have a wrong type or shape, or a role that XTuner has no place for.
    """
    fields = fields_of(what)
    # Checks the messages, and reports everything but texts that is lost.
    rest = [each for each in table_of(fields).render(messages, on_control="allow").unused if _is_no_text(each)]
    unused: list[Unused] = []
    spans = Spans(_spans(fields, _turns(messages, unused), bos=bos, bot_name=bot_name))
    spans.unused = (*unused, *rest)
    if strict and spans.unused:
        paths = ", ".join(f"{each.path[0]}[{each.path[1]}]" for each in spans.unused)
        raise UnusedInputError(f"XTuner leaves out {paths}\n  try: leave it out, or strict=False", unused=spans.unused)
    return spans


def _is_no_text(unused: Unused) -> bool:
    return unused.path[2:] != ("content",)


def _turns(messages: Sequence[Mapping[str, Any]], unused: list[Unused]) -> Iterator[_Turn]:
    """Yield each turn, a question and its answer; what belongs to no turn is added to `unused`.

    The last of several system texts counts, consecutive questions are joined, and every answer ends a turn.
    """
    from lect.plugin import normalize

    system: list[tuple[int, str]] = []
    questions: list[tuple[int, str]] = []
    right, _ = normalize(messages)
    begun = False
    for index, message in enumerate(right):
        role, text = message["role"], message.get("content", "")
        if role == "system":
            unused += _dropped(system)
            system = [(index, text)]
        elif role == "user":
            questions.append((index, text))
        elif role != "assistant":
            msg = f"XTuner has no place for the role {role!r} of messages[{index}]\n  try: system, user or assistant"
            raise RefusedError(msg)
        elif not begun:
            unused += _dropped([(index, text)])
            continue
        else:
            loss = str(message.get("loss", True)).lower() == "true"
            yield _Turn("".join(text for _, text in system), "".join(text for _, text in questions), text, loss)
            system, questions = [], []
        begun = True
    unused += _dropped([*system, *questions])


def _dropped(texts: list[tuple[int, str]]) -> list[Unused]:
    return [Unused(("messages", index, "content"), "dropped") for index, text in texts if text]


def _spans(fields: Fields, turns: Iterator[_Turn], *, bos: bool, bot_name: str) -> Iterator[Span]:
    needs_bos = True
    for number, turn in enumerate(turns, 1):
        values = {"round": str(number), "bot_name": bot_name}
        if bos and needs_bos:
            yield Span("bos", "", False)
        yield Span(
            "input", _system(fields, turn.system, values) + _around(fields.instruction, turn.input, values), False
        )
        if output := turn.output + fields.suffix:
            yield Span("output", output, turn.loss)
        needs_bos = not fields.suffix_as_eos
        if needs_bos:
            yield Span("eos", "", turn.loss)
        if fields.sep:
            yield Span("sep", fields.sep, False)


def _system(fields: Fields, text: str, values: Mapping[str, str]) -> str:
    if not text:
        return ""
    if fields.system is None:
        raise RefusedError(f"{fields.name} has no SYSTEM, so there is no place for a system text\n  try: leave it out")
    return _around(fields.system, text, values)


def _around(turn: Sequence[str | None], text: str, values: Mapping[str, str]) -> str:
    prefix, suffix = (filled(each or "", **values) for each in turn[:2])
    return prefix + text + suffix
