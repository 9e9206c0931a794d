"""`Conversation` compared with FastChat's, its counterpart for those who migrate."""

from functools import partial

import stubs
from timing import Line, beside, growth

import lect

PATH = "lmsys/vicuna-7b-v1.5"
TURNS = (1, 10, 100, 1000)


def lines():
    """Yield the lines about conversations."""
    try:
        fastchat = stubs.fastchat()
    except ImportError as error:
        yield Line("Conversation, beside FastChat", None, 1, note=f"FastChat is not here: {error}")
        return
    ours, theirs = partial(lect.get_conversation_template, PATH), partial(fastchat.get_conversation_template, PATH)
    what = "get_conversation_template, a path met before, beside FastChat"
    yield beside(what, ours, theirs, 1, text=lambda conversation: talk(conversation, 3).get_prompt())
    for turns in TURNS:
        yield beside(
            f"get_prompt, Vicuna, turns: {turns:,}, beside FastChat",
            talk(ours(), turns).get_prompt,
            talk(theirs(), turns).get_prompt,
            1,
        )
    hundred, thousand = talk(ours(), 100), talk(ours(), 1000)
    yield growth(
        "get_prompt, a turn of 1,000 beside one of 100",
        lambda conversation: conversation.get_prompt(),
        hundred,
        thousand,
        10,
        1.5,
    )


def talk(conversation, turns):
    """Add turns to a conversation; if the last is the user's, the assistant is asked to speak."""
    for turn in range(turns):
        conversation.append_message(
            conversation.roles[turn % 2], f"This is what is said in turn {turn}, which has some length."
        )
    if turns % 2:
        conversation.append_message(conversation.roles[1], None)
    return conversation
