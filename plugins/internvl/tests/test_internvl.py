"""InternVL against its maker's own code, and what transformers runs."""

import pytest

import lect
from lect.errors import RefusedError
from lect_kit import AdapterSuite


class TestInternVL(AdapterSuite):
    plugin = "internvl"
    goldens = {
        "golden/internvl2.json": "internvl2",
        "golden/internvl2-phi3.json": "internvl2-phi3",
        "golden/internvl2.5.json": "internvl2.5",
        "golden/OpenGVLab--InternVL3-1B-hf.json": "internvl-hf",
    }
    examples = {
        "OpenGVLab/InternVL3-8B": "internvl2.5",
        "OpenGVLab/InternVL3-38B-Instruct": "internvl2.5",
        "OpenGVLab/InternVL2_5-26B-MPO": "internvl2.5",
        "OpenGVLab/InternVL2_5-78B-AWQ": "internvl2.5",
        "OpenGVLab/InternVL2-8B-MPO": "internvl2",
        "OpenGVLab/InternVL2-Llama3-76B-AWQ": "internvl2",
        "OpenGVLab/InternVL2-4B": "internvl2-phi3",
        "OpenGVLab/Mini-InternVL-Chat-4B-V1-5": "internvl2-phi3",
        "OpenGVLab/Mini-InternVL-Chat-2B-V1-5": "internvl2",
        "OpenGVLab/InternVL-Chat-V1-5-int8": "internvl2",
        "SenseNova/SenseNova-SI-1.1-InternVL3-2B": "internvl2.5",
        "OpenGVLab/InternVL3-8B-Pretrained": "default",
        "OpenGVLab/InternVL3-8B-hf": "internvl-hf",
        "OpenGVLab/InternVL2_5-2B-MPO-hf": "internvl-hf",
    }
    base = ["OpenGVLab/InternVL3-8B-Pretrained", "OpenGVLab/InternVL3_5-241B-A28B-Pretrained"]
    others = [
        "OpenGVLab/InternVL3-8B-Instruct-hf",
        "OpenGVLab/InternVL3_5-8B-HF",
        "OpenGVLab/InternVL3_5-8B",
        "OpenGVLab/InternVL-Chat-V1-1",
        "SenseNova/SenseNova-SI-1.1-Qwen3-VL-8B",
        "acme/SenseNova-SI-InternVL3-8B",
    ]


def test_a_result_of_a_tool_is_refused():
    with pytest.raises(RefusedError, match="no turn for the role 'tool'"):
        lect.template("internvl2.5").text([{"role": "tool", "content": "22"}])
