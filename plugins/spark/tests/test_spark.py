"""Spark against its maker's own template."""

from lect_kit import AdapterSuite


class TestSpark(AdapterSuite):
    plugin = "spark"
    goldens = {"golden/XHToken--Spark-X2.5-4B.json": "spark-x2.5"}
    examples = {
        "XHToken/Spark-X2.5-4B": "spark-x2.5",
        "XHToken/Spark-X2.5-1.7B-GGUF": "spark-x2.5",
        "XHToken/Spark-X2.5-4B-Base": "default",
    }
    base = ["XHToken/Spark-X2.5-4B-Base"]
    others = ["XHToken/Spark-X2.5-30B", "meta-models/Muse-Spark-30B", "iflytek/Spark-13B-chat", "sparkle-x2.5-4b"]
