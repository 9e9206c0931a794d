"""OpenCoder against its maker's own template."""

from lect_kit import AdapterSuite


class TestOpenCoder(AdapterSuite):
    plugin = "opencoder"
    goldens = {"golden/infly--OpenCoder-8B-Instruct.json": "opencoder"}
    examples = {
        "infly/OpenCoder-8B-Instruct": "opencoder",
        "infly/OpenCoder-1.5B-Instruct": "opencoder",
        "infly/OpenCoder-8B-Base": "default",
    }
    base = ["infly/OpenCoder-8B-Base"]
    others = ["infly/OpenCoder-8B-DPO-classifier", "open-coder-7b"]
