"""Templates compared with the makers', compiled once by Jinja2 and run as transformers runs them."""

import datetime
import importlib
import json
import sys
from functools import cache, partial
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from timing import Line, assert_equal, beside, growth, micro
from traffic import IN_CHINESE, TOOL, TOOLS

import lect

ORACLES = Path(__file__).parents[2] / "shared/oracles"
"""The makers' templates. They are not ours to redistribute: without this folder, only the rest is measured."""
ABSENT = "the makers' templates are not available (../shared/oracles)"
HEADING = (
    "each family beside its maker's template: template.text, a system text and six turns; with a tool; growth with "
    "turns and length; text and segments of an agent's conversation, with four tools, two calls, their results and an "
    "answer"
)

QWEN = "Qwen--Qwen2.5-3B-Instruct"
SYSTEM = {"role": "system", "content": "You are a careful assistant who answers in one or two short sentences."}
SENTENCE = "This is what is said here, and it has some length. "


def agent(content, number=0):
    """Return the conversation of an agent, with `content` next to the calls."""
    messages = [SYSTEM, {"role": "user", "content": f"What is the weather in Paris on day {number}, and will it rain?"}]
    steps = (
        ("call00001", "get_weather", {"place": "Paris", "days": 1}, '{"temperature": 21}'),
        ("call00002", "search", {"query": "rain in Paris"}, "No rain is expected."),
    )
    for call_id, name, arguments, result in steps:
        call = {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
        messages += [
            {"role": "assistant", "content": content, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": call_id, "name": name, "content": result},
        ]
    return [*messages, {"role": "assistant", "content": "It is 21 degrees, and it will not rain."}]


class Row(NamedTuple):
    """The measurements of one template, and what is to say about them."""

    template: str
    model: str
    lines: tuple[Line, ...]
    note: str = ""


def turns(count, *, sentences=1):
    """Return messages of the user and the assistant in turn."""
    return [
        {"role": ("user", "assistant")[turn % 2], "content": f"Turn {turn}. {SENTENCE * sentences}".strip()}
        for turn in range(count)
    ]


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
    tokens = {
        name: value
        for name, value in (reference().INDEX[slug]["special_tokens"] or {}).items()
        if isinstance(value, str)
    }
    context = {"tools": None, "documents": None, "add_generation_prompt": False, **tokens, **arguments}
    return partial(reference().compiled(slug).render, messages=messages, **context)


def lines():
    """Yield the lines about the views of a prompt, with Qwen2.5, a system text and six turns."""
    bounds = {
        "template.text": 12,
        "template.text in Chinese": 12,
        "template.render": 6,
        "template.render(...).segments": 3,
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
    yield from learning(template)


def learning(template):
    """Yield the lines about shapes: the cost of shapes that never repeat, and of learning one."""
    roles = ("user", "assistant")
    count = 10_000
    never_again = [
        [{"role": roles[number >> bit & 1], "content": SENTENCE} for bit in range(14)] for number in range(count)
    ]

    def render_all(way):
        begun = perf_counter()
        for messages in never_again:
            way(messages)
        return perf_counter() - begun

    by_program = template.but(looks_for=None)
    fast, slow = [], []
    for _ in range(5):
        fast.append(render_all(template.but().text))
        slow.append(render_all(by_program.text))
    what = f"{count:,} conversations whose shapes never repeat, beside the long way"
    note = f"{micro(min(fast) / count)}, beside {micro(min(slow) / count)}"
    yield Line(what, min(fast) / min(slow), 1.3, least=False, note=note)
    messages = agent("")
    learnt, long_way = [], []
    for _ in range(25):
        fresh = template.but()
        fresh.text(messages, tools=TOOLS)
        learnt.append(_once(partial(fresh.text, messages, tools=TOOLS)))
        long_way.append(_once(partial(by_program.text, messages, tools=TOOLS)))
    note = f"{micro(min(learnt))}, beside {micro(min(long_way))}"
    what = "the call that learns an agent's conversation, beside the long way"
    yield Line(what, min(learnt) / min(long_way), 20, least=False, note=note)


def _once(call):
    begun = perf_counter()
    call()
    return perf_counter() - begun


def joined(view):
    """Return the text of segments; text is returned as it is."""
    return view if isinstance(view, str) else "".join(segment.text for segment in view)


def rows(only=""):
    """Yield a row for each of the makers' templates."""
    for slug, model, template in natives(only):
        yield Row(template.name, model, tuple(measured(slug, template)))


def medians(rows):
    """Yield no lines: no bound is about all formats together."""
    return ()


def natives(only=""):
    """Yield `(slug, model, template)` of each of the makers' templates that an installed family implements, and whose
    model's path contains `only`."""
    if not ORACLES.is_dir():
        return
    native = json.loads((ORACLES / "native.json").read_text("utf-8"))
    for slug in (slug for slugs in native.values() for slug in slugs):
        for model in models(slug):
            try:
                resolution = lect.resolve(model, fallback=False)
            except lect.UnknownModelError:
                continue
            # The maker's chat format is not for base models.
            if resolution.kind == "chat":
                if only.lower() in model.lower():
                    yield slug, model, resolution.template
                break


def put_right(slug, messages):
    """Return messages as the maker's template wants them: what clients send may be null, or JSON text."""
    return shared("put_right").put_right(messages, *takes(slug))


@cache
def takes(slug):
    """Return what the maker's template takes as it is."""
    return shared("put_right").takes(slug)


def models(slug):
    """Return the models of an oracle: the one it came from, then those that must resolve to it."""
    resolution = json.loads((ORACLES / "resolution.json").read_text("utf-8"))
    return [reference().INDEX[slug]["id"], *(model for model, wanted in resolution.items() if wanted == slug)]


def measured(slug, template):
    """Yield the lines of one template: text, text with tools, growth with turns and length, and agents."""
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
    yield from agents(slug, template)


def agents(slug, template):
    """Yield the lines about an agent's conversation; in some formats a call needs text next to it."""
    bounds = {"agent": 4, "agent's segments": 2}
    for messages in (agent(""), agent("I look it up.")):
        theirs = put_right(slug, messages)
        if accepts(slug, theirs, tools=TOOLS):
            break
    else:
        yield from (Line(what, None, bound, note="the maker's template refuses it") for what, bound in bounds.items())
        return
    makers_call = makers(slug, theirs, tools=TOOLS)
    if makers_call() == makers(slug, theirs)():
        yield from (Line(what, None, bound, note="the maker's template takes none") for what, bound in bounds.items())
        return
    ours = {
        "agent": partial(template.text, messages, tools=TOOLS),
        "agent's segments": lambda: template.render(messages, tools=TOOLS).segments,
    }
    for what, bound in bounds.items():
        yield attempt(
            what, bound, lambda what=what, bound=bound: beside(what, ours[what], makers_call, bound, text=joined)
        )


def grown(what, slug, template, small, large):
    """Return the line about how a prompt grows, which must equal the maker's in both sizes."""
    for messages in (small, large):
        assert_equal(template.text(messages), makers(slug, messages)())
    return growth(what, template.text, small, large, 10, 1.5)


def attempt(what, bound, measure, *, least=True):
    """Return the line that `measure` gives, or one that says that the two sides do not agree, so that there is nothing
    to measure."""
    try:
        return measure()
    except (AssertionError, lect.LectError) as error:
        return Line(what, None, bound, least=least, note=first_line(error), failed=True)


def first_line(error):
    """Return what an error says in short."""
    return str(error).partition("\n")[0]


def accepts(slug, messages, **arguments):
    """Return whether the maker's template renders something; some refuse a system text or tools, some break."""
    try:
        makers(slug, messages, **arguments)()
    except Exception:
        return False
    return True
