"""One of several processes that serve: each makes its application from what the command was told."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from datetime import date
from typing import TYPE_CHECKING, Any

from lect_serve.application import app
from lect_serve.settings import Settings

if TYPE_CHECKING:
    from starlette.applications import Starlette

PASSED = "LECT_SERVE_SETTINGS"


def pass_on(settings: Settings) -> None:
    """Leave the settings to the processes that are started next."""
    os.environ[PASSED] = json.dumps(asdict(settings), default=str)


def made() -> Starlette:
    """Return the application."""
    told: dict[str, Any] = json.loads(os.environ[PASSED])
    told = {name: tuple(value) if isinstance(value, list) else value for name, value in told.items()}
    if "date" in told["options"]:
        told["options"]["date"] = date.fromisoformat(told["options"]["date"])
    return app(Settings(**told))
