"""Makers' templates with `{% generation %}` marks, and what transformers makes of the marks.

The reference is the algorithm of transformers 5.22 (`AssistantTracker` and `_render_with_assistant_indices`) with
Jinja2 itself; `tests/integrations/test_masks_transformers.py` compares it with transformers.
"""

import json
import re
from functools import cache

import jinja2
from differential import in_parts, reference, respelled, shared_module
from jinja2.ext import Extension, loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment
from shared import SHARED

import lect_jinja

MARK = re.compile(r"{%[-+]?\s*generation\b")


class Tracker(Extension):
    """The tag `generation`: a call that notes how much was written before it, and how much its body writes."""

    tags = {"generation"}
    written, found = (), []

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("track"), [], [], body).set_lineno(line)

    def track(self, caller):
        text = caller()
        start = len("".join(Tracker.written))
        Tracker.found.append((start, start + len(text)))
        return text


@cache
def environment():
    made = ImmutableSandboxedEnvironment(extensions=[Tracker, loopcontrols], trim_blocks=True, lstrip_blocks=True)
    made.filters |= reference().ENVIRONMENT.filters
    made.globals |= reference().ENVIRONMENT.globals
    return made


@cache
def sources():
    """Return the text and the special tokens of every template with marks, by its slug; none without `../shared`."""
    found = {}
    for folder in ("oracles", "oracles/more"):
        index = SHARED / folder / "index.json"
        for row in json.loads(index.read_text("utf-8")) if index.exists() else ():
            path = SHARED / folder / "jinja" / f"{row['slug']}.jinja"
            source = path.read_text("utf-8") if path.exists() else ""
            tokens = {name: text for name, text in (row["special_tokens"] or {}).items() if isinstance(text, str)}
            if MARK.search(source):
                found[row["slug"]] = source, tokens
    return found


@cache
def ours(slug):
    """Return one of these templates as a user loads it."""
    source, tokens = sources()[slug]
    return lect_jinja.load({"chat_template": source, **tokens}, name=slug)


@cache
def _compiled(slug):
    source, _ = sources()[slug]
    takes = shared_module("put_right").takes_of(source, lambda *asked: reference().render(slug, *asked, True))
    return environment().from_string(source), takes


def theirs(slug, messages, tools=None, add_generation_prompt=False):
    """Return the text of a prompt, and the start and end of what transformers marks in it.

    Raises whatever the template raises.
    """
    template, takes = _compiled(slug)
    source, _ = sources()[slug]
    right = in_parts(slug, shared_module("put_right").put_right(respelled(source, messages), *takes))
    messages = json.loads(json.dumps(right))
    given = {
        "messages": list(reference()._share_reasoning(messages)),
        "tools": tools,
        "documents": None,
        "add_generation_prompt": bool(add_generation_prompt),
    }
    Tracker.written, Tracker.found = [], []
    for text in template.generate(**given, **sources()[slug][1]):
        Tracker.written.append(text)
    return "".join(Tracker.written), [mark for mark in Tracker.found if mark[0] < mark[1]]
