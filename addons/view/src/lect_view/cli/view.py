"""`lect view`: a prompt, its tokens, two prompts or a reply as a page; and the page that runs lect in a browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

HELP = "show a prompt, its tokens or a reply as one HTML page"
BOUNDED = True
ENDLESS = ("site", "serve")
EPILOG = """\
The page needs no network and no server, so it can be sent to others as it is. It contains what was given, and the
images that are named in it.

examples:
  lect view Qwen/Qwen3-4B "Hello!" --open
  lect view Qwen/Qwen3-4B --messages chat.json --against Qwen/Qwen2.5-7B-Instruct -o two.html
  lect view Qwen/Qwen3-4B --messages chat.json --tokenizer ./Qwen3-4B -o tokens.html
  lect view Qwen/Qwen3-4B --reply reply.txt -o reply.html

`--site` and `--serve` give a page on which everything can be edited: it runs lect itself in the browser, without a
server behind it. They need no model, but Pyodide, which is Python for browsers: npm install pyodide.

  lect view --site public
  lect view --serve --open
"""


def configure(parser: ArgumentParser) -> None:
    """Describe the command and its arguments."""
    from lect.addon import commands

    parser.description = (
        "Show a prompt as a page: who wrote which character, what came from outside and looks like control text, and\n"
        "what was given and is not in it. With a tokenizer, its tokens; with another model, both side by side."
    )
    parser.epilog = EPILOG
    commands.add_conversation(parser, nargs="?")
    add = parser.add_argument
    add("--tokenizer", metavar="DIR", help="show the tokens: a directory with a tokenizer.json, or that file")
    add(
        "--against",
        metavar="OTHER",
        type=commands.utf8,
        help="another model, template or file, to see both side by side",
    )
    commands.add_notation(parser)
    add("--reply", metavar="FILE", help="show what the model wrote instead, and how it arrives; or -")
    add("-o", "--output", metavar="FILE", help="the file (default: standard output)")
    add("--open", action="store_true", help="open the page in a browser")
    add("--site", metavar="DIR", help="write the page that runs lect in a browser, for any web server")
    serve = "serve that page to this machine, at http://127.0.0.1, until Ctrl-C; PORT 0 is any that is free"
    add("--serve", metavar="PORT", nargs="?", type=int, const=0, help=serve)
    add("--pyodide", metavar="DIR", help="the folder of Pyodide (default: node_modules/pyodide, here or above)")


def run(arguments: Namespace) -> None:
    """Write the page, or open it."""
    import sys
    from argparse import ArgumentError

    from lect.addon import commands

    if arguments.site is not None or arguments.serve is not None:
        _site(arguments)
        return
    if arguments.model is None:
        raise ArgumentError(None, "the following arguments are required: MODEL")
    if sum(map(bool, (arguments.tokenizer, arguments.against, arguments.reply))) > 1:
        raise ArgumentError(None, "only one of --tokenizer, --against and --reply can be given")
    if arguments.notation and not arguments.against:
        raise ArgumentError(None, "--notation is that of the file that --against names")
    if not (arguments.output or arguments.open) and sys.stdout.isatty():
        raise ArgumentError(None, "a page is not for terminals: name a file with -o, or give --open")
    page = _page(arguments)
    if not (arguments.output or arguments.open):
        commands.write_exactly(page)
        return
    _open(page, arguments.output, show=arguments.open)


def _page(arguments: Namespace) -> str:
    import lect
    from lect.addon import commands
    from lect_tokens import load_tokenizer
    from lect_view import html, record
    from lect_view.reply import in_chunks

    if arguments.reply:
        raw = commands.read_text(arguments.reply).removesuffix("\n").removesuffix("\r")
        return html(record(commands.resolve(arguments).stream(), in_chunks(raw)))
    rendered = commands.render(arguments, after_answers=not arguments.tokenizer)
    commands.print_notes(commands.notes_on(rendered))
    prompt = rendered.prompt
    if arguments.against:
        return html(prompt, against=rendered.by(commands.find_template(arguments.against, arguments.notation)))
    if arguments.tokenizer:
        policy = None if rendered.is_open else lect.LossPolicy(allow_uniform=True)
        return html(prompt.encode(load_tokenizer(arguments.tokenizer), policy=policy, strict=False))
    return html(prompt)


def _open(page: str, path: str | None, *, show: bool) -> None:
    import os
    import tempfile
    import webbrowser
    from pathlib import Path

    from lect.addon import commands
    from lect.plugin import owned, write_whole

    if path is None:
        path = os.path.join(tempfile.mkdtemp(prefix="lect-view-"), "page.html")
    with owned(path):
        write_whole(path, page)
    if show:
        # A browser needs more than a template may.
        commands.limit_memory(None)
        webbrowser.open(Path(path).absolute().as_uri())


def _site(arguments: Namespace) -> None:
    import sys
    import tempfile
    from argparse import ArgumentError
    from contextlib import nullcontext

    from lect.addon import Screen, commands
    from lect_view.site.build import write_site

    if arguments.model is not None:
        raise ArgumentError(None, "--site and --serve take no MODEL: it is chosen on the page")
    with nullcontext(arguments.site) if arguments.site else tempfile.TemporaryDirectory() as folder:
        with commands.Progress(Screen(sys.stderr)) as progress:
            write_site(folder, arguments.pyodide, progress.show)
        if arguments.serve is None:
            Screen(sys.stderr).line(f"written to {folder}; try: lect view --serve, or any web server")
        else:
            _serve(folder, arguments.serve, show=arguments.open)


def _serve(folder: str, port: int, *, show: bool) -> None:
    import sys
    import webbrowser
    from contextlib import suppress

    from lect.addon import Screen
    from lect.errors import LectError
    from lect_view.site.server import HOST, server

    try:
        opened = server(folder, port)
    except (OSError, OverflowError) as error:
        raise LectError(f"cannot serve at port {port}: {error}\n  try: --serve without a port") from error
    with opened, suppress(KeyboardInterrupt):
        address = f"http://{HOST}:{opened.server_port}/"
        Screen(sys.stdout).line(f"{address} (Ctrl-C ends it)")
        sys.stdout.flush()
        if show:
            webbrowser.open(address)
        opened.serve_forever()
