"""Read a conversation's separator style into a turn table, where it can be said as one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lect.plugin import ROUND, Turn, TurnTemplate
from lect_fastchat.separators import SeparatorStyle
from lect_fastchat.styled import style_template
from lect_fastchat.styles import ALWAYS, IF_FORMATTED, IF_GIVEN, NEVER
from lect_fastchat.writing import PLACEHOLDER, StyleFields, fill_style

if TYPE_CHECKING:
    from lect_fastchat.styled import Conversation

_S = SeparatorStyle
# What these do to a text, or leave out, no table says.
BEYOND_TABLES = frozenset({_S.LLAMA3, _S.RWKV, _S.YUAN2, _S.CLLM})


def turn_table(conversation: Conversation) -> TurnTemplate | None:
    """Return a turn table that writes what the conversation's style does; None where there is none.

    The two agree on every conversation in which user and assistant take turns, the user first, and say something.
    Otherwise they may not: in FastChat the place of a message decides what stands round it, in a table its role.

    Raises:
        MessageError: If the conversation has no separator style.
    """
    filled = fill_style(conversation)
    fields = (*conversation.roles, conversation.sep, conversation.sep2)
    if conversation.sep_style in BEYOND_TABLES or any(ROUND in (field or "") for field in fields):
        return None
    turns = _turns(conversation, filled)
    examples = [
        (("user", "assistant")[index % 2], text)
        for index, (_, text) in enumerate(conversation.messages[: conversation.offset])
    ]
    if (
        turns is None
        or not all(isinstance(text, str) for _, text in examples)
        or not _has_simple_system(conversation, filled)
    ):
        return None
    template = style_template(conversation)
    return TurnTemplate(
        conversation.name,
        **turns,
        examples=examples,
        bos=template.bos,
        default_system=template.default_system,
        stop=template.stop,
        stop_ids=template.stop_ids,
        markers=template.markers,
        text_separators=template.text_separators,
        source=template.source,
    )


def _has_simple_system(conversation: Conversation, filled: StyleFields) -> bool:
    """Return whether there is nothing round an absent system text.

    A table writes that only where a system text is given.
    """
    if PLACEHOLDER not in conversation.system_template:
        return not conversation.system_template and not filled.after_system
    if filled.head is None:
        return False
    when = filled.style.when
    empty = not conversation.system_message
    nothing = not filled.head + filled.tail
    if when == ALWAYS:
        return not empty or (nothing and not filled.after_system)
    return when in (IF_GIVEN, NEVER) or not empty or nothing


def _system(conversation: Conversation, filled: StyleFields) -> Turn | None:
    style = filled.style
    if style.when == NEVER or PLACEHOLDER not in conversation.system_template:
        return None
    bare = None
    if style.when == IF_GIVEN or (style.when == IF_FORMATTED and not (filled.head or filled.tail)):
        bare = style.without_system
    return Turn(filled.head or "", filled.tail + filled.after_system, bare)


def _turns(conversation: Conversation, filled: StyleFields) -> dict[str, Any] | None:
    """Return what stands round the text of each role."""
    style = filled.style
    user, assistant = conversation.roles[:2]
    sep, sep2 = conversation.sep, conversation.sep2
    before = ["", ""]
    colons = [style.colon, style.colon]
    bares = [style.bare, style.bare]
    ends = [filled.end, filled.odd_end]
    rest: dict[str, Any] = {}
    match conversation.sep_style:
        case _S.LLAMA2:
            # The first question has its tag before it already. A table can only say so where that is what every
            # question has.
            if user != "[INST]" or sep != " ":
                return None
            rest["user_after_system"] = Turn("", " ", user)
        case _S.CHATGLM:
            before[0] = f"[Round {ROUND}]{sep}"
            rest["first_round"] = 1 if conversation.name == "chatglm2" else 0
        case _S.CHATINTERN:
            before[0] = "<s>"
        case _S.GEMMA:
            before = ["<start_of_turn>"] * 2
        case _S.METAMATH:
            colons[1] = bares[1] = f": {sep2}"
    if None in ends:
        return None
    question, answer = (
        Turn(opening + role + colon, end, opening + role + bare)
        for opening, role, colon, end, bare in zip(before, (user, assistant), colons, ends, bares, strict=True)
    )
    return {
        "system": _system(conversation, filled),
        "user": question,
        "assistant": answer,
        "generation": answer.bare,
        **rest,
    }
