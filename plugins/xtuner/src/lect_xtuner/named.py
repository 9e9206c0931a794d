"""XTuner's named templates and system texts, and its table of models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from os.path import dirname, join
from typing import Any

from lect.errors import UnknownModelError, UnknownTemplateError, did_you_mean, near_names
from lect.plugin import boundary


class Named(Mapping[str, Any]):
    """An immutable mapping whose values are also attributes, as in XTuner; `dict(...)` makes a copy."""

    def __init__(self, values: Mapping[str, Any]):
        self._values = {name: Named(each) if isinstance(each, dict) else each for name, each in values.items()}

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __getattr__(self, name: str) -> Any:
        if name[0] == "_":
            # Copying and pickling look up special names before `_values` exists.
            raise AttributeError(name)
        if name in self._values:
            return self._values[name]
        raise AttributeError(f"there is no {name!r}; there are {', '.join(self._values)}")

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return repr(self._values)


def _read_json(name: str) -> Any:
    import json

    # Through the loader, because the package may be in a zip file.
    return json.loads(__loader__.get_data(join(dirname(__file__), name)))  # type: ignore[name-defined]


_read = _read_json("templates.json")
PROMPT_TEMPLATE = Named(_read["templates"])
"""XTuner's templates by name: `PROMPT_TEMPLATE.internlm_chat["SUFFIX"]`."""
SYSTEM_TEMPLATE = Named(_read["system_texts"])
"""XTuner's system texts by name. Some have a place for `{bot_name}`."""


def fields_named(name: str) -> Named:
    """Return the fields of a named template.

    Raises:
        UnknownTemplateError: If there is none; it lists similar names.
    """
    found = PROMPT_TEMPLATE.get(name)
    if found is None:
        near = near_names(name, PROMPT_TEMPLATE, most=3, likeness=0.5)
        hint = did_you_mean(near, "no name is similar")
        msg = f"XTuner has no template {name!r}; {hint}\n  try: one of {', '.join(PROMPT_TEMPLATE)}"
        raise UnknownTemplateError(msg, name=str(name), near=near)
    fields: Named = found
    return fields


@boundary
def template_for(model_id: str) -> str:
    """Return the name of the template that XTuner's table has for a model, such as `Qwen/Qwen-7B`.

    This is what the table says, even where the model's maker uses a different format.

    Raises:
        UnknownModelError: If the model is not in the table.
    """
    table: dict[str, str] = _read_json("models.json")
    if model_id not in table:
        msg = f"XTuner's table has no {model_id!r}\n  try: lect.get_template({model_id!r}), for its maker's format"
        raise UnknownModelError(msg, model_path=str(model_id))
    return table[model_id]
