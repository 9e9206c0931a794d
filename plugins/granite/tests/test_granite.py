"""Granite against its maker's own templates."""

from lect_kit import AdapterSuite


class TestGranite(AdapterSuite):
    plugin = "granite"
    goldens = {
        "golden/ibm-granite--granite-vision-3.2-2b.json": "granite-3.2-vision",
        "golden/ibm-granite--granite-8b-code-instruct.json": "granite-code",
        "golden/ibm-granite--granite-3.0-1b-a400m-instruct.json": "granite-3.0",
        "golden/ibm-granite--granite-3.1-3b-a800m-instruct.json": "granite-3.1",
        "golden/ibm-granite--granite-3.2-2b-instruct.json": "granite-3.2",
        "golden/ibm-granite--granite-3.3-2b-instruct.json": "granite-3.3",
        "golden/ibm-granite--granite-4.0-h-small.json": "granite-4.0",
        "golden/ibm-granite--granite-4.0-tiny-preview.json": "granite-4.0-tiny-preview",
        "golden/ibm-granite--granite-4.1.json": "granite-4.1",
    }
    examples = {
        "ibm-granite/granite-vision-3.2-2b": "granite-3.2-vision",
        "ibm-granite/granite-20b-code-instruct-8k": "granite-code",
        "ibm-granite/granite-3.0-3b-a800m-instruct": "granite-3.0",
        "ibm-granite/granite-3.2-8b-instruct": "granite-3.2",
        "ibm-granite/granite-4.1-8b": "granite-4.1",
        "ibm-granite/granite-4.1-8b-base": "default",
        "ibm-granite/granite-8b-code-base-4k": "default",
        "ibm-granite/granite-3.1-8b-instruct": "granite-3.1",
        "ibm-granite/granite-3.3-8b-instruct-GGUF": "granite-3.3",
        "ibm-granite/granite-4.0-h-tiny": "granite-4.0",
        "ibm-granite/granite-4.0-tiny-preview": "granite-4.0-tiny-preview",
        "ibm-granite/granite-3.1-8b-base": "default",
    }
    base = ["ibm-granite/granite-4.1-8b-base", "ibm-granite/granite-8b-code-base-4k", "ibm-granite/granite-3.1-8b-base"]
    others = [
        "ibm-granite/granite-vision-3.3-2b",
        "granites-7b",
        "ibm-granite/granite-guardian-3.1-8b",
        "ibm-granite/granite-4.1-3b-vision",
    ]
