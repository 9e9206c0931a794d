"""Copy XTuner's output, its templates and its table of models from `../shared` into the repository.

    python plugins/xtuner/tests/make_goldens.py

Run by hand when a golden changes. The tests only read files in the repository.
"""

import json
from pathlib import Path

PLUGIN = Path(__file__).parents[1]
SHARED = PLUGIN.parents[1].parent / "shared"
XTUNER = "InternLM/xtuner 0.2.0 (Apache-2.0)"


def main():
    given = json.loads((SHARED / "goldens/xtuner.json").read_text("utf-8"))
    table = json.loads((SHARED / "goldens/xtuner_table.json").read_text("utf-8"))
    source = PLUGIN / "src/lect_xtuner"
    write(
        source / "templates.json",
        {
            "provenance": f"{XTUNER}, xtuner/utils/templates.py: PROMPT_TEMPLATE and SYSTEM_TEMPLATE",
            "templates": given["templates"],
            "system_texts": given["system_templates"],
        },
    )
    write(source / "models.json", {row["model"]: row["template"] for row in table["rows"]})
    write(
        PLUGIN / "tests/golden/xtuner.json",
        {
            "provenance": f"{XTUNER}, run with its own code: openai_map_fn, template_map_fn and encode_fn for training, `xtuner chat` with scripted replies for chat. A span is one call of the tokenizer, or one id that is inserted. The table is that of docs/zh_cn/legacy/user_guides/prompt_template.md.",
            "templates": list(given["templates"]),
            "conversations": given["conversations"],
            "training": [training(case) for case in given["training"]],
            "training_with_qwens_tokenizer": [
                training(case) for case in given["training_tokenizer_variants"] if case["tokenizer"] == "qwen"
            ],
            "chat": given["chat"],
            "stop_words": {name: words["declared"] for name, words in given["stop_words"].items()},
            "table": [[row["model"], row["template"], row["starred"]] for row in table["rows"]],
        },
    )


def training(case):
    """Return template, conversation, and the spans or the error."""
    tokens = ("bos", "eos")
    spans = [
        [each["kind"], "" if each["kind"] in tokens else each["text"], each["loss"]] for each in case.get("spans", ())
    ]
    return [case["template"], case["conversation"], case.get("error", spans)]


def write(path, data):
    """Write JSON with a line for each entry of the second level."""
    entries = []
    for key, value in data.items():
        if isinstance(value, dict):
            rows = ",\n".join(f"  {line(name)}: {line(each)}" for name, each in value.items())
            entries.append(f" {line(key)}: {{\n{rows}\n }}")
        elif isinstance(value, list):
            rows = ",\n".join(f"  {line(each)}" for each in value)
            entries.append(f" {line(key)}: [\n{rows}\n ]")
        else:
            entries.append(f" {line(key)}: {line(value)}")
    path.write_text("{\n" + ",\n".join(entries) + "\n}\n", "utf-8")


def line(value):
    return json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    main()
