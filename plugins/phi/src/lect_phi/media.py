"""What images and sounds are for Phi: the rules of `lect-media`, with the numbers of the maker's processors."""

VISION_3_5 = {
    "image": {
        "rule": "lined_crops",
        "source": "calc_num_image_tokens_from_image_size of the processor of Phi-3.5-vision-instruct",
        "placeholder": "<|image_1|>",
        "pad": "<|image|>",
        # Those of Phi-3.5; the file of Phi-3-vision says 16 crops.
        "num_crops": 4,
        "num_img_tokens": 144,
    }
}
MULTIMODAL_4 = {
    "image": {
        "rule": "masked_crops",
        "placeholder": "<|image|>",
        "pad": "<|endoftext10|>",
        "size": 448,
        "patch_size": 14,
        "dynamic_hd": 36,
    },
    "audio": {
        "rule": "compressed_sound",
        "placeholder": "<|audio|>",
        "pad": "<|endoftext11|>",
        "sampling_rate": 16000,
        "win_length": 400,
        "hop_length": 160,
        "audio_compression_rate": 8,
        "audio_downsample_rate": 1,
        "audio_feat_stride": 1,
    },
}
