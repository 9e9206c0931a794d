"""The makers' templates, compiled once by Jinja2 and run as transformers runs them, and requests sent to both sides."""

import datetime
import importlib
import json
import os
import sys
from functools import cache, partial
from pathlib import Path
from statistics import median
from typing import NamedTuple

from timing import Line, assert_equal, cpu_seconds, micro

import lect

SHARED = Path(os.environ.get("LECT_SHARED") or Path(__file__).parents[2] / "shared")
ORACLES = SHARED / "oracles"
"""The makers' templates. They are not ours to redistribute: without this folder, only the rest is measured."""
RESOLUTION = Path(__file__).parents[1] / "tests/data/resolution.json"
"""The oracle of each model, also where its maker has published a later template."""
ABSENT = "the makers' templates are not available (../shared/oracles)"

LONGEST = 4
"""Seconds, after which no other round begins: Gemma 4's own template takes as long for 1,000 messages."""


class Row(NamedTuple):
    """The measurements of one template, and a remark."""

    template: str
    model: str
    lines: tuple[Line, ...]
    note: str = ""


@cache
def shared(name):
    """Return a module that comes with the makers' templates."""
    sys.path += [str(folder) for folder in (ORACLES, ORACLES.parent / "tools") if str(folder) not in sys.path]
    return importlib.import_module(name)


@cache
def reference():
    """Return the module that compiles the makers' templates."""
    module = shared("reference")
    # The module stops the clock; here it runs, as in transformers.
    module.ENVIRONMENT.globals["strftime_now"] = lambda form: datetime.datetime.now().strftime(form)
    return module


def makers(slug, messages, **arguments):
    """Return a call that renders `messages` with the maker's template."""
    tokens = {name: value for name, value in (entry(slug)["special_tokens"] or {}).items() if isinstance(value, str)}
    context = {"tools": None, "documents": None, "add_generation_prompt": False, **tokens, **arguments}
    return partial(reference().compiled(slug).render, messages=messages, **context)


def entry(slug):
    """Return what is known of one of the makers' templates."""
    return reference().INDEX.get(slug) or reference().MORE[slug]


def natives(only=""):
    """Yield `(slug, model, template)` of each of the makers' templates that an installed family implements, and whose
    model's path contains `only`."""
    if not ORACLES.is_dir():
        return
    native = json.loads((ORACLES / "native.json").read_text("utf-8"))
    latest = json.loads(RESOLUTION.read_text("utf-8"))["models"]
    for slug in (slug for slugs in native.values() for slug in slugs):
        for model in models(slug):
            try:
                resolution = lect.resolve(model, fallback=False)
            except lect.UnknownModelError:
                continue
            # The maker's chat format is not for base models.
            if resolution.kind == "chat":
                if only.lower() in model.lower():
                    yield latest.get(model, slug), model, resolution.template
                break


def models(slug):
    """Return the models of an oracle: the one it came from, then those that must resolve to it."""
    resolution = json.loads((ORACLES / "resolution.json").read_text("utf-8"))
    return [reference().INDEX[slug]["id"], *(model for model, wanted in resolution.items() if wanted == slug)]


@cache
def takes(slug):
    """Return what the maker's template takes as it is."""
    folder = "" if slug in reference().INDEX else "more/"
    source = (ORACLES / folder / f"jinja/{slug}.jinja").read_text("utf-8")
    return shared("put_right").takes_of(source, lambda messages, tools: reference().render(slug, messages, tools, True))


def by_maker(slug):
    """Return the way of the maker's template, for messages that were normalized before it is called."""
    normalize = shared("put_right").put_right
    return lambda requests: [
        makers(slug, normalize(messages, *takes(slug)), add_generation_prompt=add_generation_prompt, tools=tools)
        for messages, add_generation_prompt, tools in requests
    ]


def by_text(template):
    """Return the way of `text`."""
    return partial(calls, template.text)


def by_segments(template):
    """Return the way of `render(...).segments`."""
    return partial(calls, lambda messages, **more: template.render(messages, **more).segments)


def calls(function, requests):
    """Return the calls of a function for all requests."""
    return [
        partial(function, messages, add_generation_prompt=add_generation_prompt, tools=tools)
        for messages, add_generation_prompt, tools in requests
    ]


def accepted(slug, requests):
    """Return the requests that the maker's template does not refuse, each with its prompt."""
    expected = []
    for request, call in zip(requests, by_maker(slug)(requests), strict=True):
        try:
            expected.append((request, call()))
        # A template may refuse a conversation, or crash on it.
        except Exception:
            continue
    return expected


def joined(view):
    """Return the text of segments; text is returned as it is."""
    return view if isinstance(view, str) else "".join(segment.text for segment in view)


def cpu_medians(slug, template, expected, *ways, rounds):
    """Return the CPU time of a request in each of our ways, and by the maker's template: the median of some rounds.

    Args:
        slug: The maker's template.
        template: Ours.
        expected: The requests with their prompts.
        ways: Functions of our template that return a way.
        rounds: How many; fewer, where they take long.

    Raises:
        AssertionError: If a way does not give the prompts that are expected.
    """
    requests = [request for request, _ in expected]
    for way in ways:
        for call, (_, text) in zip(way(template)(requests), expected, strict=True):
            assert_equal(joined(call()), text)
    found = []
    while len(found) < rounds and sum(map(sum, found)) < LONGEST:
        found.append(cpu_seconds(requests, *(way(template) for way in ways), by_maker(slug)))
    return [median(times) / len(requests) for times in zip(*found, strict=True)]


def attempt(measure, *lines):
    """Return the lines that `measure` gives; or `lines`, which say that the two sides do not agree, so that there is
    nothing to measure."""
    try:
        return measure()
    except (AssertionError, lect.LectError) as error:
        note = str(error).partition("\n")[0]
        return [line._replace(note=note, failed=True) for line in lines]


def faster(line, ours, theirs):
    """Return the line with how many times faster ours is than theirs."""
    return line._replace(ratio=theirs / ours, note=f"{micro(ours)}, beside {micro(theirs)}")


def median_line(what, rows, name, bound):
    """Return the line about the median of all formats in the columns whose names begin with `name`."""
    ratios = [line.ratio or 0 for row in rows for line in row.lines if line.what.startswith(name)]
    note = f"from {min(ratios):.2f} to {max(ratios):.2f}"
    return Line(f"{what}: the median of {len(rows)} formats", median(ratios), bound, note=note)
