"""`lect prompt`: the exact prompt for a model."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import lect
from lect.cli.inputs import option, read_conversation
from lect.cli.screen import Painted, Screen, write_exactly, write_json
from lect.prompt.messages import spell
from lect.prompt.segments import Origin

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from lect.prompt.segments import Control, Rendered
    from lect.registry.resolve import Resolution

EPILOG = """\
examples:
  lect prompt lmsys/vicuna-7b-v1.5 "Hello!"
  echo "Hello!" | lect prompt Qwen/Qwen2.5-7B-Instruct --system "Be brief."
  lect prompt Qwen/Qwen2.5-7B-Instruct --messages chat.json --tools tools.json
  lect prompt meta-llama/Llama-3.1-8B-Instruct "Hello!" --option date=2024-07-26
  lect prompt acme/unheard-of-7b "Hello!" --adapter chatml --show-segments
"""
STYLES = {Origin.TEMPLATE: "dim", Origin.INPUT: "green", Origin.UNKNOWN: "red"}


def configure(parser: ArgumentParser) -> None:
    """Describe the command and its arguments."""
    parser.description = (
        "Print the exact prompt that a model expects, in UTF-8 and with nothing added.\n"
        "A terminal gets a line end, and control characters spelled out; what you should know of the prompt goes to "
        "stderr."
    )
    parser.epilog = EPILOG
    parser.add_argument("model", metavar="MODEL", help="owner/name, a name, or a local path; nothing is fetched")
    parser.add_argument(
        "text",
        metavar="TEXT",
        nargs="?",
        help="what the user says; - or nothing reads it from standard input, without the last line end",
    )
    parser.add_argument("--system", metavar="TEXT", help="the system text, instead of the maker's default")
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
        "--adapter",
        metavar="NAME",
        help="who shall decide: an adapter or a template, such as qwen, qwen:qwen2.5 or chatml",
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
    resolution = lect.resolve(arguments.model, adapter=arguments.adapter)
    rendered = resolution.template.render(
        conversation.messages,
        tools=conversation.tools,
        add_generation_prompt=not arguments.no_generation_prompt,
        strict=arguments.strict,
        **dict(arguments.options),
    )
    if arguments.json:
        write_json(_as_data(resolution, rendered, with_segments=arguments.show_segments))
        return 0
    if arguments.show_segments:
        _show_segments(rendered)
    else:
        _print_prompt(rendered.text)
    _print_notes(resolution, rendered, conversation.ignored)
    return 0


def _print_prompt(text: str) -> None:
    screen = Screen(sys.stdout)
    if screen.is_terminal:
        screen.write(screen.visible(text) + ("" if text.endswith("\n") else "\n"))
    else:
        write_exactly(text)


def _show_segments(rendered: Rendered) -> None:
    rows = [
        (
            Painted(segment.origin.value, STYLES[segment.origin]),
            spell(segment.path) if segment.path else "",
            "" if segment.turn is None else str(segment.turn),
            Painted(repr(segment.text), STYLES[segment.origin]),
        )
        for segment in rendered.segments
    ]
    Screen(sys.stdout).table(rows, header=("origin", "field", "turn", "text"), indent=0)


def _print_notes(resolution: Resolution, rendered: Rendered, ignored: tuple[str, ...]) -> None:
    notes = [f"not read from the file of messages: {key}" for key in ignored]
    if resolution.kind == "base":
        notes.append(
            f"{resolution.ref.path} is a base model, which was not trained to chat; {rendered.template.name} is a "
            f"makeshift"
        )
    notes += [f"not in the prompt: {spell(unused.path)} ({unused.why})" for unused in rendered.unused]
    notes += [f"control text of the model in {_place(control)}: {control.marker!r}" for control in rendered.controls]
    if rendered.controls and rendered.template.text_separators:
        notes.append(
            f"{rendered.template.name} separates turns by plain text, so nothing can tell this text from a turn of its "
            f"own"
        )
    sys.stdout.flush()
    screen = Screen(sys.stderr)
    for note in notes:
        screen.write(screen.paint("note:", "yellow") + f" {screen.one_line(note)}\n")


def _place(control: Control) -> str:
    if not control.path:
        return "text of unknown origin"
    return spell(control.path) + (f" at {control.start}" if control.start >= 0 else "")


def _as_data(resolution: Resolution, rendered: Rendered, *, with_segments: bool) -> dict[str, Any]:
    data = {
        "text": rendered.text,
        "stop": rendered.template.stop,
        "stop_token_ids": rendered.template.stop_token_ids,
        "template": rendered.template.name,
        "adapter": resolution.adapter.name if resolution.adapter else None,
        "package": resolution.package or None,
        "kind": resolution.kind,
        "unused": [unused._asdict() for unused in rendered.unused],
        "controls": [control._asdict() for control in rendered.controls],
    }
    if with_segments:
        data["segments"] = [segment._asdict() | {"origin": segment.origin.value} for segment in rendered.segments]
    return data
