"""Import a package of this repository, write a prompt with each of its templates, and load its reply formats.

    python tests/support/try_package.py qwen

Only core, the package and what it needs are installed here: a name that comes from anywhere else is an error.
"""

import importlib
import importlib.metadata
import sys

import lect

HELLO = [{"role": "user", "content": "Hello!"}]


def main(name):
    """Try a package."""
    importlib.import_module(f"lect_{name}")
    points = importlib.metadata.distribution(f"lect-{name}").entry_points
    for template in points.select(group="lect.templates"):
        assert "Hello!" in lect.template(f"{name}:{template.name}").text(HELLO), template.name
    for each in points.select(group="lect.replies"):
        lect.stream(None, format=each.name)


if __name__ == "__main__":
    main(sys.argv[1])
