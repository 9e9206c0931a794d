"""The makers' templates run by lect-jinja, guarded and with provenance, beside Jinja2 with each compiled once.

python bench/jinja.py          all templates, all conversations of the battery
python bench/jinja.py 10       the first of every ten conversations
"""

import json
import sys
from pathlib import Path
from time import process_time

from rendering import ABSENT, ORACLES, joined, makers, reference, shared
from timing import Line, assert_equal, micro

BATTERY = Path(__file__).parents[1] / "tests/data/battery.json"
ROUNDS = 5
BOUNDS = {"text": 2.0, "render": 4.0}


def lines(every=10):
    """Yield the lines about all templates together, and about the slowest of them."""
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


def measured(slug, every):
    """Return the seconds that a template takes for all conversations that it accepts, in each of the three ways."""
    import lect_jinja

    source = (ORACLES / "jinja" / f"{slug}.jinja").read_text("utf-8")
    tokens = {
        name: value
        for name, value in (reference().INDEX[slug]["special_tokens"] or {}).items()
        if isinstance(value, str)
    }
    template = lect_jinja.load({"chat_template": source, **tokens}, name=slug)
    takes = shared("put_right").takes(slug)
    total = dict.fromkeys(("jinja2", *BOUNDS), 0.0)
    for case in json.loads(BATTERY.read_text("utf-8"))["conversations"][::every]:
        arguments = {"tools": case.get("tools"), "add_generation_prompt": case["add_generation_prompt"]}
        messages = list(reference()._share_reasoning(shared("put_right").put_right(case["messages"], *takes)))
        calls = {
            "jinja2": makers(slug, messages, **arguments),
            "text": lambda case=case, arguments=arguments: template.text(case["messages"], **arguments),
            "render": lambda case=case, arguments=arguments: template.render(case["messages"], **arguments).segments,
        }
        try:
            expected = calls["jinja2"]()
        # A template may refuse a conversation, or crash at it.
        except Exception:
            continue
        for call in calls.values():
            assert_equal(joined(call()), expected)
        for way, best in fastest(calls).items():
            total[way] += best
    return total


def fastest(calls):
    """Return the best time of each call; they take turns."""
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
