"""The cost of importing lect and of the first call, each time in a fresh interpreter."""

import compileall
import importlib.util
import os
import subprocess
import sys
import tempfile
from importlib.metadata import entry_points
from pathlib import Path
from statistics import median

from timing import Line

RUNS = 31
PLUGIN_RUNS = 9
"""Fewer, because there are many plugins and the bound is far from what they take."""
FAMILIES = 30
DISTRIBUTIONS = 300

BASE = "import pluggy, dataclasses, re"
IMPORT = "import lect"
FIRST = "import lect; lect.get_conversation_template('lmsys/vicuna-7b-v1.5')"
FIRST_QWEN = "import lect; lect.resolve('Qwen/Qwen3-4B').template"
PLUGIN = "import lect; start = process_time(); import {module}"

CHILD = """
import sys
from time import process_time
sys.path += sys.argv[1:]
start = process_time()
{code}
print(process_time() - start)
"""

FAMILY = """
from lect.plugin import Family, Rule, Turn, TurnTemplate

CROWD = TurnTemplate("{name}", user=Turn("<user>", "</user>"), assistant=Turn("<bot>", "</bot>"))
adapter = Family("{name}", Rule("crowd {number} * chat", CROWD))
"""


def lines():
    """Yield the lines about imports."""
    with tempfile.TemporaryDirectory() as directory:
        crowd(Path(directory))
        base, imported, first, first_qwen = medians((BASE,), (IMPORT,), (FIRST,), (FIRST_QWEN,))
        base_in_crowd, first_in_crowd = medians((BASE, directory), (FIRST, directory))
    yield line("import lect", imported, base, 1.5)
    yield line("import lect, and the first conversation", first, base, 2.5)
    yield line("import lect, and the first resolve of Qwen3, with its grammar", first_qwen, base, 2.5)
    yield line(
        f"the same, with {FAMILIES} families among {DISTRIBUTIONS} distributions", first_in_crowd, base_in_crowd, 2.5
    )
    yield plugin_line()


def line(what, time, base, bound):
    return Line(
        what, time / base, bound, least=False, note=f"{time * 1e3:.1f} ms, beside {base * 1e3:.1f} ms for `{BASE}`"
    )


def plugin_line():
    """Return the line about the slowest of all installed plugins."""
    groups = ("lect", "lect.fallback")
    modules = sorted({point.module.partition(".")[0] for group in groups for point in entry_points(group=group)})
    if not modules:
        return Line("import of a plugin after lect", None, 10, least=False, unit="ms", note="there is none")
    times = medians(*((PLUGIN.format(module=module),) for module in modules), runs=PLUGIN_RUNS)
    slowest_first = sorted(zip(times, modules, strict=True), reverse=True)
    note = ", ".join(f"{module} {time * 1e3:.1f} ms" for time, module in slowest_first[:3])
    what = f"import of a plugin after lect, the slowest of {len(modules)}"
    return Line(
        what,
        slowest_first[0][0] * 1e3,
        10,
        least=False,
        unit="ms",
        note=f"{note}; the quickest {slowest_first[-1][0] * 1e3:.1f} ms",
    )


def medians(*tasks, runs=RUNS):
    """Return the median time of each `(code, *directories to look for packages in)`; the tasks take turns, each time in
    a fresh interpreter."""
    times = [[] for _ in tasks]
    for task in tasks:
        in_fresh_interpreter(*task)
    for _ in range(runs):
        for index, task in enumerate(tasks):
            times[index].append(in_fresh_interpreter(*task))
    return [median(each) for each in times]


def in_fresh_interpreter(code, *directories):
    # Isolated (-I), so that neither the current directory nor the user's Python settings matter.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LECT_")}
    command = [sys.executable, "-I", "-c", CHILD.format(code=code), *directories]
    return float(subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout)


def crowd(site):
    """Fill a directory with the metadata of many distributions, some of which are families with a module."""
    for number in range(DISTRIBUTIONS):
        name = f"crowd{number}"
        if number < FAMILIES:
            (site / f"{name}.py").write_text(FAMILY.format(name=name, number=number), "utf-8")
            points = f"[lect]\n{name} = {name}:adapter\n\n[lect.hints]\n{name} = {name}:adapter\n"
        else:
            points = f"[console_scripts]\n{name} = {name}:main\n"
        info = site / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", "utf-8")
        (info / "RECORD").write_text("", "utf-8")
        (info / "entry_points.txt").write_text(points, "utf-8")
    compileall.compile_dir(site, quiet=1)


def missing_bytecode():
    """Return the modules of lect that every interpreter would have to recompile, which inflates each line about
    imports."""
    import lect

    root = Path(lect.__file__).parent
    return [
        str(path.relative_to(root))
        for path in sorted(root.rglob("*.py"))
        if not os.path.exists(importlib.util.cache_from_source(path))
    ]
