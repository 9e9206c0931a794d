"""Sessions as pages: what each line is, where it comes from, and its last prompt and reply as pictures."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from lect.addon import spell
from lect_view import html

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lect_serve.lines import Line

STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem;color-scheme:light dark}"
    "table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.3rem .8rem .3rem 0;vertical-align:top;"
    "border-bottom:1px solid #8884}code{font-size:.9em}"
)
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def overview(lines: Iterable[Line]) -> str:
    """Return a page that lists lines, the one that was used last first."""
    rows = "".join(map(_row, reversed([*lines])))
    head = "<tr><th>session<th>line<th>turns<th>tokens<th>sampled<th>ends<th>why it begins"
    return _page("Sessions", f"<table>{head}{rows}</table>" if rows else "<p>There are no sessions yet.</p>")


def _row(line: Line) -> str:
    place = f"/inspect/{line.key}/{line.number}"
    why = "" if line.why is None else escape(str(line.why))
    cells = (
        f"<code>{line.key}</code>",
        f'<a href="{place}">prompt</a> · <a href="{place}/reply">reply</a>',
        str(line.turns),
        f"{len(line.ids):,}",
        f"{sum(line.sampled):,}",
        escape(str(line.finish)),
        why if line.why is None or not line.why.now else f"{why}<br><code>{escape(spell(line.why.now))}</code>",
    )
    return f"<tr>{''.join(f'<td>{cell}' for cell in cells)}"


def picture(line: Line, part: str) -> str:
    """Return the page of a line's last prompt or reply."""
    return html(line.reply if part == "reply" else line.rendered.prompt)


def _page(title: str, body: str) -> str:
    return (
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>{title}</title>\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n<style>{STYLE}</style>\n'
        f"<h1>{title}</h1>\n{body}\n</html>\n"
    )
