"""Write a turn table as a Modelfile.

The template is not laid out for reading, because Go writes every character between two actions.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lect.plugin import Template, Turn, TurnTemplate
from lect_convert import Written, expressible, table_of
from lect_ollama.proof import has_go

if TYPE_CHECKING:
    from collections.abc import Iterator

SAYS = frozenset(
    {"default_system", "opening", "without_system", "user_after_system", "generation", "tool", "other", "bare"}
)
QUOTES = '"""'
_ROLE = "{role}"
_PROVEN = "Rendered by Go's text/template over a set of conversations: equal to the template of lect."
_UNPROVEN = "Not proven: Go was not available to render it, so compare some prompts yourself."


def write(template: Template) -> Written:
    """Write a template as a Modelfile, except for its FROM.

    Raises:
        ConversionError: If it is not a turn table.
    """
    table, lost = expressible(table_of(template, "ollama"), SAYS)
    lines = [
        f"# {_PROVEN if has_go() else _UNPROVEN}",
        "# Write a FROM line here, such as FROM ./model.gguf",
        f"TEMPLATE {QUOTES}{''.join(_pieces(table))}{QUOTES}",
    ]
    if table.default_system:
        lines.append(f"SYSTEM {QUOTES}{table.default_system}{QUOTES}")
        if QUOTES in table.default_system:
            lost.append(f"a default system text with {QUOTES} in it")
    lines += [f"PARAMETER stop {_quoted(stop)}" for stop in table.stop]
    return Written("\n".join(lines) + "\n", lost, bos=False, rest=table)


def _pieces(table: TurnTemplate) -> Iterator[str]:
    """Yield the template piece by piece; `$role` is the role of the message before."""
    yield _literal(table.opening)
    if table.without_system and "system" in table.turns:
        yield f'{{{{ if ne (index .Messages 0).Role "system" }}}}{_literal(table.without_system)}{{{{ end }}}}'
    else:
        yield _literal(table.without_system)
    yield '{{ $role := "" }}{{ range .Messages }}'
    word = "if"
    for role, turn in table.turns.items():
        first = 'and (eq .Role "system") (eq $role "")' if role == "system" and table.system_first else ""
        yield f"{{{{ {word} {first or f'eq .Role {_quoted(role)}'} }}}}"
        yield from _turn(table, turn, role)
        word = "else if"
    if table.other is not None:
        yield "{{ else }}"
        yield from _around(table.other)
    yield "{{ end }}{{ $role = .Role }}{{ end }}"
    yield f'{{{{ if ne $role "assistant" }}}}{_literal(table.generation)}{{{{ end }}}}'


def _turn(table: TurnTemplate, turn: Turn, role: str) -> Iterator[str]:
    if role == "user" and table.user_after_system is not None:
        yield '{{ if eq $role "system" }}'
        yield from _around(table.user_after_system)
        yield "{{ else }}"
        yield from _around(turn)
        yield "{{ end }}"
    else:
        yield from _around(turn)


def _around(turn: Turn) -> Iterator[str]:
    full = f"{_literal(turn.prefix)}{{{{ .Content }}}}{_literal(turn.suffix)}"
    if turn.bare is None or turn.bare == turn.prefix + turn.suffix:
        yield full
    else:
        yield f"{{{{ if .Content }}}}{full}{{{{ else }}}}{_literal(turn.bare)}{{{{ end }}}}"


def _literal(text: str) -> str:
    """Return a text as it is written in a template; what Go or a Modelfile would interpret is quoted."""
    return "".join(
        "{{ .Role }}" if piece == _ROLE else f"{{{{ {_quoted(piece)} }}}}" if piece[:2] in ("{{", '""') else piece
        for piece in re.split(r'(\{role\}|\{\{|""+)', text)
    )


def _quoted(text: str) -> str:
    """Return a text in double quotes, as Go and Modelfiles read it."""
    escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return '"' + "".join(escapes.get(character, character) for character in text) + '"'
