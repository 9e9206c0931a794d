"""Copy the goldens that the tests need from `../shared` into the repository, with their provenance.

    python tests/support/make_goldens.py qwen                           # those that the family has
    python tests/support/make_goldens.py qwen Qwen--Qwen3.5-0.8B ...    # and these
    python tests/support/make_goldens.py gemma gemma-4-31B@1=gemma-4-2026-04-01     # of an earlier revision

A template that has no goldens in `../shared` is rendered here, with the options that it reads. Where the maker publishes
code instead, the prompts that were recorded by running it are copied.

A conversation that is normalized before any template sees it is rendered again: the maker's template gets the messages
that were normalized. Run by hand when an oracle changes; the tests read only what is in the repository.
"""

import json
import sys

import differential
from goldens import REPOSITORY, golden_files
from shared import SHARED

RECORDED = SHARED / "oracles/autumn/recorded"
"""Prompts of makers that publish code."""
OPTIONS = {
    "enable_thinking": [True, False],
    "thinking": [True, False],
    "preserve_thinking": [True],
    "clear_thinking": [True, False],
    "thinking_option": ["off"],
    "reasoning_effort": ["low", "high"],
    "low_effort": [True],
    "medium_effort": [True],
    "add_vision_id": [True],
    "thinking_budget": [0, 600],
    "use_json_tooldef": [True],
    "knobs": [{"is_set": True, "citation_mode": "fast", "response_format": "json_object"}],
    "default_system_message": ["Be brief."],
    "default_system_prompt": [False],
    "think_render_option": ["all"],
}
"""The values that are tried for the options of makers' templates."""


def main(family, *added):
    maker = differential.add_revisions()
    index = maker.MORE | maker.INDEX
    battery = json.loads((SHARED / "goldens/battery.json").read_text("utf-8"))
    write(
        REPOSITORY / "addons/kit/src/lect_kit/battery.json",
        {
            "provenance": "52 OpenAI-shaped conversations that every golden file refers to by id",
            "conversations": battery,
        },
    )
    folder = REPOSITORY / f"plugins/{family}/tests/golden"
    earlier = {path.stem: read(path)["provenance"]["revision"] for path in folder.glob("replaced/*.json")}
    earlier |= dict(each.split("=") for each in added if "=" in each)
    added = [each for each in added if "=" not in each]
    recorded = {entry["slug"]: entry for entry in json.loads((RECORDED / "index.json").read_text("utf-8"))}
    for slug in {*added, *(path.stem for path in folder.glob("*.json"))} & recorded.keys():
        write(folder / f"{slug}.json", recorded_cases(recorded[slug]))
    slugs = [slug for slug, path in golden_files().items() if path.parents[2].name == family and slug in index]
    for slug in [*slugs, *earlier, *(slug for slug in added if slug not in recorded)]:
        entry = index[slug]
        made = SHARED / f"oracles/goldens/{slug}.json"
        given = {case["id"]: case for case in battery}
        right = {
            name: case | {"messages": differential.normalize(slug, case["messages"])} for name, case in given.items()
        }
        cases = json.loads(made.read_text("utf-8")) if made.exists() else all_cases(slug, right)
        for name, case in right.items():
            # Where the maker's template crashed, ours need only fail with a clear error, or do the sensible thing.
            error = cases.get(name, {"error": ""}).get("error", "TemplateError")
            if case != given[name] and error.startswith("TemplateError"):
                cases[name] = outcome(slug, case)
        options = SHARED / f"oracles/goldens_options/{slug}.json"
        if options.exists():
            cases |= json.loads(options.read_text("utf-8"))["goldens"]
        target = folder / ("replaced" if slug in earlier else "") / f"{slug}.json"
        cases |= kept_options(slug, right, target, cases)
        provenance = {
            "model": entry["id"],
            "template": entry["source"],
            "sha256": entry["sha256"],
            "confidence": entry["confidence"],
            "made by": "the maker's Jinja template, rendered as transformers 5.22 does, the clock at 2024-07-26",
        }
        if slug in earlier:
            provenance["revision"] = earlier[slug]
        write(target, {"provenance": provenance, "cases": cases})


def recorded_cases(entry):
    """Return the golden file of prompts that were recorded by running a maker's code; scenes may occur repeatedly."""
    cases = {}
    for row in json.loads((RECORDED / f"{entry['slug']}.json").read_text("utf-8")):
        given = {name: value for name, value in row["options"].items() if value is not None}
        end = {"add_generation_prompt": given.pop("add_generation_prompt")}
        name = ", ".join([row["scene"], *(f"{option} {value}" for option, value in given.items())])
        cases[name] = {"messages": row["messages"], "tools": row["tools"], **end, "options": given, "text": row["text"]}
        if "ids" in row:
            cases[name]["ids"] = row["ids"]
    provenance = {"model": entry["id"], "template": entry["source"], "made by": f"the maker's code; {entry['note']}"}
    return {"provenance": provenance, "cases": cases}


def all_cases(slug, battery):
    """Return what the maker's template gives for every conversation, and with options if these change it."""
    source = differential.maker_source(slug)
    cases = {name: outcome(slug, case) for name, case in battery.items()}
    for name, case in battery.items():
        for option, value in ((each, value) for each in OPTIONS if each in source for value in OPTIONS[each]):
            changed = outcome(slug, case, **{option: value})
            if changed != cases[name] and "text" in changed:
                cases[f"{name}|{option}={json.dumps(value)}"] = changed
    return cases


def kept_options(slug, battery, target, cases):
    """Return the cases with options that only the present golden file has, rendered again."""
    present = json.loads(target.read_text("utf-8"))["cases"] if target.exists() else {}
    kept = {}
    for key in present:
        name, _, given = key.partition("|")
        option, _, value = given.partition("=")
        if key not in cases and given and name in battery:
            kept[key] = outcome(slug, battery[name], **{option: json.loads(value)})
    return kept


def outcome(slug, case, **options):
    """Return the text that the maker's template gives, or the error that it raises."""
    try:
        return {"text": rendered(slug, case, **options)}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


def rendered(slug, case, **options):
    """Return what the maker's template gives."""
    return differential.reference().render(
        slug, case["messages"], case.get("tools"), case["add_generation_prompt"], **options
    )


def read(path):
    return json.loads(path.read_text("utf-8"))


def write(target, data):
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
