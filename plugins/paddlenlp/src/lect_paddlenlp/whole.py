"""One Jinja template for a whole conversation, which PaddleNLP accepts too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

import lect_jinja
from lect import MessageError
from lect.plugin import boundary
from lect_paddlenlp.conversations import Round, read_rounds
from lect_paddlenlp.fields import KEEP_LINE_END
from lect_paddlenlp.training import Span, ids, need_answer, refuse_tensors, spans_of

if TYPE_CHECKING:
    from lect import Prompt

ROLES = ("user", "assistant")


class WholeTemplate:
    """A template for a whole conversation.

    Args:
        text: The template.
        tokens: The special tokens by name, such as `bos_token`.
    """

    @boundary
    def __init__(self, text: str, tokens: Mapping[str, str] | None = None):
        self.template = lect_jinja.load({"chat_template": text + KEEP_LINE_END, **(tokens or {})}, name="paddlenlp")

    @boundary
    def apply(
        self, query: Any, context_data: Mapping[str, Any] | None = None, *, add_generation_prompt: bool = True
    ) -> str:
        """Return the prompt for a conversation: a question, rounds, or OpenAI-shaped messages.

        Raises:
            MessageError: If it is not a conversation, or the template refuses it.
        """
        messages = _messages(*read_rounds(query))
        return self.template.text(messages, add_generation_prompt=add_generation_prompt, **(context_data or {}))

    @boundary
    def encode_chat_inputs(
        self,
        conversations: Any,
        tokenizer: Any = None,
        context_data: Mapping[str, Any] | None = None,
        *,
        add_generation_prompt: bool = True,
        return_tensors: Any = None,
    ) -> dict[str, Any]:
        """Return a training example as PaddleNLP has it: `{"conversations": [[user, bot], ...]}`.

        The model is to learn what an answer adds to the prompt for its question.

        Args:
            conversations: Rounds of a question and an answer, or messages.
            tokenizer: Its `encode(text, add_special_tokens=False)` encodes the texts; without it they stay texts.
            context_data: Further values for the template.
            add_generation_prompt: Whether the prompt for a question includes the opening of the answer; otherwise the
                model learns that too.
            return_tensors: Must be None. Pass a tokenizer to get ids.

        Raises:
            MessageError: If a round has no answer, or the template writes a round differently on its own.
        """
        refuse_tensors(return_tensors)
        system, rounds = read_rounds(conversations)
        for index, each in enumerate(rounds):
            need_answer(each, index)
        context = context_data or {}
        whole = self.template.render(_messages(system, rounds), on_control="allow", **context)
        ends = _ends(whole)
        parts: list[list[Any]] = []
        done = 0
        for index, each in enumerate(rounds):
            after, answer = self._alone(each, context, ask=add_generation_prompt)
            end = ends.get(2 * index + (system is not None))
            if end is None or not whole.text.startswith(after + answer, end):
                _refuse(f"the template writes round {index} differently where it is alone")
            begin = end + len(after)
            parts.append([ids(whole.text[done:begin], tokenizer), ids(answer, tokenizer)])
            done = begin + len(answer)
        if done != len(whole.text):
            _refuse(f"after the last answer the template writes {whole.text[done:]!r}")
        return {"conversations": parts}

    @boundary
    def spans(self, conversations: Any, context_data: Mapping[str, Any] | None = None) -> list[Span]:
        """Return a training example as texts in order, each with whether it carries loss."""
        return spans_of(self.encode_chat_inputs(conversations, context_data=context_data))

    def _alone(self, each: Round, context: Mapping[str, Any], *, ask: bool) -> tuple[str, str]:
        """Return what follows the question in the prompt for a single round, and what the answer adds to the prompt."""
        prompt = self.template.render(
            _messages(None, [each[:1]]), add_generation_prompt=ask, on_control="allow", **context
        )
        both = self.template.text(_messages(None, [each]), **context)
        return prompt.text[_ends(prompt).get(0, 0) :], both[len(prompt.text) :]


def _messages(system: str | None, rounds: Iterable[Round]) -> list[dict[str, Any]]:
    messages = [] if system is None else [{"role": "system", "content": system}]
    for index, each in enumerate(rounds):
        if len(each) > len(ROLES) or not all(isinstance(text, str) for text in each):
            msg = f"round {index} is {list(each)!r}; expected a question and an answer, or a last question"
            raise MessageError(msg)
        messages += [{"role": role, "content": text} for role, text in zip(ROLES, each, strict=False)]
    return messages


def _refuse(what: str) -> NoReturn:
    raise MessageError(f"{what}, so it is unknown what is to be learnt\n  try: prompts of your own, by apply")


def _ends(prompt: Prompt) -> dict[int, int]:
    """Return where the content of each message ends in a prompt."""
    ends: dict[int, int] = {}
    at = 0
    for segment in prompt.segments:
        at += len(segment.text)
        match segment.path:
            case ("messages", int(index), "content"):
                ends[index] = at
    return ends
