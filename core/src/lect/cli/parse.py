"""`lect parse`: what a model wrote, taken apart."""

import codecs
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import Any

import lect
from lect.cli.inputs import DEFAULT, MODEL, STDIN, only_one_from_stdin, read_bytes, read_json, read_text, utf8
from lect.cli.screen import Painted, Screen, write_json
from lect.errors import LectError
from lect.reply.events import Event
from lect.reply.reply import Reply

BOUNDED = True
EPILOG = """\
examples:
  lect parse Qwen/Qwen2.5-7B-Instruct reply.txt
  lect parse Qwen/Qwen2.5-7B-Instruct --tools tools.json --json < reply.txt
  my-server | lect parse - --format qwen3_coder_xml --follow
"""
STYLES = {"reasoning": "dim", "content": "", "call_args": "green"}


def configure(parser: ArgumentParser) -> None:
    """Describe the command and its arguments."""
    parser.description = (
        "Parse what a model wrote: reasoning, content, tool calls, and why it ended.\n"
        "The input is what the model wrote, special tokens included; one line end after it is ignored."
    )
    add = parser.add_argument
    add("model", metavar="MODEL", type=utf8, help=f"{MODEL}; - if --format alone decides")
    file = "what the model wrote; - or nothing reads it from standard input"
    add("file", metavar="FILE", nargs="?", default=STDIN, help=file)
    reply_format = "the format of the reply, if not that of the model's template: a name from `lect formats`"
    add("--format", metavar="NAME", help=reply_format)
    add("--adapter", metavar="NAME", help="the adapter or template to use, as in lect prompt")
    add("--default", metavar="NAME", help=DEFAULT)
    stop = "another string at which the reply ends; may be repeated"
    add("--stop", metavar="TEXT", type=utf8, action="append", default=[], help=stop)
    add("--tools", metavar="FILE", help="a JSON file of OpenAI tool schemas, which decide the types of arguments")
    prompt = "the prompt that was answered: its end tells whether the reply begins inside reasoning"
    add("--prompt", metavar="FILE", help=prompt)
    add("--follow", action="store_true", help="show the reply while it arrives")
    add("--json", action="store_true", help="print the reply as JSON; with --follow, each event on a line")


def run(arguments: Namespace) -> None:
    """Show the reply; with --follow, while it arrives."""
    if arguments.model == STDIN and arguments.format is None:
        msg = "neither a model nor a format is named\n  try: the name of a model in place of -, or --format think"
        raise LectError(msg)
    only_one_from_stdin({"FILE": arguments.file, "--tools": arguments.tools, "--prompt": arguments.prompt})
    stream = lect.stream(
        None if arguments.model == STDIN else arguments.model,
        adapter=arguments.adapter,
        default=arguments.default,
        format=arguments.format,
        tools=None if arguments.tools is None else read_json(arguments.tools),
        prompt=None if arguments.prompt is None else read_text(arguments.prompt),
        stop=arguments.stop,
    )
    if arguments.json and not arguments.follow:
        stream.feed(_without_line_end(read_text(arguments.file)))
        write_json(_as_data(stream.close()))
        return
    printer = _Printer()
    show = _print_event_as_json if arguments.json else printer.show
    for chunk in _chunks(arguments.file) if arguments.follow else [_without_line_end(read_text(arguments.file))]:
        for event in stream.feed(chunk):
            show(event)
    for event in stream.finish():
        show(event)
    if not arguments.json:
        printer.end(stream.close())


def _without_line_end(text: str) -> str:
    return text.removesuffix("\n").removesuffix("\r")


def _chunks(path: str) -> Iterator[str]:
    """Yield text as it arrives, without a line end at the very end."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    held = ""
    for data in read_bytes(path):
        text = held + decoder.decode(data)
        held = next((end for end in ("\r\n", "\n", "\r") if text.endswith(end)), "")
        yield text.removesuffix(held)
    yield (held if held == "\r" else "") + decoder.decode(b"", final=True)


class _Printer:
    """Shows events one after another, with a heading wherever something else begins."""

    def __init__(self) -> None:
        self.screen = Screen(sys.stdout)
        self.heading = self.call = ""
        self.held = ""  # Line ends, after which there may be nothing.
        self.is_open = False  # Whether a line has begun.

    def show(self, event: Event) -> None:
        screen, kind = self.screen, event.kind
        if event.problem is not None:
            start, end = event.problem.span
            self._begin(f"problem {event.problem.code}, at {start} to {end}: {event.problem.text}", "yellow")
        elif kind == "call_start":
            self.call = f"call {event.text}"
            self._begin(self.call)
        elif kind in STYLES:
            heading = self.call if kind == "call_args" else kind
            if heading != self.heading:
                self._begin(heading)
            text = self.held + event.text
            shown = text.rstrip("\n")
            self.held = text[len(shown) :]
            screen.write("  " * (not self.is_open), Painted(shown.replace("\n", "\n  "), STYLES[kind]))
            self.is_open = True
        sys.stdout.flush()

    def end(self, reply: Reply) -> None:
        stop = f" at {reply.stop!r}" if reply.stop else ""
        self._begin(f"ended: {reply.finish or 'reason unknown'}{stop}", "dim")

    def _begin(self, heading: str, style: str = "bold") -> None:
        self.screen.write("\n" * self.is_open)
        self.screen.line(heading, style=style)
        self.heading, self.held, self.is_open = heading, "", False


def _as_data(reply: Reply) -> dict[str, Any]:
    data = reply._asdict()
    del data["raw"]
    return {
        key: [each._asdict() for each in value] if isinstance(value, tuple) else value for key, value in data.items()
    }


def _print_event_as_json(event: Event) -> None:
    data: dict[str, Any] = {"kind": event.kind, "text": event.text, "index": event.index, "id": event.id}
    if event.call is not None:
        data["call"] = event.call._asdict()
    if event.problem is not None:
        data["problem"] = event.problem._asdict()
    write_json(data, indent=None)
