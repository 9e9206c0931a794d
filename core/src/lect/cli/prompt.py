"""`lect prompt`: the exact prompt for a model."""

import sys
from argparse import ArgumentParser, Namespace
from typing import Any

import lect
from lect.cli.rendering import STYLES, Rendered, add_conversation, notes_on, print_notes, render
from lect.cli.screen import Painted, Screen, write_exactly, write_json
from lect.prompt.fields import spell

BOUNDED = True
EPILOG = """\
examples:
  lect prompt lmsys/vicuna-7b-v1.5 "Hello!"
  echo "Hello!" | lect prompt Qwen/Qwen2.5-7B-Instruct --system "Be brief."
  lect prompt Qwen/Qwen2.5-7B-Instruct --messages chat.json --tools tools.json
  lect prompt meta-llama/Llama-3.1-8B-Instruct "Hello!" --option date=2024-07-26
  lect prompt acme/unheard-of-7b "Hello!" --adapter chatml --show-segments
  lect prompt Qwen/Qwen2.5-7B-Instruct --messages begun.json --continue
  lect prompt Qwen/Qwen2.5-7B-Instruct --messages agent.json --fit
"""


def configure(parser: ArgumentParser) -> None:
    """Describe the command and its arguments."""
    parser.description = (
        "Print the exact prompt that a model expects, up to where the assistant begins to speak, in UTF-8 and with "
        "nothing added.\n"
        "On a terminal, a line end is added and control characters are spelled out; notes on the prompt go to stderr."
    )
    add_conversation(parser)
    fits = (
        "change the request as little as possible so that the format carries it, and note each change; needs lect-fit"
    )
    parser.add_argument("--fit", action="store_true", help=fits)
    segments = "show the pieces of the prompt, and where each came from"
    parser.add_argument("--show-segments", action="store_true", help=segments)
    inline = "colour the prompt by where each piece came from, on a terminal"
    parser.add_argument("--show-inline", action="store_true", help=inline)
    parser.add_argument("--json", action="store_true", help="print the prompt and all that is known about it as JSON")


def run(arguments: Namespace) -> None:
    """Print the prompt, then what a reader should know about it."""
    rendered = render(arguments)
    prompt = rendered.prompt
    if arguments.json:
        write_json(_as_data(rendered, with_segments=arguments.show_segments))
        return
    screen = Screen(sys.stdout)
    if arguments.show_segments:
        screen.table(map(_row, prompt.segments), header=("origin", "field", "turn", "text"), indent=0)
    elif screen.is_terminal or (arguments.show_inline and screen.colours):
        pieces = [Painted(prompt.text, "")]
        if arguments.show_inline:
            pieces = [Painted(segment.text, STYLES[segment.origin]) for segment in prompt.segments]
        screen.write(*pieces, "" if prompt.text.endswith("\n") else "\n")
    else:
        write_exactly(prompt.text)
    print_notes(notes_on(rendered))


def _row(segment: lect.Segment) -> tuple[str | Painted, ...]:
    style = STYLES[segment.origin]
    field = spell(segment.path) if segment.path else ""
    turn = "" if segment.turn is None else str(segment.turn)
    return Painted(segment.origin.value, style), field, turn, Painted(repr(segment.text), style)


def _as_data(rendered: Rendered, *, with_segments: bool) -> dict[str, Any]:
    resolution, prompt = rendered.resolution, rendered.prompt
    data = {
        "text": prompt.text,
        "stop": dict(prompt.template.stop),
        "stop_ids": prompt.template.stop_ids,
        "template": prompt.template.name,
        "adapter": resolution.adapter.name if resolution.adapter else None,
        "package": resolution.package or None,
        "kind": resolution.kind,
        "fallback": resolution.fallback,
        "unused": [each._asdict() | ({"meant": each.meant} if each.meant else {}) for each in prompt.unused],
        "controls": [control._asdict() for control in prompt.controls],
        "more_controls": prompt.more_controls,
    }
    if rendered.fitted:
        data["changes"] = [
            {"path": change.path, "step": change.step, "why": change.why} for change in rendered.fitted.changes
        ]
    if with_segments:
        data["segments"] = [segment._asdict() | {"origin": segment.origin.value} for segment in prompt.segments]
    return data
