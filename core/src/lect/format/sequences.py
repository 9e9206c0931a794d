"""A conversation as sequences to train on: each trained answer follows the prompt that a server sends before it."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Literal, get_args

from lect.errors import LectError, MessageError, expect_one_of
from lect.format.answer import AnswerWriter, Messages, Render
from lect.format.call_ids import respelled
from lect.format.prompt import Prompt
from lect.format.refusals import refuse_unused
from lect.objects import plain_messages
from lect.tokens.edges import Edges
from lect.tokens.probes import QUESTION
from lect.tokens.served import Deviation
from lect.tokens.turns import TurnSpan, cut

Unroll = Literal["never", "auto", "always"]
UNROLL = get_args(Unroll)


def reply_text(edges: Edges, render: Render, messages: Messages) -> Prompt:
    """Return the last message as the model writes it; see `Template.reply_text`."""
    messages = respelled(plain_messages(messages), edges.grammar)
    whole, turn, _ = _sequence(edges, render, messages, None)
    prompt = whole.with_segments(cut(whole.layout, turn.start, turn.end), messages)
    stop, end = turn.stop - turn.start, turn.end - turn.start
    prompt.train([turn._replace(begin=0, header_end=0, start=0, stop=stop, end=end, close=end)])
    return prompt


def unrolled(edges: Edges, render: Render, messages: Messages, how: Unroll, *, strict: bool = False) -> list[Prompt]:
    """Return a conversation as the prompts to train on; see `Template.unroll`."""
    expect_one_of(UNROLL, "unroll", how)
    messages = plain_messages(messages)
    listed = enumerate(messages)
    answers = [index for index, each in listed if isinstance(each, (dict, Mapping)) and each.get("role") == "assistant"]
    if how == "never" or not answers:
        return [render(messages, strict=strict)]
    prompts = _prompts(edges, render, respelled(messages, edges.grammar), answers, how)
    if strict:  # History may leave out what the prompts have, such as a system text that moves.
        refuse_unused(render(messages), shown={segment.path for prompt in prompts for segment in prompt.segments})
    return prompts


def grows(edges: Edges) -> bool:
    """Return whether a further turn only adds to what the model wrote; see `Template.prefix_stable`."""
    is_shown = False
    # A model that cannot reason here, or has no place for a system text, is asked without.
    for thought in (True, False):
        talk = [QUESTION, edges.answer(text=True, thought=thought)] * 2
        for messages in ([{"role": "system", "content": "S"}, *talk], talk):
            with suppress(LectError):
                turns = edges.render(messages).turns
                answers = [turn for turn in turns if messages[turn.message]["role"] == "assistant"]
                is_shown = bool(answers) and all(turn.is_served for turn in answers)
                prompts = unrolled(edges, edges.render, messages, "auto")
                if any(prompt.trains for prompt in prompts):
                    return len(prompts) == 1
    return is_shown  # None is trained, because none is read back.


def _prompts(edges: Edges, render: Render, messages: Messages, answers: Sequence[int], how: Unroll) -> list[Prompt]:
    """Return prompts that end in `answers`, the assistant's messages, each with those that are trained in it.

    `always` gives each answer its own prompt; `auto` only if a server's prompt does not begin with what was trained.
    """
    whole = render(messages[: answers[-1] + 1])
    if how == "auto" and _is_true(whole, messages, answers):
        whole.trains = frozenset(answers)
        whole.deviations = ()
        return [whole]
    sequences: list[tuple[Prompt, list[TurnSpan], list[Deviation]]] = []
    left_out: list[Deviation] = []
    for answer in answers:
        try:
            known = whole if answer == answers[-1] else None
            prompt, turn, notes = _sequence(edges, render, messages[: answer + 1], known)
        except MessageError as error:
            left_out.append(Deviation(answer, str(error), "left_out"))
            continue
        turns = [turn]
        if how == "auto" and sequences:
            before, trained, known_notes = sequences[-1]
            if prompt.text.startswith(before.text[: trained[-1].end], 0, turn.start):
                turns, notes = [*trained, turn], [*known_notes, *notes]
                sequences.pop()
        sequences.append((prompt, turns, notes))
    sequences = sequences or [(whole, [], [])]
    sequences[-1][2].extend(left_out)
    for prompt, turns, notes in sequences:
        prompt.train(turns, notes)
    return [prompt for prompt, _, _ in sequences]


def _is_true(whole: Prompt, messages: Messages, answers: Sequence[int]) -> bool:
    """Return whether all answers in a prompt for the whole conversation are as the model writes them."""
    wanted = set(answers)
    turns = [turn for turn in whole.turns if turn.message in wanted and _is_reply(whole, turn)]
    # OLMo 3 ends the last answer with another stop than those before it; a call may have a stop of its own.
    stops = {(bool(messages[turn.message].get("tool_calls")), whole.text[turn.stop : turn.end]) for turn in turns}
    return len(turns) == len(answers) and len(stops) == len(dict(stops))


def _is_reply(prompt: Prompt, turn: TurnSpan) -> bool:
    return turn.is_served and turn.stop < turn.end and not prompt.fault_in(turn)


def _sequence(
    edges: Edges, render: Render, messages: Messages, whole: Prompt | None
) -> tuple[Prompt, TurnSpan, list[Deviation]]:
    """Return the prompt that a server sends, followed by the last message as the model writes it."""
    writer = AnswerWriter(edges, render, messages, whole)
    if writer.turn is not None and _is_reply(writer.whole, writer.turn):
        return writer.whole, writer.turn, []
    answer = writer.answer()
    index = len(messages) - 1
    start = len(writer.served.text)
    prompt = writer.served.with_segments([*writer.served.segments, *answer.segments], messages)
    end = len(prompt.text)
    turn = TurnSpan(index, writer.header_end, writer.header_end, start, end - answer.stop, end, end, is_served=True)
    if fault := prompt.fault_in(turn):
        writer.refuse(fault)
    return prompt, turn, [Deviation(index, answer.note, "noted" if answer.stop else "no_stop")] if answer.note else []
