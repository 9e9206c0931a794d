"""What images are for Kimi: the rules of `lect-media`, with the numbers of the maker's processors."""

VL = {
    "image": {
        "rule": "limited",
        "source": "the processor of Kimi-VL-A3B-Instruct, as vllm-project/vllm at a014e35 counts by it: kimi_vl.py",
        "placeholder": "<|media_pad|>",
        "patch_size": 14,
        "merge_kernel_size": [2, 2],
        "in_token_limit": 4096,
    }
}
K2_5 = {
    "image": {
        "rule": "native",
        "placeholder": "<|media_pad|>",
        "patch_size": 14,
        "merge_size": 2,
        "max_patches": 16384,
        "size": {"max_height": 512, "max_width": 512},
    }
}
