"""Hunyuan against its maker's own templates."""

from family import FamilySuite


class TestHunyuan(FamilySuite):
    family = "hunyuan"
    goldens = {
        "tencent--Hy3": "hy3",
    }
    names = [
        ("tencent/Hy3", "hy3", "chat"),
        ("tencent/Hy3-FP8", "hy3", "chat"),
        ("tencent/Hunyuan-7B-Pretrain", "default", "base"),
        ("tencent/Hy3-preview-Base", "default", "base"),
    ]
    others = [
        "tencent/Hy3-preview",
        "tencent/Hunyuan-7B-Instruct",
        "tencent/HunyuanOCR",
        "tencent/Hy-MT2-7B",
    ]
