"""Read what a model directory says: template, tokens, stops, model type. Only files with fixed names are looked at."""

from __future__ import annotations

import os
from contextlib import suppress
from itertools import islice
from typing import Any

from lect.errors import saferepr
from lect.plugin import install_command
from lect_jinja.files.found import DEFAULT, MORE, ModelFiles
from lect_jinja.files.gguf import read_gguf
from lect_jinja.files.tokens import (
    added_tokens,
    bounded,
    is_marker,
    listed_tokens,
    named_tokens,
    token_ids,
    vocabulary_tokens,
)
from lect_jinja.files.untrusted import Directory, ModelFileError, as_text, refuse, text_in

JINJA, JSON, TOKENIZER = "chat_template.jinja", "chat_template.json", "tokenizer_config.json"
VOCABULARY = "tokenizer.json"
SPECIAL, ADDED = "special_tokens_map.json", "added_tokens.json"
GENERATION, CONFIG, LORA, GGUF = "generation_config.json", "config.json", "adapter_config.json", "model.gguf"
READ = (JINJA, JSON, TOKENIZER, VOCABULARY, SPECIAL, ADDED, MORE, GENERATION, CONFIG, LORA, GGUF)
"""All that is ever looked at in a directory; in `additional_chat_templates`, all templates."""
MOST_TEMPLATES = 64
VOCABULARY_START = 2 << 20
"""How much of `tokenizer.json` is read."""
PADDLENLP_KEYS = {"conversation", "query"}


class ForeignNotationError(ModelFileError):
    """The only template of a directory is in the notation of another tool."""


def read_directory(path: str) -> ModelFiles:
    """Return what the files in a model directory say.

    Raises:
        ModelFileError: If there is no such directory, or one of the files cannot be used.
    """
    directory = Directory(path)
    tokenizer = directory.read_json(TOKENIZER)
    places = _places(directory, tokenizer)
    origin = next(iter(places), "")
    tokens = _tokens(directory, tokenizer)
    added = _added(directory, tokenizer, tokens)
    additional = _additional(directory)
    found = ModelFiles(
        directory.path,
        {**places.get(origin, {}), **additional},
        origin,
        tuple(additional),
        tokens=tokens,
        added=added,
        model_type=text_in(directory.read_json(CONFIG), "model_type", directory.file(CONFIG)),
        response_template=tokenizer.get("response_template"),
        base=text_in(directory.read_json(LORA), "base_model_name_or_path", directory.file(LORA)),
        conflicts=tuple(name for name in places if places[name].get(DEFAULT) != places[origin].get(DEFAULT)),
        notes=_notes(added),
    )
    return _with_gguf(_with_stops(found, directory), directory)


def files_read(path: str) -> list[str]:
    """Return all paths that are looked at in a directory, whether they exist or not."""
    additional: list[str] = []
    with suppress(OSError), os.scandir(os.path.join(path, MORE)) as entries:
        additional = sorted(entry.path for entry in islice(entries, MOST_TEMPLATES))
    return [*(os.path.join(path, name) for name in READ), *additional]


def _places(directory: Directory, tokenizer: dict[str, Any]) -> dict[str, dict[str, str]]:
    """Return the templates of each file that has some; the file that counts comes first, as in transformers."""
    text = directory.read_text(JINJA)
    if text == "":
        refuse(directory.file(JINJA), "is empty")
    in_jinja = {} if text is None else {DEFAULT: text}
    in_config = _in_config(tokenizer, directory.file(TOKENIZER))
    in_json = _in_json(directory, is_only_one=not (in_jinja or in_config))
    places = {JINJA: in_jinja, JSON: in_json, TOKENIZER: in_config}
    return {name: found for name, found in places.items() if found}


def _notes(added: dict[str, int | None]) -> tuple[str, ...]:
    unusual = [text for text in added if not is_marker(text)]
    return (f"tokens that occur in ordinary text are not markers: {saferepr(unusual)}",) if unusual else ()


def _in_json(directory: Directory, *, is_only_one: bool) -> dict[str, str]:
    """Return the templates of `chat_template.json`, if it is Hugging Face's; PaddleNLP's is no error beside another."""
    content, file = directory.read_json(JSON), directory.file(JSON)
    if "chat_template" in content or not PADDLENLP_KEYS & content.keys():
        return _in_config(content, file)
    if is_only_one:
        reads_it = install_command("lect-paddlenlp")
        msg = f"{saferepr(file, 200)} is a template in PaddleNLP's notation, not in Jinja's\n  try: {reads_it}"
        raise ForeignNotationError(msg, file=file)
    return {}


def _in_config(config: dict[str, Any], file: str) -> dict[str, str]:
    """Return the templates of a config: one, or several as a list of objects with names."""
    value = config.get("chat_template")
    if value is None:
        return {}
    if not isinstance(value, list):
        text = as_text(value, "chat_template", file)
        return {DEFAULT: text} if text else refuse(file, "has an empty chat_template")
    if not 0 < len(value) <= MOST_TEMPLATES:
        refuse(file, f"has {len(value):,} chat templates, and should have 1 to {MOST_TEMPLATES}")
    named: dict[str, str] = {}
    for each in value:
        if not isinstance(each, dict):
            refuse(file, f"has {saferepr(each)} in chat_template, and should have objects with name and template there")
        name = as_text(each.get("name"), "the name of a chat template", file)
        if name in named:
            refuse(file, f"has two chat templates called {saferepr(name)}")
        named[name] = as_text(each.get("template"), f"the chat template {saferepr(name)}", file)
    return named


def _additional(directory: Directory) -> dict[str, str]:
    names = directory.names(MORE, ".jinja", MOST_TEMPLATES)
    texts = {name.removesuffix(".jinja"): directory.read_text(os.path.join(MORE, name)) for name in names}
    return {name: text for name, text in texts.items() if text}


def _tokens(directory: Directory, tokenizer: dict[str, Any]) -> dict[str, str]:
    """Return the special tokens by name. Which file counts is as in transformers, for each kind of them."""
    stated = named_tokens(tokenizer, directory.file(TOKENIZER))
    # The map belongs to configs of a time when they did not list the added tokens.
    is_current = tokenizer.get("added_tokens_decoder") is not None
    mapped = named_tokens({} if is_current else directory.read_json(SPECIAL), directory.file(SPECIAL))
    tokens = stated.usual | mapped.usual | mapped.own | stated.own | stated.extra | mapped.extra
    return {name: text for name, text in tokens.items() if text}


def _added(directory: Directory, tokenizer: dict[str, Any], tokens: dict[str, str]) -> dict[str, int | None]:
    named: dict[str, int | None] = dict.fromkeys(tokens.values())
    listed = listed_tokens(directory.read_json(ADDED), directory.file(ADDED))
    stated = added_tokens(tokenizer, directory.file(TOKENIZER))
    added = named | listed | (stated or _in_the_vocabulary(directory))
    bounded(added, directory.path)
    return added


def _in_the_vocabulary(directory: Directory) -> dict[str, int | None]:
    """Return the added tokens of `tokenizer.json`. They are at its beginning; the rest is many megabytes long."""
    start = directory.read(VOCABULARY, VOCABULARY_START, only_start=True) or b""
    return vocabulary_tokens(start.decode(errors="ignore"), directory.file(VOCABULARY))


def _with_stops(found: ModelFiles, directory: Directory) -> ModelFiles:
    """Return the findings with the ends of a reply: the tokenizer's EOS, and what the generation config names."""
    generation, file = directory.read_json(GENERATION), directory.file(GENERATION)
    ids = token_ids(generation.get("eos_token_id"), "eos_token_id", file)
    texts = {number: text for text, number in found.added.items() if number is not None}
    strings = generation.get("stop_strings") or []
    eos = found.tokens.get("eos_token")
    stop = {
        **({eos: found.added.get(eos)} if eos else {}),
        **{texts[each]: each for each in ids if each in texts},
        **{as_text(each, "stop_strings", file): None for each in (strings if isinstance(strings, list) else [strings])},
    }
    stop.pop("", None)
    bounded(stop, file)
    return found._replace(stop=stop, stop_ids=tuple(each for each in ids if each not in texts))


def _with_gguf(found: ModelFiles, directory: Directory) -> ModelFiles:
    """Return the findings, or those of a GGUF file beside them if they have no template; note one that differs."""
    if directory.real(GGUF) is None:
        return found
    inside = read_gguf(directory.file(GGUF))
    if not found.templates:
        return inside._replace(path=found.path, origin=f"{GGUF}: {inside.origin}" if inside.origin else "")
    if inside.templates.get(DEFAULT, found.source) != found.templates.get(DEFAULT):
        return found._replace(conflicts=(*found.conflicts, GGUF))
    return found
