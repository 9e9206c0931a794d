"""What a template does for those who train: conversations as sequences, and the habits of transformers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lect.errors import LectError
from lect.facts import Facts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lect.format.prompt import Prompt
    from lect.tokens.unroll import Unroll


class Training(Facts):
    """The part of a template that is for training."""

    __slots__ = ()

    if TYPE_CHECKING:

        def render(self, messages: Sequence[Mapping[str, Any]], **arguments: Any) -> Prompt: ...

    def unroll(
        self,
        messages: Sequence[Mapping[str, Any]],
        unroll: Unroll = "auto",
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
        **options: Any,
    ) -> list[Prompt]:
        """Return a conversation as the prompts to train on.

        Where a format drops something of an earlier answer, such as its reasoning, one prompt for all answers would
        show a model another history than a server does. So there are as many prompts as are needed, and each knows the
        answers for which it is there.

        Args:
            messages: OpenAI-shaped messages.
            unroll: `never` gives one prompt for all; `always` one for each answer; `auto` as few as are right.
            tools: OpenAI tool schemas.
            options: All else that `render` takes.

        Raises:
            MaskError: If `unroll` is none of these.
        """
        from lect.tokens.unroll import check_unroll, unrolled

        check_unroll(unroll)
        whole = self.render(messages, tools=tools, **options)
        answers = [index for index, message in enumerate(messages) if message.get("role") == "assistant"]
        if unroll == "never" or not answers:
            return [whole]
        return unrolled(lambda end: self.render(messages[:end], tools=tools, **options), answers, unroll)

    @property
    def prefix_stable(self) -> bool:
        """Whether a conversation that goes on only adds to its prompt, reasoning included.

        If not, an earlier answer looks otherwise in history than it did when it was given; then `unroll` parts the
        conversation.
        """
        thought = "reasoning" in self.capabilities
        messages: list[dict[str, str]] = []
        for number in "12":
            answer = {"role": "assistant", "content": f"A{number}"} | ({"reasoning_content": "R"} if thought else {})
            messages += {"role": "user", "content": f"Q{number}"}, answer
        try:
            return len(self.unroll(messages)) == 1
        except LectError:
            return False

    def apply_chat_template(self, conversation: Any, **arguments: Any) -> Any:
        """Do what the method of this name does of a tokenizer of transformers, or of PaddleNLP.

        See `lect.format.apply.apply_chat_template` for the arguments.
        """
        from lect.format.apply import apply_chat_template

        return apply_chat_template(self.render, conversation, **arguments)
