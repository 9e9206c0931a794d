"""The letters that stand for bytes in vocabularies of GPT-2's kind."""


def byte_letters():
    """Return the letters that stand for bytes in vocabularies of GPT-2's kind."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    letters = dict(zip(printable, map(chr, printable), strict=True))
    return letters | {byte: chr(256 + at) for at, byte in enumerate(others)}
