"""Real distributions in fresh virtual environments: built, installed by pip, and run from outside as a user would."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from functools import cached_property
from typing import NamedTuple

from counting import HANGS
from packaging.utils import canonicalize_name
from repository import REPOSITORY, folder

BACKENDS = {"flit": "flit_core.buildapi", "setuptools": "setuptools.build_meta", "hatchling": "hatchling.build"}
CORE_NEEDS = ("importlib-metadata", "packaging", "pluggy")
JINJA = ["jinja2>=3.1.6"]
ARROW = ["pyarrow>=17"]
HUB = "huggingface_hub>=0.30"
SERVER = ["httpx>=0.27", "starlette>=0.37", "tokenizers>=0.21", "uvicorn>=0.30"]
"""What plugins need besides lect."""
TESTERS = ["pytest>=8", "hypothesis>=6.100"]
"""What the kit needs besides lect."""
BUILD_TOOLS = ["flit_core", "setuptools", "hatchling", "editables"]
TEST_TOOLS = ["pip", "build", *TESTERS]
"""What authors of adapters install besides lect and the kit."""
KIT = folder("kit")

# The beginning of every child process. A child leaves its answer in `answer`; its warnings stay on its standard error.
PRELUDE = """
import json, sys
import lect
def raised(function, *arguments, **options):
    try:
        function(*arguments, **options)
    except Exception as error:
        return {"type": type(error).__name__, "text": str(error), **{k: v for k, v in vars(error).items() if k in ("install", "claimants", "name")}}
def status(name):
    return next(info.status for info in lect.plugins() if info.name == name)
def imported(*names):
    return sorted(name for name in names if name in sys.modules)
answer = None
"""
BUILD = """
import importlib, os, sys
backend, wheelhouse, *projects = sys.argv[1:]
for project in projects:
    os.chdir(project)
    print(importlib.import_module(backend).build_wheel(wheelhouse))
"""


DISTRIBUTIONS = """
from importlib.metadata import distributions
print(*(dist.metadata["Name"] for dist in distributions()))
"""
WITH_NEEDS = """
import sys
from importlib.metadata import requires
from packaging.requirements import Requirement

def with_needs(name):
    yield name
    for needed in map(Requirement, requires(name) or ()):
        if needed.marker is None or needed.marker.evaluate({"extra": ""}):
            yield from with_needs(needed.name)

print(*(each for name in sys.argv[1:] for each in with_needs(name)))
"""


class Plugin(NamedTuple):
    """A distribution with one adapter in one module."""

    dist: str
    source: str
    name: str
    hints: tuple[str, ...] = ()
    templates: tuple[str, ...] = ()
    group: str = "lect"
    attribute: str = ":adapter"
    backend: str = "flit"
    layout: str = "src"

    @property
    def module(self):
        return self.dist.replace("-", "_")

    @property
    def value(self):
        return f"{self.module}{self.attribute}"


def family(dist, name, *rules, hints=(), templates=(), **more):
    """Return a plugin made of rules `(pattern, template's name, what comes before a user's text)`."""
    table = "".join(
        f"    Rule({pattern!r}, TurnTemplate({template!r}, user=Turn({user!r}, ''), assistant=Turn('A', ''))),\n"
        for pattern, template, user in rules
    )
    source = f"from lect.plugin import Family, Rule, Turn, TurnTemplate\nadapter = Family(\n    {name!r},\n{table})\n"
    return Plugin(dist, source, name, hints, templates, **more)


def write_project(plugin, directory):
    """Write the source tree of a plugin."""
    directory.mkdir(parents=True)
    points = {plugin.group: [plugin.name], "lect.hints": plugin.hints, "lect.templates": plugin.templates}
    tables = "".join(
        f'[project.entry-points."{group}"]\n' + "".join(f'"{name}" = "{plugin.value}"\n' for name in names)
        for group, names in points.items()
        if names
    )
    (directory / "pyproject.toml").write_text(
        f'[build-system]\nrequires = []\nbuild-backend = "{BACKENDS[plugin.backend]}"\n'
        f'[project]\nname = "{plugin.dist}"\nversion = "0.1.0"\ndescription = "A plugin for a test"\ndependencies = ["lect"]\n{tables}',
        "utf-8",
    )
    package = directory / plugin.layout / plugin.module
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(f'"""A plugin for a test."""\n{plugin.source}', "utf-8")
    return directory


class Answer(NamedTuple):
    """What a child answered, and what it wrote to its standard error."""

    value: object
    stderr: str


class Environment:
    """A virtual environment."""

    def __init__(self, directory):
        self.directory = directory
        self.bin = directory / ("Scripts" if os.name == "nt" else "bin")
        self.python = self.bin / "python"

    @classmethod
    def new(cls, directory):
        """Return an environment with nothing in it."""
        run([sys.executable, "-m", "venv", "--without-pip", directory], cwd=directory.parent)
        return cls(directory)

    @property
    def site_packages(self):
        return next(self.directory.glob("[Ll]ib/**/site-packages"))

    def pip(self, *arguments, cwd=None):
        """Run pip for this environment. It has none of its own, so that it is quick to create."""
        run([sys.executable, "-m", "pip", "--python", self.python, *arguments], cwd=cwd or self.directory)

    def install(self, *wheels):
        self.pip("install", "--quiet", "--no-index", "--no-deps", *wheels)

    def check(self, module, *arguments, cwd=None):
        """Run a module that must succeed; return what it printed."""
        return run([self.python, "-m", module, *arguments], cwd=cwd or self.directory).stdout

    def run(self, code, **environ):
        """Run a child that leaves JSON in `answer`."""
        done = run([self.python, "-c", f"{PRELUDE}\n{code}\nprint(json.dumps(answer))"], cwd=self.directory, **environ)
        return Answer(json.loads(done.stdout.splitlines()[-1]), done.stderr)

    def ask(self, code, **environ):
        """Run a child that leaves JSON in `answer`, and return that alone."""
        return self.run(code, **environ).value

    def distributions(self):
        """Return the names of all that is installed."""
        return self._names(DISTRIBUTIONS)

    def with_needs(self, *names):
        """Return the names of some distributions, and of what they need according to their metadata."""
        return self._names(WITH_NEEDS, *names)

    def _names(self, code, *arguments):
        printed = run([self.python, "-c", code, *arguments], cwd=self.directory).stdout
        return sorted({canonicalize_name(name) for name in printed.split()})


class Sandbox:
    """Builds each wheel once, and creates environments from them."""

    def __init__(self, root):
        self.root = root
        self._wheels = {}
        self._environments = {}
        self.workshop = self._new("workshop")
        self.install_build_tools(self.workshop)
        (self.core_wheel,) = self._build("flit", REPOSITORY / "core")
        self.base = self._new("base")
        self.base.pip("install", "--quiet", self.core_wheel)

    @cached_property
    def wheelhouse(self):
        """What core, plugins, their tests and their builds need, for where there is no index."""
        wheels = self.root / "wheelhouse"
        core = tomllib.loads((REPOSITORY / "core/pyproject.toml").read_text("utf-8"))
        needed = [*core["project"]["dependencies"], *JINJA, *ARROW, HUB, *SERVER, *TESTERS, *BUILD_TOOLS]
        run([sys.executable, "-m", "pip", "wheel", "--quiet", "-w", wheels, *needed], cwd=self.root)
        return wheels

    def install_build_tools(self, environment):
        environment.pip("install", "--quiet", *BUILD_TOOLS)

    def install_test_tools(self, environment, *more):
        environment.pip("install", "--quiet", *TEST_TOOLS, *more)

    def wheel(self, plugin):
        """Return the wheel of a plugin, or of a directory in this repository."""
        self._build_all([plugin])
        return self._wheels[plugin]

    def environment(self, *plugins, one_by_one=False):
        """Return an environment with lect and some plugins, the same one for the same plugins: to change it, take a
        `fresh` one."""
        key = (plugins, one_by_one)
        if key not in self._environments:
            self._environments[key] = self.fresh(*plugins, one_by_one=one_by_one)
        return self._environments[key]

    def fresh(self, *plugins, one_by_one=False):
        """Return an environment that is not shared."""
        self._build_all(plugins)
        directory = self._numbered("environment")
        shutil.copytree(self.base.directory, directory, symlinks=True)
        environment = Environment(directory)
        for script in environment.bin.iterdir():
            # The scripts of a copied environment begin with the interpreter of the original.
            if script.is_file() and not script.is_symlink() and (text := script.read_bytes()).startswith(b"#!"):
                script.write_bytes(text.replace(bytes(self.base.directory), bytes(directory)))
        wheels = [self._wheels[plugin] for plugin in plugins]
        for batch in [[wheel] for wheel in wheels] if one_by_one else [wheels] if wheels else []:
            environment.install(*batch)
        return environment

    def empty(self):
        """Return an environment with nothing in it."""
        return self._new(self._numbered("empty").name)

    def _new(self, name):
        return Environment.new(self.root / name)

    def _build_all(self, plugins):
        missing = [plugin for plugin in plugins if plugin not in self._wheels]
        for backend in {getattr(plugin, "backend", "flit") for plugin in missing}:
            batch = [plugin for plugin in missing if getattr(plugin, "backend", "flit") == backend]
            projects = [self._project(plugin) for plugin in batch]
            self._wheels.update(zip(batch, self._build(backend, *projects), strict=True))

    def _project(self, plugin):
        return write_project(plugin, self._numbered("project")) if isinstance(plugin, Plugin) else plugin

    def _numbered(self, kind):
        return self.root / f"{kind}{len(list(self.root.glob(f'{kind}*')))}"

    def _build(self, backend, *projects):
        # Each build has its own directory: two tests may give the same name to different plugins.
        wheels = self._numbered("wheels")
        wheels.mkdir()
        done = run([self.workshop.python, "-c", BUILD, BACKENDS[backend], wheels, *projects], cwd=self.root)
        return [wheels / name for name in re.findall(r"^\S+\.whl$", done.stdout, re.MULTILINE)]


def run(command, *, cwd, **environ):
    """Run a command without the settings of lect and Python that the tests may run under; a failure includes its
    output."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(("LECT_", "PYTHON"))}
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env={**inherited, "PYTHONUTF8": "1", **environ}, capture_output=True,
        text=True, encoding="utf-8", timeout=HANGS, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{' '.join(str(part) for part in command)}\n{done.stdout}\n{done.stderr}"
    return done
