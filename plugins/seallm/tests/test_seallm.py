"""SeaLLM against its maker's own templates."""

from family import FamilySuite


class TestSeaLLM(FamilySuite):
    family = "seallm"
    goldens = {
        "SeaLLMs--SeaLLM-7B-v2": "seallm-v2",
        "SeaLLMs--SeaLLM-7B-v2.5": "seallm-v2.5",
        "SeaLLMs--SeaLLMs-v3-1.5B-Chat": "seallm-v3",
    }
    names = [
        ("SeaLLMs/SeaLLM-7B-v2", "seallm-v2", "chat"),
        ("SeaLLMs/SeaLLM-7B-v2.5", "seallm-v2.5", "chat"),
        ("SeaLLMs/SeaLLMs-v3-7B-Chat", "seallm-v3", "chat"),
        ("SeaLLMs/SeaLLMs-v3-1.5B", "default", "base"),
    ]
    others = ["SeaLLMs/SeaLLM-7B-v1", "SeaLLMs/SeaLLMs-Audio-7B"]
