"""The public names of `fastchat.model.model_adapter`, except for the loading of models.

The 101 registrations are in adapters.json and are read when `model_adapters` is first needed. Each row becomes a class,
so that `type(adapter).__name__` is FastChat's name, and `VicunaAdapter` and the others can be imported from here and
subclassed.
"""

from __future__ import annotations

import os
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from lect.errors import PluginError, UnknownModelError, saferepr
from lect.plugin import boundary
from lect_fastchat.conversation import Conversation, get_conv_template
from lect_fastchat.data import read_json
from lect_fastchat.model.loading import add_model_args as add_model_args
from lect_fastchat.model.loading import load_model
from lect_fastchat.model.peft import base_model, has_config, plain_path
from lect_fastchat.patterns import Pattern, read_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    model_adapters: list[Any]
    ANTHROPIC_MODEL_LIST: tuple[str, ...]
    OPENAI_MODEL_LIST: tuple[str, ...]

MOST_REMEMBERED = 1024
LONGEST_REMEMBERED = 512
_LISTS = {"ANTHROPIC_MODEL_LIST": "ClaudeAdapter", "OPENAI_MODEL_LIST": "ChatGPTAdapter"}


class BaseModelAdapter:
    """The base class of FastChat's adapters, and its last resort."""

    use_fast_tokenizer = True

    def match(self, model_path: str) -> bool:
        """Return whether this adapter is responsible for a path."""
        return True

    def get_default_conv_template(self, model_path: str) -> Conversation:
        """Return a new conversation for a path."""
        return get_conv_template("one_shot")

    @boundary
    def load_model(self, model_path: str, from_pretrained_kwargs: dict[str, Any]) -> NoReturn:
        """Refuse: nothing here loads a model.

        Raises:
            PluginError: Always.
        """
        load_model(model_path)


class RowAdapter(BaseModelAdapter):
    """An adapter from a row of adapters.json."""

    pattern: ClassVar[Pattern]
    templates: ClassVar[dict[Pattern, str]]
    """Template names by pattern; the last pattern always holds."""

    def match(self, model_path: str) -> bool:
        return self.pattern.holds(model_path) is not None

    def template_name(self, model_path: str) -> str:
        """Return the name of the template for a path."""
        return next(name for pattern, name in self.templates.items() if pattern.holds(model_path) is not None)

    def get_default_conv_template(self, model_path: str) -> Conversation:
        return get_conv_template(self.template_name(model_path))


class PeftModelAdapter:
    """A PEFT adapter, which uses the format of its base model.

    The directory's adapter_config.json names the base model; the package peft is not needed. The file is looked for
    only if the argument is plainly a path: `/loras/mine`, `./mine`, `../mine`, a drive or a `Path`.
    """

    def match(self, model_path: str) -> bool:
        """Return whether a path is that of a PEFT adapter: the directory has its config file, or the path says so."""
        return "peft" in model_path.lower() or has_config(model_path)

    def base_model(self, model_path: str) -> str:
        """Return the path of the base model.

        Raises:
            PluginError: If no config file names it, or it is a PEFT adapter too.
        """
        base = base_model(model_path)
        if "peft" in base or isinstance(get_model_adapter(base), PeftModelAdapter):
            raise PluginError(
                f"the PEFT adapter {model_path!r} names {saferepr(base)} as base model, which is a PEFT adapter "
                "itself\n  try: the path of the base model"
            )
        return base

    load_model = BaseModelAdapter.load_model

    def get_default_conv_template(self, model_path: str) -> Conversation:
        """Return a new conversation for the base model."""
        return get_conversation_template(self.base_model(model_path))


@boundary
def register_model_adapter(cls: type) -> type:
    """Add an adapter: a class with `match(model_path)` and `get_default_conv_template(model_path)`.

    As in FastChat it comes last, after the one that matches everything, so it is only asked about the last part of a
    path.

    Raises:
        PluginError: If `cls` is not such a class.
    """
    if not isinstance(cls, type) or not all(
        callable(getattr(cls, method, None)) for method in ("match", "get_default_conv_template")
    ):
        raise PluginError(
            f"{cls!r} is not an adapter\n"
            "  try: a class with match(self, model_path) and get_default_conv_template(self, model_path)"
        )
    _adapters().append(cls())
    _remembered_adapter.cache_clear()
    return cls


@boundary
def get_model_adapter(model_path: str | os.PathLike[str]) -> Any:
    """Return the adapter for a path: the first to match its last part, or else the first to match the whole path.

    Raises:
        UnknownModelError: If none does, because `BaseModelAdapter` was removed.
    """
    return _adapter(plain_path(model_path))


def _adapter(path: str) -> Any:
    # Check the length first: a lookup hashes the whole path, and the size of the cache must not depend on it.
    return _remembered_adapter(path) if len(path) <= LONGEST_REMEMBERED else _find_adapter(path)


def _find_adapter(model_path: str) -> Any:
    basename = os.path.basename(os.path.normpath(model_path))
    for adapter in matching(basename):
        if type(adapter) is not BaseModelAdapter:
            return adapter
    for adapter in matching(model_path):
        return adapter
    msg = f"none of FastChat's adapters matches {model_path!r}\n  try: model_adapters.append(BaseModelAdapter())"
    raise UnknownModelError(msg, model_path=model_path)


_remembered_adapter = lru_cache(maxsize=MOST_REMEMBERED)(_find_adapter)
# FastChat's `get_model_adapter` has it too.
get_model_adapter.cache_clear = _remembered_adapter.cache_clear  # type: ignore[attr-defined]


@boundary
def get_conversation_template(model_path: str | os.PathLike[str]) -> Conversation:
    """Return a new conversation for a path, as FastChat does: where nothing matches, silently `one_shot`."""
    path = plain_path(model_path)
    conversation: Conversation = _adapter(path).get_default_conv_template(path)
    return conversation


def __getattr__(name: str) -> Any:
    if name == "model_adapters":
        return _adapters()
    if name in _LISTS:
        return tuple(term.lstrip("=") for terms in _classes()[_LISTS[name]].pattern.alternatives for term in terms)
    if name.endswith("Adapter") and name in _classes():
        return _classes()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _adapters() -> list[Any]:
    """Return the adapters in FastChat's order; the first call reads them.

    From then on it is an ordinary global, which users may change.
    """
    adapters: list[Any] | None = globals().get("model_adapters")
    if adapters is None:
        instances = [PeftModelAdapter(), *(row() for row in _rows()), BaseModelAdapter()]
        # Two threads may both get here: the first one wins, so that nothing is registered in a discarded list.
        adapters = globals().setdefault("model_adapters", instances)
    return adapters


def _classes() -> dict[str, type[RowAdapter]]:
    """Return a class for each adapter, by name."""
    return {row.__name__: row for row in _rows()}


def _rows() -> tuple[type[RowAdapter], ...]:
    """Return a class for each row of adapters.json; all threads must see the same classes."""
    rows: tuple[type[RowAdapter], ...] | None = globals().get("_rows_read")
    if rows is None:
        made: dict[str, type[RowAdapter]] = {}
        read = tuple(made.setdefault(row["adapter"], _class_of(row)) for row in read_json("adapters.json"))
        rows = globals().setdefault("_rows_read", read)
    return rows


def _class_of(row: dict[str, Any]) -> type[RowAdapter]:
    templates = row["templates"]
    fields = {
        "__doc__": f"FastChat's adapter for `{row['match']}`.",
        "__module__": __name__,
        "pattern": read_pattern(row["match"]),
        "templates": {
            read_pattern(each): template
            for each, template in (templates if isinstance(templates, dict) else {"": templates}).items()
        },
    }
    return type(row["adapter"], (RowAdapter,), fields)


class Index:
    """Which adapters may match a path.

    Asking all of the hundred would take several times as long, and for most it is known what they look for.

    Attributes:
        adapters: The adapters when the index was built.
        needles: By the first three characters: what an adapter looks for, its position, and whether that is all it
            looks for.
        beginnings: The keys of `needles`.
        always: The positions of the adapters that must be asked about every path.
    """

    def __init__(self, adapters: list[Any]):
        self.adapters = adapters.copy()
        self.needles: dict[tuple[str, ...], list[tuple[str, int, bool]]] = {}
        self.always = []
        for position, adapter in enumerate(adapters):
            if type(adapter).match is RowAdapter.match:
                for needle, sure in adapter.pattern.needles():
                    self.needles.setdefault(tuple(needle[:3]), []).append((needle, position, sure))
            else:
                self.always.append(position)
        self.beginnings = frozenset(self.needles)


_index = Index([])


def matching(path: str, *, but: tuple[type, ...] = ()) -> Iterator[Any]:
    """Yield the adapters that match a path, in order; those of the types in `but` are not asked."""
    global _index
    adapters = _adapters()
    index = _index
    if index.adapters != adapters:
        _index = index = Index(adapters)
    low = path.lower()
    sure = dict.fromkeys(index.always, False)
    for beginning in index.beginnings.intersection(zip(low, low[1:], low[2:], strict=False)):
        sure.update((position, all_of_it) for needle, position, all_of_it in index.needles[beginning] if needle in low)
    for position in sorted(sure):
        adapter = index.adapters[position]
        if type(adapter) not in but and (sure[position] or adapter.match(path)):
            yield adapter
