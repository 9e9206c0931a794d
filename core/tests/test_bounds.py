"""What a process remembers about the paths that it has resolved is bounded in bytes, and no path costs much."""

import tracemalloc
import warnings

import pytest
from counting import lines_run

import lect
from lect import errors
from lect.errors import InvalidModelPathError, ModelPathWarning, UnknownModelError
from lect.plugin import CHATML, Family, Rule
from lect.registry.names import LONGEST_REMEMBERED, MOST_REMEMBERED, Memory

FAMILY = Family("acme", Rule("acme", CHATML))
MEGABYTE = 1 << 20
LONG = 4000

pytestmark = pytest.mark.usefixtures("registry")


@pytest.fixture
def grown():
    """A function that says by how many bytes the process has grown since the last time."""
    tracemalloc.start()
    before = [tracemalloc.get_traced_memory()[0]]

    def since():
        now = tracemalloc.get_traced_memory()[0]
        before.append(now)
        return now - before[-2]

    yield since
    tracemalloc.stop()


def test_warnings_about_paths_leave_little_behind(grown, monkeypatch):
    lect.register(FAMILY)
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        monkeypatch.setattr(warnings, "showwarning", lambda *shown: None)
        for number in range(1500):
            # A capital i: an owner that imitates another.
            lect.resolve(f"Imsys/acme-{number}.0-{'x' * 3000}")
    assert grown() < 8 * MEGABYTE
    assert len(globals().get("__warningregistry__", {})) < 10
    assert sum(map(len, errors._warned.values())) <= errors.MOST_WARNED + 1


def test_a_warning_is_shown_as_often_as_the_filter_says():
    lect.register(FAMILY)
    shown = []
    for action, times in (("default", 2), ("always", 4), ("ignore", 0)):
        with warnings.catch_warnings():
            warnings.simplefilter(action)
            warnings.showwarning = lambda message, category, file, line, *_: shown.append(file)
            for _ in range(2):
                lect.resolve("Imsys/acme-1")
                lect.resolve("Imsys/acme-1")
        assert len(shown) == times, action
        assert set(shown) <= {__file__}
        shown.clear()


def test_a_warning_about_a_path_is_short():
    lect.register(FAMILY)
    with pytest.warns(ModelPathWarning) as caught:
        lect.resolve(f"Imsys/acme-{'x' * LONG}")
    assert len(str(caught[0].message)) < 500


def test_resolutions_of_long_paths_leave_little_behind(registry, grown):
    lect.register(FAMILY)
    for number in range(200):
        registry.resolve(f"acme-{number}-" + "ab1-" * 900)
    assert grown() < 2 * MEGABYTE


def test_unknown_paths_leave_nothing_behind(registry, grown):
    for number in range(100):
        with pytest.raises(UnknownModelError):
            registry.resolve(f"other-{number}-" + "ab1-" * 900)
    assert grown() < MEGABYTE


def test_names_of_templates_in_odd_spellings_leave_little_behind(registry, grown):
    for number in range(50):
        with pytest.raises(lect.UnknownTemplateError) as caught:
            registry.templates.get(f"lect:{number}{'x' * 10**5}")
        assert len(str(caught.value)) < 1000
    assert grown() < MEGABYTE


def test_a_memory_is_bounded_in_entries_and_in_bytes():
    memory = Memory()
    for number in range(3 * MOST_REMEMBERED):
        memory.remember(f"{number}", number)
        assert memory[f"{number}"] == number
    assert len(memory) <= MOST_REMEMBERED
    long = "x" * (LONGEST_REMEMBERED + 1)
    memory.remember(long, 7)
    assert long not in memory


def refuse(path):
    with pytest.raises(InvalidModelPathError):
        lect.resolve(path)


def test_the_length_of_a_path_is_checked_first(grown):
    # Warm up: the first call builds caches.
    refuse("x" * 10_000)
    long = "x" * (20 * MEGABYTE)
    assert lines_run(refuse, long) == lines_run(refuse, "x" * 10_000)
    tracemalloc.reset_peak()
    refuse(long)
    assert tracemalloc.get_traced_memory()[1] < 21 * MEGABYTE, "it was copied"


@pytest.mark.parametrize("tail", ["x", "ab-", "abcd-", "1-a", "\xe9-"])
def test_an_unknown_path_costs_about_as_much_as_a_known_one(tail):
    lect.register(FAMILY)

    def unknown(path):
        with pytest.raises(UnknownModelError):
            lect.resolve(path)

    def costs(length):
        long = (tail * length)[:length]
        return lines_run(lect.resolve, f"acme-{long}"), lines_run(unknown, f"emca-{long}")

    # Warm up: the first call builds caches.
    costs(10)
    half, whole = costs(LONG // 2), costs(LONG)
    assert whole[1] < 12 * whole[0]
    assert whole[0] < 2.1 * half[0]
    assert whole[1] < 2.1 * half[1]


class Parts(list):
    """Counts how many of its items are read."""

    read = 0

    def __iter__(self):
        for item in super().__iter__():
            self.read += 1
            yield item


@pytest.mark.parametrize("way", [CHATML.text, CHATML.render], ids=["text", "render"])
@pytest.mark.parametrize("where", ["messages", "content", "tools"])
def test_a_list_of_wrong_items_is_refused_at_the_first(way, where):
    wrong, message = Parts(range(5_000)), {"role": "assistant", "content": "x"}
    messages = wrong if where == "messages" else [message if where == "tools" else {**message, where: wrong}]
    with pytest.raises(lect.MessageError, match=rf"{where}\[0\] is 0"):
        way(messages, tools=wrong if where == "tools" else None)
    assert wrong.read < 20
