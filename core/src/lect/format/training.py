"""What a template offers for training: conversations as sequences, and the interface of transformers."""

from __future__ import annotations

from functools import partial
from marshal import dumps
from typing import TYPE_CHECKING, Any

from lect.facts import Facts
from lect.values import EQUAL_BYTES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lect.format.prompt import Prompt
    from lect.format.sequences import Unroll
    from lect.tokens.edges import Edges

MOST_EDGES = 16
"""How many sets of options a template keeps its edges for."""


class Training(Facts):
    """The part of a template that is for training."""

    __slots__ = ()

    if TYPE_CHECKING:
        _edges: dict[bytes, Edges]

        def render(self, messages: Sequence[Mapping[str, Any]], **arguments: Any) -> Prompt: ...

    def reply_text(
        self, messages: Sequence[Mapping[str, Any]], *, tools: Sequence[Mapping[str, Any]] | None = None, **options: Any
    ) -> Prompt:
        """Return the last message, an assistant's, as the model itself writes it after the prompt that a server sends.

        It is the inverse of `parse`: reasoning, content, calls and the stop. Its segments have paths into `messages`.

        Args:
            messages: OpenAI-shaped messages, an assistant's at the end.
            tools: OpenAI tool schemas.
            options: The other arguments of `render`.

        Raises:
            MessageError: If the last message is not an assistant's, or the model has no way of writing it.
        """
        from lect.format.sequences import reply_text

        return reply_text(self.edges(options), partial(self.render, tools=tools, **options), messages)

    def unroll(
        self,
        messages: Sequence[Mapping[str, Any]],
        unroll: Unroll = "auto",
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
        **options: Any,
    ) -> list[Prompt]:
        """Return a conversation as the prompts to train on.

        Formats show earlier answers otherwise than a model writes them: without reasoning, or after another header. So
        there are as many prompts as needed: in each, a trained answer follows the prompt that a server sends, and is
        what `reply_text` gives. An answer that the format cannot write is left out; `prompt.deviations` says why.

        Args:
            messages: OpenAI-shaped messages.
            unroll: `never` gives one prompt for all answers, `always` one for each, `auto` as few as are correct.
            tools: OpenAI tool schemas.
            options: The other arguments of `render`.

        Raises:
            MaskError: If `unroll` is none of these.
        """
        from lect.format import sequences

        strict = options.pop("strict", False)
        render = partial(self.render, tools=tools, **options)
        return sequences.unrolled(self.edges(options), render, messages, unroll, strict=strict)

    def edges(self, options: Mapping[str, Any] | None = None) -> Edges:
        """Return what the template writes around an answer; with the options that it reads, if some are given."""
        read = {name: value for name, value in options.items() if name in self.options} if options else {}
        key: bytes | None
        try:
            key = dumps(read, EQUAL_BYTES) if read else b""
            if key in self._edges:
                return self._edges[key]
        except ValueError:  # A date, or an object of the caller's, is no key.
            key = None
        from lect.tokens.edges import Edges

        if len(self._edges) >= MOST_EDGES:
            self._edges.clear()
        edges = Edges(self, read)
        return edges if key is None else self._edges.setdefault(key, edges)

    @property
    def prefix_stable(self) -> bool:
        """Whether one sequence is true for a whole conversation: a further turn only adds to what the model wrote.

        If not, history shows an answer otherwise than the model writes it, without its reasoning or its stop; then
        `unroll` gives several prompts.
        """
        edges = self.edges()
        if edges.grows is None:
            from lect.format.sequences import grows

            edges.grows = grows(edges)
        return edges.grows

    def apply_chat_template(self, conversation: Any, **arguments: Any) -> Any:
        """Return a conversation as text or token ids, like the method of this name in transformers and PaddleNLP.

        Args:
            conversation: OpenAI-shaped messages, or a list of such lists. As in PaddleNLP, it may also be one question,
                or rounds: `[["question", "answer"], ["question"]]`. A question is followed by the generation prompt.
            arguments: As in transformers: `tokenizer`, `tools`, `add_generation_prompt`, `continue_final_message`,
                `tokenize`, `padding` (`True` to the longest of a batch, or `"max_length"`), `truncation`, `max_length`,
                `return_tensors` (`"np"` or `"pt"`), `return_dict`, `return_assistant_tokens_mask`, and the maker's own
                options. `sanitize_control_tokens` lets control tokens come from the template alone, and is on by
                default.

        Raises:
            MessageError: If the conversation is none of these.
            TokenizerError: If ids are wanted and there is no tokenizer.
        """
        from lect.format.apply import apply_chat_template

        return apply_chat_template(self.render, conversation, **arguments)
