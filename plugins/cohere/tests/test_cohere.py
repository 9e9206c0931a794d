"""Command against its maker's own templates."""

from family import FamilySuite


class TestCohere(FamilySuite):
    family = "cohere"
    goldens = {
        "CohereLabs--c4ai-command-r-v01": "command-r",
        "CohereLabs--aya-23-8B": "command-r",
        "CohereLabs--aya-expanse-8b": "command-r",
        "CohereLabs--c4ai-command-r7b-12-2024": "command-r7b",
        "CohereLabs--c4ai-command-a-03-2025": "command-a",
        "CohereLabs--command-a-reasoning-08-2025": "command-a-reasoning",
    }
    names = [
        ("CohereLabs/c4ai-command-r-v01", "command-r", "chat"),
        ("CohereForAI/c4ai-command-r-plus", "command-r", "chat"),
        ("CohereLabs/c4ai-command-r7b-12-2024", "command-r7b", "chat"),
        ("CohereLabs/command-a-reasoning-08-2025", "command-a-reasoning", "chat"),
        ("CohereLabs/c4ai-command-a-03-2025", "command-a", "chat"),
        ("CohereForAI/aya-23-8B", "command-r", "chat"),
        ("adamo1139/aya-expanse-8b-ungated", "command-r", "chat"),
    ]
    others = ["commander-7b", "CohereLabs/command-a-vision-07-2025", "CohereForAI/c4ai-command-r-plus-08-2024"]
