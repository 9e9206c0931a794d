"""The one import of importlib-metadata.

It takes longer than all the rest of lect, so only functions import this module.
"""

from __future__ import annotations

import importlib_metadata as metadata

__all__ = ["metadata"]
