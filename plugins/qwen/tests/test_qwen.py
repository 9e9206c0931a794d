"""Qwen against its maker's own templates."""

import lect
from lect_kit import AdapterSuite


class TestQwen(AdapterSuite):
    plugin = "qwen"
    goldens = {
        "golden/Qwen--Qwen1.5-4B-Chat.json": "qwen1.5",
        "golden/Qwen--Qwen1.5-72B-Chat.json": "qwen1.5-72b",
        "golden/Qwen--Qwen2.5-3B-Instruct.json": "qwen2.5",
        "golden/Qwen--Qwen2.5-VL-7B-Instruct.json": "qwen2-vl",
        "golden/Qwen--QwQ-32B.json": "qwq",
        "golden/Qwen--Qwen3-4B.json": "qwen3-4b",
        "golden/Qwen--Qwen3-1.7B.json": "qwen3",
        "golden/Qwen--Qwen3-4B-Instruct-2507.json": "qwen3-instruct",
        "golden/Qwen--Qwen3-235B-A22B-Thinking-2507.json": "qwen3-thinking",
        "golden/Qwen--Qwen3-Coder-30B-A3B-Instruct--7e0648e7.json": "qwen3-coder",
        "golden/Qwen--Qwen3-VL-4B-Instruct.json": "qwen3-vl",
        "golden/Qwen--Qwen3.5-27B.json": "qwen3.5",
        "golden/Qwen--Qwen3.6-27B.json": "qwen3.6",
        "golden/Qwen--Qwen3.8-27B.json": "qwen3.8",
        "golden/Qwen--Qwen3.8-2.4T-A95B.json": "qwen3.8-2.4t",
        "golden/ornith-ai--Ornith-1.5-35B-A3B.json": "ornith",
        "golden/nex-agi--Nex-N2-mini.json": "nex-n2",
        "golden/Qwen--Qwen3.5-0.8B.json": "qwen3.5-small",
        "golden/Qwen--Qwen3.5-4B.json": "qwen3.5",
        "golden/Qwen--Qwen3-VL-235B-A22B-Thinking.json": "qwen3-vl-thinking",
        "golden/Qwen--Qwen2.5-7B-Instruct-1M.json": "qwen2.5-1m",
        "golden/Qwen--Qwen2.5-Omni-3B.json": "qwen2.5-omni",
        "golden/Qwen--Qwen3-Omni-30B-A3B-Instruct.json": "qwen3-omni",
        "golden/qwen3-omni-thinking.json": "qwen3-omni-thinking",
        "golden/qvq.json": "qvq",
        "golden/Qwen--QwQ-32B-Preview.json": "qwq-preview",
        "golden/Qwen--Qwen2.5-Math-7B-Instruct.json": "qwen2.5-math",
        "golden/deepcogito--cogito-v1-preview-qwen-14B.json": "cogito-v1-qwen",
        "golden/sail--Sailor2-1B-Chat.json": "sailor2",
        "golden/PowerInfer--SmallThinker-3B-Preview.json": "smallthinker",
    }
    examples = {
        "Qwen/Qwen2.5-7B-Instruct": "qwen2.5",
        "Qwen/Qwen2.5-Coder-32B-Instruct-GPTQ-Int4": "qwen2.5",
        "unsloth/Qwen2.5-1000B-Instruct-bnb-4bit": "qwen2.5",
        "Qwen/Qwen2-7B-Instruct": "qwen1.5",
        "Qwen/Qwen1.5-4B-Chat": "qwen1.5",
        "Qwen/CodeQwen1.5-7B-Chat": "qwen1.5",
        "Qwen/Qwen-1_8B-Chat": "qwen-7b-chat",
        "Qwen/Qwen-72B-Chat-Int4": "qwen-7b-chat",
        "Qwen/Qwen-7B": "default",
        "Qwen/Qwen3.5-2B": "qwen3.5-small",
        "Qwen/Qwen3.5-397B-A17B-FP8": "qwen3.5",
        "Qwen/Qwen3.8-2.4T-A95B-FP8": "qwen3.8-2.4t",
        "Qwen/Qwen3.8-Flash-Next-FP8": "qwen3.8",
        "deepreinforce-ai/Ornith-1.0-35B": "ornith",
        "ornith-ai/Ornith-1.5-397B": "ornith",
        "nex-agi/Nex-N2-Pro-fp8": "nex-n2",
        "Qwen/Qwen3-VL-8B-Thinking-FP8": "qwen3-vl-thinking",
        "Qwen/Qwen2.5-14B-Instruct-1M": "qwen2.5-1m",
        "Qwen/Qwen2.5-Omni-7B-GPTQ-Int4": "qwen2.5-omni",
        "Qwen/Qwen3-Omni-30B-A3B-Instruct": "qwen3-omni",
        "Qwen/Qwen3-Omni-30B-A3B-Thinking": "qwen3-omni-thinking",
        "Qwen/QVQ-72B-Preview": "qvq",
        "Qwen/QwQ-32B-Preview": "qwq-preview",
        "Qwen/Qwen2.5-Math-72B-Instruct": "qwen2.5-math",
        "Qwen/Qwen2-Math-7B-Instruct": "qwen1.5",
        "deepcogito/cogito-v1-preview-qwen-14B": "cogito-v1-qwen",
        "sail/Sailor2-1B-Chat": "sailor2",
        "PowerInfer/SmallThinker-3B-Preview-GGUF": "smallthinker",
    }
    base = ["Qwen/Qwen-7B", "Qwen/Qwen-VL", "Qwen/Qwen-Audio"]
    others = [
        "Qwen/Qwen-VL-Chat",
        "Qwen/Qwen-Audio-Chat",
        "thisisnotqwen",
        "sqwentch/7b-chat",
        "deepseek-ai/DeepSeek-R1-Distill-Qwen-7B",
        "deepcogito/cogito-v1-preview-qwen-32B",
        "deepcogito/cogito-v2-preview-llama-70B",
    ]

    def test_a_first_generation_prompt_has_the_makers_default_system(self):
        conversation = lect.get_conversation_template("Qwen/Qwen-7B-Chat")
        conversation.append_message("user", "你好")
        conversation.append_message("assistant", None)
        assert conversation.get_prompt() == (
            "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n<|im_start|>user\n你好<|im_end|>\n"
            "<|im_start|>assistant\n"
        )

    def test_sounds_have_placeholders_and_numbers(self):
        messages = [
            {"role": "system", "content": ""},
            {"role": "user", "content": [{"type": "audio", "audio": "a.wav"}]},
        ]
        assert lect.template("qwen2.5-omni").text(messages, add_audio_id=True) == (
            "<|im_start|>system\n<|im_end|>\n<|im_start|>user\nAudio 1: <|audio_bos|><|AUDIO|><|audio_eos|><|im_end|>\n"
        )

    def test_parts_without_text_beside_a_call_count_only_where_the_format_takes_parts(self):
        def written(name, content):
            call = {"type": "function", "function": {"name": "f", "arguments": {}}}
            messages = [{"role": "assistant", "content": content, "tool_calls": [call]}]
            return lect.template(name).text(messages).partition("<|im_start|>assistant")[2]

        for parts in ([{"type": "text", "text": ""}], [{"type": "image"}]):
            for name in ("qwen2.5", "qwq"):
                assert (
                    written(name, parts)
                    == written(name, "")
                    == '\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call><|im_end|>\n'
                )
            assert written("cogito-v1-qwen", parts) == "\n" + written("qwq", "")
