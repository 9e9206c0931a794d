"""DeepSeek against its maker's own templates."""

from family import FamilySuite


class TestDeepSeek(FamilySuite):
    family = "deepseek"
    goldens = {
        "deepseek-ai--deepseek-coder-6.7b-instruct": "deepseek-coder",
        "deepseek-ai--deepseek-math-7b-rl": "deepseek-llm-chat",
        "deepseek-ai--deepseek-llm-7b-chat": "deepseek-llm-chat",
        "deepseek-ai--DeepSeek-V3": "deepseek-v3",
        "deepseek-ai--DeepSeek-R1": "deepseek-r1",
        "deepseek-ai--DeepSeek-R1-Distill-Llama-8B": "deepseek-r1-distill",
        "deepseek-ai--DeepSeek-V3.1": "deepseek-v3.1",
        "deepseek-ai--DeepSeek-V2-Chat-0628": "deepseek-v2-chat-0628",
        "deepseek-ai--DeepSeek-V2.5": "deepseek-v2.5",
        "deepseek-ai--DeepSeek-V3-0324": "deepseek-v3-0324",
        "deepseek-r1-0528": "deepseek-r1-0528",
        "deepseek-v3.1-terminus": "deepseek-v3.1-terminus",
        "deepseek-v3.2-exp": "deepseek-v3.2-exp",
        "deepseek-v3.2": "deepseek-v3.2",
    }
    names = [
        ("deepseek-ai/DeepSeek-R1", "deepseek-r1", "chat"),
        ("deepseek-ai/DeepSeek-R1-Distill-Qwen-7B", "deepseek-r1-distill", "chat"),
        ("unsloth/DeepSeek-R1-Distill-Llama-8B-GGUF", "deepseek-r1-distill", "chat"),
        ("deepseek-ai/DeepSeek-V3", "deepseek-v3", "chat"),
        ("deepseek-ai/DeepSeek-V3-Base", "default", "base"),
        ("deepseek-ai/DeepSeek-V3.1", "deepseek-v3.1", "chat"),
        ("deepseek-ai/deepseek-coder-33b-instruct", "deepseek-coder", "chat"),
        ("TheBloke/deepseek-llm-67b-chat-AWQ", "deepseek-llm-chat", "chat"),
        ("deepseek-ai/deepseek-moe-16b-chat", "deepseek-llm-chat", "chat"),
        ("deepseek-ai/DeepSeek-V2-Lite-Chat", "deepseek-llm-chat", "chat"),
        ("deepseek-ai/DeepSeek-Coder-V2-Lite-Instruct", "deepseek-llm-chat", "chat"),
        ("deepseek-ai/DeepSeek-V2", "deepseek-llm-chat", "base"),
        ("deepseek-ai/DeepSeek-V2-Chat-0628", "deepseek-v2-chat-0628", "chat"),
        ("deepseek-ai/DeepSeek-V2.5-1210", "deepseek-v2.5", "chat"),
        ("cognitivecomputations/DeepSeek-V3-0324-AWQ", "deepseek-v3-0324", "chat"),
        ("unsloth/DeepSeek-Prover-V2-671B-BF16", "deepseek-v3-0324", "chat"),
        ("deepseek-ai/DeepSeek-R1-0528", "deepseek-r1-0528", "chat"),
        ("deepseek-ai/DeepSeek-R1-0528-Qwen3-8B", "deepseek-r1-0528-qwen3", "chat"),
        ("deepseek-ai/DeepSeek-V3.1-Terminus", "deepseek-v3.1-terminus", "chat"),
        ("deepseek-ai/DeepSeek-V3.2-Exp", "deepseek-v3.2-exp", "chat"),
        ("deepseek-ai/DeepSeek-V3.2-Exp-Base", "default", "base"),
        ("deepseek-ai/DeepSeek-V3.2", "deepseek-v3.2", "chat"),
        ("deepseek-ai/DeepSeek-V3.2-Speciale", "deepseek-v3.2", "chat"),
    ]
    others = ["notdeepseek-v3", "deepseeker/chat-7b", "deepseek-ai/DeepSeek-V4-Pro", "deepseek-ai/DeepSeek-R1-Zero"]
