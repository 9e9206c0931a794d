"""FastChat as lect's last resort.

FastChat itself finds its patterns inside other words and gives every unknown model an example about a birthday party.
Here it answers only for the models that it was written for, which models.json lists, and only where differences.json
does not say that the maker's format differs.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from lect.errors import MessageError, PluginError
from lect.plugin import Match, ModelRef, Rule, Specificity, Template, hookimpl
from lect_fastchat.data import read_json

if TYPE_CHECKING:
    from lect_fastchat.conversation import Conversation


class Answer(NamedTuple):
    """What FastChat has for a model."""

    adapter: Any
    conversation: "Conversation"

    def __str__(self) -> str:
        return f"FastChat's {type(self.adapter).__name__} gives {self.conversation.name!r}"


class FastChat:
    """The adapter for lect."""

    name = "fastchat"

    def __init__(self) -> None:
        self._made: dict[str, tuple[Conversation, Template]] = {}

    def __repr__(self) -> str:
        return "<FastChat, the last to be asked>"

    @hookimpl
    def match(self, ref: ModelRef) -> Match | None:
        """Claim a model that FastChat was written for, unless the maker's format is known to differ."""
        from lect_fastchat.official import differences_of_name

        answer = find_answer(ref.name)
        if answer is None:
            return None
        for row in differences_of_name(ref.name):
            if row.wrong and row.template == answer.conversation.name:
                reason = f"{answer}, which is not the maker's format. {row}"
                return Match(Specificity.FAMILY, "", kind="none", reason=reason)
        claim = _claim(answer, ref)
        return claim if claim is not None and self._can_be_written(answer.conversation) else None

    @hookimpl
    def get_template(self, ref: ModelRef) -> Template:
        """Return FastChat's template for a model.

        Raises:
            PluginError: If none of its adapters matches a model that is pinned to FastChat.
        """
        # As FastChat does it, except that the directories of a local path are ignored: models kept under `/prompts`
        # are not MPT.
        answer = find_answer(ref.name) or find_answer(ref.path)
        if answer is None:
            raise PluginError(
                f"FastChat does not know {ref.original!r} and would give it an example about a birthday party\n"
                "  try: 'fastchat:one_shot'"
            )
        return self._template(answer.conversation)

    @hookimpl
    def near_miss(self, ref: ModelRef) -> str | None:
        """Return what FastChat itself would give a model that it was not written for."""
        answer = find_answer(ref.name)
        return f"{answer}, but was not written for names like this" if answer else None

    @hookimpl
    def list_templates(self) -> Iterator[Template]:
        """Yield FastChat's templates, and two whose names people expect it to have."""
        from lect_fastchat.conversation import conv_templates
        from lect_fastchat.ours import OURS

        yield from (
            self._template(conversation)
            for conversation in conv_templates.values()
            if self._can_be_written(conversation)
        )
        yield from (template for name, template in OURS.items() if name not in conv_templates)

    @hookimpl
    def remarks(self, ref: ModelRef) -> list[str]:
        """Return where FastChat's prompts for a model differ from its maker's."""
        from lect_fastchat.official import differences

        # Not the path as given: for a directory FastChat's own rules would read a file.
        return [str(difference) for difference in differences(ref.path)]

    def _can_be_written(self, conversation: "Conversation") -> bool:
        # One of FastChat's conversations has no style: its model is available through an API only.
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


def find_answer(path: str) -> Answer | None:
    """Return what FastChat has for a path, mistakes included; None where none of its adapters matches."""
    from lect_fastchat.model.model_adapter import BaseModelAdapter, PeftModelAdapter, matching

    # A name must be enough: no file is read, so adapters that would read one are not asked.
    for adapter in matching(path, but=(BaseModelAdapter, PeftModelAdapter)):
        return Answer(adapter, adapter.get_default_conv_template(path))
    return None


def _claim(answer: Answer, ref: ModelRef) -> Match | None:
    """Return a claim to a name, if the answering adapter was written for such names."""
    from lect_fastchat.model.model_adapter import RowAdapter

    template = answer.conversation.name
    if type(answer.adapter).match is not RowAdapter.match:
        # A third-party adapter for FastChat that was registered in this process.
        return Match(Specificity.FAMILY, "", template, "chat", f"{answer}: its match() returned True")
    for rule in written_for().get(type(answer.adapter).__name__, ()):
        fit = rule.fit(ref)
        if fit is not None and not fit.another:
            reason = f"{answer}: the name fits {rule.pattern!r}"
            return Match(Specificity.FAMILY, fit.literal, template, rule.kind, reason)
    return None


@lru_cache(maxsize=1)
def written_for() -> dict[str, tuple[Rule, ...]]:
    """Return the names of the models that FastChat was written for, by adapter."""
    return {
        adapter: tuple(Rule(pattern, None, kind) for kind, patterns in kinds.items() for pattern in patterns)
        for adapter, kinds in read_json("models.json").items()
    }


adapter = FastChat()
