"""Reword what the library says to Python programs for the command line."""

import re

PHRASES = {
    r"get_conversation_template\(path, adapter='chatml'\)": "--adapter chatml",
    r"lect\.pin\('[^']*', '([^']*)'\)": r"--adapter \1",
    r"lect\.reply_formats\(\)": "lect formats",
    r"lect\.messages\(row\), which reads the rows of data sets": "messages with role and content",
    r"\bthe (adapter|default) argument\b": r"--\1",
    r"\bthere is no argument or option\b": "there is no option",
    r"\bnotation='([^']*)'": r"--notation \1",
    r"\b(adapter|default|format)='([^']*)'": r"--\1 \2",
    r"or strict=False to render without it": "or leave out --strict",
    r"lossy=True, to write the rest": "--lossy, to write the rest",
    r"decode the text with errors='replace'": r"write \\ufffd in its place",
    r", or lect\.resolve\(path, fallback=False\), to": " to",
    r"\badd_generation_prompt=(True\b|\.\.\.)": "--generation-prompt",
    r"\bcontinue_final_message=(True\b|\.\.\.)": "--continue",
    r"\b(messages|tools|strict)=\.\.\.": r"--\1",
    r"\blimits=\.\.\.": "--limit",
    r"\btry: (\w+)=\.\.\.$": r"try: --option \1=...",
    r"\bmax_length is ": "--max-length is ",
    r"\blimits=\{'(messages|tools|depth|bytes)': (\S+)\}": r"--limit \1=\2",
}
"""Patterns of what errors suggest to a Python program, and the words for it here."""

_ADVICE = re.compile(r"( *)(try|or): (.*)")


def reword(message: str, command: str) -> str:
    """Return a message in the words of the command line, without advice to run the command that is being run."""
    for phrase, here in PHRASES.items():
        message = re.sub(phrase, here, message)
    lines: list[str] = []
    begins = False  # whether the next advice is the first one left
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
