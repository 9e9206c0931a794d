"""Copy the goldens that the tests need from `../shared` into the repository, with their provenance.

    python tests/support/make_goldens.py qwen                           # those that the family has
    python tests/support/make_goldens.py qwen Qwen--Qwen3.5-0.8B ...    # and these

A conversation with something in it that is put right before any template sees it is rendered anew: the maker's template
is asked with what is right. Run by hand when an oracle changes; the tests read only what lies in the repository.
"""

import json
import sys

import differential
from goldens import REPOSITORY, SHARED, golden_files


def main(family, *added):
    index = {entry["slug"]: entry for entry in json.loads((SHARED / "oracles/index.json").read_text("utf-8"))}
    battery = json.loads((SHARED / "goldens/battery.json").read_text("utf-8"))
    write(
        "tests/data/battery.json",
        {
            "provenance": "52 OpenAI-shaped conversations that every golden file refers to by id",
            "conversations": battery,
        },
    )
    for slug in [*(slug for slug, path in golden_files().items() if path.parents[2].name == family), *added]:
        entry = index[slug]
        cases = json.loads((SHARED / f"oracles/goldens/{slug}.json").read_text("utf-8"))
        for case in battery:
            messages = differential.put_right(slug, case["messages"])
            # Where the maker's template crashed at it, ours need only err clearly, or do the sensible thing.
            if messages != case["messages"] and "text" in cases.get(case["id"], {}):
                cases[case["id"]] = {"text": rendered(slug, case | {"messages": messages})}
        options = SHARED / f"oracles/goldens_options/{slug}.json"
        if options.exists():
            cases |= json.loads(options.read_text("utf-8"))["goldens"]
        provenance = {
            "model": entry["id"],
            "template": entry["source"],
            "sha256": entry["sha256"],
            "confidence": entry["confidence"],
            "made by": "the maker's Jinja template, rendered as transformers 5.22 does, the clock at 2024-07-26",
        }
        write(f"plugins/{family}/tests/golden/{slug}.json", {"provenance": provenance, "cases": cases})


def rendered(slug, case):
    """Return what the maker's template gives."""
    return differential.reference().render(slug, case["messages"], case.get("tools"), case["add_generation_prompt"])


def write(path, data):
    target = REPOSITORY / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
