"""Where SGLang finds the parsers. With SGLang itself they are tested in tests/integrations/test_sglang.py."""

from importlib.metadata import entry_points

import lect_sglang


def test_sglang_finds_the_function_that_registers_them():
    (point,) = [point for point in entry_points(group="sglang.srt.plugins") if point.name == "lect"]
    assert point.load() is lect_sglang.register
