"""Hunyuan against its maker's own templates."""

from lect_kit import AdapterSuite


class TestHunyuan(AdapterSuite):
    plugin = "hunyuan"
    goldens = {"golden/tencent--Hy3.json": "hy3"}
    examples = {
        "tencent/Hy3": "hy3",
        "tencent/Hy3-FP8": "hy3",
        "tencent/Hunyuan-7B-Pretrain": "default",
        "tencent/Hy3-preview-Base": "default",
    }
    base = ["tencent/Hunyuan-7B-Pretrain", "tencent/Hy3-preview-Base"]
    others = [
        "tencent/Hy3-preview",
        "tencent/Hunyuan-7B-Instruct",
        "tencent/HunyuanOCR",
        "tencent/Hy-MT2-7B",
    ]
