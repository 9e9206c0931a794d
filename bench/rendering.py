"""Templates beside those of the makers, compiled once by Jinja2 and run as transformers runs them."""

import datetime
import importlib.util
import json
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

from timing import Line, assert_equal, beside, growth

import lect

ORACLES = Path(__file__).parents[2] / "shared/oracles"
"""The makers' templates. They are not ours to hand on: whoever has no such folder measures the rest."""
ABSENT = "the makers' templates are not here (../shared/oracles)"
HEADING = (
    "each family beside its maker's template: template.text, a system text and six turns; with a tool; growth with "
    "turns and length"
)

QWEN = "Qwen--Qwen2.5-3B-Instruct"
SYSTEM = {"role": "system", "content": "You are a careful assistant who answers in one or two short sentences."}
SENTENCE = "This is what is said here, and it has some length. "
TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Get the weather of a place",
        "parameters": {
            "type": "object",
            "properties": {
                "place": {"type": "string", "description": "The name of the place"},
                "days": {"type": "integer"},
            },
            "required": ["place"],
        },
    },
}


class Row(NamedTuple):
    """What was measured of one template."""

    template: str
    model: str
    lines: tuple[Line, ...]


def turns(count, *, sentences=1):
    """Return messages of the user and the assistant in turn."""
    return [
        {"role": ("user", "assistant")[turn % 2], "content": f"Turn {turn}. {SENTENCE * sentences}".strip()}
        for turn in range(count)
    ]


@cache
def reference():
    """Return the module that compiles the makers' templates."""
    spec = importlib.util.spec_from_file_location("reference", ORACLES / "reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    # There the clock stands still; here it runs, as in transformers.
    module.ENVIRONMENT.globals["strftime_now"] = lambda form: datetime.datetime.now().strftime(form)
    return module


def makers(slug, messages, **arguments):
    """Return a call that renders `messages` by the maker's template."""
    tokens = {
        name: value
        for name, value in (reference().INDEX[slug]["special_tokens"] or {}).items()
        if isinstance(value, str)
    }
    context = {"tools": None, "documents": None, "add_generation_prompt": False, **tokens, **arguments}
    return partial(reference().compiled(slug).render, messages=messages, **context)


def lines():
    """Yield the lines about the three views of a prompt, with Qwen2.5, a system text and six turns."""
    bounds = {"template.text": 12, "template.render": 6, "template.render(...).segments": 3}
    if not ORACLES.is_dir():
        yield from (Line(f"{view}, Qwen2.5, beside Jinja2", None, bound, note=ABSENT) for view, bound in bounds.items())
        return
    messages = [SYSTEM, *turns(6)]
    template = lect.get_template(reference().INDEX[QWEN]["id"])
    theirs = makers(QWEN, messages)
    views = {
        "template.text": (partial(template.text, messages), str),
        "template.render": (partial(template.render, messages), str),
        "template.render(...).segments": (lambda: template.render(messages).segments, joined),
    }
    for view, (ours, text) in views.items():
        yield beside(f"{view}, Qwen2.5, beside Jinja2", ours, theirs, bounds[view], text=text)


def joined(view):
    """Return the text of segments; of a text, itself."""
    return view if isinstance(view, str) else "".join(segment.text for segment in view)


def rows():
    """Yield a row for each of the makers' templates that an installed family speaks."""
    if not ORACLES.is_dir():
        return
    native = json.loads((ORACLES / "native.json").read_text("utf-8"))
    for slug in (slug for slugs in native.values() for slug in slugs):
        for model in models(slug):
            try:
                resolution = lect.resolve(model, fallback=False)
            except lect.UnknownModelError:
                continue
            # A base model is not spoken to in the maker's chat format.
            if resolution.kind == "chat":
                yield Row(resolution.template.name, model, tuple(measured(slug, resolution.template)))
                break


def models(slug):
    """Return the models that speak by an oracle: the one it came from, then those that must resolve to it."""
    resolution = json.loads((ORACLES / "resolution.json").read_text("utf-8"))
    return [reference().INDEX[slug]["id"], *(model for model, wanted in resolution.items() if wanted == slug)]


def measured(slug, template):
    """Yield the lines of one template: text, text with tools, and how both length and turns add up."""
    messages = [SYSTEM, *turns(6)]
    if not accepts(slug, messages):
        messages = messages[1:]
    yield attempt("text", 10, lambda: beside("text", partial(template.text, messages), makers(slug, messages), 10))
    tools = {"tools": [TOOL]}
    if accepts(slug, messages, **tools) and makers(slug, messages, **tools)() != makers(slug, messages)():
        yield attempt(
            "tools",
            5,
            lambda: beside("tools", partial(template.text, messages, **tools), makers(slug, messages, **tools), 5),
        )
    else:
        yield Line("tools", None, 5, note="the maker's template takes none")
    yield attempt("turns", 1.5, lambda: grown("turns", slug, template, turns(100), turns(1000)), least=False)
    yield attempt(
        "length",
        1.5,
        lambda: grown("length", slug, template, turns(6, sentences=200), turns(6, sentences=2000)),
        least=False,
    )


def grown(what, slug, template, small, large):
    """Return the line about how a prompt grows that is the maker's before and after."""
    for messages in (small, large):
        assert_equal(template.text(messages), makers(slug, messages)())
    return growth(what, template.text, small, large, 10, 1.5)


def attempt(what, bound, measure, *, least=True):
    """Return the line that `measure` gives, or one that says that the two sides do not agree, so that there is nothing
    to measure."""
    try:
        return measure()
    except (AssertionError, lect.LectError) as error:
        return Line(what, None, bound, least=least, note=str(error).partition("\n")[0], failed=True)


def accepts(slug, messages, **arguments):
    """Return whether the maker's template renders something; some refuse a system text or tools, some break."""
    try:
        makers(slug, messages, **arguments)()
    except Exception:
        return False
    return True
