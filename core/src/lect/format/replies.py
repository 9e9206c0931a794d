"""How a template reads replies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lect.format.prompt import Prompt
from lect.format.training import Training

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import TypedDict, Unpack

    from lect.reply.events import UnknownTools
    from lect.reply.grammar import Grammar
    from lect.reply.reply import Reply
    from lect.reply.stream import ReplyStream

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


class Replies(Training):
    """The part of a template that reads replies."""

    __slots__ = ()

    if TYPE_CHECKING:
        reply: Grammar | None

    def stream(
        self,
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
        prompt: Prompt | str | Sequence[int] | None = None,
        starts_in_reasoning: bool | None = None,
        extract: Iterable[str] = ("reasoning", "tools"),
        stop: Iterable[str] = (),
        call_id: Callable[[int], str] | None = None,
        grammar: Grammar | None = None,
        refine: Callable[[Reply], Reply] | None = None,
        tokenizer: Any = None,
        unknown_tools: UnknownTools = "keep",
    ) -> ReplyStream:
        """Parse a reply that is still arriving: feed it chunks and get events, close it and get the reply.

        Args:
            tools: The tools that the model may call. They decide the types of arguments in formats that carry only
                text.
            prompt: The prompt that the reply answers, also as text or as ids. Its end tells what the reply begins
                inside of: reasoning, or a call, which is then continued.
            starts_in_reasoning: Whether the reply begins inside reasoning; by default, the end of the prompt decides.
            extract: What to take out of the content: `reasoning`, `tools`. The rest stays in it as it was written.
            stop: Further strings at which the reply ends, besides the stops of the template.
            call_id: A function that makes the id of a call without one from its number in the reply; by default, an id
                that no other reply has, or in formats that number calls, such as Kimi's, the model's own.
            grammar: How the reply is written, if not as the template states.
            refine: A function that makes the final reply from the one that the grammar gives.
            tokenizer: The tokenizer, for `feed_ids`, and for a prompt that is given as ids.
            unknown_tools: What becomes of a call of a tool that is not among `tools`, besides a problem: `keep` it,
                make it `text` as it was written, or `drop` it.

        Raises:
            MessageError: If an argument has a wrong type.
            PluginError: If the grammar of the template is invalid.
        """
        from lect.reply.plain import PLAIN
        from lect.reply.stream import ReplyStream, stop_strings
        from lect.tokens.decoder import prompt_and_decoder

        edges = self.edges()
        before, tail = edges.spaces
        given = prompt.text if isinstance(prompt, Prompt) else prompt
        text, decoder = prompt_and_decoder(edges.prompt if given is None else given, tokenizer)
        return ReplyStream(
            grammar or self.reply or PLAIN,
            tools=tools,
            prompt=text,
            starts_in_reasoning=starts_in_reasoning,
            extract=extract,
            stop=(*self.stop, *stop_strings(stop)),
            edges=(_lead(before, text) if isinstance(text, str) else "", tail),
            markers=self.markers,
            call_id=call_id,
            refine=refine,
            decoder=decoder,
            unknown_tools=unknown_tools,
        )

    def parse(self, output: str, *, finish: str | None = None, **options: Unpack[StreamOptions]) -> Reply:
        """Parse the complete output of a model into reasoning, content and tool calls.

        Any output can be parsed, and no character of it is lost. `output` has its special tokens; `finish` is the
        server's finish reason, such as `length`; the other arguments are those of `stream`.
        """
        stream = self.stream(**options)
        stream.feed(output)
        return stream.close(finish)


def _lead(before: str, prompt: str) -> str:
    """Return the white space with which every answer to a prompt begins: what history has and the prompt does not."""
    for end in range(len(before), len(before.rstrip()) - 1, -1):
        if prompt.endswith(before[:end]):
            return before[end:]
    return ""
