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
    }
    names = [
        ("mistralai/Mistral-7B-Instruct-v0.2", "mistral-v1", "chat"),
        ("TheBloke/Mixtral-8x7B-Instruct-v0.1-GPTQ", "mistral-v1", "chat"),
        ("/home/qwen/models/Mistral-7B-Instruct-v0.3", "mistral-v3", "chat"),
        ("mistralai/Mistral-Large-Instruct-2407", "mistral-v3", "chat"),
        ("nbeerbower/mistral-nemo-wissenschaft-12B", "mistral-nemo", "chat"),
        ("mistralai/Mistral-Large-Instruct-2411", "mistral-large-2411", "chat"),
        ("mistralai/Mistral-Small-3.2-24B-Instruct-2506", "mistral-small-3.2", "chat"),
        ("mistralai/Mistral-7B-v0.1", "mistral-v1", "base"),
    ]
    others = ["NousResearch/Hermes-2-Pro-Mistral-7B", "dolphin-2.6-mistral-7b"]
