"""Hermes, by Nous Research, and OpenHermes, by Teknium."""

from lect.plugin import Family, Rule
from lect_hermes.chatml import NOUS_HERMES2, NOUS_HERMES2_SOLAR, OPENHERMES, OPENHERMES2
from lect_hermes.hermes3 import HERMES2_PRO, HERMES2_PRO_MISTRAL, HERMES3

__lect_api__ = "~=1.0"

adapter = Family(
    "hermes",
    Rule("hermes 3 llama 3.1|3.2 # b .", HERMES3),
    Rule("hermes 2 pro llama 3 # b .", HERMES2_PRO),
    Rule("hermes 2 pro mistral 7 b .", HERMES2_PRO_MISTRAL),
    Rule("?nous hermes 2 mixtral 8 x 7 b dpo|sft .", NOUS_HERMES2),
    Rule("nous hermes 2 solar 10.7 b .", NOUS_HERMES2_SOLAR),
    Rule(
        "nous hermes 2 mistral 7 b dpo .",
        None,
        note="it is ChatML, but its sources disagree on whether a bos precedes it",
    ),
    Rule("openhermes 2.5 mistral 7 b .", OPENHERMES),
    Rule("openhermes 2 mistral 7 b .", OPENHERMES2),
)
