"""GBNF read as llama.cpp does: a set of stacks, which every character of a text moves on."""

import re
from functools import lru_cache

TOKEN = re.compile(
    r'"(?P<text>(?:[^"\\]|\\.)*)"|\[(?P<chars>\^?(?:[^\]\\]|\\.)*)\]|(?P<name>[a-zA-Z][\w-]*)|(?P<mark>[()|*+?])'
    r"|\{(?P<low>\d+)(?P<comma>,?)(?P<high>\d*)\}|\s+"
)
ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
NAMED = {"n": "\n", "t": "\t", "r": "\r"}


def unescaped(text):
    def char(match):
        code = match[1] or match[2] or match[3]
        return chr(int(code, 16)) if code else NAMED.get(match[4], match[4])

    return ESCAPE.sub(char, text)


class Gbnf:
    """A grammar. Stacks are linked lists of what is still to come: `(item, rest)`, or None."""

    def __init__(self, grammar):
        self.rules = {}
        for line in grammar.splitlines():
            name, _, body = line.partition(" ::= ")
            self.tokens = [each for each in TOKEN.finditer(body) if each[0].strip() or each["text"] is not None]
            assert "".join(each[0] for each in TOKEN.finditer(body)) == body, body
            self.rules[name] = self._choice()
        self.moves = lru_cache(None)(self._moves)

    def _choice(self):
        branches = [self._row()]
        while self.tokens and self.tokens[0]["mark"] == "|":
            self.tokens.pop(0)
            branches.append(self._row())
        return ("alt", tuple(branches))

    def _row(self):
        items = []
        while self.tokens and self.tokens[0]["mark"] not in ("|", ")"):
            token = self.tokens.pop(0)
            if token["text"] is not None:
                items += [("seq", tuple(("char", re.escape(char)) for char in unescaped(token["text"])))]
            elif token["chars"] is not None:
                items += [("char", f"[{token['chars']}]")]
            elif token["name"]:
                items += [("rule", token["name"])]
            elif token["mark"] == "(":
                items += [self._choice()]
                self.tokens.pop(0)
            else:
                low, high = {"*": (0, None), "+": (1, None), "?": (0, 1)}.get(token["mark"], (None, None))
                if low is None:
                    low = int(token["low"])
                    high = low if not token["comma"] else int(token["high"]) if token["high"] else None
                items[-1] = ("rep", items[-1], low, high)
        return ("seq", tuple(items))

    def _moves(self, stack):
        """Return what the next character may be, with the stacks after it; None stands for the end."""
        if stack is None:
            return ((None, None),)
        item, rest = stack
        match item:
            case ("char", _):
                return ((item[1], rest),)
            case ("rule", name):
                return self.moves((self.rules[name], rest))
            case ("seq", items):
                for each in reversed(items):
                    rest = (each, rest)
                return self.moves(rest)
            case ("alt", items):
                return tuple(dict.fromkeys(move for each in items for move in self.moves((each, rest))))
            case ("rep", inner, low, high):
                found = self.moves(rest) if low == 0 else ()
                if high != 0:
                    again = ("rep", inner, max(low - 1, 0), None if high is None else high - 1)
                    found += self.moves((inner, (again, rest)))
                return tuple(dict.fromkeys(found))
        raise AssertionError(item)

    def accepts(self, text):
        """Return how much of a text is accepted; None if all of it is, and may end there."""
        stacks = {(("rule", "root"), None)}
        for at, char in enumerate(text):
            stacks = {
                rest
                for stack in stacks
                for chars, rest in self.moves(stack)
                if chars and re.fullmatch(chars, char, re.DOTALL)
            }
            if not stacks:
                return text[:at]
        return None if any(chars is None for stack in stacks for chars, _ in self.moves(stack)) else text
