"""MiniCPM against its maker's own templates."""

import lect
from lect_kit import AdapterSuite


class TestMiniCPM(AdapterSuite):
    plugin = "minicpm"
    goldens = {
        "golden/minicpm-v-2.6.json": "minicpm-v-2.6",
        "golden/openbmb--MiniCPM-2B-sft-fp32.json": "minicpm-2b-fp32",
        "golden/optimum-intel-internal-testing--tiny-random-minicpm.json": "minicpm-2b",
        "golden/openbmb--MiniCPM3-4B.json": "minicpm3",
        "golden/openbmb--MiniCPM5-1B.json": "minicpm5",
        "golden/openbmb--MiniCPM5-2B.json": "minicpm5-2b",
        "golden/openbmb--MiniCPM-V-4_5.json": "minicpm-v-4.5",
    }
    examples = {
        "openbmb/MiniCPM-V-2_6": "minicpm-v-2.6",
        "openbmb/MiniCPM-2B-sft-bf16": "minicpm-2b",
        "openbmb/MiniCPM-2B-sft-fp32": "minicpm-2b-fp32",
        "OpenBMB/MiniCPM-1B-sft-bf16": "minicpm-2b",
        "openbmb/MiniCPM-2B-dpo-fp32": "minicpm-2b",
        "openbmb/MiniCPM3-4B": "minicpm3",
        "openbmb/MiniCPM3-4B-GPTQ-Int4": "minicpm3",
        "openbmb/MiniCPM5-1B": "minicpm5",
        "openbmb/MiniCPM5-1B-Base": "default",
        "openbmb/MiniCPM-V-4_5-AWQ": "minicpm-v-4.5",
    }
    base = ["openbmb/MiniCPM5-1B-Base"]
    others = [
        "openbmb/MiniCPM3-RAG-LoRA",
        "openbmb/MiniCPM-MoE-8x2B",
        "openbmb/MiniCPM-V-4",
        "openbmb/MiniCPM-V-4_6",
        "openbmb/MiniCPM4-8B",
    ]


BOOK = {
    "name": "book",
    "description": "Book a room.",
    "parameters": {
        "type": "object",
        "properties": {
            "guests": {
                "type": "array",
                "items": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
            },
            "bed_kind": {"enum": ["one", "two"], "description": "How many"},
            "nights": {"type": ["integer", "null"], "default": 1},
        },
        "required": ["guests"],
    },
}
# As the maker's template of MiniCPM3-4B renders it.
BOOK_AS_PYTHON = '''

class Guests(BaseModel):
    name: str


class Bed_kind(Enum):
    enum_0 = "one"
    enum_1 = "two"


def book(guests, bed_kind=None, nights=1):
    """Book a room.

    Args:
        guests: List[Guests]
        bed_kind: Optional[Bed_kind] = Field(None, description="How many")
        nights: Optional[Union[int, None]] = 1
    """

```
'''


def test_minicpm3_reads_tools_as_python_and_thoughts_from_their_own_field():
    question = {"role": "user", "content": "A room, please."}
    answer = {"role": "assistant", "content": "Which?", "thought": "For whom?"}
    text = lect.template("minicpm3").text([question, answer], tools=[BOOK])
    assert BOOK_AS_PYTHON in text
    assert text.endswith("<|im_start|>assistant\n<|thought_start|>\nFor whom?\n<|thought_end|>\nWhich?<|im_end|>\n")
