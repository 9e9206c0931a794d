"""What a template offers for training: conversations as sequences, and the interface of transformers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lect.errors import LectError
from lect.facts import Facts
from lect.objects import plain_messages

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

        If a format drops a part of an earlier answer, such as its reasoning, a single prompt for all answers would show
        the model a different history than a server does. So there are as many prompts as needed, and each trains only
        the answers that it shows as they were given.

        Args:
            messages: OpenAI-shaped messages.
            unroll: `never` gives one prompt for all answers, `always` one for each, `auto` as few as are correct.
            tools: OpenAI tool schemas.
            options: The other arguments of `render`.

        Raises:
            MaskError: If `unroll` is none of these.
        """
        from lect.tokens.unroll import check_unroll, unrolled

        check_unroll(unroll)
        messages = plain_messages(messages)
        whole = self.render(messages, tools=tools, **options)
        answers = [index for index, message in enumerate(messages) if message.get("role") == "assistant"]
        if unroll == "never" or not answers:
            return [whole]
        return unrolled(lambda end: self.render(messages[:end], tools=tools, **options), answers, unroll)

    @property
    def prefix_stable(self) -> bool:
        """Whether a further turn only adds to the prompt, reasoning included.

        If not, an earlier answer looks different in history than when it was given; then `unroll` gives several
        prompts.
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
        """Return a conversation as text or token ids, like the method of this name in transformers and PaddleNLP.

        Args:
            conversation: OpenAI-shaped messages, or a list of such lists. As in PaddleNLP, it may also be one question,
                or rounds: `[["question", "answer"], ["question"]]`. A question is followed by the generation prompt.
            arguments: As in transformers: `tokenizer`, `tools`, `add_generation_prompt`, `continue_final_message`,
                `tokenize`, `padding`, `truncation`, `max_length`, `return_tensors` (`"np"` or `"pt"`), `return_dict`,
                `return_assistant_tokens_mask`, and the maker's own options. `sanitize_control_tokens` lets control
                tokens come from the template alone, and is on by default.

        Raises:
            MessageError: If the conversation is none of these.
            TokenizerError: If ids are wanted and there is no tokenizer.
        """
        from lect.format.apply import apply_chat_template

        return apply_chat_template(self.render, conversation, **arguments)
