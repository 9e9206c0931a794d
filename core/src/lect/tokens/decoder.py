"""Sampled token ids as text, as they arrive: without the spaces that tokenizers add and decoders drop."""

import operator
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from lect.errors import MessageError, TokenizerError, saferepr
from lect.tokens.tokenizer import FastEncoder, encoder_of

INCOMPLETE = "\ufffd"
"""What decoders write for bytes that are not a character, or not one yet."""
LONGEST_CHARACTER = 4
"""In UTF-8; a token has at least one byte."""
LONGEST_END = 16_384
"""How many tokens at the end of a prompt are decoded."""
HIDDEN = {code: 0xD800 + code for code in range(0x800)}
"""For each frequent character, half of a surrogate pair, which no decoder writes. Ordinary tokens that spell a control
token are text: with these characters in their place, nothing takes them for one, and offsets stay true."""
SHOWN = {half: code for code, half in HIDDEN.items()}


class Decoder:
    """Decodes sampled tokens after the id `before`; how they are divided into calls of `feed` makes no difference."""

    def __init__(self, tokenizer: Any, before: int | None = None):
        self._encoder = encoder = encoder_of(tokenizer)
        self._tokenizer = getattr(tokenizer, "backend_tokenizer", tokenizer)
        self._arguments = {"skip_special_tokens": False} if isinstance(encoder, FastEncoder) else {}
        # Decoders drop the space with which a text begins, so everything is decoded after a letter.
        self._known = list(encoder.whole("a").ids)
        self._letter = self._decoded(self._known)
        control = next(iter(encoder.controls), "")
        after_control = [each for each in encoder.whole(f"{control}a").ids if each not in self._encoder.control_ids]
        # A tokenizer that puts a space before every text puts it there when it encodes this, too.
        self._adds_space = self._ordinary(after_control).startswith(" ")
        self._drops_space = self._adds_space and before in self._encoder.control_ids
        self._held: list[int] = []
        # What may begin a control token that ordinary tokens spell, and whether they have spelled one.
        self._begun, self._hides, self._is_plain = "", False, encoder.begins.isdisjoint

    def feed(self, ids: Iterable[int]) -> str:
        """Return the text of further tokens; a character of which bytes are missing is held back."""
        texts: list[str] = []
        for control, group in groupby(_numbers(ids), self._encoder.control_ids.get):
            run = list(group)
            if control is None and not self._held and INCOMPLETE not in (text := self._ordinary(run)):
                texts.append(self._written(text))
            else:
                texts += (text for text, *_ in self.pieces(run))
        return "".join(texts)

    def rest(self) -> tuple[str, int, bool]:
        """Return what was held back, like a piece."""
        held, self._held = self._held, []
        return self._written(self._ordinary(held)) if held else "", len(held), False

    def pieces(self, ids: Iterable[int]) -> Iterator[tuple[str, int, bool]]:
        """Yield further tokens in the smallest pieces: text, number of tokens, and whether it is a control token."""
        for each in _numbers(ids):
            if (control := self._encoder.control_ids.get(each)) is None:
                self._held = [*self._held, each]
                yield from self._settled()
            else:
                if self._held:
                    yield self.rest()
                self._drops_space = self._adds_space
                yield control, 1, True

    def hidden(self, text: str, is_control: bool) -> str:
        """Return a piece with the control tokens hidden that it spells; what may begin one is held back."""
        text, self._begun = self._begun + text, ""
        if is_control or self._is_plain(text):
            return text
        for start, end, _ in self._encoder.found(text):
            text, self._hides = text[:start] + text[start:end].translate(HIDDEN) + text[end:], True
        end = next((at for at in range(len(text)) if text[at:] in self._encoder.begins), len(text))
        self._begun = text[end:]
        return text[:end]

    def shown(self, read: Any) -> Any:
        """Return events, or a reply, with what is hidden in their texts."""
        if not self._hides:
            return read
        if isinstance(read, dict):
            return {self.shown(key): self.shown(each) for key, each in read.items()}
        if isinstance(read, list | tuple):
            return getattr(read, "_make", type(read))(map(self.shown, read))
        return read.translate(SHOWN) if type(read) is str else read  # No id that was made up.

    def _settled(self) -> Iterator[tuple[str, int, bool]]:
        """Yield what was held back, as far as no token that follows can change it."""
        held = self._held
        text = self._ordinary(held)
        if not text.endswith(INCOMPLETE):
            self._held = []
            yield self._written(text), len(held), False
        elif len(held) > LONGEST_CHARACTER:
            # Bytes that make no character however they go on.
            first = self._ordinary(held[:1])
            if first + self._ordinary(held[1:]) == text:
                self._held = held[1:]
                yield self._written(first), 1, False

    def _written(self, text: str) -> str:
        if self._drops_space:
            text = text.removeprefix(" ")
        self._drops_space = False
        return text

    def _ordinary(self, ids: list[int]) -> str:
        text = self._decoded([*self._known, *ids])
        return text[len(self._letter) :] if text.startswith(self._letter) else self._decoded(ids)

    def _decoded(self, ids: list[int]) -> str:
        if not callable(getattr(self._tokenizer, "decode", None)):
            raise TokenizerError(
                f"tokenizer is {saferepr(self._tokenizer)}, which has no method decode(ids) to read sampled ids\n"
                "  try: one that returns the text of ordinary tokens"
            )
        text = self._tokenizer.decode(ids, **self._arguments)
        if not isinstance(text, str):
            raise TokenizerError(f"{saferepr(self._tokenizer)}.decode returned {saferepr(text)}; expected text")
        return text


def prompt_and_decoder(prompt: Any, tokenizer: Any) -> tuple[Any, Decoder | None]:
    """Return a prompt as text, of ids only the end, and what decodes the reply to it, if there is a tokenizer."""
    prompt = getattr(prompt, "text", prompt)
    if tokenizer is None:
        if isinstance(prompt, list | tuple):
            msg = f"the prompt is {saferepr(prompt)}; expected text\n  try: tokenizer=..., if these are ids"
            raise MessageError(msg)
        return prompt, None
    if prompt is not None and not isinstance(prompt, str):
        decoder = Decoder(tokenizer)
        prompt = decoder.feed(prompt[-LONGEST_END:]) + decoder.rest()[0]
    controls = encoder_of(tokenizer).controls
    last = next((each for mark, each in controls.items() if prompt.endswith(mark)), None) if prompt else None
    return prompt, Decoder(tokenizer, last)


def _numbers(ids: Any) -> list[int]:
    try:
        return [operator.index(each) for each in ids]
    except TypeError:
        raise MessageError(f"{saferepr(ids)} is given; expected token ids") from None
