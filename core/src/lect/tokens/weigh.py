"""From characters that carry loss to tokens that do."""

from collections.abc import Sequence, Set
from operator import itemgetter

from lect.tokens.spans import LossSpan, merged
from lect.tokens.tokenizer import Tokens
from lect.tokens.turns import TurnSpan

Run = tuple[int, int, float]
"""The first of some tokens that carry loss, the one after the last, and their weight."""
WEIGHT_AND_TURN = itemgetter(2, 3)


def weighed(
    tokens: Tokens, spans: Sequence[LossSpan], starts: Set[int] = frozenset()
) -> tuple[list[Run], tuple[int, ...]]:
    """Return the tokens that carry loss, in order. The weight of each is that of the span in which it begins.

    One that ends in the next span of the same turn has the weight of that; one that begins before trained text, none.
    Also return where a token reaches from untrained into trained text, or from a prompt into one of the `starts`.
    """
    runs: list[Run] = []
    begin, end, turn = -1, -1, -1
    others, crossed = set(starts), []
    for start, stop, weight, message, _ in merged(spans, WEIGHT_AND_TURN):
        first, behind = first_token(tokens, start), first_token(tokens, stop)
        straddler = _straddler(tokens, first, start)
        if straddler is not None and (start != end or start in starts):
            crossed.append(start)
        others.discard(start)
        if (end, turn) != (start, message):
            begin = start
        end, turn = stop, message
        if straddler is not None:
            index, begins_at = straddler
            first = index if begins_at >= begin else index + 1
        if first < behind:
            if runs and first < runs[-1][1]:
                runs.append((runs[-1][0], first, runs.pop()[2]))
            runs.append((first, behind, weight))
    crossed += [start for start in others if _straddler(tokens, first_token(tokens, start), start) is not None]
    return runs, tuple(sorted(crossed))


def fitting_turns(tokens: Tokens, turns: Sequence[TurnSpan], most: int) -> int:
    """Return how many tokens whole turns take, as many of them as fit.

    Where turns have stops, one without a stop is followed by a part of the same turn, or by an answer to it.
    """
    turns = [turn for turn in turns if turn.stop < turn.end] or turns
    fitting = 0
    for end in sorted({end for turn in turns for end in (turn.end, max(turn.end, turn.close))}):
        behind = first_token(tokens, end)
        if behind > most:
            break
        if _straddler(tokens, behind, end) is None:
            fitting = behind
    return fitting


def first_token(tokens: Tokens, position: int) -> int:
    """Return the first token behind a position."""
    index = tokens.first(position)
    # Some tokenizers leave white space out of the offsets: a token of nothing else has zero width, at its end.
    is_empty = 0 < index < len(tokens.ids) and tokens.span(index) == (position, position)
    return index + 1 if is_empty and tokens.span(index - 1)[1] < position else index


def _straddler(tokens: Tokens, first: int, position: int) -> tuple[int, int] | None:
    """Return the token that spans a position, and where it begins, if there is one."""
    if not first:
        return None
    begins_at, before = tokens.span(first - 1)
    if before > position:
        return first - 1, begins_at
    # The same tokenizers leave out the white space that a token begins with.
    is_behind_space = before < position and first < len(tokens.ids) and tokens.span(first)[1] > position
    return (first, before) if is_behind_space else None
