"""XTuner's chat assembly as a turn table: one BOS, the system text in the first turn only, SEP after every turn."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from lect.plugin import ROUND, Source, Turn, TurnTemplate, boundary
from lect_xtuner.fields import Fields, read_fields
from lect_xtuner.named import fields_named

EOS = "{eos}"
DEFAULT_BOT_NAME = "BOT"
# The markers of these are tokens of the models' tokenizers. For all others this is unknown.
_TOKENS = frozenset({
    "baichuan2_chat", "baichuan_chat", "chatglm3", "cohere_chat", "gemma", "internlm2_chat", "llama3_chat", "minicpm3",
    "phi3_chat", "qwen_chat",
})  # fmt: skip
_SPECIAL = re.compile(r"<[^<>\s]+>|\[/?[A-Z]+\]")


@boundary
def chat_template(
    what: str | Mapping[str, Any],
    *,
    name: str = "xtuner",
    bos: str = "",
    eos: str = "",
    bot_name: str = DEFAULT_BOT_NAME,
) -> TurnTemplate:
    """Return how XTuner chats: a template for `render` and `parse`.

    Args:
        what: The name of one of XTuner's templates, or the fields of one.
        name: The name of the result; a template of XTuner's keeps its own.
        bos: The text of the tokenizer's BOS. XTuner inserts its id.
        eos: The text of the tokenizer's EOS, which follows an answer unless the SUFFIX takes its place. XTuner inserts
            its id, and ends generation at it.
        bot_name: What to write for `{bot_name}`.

    Raises:
        UnknownTemplateError: If XTuner has no template of that name.
        SourceError: If the fields are not valid.
    """
    return table_of(fields_of(what, name), bos=bos, eos=eos, bot_name=bot_name)


def fields_of(what: str | Mapping[str, Any], name: str = "xtuner") -> Fields:
    """Return the fields of a template, checked."""
    if isinstance(what, str):
        return read_fields(Source("", None, fields_named(what)), what)
    return read_fields(Source("", None, what), name)


def table_of(
    fields: Fields, *, bos: str = "", eos: str = "", bot_name: str = DEFAULT_BOT_NAME, source: str = ""
) -> TurnTemplate:
    """Return the turn table of checked fields."""
    # There is one system text, and it is in the first round.
    system = fields.system and _named(fields.system, bot_name, round="1")
    instruction = _named(fields.instruction, bot_name)
    stops = dict.fromkeys((*fields.stop_words, *([eos] if eos else ())))
    markers = _markers((*(system or ()), *instruction, fields.suffix), stops)
    return TurnTemplate(
        fields.name,
        system=system,
        user=instruction,
        assistant=Turn("", fields.suffix + ("" if fields.suffix_as_eos else EOS) + fields.sep),
        system_first=True,
        bos=bos,
        eos=eos,
        stop=stops,
        markers=markers,
        control_tokens=markers if fields.name in _TOKENS else (),
        text_separators=fields.name not in _TOKENS,
        source=source,
    )


def _named(turn: Turn, bot_name: str, **more: str) -> Turn:
    return Turn(*(filled(text, bot_name=bot_name, **more) for text in turn[:2]))


def filled(text: str, **values: str) -> str:
    """Return a text with some of its placeholders filled in: `round`, `bot_name`."""
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def _markers(literals: Iterable[str | None], stops: Iterable[str]) -> dict[str, None]:
    """Return everything that looks like a token; for a line without one, the whole line."""
    found = dict.fromkeys(stops)
    for line in "\n".join(literal or "" for literal in literals).replace(ROUND, "\n").splitlines():
        found.update(dict.fromkeys(_SPECIAL.findall(line) or filter(None, [line.strip()])))
    return found
