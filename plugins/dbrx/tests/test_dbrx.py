"""DBRX against its maker's own templates."""

from family import FamilySuite


class TestDBRX(FamilySuite):
    family = "dbrx"
    goldens = {
        "databricks--dbrx-instruct": "dbrx",
    }
    names = [
        ("databricks/dbrx-instruct", "dbrx", "chat"),
        ("AI-ModelScope/dbrx-instruct", "dbrx", "chat"),
        ("databricks/dbrx-base", "default", "base"),
    ]
    others = [
        "databricks/dolly-v2-12b",
    ]
