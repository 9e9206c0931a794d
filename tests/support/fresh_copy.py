"""The repository as a new user has it: with nothing next to it, and nothing in it that is not part of it."""

import shutil
import subprocess

from pages import REPOSITORY


def fresh_copy(folder):
    """Copy what belongs to the repository into a folder, and return the copy."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=REPOSITORY, capture_output=True, check=True
    )
    copy = folder / "lect"
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (REPOSITORY / name).exists():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(REPOSITORY / name, copy / name)
    return copy
