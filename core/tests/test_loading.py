"""Plugins are imported while nobody holds the registry's lock: one that is slow, or uses lect, blocks nobody."""

import os
import sys
import threading
import types

import pytest
from counting import HANGS

from lect.errors import PluginError
from lect.plugin import CHATML, Family, Rule
from lect.registry.metafiles import Distribution, EntryPoint
from lect.registry.registry import Registry


def distribution(name, *groups):
    return Distribution(
        f"load-{name}", "1.0", tuple(EntryPoint(group, name, f"load_{name}:adapter") for group in groups)
    )


LAZY = ("lect", "lect.hints", "lect.templates")


@pytest.fixture
def registry(monkeypatch):
    """A registry with a healthy adapter, a slow one, and one without hints, which is asked about every path."""
    healthy = types.ModuleType("load_healthy")
    healthy.adapter = Family("healthy", Rule("healthy", CHATML))
    monkeypatch.setitem(sys.modules, "load_healthy", healthy)
    return Registry(
        {}, lambda: [distribution("healthy", *LAZY), distribution("slow", *LAZY), distribution("asks", "lect")]
    )


class Finder:
    """Finds modules that are created when they are imported."""

    def __init__(self, **modules):
        self.modules = modules

    def find_spec(self, name, path=None, target=None):
        from importlib.util import spec_from_loader

        return spec_from_loader(name, self) if name in self.modules else None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        self.modules[module.__name__](module)


@pytest.fixture
def modules(monkeypatch):
    """A function that is told how to create modules; they are gone after the test."""

    def made(**modules):
        monkeypatch.setattr(sys, "meta_path", [Finder(**modules), *sys.meta_path])

    yield made
    for name in ("load_slow", "load_asks"):
        sys.modules.pop(name, None)


def nothing(module):
    module.adapter = Family("nothing", Rule("nothing", CHATML))


def in_thread(task):
    thread = threading.Thread(target=task, daemon=True)
    thread.start()
    return thread


def test_a_slow_import_blocks_nobody_else(registry, modules):
    begun, go_on = threading.Event(), threading.Event()

    def slow(module):
        begun.set()
        assert go_on.wait(HANGS)
        module.adapter = Family("slow", Rule("slow", CHATML))

    modules(load_slow=slow, load_asks=nothing)
    found = []
    waits = in_thread(lambda: found.append(registry.resolve("slow-7b").adapter.name))
    assert begun.wait(HANGS)
    other = in_thread(lambda: found.append(registry.resolve("healthy-7b").adapter.name))
    other.join(HANGS)
    assert found == ["healthy"], "it was found while the other was still being imported"
    go_on.set()
    waits.join(HANGS)
    assert found == ["healthy", "slow"]


def test_an_import_that_waits_for_a_thread_that_uses_the_registry_does_not_deadlock(registry, modules):
    def asks(module):
        helper = in_thread(lambda: registry.templates.get("healthy:chatml"))
        helper.join(HANGS)
        assert not helper.is_alive()
        nothing(module)

    modules(load_asks=asks, load_slow=nothing)
    assert registry.resolve("healthy-7b").adapter.name == "healthy"
    assert registry.adapters.failures == []


def test_a_plugin_may_ask_for_a_model_while_it_is_imported(registry, modules):
    asked = []

    def asks(module):
        asked.append(registry.resolve("healthy-7b-chat").template)
        module.adapter = Family("asks", Rule("healthy # b chat", asked[0].but(name="mine")))

    modules(load_asks=asks, load_slow=nothing)
    assert registry.resolve("healthy-1b").template is CHATML
    assert asked == [CHATML]
    # What was found without the adapter is not remembered.
    assert registry.resolve("healthy-7b-chat").template.name == "mine"
    assert registry.adapters.failures == []


def test_a_plugin_that_asks_for_itself_while_it_is_imported_is_told_so(registry, modules):
    def asks(module):
        with pytest.raises(PluginError, match="load-asks:asks cannot be used: it is still being imported"):
            registry.templates.get("asks:chatml")
        nothing(module)

    modules(load_asks=asks, load_slow=nothing)
    assert registry.resolve("healthy-7b").adapter.name == "healthy"
    assert registry.adapters.failures == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_child_that_is_forked_during_an_import_does_not_wait_for_it(registry, modules):
    begun, go_on = threading.Event(), threading.Event()

    def slow(module):
        begun.set()
        assert go_on.wait(HANGS)
        nothing(module)

    modules(load_asks=slow, load_slow=nothing)
    waits = in_thread(lambda: registry.resolve("healthy-7b"))
    assert begun.wait(HANGS)
    with registry.adapters.lock:
        # As if yet another thread held it at that moment.
        child = os.fork()
        if child == 0:
            try:
                import signal

                signal.alarm(HANGS)
                registry.adapters.after_fork()
                found = registry.resolve("healthy-1b").adapter.name
                says = "another thread was importing it" in str(registry.adapters.failures[0])
                os._exit(0 if found == "healthy" and says else 1)
            finally:
                os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    go_on.set()
    waits.join(HANGS)
    assert registry.adapters.failures == []


def test_the_lock_of_the_registry_is_free_in_a_fork():
    import subprocess

    code = f"""
import os, threading, lect
from lect.registry.registry import REGISTRY
held, done = threading.Event(), threading.Event()
def hold():
    with REGISTRY.adapters.lock:
        held.set()
        done.wait({HANGS})
threading.Thread(target=hold, daemon=True).start()
held.wait({HANGS})
child = os.fork()
if child == 0:
    import signal
    signal.alarm({HANGS})
    lect.pin("a", "chatml")
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
done.set()
"""
    if not hasattr(os, "fork"):
        pytest.skip("there is no fork on this system")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True, timeout=HANGS
    )
    assert done.stdout == "7\n"
