"""What images are for DeepSeek-VL and VL2: the rules of `lect-media`, with the numbers of the maker's processors."""

VL = {"image": {"rule": "fixed", "placeholder": "<image_placeholder>", "num_image_tokens": 576}}
JANUS = {
    "image": {
        **VL["image"],
        "start": "<begin_of_image>",
        "end": "<end_of_image>",
        "source": "huggingface/transformers at d56c55b: the processor janus",
    }
}
TILE = 384
MOST_TILES = 9
GRIDS = [(columns, rows) for columns in range(1, MOST_TILES + 1) for rows in range(1, MOST_TILES // columns + 1)]
VL2 = {
    "image": {
        "rule": "lined_views",
        "source": "vllm-project/vllm at a014e35, processors/deepseek_vl2.py, which follows the maker's",
        "placeholder": "<image>",
        "patch_size": 14,
        "downsample_ratio": 2,
        # Width and height, the single tile first: the file of a checkpoint lists them in another order.
        "candidate_resolutions": [[TILE * columns, TILE * rows] for columns, rows in GRIDS],
    }
}
