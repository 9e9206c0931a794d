"""Copy the goldens that the tests need from `../shared` into the repository, with their provenance.

    python tests/support/make_goldens.py qwen                           # those that the family has
    python tests/support/make_goldens.py qwen Qwen--Qwen3.5-0.8B ...    # and these

What `../shared` has no goldens of is rendered here, with the options that its template reads.

A conversation with something in it that is put right before any template sees it is rendered anew: the maker's template
is asked with what is right. Run by hand when an oracle changes; the tests read only what lies in the repository.
"""

import json
import sys

import differential
from goldens import REPOSITORY, SHARED, golden_files

OPTIONS = {
    "enable_thinking": [True, False],
    "thinking": [True, False],
    "preserve_thinking": [True],
    "clear_thinking": [True, False],
    "reasoning_effort": ["low", "high"],
    "add_vision_id": [True],
    "thinking_budget": [0, 600],
    "use_json_tooldef": [True],
    "knobs": [{"is_set": True, "citation_mode": "fast", "response_format": "json_object"}],
    "default_system_message": ["Be brief."],
    "default_system_prompt": [False],
    "think_render_option": ["all"],
}
"""What is tried of the options that makers' templates read."""


def main(family, *added):
    index = {entry["slug"]: entry for entry in json.loads((SHARED / "oracles/index.json").read_text("utf-8"))}
    battery = json.loads((SHARED / "goldens/battery.json").read_text("utf-8"))
    write(
        "core/src/lect/testing/battery.json",
        {
            "provenance": "52 OpenAI-shaped conversations that every golden file refers to by id",
            "conversations": battery,
        },
    )
    for slug in [*(slug for slug, path in golden_files().items() if path.parents[2].name == family), *added]:
        entry = index[slug]
        made = SHARED / f"oracles/goldens/{slug}.json"
        cases = json.loads(made.read_text("utf-8")) if made.exists() else all_cases(slug, battery)
        for case in battery:
            messages = differential.put_right(slug, case["messages"])
            # Where the maker's template crashed at it, ours need only err clearly, or do the sensible thing.
            error = cases.get(case["id"], {"error": ""}).get("error", "TemplateError")
            if messages != case["messages"] and error.startswith("TemplateError"):
                cases[case["id"]] = outcome(slug, case | {"messages": messages})
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


def all_cases(slug, battery):
    """Return what the maker's template gives for every conversation, and with options where these change it."""
    source = (SHARED / f"oracles/jinja/{slug}.jinja").read_text("utf-8")
    cases = {case["id"]: outcome(slug, case) for case in battery}
    for case in battery:
        for option, value in ((name, value) for name in OPTIONS if name in source for value in OPTIONS[name]):
            changed = outcome(
                slug, case | {"messages": differential.put_right(slug, case["messages"])}, **{option: value}
            )
            if changed != cases[case["id"]] and "text" in changed:
                cases[f"{case['id']}|{option}={json.dumps(value)}"] = changed
    return cases


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


def write(path, data):
    target = REPOSITORY / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
