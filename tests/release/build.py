"""Build the sdist of every package, and from it the wheel, so that an incomplete sdist is noticed.

    python tests/release/build.py dist

The previous contents of the directory are deleted. flit_core must be installed: one build backend serves all packages,
without an environment for each.
"""

import shutil
import sys
import tarfile
import tempfile
from contextlib import chdir
from pathlib import Path

from flit_core import buildapi

REPOSITORY = Path(__file__).parents[2]
PACKAGES = [
    REPOSITORY / "core",
    *(
        path.parent
        for street in ("plugins", "addons")
        for path in sorted(REPOSITORY.glob(f"{street}/*/pyproject.toml"))
    ),
]


def build(package, dist):
    """Put the sdist and the wheel of a package into a directory."""
    with chdir(package):
        sdist = buildapi.build_sdist(str(dist))
    with tempfile.TemporaryDirectory() as unpacked:
        with tarfile.open(dist / sdist) as archive:
            archive.extractall(unpacked, filter="data")
        with chdir(Path(unpacked) / sdist.removesuffix(".tar.gz")):
            buildapi.build_wheel(str(dist))


def main(dist):
    """Build all packages."""
    shutil.rmtree(dist, ignore_errors=True)
    dist.mkdir(parents=True)
    for package in PACKAGES:
        build(package, dist)
    print(f"{len(list(dist.iterdir()))} files in {dist}")  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
