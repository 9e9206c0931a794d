"""Measure peers side by side, so that whatever slows the machine slows them alike."""

import gc
import json
from contextlib import contextmanager
from functools import partial
from time import perf_counter, process_time
from typing import NamedTuple

ROUNDS = 25
WARM_UP = 0.02
"""Seconds."""
SHORTEST_RUN = 0.002
"""Seconds: long enough that the clock does not matter, short enough that some run of many goes undisturbed."""

BATCH = 20
"""Requests: few enough that whatever slows the machine slows both sides, and that they fit into its caches."""


class Line(NamedTuple):
    """A promise, and its measurement.

    Attributes:
        what: What is promised.
        ratio: The measured ratio; None if it could not be measured.
        bound: What it may be at most, or must be at least.
        least: Whether the bound is a minimum.
        note: Figures for people, or why nothing was measured.
        failed: Whether nothing was measured because the two sides do not agree.
        unit: The unit of the ratio: times the other side, unless there is none.
    """

    what: str
    ratio: float | None
    bound: float
    least: bool = True
    note: str = ""
    failed: bool = False
    unit: str = "x"

    @property
    def verdict(self):
        if self.ratio is None:
            return "over" if self.failed else "skipped"
        return "ok" if (self.ratio >= self.bound if self.least else self.ratio <= self.bound) else "over"

    def cells(self):
        ratio = "" if self.ratio is None else f"{self.ratio:.2f} {self.unit}"
        return (
            self.what,
            ratio,
            f"{'at least' if self.least else 'at most'} {self.bound:g} {self.unit}",
            self.verdict,
            self.note,
        )


def seconds(*functions):
    """Return for each function the best time of a call: they take turns in short runs, and the best run of each
    counts."""
    runs = [(function, _calls(function)) for function in functions]
    best = [float("inf")] * len(runs)
    with _no_collection():
        for _ in range(ROUNDS):
            for index, (function, calls) in enumerate(runs):
                best[index] = min(best[index], _run(function, calls) / calls)
    return best


def cpu_seconds(requests, *ways):
    """Return for each way the CPU time of all requests: the ways take turns, a batch of requests at a time.

    A way is a function that returns the calls for some requests. Each gets objects of its own that were just read from
    JSON, as on a server. The last way is the other side's. Ours take turns in being first, because the one that follows
    another of ours finds much of its code in the processor's caches.
    """
    batches = [json.dumps(requests[start : start + BATCH]) for start in range(0, len(requests), BATCH)]
    total = [0.0] * len(ways)
    *ours, theirs = range(len(ways))
    with _no_collection():
        for batch in batches:
            ours.reverse()
            for index in (*ours, theirs):
                calls = ways[index](json.loads(batch))
                begun = process_time()
                for call in calls:
                    call()
                total[index] += process_time() - begun
    return total


@contextmanager
def _no_collection():
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def _calls(function):
    """Return how many calls fill a run, after a warm-up."""
    end = perf_counter() + WARM_UP
    while perf_counter() < end:
        function()
    calls = 1
    while _run(function, calls) < SHORTEST_RUN:
        calls *= 2
    return calls


def _run(function, calls):
    repeat = range(calls)
    start = perf_counter()
    for _ in repeat:
        function()
    return perf_counter() - start


def beside(what, ours, theirs, bound, *, text=str):
    """Return the line that says how many times faster ours is than theirs; `text` turns results into text.

    Raises:
        AssertionError: If the two do not give the same text.
    """
    assert_equal(text(ours()), text(theirs()))
    our_time, their_time = seconds(ours, theirs)
    return Line(what, their_time / our_time, bound, note=f"{micro(our_time)}, beside {micro(their_time)}")


def growth(what, call, small, large, factor, bound):
    """Return the line that says how much more each part of `large`, which is `factor` times `small`, costs than each
    part of `small`."""
    small_time, large_time = seconds(partial(call, small), partial(call, large))
    return Line(
        what,
        large_time / small_time / factor,
        bound,
        least=False,
        note=f"{micro(small_time)}, {factor} times that: {micro(large_time)}",
    )


def assert_equal(ours, theirs):
    """Assert that two texts are the same, and say where they differ."""
    if ours == theirs:
        return
    at = next(
        (at for at, (one, other) in enumerate(zip(ours, theirs, strict=False)) if one != other),
        min(len(ours), len(theirs)),
    )
    msg = f"the texts differ at character {at}: {ours[at : at + 20]!r}, beside {theirs[at : at + 20]!r}"
    raise AssertionError(msg)


def micro(time):
    """Return a time in microseconds, for people."""
    return f"{time * 1e6:,.1f} us"
