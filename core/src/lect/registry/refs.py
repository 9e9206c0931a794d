"""A parsed model path. No file is looked at: a name is enough."""

import os
import re
from itertools import pairwise
from typing import NamedTuple, NoReturn

from lect.errors import InvalidModelPathError, InvalidModelPathTypeError, saferepr
from lect.registry.words import meaning

LONGEST_PATH = 4096
LONGEST_SHOWN = 120
"""How much of a path a message shows."""
# Whatever is not ASCII is a word of its own, so that a look-alike character never passes for the real one.
_WORDS = r"[0-9]+(?:[._][0-9]+)*|[a-z]+|[^\x00-\x7f]+"
_HUB_CACHE = "models--"
# In internlm2_5-7b-chat a digit follows.
_OWNED = r"(?P<owner>[a-z0-9-]+)_(?P<name>[a-z].*)"
"""A name with its owner before it, as people who repackage models write it: `qwen_qwen3-8b-gguf`."""
_TAG = r"[a-zA-Z0-9_][a-zA-Z0-9._-]*(?::cloud)?"
"""What may follow `:` in the name of a model, as in `qwen3:4b`, `llama4:scout` and `deepseek-v4-flash:0731:cloud`."""
_SCHEME = r"[a-z][a-z0-9]+(?=:[a-zA-Z0-9][\w.-]*/[\w.-]+(?:@\S+)?\Z)"
"""How a path begins that only the adapter for that scheme reads, as in `hf:owner/name`."""
PLACES = ("/", "./", "../", "~/", ".\\", "..\\")
"""How the path of a file or directory begins."""
SHARES = ("//", "/\\", "\\\\", "\\/")
"""How the path of a network share begins: looking at one means asking another machine."""


class ModelRef(NamedTuple):
    """What a model path says."""

    original: str
    """The path as it was given."""
    path: str
    """`owner/name` if there is an owner, else the name."""
    owner: str | None
    """The owner in `owner/name`; None for local paths, whose directories must not decide the family."""
    name: str
    """The last part, without revision and tag."""
    revision: str | None
    """What followed `@`."""
    words: tuple[str, ...]
    """The name in lower case, cut into words and numbers: `Qwen2.5-7B-Instruct` is `("qwen", "2.5", "7", "b",
    "instruct")`. Those of a tag follow: `qwen3:4b`. If no adapter knows a name that may begin with an owner, as
    `Qwen_Qwen3-8B-GGUF` does, the adapters are asked again, with the words after the owner alone."""
    place: str | None = None
    """Where it is on disk, if the path is plainly that of a file or directory: absolute, one that begins with `./`,
    `../` or `~/`, or a `Path`. None for `owner/name`, even if such a directory exists, and for `//host/share`."""
    tag: str | None = None
    """What followed `:`, as in `qwen3:4b`."""
    scheme: str | None = None
    """`hf` in `hf:owner/name`: only an adapter of the group `lect.paths` with the hint `hf:` is asked."""
    alias: str | None = None
    """The adapter whose `alias` said that the path as given stands for this model; None if none did."""

    @property
    def model_path(self) -> str:
        """The path that hooks are asked about: as it was given, or the model of a hub that it stands for."""
        return self.path if self.alias else self.original

    @property
    def tag_decides(self) -> bool:
        """Whether the tag says which model it is, as in `qwen3:4b`: no rule fits such a name, only a table knows it.

        In `hf.co/owner/name:Q4_K_M` it says how the model is stored, and in `owner/name:free` how it is served.
        """
        return self.tag is not None and (
            "/" not in self.original or meaning("tag").isdisjoint(words_of(self.tag.lower())[:1])
        )


def parse_ref(model_path: str | os.PathLike[str]) -> ModelRef:
    """Parse a model path; one that cannot name a model is an `InvalidModelPathError`."""
    given = model_path if isinstance(model_path, str) else _path_text(model_path)
    _check(given)
    if scheme := re.match(_SCHEME, given):
        return parse_ref(given[scheme.end() + 1 :])._replace(original=given, scheme=scheme[0])
    parts = [part for part in given.replace("\\", "/").split("/") if part]
    local = given[0] in "/\\.~"
    if len(parts) > 2 and "@" in parts[1] and not local:
        # A revision may contain slashes: owner/name@refs/pr/1.
        parts = [parts[0], "/".join(parts[1:])]
    owner = parts[0] if len(parts) == 2 and not local and ":" not in parts[0] else None
    for part in parts:
        # A hub cache keeps a model under models--owner--name/snapshots/<commit>, wherever the path ends.
        if part.startswith(_HUB_CACHE):
            cached_owner, _, cached = part.removeprefix(_HUB_CACHE).rpartition("--")
            owner, parts = cached_owner or None, [cached]
            break
    name, _, revision = parts[-1].partition("@") if parts else ("", "", "")
    name, _, tag = name.partition(":") if not _is_drive(name) else (name, "", "")
    if not any(character.isalnum() for character in name) or name.startswith("-") or _is_drive(name):
        _refuse(f"{saferepr(given, LONGEST_SHOWN)} contains no name")
    path = f"{owner}/{name}" if owner else name
    # A drive counts on every platform: no model on a hub has one.
    is_place = (given.startswith(PLACES) or _is_drive(given[:2])) and not given.startswith(SHARES)
    place = os.path.expanduser(given) if is_place or not isinstance(model_path, str) else None
    words = words_of(name.lower()) + words_of(tag.lower())
    return ModelRef(given, path, owner, name, revision or None, words, place, tag or None)


def readings(ref: ModelRef) -> tuple[ModelRef, ...]:
    """Return the ways to read a name, the likelier first: as it is written, and without an owner before `_`."""
    owned = re.fullmatch(_OWNED, ref.name.lower())
    # In llama_2_7b_chat `_` separates words, and a word that says what a model is for is not an owner's.
    if (
        owned is None
        or ("_" in owned["name"] and "-" not in owned["name"])
        or not meaning("no chat").isdisjoint(words_of(owned["owner"]))
    ):
        return (ref,)
    shorter = ref._replace(words=words_of(owned["name"]) + words_of((ref.tag or "").lower()))
    return (ref, shorter) if shorter != ref else (ref,)


def words_of(name: str) -> tuple[str, ...]:
    """Split a lower-case name into words and numbers."""
    # ModelScope keeps Qwen2.5 as Qwen2___5.
    name = name.replace("___", ".")
    parts = name.split("_")
    if "-" not in name and not all(left[-1:].isdigit() and right[:1].isdigit() for left, right in pairwise(parts)):
        # Here `_` separates words, as in llama_2_7b_chat; else it is a point between digits: internlm2_5-7b-chat.
        name = " ".join(parts)
    return tuple(word.replace("_", ".") for word in re.findall(_WORDS, name))


def _is_drive(name: str) -> bool:
    return len(name) == 2 and name[1] == ":"


def _path_text(model_path: object) -> str:
    try:
        path = os.fspath(model_path)  # type: ignore[call-overload]
    except TypeError:
        path = None
    if not isinstance(path, str):
        raise InvalidModelPathTypeError(
            f"a model path is text or path-like, not {type(model_path).__name__}\n  try: 'owner/name', or a directory"
        )
    return path


def _check(given: str) -> None:
    if len(given) > LONGEST_PATH:
        what = f"{saferepr(given, LONGEST_SHOWN)} has {len(given)} characters"
        _refuse(f"{what}; a model path has at most {LONGEST_PATH}")
    if not given.strip():
        _refuse("the model path is empty")
    if not given.isprintable():
        _refuse(f"{given[:200]!a} contains control characters or half a surrogate pair")
    if re.match(rf"(?!{_SCHEME})[a-zA-Z0-9+.-]{{2,}}:(?!{_TAG}\Z)", given):
        # Not shown: an address may carry a password.
        _refuse("a URL is not a model path; nothing is fetched", "\n   or: `lect templates`, if a template was meant")


def _refuse(what: str, further: str = "") -> NoReturn:
    msg = f"{what}\n  try: a name such as 'lmsys/vicuna-7b-v1.5', or the path of a local model directory{further}"
    raise InvalidModelPathError(msg)
