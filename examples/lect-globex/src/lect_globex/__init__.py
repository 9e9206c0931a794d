"""Globex: its support models, which were tuned from others and keep their names."""

from lect.plugin import CHATML, Family, Rule

__lect_api__ = "~=1.0"

# ChatML without tools, whatever the model was tuned from.
GLOBEX_CHAT = CHATML.but(
    name="globex-chat",
    tool=None,
    default_system="You answer the customers of Globex.",
    source="the training configuration of Globex's support models",
)

# A whole owner/name is the strongest claim: it wins over the families, which know only words in the name.
adapter = Family(
    "globex",
    Rule("globex/Qwen2.5-7B-Instruct-Support", GLOBEX_CHAT),
    Rule("globex/Llama-3.1-8B-Support", GLOBEX_CHAT),
)
