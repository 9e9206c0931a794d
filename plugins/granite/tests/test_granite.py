"""Granite against its maker's own templates."""

from family import FamilySuite


class TestGranite(FamilySuite):
    family = "granite"
    goldens = {
        "ibm-granite--granite-8b-code-instruct": "granite-code",
        "ibm-granite--granite-3.0-1b-a400m-instruct": "granite-3.0",
        "ibm-granite--granite-3.1-3b-a800m-instruct": "granite-3.1",
        "ibm-granite--granite-3.2-2b-instruct": "granite-3.2",
        "ibm-granite--granite-3.3-2b-instruct": "granite-3.3",
        "ibm-granite--granite-4.0-h-small": "granite-4.0",
        "ibm-granite--granite-4.1": "granite-4.1",
    }
    names = [
        ("ibm-granite/granite-20b-code-instruct-8k", "granite-code", "chat"),
        ("ibm-granite/granite-3.0-3b-a800m-instruct", "granite-3.0", "chat"),
        ("ibm-granite/granite-3.2-8b-instruct", "granite-3.2", "chat"),
        ("ibm-granite/granite-4.1-8b", "granite-4.1", "chat"),
        ("ibm-granite/granite-4.1-8b-base", "default", "base"),
        ("ibm-granite/granite-8b-code-base-4k", "default", "base"),
        ("ibm-granite/granite-3.1-8b-instruct", "granite-3.1", "chat"),
        ("ibm-granite/granite-3.3-8b-instruct-GGUF", "granite-3.3", "chat"),
        ("ibm-granite/granite-4.0-h-tiny", "granite-4.0", "chat"),
        ("ibm-granite/granite-3.1-8b-base", "default", "base"),
    ]
    others = ["granites-7b", "ibm-granite/granite-guardian-3.1-8b", "ibm-granite/granite-4.1-3b-vision"]
