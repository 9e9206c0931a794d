"""What `lect doctor MODEL` says of a tokenizer, and of token ids."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from lect.addon import Painted, Screen, commands
from lect.errors import MessageError, saferepr
from lect.plugin import boundary
from lect_tokens.checks import Result, check_tokenizer
from lect_tokens.ids import check_ids, read_ids
from lect_tokens.load import load_tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lect import Template

STATUSES = {"ok": "green", "note": "yellow", "wrong": "red"}


@boundary
def check_tokens(template: Template, tokenizer: str | None = None, ids: str | None = None) -> list[Result]:
    """Return what the checks of a tokenizer, or of token ids in a JSON file, find.

    Args:
        template: The format of the model.
        tokenizer: The directory of a `tokenizer.json`, or that file.
        ids: A JSON file with a list of token ids, or `-` for standard input; with a tokenizer, they are read back.

    Raises:
        LectError: If a file cannot be read.
    """
    for name, path in (("tokenizer", tokenizer), ("ids", ids)):
        if not isinstance(path, str | None):  # A number would be an open file, which would be closed.
            raise MessageError(f"{name} is {saferepr(path)} ({type(path).__name__}); expected a path")
    loaded = None if tokenizer is None else load_tokenizer(tokenizer)
    return check_tokenizer(template, loaded) if ids is None else check_ids(template, read_ids(ids), loaded)


def doctor_tokens(model: str, template: Template, tokenizer: str | None, ids: str | None, *, as_json: bool) -> int:
    """Print what the checks find; return 1 if something is wrong."""
    checks = check_tokens(template, tokenizer, ids)
    wrong = [check for check in checks if check.status == "wrong"]
    checked = [check.name for check in checks if check.status != "note"]
    if as_json:
        data = {"model": model, "template": template.name, "checks": [check._asdict() for check in checks]}
        commands.write_json(data | {"checked": checked, "ok": not wrong})
    else:
        screen = Screen(sys.stdout)
        screen.line(f"{model}: {template.name}", style="bold")
        screen.table(_rows(checks), wrap=True)
        screen.line()
        what = "1 problem" if len(wrong) == 1 else f"{len(wrong) or 'no'} problems"
        screen.line(f"checked {', '.join(checked) or 'nothing'}: {what}", style="red" if wrong else "green")
    return 1 if wrong else 0


def _rows(checks: list[Result]) -> Iterator[tuple[str | Painted, ...]]:
    for check in checks:
        yield Painted(check.status, STATUSES[check.status]), check.name, check.what
        if check.advice:
            yield "", "", Painted(f"try: {check.advice}", "dim")
