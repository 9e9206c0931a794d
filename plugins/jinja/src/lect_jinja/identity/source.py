"""Load a template from its text, a tokenizer's configuration or a model on disk."""

from __future__ import annotations

import os
from collections.abc import Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from lect.errors import PluginError, saferepr
from lect.plugin import boundary
from lect_jinja.files.found import DEFAULT
from lect_jinja.files.tokens import added_tokens, bounded, is_marker, markers_of
from lect_jinja.identity.family import own_template
from lect_jinja.identity.paths import PLACES, read_files
from lect_jinja.identity.template import JinjaTemplate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lect_jinja.engine.limits import Limits


@boundary
def load(
    source: Any,
    *,
    chat_template: str | None = None,
    name: str | None = None,
    limits: Limits | Mapping[str, float] | None = None,
    isolate: bool = False,
    **facts: Any,
) -> JinjaTemplate:
    """Return the template of a text, a tokenizer's configuration or a model on disk.

    Args:
        source: The text of a chat template; a mapping such as `tokenizer_config.json` holds, with `chat_template` and
            the special tokens beside it; or the path of a model directory or a GGUF file, which begins with `./`,
            `../`, `~/` or `/`, or is a `Path`.
        chat_template: The name of one of several templates, such as `rag`; the default one if not given.
        name: What to call it; if not given, the name of the directory or one derived from its text.
        limits: What it may do, such as `{"work": 10_000_000}`; the rest stays as in `Limits`.
        isolate: Whether it runs in a process of its own, which is killed if it takes too long or too much memory.
        facts: What else is known about the format: `stop`, `markers`, `reply` and the other facts of a template.

    Raises:
        PluginError: If there is no template in it, or none that can be run.
        ModelFileError: If the files of a model cannot be used, or have no such template.
        LimitError: If it is too large.
    """
    facts |= {"limits": limits, "isolate": isolate}
    if isinstance(source, os.PathLike) or (isinstance(source, str) and source.startswith(PLACES) and "{" not in source):
        return _on_disk(os.fspath(source), chat_template, name, facts)
    if isinstance(source, str):
        source = {"chat_template": source}
    if not isinstance(source, Mapping):
        hint = "the text of a template, a mapping with 'chat_template', or the path of a model"
        msg = f"source is {saferepr(source)} ({type(source).__name__})\n  try: {hint}"
        raise PluginError(msg)
    text = _text_of(source, chat_template or DEFAULT)
    tokens = dict(_tokens(source))
    added = added_tokens(source, name or "the configuration")
    bounded({*tokens.values(), *added}, name or "the configuration")
    if added:
        control = dict.fromkeys(filter(is_marker, tokens.values()))
        facts.setdefault("markers", control | markers_of(added))
        facts.setdefault("control_tokens", [*tokens.values(), *added])
    return JinjaTemplate(name or _name_of(text), text, tokens=tokens, **facts)


def _on_disk(path: str, chat_template: str | None, name: str | None, facts: dict[str, Any]) -> JinjaTemplate:
    files = read_files(path if chat_template is None else f"{path}#{chat_template}")
    return own_template(files, name or os.path.basename(os.path.normpath(path)), **facts)


def _name_of(text: str) -> str:
    return f"jinja-{sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def _text_of(source: Mapping[str, Any], name: str) -> str:
    given = source.get("chat_template")
    several = given if isinstance(given, list) else [{"name": DEFAULT, "template": given}]
    named = {each.get("name"): each.get("template") for each in several if isinstance(each, Mapping)}
    if named and name not in named:
        hint = f"load(source, chat_template={saferepr(next(iter(named), DEFAULT))})"
        has = ", ".join(map(saferepr, named))
        msg = f"there is no chat template called {saferepr(name)}, only {has}\n  try: {hint}"
        raise PluginError(msg)
    text = named.get(name, given)
    if not isinstance(text, str) or not text:
        hint = "the tokenizer_config.json of a chat model"
        msg = f"chat_template is {saferepr(text)}; expected the text of a template\n  try: {hint}"
        raise PluginError(msg)
    return text


def _tokens(source: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the special tokens by name; each is a string, or a mapping that contains it."""
    for name, value in source.items():
        if not isinstance(name, str) or not name.endswith("_token"):
            continue
        text = value.get("content") if isinstance(value, Mapping) else value
        if isinstance(text, str):
            yield name, text
        elif value is not None and not isinstance(value, bool):
            msg = f"{name} is {saferepr(value)}; expected text"
            raise PluginError(msg)
