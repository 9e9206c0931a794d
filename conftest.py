"""What all tests share, wherever they stand."""

import os
from contextlib import suppress

# The README's first command is tested where nothing but pytest is installed.
with suppress(ImportError):
    from hypothesis import settings

    # The machine may be busy, so no example has a deadline. The same examples are tried every time: a run judges a
    # change, and only `nox -s stress` searches.
    stress = os.environ.get("LECT_STRESS") == "1"
    settings.register_profile("lect", deadline=None, database=None, derandomize=not stress)
    settings.load_profile("lect")
