"""What images are for MiniCPM-V: the rule of `lect-media`, with the numbers of the maker's processor."""

SLICES = {
    "image": {
        "rule": "slices",
        "source": "the processor of MiniCPM-V-2_6; the slices are those of MiniCPM-V-4.6, which were compared",
        "placeholder": "(<image>./</image>)",
        "pad": "<unk>",
        "start": "<image>",
        "end": "</image>",
        "slice_start": "<slice>",
        "slice_end": "</slice>",
        "number_start": "<image_id>",
        "number_end": "</image_id>",
        "max_slice_nums": 9,
        "scale_resolution": 448,
        "patch_size": 14,
        "image_feature_size": 64,
        "slice_mode": True,
        "use_image_id": True,
    }
}
