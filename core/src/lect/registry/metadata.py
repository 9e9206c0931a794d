"""The one import of importlib-metadata.

It takes longer than the rest of lect together, so only functions import this module.
"""

from __future__ import annotations

import importlib_metadata as metadata

__all__ = ["metadata"]
