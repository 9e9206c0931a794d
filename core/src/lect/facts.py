"""What a template states: everything except how it writes a prompt and how it reads a reply."""

import re
from collections.abc import ItemsView, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal

from lect.computed import computed
from lect.errors import PluginError, did_you_mean, near_names, saferepr

ACCEPTABLE = ("argument_text", "null", "parts")
CAPABILITIES = (
    "audio", "code_interpreter", "documents", "images", "parallel_tools", "reasoning", "system", "tools", "video",
)  # fmt: skip
STANDARD_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})

EVIDENCE = {
    "attested": "attested: the source names two independent projects that state it; no file of the maker's was at hand",
    "second-hand": "second-hand: the source names who copies or converts the maker's file, which was not at hand",
}

Ids = Sequence[int | None]
"""The token ids of a numbered marker, by number."""
Texts = Mapping[str, int | None] | Iterable[str]
"""Texts with their token ids, or texts alone."""
MarkerTexts = Mapping[str, int | Ids | None] | Iterable[str]
"""The same, possibly with numbered markers: see `Markers`."""

ANY_NUMBER = "([0-9]{1,9})"
"""What `{}` in a marker stands for. It is bounded: search time must not grow with the square of a text."""


class Markers(Mapping[str, int | Ids | None]):
    """The control markers of a template with their token ids. They do not change.

    A marker with `{}` in it and without an id of its own is numbered: it stands for the texts with any number there,
    even one that the tokenizer does not have. Each of these texts is in the mapping, with its id or None; iterating
    yields the marker once, as it was stated, with the ids of all numbers from 0 on.
    """

    def __init__(self, stated: Mapping[str, int | Ids | None]):
        self._stated = {marker: tuple(ids) if isinstance(ids, list) else ids for marker, ids in stated.items()}

    def __getitem__(self, text: str) -> int | Ids | None:
        if text in self._stated:
            return self._stated[text]
        found = self.pattern.fullmatch(text) if self.pattern is not None and isinstance(text, str) else None
        if found is None:
            raise KeyError(text)
        # It is numbered: any other marker matches only itself.
        start, end = found.span(found.lastindex or 0)
        ids, index = self._stated[f"{text[:start]}{{}}{text[end:]}"], int(text[start:end])
        # `007` is not the text of token 7.
        if not isinstance(ids, Sequence) or index >= len(ids) or text[start:end] != str(index):
            return None
        return ids[index]

    def __iter__(self) -> Iterator[str]:
        return iter(self._stated)

    def __len__(self) -> int:
        return len(self._stated)

    def items(self) -> ItemsView[str, int | Ids | None]:
        return self._stated.items()

    def __repr__(self) -> str:
        return f"Markers({self._stated})"

    @computed
    def pattern(self) -> re.Pattern[str] | None:
        """One pattern for all of them, the longest first; None where there are none."""
        longest_first = sorted(self._stated.items(), key=lambda stated: len(stated[0]), reverse=True)
        pieces = ([text] if isinstance(ids, int) else text.split("{}", 1) for text, ids in longest_first)
        found = "|".join(ANY_NUMBER.join(map(re.escape, each)) for each in pieces)
        return re.compile(found) if found else None


class Facts:
    """The facts of a format. They do not change once stated.

    Args:
        name: The name by which people find it.
        roles: The roles that the format supports.
        bos: The text that opens every prompt, where the maker's template writes one.
        eos: The text that closes an answer, where the maker's template calls it that.
        stop: The strings at which a reply ends, each with its token id from the maker's generation config, or None.
        stop_ids: Token ids that end a reply and have no text.
        markers: The control markers, which text from outside should not contain, with or without their token ids: all
            special and added tokens of the maker's tokenizer. `{}` in one stands for any number (see `Markers`).
        control_tokens: The markers `<name>` and `</name>` that are tokens of the maker's tokenizer with an unknown id;
            others of this form are words of the format, which replies may contain as text. The attribute has them all.
        text_separators: Whether plain text separates turns, as a user may write it: nothing can protect a prompt then.
        default_system: The system text that the maker's template adds where none is given.
        capabilities: What the format supports, some of `CAPABILITIES`: system, tools, parallel_tools, reasoning, ...
        options: The options that it reads, with the type that it expects of each, or None: `{"enable_thinking": bool}`.
        accepts: What it accepts as it is given, and must not be normalized: `parts` and `null` for content, and
            `argument_text` for the arguments of calls (see `prompt/normalize.py`).
        source: Where the format is written down, with its revision.
        evidence: `attested` if no file of the maker's was at hand, and two independent projects, both named in
            `source`, state the same format; `second-hand` if `source` names who copies or converts the maker's file.
        revisions: The names of the templates that the maker has published for the same model, this one among them, with
            their dates: the first comes first, and the last is the model's default.
        media: What images, videos and sounds are for the model: the rule and the numbers of each, for `lect_media`.
    """

    __slots__ = (
        "_frozen", "accepted_roles", "accepts", "bos", "capabilities", "control_tokens", "default_system", "eos",
        "evidence", "markers", "media", "name", "options", "revisions", "roles", "source", "stop", "stop_ids",
        "text_separators",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        *,
        roles: Iterable[str] = ("system", "user", "assistant"),
        bos: str = "",
        eos: str = "",
        stop: Texts = (),
        stop_ids: Iterable[int] = (),
        markers: MarkerTexts = (),
        control_tokens: Iterable[str] = (),
        text_separators: bool = False,
        default_system: str = "",
        capabilities: Iterable[str] = ("system",),
        options: Mapping[str, type | None] | Iterable[str] = (),
        accepts: Iterable[Literal["parts", "null", "argument_text"]] = (),
        source: str = "",
        evidence: Literal["", "attested", "second-hand"] = "",
        revisions: Mapping[str, str] | tuple[()] = (),
        media: Mapping[str, Mapping[str, Any]] | tuple[()] = (),
    ):
        if not isinstance(name, str) or not name:
            raise PluginError(f"the name of a template is {saferepr(name)}; expected a text")
        self.name = name
        self.roles = listed(name, "roles", roles)
        self.bos, self.eos = bos, eos
        self.stop: Mapping[str, int | None] = _texts(name, "stop", stop)
        # Two spellings of one token are one id.
        self.stop_ids = tuple(dict.fromkeys((*(each for each in self.stop.values() if each is not None), *stop_ids)))
        known = _texts(name, "markers", markers)
        # A stop is often a marker too; its id is stated once.
        ids = {text: self.stop.get(text) if each is None else each for text, each in known.items()}
        self.markers = Markers(ids)
        tokens = {*listed(name, "control_tokens", control_tokens), *self.stop, bos, eos}
        words = {text for text, each in ids.items() if each is None and is_tag(text)} - tokens
        self.control_tokens = tuple(text for text in ids if text not in words)
        self.text_separators, self.default_system = text_separators, default_system
        self.capabilities = _some_of(CAPABILITIES, name, "capabilities", capabilities)
        own = {token: str for token, text in (("bos_token", bos), ("eos_token", eos)) if text}
        self.options: Mapping[str, type | None] = MappingProxyType({**_texts(name, "options", options), **own})
        self.accepts = _some_of(ACCEPTABLE, name, "accepts", accepts)
        self.source, self.evidence = source, evidence
        # A variant by another name is none of them.
        self.revisions: Mapping[str, str] = _texts(name, "revisions", revisions if name in revisions else {})
        self.media = MappingProxyType({kind: MappingProxyType({**rule}) for kind, rule in dict(media).items()})
        self.accepted_roles = STANDARD_ROLES.union(self.roles)

    def __setattr__(self, name: str, value: object) -> None:
        # Names with an underscore hold what is computed when it is first needed.
        if name[0] != "_" and getattr(self, "_frozen", False):
            msg = f"a template does not change: cannot set {name!r} of {self.name!r}\n  try: but({name}=...)"
            raise AttributeError(msg)
        object.__setattr__(self, name, value)

    def stated(self) -> dict[str, Any]:
        """Return the facts by name, as the constructor takes them."""
        return {name: getattr(self, name) for name in ("name", *(Facts.__init__.__kwdefaults__ or ()))} | {
            "stop": dict(self.stop),
            "stop_ids": [each for each in self.stop_ids if each not in self.stop.values()],
            # The id of a stop is stated there.
            "markers": {text: None if self.stop.get(text) == each else each for text, each in self.markers.items()},
            # In one order, so that a template pickles to the same bytes in every process.
            "capabilities": sorted(self.capabilities),
            "options": {each: kind for each, kind in self.options.items() if each not in ("bos_token", "eos_token")},
            "accepts": sorted(self.accepts),
            "revisions": dict(self.revisions),
            "media": {kind: dict(rule) for kind, rule in self.media.items()},
        }

    def revision(self, name: str = "") -> str:
        """Say which of its model's revisions a template is, by default this one; empty if it is none of them."""
        mine, names = name or self.name, [*self.revisions]
        if mine not in names:
            return ""
        return f"revision {names.index(mine) + 1} of {len(names)}, of {self.revisions[mine]}"

    @property
    def own_fields(self) -> frozenset[str]:
        """The fields of messages that are not reported as unknown, because a notation finds them in a template's text.

        A program that decides by a field of its own without writing it calls `out.used`.
        """
        return frozenset()

    @property
    def label(self) -> str:
        """What errors call it."""
        return self.name


def is_tag(text: str) -> bool:
    """Return whether a marker is `<name>` or `</name>`, of letters, digits, `_` and `-`."""
    # A pattern would take longer to compile than a family takes to load.
    name = text[1:-1].removeprefix("/").replace("-", "_")
    return name.isidentifier() and name.isascii() and name[0] != "_" and text[0] + text[-1] == "<>"


def listed(template: str, field: str, value: Iterable[str]) -> tuple[str, ...]:
    """Return `value` as a tuple; refuse a single text, which would be split into characters, and an empty one in it."""
    values = tuple(value)
    if isinstance(value, str) or "" in values:
        msg = f"template {template!r}: {field} is {value!r}; expected a list of texts\n  try: {field}=['...']"
        raise PluginError(msg)
    return values


def _texts(template: str, field: str, value: Mapping[str, Any] | Iterable[str]) -> Mapping[str, Any]:
    ids = value if isinstance(value, Mapping) else {}
    return MappingProxyType({text: ids.get(text) for text in listed(template, field, value)})


def _some_of(known: Iterable[str], template: str, field: str, value: Iterable[str]) -> frozenset[str]:
    values = listed(template, field, value)
    for odd in (each for each in values if each not in known):
        hint = did_you_mean(near_names(odd, known), f"try: some of {', '.join(known)}")
        raise PluginError(f"template {template!r}: {field} contains {saferepr(odd)}\n  {hint}")
    return frozenset(values)
