"""The frame of every view: one document that needs nothing from outside, or the same inside a notebook."""

from __future__ import annotations

import base64
from hashlib import sha256
from pkgutil import get_data
from typing import NamedTuple

from lect_view.characters import attribute

ORIGINS = {
    "template": "written by the template",
    "input": "from a message, a tool or an option",
    "unknown": "of unknown origin: never trusted",
    "tokenizer": "added by the tokenizer",
    "loss": "carries loss",
    "media": "an image, a video or a sound",
    "forged": "control text from outside",
    "differs": "differs",
    "reasoning": "reasoning",
    "content": "content",
    "call": "a tool call",
    "mark": "a marker",
    "after": "after the stop",
    "problem": "a problem",
}
"""What the colours and lines mean, by their classes."""
TOGGLES = {"spaces": "white space", "ids": "token ids"}


class View(NamedTuple):
    """What a page shows."""

    title: str
    summary: str
    """In one line, as text."""
    body: str
    """As HTML."""
    legend: tuple[str, ...] = ()
    toggles: tuple[str, ...] = ("spaces",)
    script: bool = False
    images: bool = False


def document(view: View) -> str:
    """Return a view as a document."""
    style, script = file_text("view.css"), f"{file_text('step.js')}\nsteps(document);" if view.script else ""
    policy = f"default-src 'none'; style-src '{_hash(style)}'; base-uri 'none'; form-action 'none'"
    if view.images:
        policy += "; img-src data:"
    if script:
        policy += f"; script-src '{_hash(script)}'"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n'
        f"<title>{attribute(view.title)}</title>\n<style>{style}</style>\n</head>\n"
        f'<body class="lect-view">\n{_content(view, "h1", theme=True)}\n'
        f"{f'<script>{script}</script>' if script else ''}</body>\n</html>\n"
    )


def fragment(view: View) -> str:
    """Return a view for inside another page, such as a notebook: without a script, and readable without its style."""
    style = file_text("view.css")
    return f'<div class="lect-view inside"><style>{style}</style>\n{_content(view, "h3", theme=False)}\n</div>'


def inside(view: View) -> str:
    """Return a view for inside a page that has the style and the script already."""
    return _content(view, "h2", theme=False)


def _content(view: View, heading: str, *, theme: bool) -> str:
    keys = "".join(
        f'<li><span class="{name}">{name}</span> <small>{ORIGINS[name]}</small></li>' for name in view.legend
    )
    legend = f'<ul class="legend" aria-label="what the colours and lines mean">{keys}</ul>' if keys else ""
    boxes = "".join(
        f'<label><input type="checkbox" class="show-{name}"> {TOGGLES[name]}</label>' for name in view.toggles
    )
    options = "".join(f'<option value="{name}">{name}</option>' for name in ("auto", "light", "dark"))
    boxes += f'<label>theme <select class="theme">{options}</select></label>' if theme else ""
    # Inside another page it is not the head of the page.
    frame = "header" if theme else "section"
    return (
        f'<{frame} class="head" aria-label="about this view"><div class="title">'
        f"<{heading}>{attribute(view.title)}</{heading}><p>{attribute(view.summary)}</p></div>"
        f'<div class="choices">{boxes}</div>{legend}</{frame}>\n{view.body}'
    )


def file_text(name: str) -> str:
    """Return a file of this package as text."""
    return (get_data("lect_view", name) or b"").decode().strip()


def _hash(content: str) -> str:
    return f"sha256-{base64.b64encode(sha256(content.encode()).digest()).decode()}"
