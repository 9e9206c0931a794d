"""Prompts that were recorded by running makers' own code: every file in `../shared`, whichever models it holds."""

import json

import pytest
from shared import SHARED

import lect
from lect import LectError

RECORDED = SHARED / "oracles/autumn/recorded"
INDEX = json.loads((RECORDED / "index.json").read_text("utf-8")) if RECORDED.exists() else []
# Of some files, nobody states which model they are for; their index says so in words.
STATED = {entry["slug"]: entry["id"] for entry in INDEX if " " not in entry["id"]}


def rows(slug, kind=""):
    """Return the rows of a file, each with the arguments of a render."""
    file = RECORDED / f"{slug}{kind}.json"
    for row in json.loads(file.read_text("utf-8")) if file.exists() else ():
        given = {name: value for name, value in row["options"].items() if value is not None}
        yield row, {"messages": row["messages"], "tools": row["tools"], **given}


@pytest.mark.parametrize("slug", STATED)
def test_prompts_are_those_that_the_makers_code_wrote(slug):
    template = lect.get_template(STATED[slug])
    different = [
        (row["scene"], row["options"])
        for row, arguments in rows(slug)
        # Two voices of the maker differ on a contested row.
        if not row.get("contested")
        and not template.text(**arguments) == row["text"] == template.render(**arguments).text
    ]
    assert different == []


@pytest.mark.parametrize("slug", STATED)
def test_what_the_makers_code_refuses_is_refused(slug):
    template = lect.get_template(STATED[slug])
    for row, arguments in rows(slug, ".refused"):
        with pytest.raises(LectError):
            template.text(**arguments)
        with pytest.raises(LectError):
            template.render(**arguments)
        assert row["error"]
