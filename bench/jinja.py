"""The makers' templates run by lect-jinja, guarded and with provenance, compared with Jinja2, each compiled once; and
the time to resolve a directory, compared with what Jinja2 needs before it can render.

python bench/jinja.py          all templates, all conversations of the battery
python bench/jinja.py 10       the first of every ten conversations
"""

import json
import sys
import tempfile
from pathlib import Path
from time import process_time

from import_cost import medians
from makers import ABSENT, ORACLES, joined, makers, reference, shared
from timing import Line, assert_equal, micro

# What a maker's template is given is what the tests give it.
sys.path.append(str(Path(__file__).parents[1] / "tests/support"))
from differential import in_parts

BATTERY = Path(__file__).parents[1] / "addons/kit/src/lect_kit/battery.json"
ROUNDS = 5
BOUNDS = {"text": 2.0, "render": 4.0}
COLD_RUNS = 9
KNOWN = ("microsoft--phi-4", "Qwen--Qwen3-0.6B")
UNKNOWN = ("AIDC-AI--Marco-o1", "Qwen--Qwen3-Coder-30B-A3B-Instruct", "google--gemma-4-31B-it", "MiniMaxAI--MiniMax-M3")
"""Templates of many sizes that no family has: markers suggest five families for the first two."""
RESOLVE = "import lect; start = process_time(); lect.resolve({directory!r}).template"
COMPILE = """
from jinja2.ext import loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment
environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
with open({file!r}, encoding="utf-8") as file:
    environment.from_string(file.read())
"""


def lines(every=10):
    """Yield the lines about a fresh interpreter, about all templates together, and about the slowest of them."""
    yield from cold_lines()
    whats = {way: f"lect_jinja: {way}, all templates, beside Jinja2" for way in BOUNDS}
    if not ORACLES.is_dir():
        yield from (Line(what, None, BOUNDS[way], least=False, note=ABSENT) for way, what in whats.items())
        return
    times = {slug: measured(slug, every) for slug in reference().INDEX}
    times = {slug: each for slug, each in times.items() if each["jinja2"]}
    theirs = sum(each["jinja2"] for each in times.values())
    for way, what in whats.items():
        ours = sum(each[way] for each in times.values())
        note = f"{micro(ours / len(times))} a template, beside {micro(theirs / len(times))}"
        yield Line(what, ours / theirs, BOUNDS[way], least=False, note=note)
        slug = max(times, key=lambda slug: times[slug][way] / times[slug]["jinja2"])
        ratio = times[slug][way] / times[slug]["jinja2"]
        yield Line(f"lect_jinja: {way}, the slowest template", ratio, 2 * BOUNDS[way], least=False, note=slug)


def cold_lines():
    """Yield the lines about the first resolve of a directory in a fresh interpreter."""
    for what, slugs, bound in (
        ("is exactly a family's", KNOWN, 1.0),
        ("is its own", UNKNOWN, 1.5),
    ):
        line = Line(f"the first resolve of a directory whose template {what}", None, bound, least=False, note=ABSENT)
        if not ORACLES.is_dir():
            yield line
            continue
        times = {slug: cold(slug) for slug in slugs}
        slowest = max(times, key=lambda slug: times[slug][0] / times[slug][1])
        ours, theirs = times[slowest]
        note = f"{slowest}: {ours * 1e3:.0f} ms, beside {theirs * 1e3:.0f} ms to import Jinja2 and compile the template"
        yield line._replace(ratio=ours / theirs, note=note)


def cold(slug):
    """Return the CPU seconds until a directory with a maker's template is resolved, and until Jinja2 has compiled that
    template."""
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory, "chat_template.jinja")
        file.write_bytes((ORACLES / "jinja" / f"{slug}.jinja").read_bytes())
        Path(directory, "tokenizer_config.json").write_text(json.dumps(special_tokens(slug)), "utf-8")
        return medians((RESOLVE.format(directory=directory),), (COMPILE.format(file=str(file)),), runs=COLD_RUNS)


def special_tokens(slug):
    """Return the special tokens of a maker's model by name."""
    tokens = reference().INDEX[slug]["special_tokens"] or {}
    return {name: value for name, value in tokens.items() if isinstance(value, str)}


def measured(slug, every):
    """Return the seconds that a template takes for all conversations that it accepts, in each of the three ways."""
    import lect_jinja

    source = (ORACLES / "jinja" / f"{slug}.jinja").read_text("utf-8")
    template = lect_jinja.load({"chat_template": source, **special_tokens(slug)}, name=slug)
    takes = shared("put_right").takes(slug)
    total = dict.fromkeys(("jinja2", *BOUNDS), 0.0)
    for case in json.loads(BATTERY.read_text("utf-8"))["conversations"][::every]:
        arguments = {"tools": case.get("tools"), "add_generation_prompt": case["add_generation_prompt"]}
        messages = in_parts(slug, shared("put_right").put_right(case["messages"], *takes))
        messages = list(reference()._share_reasoning(messages))
        calls = {
            "jinja2": makers(slug, messages, **arguments),
            "text": lambda case=case, arguments=arguments: template.text(case["messages"], **arguments),
            "render": lambda case=case, arguments=arguments: template.render(case["messages"], **arguments).segments,
        }
        try:
            expected = calls["jinja2"]()
        # A template may refuse a conversation, or crash on it.
        except Exception:
            continue
        for call in calls.values():
            assert_equal(joined(call()), expected)
        for way, best in fastest(calls).items():
            total[way] += best
    return total


def fastest(calls):
    """Return the best time of each call; the calls take turns."""
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(ROUNDS):
        for way, call in calls.items():
            begun = process_time()
            call()
            best[way] = min(best[way], process_time() - begun)
    return best


if __name__ == "__main__":
    for line in lines(int(sys.argv[1]) if len(sys.argv) > 1 else 1):
        print(*line.cells(), sep="  ")
