"""The file in which a PEFT adapter names its base model. It is read only for what is plainly a path."""

from __future__ import annotations

import os
from typing import Any

from lect.errors import PluginError, saferepr
from lect.plugin import read_file

CONFIG = "adapter_config.json"
LONGEST_CONFIG = 1 << 20
_PLAIN = ("/", "\\", "./", ".\\", "../", "..\\")


def plain_path(model_path: str | os.PathLike[str]) -> str:
    """Return a path as text; a `Path` counts as plainly a path even where its text alone would not."""
    if isinstance(model_path, str):
        return model_path
    path = os.fspath(model_path)
    return path if _is_plain(path) else os.path.join(os.curdir, path)


def has_config(model_path: str) -> bool:
    """Return whether `model_path` is plainly a path, and has the file."""
    return _is_plain(model_path) and os.path.exists(os.path.join(model_path, CONFIG))


def base_model(model_path: str) -> str:
    """Return the base model that the file names.

    Raises:
        PluginError: If `model_path` is not plainly a path, or the file cannot be read.
    """
    if not _is_plain(model_path):
        raise PluginError(
            f"{model_path!r} looks like a PEFT adapter, whose {CONFIG} names the base model, "
            "but no file is read for a name\n"
            "  try: the path of the base model, or that of the directory, such as ./adapter"
        )
    config = os.path.join(model_path, CONFIG)
    try:
        base = _read(config)["base_model_name_or_path"]
        if not isinstance(base, str):
            raise TypeError(f"its base model is {saferepr(base)}")
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
        raise PluginError(
            f"{model_path!r} looks like a PEFT adapter, but {config} cannot be read: {error}\n"
            "  try: the path of the base model"
        ) from None
    return base


def _is_plain(path: str) -> bool:
    return path.startswith(_PLAIN) or path in (".", "..") or (path[1:2] == ":" and path[0].isalpha())


def _read(path: str) -> Any:
    import json

    return json.loads(read_file(path, LONGEST_CONFIG))
