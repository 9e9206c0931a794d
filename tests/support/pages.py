"""The pages of the documentation, as the tests read and run them.

One convention for all pages:

- the `python` blocks of a page are one program; a `text` block right after one is what it prints, and an error is shown
  as Python shows it, without the traceback;
- `py` blocks continue that program, and need packages that most sessions do not have:
  tests/integrations/test_heavy_pages.py runs them;
- in a `console` block, a line that begins with `$ ` is a command, and what follows it is its output; a `shell-session`
  block is the same for commands that need packages that most sessions do not have;
- the first command of a page that installs something names what its `python` and `console` blocks need. The other blocks
  may need what later commands name, or a comment such as `# pip install xgrammar`;
- a `toml` or `jinja` block that begins with a comment such as `# pins.toml` or `{# model/chat_template.jinja #}` is a
  file of that name;
- in what is printed, `...` matches anything, on a line of its own any number of lines; columns may be closer or wider
  apart;
- `shell` blocks are not run here: they install things. `NOT_RUN` says why their other commands are not run.
"""

import json
import os
import re
import shlex
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

from repository import FOLDERS, REPOSITORY, STREETS

DOCS = REPOSITORY / "docs"
READMES = ("README*.md", "core/README.md", "examples/README.md", *(f"{street}/*/README.md" for street in STREETS))
RUNNER = Path(__file__).with_name("run_page.py")
BLOCK = re.compile(r"^ *```(\S*)\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)
ANY_LINES = r"(?:.*\n)*?"
INSTALL = re.compile(r"(?<![/\w])pip install ((?:[^\s#&]+ *)+)")
SHOWN = {"text", "powershell", "toml", "jinja", "yaml", "json", "diff", "", "{toctree}", "{eval-rst}"}
"""The languages of blocks that are no code."""
ELSEWHERE = {
    "docs/how-to/use-in-other-tools.md": "tests/integrations/test_hosts.py runs each recipe in its host: `nox -s hosts`",
    "docs/how-to/read-replies-in-vllm-and-sglang.md": "tests/integrations/test_vllm.py registers a parser in the same way",
}
"""The pages whose `py` blocks are not run as they are, with the reason."""
NOT_RUN = {
    "python3 -m venv": "it makes an environment: tests/readme, tests/release and tests/test_tutorial.py do this",
    "for package in plugins/*/ addons/*/": "it installs",
    "for name in lect": "it asks an index about names",
    "pre-commit install": "it changes a clone",
    "nox ": "it runs the tests",
    "pytest": "it runs the tests of a package that the reader writes, as tests/test_new.py does",
    "python tests/support/make_": "it writes files of this repository, which tests compare",
    "python docs/make_": "it writes files of this repository, which tests compare",
    "python run.py": "tests/test_pack.py runs it",
    "twine upload": "it uploads",
    "npm install": "it downloads; `nox -s site` does this",
    "lect view --serve": "it serves until it is stopped; tests/browser/test_site.py does this",
    "lect view --site": "it needs what npm installs; tests/browser/test_site.py does this",
    "vllm serve": "it needs a GPU; `nox -s vllm` tries the parsers",
    "sglang serve": "it needs a GPU; `nox -s sglang` tries the parsers",
    "LECT_PINS='*/checkpoint-900=qwen:qwen3' sglang": "it needs a GPU; `nox -s sglang` tries the parsers",
    "lect serve": "it serves until it is stopped; addons/serve/tests/test_serve_command.py does this",
    "curl http://127.0.0.1:8000": "it asks what the line before serves; addons/serve/tests/test_serve.py does this",
    "ollama pull": "it downloads",
    "llama-server": "it needs a model; tests/integrations/test_llama_cpp.py starts a server",
    "lect verify --server": "it needs a server; tests/integrations/test_llama_cpp.py has one",
    "lect why hf:": "it downloads; plugins/hub/tests do this",
    "lect prompt hf:": "it downloads; plugins/hub/tests do this",
    "lect audit hf:": "it downloads; plugins/hub/tests do this",
    "lect verify hf:": "it downloads; plugins/hub/tests do this",
    "lect new acme": "tests/test_tutorial.py does this",
    "lect check acme": "tests/test_tutorial.py does this",
    'lect view Qwen/Qwen3-4B "Hello!" --open': "it opens a browser",
    "lect prompt Qwen/Qwen2.5-7B-Instruct": "tests/release/test_wheelhouse.py runs it with what the line before installs",
    "lect prompt ./checkpoint-500": "the reader's own model: how-to/use-a-local-model.md has one",
    "lect audit ./checkpoint-500": "the reader's own model: how-to/read-an-audit.md has one",
}
"""Commands in `shell` and `sh` blocks that install nothing, by how they begin, with the reason why no test runs them as
they are."""
CHAT = [{"role": "user", "content": "6 times 7?"}, {"role": "assistant", "content": "42."}]
READERS = {
    "chat.json": [CHAT],
    "tools.json": [[{"type": "function", "function": {"name": "get_time", "parameters": {"type": "object"}}}]],
    "chats.jsonl": [{"messages": CHAT}],
    "questions.jsonl": [{"prompt": CHAT[:1], "answer": "42"}],
    "pairs.jsonl": [{"prompt": CHAT[:1], "chosen": CHAT[1:], "rejected": [{"role": "assistant", "content": "41."}]}],
}
"""The files of JSON Lines, or of one line, that a reader is supposed to have."""
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
    return [Block(text.count("\n", 0, found.start()) + 1, found[1], dedent(found[2])) for found in BLOCK.finditer(text)]


def needed(page, everywhere=False):
    """Return what the first command of a page installs, or all that it installs anywhere; a page that installs nothing
    has all packages of this repository."""
    languages = ("shell", "sh", "py") if everywhere else ("shell", "sh")
    code = "".join(block.text for block in read_blocks(page) if block.language in languages)
    found = [installs[1] for line in code.splitlines() if (installs := INSTALL.search(line))]
    words = shlex.split(" ".join(found if everywhere else found[:1])) or [f"./{street}/*" for street in STREETS]
    ours = {f"./{path.relative_to(REPOSITORY).as_posix()}": [f"lect-{name}"] for name, path in FOLDERS.items()}
    for street in STREETS:
        ours[f"./{street}/*"] = [f"lect-{name}" for name, path in FOLDERS.items() if path.parent.name == street]
    ours["./core"] = ["lect"]
    return sorted({each for word in words for each in ours.get(word, [word])})


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
    """Write the files that a page shows, and those that a reader has."""
    for name, lines in READERS.items():
        (directory / name).write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
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


def run_program(examples, cwd, python=sys.executable, warnings="error"):
    """Run a page's program in a separate interpreter; return what each block printed."""
    done = subprocess.run(
        [python, "-W", warnings, RUNNER],
        input=json.dumps([example.code for example in examples]),
        cwd=cwd,
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    # Before that, there may be what other programs wrote that the page starts.
    return json.loads(done.stdout.splitlines()[-1])


def run_example(example, cwd, directory=None):
    """Run a command of a page; return all that it printed. Where the page does not show that, it must succeed."""
    done = _run(example.code, cwd, directory)
    assert example.printed is not None or done.returncode == 0, done.stdout
    return done.stdout


def run_command(command, cwd, directory=None):
    """Run a command as a shell does; return all that it printed."""
    return _run(command, cwd, directory).stdout


def _run(command, cwd, directory):
    return subprocess.run(
        command,
        shell=True,
        cwd=cwd,
        env=environment(directory),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
