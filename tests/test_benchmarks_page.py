"""The page of benchmarks shows the recorded run, and its charts are pictures that need nothing else."""

import re
import runpy
from xml.etree import ElementTree

import pages
import pytest

MADE = runpy.run_path(str(pages.DOCS / "make_benchmarks.py"))
LINE = {"ratio": 3.0, "bound": 2, "least": True, "unit": "x", "note": "", "verdict": "ok"}


def test_the_page_and_its_charts_show_the_recorded_run():
    assert MADE["PAGE"].read_text("utf-8") == MADE["page"](), "try: python docs/make_benchmarks.py"
    for path, text in MADE["pictures"]().items():
        assert path.read_text("utf-8") == text, "try: python docs/make_benchmarks.py"


@pytest.mark.parametrize("ratio", [0.01, 0.5, 1.0, 3, 700])
@pytest.mark.parametrize("what", ["a < b & c", "x" * 200])
def test_a_chart_is_a_picture_with_a_bar_and_a_mark_for_each_line(ratio, what):
    chart = MADE["chart"]("bench-x", "How & why", [{**LINE, "what": what, "ratio": ratio}] * 3)
    root = ElementTree.fromstring(chart)
    assert len(root.findall(".//*[@class='bar']")) == len(root.findall(".//*[@class='bound']")) == 3
    assert not re.search(r"<script|https?://(?!www\.w3\.org/2000/svg)|style=", chart)
    (view,) = (each.get("viewBox") for each in root.iter() if each.get("viewBox"))
    _, _, width, height = map(float, view.split())
    for bar in root.findall(".//*[@class='bar']"):
        assert 0 <= float(bar.get("x")) <= float(bar.get("x")) + float(bar.get("width")) <= width
        assert 0 <= float(bar.get("y")) <= height


def test_every_part_of_the_bench_has_a_title():
    parts = re.findall(r"^import (\w+)$", (pages.REPOSITORY / "bench/run.py").read_text("utf-8"), re.MULTILINE)
    assert set(MADE["TITLES"]) == {*parts} - {"argparse", "makers", "record", "sys", "timing"}
