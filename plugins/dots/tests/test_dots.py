"""dots.llm1: which names it claims; `attested.json` has its prompts."""

from lect_kit import AdapterSuite


class TestDots(AdapterSuite):
    plugin = "dots"
    goldens = {}
    examples = {
        "rednote-hilab/dots.llm1.inst": "dots.llm1",
        "rednote-hilab/dots.llm1.inst-FP8-dynamic": "dots.llm1",
        "rednote-hilab/dots.llm1.base": "default",
    }
    base = ["rednote-hilab/dots.llm1.base"]
    others = ["rednote-hilab/dots.vlm1.inst", "rednote-hilab/dots.ocr", "rednote-hilab/dots.llm2.inst"]
