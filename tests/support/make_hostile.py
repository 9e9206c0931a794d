"""Copy the hostile contents that the tests need from `../shared` into the repository, with their provenance.

    python tests/support/make_hostile.py

Run by hand when they change; the tests read only what is in the repository. What each should lead to is stated by the
tests, in our own words.
"""

import ast
import json

from goldens import REPOSITORY
from shared import SHARED

KEPT = ("id", "family", "threat", "field", "content", "messages")


CONFIG_KEPT = ("id", "file", "threat", "expect", "note", "text", "base64", "text_expr", "bytes_expr")


def main():
    write_contents()
    write_configs()


def write_configs():
    cases = json.loads((SHARED / "hostile/configs.json").read_text("utf-8"))["cases"]
    kept = [{key: case[key] for key in CONFIG_KEPT if key in case} for case in cases]
    provenance = (
        "the project's hostile model files, all of them; `text_expr` and `bytes_expr` are Python expressions with json and "
        "struct in scope, `good` the bytes of gguf-good, and flip(data, i) for data with its bit i changed"
    )
    text = json.dumps({"provenance": provenance, "cases": kept}, indent=1)
    (REPOSITORY / "tests/data/hostile_configs.json").write_text(text + "\n", "utf-8")


def write_contents():
    cases = []
    for case in json.loads((SHARED / "hostile/content.json").read_text("utf-8"))["cases"]:
        kept = {key: case[key] for key in KEPT if key in case}
        if "content_expr" in case:
            unit, times = case["content_expr"].split("*")
            kept["repeated"] = [ast.literal_eval(unit), int(times)]
        cases.append(kept)
    provenance = (
        "the project's hostile contents, all of them, without what other tools do about them; `family` is whose "
        "markers a text imitates, `field` "
        "where it stands in an OpenAI-shaped request, `repeated` a text and how often"
    )
    # In ASCII: some are lone surrogates.
    text = json.dumps({"provenance": provenance, "cases": cases}, indent=1)
    (REPOSITORY / "tests/data/hostile_content.json").write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
