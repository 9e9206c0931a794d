"""Granite against its maker's own templates."""

from family import FamilySuite


class TestGranite(FamilySuite):
    family = "granite"
    goldens = {
        "ibm-granite--granite-3.1-3b-a800m-instruct": "granite-3.1",
        "ibm-granite--granite-3.3-2b-instruct": "granite-3.3",
        "ibm-granite--granite-4.0-h-small": "granite-4.0",
    }
    names = [
        ("ibm-granite/granite-3.1-8b-instruct", "granite-3.1", "chat"),
        ("ibm-granite/granite-3.3-8b-instruct-GGUF", "granite-3.3", "chat"),
        ("ibm-granite/granite-4.0-h-tiny", "granite-4.0", "chat"),
        ("ibm-granite/granite-3.1-8b-base", "default", "base"),
    ]
    others = ["granites-7b", "ibm-granite/granite-guardian-3.1-8b"]
