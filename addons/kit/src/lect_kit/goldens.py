"""Checks against prompts made by others: golden files, and a maker's own template."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

import lect
from lect.errors import LectError, RefusedError
from lect_kit.base import SuiteBase, check
from lect_kit.conversations import dated
from lect_kit.random_chats import chats

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lect.format.prompt import Prompt
    from lect.format.template import Template

BATTERY = Path(__file__).with_name("battery.json")
"""The conversations that golden files may refer to by id."""
REFUSAL = "TemplateError"
"""The prefix of errors with which a maker's template refuses a conversation on purpose."""
EXAMPLES = 60
"""How many random conversations a maker's template is compared on."""

# Shrinking an example takes longer than everything else; conversations are short anyway.
_QUICKLY = settings(
    max_examples=EXAMPLES,
    phases=[Phase.generate],
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)


class GoldenChecks(SuiteBase):
    """The prompts are those that the maker's own code gives."""

    @check("correct the template; a golden file is never made from lect's own output")
    def test_golden_prompts_are_given(self) -> Iterator[str]:
        """Each case of each golden file gives its text, by `text` and by `render`, or is refused as its maker does."""
        files = self._golden_files()
        if not files:
            pytest.skip("the suite names no goldens")
        deviations = self._deviations()
        for file, name in files.items():
            if name not in self.templates:
                yield f"{file.name} is for the template {name!r}, which does not exist"
                continue
            for case, arguments, expected in cases(file):
                found = golden_problem(self.templates[name], arguments, expected)
                if found and (file.stem, case) not in deviations:
                    yield f"{file.stem}, {case}: {found}"
                elif not found and (file.stem, case) in deviations:
                    yield f"{file.stem}, {case}: no longer deviates"

    def _golden_files(self) -> dict[Path, str]:
        """Return the golden files, each with the name of its template."""
        if isinstance(self.goldens, str | Path):
            files = sorted(self.file(self.goldens).glob("*.json"))
            return {file: str(json.loads(file.read_text("utf-8")).get("template")) for file in files}
        return {self.file(path): template for path, template in self.goldens.items()}

    def _deviations(self) -> set[tuple[str, str]]:
        """Return `(stem of the golden file, case)` for every case that differs on purpose."""
        if self.deviations is None:
            return set()
        return {(row["slug"], row["case"]) for row in json.loads(self.file(self.deviations).read_text("utf-8"))}

    @check("correct the template until it writes what its maker's does")
    def test_the_makers_template_gives_the_same(self) -> Iterator[str]:
        """On random conversations, a template writes what its maker's own Jinja template writes, or refuses with it."""
        if not self.oracles:
            pytest.skip("the suite names no oracles")
        for name, path in self.oracles.items():
            if name not in self.templates:
                yield f"{path} is for the template {name!r}, which does not exist"
                continue
            yield from _differences(self.templates[name], _oracle(self.file(path)))


def cases(golden_file: Path) -> list[tuple[str, dict[str, Any], dict[str, str]]]:
    """Return `(id, arguments for render, expected)` of every case in a golden file.

    What is expected is a `text`, or an `error` as the maker's own template raised it.
    """
    found = []
    for key, case in json.loads(golden_file.read_text("utf-8"))["cases"].items():
        name, _, option = key.partition("|")
        given = case if "messages" in case else battery()[name]
        arguments = {each: given.get(each) for each in ("messages", "tools", "add_generation_prompt")}
        if option:
            option_name, _, value = option.partition("=")
            arguments[option_name] = json.loads(value)
        found.append((key, arguments | case.get("options", {}), case))
    return found


@cache
def battery() -> dict[str, dict[str, Any]]:
    """Return the conversations of the battery by id."""
    return {case["id"]: case for case in json.loads(BATTERY.read_text("utf-8"))["conversations"]}


def golden_problem(template: Template, arguments: dict[str, Any], expected: dict[str, str]) -> str:
    """Return how a template differs from what is expected of it; empty if it does not."""
    arguments = dated(template) | arguments
    return next(filter(None, (_problem(way, arguments, expected) for way in (template.text, template.render))), "")


def _problem(way: Callable[..., str | Prompt], arguments: dict[str, Any], expected: dict[str, str]) -> str:
    error = expected.get("error", "")
    try:
        written = way(**arguments)
    except RefusedError as refused:
        return "" if error else f"it is refused: {refused}"
    except LectError as failed:
        # Where the maker's template crashes by accident, ours may render sensibly or fail clearly.
        return "" if error and not error.startswith(REFUSAL) else f"{type(failed).__name__}: {failed}"
    if error:
        return f"it gives {str(written)!r}; the maker's refuses: {error}" if error.startswith(REFUSAL) else ""
    texts = [written] if isinstance(written, str) else [written.text, "".join(each.text for each in written.segments)]
    return next((f"it gives {text!r}; expected {expected['text']!r}" for text in texts if text != expected["text"]), "")


def _oracle(path: Path) -> Template:
    """Return a maker's template, run by lect-jinja; if that is not installed, the test is skipped."""
    if not any(info.package == "lect-jinja" for info in lect.plugins()):
        pytest.skip("the maker's template is Jinja, and lect-jinja is not installed")
    return lect.load_template(path, notation="jinja")


def _differences(template: Template, oracle: Template) -> Iterator[str]:
    """Yield a conversation on which two templates differ."""
    tokens = {"bos_token": template.bos, "eos_token": template.eos}
    known = {name: token for name, token in tokens.items() if token and name in oracle.options}

    @given(chats(template))
    @_QUICKLY
    def compare(arguments: dict[str, Any]) -> None:
        ours, makers = _text(template, arguments), _text(oracle, arguments | known)
        assert ours == makers, f"{template.name} differs from its maker's template: {arguments}"

    try:
        compare()
    except AssertionError as differs:
        yield str(differs)


def _text(template: Template, arguments: dict[str, Any]) -> str | None:
    """Return what a template writes; None if it refuses."""
    try:
        return template.text(**arguments, **dated(template))
    except LectError:
        return None
