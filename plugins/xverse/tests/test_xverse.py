"""XVERSE against its maker's code, as copied by another project."""

from lect_kit import AdapterSuite


class TestXverse(AdapterSuite):
    plugin = "xverse"
    goldens = {"golden/xverse.json": "xverse"}
    examples = {
        "xverse/XVERSE-13B-Chat": "xverse",
        "xverse/XVERSE-65B-Chat": "xverse",
        "xverse/XVERSE-7B": "default",
        "xverse/XVERSE-65B-2": "default",
    }
    base = ["xverse/XVERSE-7B", "xverse/XVERSE-65B-2"]
    others = ["xverse/XVERSE-13B-256K", "xverse/XVERSE-V-13B"]
