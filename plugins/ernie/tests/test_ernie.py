"""ERNIE against its maker's own templates."""

from family import FamilySuite


class TestERNIE(FamilySuite):
    family = "ernie"
    goldens = {
        "baidu--ERNIE-4.5-0.3B-PT": "ernie-4.5",
    }
    names = [
        ("baidu/ERNIE-4.5-0.3B-PT", "ernie-4.5", "chat"),
        ("PaddlePaddle/ERNIE-4.5-300B-A47B-PT", "ernie-4.5", "chat"),
        ("baidu/ERNIE-4.5-300B-A47B-Base-PT", "default", "base"),
    ]
    others = [
        "baidu/ERNIE-4.5-VL-28B-A3B-PT",
        "baidu/ERNIE-4.5-21B-A3B-Thinking",
        "nghuyong/ernie-3.0-base-zh",
    ]
