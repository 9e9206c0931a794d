"""The house has floors, and arrows point down only: cli and testing, faces, notations and modeldir and registry, jinja
and tokens, prompt and reply, errors."""

import ast
from pathlib import Path

import pytest

import lect

CORE = Path(lect.__file__).parent
PLUGINS = Path(__file__).parents[2] / "plugins"
FLOORS = {
    "errors": 0,
    "prompt": 1,
    "reply": 1,
    "jinja": 2,
    "tokens": 2,
    "notations": 3,
    "modeldir": 3,
    "registry": 3,
    "__init__": 4,
    "plugin": 4,
    "cli": 5,
    "testing": 5,
    "__main__": 6,
}
HEAVY = {"jinja2", "rich", "tokenizers", "pyarrow", "importlib_metadata", "packaging", "numpy"}


def is_for_types_only(node):
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def imported(tree, *, lazy=True):
    """Yield what a module imports while it runs, as `(module, name or None)`; without `lazy` only what it imports at
    once."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "write imports in full"
            yield from ((node.module, alias.name) for alias in node.names)
        elif not is_for_types_only(node) and (
            lazy or not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        ):
            yield from imported(node, lazy=lazy)


def modules(source, package):
    """Return the modules under a source directory by their full names."""
    return {
        ".".join([package, *path.relative_to(source).with_suffix("").parts]).removesuffix(".__init__"): ast.parse(
            path.read_text("utf-8")
        )
        for path in sorted(source.rglob("*.py"))
    }


MODULES = modules(CORE, "lect")


def targets(name, *, lazy=True):
    """Return the modules of core that a module imports."""
    found = set()
    for module, attribute in imported(MODULES[name], lazy=lazy):
        full = f"{module}.{attribute}"
        found.add(full if full in MODULES else module)
    return {target for target in found if target.partition(".")[0] == "lect"}


def part(name):
    return name.split(".")[1] if "." in name else "__init__"


def test_every_part_of_the_house_has_its_floor():
    assert {part(name) for name in MODULES} <= set(FLOORS)


@pytest.mark.parametrize("name", MODULES)
def test_arrows_point_down_only(name):
    for target in targets(name):
        assert target in MODULES, f"{name} imports {target}, which is no module"
        assert FLOORS[part(target)] <= FLOORS[part(name)], f"{name} imports {target}, which is above it"


def test_no_module_is_part_of_a_circle():
    arrows = {name: targets(name) for name in MODULES}
    while arrows:
        free = {name for name, others in arrows.items() if not others & set(arrows)}
        assert free, f"a circle among {sorted(arrows)}"
        arrows = {name: others for name, others in arrows.items() if name not in free}


@pytest.mark.parametrize("name", MODULES)
def test_core_imports_no_plugin(name):
    assert not [module for module, _ in imported(MODULES[name]) if module.startswith("lect_")]


@pytest.mark.parametrize("name", MODULES)
def test_nothing_heavy_is_imported_before_it_is_needed(name):
    heavy = {module.partition(".")[0] for module, _ in imported(MODULES[name], lazy=False)} & HEAVY
    # One module is the only door to importlib-metadata, and only functions open it.
    assert heavy == ({"importlib_metadata"} if name == "lect.registry.metadata" else set())
    assert name == "lect.registry.metadata" or "lect.registry.metadata" not in targets(name, lazy=False)


@pytest.mark.parametrize(
    "plugin", sorted(path.name for path in PLUGINS.glob("*/") if (path / "src").is_dir()) or [None]
)
def test_a_plugin_imports_only_the_public_face(plugin):
    if plugin is None:
        pytest.skip("no plugins beside core")
    (source,) = (PLUGINS / plugin / "src").iterdir()
    public = {"lect", "lect.plugin", "lect.errors", "lect.testing"}
    for name, tree in modules(source, source.name).items():
        for module, attribute in imported(tree):
            if module.partition(".")[0] == "lect":
                assert module in public or module.startswith("lect.notations."), f"{name} imports {module}"
                assert attribute != "*"
            assert not module.startswith("lect_") or module.partition(".")[0] == source.name, (
                f"{name} imports another plugin, {module}"
            )
