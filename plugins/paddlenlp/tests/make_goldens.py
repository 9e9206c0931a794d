"""Copy PaddleNLP's output from `../shared` into the repository.

    python plugins/paddlenlp/tests/make_goldens.py

Run by hand when a golden changes. The tests only read files in the repository.
"""

import json
from pathlib import Path

PLUGIN = Path(__file__).parents[1]
SHARED = PLUGIN.parents[1].parent / "shared"
KEPT = (
    "templates", "conversations", "contexts", "special_tokens_map", "apply", "encode_chat_inputs",
    "jinja_string_templates", "jinja_conversations", "jinja_apply", "jinja_encode", "init_chat_template", "state_leak",
)  # fmt: skip


def main():
    given = json.loads((SHARED / "goldens/paddlenlp.json").read_text("utf-8"))
    # Leave out the machine on which they were created.
    note = f"{given['source']}, run with its own code and jinja2 {given['jinja2']}"
    kept = {"provenance": note, **{key: given[key] for key in KEPT}}
    entries = []
    for key, value in kept.items():
        rows = value.items() if isinstance(value, dict) else value
        if isinstance(value, dict):
            lines = [f"  {line(name)}: {line(each)}" for name, each in rows]
            entries.append(f" {line(key)}: {{\n" + ",\n".join(lines) + "\n }")
        elif isinstance(value, list):
            entries.append(f" {line(key)}: [\n" + ",\n".join(f"  {line(each)}" for each in rows) + "\n ]")
        else:
            entries.append(f" {line(key)}: {line(value)}")
    (PLUGIN / "tests/golden/paddlenlp.json").write_text("{\n" + ",\n".join(entries) + "\n}\n", "utf-8")


def line(value):
    return json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    main()
