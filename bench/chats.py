"""Plain chats compared with the makers' templates: shapes that never repeat, up to 1,000 messages, and shapes that were
met before."""

from functools import partial
from itertools import product
from random import Random

from makers import (
    Row,
    accepted,
    anew,
    attempt,
    by_new_text,
    by_program,
    by_text,
    cpu_medians,
    faster,
    longer,
    median_line,
    natives,
)
from timing import Line
from traffic import chat

HEADING = (
    "plain chats beside the maker's template, template.text: chats of so many messages whose shapes are new; whose "
    "shapes were met, at the length that gains least; new shapes, beside text without skeletons"
)
NEW = {length: Line(f"new {length:,}", None, 1.2) for length in (33, 65, 129, 257, 513, 1000)}
MET = {
    range(1, 9): Line("met 1-8", None, 6),
    range(9, 34, 6): Line("met 9-33", None, 4),
}
LEARNING = Line("learning", None, 1.1, least=False)
ROUNDS = 5
MESSAGES = 500
"""Of all chats of one length together."""
SAME = 40
"""Chats of one shape, or of two: with a system text and without."""
SHAPES = 60
"""Chats with which learning is measured, no two of the same shape: from 2 messages on, each longer than the last."""


def rows(only=""):
    """Yield a row for each of the makers' templates."""
    for slug, model, template in natives(only):
        yield Row(template.name, model, list(measured(slug, template)))


def medians(rows):
    """Yield the line about all formats and lengths together."""
    yield median_line("chats whose shapes are new, 33 to 1,000 messages", rows, "new", 5)


def measured(slug, template):
    """Yield the lines of one template."""
    for length, line in NEW.items():
        yield from attempt(partial(new, line, slug, template, length), line)
    for lengths, line in MET.items():
        yield from attempt(partial(met, line, slug, template, lengths), line)
    yield from attempt(partial(learning, slug, template), LEARNING)


def new(line, slug, template, length):
    """Return the line about chats whose shapes never repeat."""
    expected = all_different(slug, length, max(1, MESSAGES // length))
    return [faster(line, *cpu_medians(slug, template, expected, by_new_text, rounds=ROUNDS))]


def all_different(slug, length, count):
    """Return chats of which no two have the same shape: the freest kind of which the maker's template takes all."""
    random = Random(length)
    for in_turn, takes_system in product((False, True), (True, False)):
        requests = [
            chat(random, length + number, has_system=takes_system and random.random() < 0.5, in_turn=in_turn)
            for number in range(count)
        ]
        expected = accepted(slug, requests)
        if len(expected) == count:
            return expected
    msg = f"the maker's template refuses {count - len(expected)} of {count} chats"
    raise AssertionError(msg)


def met(line, slug, template, lengths):
    """Return the line about chats whose shapes were met before, at the length that gains least."""
    template = anew(template)
    lines = []
    for length in lengths:
        random = Random(length)
        requests = [chat(random, length, has_system=length > 1 and number % 2, in_turn=True) for number in range(SAME)]
        # The bytes of all are compared first, and so each shape is met.
        found = faster(line, *cpu_medians(slug, template, accepted(slug, requests), by_text, rounds=ROUNDS))
        lines.append(found._replace(note=f"{length} messages: {found.note}"))
    return [min(lines, key=lambda line: line.ratio)]


def learning(slug, template):
    """Return the line about what learning costs where shapes never repeat."""
    expected = all_different(slug, 2, SHAPES)
    text, unlearnt, _ = cpu_medians(slug, template, expected, by_new_text, by_program, rounds=ROUNDS)
    return [longer(LEARNING, text, unlearnt)]
