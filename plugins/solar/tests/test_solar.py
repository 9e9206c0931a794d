"""Solar against its maker's own templates."""

from lect.testing import AdapterSuite


class TestSolar(AdapterSuite):
    plugin = "solar"
    goldens = {"golden/upstage--SOLAR-10.7B-Instruct-v1.0.json": "solar"}
    examples = {
        "upstage/SOLAR-10.7B-Instruct-v1.0": "solar",
        "TheBloke/SOLAR-10.7B-Instruct-v1.0-GGUF": "solar",
        "upstage/SOLAR-10.7B-v1.0": "default",
    }
    base = ["upstage/SOLAR-10.7B-v1.0"]
    others = [
        "upstage/solar-pro-preview-instruct",
        "upstage/SOLAR-0-70b-16bit",
        "solaris-10.7b",
    ]
