"""Reword what the library says to Python programs for the command line."""

import re

PHRASES = {
    r"get_conversation_template\(path, adapter='chatml'\)": "lect:chatml in its place",
    r"lect\.pin\('[^']*', '([^']*)'\)": r"--adapter \1",
    r"lect\.reply_formats\(\)": "lect formats",
    r"lect\.messages\(row\), which reads the rows of data sets": "messages with role and content",
    r"\bthe (adapter|default) argument\b": r"--\1",
    r"\bthere is no argument or option\b": "there is no option",
    r"or strict=False to render without it": "or leave out --strict",
    r"lossy=True, to write the rest": "--lossy, to write the rest",
    r"decode the text with errors='replace'": r"write \\ufffd in its place",
    r", or lect\.resolve\(path, fallback=False\), to": " to",
    r"\badd_generation_prompt=(True\b|\.\.\.)": "--generation-prompt",
    r"\bcontinue_final_message=(True\b|\.\.\.)": "--continue",
    r"\b(messages|tools|strict|limit)s?=\.\.\.": r"--\1",
    r"\btry: (\w+)=\.\.\.$": r"try: --option \1=...",
    r"\bmax_length is ": "--max-length is ",
    r"^(truncate|unroll|media) is ": r"--\1 is ",
    r": fallback=False$": "",
    r"(limits=\{'\w+': \d+\})(?=, if you trust the template)": r"lect_jinja.load('./...', \1) in Python",
    r"\blimits=\{'(messages|tools|depth|bytes)': (\S+)\}(?!\))": r"--limit \1=\2",
}
"""Patterns of what errors suggest to a Python program, and the words for it here."""

_ADVICE = re.compile(r"( *)(try|or): (.*)")
_ARGUMENT = re.compile(r"\b([a-z_]+)=\[?'([^']*)'\]?")


def reword(message: str, command: str) -> str:
    """Return a message in the words of the command line, without advice to run the command that is being run."""
    for phrase, here in PHRASES.items():
        message = re.sub(phrase, here, message, flags=re.MULTILINE)
    lines: list[str] = []
    begins = False  # whether the next advice is the first one left
    for line in message.split("\n"):
        if (advice := _ADVICE.fullmatch(line)) is None:
            lines.append(line)
            continue
        indent, label = advice[1], advice[2]
        text = _ARGUMENT.sub(lambda found: f"--{found[1].replace('_', '-')} {found[2]}", advice[3])
        begins = begins or label == "try"
        if not f"{text} ".startswith(f"lect {command} "):
            lines.append(f"{indent[:-1]}try: {text}" if begins and label == "or" else f"{indent}{label}: {text}")
            begins = False
    return "\n".join(lines)
