"""The pages of the documentation, as the tests read and run them.

One convention for all pages:

- the `python` blocks of a page are one program; a `text` block right after one is what it prints, and an error is shown
  as Python shows it, without the traceback;
- `py` blocks continue that program, and need packages that most sessions do not have: tests/integrations runs them;
- in a `console` block, a line that begins with `$ ` is a command, and what follows it is its output; a `shell-session`
  block is the same for commands that need packages that most sessions do not have;
- a `toml` or `jinja` block that begins with a comment such as `# pins.toml` or `{# model/chat_template.jinja #}` is a
  file of that name;
- in what is printed, `...` matches anything, on a line of its own any number of lines; columns may be closer or wider
  apart;
- `shell` blocks are not run here: they install things.
"""

import json
import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

REPOSITORY = Path(__file__).parents[2]
DOCS = REPOSITORY / "docs"
READMES = ("README*.md", "core/README.md", "examples/README.md", "plugins/*/README.md")
RUNNER = Path(__file__).with_name("run_page.py")
BLOCK = re.compile(r"^```(\S*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
ANY_LINES = r"(?:.*\n)*?"
FILE_NAME = re.compile(r"# (\S+\.toml)\n|\{# (\S+\.jinja) #\}\n")


class Block(NamedTuple):
    """A fenced block of a page."""

    line: int
    language: str
    text: str


class Example(NamedTuple):
    """Something to run, and what it prints; None if the page does not say."""

    line: int
    code: str
    printed: str | None


def all_pages():
    """Return the pages that people read: READMEs and documentation, but nothing that was built from them."""
    built = DOCS / "_build"
    top = [REPOSITORY / f"{title}.md" for title in ("SECURITY", "CONTRIBUTING", "CODE_OF_CONDUCT")]
    readmes = [path for pattern in READMES for path in sorted(REPOSITORY.glob(pattern))]
    return [
        *readmes,
        *top,
        *sorted(page for page in DOCS.rglob("*.md") if built not in page.parents),
    ]


def name(page):
    return page.relative_to(REPOSITORY).as_posix()


def read_blocks(page):
    text = page.read_text("utf-8")
    return [Block(text.count("\n", 0, found.start()) + 1, found[1], found[2]) for found in BLOCK.finditer(text)]


def python_examples(page, languages=("python",)):
    """Return the program of a page, block by block. A block without a `text` block after it prints nothing."""
    return [
        Example(block.line, block.text, after.text if after.language == "text" else "")
        for block, after in pairwise([*read_blocks(page), Block(0, "", "")])
        if block.language in languages
    ]


def console_examples(page, language="console"):
    """Return the commands of a page with the output that it shows."""
    examples = []
    for block in read_blocks(page):
        if block.language == language:
            for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
                command, _, printed = part.partition("\n")
                examples.append(Example(block.line, command, printed or None))
    return examples


def write_files(page, directory):
    """Write the files that a page shows."""
    for block in read_blocks(page):
        found = FILE_NAME.match(block.text) if block.language in ("toml", "jinja") else None
        if found:
            path = directory / (found[1] or found[2])
            path.parent.mkdir(exist_ok=True)
            path.write_text(block.text, "utf-8")


def fits(printed, expected):
    """Return whether output is what a page shows; newlines at the very end make no difference."""
    pattern = "".join(
        ANY_LINES if line.strip() == "..." else _line_pattern(line) for line in _columns(expected).splitlines()
    )
    return re.fullmatch(pattern, _columns(printed)) is not None


def _columns(text):
    return re.sub(r"(?<=\S) {2,}(?=\S)", "  ", text.rstrip("\n") + "\n")


def _line_pattern(line):
    return ".*".join(map(re.escape, line.split("..."))) + "\n"


def environment(directory=None):
    """Return an environment in which commands of `directory` come first and nothing is pinned, blocked or coloured."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("LECT_", "PYTHON"))}
    path = os.pathsep.join([str(directory or Path(sys.executable).parent), os.environ.get("PATH", "")])
    return {**clean, "PATH": path, "NO_COLOR": "1", "COLUMNS": "100", "PYTHONIOENCODING": "utf-8"}


def run_program(examples, cwd, python=sys.executable):
    """Run a page's program in a separate interpreter; return what each block printed."""
    done = subprocess.run(
        [python, "-W", "error", RUNNER],
        input=json.dumps([example.code for example in examples]),
        cwd=cwd,
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def run_command(command, cwd, directory=None):
    """Run a command as a shell does; return all that it printed."""
    done = subprocess.run(
        command,
        shell=True,
        cwd=cwd,
        env=environment(directory),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    return done.stdout
