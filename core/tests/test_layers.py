"""Core has layers, and imports only point down: those for types and those inside functions count too."""

import ast
import inspect
import io
import re
import tokenize
import tomllib
from functools import cache
from pathlib import Path

import pytest
from together import together

import lect.addon
from lect.installing import STREETS

CORE = Path(lect.__file__).parent
REPOSITORY = Path(__file__).parents[2]
FLOORS = {
    "values": 0,
    "computed": 0,
    "reports": 0,
    "rows": 0,
    "errors": 1,
    "contain": 1,
    "boundaries": 1,
    "facts": 2,
    "files": 2,
    "installing": 1,
    "json_schema": 1,
    "objects": 1,
    "outputs": 2,
    "apart": 1,
    "source": 2,
    "prompt": 3,
    "reply": 3,
    "tokens": 4,
    "format": 5,
    "conversation": 6,
    "registry": 7,
    "notations": 8,
    "__init__": 9,
    "plugin": 9,
    "cli": 10,
    "__main__": 11,
    "addon": 11,
}
REPLY_FLOORS = {
    "grammar": 0,
    "reply": 0,
    "blocks": 1,
    "check": 1,
    "events": 1,
    "plain": 2,
    "reader": 2,
    "calls": 3,
    "engine": 4,
    "stream": 5,
}
HEAVY = {"jinja2", "rich", "tokenizers", "pyarrow", "importlib_metadata", "packaging", "numpy"}
PUBLIC = {"lect", "lect.addon", "lect.plugin", "lect.plugin.grammar", "lect.errors"}
# Packages that may import private modules of core: each needs core of exactly its own version.
PRIVATE = {
    "kit",  # It tests what core does with a plugin: what it finds, loads and asks, one step at a time.
}
# Packages work without these: only what is loaded when one is needed imports it. The first has a notation write, the
# second knows what an image is.
LATER = ("lect_convert", "lect_media")
MOST_NAMES, MOST_MODULES = 25, 4
"""Of `lect.addon`: what somebody can learn from one page."""


def imported(tree, *, lazy=True, types=True):
    """Yield what a module imports, as `(module, name or None)`; without `lazy` only what it imports at once."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "write imports in full"
            yield from ((node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from imported(node) if types else ()
        elif lazy or not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from imported(node, lazy=lazy, types=types)


@cache
def parsed(path):
    return ast.parse(path.read_text("utf-8"))


def modules(source, package):
    """Return the modules under a source directory by their full names."""
    return {
        ".".join([package, *path.relative_to(source).with_suffix("").parts]).removesuffix(".__init__"): parsed(path)
        for path in sorted(source.rglob("*.py"))
    }


MODULES = modules(CORE, "lect")


def targets(name, known=MODULES, **which):
    """Return the modules of its own package that a module imports."""
    found = set()
    for module, attribute in imported(known[name], **which):
        full = f"{module}.{attribute}"
        found.add(full if full in known else module)
    return {target for target in found if target.partition(".")[0] == name.partition(".")[0]}


def part(name):
    return name.split(".")[1] if "." in name else "__init__"


def test_every_part_of_core_has_its_layer():
    assert {part(name) for name in MODULES} == set(FLOORS)


@together("name", MODULES)
def test_imports_only_point_down(name):
    for target in targets(name):
        assert target in MODULES, f"{name} imports {target}, which is no module"
        assert FLOORS[part(target)] <= FLOORS[part(name)], f"{name} imports {target}, which is above it"


def arrows_between(known, name_of=lambda module: module):
    """Return what each module imports of the others; those to which `name_of` gives one name count as one."""
    arrows = {name_of(module): set() for module in known}
    for module in known:
        arrows[name_of(module)] |= {name_of(target) for target in targets(module, known) & set(known)}
    return {name: others - {name} for name, others in arrows.items()}


def parts_of(folder):
    """Return what each module and each folder in a folder of core imports of the others there."""
    inside = {name: tree for name, tree in MODULES.items() if name.startswith(f"{folder}.")}
    return arrows_between(inside, lambda module: module.removeprefix(f"{folder}.").partition(".")[0])


def circle(arrows):
    """Return what imports itself indirectly."""
    while loose := {name for name in arrows if not arrows[name] or all(name not in arrows[each] for each in arrows)}:
        arrows = {name: others - loose for name, others in arrows.items() if name not in loose}
    return sorted(arrows)


def test_no_module_is_part_of_an_import_cycle():
    assert circle(arrows_between(MODULES)) == []


@pytest.mark.parametrize("folder", sorted({name.rpartition(".")[0] for name in MODULES} - {""}))
def test_no_folder_is_part_of_an_import_cycle(folder):
    assert circle(parts_of(folder)) == []


def test_what_reads_replies_has_layers_too():
    arrows = parts_of("lect.reply")
    assert arrows.keys() == REPLY_FLOORS.keys()
    assert not [
        (name, target) for name in arrows for target in arrows[name] if REPLY_FLOORS[target] >= REPLY_FLOORS[name]
    ]


@together("name", MODULES)
def test_core_imports_no_plugin(name):
    assert not [module for module, _ in imported(MODULES[name]) if module.startswith("lect_")]


@together("name", MODULES)
def test_nothing_heavy_is_imported_before_it_is_needed(name):
    heavy = {module.partition(".")[0] for module, _ in imported(MODULES[name], lazy=False, types=False)} & HEAVY
    assert heavy == set()


def plugin_folders():
    """Return the folders of the packages next to core: plugins and addons."""
    return sorted(path for street in STREETS for path in REPOSITORY.glob(f"{street}/*/") if (path / "src").is_dir())


def entry_points(folder):
    """Return where the entry points of a package are."""
    project = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]
    return [value for points in project.get("entry-points", {}).values() for value in points.values()]


def needs_at_once(tree, other):
    """Return whether a module imports another package as soon as it is imported."""
    return any(module.partition(".")[0] == other for module, _ in imported(tree, lazy=False, types=False))


@together("folder", plugin_folders() or [None], ids=lambda folder: folder and folder.name)
def test_a_plugin_imports_only_public_modules(folder):
    if folder is None:
        pytest.skip("no plugins next to core")
    plugin = folder.name
    (source,) = (folder / "src").iterdir()
    known = modules(source, source.name)
    stated = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    assert (f"lect=={lect.__version__}" in stated) == (plugin in PRIVATE)
    needed = {re.match(r"[\w-]+", each)[0].replace("-", "_") for each in stated}
    for name, tree in known.items():
        for module, attribute in imported(tree):
            if module.partition(".")[0] == "lect":
                assert module in PUBLIC or plugin in PRIVATE, f"{name} imports {module}"
                assert attribute != "*"
            other = module.partition(".")[0]
            if other.startswith("lect_") and other != source.name:
                assert module in {*needed, *LATER}, f"{name} imports another plugin, {module}"
    for other in {*LATER} - {*needed, source.name}:
        loaded_at_once = {point.partition(":")[0] for point in entry_points(folder)} | {source.name}
        for name in known:
            loaded_at_once |= targets(name, known, lazy=False, types=False)
        assert not [name for name in loaded_at_once & set(known) if needs_at_once(known[name], other)]
    assert circle(arrows_between(known)) == []


def addon_sources():
    """Return the modules of the packages on top of core that import only public modules."""
    found = [folder for folder in plugin_folders() if folder.parent.name == "addons" and folder.name not in PRIVATE]
    return [tree for folder in found for tree in modules(folder / "src", "src").values()]


def test_the_face_for_packages_has_few_names_and_each_is_used():
    if not addon_sources():
        pytest.skip("no packages next to core")
    used = {name for tree in addon_sources() for module, name in imported(tree) if module == "lect.addon"}
    assert used == set(lect.addon.__all__)
    assert len(used) <= MOST_NAMES


def test_a_module_of_that_face_says_what_is_public_and_each_of_it_is_used():
    if not addon_sources():
        pytest.skip("no packages next to core")
    inside = {name: value for name in lect.addon.__all__ if inspect.ismodule(value := getattr(lect.addon, name))}
    assert len(inside) <= MOST_MODULES
    used = {name: set() for name in inside}
    for tree in addon_sources():
        here = {name for module, name in imported(tree) if module == "lect.addon"} & inside.keys()
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in here:
                used[node.value.id].add(node.attr)
    assert used == {name: set(module.__all__) for name, module in inside.items()}
    assert not [f"{name}.{each}" for name in inside for each in used[name] if f"`{each}`" not in inside[name].__doc__]


# What core knows of models and makers: it reads a file that is generated from the plugins.
KNOWN = "lect.registry.packages"
# What uses it, all of it for messages.
ADVISERS = {
    "lect.registry.advice",  # What to install.
    "lect.registry.cautions",  # Whom an owner imitates, whose names a package uses.
    "lect.cli.damage",  # Which packages may be without entry points.
    "lect.cli.families",  # What could be installed.
    "lect.cli.installed",  # Which package a command is in that is not installed.
    "lect.notations",  # Which package a notation is in that is not installed.
}
# Examples in errors and in --help: the only other places in core's code with the name of a model or a maker.
EXAMPLES = {
    "registry/advice.py": {"ollama"},
    "registry/refs.py": {"lmsys", "vicuna"},
    "cli/__init__.py": {"lmsys", "vicuna"},
    "cli/why.py": {"lmsys", "vicuna", "qwen"},
    "cli/prompt.py": {"lmsys", "vicuna", "qwen", "meta-llama", "llama", "llama-3"},
    "cli/inputs.py": {"qwen"},
    "cli/doctor.py": {"qwen"},
    "cli/parse.py": {"qwen", "qwen3"},
    "cli/plugins.py": {"qwen"},
    # A format that many families share has the name by which people know it, and says who uses it.
    "plugin/grammar.py": {"hermes"},
    "reply/plain.py": {"hermes", "qwen", "qwq", "mimo", "granite"},
}
# Words of English and of programming that happen to be names of models or makers.
CHANCE = {"command", "openai", "seed", "step"}


@cache
def names():
    """Return every name of a model or a maker that a plugin states: hints, words, owners, and a family's templates."""
    found = set()
    for folder in plugin_folders():
        project = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))
        points, stated = project["project"].get("entry-points", {}), project["tool"].get("lect-metadata", {})
        found.update(points.get("lect.hints", ()), stated.get("words", ()), stated.get("owners", ()))
        found.update(points.get("lect.templates", ()) if "lect" in points else ())
    return found


# From Python 3.12 on, an f-string is several tokens.
WORDS = {tokenize.NAME, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}


def code_words(source):
    """Yield the words of a module's code: names and strings, without comments and docstrings."""
    tree = ast.parse(source)
    prose = {
        node.value.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in WORDS and token.start[0] not in prose:
            yield from re.findall(r"[a-z0-9]+(?:-[a-z0-9]+)*", token.string.lower())


def test_no_behaviour_of_core_depends_on_the_name_of_a_model_or_a_maker():
    if not names():
        pytest.skip("no plugins next to core")
    unexpected = {}
    for path in sorted(CORE.rglob("*.py")):
        place = path.relative_to(CORE).as_posix()
        words = set(code_words(path.read_text("utf-8")))
        found = names() & (words | {piece for word in words for piece in re.split(r"[-0-9]+", word)}) - CHANCE
        if found != EXAMPLES.get(place, set()):
            unexpected[place] = found
    assert unexpected == {}


def test_what_core_knows_of_models_and_makers_is_used_for_messages_alone():
    assert {name for name in MODULES if KNOWN in targets(name)} == ADVISERS
    # Nor does what decides take it from them, when it is imported.
    deciding = {name for name in MODULES if part(name) == "registry"} - ADVISERS - {KNOWN}
    assert not [name for name in deciding if targets(name, lazy=False, types=False) & ADVISERS]
