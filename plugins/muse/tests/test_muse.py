"""Muse against its maker's own template."""

from lect_kit import AdapterSuite


class TestMuse(AdapterSuite):
    plugin = "muse"
    goldens = {"golden/muse-glimmer.json": "muse-glimmer"}
    examples = {
        "meta-models/Muse-Glimmer-30B": "muse-glimmer",
        "meta-models/Muse-Glimmer-30B-FP8": "muse-glimmer",
        "meta-models/Muse-Glimmer-30B-Base": "default",
    }
    base = ["meta-models/Muse-Glimmer-30B-Base"]
    others = ["meta-models/Muse-Glimmer-8B", "meta-models/Muse-Spark-30B", "museum-30b"]
