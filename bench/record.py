"""Write a run of `bench/run.py` down, with all that a reader needs to judge it: docs/make_benchmarks.py shows it."""

import json
import os
import platform
import sys
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PEERS = ("lect", "fschat", "jinja2", "transformers", "tokenizers", "datasets", "pyarrow", "xgrammar", "llguidance")
"""The packages that are measured, or that measure: those that are not here leave their lines out."""


def written(path, parts, rounds):
    """Write the lines of some parts, by their names, as JSON."""
    words = [word for word in sys.argv[1:] if word != path and not word.startswith("--record")]
    data = {
        "date": datetime.now(UTC).date().isoformat(),
        "command": " ".join(["python bench/run.py", *words]),
        "rounds": rounds,
        "machine": machine(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "versions": {name: found for name in PEERS if (found := version_of(name))},
        "parts": {name: found for name, lines in parts.items() if (found := measured(lines))},
    }
    Path(path).write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", "utf-8")


def measured(lines):
    """Return the lines that were measured: why others were not says only what is missing on this machine."""
    return [{**line._asdict(), "verdict": line.verdict} for line in lines if line.ratio is not None]


def version_of(name):
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def machine():
    """Return what kind of machine this is; its name is nobody's business."""
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "processor": processor(),
        "processors": os.cpu_count(),
        "memory": memory(),
    }


def processor():
    """Return the name of the processor; what the system calls it, where that is known."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")


def memory():
    """Return the memory in GB; None where the system does not say it."""
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9)
    except (AttributeError, OSError, ValueError):
        return None
