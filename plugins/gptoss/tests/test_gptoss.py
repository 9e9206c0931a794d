"""gpt-oss against its maker's own templates."""

from family import FamilySuite


class TestGptOss(FamilySuite):
    family = "gptoss"
    goldens = {"openai--gpt-oss-20b": "gpt-oss"}
    names = [("openai/gpt-oss-20b", "gpt-oss", "chat"), ("unsloth/gpt-oss-120b-GGUF", "gpt-oss", "chat")]
    others = ["openai-community/gpt2", "EleutherAI/gpt-neo-2.7B"]
