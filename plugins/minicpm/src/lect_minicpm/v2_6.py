"""MiniCPM-V-2.6: the text format of Qwen2, which it is built on."""

from lect.plugin import Turn, TurnTemplate
from lect_minicpm.media import SLICES

EVERY_ROLE = Turn("<|im_start|>{role}\n", "<|im_end|>\n")
MINICPM_V2_6 = TurnTemplate(
    "minicpm-v-2.6",
    system=EVERY_ROLE,
    user=EVERY_ROLE,
    assistant=EVERY_ROLE,
    other=EVERY_ROLE,
    default_system="You are a helpful assistant.",
    empty="generation",
    stop={"<|im_end|>": 151645, "<|endoftext|>": 151643},
    markers=["<|im_start|>", "<|im_end|>", "<|endoftext|>", "<image>", "</image>", "<unk>"],
    control_tokens=["<image>", "</image>", "<unk>"],
    media=SLICES,
    source=(
        "openbmb/MiniCPM-V-2_6, tokenizer_config.json, as xorbitsai/inference at 7ecec16 copies it; "
        "modelscope/ms-swift at 3602360, swift/template/templates/minicpm.py, has the same turns"
    ),
    evidence="second-hand",
)
