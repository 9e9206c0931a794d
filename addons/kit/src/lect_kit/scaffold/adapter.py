"""The adapter of a new package, from one of three starting points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from lect.errors import LectError
from lect.format.turns import Turn, TurnTemplate
from lect_kit.scaffold.models import pattern_of
from lect_kit.scaffold.source import PythonCall, PythonCode, grammar_names, written
from lect_kit.scaffold.texts import filled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lect.format.template import Template
    from lect_kit.scaffold.names import Names

STARTING_TABLE = TurnTemplate(
    "starting-table",
    system=Turn("<|system|>\n", "<|end|>\n"),
    user=Turn("<|user|>\n", "<|end|>\n"),
    assistant=Turn("<|assistant|>\n", "<|end|>\n"),
    stop=["<|end|>"],
    markers=["<|system|>", "<|user|>", "<|assistant|>", "<|end|>"],
    source="the model card, or wherever its maker documents the format",
)
"""A format to edit."""
JINJA_FILE = "chat_template.jinja"
NOT_WRITTEN = ("name", "jinja", "limits", "isolate")
"""Facts of a Jinja template that are written elsewhere, or that its user decides."""


class Adapter(NamedTuple):
    """The module of an adapter.

    Attributes:
        source: Its source.
        files: Other files beside it, by name.
        requires: The packages that it needs besides lect.
    """

    source: str
    files: Mapping[str, str] = {}
    requires: tuple[str, ...] = ()


def program_adapter(names: Names, models: Sequence[str]) -> Adapter:
    """Return an adapter whose prompts a Python function writes, with tools, calls and a grammar of replies."""
    return Adapter(_module("program.py", names, models, PythonCode(names.constant)))


def template_adapter(names: Names, models: Sequence[str], template: Template) -> Adapter:
    """Return an adapter that writes prompts as a template does.

    Raises:
        LectError: If the template is neither a turn table nor Jinja.
    """
    # The reply format of a model's own template is found when it is asked for.
    stated = template.stated() | {"reply": template.reply, "control_tokens": _stated_tokens(template)}
    if "jinja" not in stated and isinstance(table := template.table, TurnTemplate):
        made = PythonCall("TurnTemplate", [names.template], _table_facts(table))
        return Adapter(_module("table.py", names, models, PythonCode(names.constant), made, f"{names.constant} = "))
    if "jinja" in stated:
        facts = {name: value for name, value in stated.items() if value and name not in NOT_WRITTEN}
        made = PythonCall("JinjaTemplate", [names.template, PythonCode("text")], _without_absent_ids(facts))
        lazy = PythonCall("LazyTemplate", [names.template, PythonCode(names.constant.lower())])
        source = _module("jinja.py", names, models, lazy, made, "    return ")
        return Adapter(source, {JINJA_FILE: stated["jinja"]}, ("lect-jinja",))
    raise LectError(
        f"{template.label!r} cannot be written as a table: {template.beyond_table}\n"
        f"  try: LECT_PINS='{models[0]}={template.label}', which needs no package\n"
        f"   or: lect new {names.name} --program, to write another one"
    )


def _module(
    file: str,
    names: Names,
    models: Sequence[str],
    template: PythonCode | PythonCall,
    made: PythonCall | None = None,
    before: str = "",
) -> str:
    """Return the source of a module.

    Args:
        file: The file whose placeholders are filled in.
        names: What the package and its parts are called.
        models: The models that it is for.
        template: What rules name as the template.
        made: What creates the template, if the file does not.
        before: What comes before that in its line.
    """
    patterns = dict.fromkeys(pattern_of(model, names.name) for model in models)
    rules = [PythonCall("Rule", [pattern, template]) for pattern in patterns]
    blocks = ", ".join(sorted(grammar_names(made)))
    indent = len(before) - len(before.lstrip())
    return filled(
        file,
        title=names.title,
        name=names.template,
        constant=names.constant,
        function=names.constant.lower(),
        file=JINJA_FILE,
        template=written(made, indent, len(before) - indent),
        grammar=f"\nfrom lect.plugin.grammar import {blocks}" if blocks else "",
        adapter=written(PythonCall("Family", [names.name, *rules]), taken=len("adapter = ")),
    )


def _table_facts(table: TurnTemplate) -> dict[str, Any]:
    """Return what a table states, except for what follows from the rest."""
    stated = table.stated() | {"control_tokens": _stated_tokens(table)}
    turns: dict[str, Any] = {role: turn for role, turn in stated.items() if isinstance(turn, Turn)}
    usual = TurnTemplate(table.name, **turns).stated() | {"control_tokens": []}
    return turns | _without_absent_ids({name: value for name, value in stated.items() if value != usual[name]})


def _stated_tokens(template: Template) -> list[str]:
    """Return the control tokens that have to be stated: the others follow from the markers."""
    implied = template.but(control_tokens=()).control_tokens
    return [text for text in template.control_tokens if text not in implied]


def _without_absent_ids(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return facts, with texts whose ids are all unknown as lists."""
    return {
        name: list(value)
        if isinstance(value, Mapping) and all(token_id is None for token_id in value.values())
        else value
        for name, value in facts.items()
    }
