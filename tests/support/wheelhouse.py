"""Gather a folder of wheels, our own and those of all that they need, from which pip installs without an index.

    python tests/support/wheelhouse.py WHEELS FOLDER [OPTION ...]

The wheels of our packages are taken from one folder, which may be the other one, too. The rest is for this Python on
this platform, and what has no such wheel is built; or for those that options of `pip download` choose, such as
`--platform win_amd64 --python-version 3.13`.
"""

import shutil
import subprocess
import sys
import zipfile
from email import message_from_bytes
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import parse_wheel_filename

ONLY_WHEELS = "--only-binary=:all:"
"""What pip asks for wherever another platform is chosen."""


def versions(folder):
    """Return the version of each package of ours by its name."""
    wheels = (parse_wheel_filename(path.name) for path in folder.glob("lect*.whl"))
    return {name: str(version) for name, version, *_ in wheels}


def requirements(folder):
    """Return what our packages need, with all extras."""
    for path in folder.glob("lect*.whl"):
        with zipfile.ZipFile(path) as wheel:
            (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
            metadata = message_from_bytes(wheel.read(name))
        for needed in map(Requirement, metadata.get_all("Requires-Dist", ())):
            needed.marker = None
            yield needed


def gather(wheels, folder, *options):
    """Put our wheels, and those of everything that they need, into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    if not folder.samefile(wheels):
        for wheel in wheels.glob("lect*.whl"):
            shutil.copy(wheel, folder)
    # An index is never asked for our own packages.
    ours = versions(wheels)
    others = sorted({str(needed) for needed in requirements(wheels) if needed.name not in ours})
    gets = ["download", "-d", folder, ONLY_WHEELS, *options] if options else ["wheel", "-w", folder]
    subprocess.run([sys.executable, "-m", "pip", *gets, "--quiet", *others], check=True)


if __name__ == "__main__":
    gather(*(Path(each).resolve() for each in sys.argv[1:3]), *sys.argv[3:])
