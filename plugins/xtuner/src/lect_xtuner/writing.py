"""Write a turn table in XTuner's notation."""

from __future__ import annotations

from typing import Any

from lect.plugin import ROUND, Template, TurnTemplate
from lect_convert import Written, expressible, table_of
from lect_xtuner.chat import EOS
from lect_xtuner.fields import DEFAULTS


def write(template: Template) -> Written:
    """Write a template as a JSON object of XTuner's fields.

    Raises:
        ConversionError: If it is not a turn table.
    """
    import json

    table, lost = expressible(table_of(template, "xtuner"), {"eos", "rounds"})
    user, assistant, system = table.turns["user"], table.turns["assistant"], table.turns.get("system")
    suffix, is_eos, sep = _ends(table, assistant.suffix)
    fields: dict[str, Any] = {
        "SYSTEM": system and _around(system.prefix, "{system}", system.suffix),
        "INSTRUCTION": _around(user.prefix, "{input}", user.suffix + table.generation),
        "SUFFIX": suffix,
        "SUFFIX_AS_EOS": is_eos,
        "SEP": sep,
        "STOP_WORDS": list(table.stop),
    }
    stated = {name: value for name, value in fields.items() if value and value != DEFAULTS[name]}
    return Written(json.dumps(stated, ensure_ascii=False, indent=4) + "\n", lost, bos=False, rest=table)


def _around(prefix: str, place: str, suffix: str) -> str:
    """Return a format string; literal braces are doubled."""
    prefix, suffix = (
        text.replace("{", "{{").replace("}", "}}").replace(f"{{{ROUND}}}", ROUND) for text in (prefix, suffix)
    )
    return prefix + place + suffix


def _ends(table: TurnTemplate, after_answer: str) -> tuple[str, bool, str]:
    """Return SUFFIX, SUFFIX_AS_EOS and SEP, splitting what follows an answer where the answer ends.

    It ends with the tokenizer's EOS where the table does not know its text, else with the first stop string.
    """
    if EOS in after_answer:
        suffix, _, sep = after_answer.partition(EOS)
        return suffix, False, sep
    ends = [after_answer.index(end) + len(end) for end in (*table.stop, table.eos) if end and end in after_answer]
    end = min(ends, default=0)
    return after_answer[:end], bool(ends), after_answer[end:]
