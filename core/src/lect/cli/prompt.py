"""`lect prompt`: the exact prompt for a model."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import lect
from lect.cli.inputs import MODEL, limit, option, read_conversation, utf8
from lect.cli.screen import NOTE, Painted, Screen, write_exactly, write_json
from lect.prompt.fields import spell

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


EPILOG = """\
examples:
  lect prompt lmsys/vicuna-7b-v1.5 "Hello!"
  echo "Hello!" | lect prompt Qwen/Qwen2.5-7B-Instruct --system "Be brief."
  lect prompt Qwen/Qwen2.5-7B-Instruct --messages chat.json --tools tools.json
  lect prompt meta-llama/Llama-3.1-8B-Instruct "Hello!" --option date=2024-07-26
  lect prompt acme/unheard-of-7b "Hello!" --adapter chatml --show-segments
"""
STYLES = {lect.Origin.TEMPLATE: "dim", lect.Origin.INPUT: "green", lect.Origin.UNKNOWN: "red"}


def configure(parser: ArgumentParser) -> None:
    """Describe the command and its arguments."""
    parser.description = (
        "Print the exact prompt that a model expects, in UTF-8 and with nothing added.\n"
        "A terminal gets a line end, and control characters spelled out; what you should know of the prompt goes to "
        "stderr."
    )
    parser.epilog = EPILOG
    parser.add_argument("model", metavar="MODEL", type=utf8, help=f"{MODEL}; nothing is fetched")
    parser.add_argument(
        "text",
        metavar="TEXT",
        type=utf8,
        nargs="?",
        help="what the user says; - or nothing reads it from standard input, without the last line end",
    )
    parser.add_argument("--system", metavar="TEXT", type=utf8, help="the system text, instead of the maker's default")
    parser.add_argument(
        "--messages",
        metavar="FILE",
        help='a JSON file of OpenAI-shaped messages, or {"messages": [...], "tools": [...]}; or -',
    )
    parser.add_argument("--tools", metavar="FILE", help="a JSON file of OpenAI tool schemas")
    parser.add_argument(
        "--option", metavar="NAME=VALUE", action="append", default=[], type=option, dest="options",
        help=(
            "an option of the maker's own, such as enable_thinking=false; VALUE is JSON, or else text; may be given "
            "several times"
        ),
    )  # fmt: skip
    parser.add_argument(
        "--limit", metavar="NAME=NUMBER", action="append", default=[], type=limit, dest="limits",
        help=(
            "how large the conversation may be, if not as by default: messages, tools, depth, bytes of the prompt, or "
            "controls that are listed; may be given several times"
        ),
    )  # fmt: skip
    parser.add_argument(
        "--adapter",
        metavar="NAME",
        help="the adapter or template to use, such as qwen, qwen:qwen2.5 or chatml, whatever the path says",
    )
    parser.add_argument(
        "--default", metavar="NAME", help="the template for a model that no adapter knows, such as chatml"
    )
    parser.add_argument(
        "--no-generation-prompt", action="store_true", help="do not end where the assistant begins to speak"
    )
    parser.add_argument(
        "--show-segments", action="store_true", help="show the pieces of the prompt, and where each came from"
    )
    parser.add_argument("--strict", action="store_true", help="refuse what would not reach the prompt")
    parser.add_argument("--json", action="store_true", help="print the prompt and all that is known of it as JSON")


def run(arguments: Namespace) -> int:
    """Print the prompt, then what a reader should know of it."""
    conversation = read_conversation(arguments)
    resolution = _resolved(arguments.model, arguments.adapter, arguments.default)
    prompt = resolution.template.render(
        conversation.messages,
        tools=conversation.tools,
        add_generation_prompt=not arguments.no_generation_prompt,
        strict=arguments.strict,
        limits=dict(arguments.limits),
        **dict(arguments.options),
    )
    if arguments.json:
        write_json(_as_data(resolution, prompt, with_segments=arguments.show_segments))
        return 0
    if arguments.show_segments:
        _show_segments(prompt)
    else:
        _print_prompt(prompt.text)
    _print_notes(resolution, prompt, conversation.ignored)
    return 0


def _resolved(model: str, adapter: str | None, default: str | None) -> lect.Resolution:
    try:
        return lect.resolve(model, adapter=adapter)
    except lect.UnknownModelError:
        if default is None:
            raise
        return lect.resolve(model, adapter=default)


def _print_prompt(text: str) -> None:
    screen = Screen(sys.stdout)
    if screen.is_terminal:
        screen.write(screen.visible(text) + ("" if text.endswith("\n") else "\n"))
    else:
        write_exactly(text)


def _show_segments(prompt: lect.Prompt) -> None:
    rows = [
        (
            Painted(segment.origin.value, STYLES[segment.origin]),
            spell(segment.path) if segment.path else "",
            "" if segment.turn is None else str(segment.turn),
            Painted(repr(segment.text), STYLES[segment.origin]),
        )
        for segment in prompt.segments
    ]
    Screen(sys.stdout).table(rows, header=("origin", "field", "turn", "text"), indent=0)


def _print_notes(resolution: lect.Resolution, prompt: lect.Prompt, ignored: tuple[str, ...]) -> None:
    notes = [f"not read from the file of messages: {key}" for key in ignored]
    if resolution.kind == "base":
        notes.append(
            f"{resolution.ref.path} is a base model, which was not trained to chat; {prompt.template.name} is a "
            f"makeshift"
        )
    notes += [f"not in the prompt: {spell(unused.path)} ({unused.why})" for unused in prompt.unused]
    notes += [f"control text of the model in {_place(control)}: {control.marker!r}" for control in prompt.controls]
    if prompt.more_controls:
        notes.append("there is more control text of the model than this")
    if prompt.controls and prompt.template.text_separators:
        notes.append(
            f"{prompt.template.name} separates turns by plain text, so nothing can tell this text from a turn of its "
            f"own"
        )
    screen = Screen(sys.stderr)
    for note in notes:
        screen.write(screen.paint(NOTE, "yellow") + f" {screen.one_line(note)}\n")


def _place(control: lect.Control) -> str:
    if not control.path:
        return "text of unknown origin"
    return spell(control.path) + (f" at {control.start}" if control.start >= 0 else "")


def _as_data(resolution: lect.Resolution, prompt: lect.Prompt, *, with_segments: bool) -> dict[str, Any]:
    data = {
        "text": prompt.text,
        "stop": dict(prompt.template.stop),
        "stop_ids": prompt.template.stop_ids,
        "template": prompt.template.name,
        "adapter": resolution.adapter.name if resolution.adapter else None,
        "package": resolution.package or None,
        "kind": resolution.kind,
        "fallback": resolution.fallback,
        "unused": [unused._asdict() for unused in prompt.unused],
        "controls": [control._asdict() for control in prompt.controls],
        "more_controls": prompt.more_controls,
    }
    if with_segments:
        data["segments"] = [segment._asdict() | {"origin": segment.origin.value} for segment in prompt.segments]
    return data
