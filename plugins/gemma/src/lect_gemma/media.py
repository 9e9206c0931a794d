"""What images, videos and sounds are for Gemma: rules of `lect-media`, with the numbers of the maker's processors."""

FRAMED = {"before": "\n\n", "after": "\n\n"}
IMAGE_3 = {
    **FRAMED,
    "start": "<start_of_image>",
    "pad": "<image_soft_token>",
    "end": "<end_of_image>",
    "image_seq_length": 256,
}
GEMMA3 = {
    "image": {
        **IMAGE_3,
        "rule": "pan_and_scan",
        "placeholder": "<start_of_image>",
        # It is off unless a request turns it on; the others are the processor's own numbers then.
        "do_pan_and_scan": False,
        "pan_and_scan_min_crop_size": 256,
        "pan_and_scan_max_num_crops": 4,
        "pan_and_scan_min_ratio_to_activate": 1.2,
        # The processor takes these from its caller, whatever its own file says.
        "kept": [
            "do_pan_and_scan",
            "pan_and_scan_min_crop_size",
            "pan_and_scan_max_num_crops",
            "pan_and_scan_min_ratio_to_activate",
        ],
    }
}
GEMMA3N = {
    "image": {**IMAGE_3, "rule": "fixed", "placeholder": "<image_soft_token>"},
    "audio": {
        **FRAMED,
        "rule": "fixed",
        "placeholder": "<audio_soft_token>",
        "start": "<start_of_audio>",
        "end": "<end_of_audio>",
        "audio_seq_length": 188,
        "sampling_rate": 16000,
    },
}
POOLS = {"rule": "budget", "patch_size": 16, "pooling_kernel_size": 3, "start": "<|image>", "end": "<image|>"}
GEMMA4_LARGE = {
    "image": {**POOLS, "placeholder": "<|image|>", "max_soft_tokens": 280},
    "video": {
        **POOLS,
        "placeholder": "<|video|>",
        "max_soft_tokens": 70,
        "timestamp": "{minute:02d}:{second:02d} ",
        "between": " ",
    },
}
"""Only the small models hear."""
GEMMA4 = {
    **GEMMA4_LARGE,
    "audio": {
        "rule": "whole_frames",
        "placeholder": "<|audio|>",
        "start": "<|audio>",
        "end": "<audio|>",
        "sampling_rate": 16000,
        "frame_length": 320,
        "hop_length": 160,
    },
}
