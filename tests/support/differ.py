"""Random conversations, ours against the makers' templates: `../shared/tools/differ.py` over every golden file.

    python tests/support/differ.py --n 300 [--only SLUG-PART] [--level odd] [--out FILE]

That tool knows one folder of templates and its own list of them. It runs here on a copy in which both folders are one,
and the list is what this repository has golden prompts of.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from goldens import REPOSITORY, SHARED, golden_files


def main(*arguments):
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.call([sys.executable, str(copied(Path(folder))), *arguments], cwd=REPOSITORY)


def copied(folder):
    """Lay out a copy of what the tool reads, and return the path of the tool in it."""
    shutil.copytree(SHARED / "tools", folder / "tools")
    shutil.copytree(SHARED / "oracles/jinja", folder / "oracles/jinja")
    for each in (SHARED / "oracles/more/jinja").glob("*.jinja"):
        if not (folder / "oracles/jinja" / each.name).exists():
            shutil.copy(each, folder / "oracles/jinja")
    index = {entry["slug"]: entry for name in ("more/index", "index") for entry in read(name)}
    for path, data in (
        ("index", list(index.values())),
        ("more/index", []),
        ("native", {"all": [slug for slug in golden_files() if slug in index]}),
    ):
        target = folder / f"oracles/{path}.json"
        target.parent.mkdir(exist_ok=True)
        target.write_text(json.dumps(data), "utf-8")
    shutil.copy(SHARED / "oracles/reference.py", folder / "oracles")
    return folder / "tools/differ.py"


def read(name):
    return json.loads((SHARED / f"oracles/{name}.json").read_text("utf-8"))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
