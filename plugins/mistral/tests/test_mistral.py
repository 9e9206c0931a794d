"""Mistral against its maker's own templates."""

from family import FamilySuite


class TestMistral(FamilySuite):
    family = "mistral"
    goldens = {
        "mistralai--Mistral-7B-Instruct-v0.1": "mistral-v1",
        "mistralai--Mistral-7B-Instruct-v0.3": "mistral-v3",
        "mistralai--Mistral-Nemo-Instruct-2407--e4676cb5": "mistral-nemo",
        "mistralai--Mistral-Large-Instruct-2411": "mistral-large-2411",
        "mistralai--Mistral-Small-3.2-24B-Instruct-2506": "mistral-small-3.2",
        "mistralai--Mistral-Small-3.1-24B-Instruct-2503": "mistral-small-3.1",
        "mistralai--Mistral-Small-24B-Instruct-2501--mistral-common-v7-tekken": "mistral-small-2501",
        "mistralai--Ministral-3-14B-Instruct-2512--mistral-common-v13-tekken-image": "ministral-3",
        "mistralai--Ministral-3-14B-Reasoning-2512": "ministral-3-reasoning",
        "mistralai--Magistral-Small-2509--mistral-common-v13-tekken-think": "magistral-2509",
        "mistralai--Pixtral-12B-2409": "pixtral",
        "unsloth--Devstral-Small-2507": "devstral-2507",
    }
    names = [
        ("mistralai/Mistral-7B-Instruct-v0.2", "mistral-v1", "chat"),
        ("TheBloke/Mixtral-8x7B-Instruct-v0.1-GPTQ", "mistral-v1", "chat"),
        ("/home/qwen/models/Mistral-7B-Instruct-v0.3", "mistral-v3", "chat"),
        ("mistralai/Mistral-Large-Instruct-2407", "mistral-v3", "chat"),
        ("nbeerbower/mistral-nemo-wissenschaft-12B", "mistral-nemo", "chat"),
        ("mistralai/Mistral-Large-Instruct-2411", "mistral-large-2411", "chat"),
        ("mistralai/Mistral-Small-3.2-24B-Instruct-2506", "mistral-small-3.2", "chat"),
        ("mistralai/Mistral-Small-3.1-24B-Instruct-2503", "mistral-small-3.1", "chat"),
        ("mistralai/Mistral-Small-24B-Instruct-2501", "mistral-small-2501", "chat"),
        ("mistralai/Ministral-3-8B-Instruct-2512-BF16", "ministral-3", "chat"),
        ("mistralai/Ministral-3-3B-Reasoning-2512", "ministral-3-reasoning", "chat"),
        ("mistralai/Magistral-Small-2509-GGUF", "magistral-2509", "chat"),
        ("mistralai/Devstral-Small-2507", "devstral-2507", "chat"),
        ("mistral-community/pixtral-12b", "pixtral", "chat"),
        ("mistralai/Mistral-7B-v0.1", "mistral-v1", "base"),
        ("mistralai/Ministral-3-8B-Base-2512", "default", "base"),
    ]
    others = ["NousResearch/Hermes-2-Pro-Mistral-7B", "dolphin-2.6-mistral-7b", "mistralai/Magistral-Small-2506"]
