"""Random conversations, ours against the makers' templates: `../shared/tools/differ.py` over every golden file.

    python tests/support/differ.py --n 300 [--only SLUG-PART] [--level odd] [--out FILE]

That tool knows one folder of templates and its own list of them. It runs here on a copy in which both folders are one,
and the list is what this repository has golden prompts of, each with the model of its provenance. The makers' templates
get pictures, sounds and films in their own spellings, and texts as parts where they read nothing else.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from goldens import REPOSITORY, golden_files, native_models
from shared import SHARED

PUT_RIGHT = 'put_right(case["messages"], *TAKES[slug])'
AS_READ = "in_parts(slug, put_right(respelled(maker_source(slug), case['messages']), *TAKES[slug]))"
IMPORTED = "from differential import in_parts, maker_source, respelled"


def main(*arguments):
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.call([sys.executable, str(copied(Path(folder))), *arguments], cwd=REPOSITORY)


def copied(folder, only=None):
    """Lay out a copy of what the tool reads, for all templates or for some, and return the path of the tool in it."""
    shutil.copytree(SHARED / "tools", folder / "tools")
    tool = folder / "tools/differ.py"
    text = tool.read_text("utf-8").replace(PUT_RIGHT, AS_READ)
    tool.write_text(f"import sys\nsys.path.append({str(Path(__file__).parent)!r})\n{IMPORTED}\n{text}", "utf-8")
    shutil.copytree(SHARED / "oracles/jinja", folder / "oracles/jinja")
    for each in (SHARED / "oracles/more/jinja").glob("*.jinja"):
        if not (folder / "oracles/jinja" / each.name).exists():
            shutil.copy(each, folder / "oracles/jinja")
    index = {entry["slug"]: entry for name in ("more/index", "index") for entry in read(name)}
    for slug, model in native_models().items():
        if slug in index:
            index[slug]["id"] = model
    for path, data in (
        ("index", list(index.values())),
        ("more/index", []),
        ("native", {"all": [slug for slug in only or golden_files() if slug in index]}),
    ):
        target = folder / f"oracles/{path}.json"
        target.parent.mkdir(exist_ok=True)
        target.write_text(json.dumps(data), "utf-8")
    shutil.copy(SHARED / "oracles/reference.py", folder / "oracles")
    return tool


def read(name):
    return json.loads((SHARED / f"oracles/{name}.json").read_text("utf-8"))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
