"""What all tests share, wherever they stand."""

import os
from contextlib import suppress

# The README's first command is tested where nothing but pytest is installed.
with suppress(ImportError):
    from hypothesis import settings

    # The machine may be busy, so no example has a deadline. In CI the same examples are tried every time: it judges a
    # change, and does not search.
    settings.register_profile("lect", deadline=None, database=None, derandomize="CI" in os.environ)
    settings.load_profile("lect")
