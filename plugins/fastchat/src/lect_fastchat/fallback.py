"""FastChat as the last to be asked by lect.

It answers only where one of its adapters really matches: never with the example of a birthday party that FastChat
itself gives to every unknown model. And it says that the answer is FastChat's.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from lect.errors import MessageError, PluginError
from lect.plugin import Match, ModelRef, Specificity, Template, hookimpl

if TYPE_CHECKING:
    from lect_fastchat.conversation import Conversation


class Answer(NamedTuple):
    """What FastChat has for a model."""

    adapter: Any
    literal: str
    """What the adapter matched by; empty where only it knows."""
    place: str
    conversation: "Conversation"


class FastChat:
    """The adapter for lect."""

    name = "fastchat"

    def __init__(self) -> None:
        self._made: dict[str, tuple[Conversation, Template]] = {}

    def __repr__(self) -> str:
        return "<FastChat, the last to be asked>"

    @hookimpl
    def match(self, ref: ModelRef) -> Match | None:
        """Claim a model for which one of FastChat's adapters matches."""
        answer = find_answer(ref)
        if answer is None or not self._can_be_written(answer.conversation):
            return None
        from lect_fastchat.official import differences_of_name

        words = " and ".join(map(repr, answer.literal.split()))
        name = answer.conversation.name
        reason = f"FastChat's answer, not the maker's: its {type(answer.adapter).__name__} gives {name!r}"
        if words:
            reason += f" for {words} in the {answer.place}"
        if any(row.template == name for row in differences_of_name(ref.name)):
            reason += "; the maker's format is known to be another"
        return Match(Specificity.FAMILY, answer.literal, name, "chat", reason)

    @hookimpl
    def get_template(self, ref: ModelRef) -> Template:
        """Return FastChat's template for a model.

        Raises:
            PluginError: If none of its adapters matches, but somebody pinned the model to it.
        """
        answer = find_answer(ref)
        if answer is None:
            msg = (
                f"FastChat does not know {ref.original!r} and would give it an example about a birthday party\n"
                "  try: 'fastchat:one_shot'"
            )
            raise PluginError(msg)
        return self._template(answer.conversation)

    @hookimpl
    def list_templates(self) -> Iterator[Template]:
        """Return FastChat's templates, and two whose names people expect of it."""
        from lect_fastchat.conversation import conv_templates
        from lect_fastchat.ours import OURS

        yield from (
            self._template(conversation)
            for conversation in conv_templates.values()
            if self._can_be_written(conversation)
        )
        yield from (template for name, template in OURS.items() if name not in conv_templates)

    @hookimpl
    def remarks(self, model_path: str) -> list[str]:
        """Return where FastChat's prompts for a model differ from its maker's."""
        from lect_fastchat.official import differences

        return [str(difference) for difference in differences(model_path)]

    def _can_be_written(self, conversation: "Conversation") -> bool:
        # One of FastChat's has no style: its model is spoken to through somebody's programming interface only.
        try:
            self._template(conversation)
        except MessageError:
            return False
        return True

    def _template(self, conversation: "Conversation") -> Template:
        if conversation.sep_style is None:
            return conversation.template
        made = self._made.get(conversation.name)
        if made is not None and made[0] == conversation:
            return made[1]
        from lect_fastchat.styled import style_template

        template = style_template(
            conversation, source=f"lm-sys/FastChat, fastchat/conversation.py: {conversation.name}"
        )
        self._made[conversation.name] = (conversation.copy(), template)
        return template


def find_answer(ref: ModelRef) -> Answer | None:
    """Return what FastChat has for a model; None where none of its adapters matches.

    As FastChat does, the name is tried before `owner/name`. Other than FastChat, the directories of a local path are
    not looked at: whoever keeps his models under `/prompts` does not mean MPT.
    """
    from lect_fastchat.model.model_adapter import BaseModelAdapter, PeftModelAdapter, RowAdapter, matching

    for place, path in (("name", ref.name), ("path", ref.path)):
        # A name must be enough: no file is looked at, so nobody is asked who would.
        for adapter in matching(path, but=(BaseModelAdapter, PeftModelAdapter)):
            literal = adapter.pattern.holds(path) or "" if isinstance(adapter, RowAdapter) else ""
            return Answer(adapter, literal, place, adapter.get_default_conv_template(ref.path))
    return None


adapter = FastChat()
