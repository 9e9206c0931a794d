"""`lect view`: a prompt, its tokens, two prompts or a reply as a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

HELP = "show a prompt, its tokens or a reply as one HTML page"
PATHS = ("model", "against")
EPILOG = """\
The page needs no network and no server, so it can be sent to others as it is. It contains what was given.

examples:
  lect view Qwen/Qwen3-4B "Hello!" --open
  lect view Qwen/Qwen3-4B --messages chat.json --against Qwen/Qwen2.5-7B-Instruct -o two.html
  lect view Qwen/Qwen3-4B --messages chat.json --tokenizer ./Qwen3-4B -o tokens.html
  lect view Qwen/Qwen3-4B --reply reply.txt -o reply.html
"""
STEP = 4
"""How many characters of a reply arrive at once."""


def configure(parser: ArgumentParser) -> None:
    """Describe the command and its arguments."""
    from lect.cli.inputs import utf8
    from lect.cli.rendering import add_conversation

    parser.description = (
        "Show a prompt as a page: who wrote which character, what came from outside and looks like control text, and\n"
        "what was given and is not in it. With a tokenizer, its tokens; with another model, both side by side."
    )
    parser.epilog = EPILOG
    add_conversation(parser)
    add = parser.add_argument
    add("--tokenizer", metavar="DIR", help="show the tokens: a directory with a tokenizer.json, or that file")
    add("--against", metavar="OTHER", type=utf8, help="another model, template or file, to see both side by side")
    add("--reply", metavar="FILE", help="show what the model wrote instead, and how it arrives; or -")
    add("-o", "--output", metavar="FILE", help="the file (default: standard output)")
    add("--open", action="store_true", help="open the page in a browser")


def run(arguments: Namespace) -> None:
    """Write the page, or open it."""
    import sys
    from argparse import ArgumentError

    from lect.cli.screen import write_exactly
    from lect.errors import LectError

    if sum(map(bool, (arguments.tokenizer, arguments.against, arguments.reply))) > 1:
        raise ArgumentError(None, "only one of --tokenizer, --against and --reply can be given")
    if not (arguments.output or arguments.open) and sys.stdout.isatty():
        raise ArgumentError(None, "a page is not for terminals: name a file with -o, or give --open")
    page = _page(arguments)
    if not (arguments.output or arguments.open):
        write_exactly(page)
        return
    try:
        _open(page, arguments.output, show=arguments.open)
    except OSError as error:
        msg = f"cannot write {arguments.output or 'a page'}: {error.strerror or error}"
        raise LectError(msg) from error


def _page(arguments: Namespace) -> str:
    import lect
    from lect.cli.inputs import read_text
    from lect.cli.rendering import notes_on, print_notes, render, resolve
    from lect.cli.sources import find_template, load_tokenizer
    from lect_view import html, record

    if arguments.reply:
        raw = read_text(arguments.reply).removesuffix("\n").removesuffix("\r")
        chunks = (raw[start : start + STEP] for start in range(0, len(raw), STEP))
        return html(record(resolve(arguments).stream(), chunks))
    rendered = render(arguments, after_answers=not arguments.tokenizer)
    print_notes(notes_on(rendered))
    prompt = rendered.prompt
    if arguments.against:
        messages, tools, options, asks = prompt._request
        other = find_template(arguments.against)
        return html(prompt, against=other.render(messages, tools=tools, add_generation_prompt=asks, **options))
    if arguments.tokenizer:
        policy = None if rendered.is_open else lect.LossPolicy(allow_uniform=True)
        return html(prompt.encode(load_tokenizer(arguments.tokenizer), policy=policy))
    return html(prompt)


def _open(page: str, path: str | None, *, show: bool) -> None:
    import os
    import tempfile
    import webbrowser
    from pathlib import Path

    if path is None:
        number, path = tempfile.mkstemp(".html", "lect-view-")
        os.close(number)
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(page)
    if show:
        webbrowser.open(Path(path).absolute().as_uri())
