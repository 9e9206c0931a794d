"""Write a turn table in XTuner's notation."""

from __future__ import annotations

from typing import Any

from lect.plugin import ROUND, Template, Turn, TurnTemplate, Written, table_of, unsupported_facts
from lect_xtuner.chat import EOS
from lect_xtuner.fields import DEFAULTS


def write(template: Template) -> Written:
    """Write a template as a JSON object of XTuner's fields.

    Raises:
        ConversionError: If it is not a turn table.
    """
    import json

    table = table_of(template, "xtuner")
    user, assistant, system = table.turns["user"], table.turns["assistant"], table.turns.get("system")
    suffix, is_eos, sep = _ends(table, assistant.suffix)
    fields: dict[str, Any] = {
        "SYSTEM": system and _around(system, "{system}", table, "system"),
        "INSTRUCTION": _around(Turn(user.prefix, user.suffix + table.generation), "{input}", table, "user"),
        "SUFFIX": suffix,
        "SUFFIX_AS_EOS": is_eos,
        "SEP": sep,
        "STOP_WORDS": list(table.stop),
    }
    stated = {name: value for name, value in fields.items() if value and value != DEFAULTS[name]}
    text = json.dumps(stated, ensure_ascii=False, indent=4) + "\n"
    return Written(text, unsupported_facts(table, {"eos", "rounds"}), bos=False)


def _around(turn: Turn, place: str, table: TurnTemplate, role: str) -> str:
    """Return a format string; literal braces of the turn are doubled."""
    prefix, suffix = (
        _filled(text, table, role).replace("{", "{{").replace("}", "}}").replace(f"{{{ROUND}}}", ROUND)
        for text in turn[:2]
    )
    return prefix + place + suffix


def _filled(text: str, table: TurnTemplate, role: str) -> str:
    return text.replace(EOS, table.eos).replace("{role}", role)


def _ends(table: TurnTemplate, after_answer: str) -> tuple[str, bool, str]:
    """Return SUFFIX, SUFFIX_AS_EOS and SEP, splitting what follows an answer where the answer ends.

    It ends with the tokenizer's EOS where the table does not know its text, else with the first stop string.
    """
    if EOS in after_answer and not table.eos:
        suffix, _, sep = after_answer.partition(EOS)
        return suffix, False, sep
    text = _filled(after_answer, table, "assistant")
    ends = [text.index(end) + len(end) for end in (*table.stop, table.eos) if end and end in text]
    end = min(ends, default=0)
    return text[:end], bool(ends), text[end:]
