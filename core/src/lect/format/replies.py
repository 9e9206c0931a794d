"""How a template reads replies, and how it writes them as the model does: for training, or to go on from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from marshal import dumps
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from lect.boundaries import boundary
from lect.facts import Facts
from lect.format.prompt import Prompt
from lect.prompt.chat import refuse_misspelt
from lect.values import EQUAL_BYTES

if TYPE_CHECKING:
    from lect.format.sequences import Unroll
    from lect.reply.events import UnknownTools
    from lect.reply.grammar import Grammar
    from lect.reply.reply import Reply
    from lect.reply.stream import ReplyStream
    from lect.tokens.edges import Edges

    class ReplyOptions(TypedDict, total=False):
        """The arguments of `Template.stream` that every way to parse a reply has."""

        tools: Sequence[Mapping[str, Any]] | None
        prompt: Prompt | str | Sequence[int] | None
        starts_in_reasoning: bool | None
        extract: Iterable[str]
        stop: Iterable[str]
        call_id: Callable[[int], str] | None
        tokenizer: Any
        unknown_tools: UnknownTools

    class StreamOptions(ReplyOptions, total=False):
        """All of them."""

        grammar: Grammar | None
        refine: Callable[[Reply], Reply] | None


MOST_EDGES = 16
"""How many sets of options a template keeps its edges for."""


@boundary
class Replies(Facts):
    """The part of a template that is about replies."""

    __slots__ = ()

    if TYPE_CHECKING:
        reply: Grammar | None
        _edges: dict[bytes, Edges]

        def render(self, messages: Sequence[Mapping[str, Any]], **arguments: Any) -> Prompt: ...

    def stream(
        self,
        *,
        grammar: Grammar | None = None,
        refine: Callable[[Reply], Reply] | None = None,
        **options: Unpack[ReplyOptions],
    ) -> ReplyStream:
        """Parse a reply that is still arriving: feed it chunks and get events, close it and get the reply.

        Args:
            grammar: How the reply is written, if not as the template states.
            refine: A function that makes the final reply from the one that the grammar gives.
            tools: The tools that the model may call; they decide the types of arguments where a format has only text.
            prompt: The prompt that the reply answers, also as text or as ids. Its end tells what the reply begins
                inside of: reasoning, or a call, which is then continued.
            starts_in_reasoning: Whether the reply begins inside reasoning; by default, the end of the prompt decides.
            extract: What to take out of the content, by default both `reasoning` and `tools`; the rest stays in it.
            stop: Further strings at which the reply ends, besides the stops of the template.
            call_id: A function that makes the id of a call without one from its number in the reply; by default, an id
                that no other reply has, or in formats that number calls, such as Kimi's, the model's own.
            tokenizer: The tokenizer, for `feed_ids`, and for a prompt that is given as ids.
            unknown_tools: What becomes of a call of a tool that is not among `tools`, besides a problem: `keep` it, as
                by default, make it `text` as it was written, or `drop` it.

        Raises:
            MessageError: If an argument has a wrong type.
            PluginError: If the grammar of the template is invalid.
        """
        from lect.reply.plain import PLAIN
        from lect.reply.stream import ReplyStream
        from lect.tokens.decoder import prompt_and_decoder

        given: dict[str, Any] = {**options}
        edges, prompt = self.edges(), given.pop("prompt", None)
        header, tail = edges.spaces
        text, decoder = prompt_and_decoder(edges.prompt if prompt is None else prompt, given.pop("tokenizer", None))
        return ReplyStream(
            grammar or self.reply or PLAIN,
            prompt=text,
            ends=tuple(self.stop),
            edges=(_lead(header, text) if isinstance(text, str) else "", tail),
            markers=tuple(self.markers),
            tokens=self.control_tokens,
            refine=refine,
            decoder=decoder,
            **given,
        )

    def parse(self, output: str, *, finish: str | None = None, **options: Unpack[StreamOptions]) -> Reply:
        """Parse the complete output of a model into reasoning, content and tool calls.

        Any output can be parsed, and no character of it is lost. `output` has its special tokens; `finish` is the
        server's finish reason, such as `length`; the other arguments are those of `stream`.
        """
        stream = self.stream(**options)
        stream.feed(output)
        return stream.close(finish)

    def reply_text(
        self, messages: Sequence[Mapping[str, Any]], *, tools: Sequence[Mapping[str, Any]] | None = None, **options: Any
    ) -> Prompt:
        """Return the last message, an assistant's, as the model itself writes it after the prompt that a server sends.

        It is the inverse of `parse`: reasoning, content, calls and one stop. Its segments have paths into `messages`.

        Args:
            messages: OpenAI-shaped messages, an assistant's at the end.
            tools: OpenAI tool schemas.
            options: The other arguments of `render`.

        Raises:
            MessageError: If the last message is not an assistant's, or the model cannot write it as `parse` reads it.
        """
        return self._reply_text(self.edges(options), partial(self.render, tools=tools, **options), messages)

    def _reply_text(self, edges: Edges, render: Callable[..., Prompt], messages: Sequence[Mapping[str, Any]]) -> Prompt:
        from lect.format.sequences import reply_text

        return reply_text(edges, render, messages)

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
        from lect.format.sequences import unrolled

        strict = options.pop("strict", False)
        render = partial(self.render, tools=tools, **options)
        return unrolled(self.edges(options), render, messages, unroll, strict=strict)

    def edges(self, options: Mapping[str, Any] | None = None) -> Edges:
        """Return what the template writes around an answer with those options that it reads; refuse misspelt ones."""
        read = {name: value for name, value in options.items() if name in self.options} if options else {}
        if options and len(read) < len(options):
            refuse_misspelt(options, self, ())
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

        If not, history shows an answer without its reasoning or its stop, and `unroll` gives several prompts.
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
                options. By default, `sanitize_control_tokens` lets control tokens come from the template alone.

        Raises:
            MessageError: If the conversation is none of these.
            TokenizerError: If ids are wanted and there is no tokenizer.
        """
        from lect.format.apply import apply_chat_template

        return apply_chat_template(self.render, conversation, **arguments)


def _lead(header: str, prompt: str) -> str:
    """Return the white space with which every answer to a prompt begins: what history has and the prompt does not."""
    ends = range(len(header), len(header.rstrip()) - 1, -1)
    return next((header[end:] for end in ends if prompt.endswith(header[:end])), "")
