"""Command, North and Aya, by Cohere."""

from lect.plugin import Family, Rule
from lect_cohere.command_a import COMMAND_A_REASONING
from lect_cohere.command_r import COMMAND_A, COMMAND_R, COMMAND_R7B
from lect_cohere.north import NORTH_MINI_CODE

__lect_api__ = "~=1.0"

adapter = Family(
    "cohere",
    Rule("?c ?4 ?ai command a reasoning 08 2025", COMMAND_A_REASONING),
    Rule("?c ?4 ?ai command a 03 2025", COMMAND_A),
    Rule("?c ?4 ?ai command r 7 b arabic", None, note="a model of its own, whose template was not seen"),
    Rule("?c ?4 ?ai command r 7 b ?12 ?2024", COMMAND_R7B),
    Rule("?c ?4 ?ai command r ?plus 08 2024", COMMAND_R, note="their default templates write what that of v01 writes"),
    Rule("?c ?4 ?ai command r ?plus .", COMMAND_R),
    Rule("north mini code ?1.0 .", NORTH_MINI_CODE),
    Rule("aya 23 # b", COMMAND_R),
    Rule("aya expanse # b", COMMAND_R),
)
