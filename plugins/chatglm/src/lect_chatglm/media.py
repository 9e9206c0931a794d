"""What images and videos are for GLM-4.1V and 4.5V: rules of `lect-media`, with the numbers of the processor."""

PATCHES = {"rule": "grid_over_time", "patch_size": 14, "temporal_patch_size": 2, "merge_size": 2}
"""Pixels are counted in all frames; an image is as many as one group of frames."""
GLM4_1V = {
    "image": {
        **PATCHES,
        "placeholder": "<|image|>",
        "size": {"shortest_edge": 12544, "longest_edge": 9633792},
    },
    "video": {
        **PATCHES,
        "placeholder": "<|video|>",
        "pad": "<|image|>",
        "start": "<|begin_of_image|>",
        "end": "<|end_of_image|>",
        "timestamp": "{whole}",
        "timestamp_after": True,
        "size": {"shortest_edge": 12544, "longest_edge": 47040000},
        "fps": 2,
    },
}
