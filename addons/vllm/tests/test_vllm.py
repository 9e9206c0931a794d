"""How the parsers are registered. With vLLM itself they are tested in tests/integrations/test_vllm.py."""

import ast
import sys
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

import lect_vllm


@pytest.fixture
def registered(monkeypatch):
    """What is registered, with vLLM 0.32's names and signatures of registration and nothing else of it."""
    found = {}
    for module, manager in (("reasoning", "ReasoningParserManager"), ("tool_parsers", "ToolParserManager")):
        stub = ModuleType(f"vllm.{module}")

        def register_lazy_module(name, module_path, class_name, module=module):
            found[module, name] = (module_path, class_name)

        setattr(stub, manager, SimpleNamespace(register_lazy_module=register_lazy_module))
        monkeypatch.setitem(sys.modules, f"vllm.{module}", stub)
    monkeypatch.setitem(sys.modules, "vllm", ModuleType("vllm"))
    return found


def test_vllm_finds_both_parsers_by_one_name(registered):
    (point,) = [point for point in entry_points(group="vllm.general_plugins") if point.name == "lect"]
    assert point.load() is lect_vllm.register
    point.load()()
    assert set(registered) == {("reasoning", "lect"), ("tool_parsers", "lect")}
    source = Path(lect_vllm.__file__).with_name("parsers.py").read_text("utf-8")
    classes = {node.name for node in ast.parse(source).body if isinstance(node, ast.ClassDef)}
    assert set(registered.values()) == {("lect_vllm.parsers", name) for name in classes}
