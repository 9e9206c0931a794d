"""What a model says, taken apart: reasoning, content, tool calls."""


def formats() -> list[str]:
    """Return the names of the reply formats that are known, for `lect.parse(None, text, format=...)`."""
    from lect.reply.known import FORMATS

    return sorted(FORMATS)
