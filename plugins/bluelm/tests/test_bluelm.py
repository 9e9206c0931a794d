"""BlueLM against its maker's own code."""

from lect_kit import AdapterSuite


class TestBlueLM(AdapterSuite):
    plugin = "bluelm"
    goldens = {"golden/bluelm.json": "bluelm", "golden/bluelm-32k.json": "bluelm-32k"}
    examples = {
        "vivo-ai/BlueLM-7B-Chat": "bluelm",
        "vivo-ai/BlueLM-7B-Chat-32K": "bluelm-32k",
        "vivo-ai/BlueLM-7B-Base-32K": "default",
    }
    base = ["vivo-ai/BlueLM-7B-Base", "vivo-ai/BlueLM-7B-Base-32K"]
    others = ["vivo-ai/BlueLM-V-3B", "vivo-ai/BlueLM-2.5-3B"]
