"""What commands have in common: what they read and write, and how they render a conversation.

`MODEL` and `SOURCE` are what help says of arguments that name a model or a template, `utf8` and `option` are types of
arguments; `add_conversation` and `add_notation` add some. `find_template`, `read_text` and `read_json` return what
they name, a file or `STDIN`, which `only_one_from_stdin` grants. `resolve` resolves the model, `render` gives a
`Rendered`, which `notes_on` is about; `print_notes` prints these. `write_json` writes for programs, `write_exactly`
byte for byte, `limit_memory` sets or lifts a limit, `parsers` yields all parsers, `Progress` shows how far work is.
"""

from lect.cli import parsers
from lect.cli.inputs import MODEL, STDIN, only_one_from_stdin, option, read_json, read_text, utf8
from lect.cli.rendering import Rendered, add_conversation, notes_on, print_notes, render, resolve
from lect.cli.screen import Progress, write_exactly, write_json
from lect.cli.sources import SOURCE, add_notation, find_template
from lect.cli.supervised import limit_memory

__all__ = [
    "MODEL", "SOURCE", "STDIN", "Progress", "Rendered", "add_conversation", "add_notation", "find_template",
    "limit_memory", "notes_on", "only_one_from_stdin", "option", "parsers", "print_notes", "read_json", "read_text",
    "render", "resolve", "utf8", "write_exactly", "write_json",
]  # fmt: skip
