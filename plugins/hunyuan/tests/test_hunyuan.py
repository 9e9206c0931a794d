"""Hunyuan against its maker's own templates."""

from lect_kit import AdapterSuite


class TestHunyuan(AdapterSuite):
    plugin = "hunyuan"
    goldens = {"golden/tencent--Hy3.json": "hy3", "golden/hunyuan-a13b.json": "hunyuan-a13b"}
    examples = {
        "tencent/Hy3": "hy3",
        "tencent/Hy3-FP8": "hy3",
        "tencent/Hunyuan-A13B-Instruct": "hunyuan-a13b",
        "tencent/Hunyuan-A13B-Instruct-FP8": "hunyuan-a13b",
        "tencent/Hunyuan-0.5B-Instruct": "hunyuan-dense",
        "tencent/Hunyuan-1.8B-Instruct-AWQ-Int4": "hunyuan-dense",
        "tencent/Hunyuan-4B-Instruct": "hunyuan-dense",
        "tencent/Hunyuan-7B-Pretrain": "default",
        "tencent/Hy3-preview-Base": "default",
    }
    base = ["tencent/Hunyuan-7B-Pretrain", "tencent/Hy3-preview-Base"]
    others = [
        "tencent/Hy3-preview",
        "tencent/Hunyuan-7B-Instruct",
        "tencent/Hunyuan-MT-7B",
        "tencent/HunyuanOCR",
        "tencent/Hy-MT2-7B",
    ]
