"""Render a conversation from the command line: what `lect prompt` and `lect tokens` have in common."""

import sys
from argparse import ArgumentParser, BooleanOptionalAction, Namespace
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

import lect
from lect.cli.inputs import ADAPTER, DEFAULT, MODEL, limit, option, read_conversation, utf8
from lect.cli.screen import NOTE, Painted, Screen
from lect.prompt.fields import spell
from lect.registry.resolve import base_note

STYLES = {lect.Origin.TEMPLATE: "dim", lect.Origin.INPUT: "green", lect.Origin.UNKNOWN: "red"}


class Rendered(NamedTuple):
    """A prompt, and what it was rendered from."""

    resolution: lect.Resolution
    prompt: lect.Prompt
    ignored: tuple[str, ...]
    """The fields of the messages file that were not read."""
    is_open: bool
    """Whether it ends where a model is to continue."""
    fitted: Any = None
    """The request as it was fitted to the format; None if it was rendered as given."""
    hints: Sequence[str] = ()
    """How more of it would reach the prompt."""

    def by(self, template: lect.Template) -> lect.Prompt:
        """Return the prompt for the same request in another format."""
        messages, tools, options, add_generation_prompt = self.prompt._request
        return template.render(messages, tools=tools, add_generation_prompt=add_generation_prompt, **options)


def add_choice(parser: ArgumentParser) -> None:
    """Add the arguments that choose a format explicitly."""
    parser.add_argument("--adapter", metavar="NAME", help=ADAPTER)
    parser.add_argument("--default", metavar="NAME", help=DEFAULT)


def add_conversation(parser: ArgumentParser, *, nargs: str | None = None) -> None:
    """Add the arguments that say what to render, and how; `nargs` is "?" where there may be no model."""
    add = parser.add_argument
    add("model", metavar="MODEL", type=utf8, nargs=nargs, help=f"{MODEL}; nothing is fetched")
    text = "what the user says; - or nothing reads it from standard input, without the last line end"
    add("text", metavar="TEXT", type=utf8, nargs="?", help=text)
    add("--system", metavar="TEXT", type=utf8, help="the system text, instead of the maker's default")
    messages = 'a JSON file of OpenAI-shaped messages, or {"messages": [...], "tools": [...]}; or -'
    add("--messages", metavar="FILE", help=messages)
    add("--tools", metavar="FILE", help="a JSON file of OpenAI tool schemas")
    options = (
        "an option that the model's format reads, such as enable_thinking=false; VALUE is JSON, or else text; may "
        "be given several times"
    )
    add("--option", metavar="NAME=VALUE", action="append", default=[], type=option, dest="options", help=options)
    limits = (
        "override a default limit: on messages, tools, depth, bytes of the prompt, or controls that are "
        "listed; may be given several times"
    )
    add("--limit", metavar="NAME=NUMBER", action="append", default=[], type=limit, dest="limits", help=limits)
    add_choice(parser)
    ending = "whether to end where the assistant begins to speak"
    add("--generation-prompt", action=BooleanOptionalAction, help=ending)
    continues = (
        "end within the last message, which is the assistant's, so that the model continues it: written as in "
        "history, or with --generation-prompt as if the model itself had begun it"
    )
    add("--continue", action="store_true", dest="continues", help=continues)
    add("--strict", action="store_true", help="fail if something given would not reach the prompt")


def render(arguments: Namespace, *, after_answers: bool = True) -> Rendered:
    """Read the conversation that the arguments of `add_conversation` give, and render it.

    Unless the arguments say, a conversation that ends with an answer gets a generation prompt only if `after_answers`.
    """
    messages, tools, ignored = read_conversation(arguments)
    if (add_generation_prompt := arguments.generation_prompt) is None:
        last = messages[-1] if isinstance(messages, list) and messages else None
        is_answered = isinstance(last, dict) and last.get("role") == "assistant"
        add_generation_prompt = not arguments.continues and (after_answers or not is_answered)
    resolution = resolve(arguments)
    template, options = resolution.template, dict(arguments.options)
    fitted = None
    if getattr(arguments, "fit", False):
        fitted = template.fit(messages, tools, **options)
        messages, tools = fitted.messages, fitted.tools
    how = {"continue_final_message": arguments.continues, "strict": arguments.strict, "limits": dict(arguments.limits)}
    can_fit = getattr(arguments, "fit", None) is False
    hints = partial(_how_it_fits, template, messages, tools, options) if can_fit else list
    try:
        prompt = template.render(messages, tools=tools, add_generation_prompt=add_generation_prompt, **how, **options)
    except lect.LectError:
        print_notes(hints())
        raise
    is_lost = any(each.why == "dropped" for each in prompt.unused)
    is_open = add_generation_prompt or arguments.continues
    return Rendered(resolution, prompt, ignored, is_open, fitted, hints() if is_lost else [])


def _how_it_fits(template: lect.Template, messages: Any, tools: Any, options: dict[str, Any]) -> list[str]:
    """Return a note with the changes by which a format carries a request; none if it does not, or without lect-fit."""
    with suppress(lect.LectError):
        fitted = template.fit(messages, tools, **options)
        if not fitted.left:
            return [f"the format can carry all of it: --fit does that, by {', '.join(dict.fromkeys(fitted.steps))}"]
    return []


def resolve(arguments: Namespace) -> lect.Resolution:
    """Resolve the model that the arguments name."""
    return lect._registry.resolve(arguments.model, adapter=arguments.adapter, default=arguments.default)


def notes_on(rendered: Rendered) -> list[str]:
    """Return what a reader should know about a prompt."""
    resolution, prompt, ignored, _, fitted, hints = rendered
    notes = [f"ignored in the messages file: {key}" for key in ignored]
    if resolution.kind == "base":
        notes.append(base_note(resolution))
    changes = fitted.changes if fitted else ()
    notes += [f"changed: {spell(change.path)}: {change.step} ({change.why})" for change in changes]
    for each in prompt.unused:
        hint = f"; did you mean {each.meant}?" if each.meant else ""
        is_absent = each.why in ("dropped", "by-rule")
        told = f"({each.why}{hint})" if is_absent else f"{each.meaning}{hint}"
        path = fitted.path_of(each.path) if fitted else each.path
        notes.append(f"{'not in the prompt: ' * is_absent}{spell(path)}{' ' if is_absent else ': '}{told}")
    notes += hints
    notes += [f"control text of the model in {_place(control)}: {control.marker!r}" for control in prompt.controls]
    if prompt.more_controls:
        notes.append("there is more control text of the model than is listed")
    if prompt.controls and prompt.template.text_separators:
        name = prompt.template.name
        notes.append(f"{name} separates turns by plain text, so nothing can tell this text from a real turn")
    return notes


def print_notes(notes: Iterable[str]) -> None:
    """Print notes to standard error."""
    screen = Screen(sys.stderr)
    for note in notes:
        screen.write(Painted(NOTE, "yellow"), f" {screen.one_line(note)}\n")


def _place(control: lect.Control) -> str:
    if not control.path:
        return "text of unknown origin"
    return spell(control.path) + (f" at {control.start}" if control.start >= 0 else "")
