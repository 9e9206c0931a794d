"""ERNIE against its maker's own templates."""

from lect_kit import AdapterSuite


class TestERNIE(AdapterSuite):
    plugin = "ernie"
    goldens = {"golden/baidu--ERNIE-4.5-0.3B-PT.json": "ernie-4.5"}
    examples = {
        "baidu/ERNIE-4.5-0.3B-PT": "ernie-4.5",
        "PaddlePaddle/ERNIE-4.5-300B-A47B-PT": "ernie-4.5",
        "baidu/ERNIE-4.5-300B-A47B-Base-PT": "default",
    }
    base = ["baidu/ERNIE-4.5-300B-A47B-Base-PT", "baidu/ERNIE-4.5-VL-28B-A3B-Base-PT"]
    others = [
        "baidu/ERNIE-4.5-VL-28B-A3B-PT",
        "baidu/ERNIE-4.5-21B-A3B-Thinking",
        "nghuyong/ernie-3.0-base-zh",
    ]
