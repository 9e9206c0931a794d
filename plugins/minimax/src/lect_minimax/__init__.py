"""MiniMax, by MiniMax."""

from lect.plugin import Family, Rule
from lect_minimax.m1 import M1
from lect_minimax.m2 import M2, M2_1, M2_5, M2_7
from lect_minimax.m3 import M3

__lect_api__ = "~=1.0"

adapter = Family(
    "minimax",
    Rule("minimax m 1 # k .", M1),
    Rule("minimax m 2 .", M2),
    Rule("minimax m 2.1 .", M2_1),
    Rule("minimax m 2.5 .", M2_5),
    Rule("minimax m 2.7 .", M2_7),
    Rule("minimax m 3 .", M3),
)
