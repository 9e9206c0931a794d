"""Solar against its maker's own templates."""

from family import FamilySuite


class TestSolar(FamilySuite):
    family = "solar"
    goldens = {
        "upstage--SOLAR-10.7B-Instruct-v1.0": "solar",
    }
    names = [
        ("upstage/SOLAR-10.7B-Instruct-v1.0", "solar", "chat"),
        ("TheBloke/SOLAR-10.7B-Instruct-v1.0-GGUF", "solar", "chat"),
        ("upstage/SOLAR-10.7B-v1.0", "default", "base"),
    ]
    others = [
        "upstage/solar-pro-preview-instruct",
        "upstage/SOLAR-0-70b-16bit",
        "solaris-10.7b",
    ]
