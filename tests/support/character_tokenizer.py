"""A tokenizer with the two-method protocol, for tests without the package `tokenizers`: every character is a token."""

import json
import sys
from types import SimpleNamespace


class CharacterTokenizer:
    """The id of a character is its code point; control tokens have the ids that they are given."""

    def __init__(self, controls):
        self.controls = controls

    @classmethod
    def from_file(cls, path):
        with open(path, encoding="utf-8") as file:
            return cls(json.load(file))

    def control_tokens(self):
        return self.controls

    def encode_ordinary(self, text):
        return [ord(character) for character in text], [(index, index + 1) for index in range(len(text))]

    def id_to_token(self, each):
        named = {known: text for text, known in self.controls.items()}
        return named.get(each, chr(each) if each <= sys.maxunicode else None)

    def decode(self, ids):
        return "".join(map(self.id_to_token, ids))


def install(monkeypatch, directory, controls):
    """Let the command line find this tokenizer in a directory, under the name of the real package."""
    monkeypatch.setitem(sys.modules, "tokenizers", SimpleNamespace(Tokenizer=CharacterTokenizer))
    (directory / "tokenizer.json").write_text(json.dumps(controls), "utf-8")
    return str(directory)
