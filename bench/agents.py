"""Varied agents' sessions compared with the makers' templates: every prefix of a growing session is a request."""

from functools import partial

from makers import Row, accepted, attempt, by_segments, by_text, cpu_medians, faster, median_line, natives
from timing import Line
from traffic import agents_requests

HEADING = (
    "varied agents' sessions with four tools, every prefix a request, beside the maker's template: template.text; and "
    "segments, which Jinja2 does not give at all"
)
ROUNDS = 3
TEXT = Line("text", None, 2)
SEGMENTS = Line("segments", None, 1)


def rows(only=""):
    """Yield a row for each of the makers' templates that takes tools."""
    sent = agents_requests()
    for slug, model, template in natives(only):
        expected = accepted(slug, sent)
        if takes_tools(slug, expected):
            note = f"{len(sent) - len(expected)} of {len(sent)} refused"
            lines = attempt(partial(measured, slug, template, expected), TEXT, SEGMENTS)
            yield Row(template.name, model, lines, note)


def medians(rows):
    """Yield the lines about all formats together."""
    yield median_line("agents' sessions, text", rows, TEXT.what, 3.5)
    yield median_line("agents' sessions, segments", rows, SEGMENTS.what, 1.5)


def takes_tools(slug, expected):
    """Return whether the maker's template writes tools or calls; DeepSeek's write only calls."""
    some = expected[::10]
    bare = [
        request._replace(
            messages=[{key: message[key] for key in message if key != "tool_calls"} for message in request.messages],
            tools=None,
        )
        for request, _ in some
    ]
    return [text for _, text in accepted(slug, bare)] != [text for _, text in some]


def measured(slug, template, expected):
    """Return the lines of one template."""
    text, segments, theirs = cpu_medians(slug, template, expected, by_text, by_segments, rounds=ROUNDS)
    return [faster(TEXT, text, theirs), faster(SEGMENTS, segments, theirs)]
