"""Seed-OSS, by ByteDance Seed."""

from lect.plugin import DEFAULT, Family, Rule
from lect_seed.seed_oss import SEED_OSS

__lect_api__ = "~=1.0"

adapter = Family(
    "seed",
    Rule("seed oss 36 b instruct", SEED_OSS),
    Rule("seed oss 36 b base ?wosyn", DEFAULT, kind="base", note="a base model: its maker gave it no chat format"),
)
