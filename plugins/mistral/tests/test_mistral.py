"""Mistral against its maker's own templates."""

from lect_kit import AdapterSuite


class TestMistral(AdapterSuite):
    plugin = "mistral"
    goldens = {
        "golden/mistralai--Mistral-7B-Instruct-v0.1.json": "mistral-v1",
        "golden/mistralai--Mistral-7B-Instruct-v0.3.json": "mistral-v3",
        "golden/mistralai--Mistral-Nemo-Instruct-2407--e4676cb5.json": "mistral-nemo",
        "golden/mistralai--Mistral-Large-Instruct-2411.json": "mistral-large-2411",
        "golden/mistralai--Mistral-Small-3.2-24B-Instruct-2506.json": "mistral-small-3.2",
        "golden/mistralai--Mistral-Small-3.1-24B-Instruct-2503.json": "mistral-small-3.1",
        "golden/mistralai--Mistral-Small-24B-Instruct-2501--mistral-common-v7-tekken.json": "mistral-small-2501",
        "golden/mistralai--Ministral-3-14B-Instruct-2512--mistral-common-v13-tekken-image.json": "ministral-3",
        "golden/mistralai--Ministral-3-14B-Reasoning-2512.json": "ministral-3-reasoning",
        "golden/mistralai--Magistral-Small-2509--mistral-common-v13-tekken-think.json": "magistral-2509",
        "golden/mistralai--Pixtral-12B-2409.json": "pixtral",
        "golden/mistralai--Devstral-Small-2505--ollama.json": "devstral-2505",
        "golden/unsloth--Devstral-Small-2507.json": "devstral-2507",
    }
    examples = {
        "mistralai/Mistral-7B-Instruct-v0.2": "mistral-v1",
        "TheBloke/Mixtral-8x7B-Instruct-v0.1-GPTQ": "mistral-v1",
        "/home/qwen/models/Mistral-7B-Instruct-v0.3": "mistral-v3",
        "mistralai/Mistral-Large-Instruct-2407": "mistral-v3",
        "nbeerbower/mistral-nemo-wissenschaft-12B": "mistral-nemo",
        "mistralai/Mistral-Large-Instruct-2411": "mistral-large-2411",
        "mistralai/Mistral-Small-3.2-24B-Instruct-2506": "mistral-small-3.2",
        "mistralai/Mistral-Small-3.1-24B-Instruct-2503": "mistral-small-3.1",
        "mistralai/Mistral-Small-24B-Instruct-2501": "mistral-small-2501",
        "mistralai/Ministral-3-8B-Instruct-2512-BF16": "ministral-3",
        "mistralai/Ministral-3-3B-Reasoning-2512": "ministral-3-reasoning",
        "mistralai/Magistral-Small-2509-GGUF": "magistral-2509",
        "unsloth/Devstral-Small-2505-GGUF": "devstral-2505",
        "mistralai/Devstral-Small-2507": "devstral-2507",
        "mistral-community/pixtral-12b": "pixtral",
        "mistralai/Mistral-7B-v0.1": "mistral-v1",
        "mistralai/Ministral-3-8B-Base-2512": "default",
    }
    base = [
        "mistralai/Mistral-7B-v0.1",
        "mistralai/Ministral-3-8B-Base-2512",
        "mistralai/Mistral-Large-3-675B-Base-2512",
    ]
    others = [
        "NousResearch/Hermes-2-Pro-Mistral-7B",
        "dolphin-2.6-mistral-7b",
        "mistralai/Magistral-Small-2506",
        "mistralai/Mistral-Large-3-675B-Instruct-2512",
    ]
