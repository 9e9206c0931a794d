"""The input of commands: text, files and options.

Wrong arguments are an `ArgumentError`, or an `ArgumentTypeError` while they are parsed; a file that cannot be read is a
`LectError`, and one that holds something else a `MessageError`.
"""

import os
import sys
from argparse import ArgumentError, ArgumentTypeError, Namespace
from collections.abc import Iterator, Mapping
from typing import Any

from lect.cli.screen import NOTE, Screen
from lect.errors import LectError, MessageError, saferepr

MODEL = "owner/name, a name, a local path, or a template as plugin:name"
ADAPTER = "the adapter or template to use, such as qwen, qwen:qwen2.5 or chatml, whatever the path says"
DEFAULT = "the template for a model that no adapter knows, such as chatml"
STDIN = "-"
END_OF_INPUT = "Ctrl-Z and Enter" if os.name == "nt" else "Ctrl-D"
LONGEST_NUMBER = 20
"""In digits."""
NOT_OPTIONS = {
    "messages": "--messages",
    "tools": "--tools",
    "add_generation_prompt": "--no-generation-prompt",
    "continue_final_message": "--continue",
    "strict": "--strict",
    "limits": "--limit",
}
"""What `Template.render` takes besides options, and the arguments for it here."""
RESERVED = (*NOT_OPTIONS, "on_control", "self")


def utf8(argument: str) -> str:
    """Return an argument as text; what the locale cannot decode may still be UTF-8."""
    try:
        argument.encode()
    except UnicodeEncodeError:
        try:
            return os.fsencode(argument).decode()
        except UnicodeError as error:
            raise ArgumentTypeError(f"{saferepr(argument)} is not in UTF-8") from error
    return argument


def option(argument: str) -> tuple[str, Any]:
    """Read `NAME=VALUE`: the value is read as JSON if possible, else as text; a `date` is a day."""
    name, equals, value = utf8(argument).partition("=")
    if not (name and equals):
        raise ArgumentTypeError(f"{saferepr(argument)} is not of the form NAME=VALUE, such as enable_thinking=false")
    if name in RESERVED:
        instead = f"; use {NOT_OPTIONS[name]}" if name in NOT_OPTIONS else ""
        raise ArgumentTypeError(f"{name!r} is not an option of a template{instead}")
    return name, _day(value) if name == "date" else _json_or_text(value)


def limit(argument: str) -> tuple[str, int]:
    """Read `NAME=NUMBER`."""
    name, _, number = utf8(argument).partition("=")
    if not (name and number.isascii() and number.isdecimal() and len(number) < LONGEST_NUMBER):
        raise ArgumentTypeError(f"{saferepr(argument)} is not of the form NAME=NUMBER, such as messages=200000")
    return name, int(number)


def _day(text: str) -> Any:
    import datetime

    for read in (datetime.date.fromisoformat, datetime.datetime.fromisoformat):
        try:
            return read(text)
        except ValueError:
            continue
    raise ArgumentTypeError(f"date is {saferepr(text)}; expected a day such as 2024-07-26")


def _json_or_text(text: str) -> Any:
    import json

    try:
        # NaN and Infinity are not JSON, whatever the standard library thinks: they are more useful as words, and `int`
        # refuses both.
        return json.loads(text, parse_constant=int)
    except (ValueError, RecursionError):
        return text


def read_conversation(arguments: Namespace) -> tuple[Any, Any, tuple[str, ...]]:
    """Return messages and tools from the arguments, the files that they name, and standard input.

    After them comes what else was in the file of messages, such as `temperature`.
    """
    if arguments.messages is not None and (arguments.text is not None or arguments.system is not None):
        raise ArgumentError(None, "--messages cannot be combined with TEXT or --system")
    only_one_from_stdin({"TEXT": arguments.text, "--messages": arguments.messages, "--tools": arguments.tools})
    tools = None if arguments.tools is None else read_json(arguments.tools)
    if arguments.messages is None:
        system = [] if arguments.system is None else [{"role": "system", "content": arguments.system}]
        return [*system, {"role": "user", "content": _text(arguments.text)}], tools, ()
    given = read_json(arguments.messages)
    if not isinstance(given, dict):
        return given, tools, ()
    if "messages" not in given:
        advice = '  try: a list of messages, or {"messages": [...], "tools": [...]}'
        raise MessageError(f"{_name(arguments.messages)} is a JSON object without messages\n{advice}")
    if tools is not None and given.get("tools"):
        raise ArgumentError(None, f"both --tools and {_name(arguments.messages)} have tools; give one of them")
    ignored = tuple(str(key) for key in given if key not in ("messages", "tools"))
    return given["messages"], tools or given.get("tools"), ignored


def only_one_from_stdin(given: Mapping[str, str | None]) -> None:
    """Check that at most one argument reads standard input."""
    if list(given.values()).count(STDIN) > 1:
        *others, last = given
        raise ArgumentError(None, f"only one of {', '.join(others)} and {last} can be {STDIN}, standard input")


def _text(text: str | None) -> str:
    if text is not None and text != STDIN:
        if os.path.isfile(text):
            note = f"{_name(text)} is taken as what the user says, and is also a file; --messages reads it as messages"
            Screen(sys.stderr).line(f"{NOTE} {note}", style="dim")
        return text
    read = "" if text is None and sys.stdin.isatty() else read_text(STDIN)
    if text is None and not read:
        raise ArgumentError(None, "no text was given: give TEXT, pipe it in, or name a file with --messages")
    # The line end that echo and editors add belongs to the file, not to the message.
    return read.removesuffix("\n").removesuffix("\r")


def read_text(path: str) -> str:
    """Return the text of a file, or of standard input."""
    try:
        return b"".join(read_bytes(path)).decode()
    except UnicodeDecodeError as error:
        raise LectError(f"{_name(path)} is not in UTF-8: {error.reason} at byte {error.start}") from error


def read_bytes(path: str) -> Iterator[bytes]:
    """Yield the bytes of a file, or of standard input, as they arrive; the locale plays no part."""
    try:
        # `read1` returns what is available, without waiting for more.
        if path != STDIN:
            with open(path, "rb") as file:
                yield from iter(lambda: file.read1(65_536), b"")
            return
        if sys.stdin.isatty():
            Screen(sys.stderr).line(f"{NOTE} waiting for standard input; end it with {END_OF_INPUT}", style="dim")
        if (buffer := getattr(sys.stdin, "buffer", None)) is not None:
            yield from iter(lambda: buffer.read1(65_536), b"")
        else:  # a custom stream
            yield sys.stdin.read().encode()
    except (OSError, ValueError) as error:
        advice = "" if path == STDIN else "\n  try: the path of a file, or - for standard input"
        raise LectError(f"cannot read {_name(path)}: {getattr(error, 'strerror', None) or error}{advice}") from error


def read_json(path: str) -> Any:
    """Return the value in a JSON file, or in standard input."""
    import json

    try:
        return json.loads(read_text(path).removeprefix("\ufeff"))
    except (ValueError, RecursionError) as why:
        raise MessageError(f"{_name(path)} is not JSON: {why if getattr(why, 'doc', 1) else 'it is empty'}") from why


def _name(path: str) -> str:
    return "standard input" if path == STDIN else saferepr(path)
