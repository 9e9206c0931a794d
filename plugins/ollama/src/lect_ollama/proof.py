"""Render what was written with Go's own text/template, where Go is installed."""

from __future__ import annotations

import atexit
import json
import os
import re
import shutil
import subprocess
import tempfile
from functools import lru_cache
from typing import TYPE_CHECKING

from lect import PluginError

if TYPE_CHECKING:
    from collections.abc import Callable

    from lect.plugin import Template

PROGRAM = """\
package main

import (
	"encoding/json"
	"os"
	"text/template"
)

type Message struct{ Role, Content string }

func main() {
	var given struct {
		Template string
		System   string
		Messages []Message
	}
	if err := json.NewDecoder(os.Stdin).Decode(&given); err != nil {
		panic(err)
	}
	parsed := template.Must(template.New("").Parse(given.Template))
	if err := parsed.Execute(os.Stdout, given); err != nil {
		panic(err)
	}
}
"""
LONGEST = 120
"""Seconds; the first build compiles the parts of Go's library that it needs."""


def has_go() -> bool:
    """Return whether Go is installed."""
    return shutil.which("go") is not None


def renderer(text: str, template: Template) -> Callable[[list[dict[str, str]], bool], str] | None:
    """Return a function that renders the template of a Modelfile in Go, as Ollama does; None where there is no Go.

    Ollama does not say whether to open an answer: one follows every message that is not the assistant's.
    """
    if not has_go():
        return None
    program = _built()
    (written,) = re.findall(r'^TEMPLATE """(.*?)"""$', text, re.DOTALL | re.MULTILINE)

    def render(messages: list[dict[str, str]], ask: bool) -> str:
        if template.default_system and messages[0]["role"] != "system":
            messages = [{"role": "system", "content": template.default_system}, *messages]
        system = "\n\n".join(each["content"] for each in messages if each["role"] == "system")
        return _run([program], json.dumps({"Template": written, "System": system, "Messages": messages}))

    return render


@lru_cache(maxsize=1)
def _built() -> str:
    """Return the path of the program that renders templates; it is deleted when this process ends."""
    folder = tempfile.mkdtemp(prefix="lect-ollama-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    source, program = os.path.join(folder, "main.go"), os.path.join(folder, "render")
    with open(source, "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    _run(["go", "build", "-o", program, source], "")
    return program


def _run(command: list[str], given: str) -> str:
    try:
        done = subprocess.run(command, input=given.encode(), capture_output=True, timeout=LONGEST, check=True)  # noqa: S603
    except (OSError, subprocess.SubprocessError) as error:
        said = getattr(error, "stderr", None) or b""
        raise PluginError(f"Go cannot render the template: {said.decode(errors='replace')[:500] or error}") from None
    return done.stdout.decode()
