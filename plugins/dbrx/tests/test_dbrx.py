"""DBRX against its maker's own templates."""

from lect_kit import AdapterSuite


class TestDBRX(AdapterSuite):
    plugin = "dbrx"
    goldens = {"golden/databricks--dbrx-instruct.json": "dbrx"}
    examples = {
        "databricks/dbrx-instruct": "dbrx",
        "AI-ModelScope/dbrx-instruct": "dbrx",
        "databricks/dbrx-base": "default",
    }
    base = ["databricks/dbrx-base"]
    others = [
        "databricks/dolly-v2-12b",
    ]
