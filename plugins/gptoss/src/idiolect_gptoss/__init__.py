"""gpt-oss, by OpenAI."""

from idiolect.plugin import Family, Rule
from idiolect_gptoss.harmony import HARMONY

__idiolect_api__ = "~=1.0"

adapter = Family(
    "gptoss",
    Rule("gpt oss # b", HARMONY),
)
