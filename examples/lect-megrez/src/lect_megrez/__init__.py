"""Megrez, by Infinigence."""

from lect.plugin import Family, Rule, Turn, TurnTemplate

__lect_api__ = "~=1.0"

# Every role has the same turn, even one that the maker does not name.
TURN = Turn("<|role_start|>{role}<|role_end|>", "<|turn_end|>")

MEGREZ_CHAT = TurnTemplate(
    "megrez-chat",
    system=TURN,
    user=TURN,
    assistant=TURN,
    other=TURN,
    default_system="你是Megrez-3B-Instruct，将针对用户的问题给出详细的、积极的回答。",
    empty="generation",
    stop=["<|turn_end|>"],
    markers=["<|role_start|>", "<|role_end|>", "<|turn_end|>"],
    source="Infinigence/Megrez-3B-Instruct, as llama.cpp has it in tests/test-chat-template.cpp at b21e4de74567",
)

adapter = Family("megrez", Rule("megrez # b instruct", MEGREZ_CHAT))
