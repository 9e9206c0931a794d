"""What errors say on the page: nobody there has a shell, a Python prompt or a file system."""

from __future__ import annotations

import re
from collections.abc import Callable

PHRASES: dict[str, str | Callable[[re.Match[str]], str]] = {
    r"no installed adapter recognises": "no format is known for",
    r"the model path is empty": "there is no model",
    r"get_conversation_template\(.*": "a format from the list of the field, such as lect:chatml",
    r"'\./[^']*', if .*: its own template is read": "drop the model's own files: its own template is read",
    r", or the path of a local model directory": "",
    r"\bthere is no argument or option\b": "there is no option",
    r"\bstrict=False to render without it": '"strict": false, to see it without',
    r"decode the text with errors='replace'": r"write \\ufffd in its place",
    r"\b(\w+)=\{'(\w+)': (\S+)\}": r'"\1": {"\2": \3} in the JSON',
    r"\b(\w+)='([^']*)'": r'"\1": "\2" in the JSON',
    r"\b(\w+)=(True|False)\b": lambda found: f'"{found[1]}": {found[2].lower()} in the JSON',
    r"\b(\w+)=\.\.\.": r'"\1": ... in the JSON',
    r", or a higher limit: limits=.*": "",
}
"""Patterns of what errors say to a program, and the words for it on the page."""
NOT_HERE = re.compile(r"`?lect |pip |LECT_|'hf:|lect\.|again, or a directory")
"""What advice begins with that is of no use on the page."""
_ADVICE = re.compile(r" *(?:try|or): (.*)")


def on_the_page(message: str) -> str:
    """Return a message in the words of the page, without advice that is for elsewhere."""
    said, advised = [], []
    for line in message.split("\n"):
        advice = _ADVICE.fullmatch(line)
        if (advice and NOT_HERE.match(advice[1])) or line.lstrip().startswith("considered: "):
            continue
        for phrase, here in PHRASES.items():
            line = re.sub(phrase, here, line)
        if advice := _ADVICE.fullmatch(line):
            advised.append(advice[1])
        else:
            said.append(line)
    labels = ["  try: ", *["   or: "] * len(advised)]
    return "\n".join([*said, *map("".join, zip(labels, dict.fromkeys(advised), strict=False))])
