"""The special and added tokens of a model, from the files of its tokenizer."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from lect.errors import saferepr
from lect_jinja.files.untrusted import as_text, has_too_many_values, refuse

NAMES = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
MOST_ADDED = 65_536
LONGEST_TOKEN = 4096
MOST_CHARACTERS = 1 << 18
"""Characters of all tokens, those that differ only in a number counted once: Python compiles them in a second."""
SHORTEST_MARKER = 2
LIKE_EACH_OTHER = 8
"""How many tokens that differ in a number make one numbered marker."""
_NUMBER = re.compile(r"[0-9]+")
_ADDED_TOKENS = re.compile(r'"added_tokens"\s*:\s*(?=\[)')


class NamedTokens(NamedTuple):
    """The special tokens that one file names, as a chat template reads them.

    Attributes:
        usual: Those that every tokenizer may have; one that is null or empty is an empty text.
        own: Those of the model, such as `image_token`, which stand beside the usual ones.
        extra: Those under `extra_special_tokens`.
    """

    usual: dict[str, str]
    own: dict[str, str]
    extra: dict[str, str]


def named_tokens(config: dict[str, Any], file: str) -> NamedTokens:
    """Return the special tokens by name.

    Args:
        config: What `tokenizer_config.json` or `special_tokens_map.json` holds.
        file: Its name in messages.
    """
    more = config.get("extra_special_tokens") or {}
    if not isinstance(more, dict | list):
        refuse(file, f"has extra_special_tokens of {saferepr(more)}, and should have an object there")
    extra = more if isinstance(more, dict) else {}
    # `add_bos_token` and the like are no tokens.
    named = {name: token for name, token in config.items() if name.endswith("_token") and isinstance(token, str | dict)}
    return NamedTokens(
        {name: _content_or_none(config[name], name, file) for name in NAMES if name in config},
        {name: _content_or_none(token, name, file) for name, token in named.items() if name not in NAMES},
        {name: _content_or_none(token, name, file) for name, token in extra.items()},
    )


def added_tokens(config: Mapping[str, Any], file: str) -> dict[str, int | None]:
    """Return the added tokens of a `tokenizer_config.json` with their ids."""
    decoder = config.get("added_tokens_decoder")
    if decoder is None:
        return {}
    if not isinstance(decoder, Mapping):
        refuse(file, f"has added_tokens_decoder of {saferepr(decoder)}, and should have an object there")
    if len(decoder) > MOST_ADDED:
        refuse(file, f"has {len(decoder):,} added tokens; at most {MOST_ADDED:,} are read")
    return {_content(token, f"added token {saferepr(key)}", file): _id(key, file) for key, token in decoder.items()}


def listed_tokens(listed: dict[str, Any], file: str) -> dict[str, int | None]:
    """Return the tokens of an `added_tokens.json`, which maps texts to ids."""
    if len(listed) > MOST_ADDED:
        refuse(file, f"has {len(listed):,} tokens; at most {MOST_ADDED:,} are read")
    for text, number in listed.items():
        if not text or type(number) is not int or number < 0:
            refuse(file, f"has the id {saferepr(number)} for {saferepr(text)}")
    return {as_text(text, "a token", file): number for text, number in listed.items()}


def vocabulary_tokens(start: str, file: str) -> dict[str, int | None]:
    """Return the added tokens at the beginning of a `tokenizer.json`; none if they are not all there."""
    found = _ADDED_TOKENS.search(start)
    if found is None or has_too_many_values(start):
        return {}
    try:
        listed, _ = json.JSONDecoder().raw_decode(start, found.end())
    except (ValueError, RecursionError):
        return {}
    if len(listed) > MOST_ADDED:
        refuse(file, f"has {len(listed):,} added tokens; at most {MOST_ADDED:,} are read")
    tokens = [each for each in listed if isinstance(each, dict) and type(each.get("id")) is int]
    return {_content(each, f"added token {each['id']}", file): each["id"] for each in tokens}


def bounded(tokens: Collection[str], file: str) -> None:
    """Refuse tokens that are too long to look for in every text.

    Raises:
        ModelFileError: If one of them, or all of them together, are too long.
    """
    longest = max(tokens, key=len, default="")
    if len(longest) > LONGEST_TOKEN:
        refuse(file, f"has a control token of {len(longest):,} characters; at most {LONGEST_TOKEN:,} are read")
    characters = sum(map(len, {_NUMBER.sub("", token, count=1) for token in tokens}))
    if characters > MOST_CHARACTERS:
        refuse(file, f"has control tokens of {characters:,} characters; at most {MOST_CHARACTERS:,} are read")


def token_ids(value: Any, key: str, file: str) -> tuple[int, ...]:
    """Return the ids that a config gives as one number, several, or none."""
    ids = value if isinstance(value, list) else [] if value is None else [value]
    for each in ids:
        if type(each) is not int or each < 0:
            refuse(file, f"has {key} of {saferepr(value)}, and should have token ids there")
    return tuple(dict.fromkeys(ids))


def markers_of(added: dict[str, int | None]) -> dict[str, Any]:
    """Return the tokens as the markers of a template, those that differ only in a number as one.

    Tokens of one character or of white space are left out: every text has them, so they protect nothing.
    """
    alike: dict[str, dict[int, int | None]] = {}
    for text, number in added.items():
        found = _NUMBER.search(text)
        if found and str(int(found[0])) == found[0] and len(found[0]) < 6:
            alike.setdefault(f"{text[: found.start()]}{{}}{text[found.end() :]}", {})[int(found[0])] = number
    numbered = {
        marker: [ids.get(each) for each in range(max(ids) + 1)]
        for marker, ids in alike.items()
        if LIKE_EACH_OTHER <= len(ids) > max(ids) // 4 and marker.count("{}") == 1
    }
    alone = {
        text: number
        for text, number in added.items()
        if is_marker(text) and _NUMBER.sub("{}", text, count=1) not in numbered
    }
    return {**alone, **numbered}


def is_marker(text: str) -> bool:
    """Return whether a token can be told from ordinary text."""
    return len(text) >= SHORTEST_MARKER and not text.isspace()


def _content_or_none(token: Any, what: str, file: str) -> str:
    return "" if token in (None, "") else _content(token, what, file)


def _content(token: Any, what: str, file: str) -> str:
    """Return the text of a token, which is given as such or as an object that holds it."""
    if isinstance(token, dict):
        if not isinstance(token.get("special", False), bool):
            refuse(file, f"has special of {saferepr(token['special'])} in {what}, and should have true or false there")
        token = token.get("content")
    text = as_text(token, what, file)
    if not text:
        refuse(file, f"has an empty {what}")
    return text


def _id(key: str, file: str) -> int:
    if not (key.isascii() and key.isdigit() and len(key) < 12):
        refuse(file, f"has an added token with the id {saferepr(key)}, and should have a number there")
    return int(key)
