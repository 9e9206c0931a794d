"""Stand-ins for the machine learning libraries that FastChat imports, even to answer a question about text."""

import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

# What fastchat.model.model_adapter imports, directly or indirectly; to find a template it uses none of them.
STUBBED = frozenset({"accelerate", "huggingface_hub", "psutil", "requests", "torch", "tqdm", "transformers"})


class Anything(ModuleType):
    """A module that has every name: an empty class, usable as a base, a decorator or an annotation."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        value = type(name, (), {"__init__": lambda self, *_, **__: None, "__call__": lambda self, function: function})
        setattr(self, name, value)
        return value


class Stubs(MetaPathFinder, Loader):
    """Finds a stand-in for each of the libraries, installed or not."""

    def find_spec(self, fullname, path=None, target=None):
        return ModuleSpec(fullname, self, is_package=True) if fullname.partition(".")[0] in STUBBED else None

    def create_module(self, spec):
        return Anything(spec.name)

    def exec_module(self, module):
        pass


def fastchat():
    """Return FastChat's `model_adapter` module, imported with stand-ins that no other code sees.

    Raises:
        ImportError: If FastChat is not installed.
    """
    stubs = Stubs()
    sys.meta_path.insert(0, stubs)
    try:
        from fastchat.model import model_adapter
    finally:
        sys.meta_path.remove(stubs)
        for name in [name for name, module in sys.modules.items() if isinstance(module, Anything)]:
            del sys.modules[name]
    return model_adapter
