"""Golden prompts: what the makers' own templates gave, kept as data with their provenance."""

import json
from contextlib import suppress
from datetime import date
from functools import cache
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
SHARED = REPOSITORY.parent / "shared"
THE_DAY = date(2024, 7, 26)
"""The day on the clock when the goldens were made."""


@cache
def golden_files():
    """Return the golden files that were made by a maker's template, by the name under which that is kept."""
    return {path.stem: path for path in sorted((REPOSITORY / "plugins").glob("*/tests/golden/*--*.json"))}


@cache
def native_models():
    """Return a model for every maker's template that a family must equal, by the name under which that is kept."""
    return {slug: json.loads(path.read_text("utf-8"))["provenance"]["model"] for slug, path in golden_files().items()}


@cache
def battery():
    """Return the conversations by id."""
    return {
        case["id"]: case
        for case in json.loads((REPOSITORY / "core/src/lect/testing/battery.json").read_text("utf-8"))["conversations"]
    }


def cases(golden_file):
    """Return `(id, arguments for render, expected)` of every case in a golden file; `expected` is a text, or an error as the maker's raised it."""
    golden = json.loads(Path(golden_file).read_text("utf-8"))
    found = []
    for key, expected in golden["cases"].items():
        case_id, _, option = key.partition("|")
        case = battery()[case_id]
        options = {
            "messages": case["messages"],
            "tools": case.get("tools"),
            "add_generation_prompt": case["add_generation_prompt"],
        }
        if option:
            name, _, value = option.partition("=")
            options[name] = json.loads(value)
        found.append((key, options, expected))
    return found


def deviations(family):
    """Return `(slug, case)` for every golden from which a family differs on purpose."""
    rows = json.loads((REPOSITORY / "plugins" / family / "deviations.json").read_text("utf-8"))
    return {(row["slug"], row["case"]): row for row in rows}


def check(template, arguments, expected):
    """Assert that a template gives what the maker's does: its text, a refusal where it refuses, and no foreign error where it crashes."""
    import pytest

    from lect import LectError, RefusedError

    arguments = dict(arguments)
    messages = arguments.pop("messages")
    if "date" in template.options:
        arguments.setdefault("date", THE_DAY)
    error = expected.get("error", "")
    if error.startswith("TemplateError"):
        with pytest.raises(RefusedError):
            template.text(messages, **arguments)
        with pytest.raises(RefusedError):
            template.render(messages, **arguments)
    elif error:
        # The maker's template crashes by accident; ours renders sensibly or errs clearly.
        with suppress(LectError):
            template.text(messages, **arguments)
    else:
        rendered = template.render(messages, **arguments)
        assert rendered.text == expected["text"]
        assert template.text(messages, **arguments) == expected["text"]
        assert "".join(segment.text for segment in rendered.segments) == expected["text"]


def owner(path):
    """Return the package that speaks for a path, or None: what other families are installed is not a family's business."""
    import lect

    try:
        return lect.resolve(path, fallback=False).package
    except lect.UnknownModelError:
        return None
