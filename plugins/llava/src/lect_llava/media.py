"""What images and videos are for llava-hf's LLaVA: rules of `lect-media`, with the numbers of its processors."""

FEATURES = {"placeholder": "<image>", "vision_feature_select_strategy": "default"}
CLIP = {**FEATURES, "size": 336, "crop_size": 336, "patch_size": 14, "num_additional_image_tokens": 1}
HF_1_5 = {"image": {**CLIP, "rule": "square"}}
NEXT = {
    "image": {
        **CLIP,
        "rule": "views",
        "image_grid_pinpoints": [[336, 672], [672, 336], [672, 672], [1008, 336], [336, 1008]],
    }
}
SIDES = range(384, 2304 + 1, 384)
ONEVISION_FEATURES = {"num_image_tokens": 729, "vision_feature_select_strategy": "full"}
ONEVISION = {
    "image": {
        **ONEVISION_FEATURES,
        "rule": "views_or_one",
        "placeholder": "<image>",
        "size": 384,
        "image_grid_pinpoints": [[height, width] for height in SIDES for width in SIDES],
        "vision_aspect_ratio": "anyres_max_9",
    },
    "video": {
        **ONEVISION_FEATURES,
        "rule": "pooled_frames",
        "source": "huggingface/transformers at d56c55b: the processor llava_onevision",
        "placeholder": "<video>",
    },
}
