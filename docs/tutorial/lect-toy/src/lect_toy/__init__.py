"""A toy family: every turn stands in a <message> of its own."""

from lect.plugin import Family, Rule, Turn, TurnTemplate

TOY = TurnTemplate(
    "toy",
    system=Turn("<message>system\n", "\n</message>\n"),
    user=Turn("<message>user\n", "\n</message>\n"),
    assistant=Turn("<message>assistant\n", "\n</message>\n"),
    stop=["\n</message>", "</message>"],
    markers=["<message>", "</message>"],
)

adapter = Family("toy", Rule("toy * chat", TOY))
