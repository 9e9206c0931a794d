"""Views of a prompt and growth, compared with the makers' templates."""

from functools import partial

from makers import ABSENT, ORACLES, Row, attempt, joined, makers, natives, reference
from timing import Line, assert_equal, beside, growth
from traffic import IN_CHINESE

import lect

HEADING = "template.text of each family: growth with turns and length, with the bytes of its maker's template"

QWEN = "Qwen--Qwen2.5-3B-Instruct"
SYSTEM = {"role": "system", "content": "You are a careful assistant who answers in one or two short sentences."}
SENTENCE = "This is what is said here, and it has some length. "


def turns(count, *, sentences=1):
    """Return messages of the user and the assistant in turn."""
    return [
        {"role": ("user", "assistant")[turn % 2], "content": f"Turn {turn}. {SENTENCE * sentences}".strip()}
        for turn in range(count)
    ]


def lines():
    """Yield the lines about the views of a prompt, with Qwen2.5, a system text and six turns."""
    bounds = {
        "template.text": 5,
        "template.text in Chinese": 5,
        "template.render": 2.5,
        "template.render(...).segments": 1.2,
    }
    if not ORACLES.is_dir():
        yield from (Line(f"{view}, Qwen2.5, beside Jinja2", None, bound, note=ABSENT) for view, bound in bounds.items())
        return
    messages = [SYSTEM, *turns(6)]
    template = lect.get_template(reference().INDEX[QWEN]["id"])
    chinese = [{**message, "content": IN_CHINESE} for message in messages]
    theirs = makers(QWEN, messages)
    views = {
        "template.text": (partial(template.text, messages), theirs, str),
        "template.text in Chinese": (partial(template.text, chinese), makers(QWEN, chinese), str),
        "template.render": (partial(template.render, messages), theirs, str),
        "template.render(...).segments": (lambda: template.render(messages).segments, theirs, joined),
    }
    for view, (ours, makers_own, text) in views.items():
        yield beside(f"{view}, Qwen2.5, beside Jinja2", ours, makers_own, bounds[view], text=text)


def rows(only=""):
    """Yield a row for each of the makers' templates."""
    for slug, model, template in natives(only):
        yield Row(template.name, model, tuple(measured(slug, template)))


def medians(rows):
    """Yield no lines: no bound is about all formats together."""
    return ()


def measured(slug, template):
    """Yield the lines of one template: growth with turns and length."""
    sizes = {
        "turns": (turns(100), turns(1000)),
        "length": (turns(6, sentences=200), turns(6, sentences=2000)),
    }
    for what, (small, large) in sizes.items():
        line = Line(what, None, 1.5, least=False)
        yield from attempt(partial(grown, line, slug, template, small, large), line)


def grown(line, slug, template, small, large):
    """Return the line about how a prompt grows, which must equal the maker's in both sizes."""
    for messages in (small, large):
        assert_equal(template.text(messages), makers(slug, messages)())
    return [growth(line.what, template.text, small, large, 10, line.bound)]
