"""How the command line says what the library says to Python programs."""

import re

PHRASES = {
    "get_conversation_template(path, adapter='chatml')": "--adapter chatml",
    "leave it out, or strict=False to render without it": "leave it out, or do not say --strict",
    "lossy=True, to write the rest": "--lossy, to write the rest",
    "decode the text with errors='replace'": "write \\ufffd in its place",
    "LECT_FALLBACK=0, or lect.resolve(path, fallback=False), to": "LECT_FALLBACK=0 to",
    "add_generation_prompt=True beside continue_final_message=True": "--generation-prompt beside --continue",
    "max_length is ": "--max-length is ",
    "continue_final_message=True, but the last message": "--continue, but the last message",
    **{f"limits={{{name!r}: ...}}": f"--limit {name}=..." for name in ("messages", "tools", "depth", "bytes")},
}
"""What errors suggest to a Python program, and how to say it here."""

_ADVICE = re.compile(r"( *)(try|or): (.*)")


def spoken(message: str, command: str) -> str:
    """Return a message in the words of the command line, without advice to run the command that is being run."""
    for phrase, here in PHRASES.items():
        message = message.replace(phrase, here)
    lines: list[str] = []
    begins = False  # whether the next advice is the first that is left
    for line in message.split("\n"):
        advice = _ADVICE.fullmatch(line)
        if advice is None:
            lines.append(line)
            continue
        indent, label, text = advice.groups()
        begins = begins or label == "try"
        if not f"{text} ".startswith(f"lect {command} "):
            lines.append(f"{indent[:-1]}try: {text}" if begins and label == "or" else line)
            begins = False
    return "\n".join(lines)
