"""Plain chats compared with the makers' templates: of one to eight messages, and of up to 1,000."""

from functools import partial
from itertools import product
from random import Random

from makers import Row, accepted, attempt, by_text, cpu_medians, faster, median_line, natives
from timing import Line
from traffic import chat

HEADING = "plain chats of so many messages, in random order, beside the maker's template: template.text"
SHORT = {length: Line(f"short {length}", None, 2.2) for length in range(1, 9)}
LONG = {length: Line(f"long {length:,}", None, 1.2) for length in (33, 65, 129, 257, 513, 1000)}
ROUNDS = 5
MESSAGES = 500
"""Of all chats of one length together."""
MOST_CHATS = 100


def rows(only=""):
    """Yield a row for each of the makers' templates."""
    for slug, model, template in natives(only):
        yield Row(template.name, model, list(measured(slug, template)))


def medians(rows):
    """Yield the lines about all formats together."""
    yield median_line("chats of 1 to 8 messages", rows, "short", 5)
    yield median_line("chats of 33 to 1,000 messages", rows, "long", 5)


def measured(slug, template):
    """Yield the lines of one template."""
    for length, line in (SHORT | LONG).items():
        yield from attempt(partial(of_length, line, slug, template, length), line)


def of_length(line, slug, template, length):
    """Return the line about chats of one length."""
    expected = random_chats(slug, length, min(MOST_CHATS, max(1, MESSAGES // length)))
    return [faster(line, *cpu_medians(slug, template, expected, by_text, rounds=ROUNDS))]


def random_chats(slug, length, count):
    """Return chats of one length: the freest kind of which the maker's template takes all."""
    random = Random(length)
    for in_turn, takes_system in product((False, True), (True, False)):
        requests = [
            chat(random, length, has_system=takes_system and length > 1 and random.random() < 0.5, in_turn=in_turn)
            for _ in range(count)
        ]
        expected = accepted(slug, requests)
        if len(expected) == count:
            return expected
    msg = f"the maker's template refuses {count - len(expected)} of {count} chats"
    raise AssertionError(msg)
