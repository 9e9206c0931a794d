"""The folder beside the repository with what is not ours to redistribute: the makers' templates and tokenizers, and what
was measured with them. Nearly nobody has it: a test that needs it is skipped without it. LECT_SHARED names another folder."""

import os
from pathlib import Path

from repository import REPOSITORY

SHARED = Path(os.environ.get("LECT_SHARED") or REPOSITORY.parent / "shared")
