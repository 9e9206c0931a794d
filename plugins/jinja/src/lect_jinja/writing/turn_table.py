"""Write a turn table as a chat template for tokenizer_config.json.

Every tag has hyphens and every text is a literal, so that the template writes the same bytes whatever its environment
does with lines. `{% generation %}` tags enclose what the model is to learn: an answer, and the text that ends it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lect import RefusedError
from lect.plugin import ROUND, Template, Turn, TurnTemplate
from lect_convert import Written, table_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

    from jinja2.sandbox import ImmutableSandboxedEnvironment

INDENT = "    "
CONTENT = "message['content']"
ROLE = "message['role']"
EOS = "{eos}"
TOKENS = ("bos_token", "eos_token")
_PLACES = re.compile(r"(\{(?:round|role|eos)\})")


def write(template: Template) -> Written:
    """Write a template as a Jinja chat template.

    It has all of a table, except for where generation stops; that is for generation_config.json.

    Raises:
        ConversionError: If it is neither a Jinja template itself nor a turn table.
    """
    from lect_jinja.identity.template import JinjaTemplate

    if isinstance(template, JinjaTemplate):
        return Written(template.jinja)
    return Written("\n".join(_lines(table_of(template, "jinja"))) + "\n", options=TOKENS)


def _lines(table: TurnTemplate) -> Iterator[str]:
    # Some formats write less for a conversation without messages.
    if table.empty != "all":
        yield "{%- if messages -%}"
    if _is_numbered(table):
        yield f"{{%- set state = namespace(round={table.first_round - 1}) -%}}"
    yield from _said("bos_token" if table.bos else "", *_expressions(table.opening))
    turns = yield from _turns(table)
    yield f"{{%- for message in {turns} -%}}"
    yield from _indented(_branches(table))
    yield "{%- endfor -%}"
    if table.empty == "generation":
        yield "{%- endif -%}"
    yield from _ending(table)
    if table.empty == "nothing":
        yield "{%- endif -%}"


def _turns(table: TurnTemplate) -> Generator[str, None, str]:
    """Yield what precedes the loop, and return what the loop is over: the messages, with all that is added to them."""
    has_system = "system" in table.turns
    default = [("system", table.default_system)] if has_system and table.default_system else []
    without = list(_said(*_expressions(table.without_system)))
    if has_system and not (default or table.examples or without):
        return "messages"
    yield "{%- if messages and messages[0]['role'] == 'system' -%}"
    if has_system:
        turns = f"messages[:1] + {_listed(table.examples)}messages[1:]" if table.examples else "messages"
    else:
        yield from _indented(without)
        turns = f"{_listed(table.examples)}messages[1:]"
    yield f"{INDENT}{{%- set turns = {turns} -%}}"
    yield "{%- else -%}"
    yield from _indented(() if default else without)
    yield f"{INDENT}{{%- set turns = {_listed([*default, *table.examples])}messages -%}}"
    yield "{%- endif -%}"
    return "turns"


def _listed(turns: Sequence[tuple[str, str]]) -> str:
    """Return turns as a list to which messages are added."""
    texts = [f"{{'role': {_quoted(role)}, 'content': {_quoted(text)}}}" for role, text in turns]
    return f"[{', '.join(texts)}] + " if texts else ""


def _branches(table: TurnTemplate) -> Iterator[str]:
    """Yield what is written for each role."""
    word = "if"
    for role, turn in table.turns.items():
        first = " and loop.first" if role == "system" and table.system_first else ""
        yield f"{{%- {word} {ROLE} == '{role}'{first} -%}}"
        if role == "user" and _is_numbered(table):
            yield f"{INDENT}{{%- set state.round = state.round + 1 -%}}"
        yield from _indented(_turn(table, turn, role))
        word = "elif"
    if table.other is not None:
        # A late system text is left out, not written as another role.
        yield f"{{%- elif {ROLE} != 'system' -%}}" if table.system_first else "{%- else -%}"
        yield from _indented(_turn(table, table.other, "other"))
    elif table.refuses:
        yield "{%- else -%}"
        yield f"{INDENT}{{{{- raise_exception('there is no turn for the role ' + {ROLE}) -}}}}"
    yield "{%- endif -%}"


def _turn(table: TurnTemplate, turn: Turn, role: str) -> Iterator[str]:
    if role == "user" and table.user_after_system is not None:
        yield "{%- if loop.previtem is defined and loop.previtem['role'] == 'system' -%}"
        yield from _indented(_around(table, table.user_after_system, role))
        yield "{%- else -%}"
        yield from _indented(_around(table, turn, role))
        yield "{%- endif -%}"
    else:
        yield from _around(table, turn, role)


def _around(table: TurnTemplate, turn: Turn, role: str) -> Iterator[str]:
    content = f"{CONTENT} | trim" if table.trim else CONTENT
    if turn.bare is None or turn.bare == turn.prefix + turn.suffix:
        yield from _full(table, turn, role, content)
        return
    yield f"{{%- if {content} -%}}"
    yield from _indented(_full(table, turn, role, content))
    bare = list(_said(*_expressions(turn.bare)))
    if bare:
        yield "{%- else -%}"
        yield from _indented(bare)
    yield "{%- endif -%}"


def _full(table: TurnTemplate, turn: Turn, role: str, content: str) -> Iterator[str]:
    if role != "assistant":
        yield from _said(*_expressions(turn.prefix), content, *_expressions(turn.suffix))
        return
    end = _end(table, turn.suffix)
    yield from _said(*_expressions(turn.prefix))
    yield "{%- generation -%}"
    yield from _said(content, *_expressions(turn.suffix[:end]))
    yield "{%- endgeneration -%}"
    yield from _said(*_expressions(turn.suffix[end:]))


def _end(table: TurnTemplate, suffix: str) -> int:
    """Return where in its suffix an answer ends: after the first text that stops a reply."""
    ends = (EOS, table.eos, *table.stop)
    return min((suffix.index(end) + len(end) for end in ends if end and end in suffix), default=0)


def _ending(table: TurnTemplate) -> Iterator[str]:
    generation, closing = (
        list(_said(*_expressions(text, "'assistant'"))) for text in (table.generation, table.closing)
    )
    if generation:
        yield "{%- if add_generation_prompt -%}"
        yield from _indented(generation)
    elif closing:
        yield "{%- if not add_generation_prompt -%}"
    if closing:
        yield from ["{%- else -%}"] * bool(generation)
        yield from _indented(closing)
    if generation or closing:
        yield "{%- endif -%}"


def _is_numbered(table: TurnTemplate) -> bool:
    turns = (*table.turns.values(), table.user_after_system)
    return any(ROUND in f"{turn.prefix}{turn.suffix}{turn.bare}" for turn in turns if turn is not None)


def _expressions(text: str, role: str = ROLE) -> list[str]:
    """Return a text as expressions: literals, and variables for its placeholders."""
    places = {ROUND: "state.round | string", "{role}": role, EOS: "eos_token"}
    return [places[piece] if piece in places else _quoted(piece) for piece in _PLACES.split(text) if piece]


def _said(*expressions: str) -> Iterator[str]:
    """Yield the tag that writes expressions, if there are any."""
    if texts := [each for each in expressions if each]:
        yield f"{{{{- {' + '.join(texts)} -}}}}"


def _quoted(text: str) -> str:
    """Return a text as a Jinja literal."""
    escapes = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return "'" + "".join(escapes.get(character, character) for character in text) + "'"


def _indented(lines: Iterable[str]) -> Iterator[str]:
    return (INDENT + line for line in lines)


def renderer(text: str, template: Template) -> Callable[..., str]:
    """Return a function that renders a chat template with jinja2 itself, in the environment of transformers.

    A template that was Jinja before is the same text, and may be anybody's: it is left to the guarded engine.
    """
    from lect_jinja.identity.template import JinjaTemplate

    if isinstance(template, JinjaTemplate):
        return lambda messages, add_generation_prompt: template.text(
            messages, add_generation_prompt=add_generation_prompt
        )
    compiled = _environment().from_string(text)

    def render(messages: list[dict[str, str]], add_generation_prompt: bool, **options: str) -> str:
        tokens = {"bos_token": template.bos, "eos_token": template.eos} | options
        return compiled.render(messages=messages, add_generation_prompt=add_generation_prompt, **tokens)

    return render


def _environment() -> ImmutableSandboxedEnvironment:
    from jinja2 import nodes
    from jinja2.ext import Extension
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class Generation(Extension):
        """Leaves the tags out."""

        tags = {"generation"}  # noqa: RUF012  # as Jinja2 declares it

        def parse(self, parser: Any) -> list[nodes.Node]:
            next(parser.stream)
            body: list[nodes.Node] = parser.parse_statements(("name:endgeneration",), drop_needle=True)
            return body

    def raise_exception(message: str) -> None:
        raise RefusedError(message)

    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[Generation])
    environment.globals["raise_exception"] = raise_exception
    return environment
