"""gpt-oss, by OpenAI."""

from lect.plugin import Family, Rule
from lect_gptoss.harmony import HARMONY

__lect_api__ = "~=1.0"

adapter = Family(
    "gptoss",
    Rule("gpt oss # b", HARMONY),
)
