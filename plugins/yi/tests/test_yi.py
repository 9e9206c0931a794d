"""Yi against its maker's own templates."""

from lect_kit import AdapterSuite


class TestYi(AdapterSuite):
    plugin = "yi"
    goldens = {"golden/01-ai--Yi-1.5-34B-Chat.json": "yi-1.5-chat"}
    examples = {"01-ai/Yi-1.5-9B-Chat-16K": "yi-1.5-chat", "01-ai/Yi-34B-Chat": "yi-chat", "01-ai/Yi-6B": "default"}
    base = ["01-ai/Yi-6B"]
    others = ["yi", "unicorn/yippee-7b"]
