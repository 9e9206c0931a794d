"""Varied agents' sessions compared with the makers' templates: every prefix of a growing session is a request."""

import json
from functools import partial
from statistics import median

from rendering import Row, first_line, joined, makers, natives, put_right
from timing import Line, assert_equal, cpu_seconds, micro
from traffic import agents_requests

import lect

HEADING = (
    "varied agents' sessions with four tools, every prefix a request, beside the maker's template: template.text, and "
    "the segments, which Jinja2 does not give at all"
)
BOUNDS = {"text": 2, "segments": 1}
MEDIANS = {"text": 3.5, "segments": 1.5}
ROUNDS = 3
GREETING = [{"role": "user", "content": "Hello!"}]


def rows(only=""):
    """Yield a row for each of the makers' templates that takes tools."""
    sent = agents_requests()
    for slug, model, template in natives(only):
        expected = accepted(slug, sent)
        if takes_tools(slug, expected):
            note = f"{len(sent) - len(expected)} of {len(sent)} refused"
            yield Row(template.name, model, tuple(measured(slug, template, expected)), note)


def medians(rows):
    """Yield the lines about all formats together."""
    for what, bound in MEDIANS.items():
        ratios = [line.ratio or 0 for row in rows for line in row.lines if line.what == what]
        if ratios:
            note = f"the lowest {min(ratios):.2f}, the highest {max(ratios):.2f}"
            yield Line(
                f"agents' sessions, {what}: the median of {len(ratios)} formats", median(ratios), bound, note=note
            )


def accepted(slug, requests):
    """Return the requests that the maker's template does not refuse, each with its prompt."""
    expected = []
    for request in requests:
        try:
            expected.append((request, theirs(slug, *request)()))
        # A template may refuse a conversation, or crash on it.
        except Exception:
            continue
    return expected


def takes_tools(slug, expected):
    """Return whether the maker's template writes tools."""
    return any(theirs(slug, messages, None, asking)() != text for (messages, _, asking), text in expected[:10])


def measured(slug, template, expected):
    """Return the lines of one template."""
    try:
        for ours in our_calls(template, [request for request, _ in expected]):
            for call, (_, text) in zip(ours, expected, strict=True):
                assert_equal(joined(call()), text)
    except (AssertionError, lect.LectError) as error:
        return [Line(what, None, bound, note=first_line(error), failed=True) for what, bound in BOUNDS.items()]
    rounds = []
    for _ in range(ROUNDS):
        # Made anew, as a server's requests are.
        requests = json.loads(json.dumps([request for request, _ in expected]))
        rounds.append(cpu_seconds(*our_calls(template, requests), [theirs(slug, *request) for request in requests]))
    *ours, makers_own = (median(times) / len(expected) for times in zip(*rounds, strict=True))
    return [
        Line(what, makers_own / time, bound, note=f"{micro(time)}, beside {micro(makers_own)}")
        for time, (what, bound) in zip(ours, BOUNDS.items(), strict=True)
    ]


def our_calls(template, requests):
    """Return the calls of `text` and of `segments`, each of a template to which all shapes are new."""
    by_text, by_segments = template.but(), template.but()
    # Before its first prompt, a template is proven once.
    by_text.render(GREETING)
    by_segments.render(GREETING)
    ways = (by_text.text, lambda messages, **more: by_segments.render(messages, **more).segments)
    return [
        [partial(way, messages, tools=tools, add_generation_prompt=asking) for messages, tools, asking in requests]
        for way in ways
    ]


def theirs(slug, messages, tools, asking):
    """Return the maker's call; messages are put right beforehand."""
    return makers(slug, put_right(slug, messages), tools=tools, add_generation_prompt=asking)
