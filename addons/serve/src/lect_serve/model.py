"""The model that is served: how it is spoken to, and what its text is in tokens."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import lect
from lect.addon import encoder_of
from lect.errors import TokenizerError
from lect.plugin import locate
from lect_tokens import check_tokenizer, load_tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lect import Template
    from lect_serve.settings import Settings

ECHO = "echo"
"""The name of the engine that is inside."""
BYTES = 256
SAMPLING_FILE = "generation_config.json"
SAMPLED = ("temperature", "top_p", "top_k", "min_p", "repetition_penalty")


class Model(NamedTuple):
    """A model: its format and its tokenizer."""

    name: str
    """What clients call it."""
    template: Template
    tokenizer: Any
    stop_ids: tuple[int, ...] = ()
    """Where the model stops, as this tokenizer numbers it."""
    stop_texts: tuple[str, ...] = ()
    """Where it stops at a text that is no token of this tokenizer."""
    sampling: Mapping[str, float] = MappingProxyType({})
    """How its maker samples it; engines that are given ids alone do not know."""
    warnings: tuple[str, ...] = ()
    """What is odd about the tokenizer, for the log."""


class ByteTokenizer:
    """A token for each byte and for each control token: for the engine inside, which has no model to agree with."""

    def __init__(self, controls: Iterable[str]):
        self._controls = {text: BYTES + at for at, text in enumerate(controls)}

    def control_tokens(self) -> Mapping[str, int]:
        """Return the ids of the control tokens."""
        return self._controls

    def encode_ordinary(self, text: str) -> tuple[Sequence[int], Sequence[tuple[int, int]]]:
        """Return the bytes of a text, and the character of each."""
        if text.isascii():
            return list(text.encode()), [(at, at + 1) for at in range(len(text))]
        # Half of a surrogate pair is no text of any tokenizer.
        pairs = [(byte, (at, at + 1)) for at, each in enumerate(text) for byte in each.encode(errors="replace")]
        return [byte for byte, _ in pairs], [place for _, place in pairs]

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of bytes."""
        return bytes(ids).decode("utf-8", "replace")


def load(settings: Settings) -> Model:
    """Return the model that is served.

    Raises:
        UnknownModelError: If no adapter knows it.
        TokenizerError: If its tokenizer is not here, or cannot be read.
    """
    template = lect.get_template(settings.model, adapter=settings.adapter, default=settings.default)
    unread = _unread(settings, template)
    tokenizer = _tokenizer(settings, template)
    found = [] if isinstance(tokenizer, ByteTokenizer) else check_tokenizer(template, tokenizer)
    told = tuple(f"tokenizer: {each.what}; {each.advice}".rstrip("; ") for each in found if each.status == "wrong")
    told += tuple(f"the format of {settings.model} does not read the option {name!r}" for name in unread)
    name, controls = settings.name or settings.model, encoder_of(tokenizer).controls
    stop_texts = tuple(text for text in template.stop if text not in controls)
    stop_ids = _stop_ids(template, controls)
    return Model(name, template, tokenizer, stop_ids, stop_texts, _sampling(settings.model), told)


def _unread(settings: Settings, template: Template) -> list[str]:
    """Return the options that the format does not read.

    Raises:
        MessageError: If one is misspelt: no request could be answered.
    """
    asked = template.render([{"role": "user", "content": "x"}], add_generation_prompt=True, **settings.options)
    return [str(path[1]) for path, *_ in asked.unused if path[0] == "options"]


def _sampling(model: str) -> dict[str, float]:
    """Return how the maker of a model samples it, as a file of its directory says."""
    file = os.path.join(locate(model), SAMPLING_FILE)
    if not os.path.isfile(file):
        return {}
    try:
        with open(file, encoding="utf-8") as opened:
            stated = json.load(opened)
    except (OSError, ValueError, RecursionError):
        return {}
    stated = stated if isinstance(stated, dict) else {}
    if stated.get("do_sample") is False:
        return {"temperature": 0.0}
    numbers = {name: stated.get(name) for name in SAMPLED}
    return {name: value for name, value in numbers.items() if isinstance(value, int | float)}


def _stop_ids(template: Template, controls: Mapping[str, int]) -> tuple[int, ...]:
    named = [controls[text] for text in template.stop if text in controls]
    nameless = set(template.stop_ids).difference(template.stop.values())
    known = set(controls.values())
    return tuple(dict.fromkeys([*named, *(each for each in template.stop_ids if each in nameless & known)]))


def _tokenizer(settings: Settings, template: Template) -> Any:
    if settings.tokenizer is not None:
        return load_tokenizer(settings.tokenizer)
    place = locate(settings.model)
    if os.path.isdir(place):
        return load_tokenizer(place)
    if set(settings.engines) == {ECHO}:
        controls = [*template.control_tokens, *template.stop, template.bos, template.eos]
        return ByteTokenizer(dict.fromkeys(filter(None, controls)))
    if os.path.isabs(place) or place.startswith("."):
        raise TokenizerError(f"there is no directory {settings.model!r}, so no tokenizer\n  try: tokenizer='DIR'")
    raise TokenizerError(
        f"the tokenizer of {settings.model!r} is not here, and the engine gets token ids\n"
        f"  try: tokenizer='DIR', where DIR has the model's tokenizer.json\n"
        f"   or: 'hf:{settings.model.removeprefix('hf:')}' as the model, which is read from the Hub, with lect-hub"
    )
