"""Copy FastChat's output from `../shared` into the repository, and render the makers' prompts for the examples of
differences.json.

    python plugins/fastchat/tests/make_goldens.py

Run by hand when a golden or a row changes; needs jinja2. The tests only read files in the repository.
"""

import json
import sys
from pathlib import Path

PLUGIN = Path(__file__).parents[1]
GOLDEN = PLUGIN / "tests/golden"
SHARED = PLUGIN.parents[1].parent / "shared"
FASTCHAT = "lm-sys/FastChat at 0e6d3e4 (12 April 2025), run with its own code"


def main():
    copy_templates()
    copy_resolutions()
    copy_api_messages()
    render_makers()


def copy_templates():
    golden = read("templates")
    note = f"{FASTCHAT}. {golden['_meta']['note']}"
    write("templates", {"provenance": note, "cases": golden["_cases"], "templates": golden["templates"]})


def copy_resolutions():
    paths = {
        path: [found["adapter"], found["template"], found["phase"]] for path, found in read("resolve")["paths"].items()
    }
    note = f"{FASTCHAT}. {read('resolve')['_meta']['note']}. For each path: adapter, template and the pass in which the adapter matched."
    write("resolve", {"provenance": note, "paths": paths})


def copy_api_messages():
    golden = read("api_messages")
    systems = {name: read("templates")["templates"][name]["fields"] for name in golden["results"]}

    def shorten(value, fields):
        if isinstance(value, dict):
            return {key: shorten(item, fields) for key, item in value.items()}
        if isinstance(value, list):
            return [shorten(item, fields) for item in value]
        for mark, field in (("$SYSTEM$", "system_message"), ("$SYSTEM VISION$", "system_message_vision")):
            if value and value == fields[field]:
                return mark
        return value

    results = {name: shorten(results, systems[name]) for name, results in golden["results"].items()}
    note = (
        f"{FASTCHAT}. {golden['_meta']}. `_class`, `_pil` and `_vertex_image_bytes` stand for classes of other packages, `_Image` for FastChat's own; "
        "$SYSTEM$ and $SYSTEM VISION$ stand for the template's system texts, $B64$ for the image."
    )
    write(
        "api_messages", {"provenance": note, "image": golden["_B64"], "scripts": golden["_scripts"], "results": results}
    )


def render_makers():
    sys.path.insert(0, str(SHARED / "oracles"))
    import reference

    kept = json.loads((GOLDEN / "makers.json").read_text("utf-8"))
    for row in json.loads((PLUGIN / "src/lect_fastchat/differences.json").read_text("utf-8")):
        case = kept["cases"][row["id"]]
        slug = case.get("oracle")
        if slug is None:
            continue
        facts = reference.INDEX[slug]
        case.pop("text", None)
        try:
            case["text"] = reference.render(slug, row["example"]["messages"], add_generation_prompt=True)
        except reference.jinja2.exceptions.TemplateError as error:
            case["refuses"] = str(error)
        case |= {"source": facts["source"], "sha256": facts["sha256"], "confidence": facts["confidence"]}
        kept["cases"][row["id"]] = dict(sorted(case.items()))
    write("makers", kept)


def read(name):
    return json.loads((SHARED / f"goldens/fastchat/{name}.json").read_text("utf-8"))


def write(name, data):
    (GOLDEN / f"{name}.json").write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
