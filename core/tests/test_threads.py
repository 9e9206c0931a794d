"""One registry, many threads: each gets the right answers, whatever the others change meanwhile."""

import sys
import types
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from sampling import few

from lect.errors import UnknownModelError
from lect.plugin import CHATML, DEFAULT, Family, Rule, Turn, TurnTemplate
from lect.registry import names
from lect.registry.metafiles import Distribution, EntryPoint
from lect.registry.registry import Registry

THREADS = 8
ROUNDS = few(300)
SHARED = TurnTemplate(
    "shared",
    user=Turn("<u>", "</u>"),
    assistant=Turn("<a>", "</a>"),
    stop=["</a>"],
    markers=["<u>", "</u>", "<a>", "</a>"],
)
INSTALLED = Distribution(
    "acme-shared",
    "1.0",
    tuple(EntryPoint(group, "shared", "acme_shared:adapter") for group in ("lect", "lect.hints", "lect.templates")),
)
MESSAGES = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "<u>"}]


@pytest.fixture
def registry(monkeypatch):
    """A registry with one lazy adapter and so little memory that it often forgets, in a process that often switches
    threads."""
    module = types.ModuleType("acme_shared")
    module.adapter = Family("shared", Rule("shared", SHARED))
    monkeypatch.setitem(sys.modules, "acme_shared", module)
    monkeypatch.setattr(names, "MOST_REMEMBERED", 2)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield Registry({}, lambda: [INSTALLED])
    sys.setswitchinterval(interval)


def at_once(task):
    """Run a task in all threads, started together; what any of them raises is raised here."""
    barrier = Barrier(THREADS)

    def begin(number):
        barrier.wait()
        return task(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(begin, range(THREADS)))


def claimed(registry, path):
    try:
        return registry.resolve(path).template
    except UnknownModelError:
        return None


def test_resolving_registering_pinning_and_rendering_at_once_give_right_results(registry):
    def task(number):
        own = TurnTemplate(f"own{number}", user=Turn(f"<{number}>", ""), assistant=Turn("", ""))
        family = Family(f"own{number}", Rule(f"own {number}", own))
        wrong = []
        for turn in range(ROUNDS):
            path = f"acme/own-{number}-{turn % 5}"
            # Registering is slow, and would leave the threads little time for the rest.
            known = own if turn % 4 == 0 else None
            unregister = registry.adapters.register(family) if known else lambda: None
            steps = [(known, claimed(registry, path))]
            unpin = registry.pin(f"acme/own-{number}*", "chatml")
            steps.append((CHATML, claimed(registry, path)))
            repin = registry.pin(path, DEFAULT)
            steps.append((DEFAULT, claimed(registry, path)))
            repin()
            steps.append((CHATML, claimed(registry, path)))
            unpin()
            steps.append((known, claimed(registry, path)))
            unregister()
            steps.append((None, claimed(registry, path) if known else None))
            rendered = registry.resolve(f"acme/shared-{turn % 7}").template.render(MESSAGES, add_generation_prompt=True)
            steps.append(("<u>hello</u><a><u></a><a>", rendered.text))
            steps.append(([("messages", 1, "content")], [control.path for control in rendered.controls]))
            steps.append((SHARED, registry.templates.get("shared")))
            wrong += [(turn, place, wanted, got) for place, (wanted, got) in enumerate(steps) if wanted != got]
        return wrong

    assert at_once(task) == [[]] * THREADS
    assert registry.adapters.failures == []
    assert [info.status for info in registry.adapters.plugins()] == ["loaded"], "nothing that was taken away is left"


def test_what_is_remembered_may_be_forgotten_while_others_ask_for_it(registry):
    def task(number):
        paths = [f"acme/shared-{number if turn % 3 else turn}.0" for turn in range(ROUNDS * 4)]
        return {registry.resolve(path).ref.original == path for path in paths}

    assert at_once(task) == [{True}] * THREADS


def test_an_adapter_is_imported_once_however_many_ask_for_it(registry):
    adapters = at_once(lambda number: registry.resolve(f"acme/shared-{number}").adapter)
    assert len(set(map(id, adapters))) == 1


def test_templates_that_are_registered_at_once_are_all_kept(registry):
    def task(number):
        for turn in range(ROUNDS // 5):
            registry.templates.register(TurnTemplate(f"t{number}-{turn}", user=Turn(), assistant=Turn()))

    at_once(task)
    names = [f"t{number}-{turn}" for number in range(THREADS) for turn in range(ROUNDS // 5)]
    assert [name for name in names if registry.templates.get(name).name != name] == []


def test_one_of_several_threads_that_register_the_same_name_succeeds(registry):
    def task(number):
        try:
            registry.adapters.register(Family("same", Rule("same", CHATML)))
        except Exception as error:
            return type(error).__name__
        return "registered"

    assert sorted(at_once(task)) == ["PluginError"] * (THREADS - 1) + ["registered"]
