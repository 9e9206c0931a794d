"""Reply formats of models whose families are not among the packages of lect.

Each format is found by its name, `lect.parse(None, output, format="reka")`, or by that of the model:
`lect.parse("RekaAI/reka-flash-3", output)`.
"""

from lect.plugin import Family, Rule
from lect_dialects.json_calls import (
    APRIEL,
    FIREFUNCTION_V2,
    REKA,
    XLAM,
)
from lect_dialects.messages import BEAM
from lect_dialects.named_calls import FUNCTIONARY_V31, FUNCTIONARY_V32
from lect_dialects.tagged_calls import DOTS, IQUEST_Q1, K2_HORIZON

__lect_api__ = "~=1.0"

adapter = Family(
    "dialects",
    Rule("reka flash", REKA),
    Rule("apriel", APRIEL),
    Rule("firefunction v 2", FIREFUNCTION_V2),
    Rule("?llama xlam 2", XLAM),
    Rule("beam 1.0", BEAM),
    Rule("k 2 horizon", K2_HORIZON),
    Rule("iquest q 1", IQUEST_Q1),
    Rule("functionary * v 3.1", FUNCTIONARY_V31),
    Rule("functionary * v 3.2", FUNCTIONARY_V32),
    Rule("dots llm # inst", DOTS),
)
