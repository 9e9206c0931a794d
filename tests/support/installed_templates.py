"""Every template of every package that is installed, for tests that must not leave one out."""

from functools import cache

import lect


@cache
def installed():
    """Return all templates by the names of their adapter and their own: `qwen:qwen3`."""
    adapters = [
        lect._registry.find(f"{plugin.package}:{plugin.name}") for plugin in lect.plugins(load=True) if plugin.package
    ]
    return {f"{each.name}:{name}": template for each in adapters for name, template in each.list_templates().items()}
