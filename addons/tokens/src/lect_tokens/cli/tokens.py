"""`lect tokens`: the prompt for a model, token by token."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

import lect
from lect.addon import Painted, Screen, commands
from lect_tokens.cli.media import add_media, are_media_asked, print_media
from lect_tokens.load import load_tokenizer

HELP = "print that prompt token by token: ids, origins, and what carries loss"
BOUNDED = True
EPILOG = """\
A conversation that ends with an answer is encoded as for training, and its loss is that of the default policy: what
assistants say, with the stops. Any other ends where the assistant begins to speak, as it is sent to a server.

examples:
  lect tokens Qwen/Qwen2.5-7B-Instruct "Hello!" --tokenizer ./Qwen2.5-7B-Instruct --show-inline
  lect tokens Qwen/Qwen2.5-7B-Instruct --messages chat.json --tokenizer ./Qwen2.5-7B-Instruct
  lect tokens ./checkpoint-500 --messages chat.json --tokenizer ./checkpoint-500 --json
  lect tokens Qwen/Qwen2.5-VL-7B-Instruct --image cat.png --size 1920x1080
"""
TOKENIZER = "tokenizer"
"""The origin of tokens that the tokenizer itself puts before the text."""
ORIGINS = {"template": "dim", "input": "green", "unknown": "red", TOKENIZER: "cyan"}
BORDER = "│"
CONTINUED = "..."
"""Shown for a token that only continues a character already shown."""


def configure(parser: ArgumentParser) -> None:
    """Describe the command and its arguments."""
    parser.description = (
        "Print the prompt for a model token by token: the id, how much loss it carries, who wrote it, in which field, "
        "and its text.\n"
        "Control tokens come from the template alone; where text from outside spells one, it becomes ordinary tokens.\n"
        "With --image, --size or --samples, say instead how many tokens images, videos and sounds are for the model."
    )
    parser.epilog = EPILOG
    commands.add_conversation(parser)
    add = parser.add_argument
    add("--tokenizer", metavar="DIR", help="a directory with a tokenizer.json, or that file")
    add("--unsafe", action="store_true", help="encode the text as the tokenizer itself would, whatever its origin")
    add("--max-length", metavar="NUMBER", type=int, help="how many tokens to keep, from the beginning")
    inline = "show the prompt itself, with a border between tokens, coloured by who wrote them and what carries loss"
    add("--show-inline", action="store_true", help=inline)
    add("--json", action="store_true", help="print the tokens and all that is known about them as JSON")
    add_media(parser)


def run(arguments: Namespace) -> None:
    """Print the tokens, then what a reader should know about them."""
    if are_media_asked(arguments):
        print_media(arguments)
        return
    if arguments.tokenizer is None:
        msg = "the tokens of a prompt need a tokenizer\n  try: --tokenizer DIR, or --image FILE for those of an image"
        raise lect.MessageError(msg)
    rendered = commands.render(arguments, after_answers=False)
    tokenizer = load_tokenizer(arguments.tokenizer)
    encoded = rendered.prompt.encode(
        tokenizer,
        safe=not arguments.unsafe,
        policy=None if rendered.is_open else lect.LossPolicy(allow_uniform=True),
        max_length=arguments.max_length,
        strict=False,
    )
    if arguments.json:
        commands.write_json(_as_data(rendered, encoded))
        return
    pieces = [
        piece._replace(text=str(tokenizer.id_to_token(piece.id))) if piece.origin == TOKENIZER else piece
        for piece in encoded.pieces()
    ]
    screen = Screen(sys.stdout)
    if arguments.show_inline:
        inline = chain.from_iterable(
            (Painted(BORDER, "dim"), _inline(piece.text, piece.origin, piece.weight)) for piece in pieces
        )
        screen.write(*islice(inline, 1, None), "\n")
    else:
        rows = (_row(*piece) for piece in pieces)
        screen.table(rows, header=("id", "loss", "origin", "field", "text"), indent=0)
    trained = sum(piece.weight > 0 for piece in pieces)
    bos = f"the {encoded.report.bos} writes the BOS" if encoded.report.bos else "there is no BOS"
    screen.line(f"{len(pieces)} token{'s' * (len(pieces) != 1)}, {trained} with loss; {bos}", style="bold")
    commands.print_notes([*commands.notes_on(rendered), *_notes(encoded, safe=not arguments.unsafe)])


def _inline(text: str, origin: str, weight: float) -> Painted:
    return Painted(text, "yellow" if weight else ORIGINS[origin])


def _row(token: int, text: str, origin: str, field: str, weight: float) -> tuple[str | Painted, ...]:
    style = ORIGINS[origin]
    return (
        str(token),
        Painted(f"{weight:g}" if weight else "", "yellow"),
        Painted(origin, style),
        field,
        Painted(repr(text) if text else CONTINUED, style),
    )


def _notes(encoded: lect.Encoded, *, safe: bool) -> Iterator[str]:
    report = encoded.report
    if report.controls:
        what = "encoded as ordinary tokens" if safe else "encoded as control tokens because of --unsafe"
        yield f"input texts that spell a control token: {len(report.controls)}, {what}"
    if report.cuts:
        yield f"the text is cut at {', '.join(map(str, report.cuts))}, where a token would reach into what is trained"
    if report.truncated:
        yield f"{report.truncated} token{' is' if report.truncated == 1 else 's are'} cut off by --max-length"
    for message in report.stops_lost:
        yield f"messages[{message}] is trained without a stop: there is none after it"


def _as_data(rendered: commands.Rendered, encoded: lect.Encoded) -> dict[str, Any]:
    report = encoded.report
    tokens = zip(encoded.pieces(), encoded.offsets, encoded.message_index, strict=True)
    return {
        "template": rendered.prompt.template.name,
        "text": rendered.prompt.text,
        "tokens": [
            piece._asdict() | {"start": start, "end": end, "message": message}
            for piece, (start, end), message in tokens
        ],
        "report": report._asdict() | {"controls": [control._asdict() for control in report.controls]},
    }
