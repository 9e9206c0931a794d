"""What lect-jinja knows of reply formats and templates that it does not import; `make_metadata.py` writes it.

It tells in which format a model's own template may write replies, and which template of ours it may be.
"""

import json
from importlib import import_module

from lect.plugin import CHATML, DEFAULT
from lect.reply.plain import FORMATS
from lect_jinja.identity.compare import prints
from lect_jinja.replies.formats import CORE, signs_of


def text(formats, families):
    """Return the text of the file.

    Args:
        formats: Where the reply formats of each plugin are, by their names.
        families: The templates of each family, by their names.
    """
    templates = {f"{CORE}:{each.name}": each for each in (CHATML, DEFAULT)}
    templates |= {f"{name}:{each}": found for name, listed in families.items() for each, found in listed.items()}
    parts = {"formats": signs(formats), "first_prompts": {name: prints(each) for name, each in templates.items()}}
    return "{\n" + ",\n".join(f"{shown(name)}: {{\n{rows(part)}\n}}" for name, part in parts.items()) + "\n}\n"


def signs(formats):
    """Return what tells each format, by its name."""
    found = {each.name: signs_of(each, CORE) for each in FORMATS}
    for plugin, places in formats.items():
        for name, place in places.items():
            module, _, attribute = place.partition(":")
            # Families may share a format.
            found.setdefault(name, signs_of(getattr(import_module(module), attribute), f"lect-{plugin}"))
    facts = {name: each._asdict() for name, each in found.items()}
    return {
        name: {fact: value for fact, value in row.items() if value and fact != "name"} for name, row in facts.items()
    }


def rows(part):
    return ",\n".join(f"  {shown(name)}: {shown(row)}" for name, row in sorted(part.items()))


def shown(value):
    return json.dumps(value, ensure_ascii=False)
