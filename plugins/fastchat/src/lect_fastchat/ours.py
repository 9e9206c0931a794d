"""Two names that people expect FastChat to have. It has neither: they are ours, and stand for the makers' formats."""

from __future__ import annotations

from lect.plugin import CHATML, Turn, TurnTemplate

# FastChat's own `Yi-34b-chat` writes a system text outside any role.
YI = TurnTemplate(
    "yi-34b-chat",
    system=Turn("<|im_start|>system\n", "<|im_end|>\n"),
    user=Turn("<|im_start|>user\n", "<|im_end|>\n"),
    assistant=Turn("<|im_start|>assistant\n", "<|im_end|>\n"),
    stop={"<|im_end|>": 7},
    markers=["<|im_start|>", "<|im_end|>", "<|endoftext|>"],
    source="01-ai/Yi, README: chat models speak ChatML",
)

OURS = {"chatml": CHATML, "yi-34b-chat": YI}
