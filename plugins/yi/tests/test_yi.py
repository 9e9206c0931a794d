"""Yi against its maker's own templates."""

from family import FamilySuite


class TestYi(FamilySuite):
    family = "yi"
    goldens = {"01-ai--Yi-1.5-34B-Chat": "yi-1.5-chat"}
    names = [
        ("01-ai/Yi-1.5-9B-Chat-16K", "yi-1.5-chat", "chat"),
        ("01-ai/Yi-34B-Chat", "yi-chat", "chat"),
        ("01-ai/Yi-6B", "default", "base"),
    ]
    others = ["yi", "unicorn/yippee-7b"]
