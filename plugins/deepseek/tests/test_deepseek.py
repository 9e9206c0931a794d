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
    ]
    others = ["notdeepseek-v3", "deepseeker/chat-7b", "deepseek-ai/DeepSeek-R1-0528", "deepseek-ai/DeepSeek-V3-0324"]
