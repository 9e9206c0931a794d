"""What images, videos and sounds are for Qwen: the rules of `lect-media`, with the numbers of the makers' processors.

The sizes are numbers of pixels. A video's frames are those that the model gets, after frames were chosen.
"""

PATCHES_14 = {"rule": "grid", "patch_size": 14, "temporal_patch_size": 2, "merge_size": 2}
PATCHES_16 = {**PATCHES_14, "patch_size": 16}

IMAGE_2 = {**PATCHES_14, "placeholder": "<|image_pad|>", "size": {"shortest_edge": 3136, "longest_edge": 12845056}}
VIDEO_2 = {
    **PATCHES_14,
    "placeholder": "<|video_pad|>",
    "size": {"shortest_edge": 100352, "longest_edge": 602112},
    # Only where a checkpoint turns it on; 128,000 is what the maker's own package counts with.
    "cap_pixels_per_frame": False,
    "max_video_tokens": 128000,
}
QWEN2_VL = {"image": IMAGE_2, "video": VIDEO_2}

QWEN2_5_OMNI = {
    "image": {**IMAGE_2, "placeholder": "<|IMAGE|>"},
    "video": {**VIDEO_2, "placeholder": "<|VIDEO|>"},
    "audio": {
        "rule": "padded_sound",
        "placeholder": "<|AUDIO|>",
        "sampling_rate": 16000,
        "hop_length": 160,
        "chunk_length": 300,
    },
}

IMAGE_3 = {**PATCHES_16, "placeholder": "<|image_pad|>", "size": {"shortest_edge": 65536, "longest_edge": 16777216}}
QWEN3_VL = {
    "image": IMAGE_3,
    "video": {
        **PATCHES_16,
        "rule": "grid_over_time",
        "placeholder": "<|video_pad|>",
        "start": "<|vision_start|>",
        "end": "<|vision_end|>",
        "timestamp": "<{seconds:.1f} seconds>",
        "timestamp_of": "middle",
        "size": {"shortest_edge": 4096, "longest_edge": 25165824},
        "fps": 2,
        "cap_pixels_per_frame": False,
        "max_video_tokens": 768,
    },
}

QWEN3_OMNI = {
    "image": {
        **IMAGE_3,
        "source": "preprocessor_config.json of Qwen3-Omni-30B-A3B-Instruct; the rule is that of Qwen3-VL",
        "size": {"shortest_edge": 3136, "longest_edge": 12845056},
    },
    "video": {
        **VIDEO_2,
        **PATCHES_16,
        "source": "huggingface/transformers at d56c55b: the processor qwen3_omni_moe; the rule is that of Qwen2.5-VL",
        "size": {"shortest_edge": 131072, "longest_edge": 786432},
    },
    "audio": {
        "rule": "chunked_sound",
        "placeholder": "<|audio_pad|>",
        "sampling_rate": 16000,
        "hop_length": 160,
        "n_fft": 400,
        "n_window": 50,
    },
}
