"""OpenBuddy against its maker's own template."""

from lect_kit import AdapterSuite


class TestOpenbuddy(AdapterSuite):
    plugin = "openbuddy"
    goldens = {"golden/OpenBuddy--openbuddy-llama3-8b-v21.1-8k.json": "openbuddy"}
    examples = {
        "OpenBuddy/openbuddy-llama3-8b-v21.1-8k": "openbuddy",
        "OpenBuddy/openbuddy-yi1.5-34b-v21.3-32k": "openbuddy",
        "OpenBuddy/openbuddy-llama3.3-70b-v24.3-131k": "openbuddy",
    }
    others = ["OpenBuddy/openbuddy-mistral2-7b-v20.3-32k", "OpenBuddy/openbuddy-llama2-13b-v8.1-fp16"]
