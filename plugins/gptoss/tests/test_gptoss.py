"""gpt-oss against its maker's own templates."""

from lect_kit import AdapterSuite


class TestGptOss(AdapterSuite):
    plugin = "gptoss"
    goldens = {"golden/openai--gpt-oss-20b.json": "gpt-oss"}
    examples = {"openai/gpt-oss-20b": "gpt-oss", "unsloth/gpt-oss-120b-GGUF": "gpt-oss"}
    others = ["openai-community/gpt2", "EleutherAI/gpt-neo-2.7B"]
