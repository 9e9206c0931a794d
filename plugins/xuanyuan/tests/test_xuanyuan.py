"""XuanYuan against its maker's own code."""

from lect_kit import AdapterSuite


class TestXuanYuan(AdapterSuite):
    plugin = "xuanyuan"
    goldens = {"golden/xuanyuan.json": "xuanyuan", "golden/xuanyuan-6b.json": "xuanyuan-6b"}
    examples = {
        "Duxiaoman-DI/XuanYuan-70B-Chat": "xuanyuan",
        "Duxiaoman-DI/XuanYuan2-70B-Chat-4bit": "xuanyuan",
        "Duxiaoman-DI/XuanYuan-6B-Chat-8bit": "xuanyuan-6b",
        "Duxiaoman-DI/XuanYuan2-70B": "default",
    }
    base = ["Duxiaoman-DI/XuanYuan2-70B"]
    others = ["Duxiaoman-DI/XuanYuan-13B-Chat", "Duxiaoman-DI/Llama3-XuanYuan3-70B-Chat", "xyz-bot/XuanYuan"]
