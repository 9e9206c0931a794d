"""Marks that are spelt almost right: with other bars or brackets, with white space inside, without an underscore."""

import re
from collections.abc import Iterable
from functools import lru_cache

NO = -1
"""Not there."""
LEFT, RIGHT, BARS, BRACKETS = "<‹＜〈⟨", ">›＞〉⟩", "|｜‖❘│", "<>[]"
GAPS = " \t_▁-"
ODD = frozenset(LEFT + BARS + BRACKETS)
"""What a mark that is spelt almost right can begin with."""
PARTS = re.compile(rf"[{BARS}]+|[ _▁-]+|(?:[<>]?[\[\]]){{2,}}[<>]?|.", re.DOTALL).findall
NAMESPACE = re.compile(rf"(.*[{BARS}]\w+[{BARS}]+)(?:[^\W_]+_)+(\w+>)").fullmatch
SEVERAL_TOKENS = re.compile(rf"(<[{BARS}]\w+[{BARS}]>\w+)<[{BARS}]\w+[{BARS}]>").fullmatch
FEWEST_LETTERS = 4
MOST = 3
"""How often a bar, a bracket or a gap may be repeated."""
CANDIDATES = re.compile(
    rf"[{LEFT}{BARS}\[\]](?:(?<=[{LEFT}]) )?[{LEFT}{RIGHT}{BARS}\[\]/]*\w[\w:▁-]*(?:[{BARS}]+ ?\w+| \w+)?=?"
).findall
FIRST_WORD = re.compile(r"(?<=\w)[ =].*", re.DOTALL)
ODD_BAR = re.compile(r"\|[^ \n-]").search
"""Finds a bar that is none of a table's: white space or a dash follows those."""
ONE_WORD = re.compile(rf"<[{BARS}]/?[^\W_]+[{BARS}]?>[{BARS}]?").fullmatch
"""A mark that is an everyday tag without its bars, such as `<｜table｜>`."""
HAS_BAR = re.compile(f"[{BARS}]").search
FOLD = {ord(each): None for each in GAPS + "=[]" + LEFT + RIGHT} | {ord(bar): "|" for bar in BARS}


class TooLittleTextError(Exception):
    """Only more text can tell what is there."""


def need_end(ended: bool) -> int:
    """Return NO if the reply has ended: nothing can follow any more."""
    if not ended:
        raise TooLittleTextError
    return NO


def may_be_misspelt(mark: str) -> bool:
    """Return whether a mark can be recognised by its letters if other characters in it are wrong."""
    return mark[:1] in ODD and sum(map(str.isalpha, mark)) >= FEWEST_LETTERS


@lru_cache(maxsize=1024)
def _spellings(mark: str) -> list[re.Pattern[str]]:
    if not may_be_misspelt(mark):
        return []
    inside = NAMESPACE(mark)
    # Where all marks have a name in common, the first words after that may be missing.
    shorter = f"{inside[1]}{inside[2]}" if inside else half(mark)
    return [_spelling(each) for each in (mark, shorter) if each]


def half(mark: str) -> str:
    """Return a mark of several tokens without the last one; empty if it has no word between them."""
    found = SEVERAL_TOKENS(mark)
    return found[1] if found else ""


def _spelling(mark: str) -> re.Pattern[str]:
    """Return a pattern for a mark that is spelt almost right; its group matches if the text ends inside the mark."""
    parts: list[tuple[str, str, str]] = []
    texts = PARTS(mark)
    gap = False
    for index, text in enumerate(texts):
        first, last = index == 0, index == len(texts) - 1
        # At either end, a bar is enough.
        barred = (first and texts[1][0] in BARS) or (last and texts[-2][0] in BARS)
        if not text.strip(GAPS):
            gap = True
            parts += [("", r"[ \t]", "")] if last else []
            continue
        many, wanted = text[0] in BARS, text
        if text[0] in BARS:
            wanted = BARS
        elif len(text) > 1 and not last:
            many, wanted = True, BRACKETS
        elif text in "<>":
            wanted = LEFT if text == "<" else RIGHT
        for each in [wanted] if wanted != text else text:
            gaps = f"[{GAPS}]{{0,{MOST}}}" if not first and (gap or not each.isalnum()) else ""
            repeated = f"{{1,{MOST}}}" if many else ""
            parts.append((gaps, f"[{re.escape(each)}]{repeated}", "?+" if barred and text in "<>" else ""))
        gap = not text.isalnum()
    # At the end of the text every part matches, so that the last one tells.
    ends = [r"\Z"] * (len(parts) - 1) + [r"(\Z)"]
    pieces = (f"(?:{gaps}(?:{one}|{end})){often}" for (gaps, one, often), end in zip(parts, ends, strict=True))
    return re.compile("".join(pieces))


def near(buffer: str, at: int, mark: str, ended: bool) -> int:
    """Return where a mark that is spelt almost right ends, if it is at `at`, or NO."""
    for spelling in _spellings(mark):
        found = spelling.match(buffer, at)
        # What comes before a mark that is spelt right is not part of it.
        if found is not None and mark not in found[0]:
            return found.end() if found[1] is None else need_end(ended)
    return NO


def fold(text: str) -> str:
    """Return a mark without what may be wrong in a spelling that is almost right."""
    return re.sub(r"\|+", "|", text.translate(FOLD)).strip("|").casefold()


class Leftovers:
    """Finds marks, or any with one character wrong, missing or too many, in content; `ordinary` ones may be text."""

    def __init__(self, marks: Iterable[str], ordinary: Iterable[str]):
        self._ordinary = {mark.strip(GAPS + RIGHT) for mark in ordinary}
        words = {fold(mark): mark for mark in sorted(marks) if mark[:1] in ODD}
        self._known = {word: mark for word, mark in words.items() if sum(map(str.isalpha, word)) >= FEWEST_LETTERS}
        # Without a bracket before them, these words are no ordinary ones.
        self._words = [mark.strip(BRACKETS + "/") for mark in self._known.values() if ":" in mark]
        # One character that is wrong leaves the beginning of a word or its end.
        self._begins, self._ends = {word[:3] for word in self._known}, {word[-3:] for word in self._known}
        self._less = {less: mark for word, mark in self._known.items() if len(word) > 6 for less in _one_less(word)}

    def find(self, content: str) -> list[tuple[str, str]]:
        """Return what looks like a mark, each text once, with the mark that it looks like."""
        found = []
        plain = content.isascii() and not ("<" in content or "[" in content or ODD_BAR(content))
        texts = [] if plain or not self._known else CANDIDATES(content)
        there = (word for word in self._words if word in content)
        texts += [word for word in there if re.search(rf"(?<![</\w:]){re.escape(word)}", content)]
        for text in dict.fromkeys(texts):
            first = FIRST_WORD.sub("", text)
            if not {text.strip(GAPS + RIGHT), first, f"{first}="} & self._ordinary:
                mark = self._mark(fold(text)) or self._mark(fold(first))
                if mark and (HAS_BAR(text) or not ONE_WORD(mark)):
                    found.append((mark if mark.startswith(text) and mark in content else text, mark))
        return found

    def _mark(self, word: str) -> str:
        known = self._known.get(word) or self._less.get(word, "")
        if known or len(word) < 7 or (word[:3] not in self._begins and word[-3:] not in self._ends):
            return known
        fewer = _one_less(word)
        return next((known for less in fewer if (known := self._known.get(less) or self._less.get(less, ""))), "")


def _one_less(word: str) -> list[str]:
    """Return a word with each of its characters missing, except digits: another number is another mark."""
    return [word[:index] + word[index + 1 :] for index in range(len(word)) if not word[index].isdigit()]
