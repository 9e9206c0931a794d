"""GigaChat 3 and 3.1 against their maker's own templates."""

from lect_kit import AdapterSuite


class TestGigaChat(AdapterSuite):
    plugin = "gigachat"
    goldens = {
        "golden/ai-sage--GigaChat3-10B-A1.8B.json": "gigachat-3",
        "golden/ai-sage--GigaChat3.1-10B-A1.8B.json": "gigachat-3.1",
    }
    examples = {
        "ai-sage/GigaChat3-10B-A1.8B": "gigachat-3",
        "ai-sage/GigaChat3-10B-A1.8B-bf16": "gigachat-3",
        "ai-sage/GigaChat3.1-10B-A1.8B": "gigachat-3.1",
        "ai-sage/GigaChat3.1-10B-A1.8B-GGUF": "gigachat-3.1",
    }
    others = ["ai-sage/GigaChat-20B-A3B-instruct", "ai-sage/GigaChat3-702B-A36B-preview", "ai-sage/GigaChat3.5"]
