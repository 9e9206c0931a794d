"""Command against its maker's own templates."""

from lect_kit import AdapterSuite


class TestCohere(AdapterSuite):
    plugin = "cohere"
    goldens = {
        "golden/CohereLabs--c4ai-command-r-v01.json": "command-r",
        "golden/CohereLabs--c4ai-command-r-08-2024.json": "command-r",
        "golden/CohereLabs--c4ai-command-r-plus-08-2024.json": "command-r",
        "golden/CohereLabs--aya-23-8B.json": "command-r",
        "golden/CohereLabs--aya-expanse-8b.json": "command-r",
        "golden/CohereLabs--c4ai-command-r7b-12-2024.json": "command-r7b",
        "golden/CohereLabs--c4ai-command-a-03-2025.json": "command-a",
        "golden/CohereLabs--command-a-reasoning-08-2025.json": "command-a-reasoning",
        "golden/CohereLabs--North-Mini-Code-1.0.json": "north-mini-code",
    }
    examples = {
        "CohereLabs/c4ai-command-r-v01": "command-r",
        "CohereForAI/c4ai-command-r-plus": "command-r",
        "CohereForAI/c4ai-command-r-plus-08-2024": "command-r",
        "CohereLabs/c4ai-command-r7b-12-2024": "command-r7b",
        "CohereLabs/command-a-reasoning-08-2025": "command-a-reasoning",
        "CohereLabs/c4ai-command-a-03-2025": "command-a",
        "CohereLabs/North-Mini-Code-1.0": "north-mini-code",
        "CohereForAI/aya-23-8B": "command-r",
        "adamo1139/aya-expanse-8b-ungated": "command-r",
    }
    others = [
        "commander-7b",
        "CohereLabs/North-Mini-Vision-1.0",
        "CohereLabs/command-a-vision-07-2025",
        "CohereLabs/c4ai-command-r-09-2025",
    ]
