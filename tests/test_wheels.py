"""What a user gets who installs one package: that, what it depends on, and nothing else."""

import pytest
from sandbox import REPOSITORY, run

LISTED = """
from importlib.metadata import distributions
print(*sorted(dist.metadata["Name"].lower().replace("_", "-") for dist in distributions()))
"""


def listed(environment):
    """Return the distributions of an environment."""
    return run([environment.python, "-c", LISTED], cwd=environment.directory).stdout.split()


@pytest.mark.parametrize("plugin", ["qwen", "fastchat", "dialects"])
def test_a_plugin_installed_alone_brings_the_core_and_its_dependencies_and_nothing_else(sandbox, plugin):
    wheels = {sandbox.core_wheel.parent, sandbox.wheel(REPOSITORY / "plugins" / plugin).parent, sandbox.wheelhouse}
    places = [word for place in sorted(wheels) for word in ("--find-links", place)]
    environment = sandbox.empty()
    environment.pip("install", "--quiet", "--no-index", *places, f"lect-{plugin}")
    core_alone = listed(sandbox.base)
    assert {"lect", "pluggy", "packaging", "importlib-metadata"} <= set(core_alone)
    assert listed(environment) == sorted([*core_alone, f"lect-{plugin}"])
    assert [name for name in listed(environment) if "lect" in name] == ["lect", f"lect-{plugin}"]
    formats = environment.ask("answer = lect.reply_formats()")
    assert {"plain", "think"} <= set(formats)
    assert (len(formats) > 2) == (plugin != "fastchat")
