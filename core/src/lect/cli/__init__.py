"""The command line.

A command is a module with two functions: `configure(parser)` adds its description, examples and arguments to its own
parser, and `run(arguments)` does the work and returns the exit code, None for 0. It is imported only when it is run, so
the other commands cost nothing. Installed packages add commands in the group `lect.commands`: see `cli/installed.py`.

A command that may run a model's own template states `BOUNDED = True`, and in `ENDLESS` the options with which it runs
none: see `cli/supervised.py`. lect's own commands end their help with an `EPILOG`.
"""

import sys
import warnings
from argparse import Action, ArgumentError, ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from typing import Any, NoReturn, cast

import lect
from lect import errors
from lect.cli import installed
from lect.cli.screen import NOTE, ClosedStream, Painted, Screen, Visible, discard_output
from lect.cli.supervised import add_bounds, supervised
from lect.errors import LectError, did_you_mean, near_names, saferepr

OK, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130

COMMANDS = {
    "prompt": "print the exact prompt that a model expects",
    "parse": "parse what a model wrote: reasoning, content, tool calls",
    "why": "show what a model path resolves to, and why",
    "families": "list the model families: installed and available",
    "plugins": "list the installed packages, what they claim and their status",
    "templates": "list the names of templates by owner",
    "formats": "list the reply formats, with examples",
    "doctor": "load every plugin and say what is broken, and what to do",
}
"""The modules of this package that are commands, and what each does."""


class _Help(RawDescriptionHelpFormatter):
    """Shows an option with its argument once, on every Python, as argparse does from 3.13 on."""

    def _format_action_invocation(self, action: Action) -> str:
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        argument = self._format_args(action, self._get_default_metavar_for_optional(action))
        return f"{', '.join(action.option_strings)} {argument}"


class Parser(ArgumentParser):
    """A parser that writes as all commands do: argparse itself ignores errors in writing."""

    def __init__(self, **settings: Any):
        super().__init__(formatter_class=_Help, allow_abbrev=False, **settings)
        self.color = False  # From Python 3.14 on, argparse writes control sequences.

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and which option was perhaps meant."""
        wrong = message.partition("unrecognized arguments: ")[2].partition(" ")[0].partition("=")[0]
        near = near_names(wrong, self._option_string_actions, likeness=0.8)
        super().error(f"{message}; {did_you_mean(near, '')}" if near else message)

    def _print_message(self, message: str, file: Any = None) -> None:
        Screen(file or sys.stderr).write(message)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return the exit code.

    0 on success, 1 if lect refuses or fails, 2 if the command line is wrong, 124 if the command took too long, and 130
    after Ctrl-C. With `argv`, or with other output streams, everything is done in this process, however long it takes.
    """
    words = sys.argv[1:] if argv is None else list(argv)
    is_alone = argv is None and sys.stdout is sys.__stdout__ and sys.stderr is sys.__stderr__
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, ClosedStream())
    streams = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = cast("tuple[Any, Any]", tuple(map(Visible, streams)))
    lect._registry.adapters.search = True
    try:
        with warnings.catch_warnings():
            _show_our_warnings(words)
            try:
                code = _run(words, is_alone=is_alone)
            except SystemExit as exited:
                code = int(exited.code or OK)
            except LectError as error:
                _print_error(str(error), words)
                code = getattr(error, "exit_code", FAILED)
            sys.stdout.flush()
        return code
    except BrokenPipeError:
        discard_output(sys.stdout)
        return OK
    except OSError as error:
        # It must be standard output: read errors are LectErrors, and errors in writing to standard error are ignored.
        discard_output(sys.stdout)
        _print_error(f"cannot write to standard output: {error.strerror or error}")
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        if not is_alone:  # Otherwise a traceback, too, is to be harmless.
            sys.stdout, sys.stderr = streams


def _run(words: list[str], *, is_alone: bool) -> int:
    if not words or words[0].startswith("-"):
        overview = _Overview()
        overview.parse_args(words)
        overview.print_help(sys.stderr)
        return USAGE
    name = words[0]
    module, parser = _command(name)
    # Intermixed, because otherwise argparse takes an optional TEXT to be absent if an option comes before it.
    arguments = parser.parse_intermixed_args(words[1:])
    is_endless = any(getattr(arguments, each) is not None for each in getattr(module, "ENDLESS", ()))
    is_bounded = getattr(module, "BOUNDED", False) and not is_endless
    run = partial(supervised, name, module.run) if is_alone and is_bounded else module.run
    try:
        return int(run(arguments) or OK)
    except ArgumentError as error:
        parser.error(str(error))


def _command(name: str) -> tuple[Any, Parser]:
    """Return a command and its parser."""
    module = import_module(f"lect.cli.{name}") if name in COMMANDS else installed.command(name) or _unknown(name)
    parser = Parser(prog=f"lect {name}", epilog=getattr(module, "EPILOG", None))
    module.configure(parser)
    if getattr(module, "BOUNDED", False):
        add_bounds(parser)
    return module, parser


def parsers() -> Iterator[ArgumentParser]:
    """Yield the parsers of all commands that can be loaded."""
    for name in dict.fromkeys([*COMMANDS, *installed.names()]):
        with suppress(LectError):
            yield _command(name)[1]


class _Overview(Parser):
    """The parser of `lect` itself. Installed commands are looked up only when its help is shown."""

    def __init__(self) -> None:
        super().__init__(
            prog="lect",
            usage="%(prog)s [-h] [--version] COMMAND ...",
            epilog='`lect COMMAND --help` explains a command.\n\nexample:\n  lect prompt lmsys/vicuna-7b-v1.5 "Hello!"',
        )
        self.add_argument("--version", action="version", version=f"lect {lect.__version__}")

    def format_help(self) -> str:
        try:
            others = installed.helps()
        except LectError:  # The settings cannot be read; help must work anyway.
            others = {}
        helps = COMMANDS | others | COMMANDS  # ours come first, and win
        width = max(map(len, helps))
        lines = "\n".join(f"  {name:{width}}  {text}" for name, text in helps.items())
        self.description = f"Give a model path, get the exact way to talk to that model.\n\ncommands:\n{lines}"
        return super().format_help()


def _unknown(word: str) -> NoReturn:
    elsewhere = installed.absent()
    if word in elsewhere:
        from lect.registry.advice import absence

        _Overview().error(absence(lect._registry.adapters, f"the command {word!r}", elsewhere[word]))
    known = [*COMMANDS, *installed.names(), *elsewhere]
    hint = did_you_mean(near_names(word, known), f"the commands are {', '.join(known)}")
    _Overview().error(f"there is no command {saferepr(word)}; {hint}")


def _print_error(message: str, words: Sequence[str] = (), label: str = "lect:", style: str = "red") -> None:
    """Write an error or a warning that a command line caused."""
    from lect.cli.wording import reword

    Screen(sys.stderr).write(Painted(label, style), f" {reword(message, words[0] if words else '')}\n")


def _show_our_warnings(words: list[str]) -> None:
    """Show lect's warnings in its own format, every time; leave all others to Python."""
    usual = warnings.showwarning
    notes = (errors.FallbackWarning, errors.OutputWarning)
    ours = (*notes, errors.PluginWarning, errors.ModelPathWarning, errors.ConversionWarning, errors.ReplyFormatWarning)

    def show(message: Any, category: type[Warning], *place: Any, **more: Any) -> None:
        if not issubclass(category, ours):
            usual(message, category, *place, **more)
        elif issubclass(category, notes):
            _print_error(str(message), words, NOTE, "yellow")
        else:
            _print_error(f"warning: {message}", words)

    warnings.showwarning = show
    for category in ours:
        warnings.simplefilter("always", category)
