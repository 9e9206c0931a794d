"""Words, tables and prompts of the gallery in Markdown."""

from html import escape

from lect import Origin

TAGS = {Origin.INPUT: "b", Origin.UNKNOWN: "u"}
"""Text that the template did not write is marked in a way that survives without a style sheet."""


def anchor(heading):
    """Return the anchor that a forge, or Sphinx, gives a heading."""
    return "".join(letter for letter in heading.lower().replace(" ", "-") if letter.isalnum() or letter in "-_")


def code(text):
    """Return a text as inline code, also for a cell of a table, with its newlines spelled out."""
    shown = text.replace("\\", "\\\\").replace("\n", "\\n").replace("|", "\\|")
    fence = "``" if "`" in shown else "`"
    return f"{fence} {shown} {fence}" if shown != shown.strip() or "`" in shown else f"{fence}{shown}{fence}"


def codes(texts):
    return ", ".join(map(code, texts))


def prose(text):
    """Return prose with everything escaped that Markdown would read as a tag, or as a column of a table."""
    return text.replace("<", "\\<").replace("|", "\\|")


def table(*rows, header=("", "")):
    """Return a table; rows that are empty are left out."""
    lines = ["| " + " | ".join(line) + " |" for line in (header, *rows) if line]
    lines.insert(1, "|---" * len(header) + "|")
    return "\n".join(lines).replace("|  |", "| |").replace("|  |", "| |")


def folded(summary, text):
    """Return text that a reader can unfold."""
    return f"<details>\n<summary>{summary}</summary>\n\n{text}\n</details>\n"


def preformatted(prompt):
    """Return a prompt as HTML, with its origins.

    Spaces at the end of a line, and a newline at the very end, are shown as marks, which the copy button turns back.
    """
    pieces = []
    for segment in prompt.segments:
        # Three backticks would be a fence in plain Markdown.
        text = escape(segment.text, quote=False).replace("```", "&#96;&#96;&#96;")
        tag = TAGS.get(segment.origin)
        pieces.append(f"<{tag}>{text}</{tag}>" if tag else text)
    lines = "".join(pieces).split("\n")
    for index, line in enumerate(lines):
        kept = line.rstrip(" ")
        lines[index] = kept + _marked("␣" * (len(line) - len(kept)))
    if not lines[-1]:
        lines[-2:] = [lines[-2] + _marked("⏎")]
    # The first newline inside the tag is not text.
    return '<pre class="prompt">\n' + "\n".join(lines) + "</pre>"


def _marked(marks):
    return f"<i>{marks}</i>" if marks else ""
