"""`tests/support/differ.py`: what it compares is what a format writes, not how the clock is stopped."""

import subprocess
import sys

import differ
import pytest
from goldens import REPOSITORY, golden_files
from shared import SHARED

if not SHARED.exists():
    pytest.skip("needs the makers' templates: ../shared is missing", allow_module_level=True)
WRITES_THE_DAY = "LiquidAI--LFM2.5-VL-450M"


def test_a_format_that_writes_the_day_equals_its_makers_template(tmp_path):
    assert WRITES_THE_DAY in golden_files()
    tool = differ.copied(tmp_path, only=[WRITES_THE_DAY])
    run = subprocess.run([sys.executable, str(tool), "--n", "40"], cwd=REPOSITORY, capture_output=True, text=True)
    assert "n=40 " in run.stdout, run.stderr
    assert "BAD={} " in run.stdout, run.stdout
