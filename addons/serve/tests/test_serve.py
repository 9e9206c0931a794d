"""The first minute: the scripted model inside, for clients of three APIs."""

from lect_kit import AdapterSuite


class TestServe(AdapterSuite):
    plugin = "serve"
    examples = {}
