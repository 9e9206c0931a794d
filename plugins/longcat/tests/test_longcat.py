"""LongCat-Flash against what its maker documents."""

from lect_kit import AdapterSuite


class TestLongCat(AdapterSuite):
    plugin = "longcat"
    goldens = {"golden/longcat-flash.json": "longcat-flash"}
    examples = {
        "meituan-longcat/LongCat-Flash-Chat": "longcat-flash",
        "meituan-longcat/LongCat-Flash-Chat-FP8": "longcat-flash",
    }
    others = ["meituan-longcat/LongCat-Flash-Thinking", "meituan-longcat/LongCat-Flash-Lite", "longchat-7b-16k"]
