"""Which paths FastChat's adapters match, in a notation of our own.

`vicuna` must occur in the path; with `falcon !chat`, `falcon` must and `chat` must not; with `gemini | bard`, either
must; `=bard` is the whole path. Case is ignored, unless `case:` comes first; after `name:` only the last part of the
path counts. So `case name: v0` is a lower-case `v0` in the last part. The empty pattern always holds.
"""

Terms = tuple[str, ...]


class Pattern:
    """A parsed pattern."""

    __slots__ = ("alternatives", "cased", "name_only")

    def __init__(self, *, cased: bool, name_only: bool, alternatives: tuple[Terms, ...]):
        self.cased = cased
        self.name_only = name_only
        self.alternatives = alternatives

    def holds(self, path: str) -> str | None:
        """Return what the path was recognised by, "" for the empty pattern; None where the path does not fit."""
        if not self.alternatives:
            return ""
        text = last_part(path) if self.name_only else path
        if not self.cased:
            text = text.lower()
        for terms in self.alternatives:
            if all(_holds(term, text) for term in terms):
                return " ".join(term.lstrip("=") for term in terms if term[0] != "!")
        return None

    def needles(self) -> list[tuple[str, bool]]:
        """Return lower-case texts, one of which is in every path that fits, and whether it alone makes a path fit."""
        found = []
        for terms in self.alternatives:
            wanted = [term for term in terms if term[0] != "!"]
            sure = len(terms) == 1 and wanted[0][0] != "=" and not self.cased and not self.name_only
            found.append((max((term.lstrip("=") for term in wanted), key=len).lower(), sure))
        return found


def read_pattern(pattern: str) -> Pattern:
    """Parse a pattern."""
    flags, colon, rest = pattern.partition(": ")
    words = flags.split() if colon else []
    alternatives = (rest if colon else pattern).split(" | ") if pattern else []
    return Pattern(
        cased="case" in words,
        name_only="name" in words,
        alternatives=tuple(tuple(each.split()) for each in alternatives),
    )


def last_part(path: str) -> str:
    """Return what follows the last slash, ignoring one at the very end."""
    return path.removesuffix("/").rpartition("/")[2]


def _holds(term: str, text: str) -> bool:
    if term[0] == "!":
        return term[1:] not in text
    return term[1:] == text if term[0] == "=" else term in text
