"""`ChatTemplate`: what PaddleNLP does with a chat_template.json."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Self

import lect
from lect import MessageError, SourceError
from lect.plugin import Source, boundary
from lect_paddlenlp.conversations import Round, Unnumbered, read_rounds
from lect_paddlenlp.fields import FILE, Fields, read_fields
from lect_paddlenlp.training import Span, ids, need_answer, refuse_tensors, spans_of
from lect_paddlenlp.whole import WholeTemplate

RESERVED = ("query", "index")
"""The variables that describe the last question; context must not have these names."""


class ChatTemplate:
    """A PaddleNLP chat template: the system text, a round of question and answer, and the last question.

    Args:
        conversation: The templates for a user's and a bot's text in earlier rounds.
        system: The template for what comes first.
        query: The template for the last question; the question alone, if not given.

    Raises:
        SourceError: If one of them is not a template.
    """

    @boundary
    def __init__(self, conversation: Sequence[str] | None = None, system: str | None = None, query: str | None = None):
        given = {"conversation": conversation, "system": system, "query": query}
        self.fields: Fields = read_fields(Source("", None, given))

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Self:
        """Read a chat_template.json, given the file or a model's directory.

        Raises:
            SourceError: If there is none, or it is not a chat template.
        """
        template = lect.load_template(os.path.abspath(os.path.expanduser(os.fspath(path))), notation="paddlenlp")
        return cls._of(template.fields)  # type: ignore[attr-defined]

    @classmethod
    def _of(cls, fields: Fields) -> Self:
        made = cls.__new__(cls)
        made.fields = fields
        return made

    @boundary
    def apply(self, query: Any, context_data: Mapping[str, Any] | None = None, *, return_tensors: Any = None) -> str:
        """Return the prompt for a conversation.

        Args:
            query: A question, rounds such as `[["user", "bot"], ["user"]]`, or OpenAI-shaped messages. As in PaddleNLP,
                an answer in the last round is left out, with a warning.
            context_data: Further values for the templates.
            return_tensors: Must be None. Encode the text to get ids.

        Raises:
            MessageError: If it is not a conversation, or the template has no place for earlier rounds.
        """
        refuse_tensors(return_tensors)
        system, rounds = read_rounds(query)
        context = _context(system, context_data)
        pieces = [self._system(context)]
        context["length"] = len(rounds)
        history = rounds[:-1]
        if history:
            self._need_conversation()
        for index, each in enumerate(history):
            context |= {"is_first": index == 0, "is_last": False}
            pieces += self._round(each, index, context)
        question, *answer = rounds[-1]
        if answer:
            warnings.warn(f"the last round has an answer, which is left out: {answer!r}", stacklevel=2)
        for name in RESERVED:
            if name in context:
                msg = f"context_data has {name!r}, which is reserved for the question\n  try: another name"
                raise MessageError(msg)
        pieces.append(self.fields.query.render({**context, "query": question, "index": len(history)}))
        return "".join(pieces)

    @boundary
    def encode_chat_inputs(
        self,
        conversations: Any,
        tokenizer: Any = None,
        context_data: Mapping[str, Any] | None = None,
        *,
        return_tensors: Any = None,
    ) -> dict[str, Any]:
        """Return a training example as PaddleNLP has it: `{"system": ..., "conversations": [[user, bot], ...]}`.

        The model is to learn the bot's part of every round, and nothing else.

        Args:
            conversations: Rounds of a question and an answer, or messages.
            tokenizer: Its `encode(text, add_special_tokens=False)` encodes the texts; without it they stay texts.
            context_data: Further values for the templates.
            return_tensors: Must be None. Pass a tokenizer to get ids.

        Raises:
            MessageError: If a round has no answer, or the template has no place for rounds.
        """
        refuse_tensors(return_tensors)
        self._need_conversation()
        system_text, rounds = read_rounds(conversations)
        context = _context(system_text, context_data)
        encoded: dict[str, Any] = {}
        system = self._system(context)
        if system:
            encoded["system"] = ids(system, tokenizer)
        encoded["conversations"] = []
        for index, each in enumerate(rounds):
            need_answer(each, index)
            context |= {"is_first": index == 0, "is_last": index == len(rounds) - 1}
            encoded["conversations"].append([ids(part, tokenizer) for part in self._round(each, index, context)])
        return encoded

    def spans(self, conversations: Any, context_data: Mapping[str, Any] | None = None) -> list[Span]:
        """Return a training example as texts in order, each with whether it carries loss."""
        return spans_of(self.encode_chat_inputs(conversations, context_data=context_data))

    def _system(self, context: Mapping[str, Any]) -> str:
        return "" if self.fields.system is None else self.fields.system.render(context)

    def _round(self, each: Round, index: int, context: Mapping[str, Any]) -> list[str]:
        user, bot = self.fields.user, self.fields.bot
        assert user is not None
        assert bot is not None
        number = {} if isinstance(each, Unnumbered) else {"index": index}
        values = {"user": each[0], "bot": each[1], **number, **context}
        return [user.render(values), bot.render(values)]

    def _need_conversation(self) -> None:
        if self.fields.user is None:
            msg = "the template has no place for earlier rounds\n  try: a template with the field 'conversation'"
            raise MessageError(msg)


def _context(system: str | None, given: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return a new mapping for every call: what one call adds to it must not be seen by the next."""
    return {"is_training": False, **({} if system is None else {"system": system}), **(given or {})}


@boundary
def init_chat_template(source: Any, tokens: Mapping[str, str] | None = None) -> ChatTemplate | WholeTemplate:
    """Return a chat template from a file, a model's directory, the fields themselves, or a whole Jinja template.

    Args:
        source: A text is a template if it contains `{` or a newline; else it is a path, which must exist.
        tokens: The special tokens by name, for a whole template.

    Raises:
        SourceError: If it is none of these.
    """
    if isinstance(source, ChatTemplate | WholeTemplate):
        return source
    if isinstance(source, Mapping):
        return ChatTemplate._of(read_fields(Source("", None, source)))
    if isinstance(source, str) and any(character in source for character in "{\n"):
        return WholeTemplate(source, tokens)
    if isinstance(source, str | os.PathLike) and str(source):
        return ChatTemplate.from_file(source)
    raise SourceError(f"{source!r} is not a chat template\n  try: the path of a {FILE}, or its fields")
