"""SeaLLM against its maker's own templates."""

from lect_kit import AdapterSuite


class TestSeaLLM(AdapterSuite):
    plugin = "seallm"
    goldens = {
        "golden/SeaLLMs--SeaLLM-7B-v2.json": "seallm-v2",
        "golden/SeaLLMs--SeaLLM-7B-v2.5.json": "seallm-v2.5",
        "golden/SeaLLMs--SeaLLMs-v3-1.5B-Chat.json": "seallm-v3",
    }
    examples = {
        "SeaLLMs/SeaLLM-7B-v2": "seallm-v2",
        "SeaLLMs/SeaLLM-7B-v2.5": "seallm-v2.5",
        "SeaLLMs/SeaLLMs-v3-7B-Chat": "seallm-v3",
        "SeaLLMs/SeaLLMs-v3-1.5B": "default",
    }
    base = ["SeaLLMs/SeaLLMs-v3-1.5B"]
    others = ["SeaLLMs/SeaLLM-7B-v1", "SeaLLMs/SeaLLMs-Audio-7B"]
