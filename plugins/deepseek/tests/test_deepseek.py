"""DeepSeek against its maker's own templates."""

from lect_kit import AdapterSuite


class TestDeepSeek(AdapterSuite):
    plugin = "deepseek"
    goldens = {
        "golden/deepseek-ai--deepseek-coder-6.7b-instruct.json": "deepseek-coder",
        "golden/deepseek-ai--deepseek-math-7b-rl.json": "deepseek-llm-chat",
        "golden/deepseek-ai--deepseek-llm-7b-chat.json": "deepseek-llm-chat",
        "golden/deepseek-ai--DeepSeek-V3.json": "deepseek-v3",
        "golden/deepseek-ai--DeepSeek-R1.json": "deepseek-r1",
        "golden/deepseek-ai--DeepSeek-R1-Distill-Llama-8B.json": "deepseek-r1-distill",
        "golden/deepseek-ai--DeepSeek-V3.1.json": "deepseek-v3.1",
        "golden/deepseek-ai--DeepSeek-V2-Chat-0628.json": "deepseek-v2-chat-0628",
        "golden/deepseek-ai--DeepSeek-V2.5.json": "deepseek-v2.5",
        "golden/deepseek-ai--DeepSeek-V3-0324.json": "deepseek-v3-0324",
        "golden/deepseek-ai--DeepSeek-V4.json": "deepseek-v4",
        "golden/deepseek-ai--DeepSeek-V4-Flash-0731.json": "deepseek-v4-flash-0731",
        "golden/deepseek-r1-0528.json": "deepseek-r1-0528",
        "golden/deepseek-v3.1-terminus.json": "deepseek-v3.1-terminus",
        "golden/deepseek-v3.2-exp.json": "deepseek-v3.2-exp",
        "golden/deepseek-v3.2.json": "deepseek-v3.2",
    }
    examples = {
        "deepseek-ai/DeepSeek-R1": "deepseek-r1",
        "deepseek-ai/DeepSeek-R1-Distill-Qwen-7B": "deepseek-r1-distill",
        "unsloth/DeepSeek-R1-Distill-Llama-8B-GGUF": "deepseek-r1-distill",
        "deepseek-ai/DeepSeek-V3": "deepseek-v3",
        "deepseek-ai/DeepSeek-V3-Base": "default",
        "deepseek-ai/DeepSeek-V3.1": "deepseek-v3.1",
        "deepseek-ai/deepseek-coder-33b-instruct": "deepseek-coder",
        "TheBloke/deepseek-llm-67b-chat-AWQ": "deepseek-llm-chat",
        "deepseek-ai/deepseek-moe-16b-chat": "deepseek-llm-chat",
        "deepseek-ai/DeepSeek-V2-Lite-Chat": "deepseek-llm-chat",
        "deepseek-ai/DeepSeek-Coder-V2-Lite-Instruct": "deepseek-llm-chat",
        "deepseek-ai/DeepSeek-V2": "deepseek-llm-chat",
        "deepseek-ai/DeepSeek-V2-Chat-0628": "deepseek-v2-chat-0628",
        "deepseek-ai/DeepSeek-V2.5-1210": "deepseek-v2.5",
        "cognitivecomputations/DeepSeek-V3-0324-AWQ": "deepseek-v3-0324",
        "unsloth/DeepSeek-Prover-V2-671B-BF16": "deepseek-v3-0324",
        "deepseek-ai/DeepSeek-R1-0528": "deepseek-r1-0528",
        "deepseek-ai/DeepSeek-R1-0528-Qwen3-8B": "deepseek-r1-0528-qwen3",
        "deepseek-ai/DeepSeek-V3.1-Terminus": "deepseek-v3.1-terminus",
        "deepseek-ai/DeepSeek-V3.2-Exp": "deepseek-v3.2-exp",
        "deepseek-ai/DeepSeek-V3.2-Exp-Base": "default",
        "deepseek-ai/DeepSeek-V3.2": "deepseek-v3.2",
        "deepseek-ai/DeepSeek-V3.2-Speciale": "deepseek-v3.2",
        "deepseek-ai/DeepSeek-V4-Pro": "deepseek-v4",
        "deepseek-ai/DeepSeek-V4-Flash": "deepseek-v4",
        "deepseek-ai/DeepSeek-V4-Flash-0731": "deepseek-v4-flash-0731",
        "deepseek-ai/DeepSeek-V4-Flash-Base": "default",
    }
    base = [
        "deepseek-ai/DeepSeek-V3-Base",
        "deepseek-ai/DeepSeek-V2",
        "deepseek-ai/DeepSeek-V3.2-Exp-Base",
        "deepseek-ai/DeepSeek-V4-Flash-Base",
    ]
    others = [
        "notdeepseek-v3",
        "deepseeker/chat-7b",
        "deepseek-ai/DeepSeek-V4-Pro-DSpark",
        "deepseek-ai/DeepSeek-R1-Zero",
    ]
