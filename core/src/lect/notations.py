"""Templates in the notations of other tools.

A notation is an object in the entry-point group `lect.notations`. To read templates, it has
`recognises(source) -> bool` and `read(source) -> Template`; core reads the file, once, and passes it as a `Source`. To
write them, it has `write(template) -> Written`. Before the result is returned, it is rendered, by
`renderer(text, template)` if the notation has that, else by what `read` returns for it, and compared with the template.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from lect.boundaries import boundary
from lect.contain import blaming
from lect.errors import ConversionError, ConversionWarning, LectError, PluginError, SourceError, saferepr, warn_caller
from lect.format.compare import differences, render_of
from lect.format.template import Template
from lect.format.turns import EOS, ROLE, ROUND, Turn, TurnTemplate
from lect.installing import install_command
from lect.registry.adapters import Adapters
from lect.registry.groups import NOTATIONS
from lect.source import Source, source_of


class Written(NamedTuple):
    """A template in a notation."""

    text: str
    """The text."""
    lost: Sequence[str] = ()
    """What the notation cannot express of the template, each in a few words."""
    bos: bool = True
    """Whether it writes the template's BOS; else the other tool adds it with its tokenizer."""
    rest: Template | None = None
    """The template without what is lost, if anything is: what the text must say; None for the template itself."""
    options: Collection[str] = ()
    """The options of the template that the text takes too, for a notation with a `renderer`."""


def load_template(adapters: Adapters, source: Any, notation: str | None = None) -> Template:
    """Read a template by one of the installed notations; see `lect.load_template`."""
    given = source_of(source)
    owners = {name: each for name, each in _owners(adapters, notation).items() if hasattr(each, "read")}
    if notation is not None and not owners:
        raise SourceError(f"the notation {notation!r} can be written, but not read")
    if not owners:
        hint = install_command("lect-jinja")
        raise SourceError(f"no installed package reads templates, so {given} cannot be read\n  try: {hint}")
    found = {name: each for name, each in owners.items() if notation or _ask(name, each, "recognises", given)}
    if len(found) > 1:
        msg = f"{given} could be a template in several notations: {', '.join(found)}\n  try: notation={min(found)!r}"
        raise SourceError(msg)
    if not found:
        why = f"; it {given.problem}" if given.problem else ""
        raise SourceError(
            f"{given} is not a template in any installed notation ({', '.join(owners)}){why}\n"
            f"  try: notation={min(owners)!r}, to learn what is wrong with it"
        )
    ((name, reader),) = found.items()
    template = _ask(name, reader, "read", given)
    if not isinstance(template, Template):
        raise PluginError(f"the notation {name!r} read {saferepr(template)} from {given}; expected a Template")
    return template


def dump_template(adapters: Adapters, template: Any, notation: Any, *, lossy: bool = False) -> str:
    """Write a template in one of the installed notations; see `lect.dump_template`."""
    if not isinstance(template, Template) or not isinstance(notation, str):
        msg = f"cannot write {saferepr(template)} in the notation {saferepr(notation)}; expected a Template and a name"
        raise SourceError(msg)
    ((name, writer),) = _owners(adapters, notation).items()
    if not hasattr(writer, "write"):
        raise SourceError(f"the notation {name!r} can be read, but not written")
    written = _ask(name, writer, "write", template)
    if not isinstance(written, Written):
        msg = f"the notation {name!r} wrote {saferepr(written)} for {template}; expected Written(text, lost)"
        raise PluginError(msg)
    found = _prove(name, writer, template, written)
    lost = [*written.lost, *(found or ())]
    if lost and not lossy:
        raise loss(template, name, lost, "lossy=True, to write the rest")
    if lost:
        warn_caller(_loss_text(template, name, lost), ConversionWarning)
    if found is None:
        msg = f"{template.label!r} is written as {name}, but nothing installed can verify that it renders the same"
        warn_caller(msg, ConversionWarning)
    return written.text


def _prove(name: str, writer: Any, template: Template, written: Written) -> list[str] | None:
    """Render what was written and what it must equal, and return how they differ; None where nothing can render it."""
    expected = written.rest if written.lost and written.rest is not None else template
    if not written.bos and expected.bos:
        # Where the other tool adds the BOS itself, neither side may have one.
        expected = expected.but(bos="")
    other, options = None, written.options
    if hasattr(writer, "renderer"):
        other = _ask(name, writer, "renderer", written.text, template)
    elif hasattr(writer, "read"):
        again = _ask(name, writer, "read", Source.of_text(written.text))
        other, options = render_of(again), again.options
    shared = [option for option in expected.options if option in options]
    return other and list(map(str, differences(render_of(expected), other, shared)))


@boundary
def table_of(template: Template, notation: str) -> TurnTemplate:
    """Return a template as a turn table, for notations that can express no more.

    Raises:
        ConversionError: If it cannot be written as one.
    """
    if isinstance(table := template.table, TurnTemplate):
        return table
    raise loss(template, notation, [f"all: {template.beyond_table}"], "a template that is a turn table")


_ROLES = {"user_after_system": "user", "other": ROLE, "generation": "assistant", "closing": "assistant"}
"""What `{role}` stands for in the facts of a table besides its turns."""
_DEFAULTS = {"default_system": "", **(TurnTemplate.__init__.__kwdefaults__ or {})}


@boundary
def expressible(table: TurnTemplate, says: Collection[str]) -> tuple[TurnTemplate, list[str]]:
    """Return the part of a turn table that a notation can express, and what is lost, each in a few words.

    In that part `{role}` and `{eos}` are filled in; `{role}` remains in the turn of other roles, and `{eos}` where its
    text is not known and `says` has `eos`. A lost generation prompt opens the answers of history too.

    Args:
        table: The table.
        says: The fields of a table that the notation can express, besides the turns of system, user and assistant;
            `rounds` is what `{round}` stands for, `bare` what is written for an empty text.
    """
    before_answer, after_answer, _ = table.turns["assistant"]
    ids = set(table.stop_ids) - set(table.stop.values())
    numbered = any(ROUND in turn.prefix + turn.suffix for turn in table.turns.values())
    beyond = {
        "default_system": table.default_system and "the default system text",
        "opening": table.opening and f"that every prompt begins with {table.opening!r}",
        "without_system": table.without_system
        and f"that a prompt without a system text begins with {table.without_system!r}",
        "examples": table.examples and "the examples before the first turn",
        "user_after_system": table.user_after_system and "that a user's turn is different after a system text",
        "generation": table.generation != before_answer
        and f"that a prompt ends with {table.generation!r}, but an answer in it follows {before_answer!r}",
        "eos": not table.eos and EOS in after_answer and "the tokenizer's EOS after an answer, whose text is not known",
        "closing": table.closing and f"that a conversation ends with {table.closing!r}",
        "trim": table.trim and "that texts are stripped of white space",
        "rounds": numbered and "the numbers of rounds",
        "first_round": numbered and table.first_round != 1 and f"that rounds are counted from {table.first_round}",
        "tool": "tool" in table.turns and "the turns of tools",
        "other": table.other and "the turns of other roles",
        "stop_ids": ids and f"stop ids that have no text: {', '.join(map(str, sorted(ids)))}",
        "bare": any(turn.bare not in (None, turn.prefix + turn.suffix) for turn in table.turns.values())
        and "what is written for an empty text",
    }
    lost = {field: words for field, words in beyond.items() if words and field not in says}
    eos = table.eos or (EOS if "eos" in says else "")
    number = str(table.first_round) if "rounds" in lost else ROUND

    def filled(what: Any, role: str) -> Any:
        if isinstance(what, Turn):
            return Turn(*(filled(text, role) for text in what[: 2 if "bare" in lost else 3]))
        return what and what.replace(EOS, eos).replace(ROUND, number).replace(ROLE, role)

    facts = {field: filled(table.stated()[field], _ROLES.get(field, field)) for field in (*table.turns, *_ROLES)}
    if "generation" in lost:
        facts["assistant"] = facts["assistant"]._replace(prefix=facts["generation"])
    return table.but(**facts | {field: _DEFAULTS[field] for field in lost if field in _DEFAULTS}), list(lost.values())


def loss(template: Template, notation: str, lost: Sequence[str], instead: str) -> ConversionError:
    """Return the error for a template that a notation cannot express."""
    return ConversionError(f"{_loss_text(template, notation, lost)}\n  try: {instead}", lost=lost)


def _loss_text(template: Template, notation: str, lost: Sequence[str]) -> str:
    lines = "".join(f"\n  lost: {each}" for each in lost)
    return f"the notation {notation!r} cannot express all of {template.label!r}{lines}"


def _owners(adapters: Adapters, wanted: str | None) -> dict[str, Any]:
    """Return the installed notations by name, or the one that is wanted."""
    records = adapters.parts(NOTATIONS)
    names = sorted({record.name for record in records})
    if wanted is not None and wanted not in names:
        hint = f"one of {', '.join(names)}" if names else install_command("lect-jinja")
        raise SourceError(f"no installed package has a notation {saferepr(wanted)}\n  try: {hint}")
    owners: dict[str, Any] = {}
    packages: dict[str, str] = {}
    for record in records:
        if wanted in (None, record.name) and (loaded := adapters.load_part(record)) is not None:
            if record.name in owners:
                both = f"{packages[record.name]} and {record.package}"
                raise PluginError(f"both {both} have a notation {record.name!r}\n  try: uninstall one")
            owners[record.name], packages[record.name] = loaded, record.package
    if wanted is not None and not owners:
        raise PluginError(f"the notation {wanted!r} cannot be loaded\n  try: lect doctor")
    return owners


def _ask(name: str, notation: Any, function: str, *given: Any) -> Any:
    what = f"the notation {name!r} failed on {given[-1]}"
    return blaming(what, (LectError,), lambda: getattr(notation, function)(*given))
