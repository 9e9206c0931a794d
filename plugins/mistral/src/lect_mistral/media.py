"""What images are for Mistral's models: the rules of `lect-media`, with the numbers of the maker's processors."""

PIXTRAL = {
    "image": {
        "rule": "rows",
        "placeholder": "[IMG]",
        "row_end": "[IMG_BREAK]",
        "end": "[IMG_END]",
        "size": {"longest_edge": 1024},
        "patch_size": 16,
        "spatial_merge_size": 1,
    }
}
SMALL = {
    "image": {**PIXTRAL["image"], "size": {"longest_edge": 1540}, "patch_size": 14, "spatial_merge_size": 2},
}
