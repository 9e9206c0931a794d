"""Write what is derived: from core's pyproject.toml, what all packages share, above all the version; from the plugins,
their entry points, core's extras, the module behind advice and warnings, the tables of packages and every NOTICE.

    python tests/support/make_metadata.py

A plugin states by hand, in its pyproject.toml, its description, its adapter and hints, what it needs besides core, and
in `[tool.lect-metadata]` the `owners` who publish its models and the `sources` of its strings, for NOTICE; if the hints
are not enough, the `words` by which people know its models, and if the description is not, the `models` that it knows,
for the tables of packages. The names of its templates and reply formats come from its code.
A test fails if a file is not what this writes.
"""

import importlib
import inspect
import json
import pkgutil
import re
import sys
import tomllib

import format_facts
import notices
from repository import ADDONS, REPOSITORY, folder
from repository import PACKAGES as PLUGINS

from lect.plugin import CHATML, DEFAULT
from lect.plugin.grammar import ReplyFormat
from lect.registry.adapter import Adapter

PACKAGES = REPOSITORY / "core/src/lect/registry/packages.txt"
CORE = REPOSITORY / "core/pyproject.toml"
VERSIONED = REPOSITORY / "core/src/lect/__init__.py"
FORMATS = REPOSITORY / "plugins/jinja/src/lect_jinja/replies/formats.json"
NOTICE = REPOSITORY / "NOTICE"
LICENSE = REPOSITORY / "LICENSE"
NOTE = "  # By hand: description, dependencies, adapter, hints, [tool.lect-metadata]. GENERATED: the rest, by make_metadata.py"
KEYS = (
    "name", "version", "description", "readme", "requires-python", "license", "license-files", "authors", "keywords",
    "classifiers", "dependencies", "urls",
)  # fmt: skip
"""The keys of `[project]` of a plugin; what it does not state itself comes from core."""
WIDTH = 120
"""A table of entry points that fits on one line is written on one."""
EXTRAS = {"testing" if name == "kit" else name: [f"lect-{name}"] for name in sorted([*ADDONS, "hub"])}
EXTRAS["tokens"].append("tokenizers>=0.21")
EXTRAS["media"].append("pillow>=10")
"""The extras for more than prompts: the addons, what downloads, what `lect tokens` reads a tokenizer with, and what
`lect.media_tokens` reads unusual images with."""
GROUPS = {
    "makers": ("Families by maker", "模型厂商"),
    "tuned": ("Fine-tunes of others' models", "微调模型"),
    "others": ("Any model, and others' notations", "任意模型与其他项目的格式"),
    "addons": ("Addons, which know no models", "附加包（不含模型）"),
}
"""The tables of packages, in English and Chinese; a plugin that names no `group` is in the first."""
TABLED = {REPOSITORY / "docs/reference/packages.md": 0, REPOSITORY / "docs/zh-CN/packages.md": 1}
"""Each with the index of its language in `GROUPS` and `COLUMNS`."""
COLUMNS = ("| package | models |", "| 包 | 模型 |")
IN_CHINESE = {"; ": "；", ", ": "、", " and ": " 和 ", " to ": " 至 "}
"""A list of models in Chinese; if that is not enough, a plugin states `models-zh`."""


def project(name):
    return tomllib.loads((folder(name) / "pyproject.toml").read_text("utf-8"))


def points_of(name):
    """Return the entry points of a plugin as its pyproject.toml has them."""
    return project(name)["project"].get("entry-points", {})


def is_apart(name):
    """Return whether a package is one that whoever only writes prompts can do without, and has an extra of its own."""
    return any(f"lect-{name}" in needed for needed in EXTRAS.values())


def stated(name):
    """Return what a package states by hand in `[tool.lect-metadata]`."""
    return project(name)["tool"].get("lect-metadata", {})


def toml(value):
    """Return a value as TOML, in one line."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key(name)} = {toml(each)}' for name, each in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    return json.dumps(value, ensure_ascii=False)


def key(name):
    return name if re.fullmatch(r"[\w-]+", name) else toml(name)


def rows(table):
    return "".join(f"{key(name)} = {toml(value)}\n" for name, value in table.items())


def templates_of(name):
    """Return the templates of a plugin by name."""
    plugin = getattr(importlib.import_module(f"lect_{name}"), "adapter", None)
    if plugin is None:
        return {}
    listed = Adapter(plugin, name=name).list_templates()
    return {each: found for each, found in listed.items() if found is not CHATML and found is not DEFAULT}


def reply_formats(name):
    """Return where the reply formats of a plugin are, by name."""
    package = importlib.import_module(f"lect_{name}")
    found = {}
    inside = (info.name for info in pkgutil.walk_packages(package.__path__, f"lect_{name}."))
    for place in (package.__name__, *inside):
        if name != "fastchat" and not is_apart(name):  # An addon may import the host that it is for.
            module = importlib.import_module(place)
            source = inspect.getsource(module)
            for attribute, value in vars(module).items():
                # Where it is defined, not where it is imported.
                if isinstance(value, ReplyFormat) and f"\n{attribute} = ReplyFormat(" in source:
                    found[value.name] = f"{place}:{attribute}"
    return found


def entry_points(name):
    """Return the entry points of a plugin: those that it states by hand, then those derived from its code."""
    templates = dict.fromkeys(templates_of(name), f"lect_{name}:adapter")
    derived = {"lect.templates": templates, "lect.replies": dict(sorted(reply_formats(name).items()))}
    by_hand = {group: points for group, points in points_of(name).items() if group not in derived}
    return {group: points for group, points in {**by_hand, **derived}.items() if points}


def dependencies(name):
    """Return what a plugin needs. It is tested only with packages of its own version, and accepts no older ones; one
    that states an exact version of core is for the current one."""
    version = project("core")["project"]["version"]
    major, minor, *_ = version.split(".")

    def bounded(needed):
        bound = f"=={version}" if "==" in needed else f">={major}.{minor},<{int(major) + 1}"
        return re.sub(r"^(lect[\w-]*).*", rf"\1{bound}", needed)

    return [bounded(each) for each in project(name)["project"].get("dependencies", ["lect"])]


def plugin_file(name):
    """Return the text of a plugin's pyproject.toml."""
    core, own = project("core"), project(name)
    by_hand = {"name": f"lect-{name}", "description": own["project"]["description"], "dependencies": dependencies(name)}
    points = entry_points(name)
    short = {group: table for group, table in points.items() if len(rows({group: table})) <= WIDTH}
    written = {
        "build-system": core["build-system"],
        "project": {each: {**core["project"], **by_hand}[each] for each in KEYS},
        "project.entry-points": short,
        **{f"project.entry-points.{key(group)}": points[group] for group in points if group not in short},
        "tool.lect-metadata": own["tool"]["lect-metadata"],
    }
    text = "\n".join(f"[{header}]\n{rows(table)}" for header, table in written.items() if table)
    return text.replace("\n", f"{NOTE}\n", 1)


def core_file():
    """Return the text of core's pyproject.toml."""
    offered = [name for name in PLUGINS if not is_apart(name)]
    lines = [f'{name} = ["lect-{name}"]' for name in offered]
    lines += ["all = [", *(f'    "lect-{name}",' for name in offered), "]"]
    lines += [f"{name} = {toml(needed)}" for name, needed in EXTRAS.items()]
    extras = "\n".join(["[project.optional-dependencies]", *lines]) + "\n\n"
    return re.sub(
        r"\[project\.optional-dependencies\]\n.*?\n\n(?=\[)", extras, CORE.read_text("utf-8"), flags=re.DOTALL
    )


def versioned_file():
    """Return the text of the module that states the version."""
    version = toml(project("core")["project"]["version"])
    return re.sub(r"^__version__ = .*$", f"__version__ = {version}", VERSIONED.read_text("utf-8"), flags=re.MULTILINE)


def page_file(path):
    """Return the README of a package, with links that work in the package alone."""
    home = project("core")["project"]["urls"]["Homepage"]
    up = "../" * len(path.parent.relative_to(REPOSITORY).parts)
    ours = rf"\]\((?:{up}|https://\S+?/lect/blob/main/)"
    return re.sub(ours, f"]({home}/blob/main/", path.read_text("utf-8"))


def packages_file():
    """Return the text of the data behind advice and warnings; `lect/registry/packages.py` says what is what."""
    # The general ones come last: a word that a family has belongs to the family.
    names = sorted(PLUGINS, key=lambda name: ("lect" not in points_of(name), name))
    sections = {
        "packages": {name: words(name) for name in names},
        "formats": {name: format_counts(name) for name in PLUGINS},
        **{
            kind: {name: sorted(points_of(name).get(f"lect.{kind}", ())) for name in PLUGINS}
            for kind in ("commands", "functions", "notations")
        },
        "reserved": {name: reserved_names(name) for name in PLUGINS},
    }
    owners = sorted({owner for name in PLUGINS for owner in stated(name).get("owners", ())})
    texts = [
        "".join([f"[{heading}]\n", *(f"lect-{name}: {' '.join(each)}\n" for name, each in lines.items() if each)])
        for heading, lines in sections.items()
    ]
    return "\n".join(
        ["GENERATED by tests/support/make_metadata.py\n", *texts, f"[owners]\nowners: {' '.join(owners)}\n"]
    )


def formats_file():
    """Return the text of the data by which lect-jinja knows reply formats and templates without importing them."""
    formats = {name: entry_points(name).get("lect.replies", {}) for name in PLUGINS}
    families = {name: templates_of(name) for name in PLUGINS if "lect" in points_of(name)}
    return format_facts.text(formats, families)


def format_counts(name):
    """Return how many templates a plugin has, and how many of them are attested only; nothing for one without any."""
    evidence = [template.evidence for template in templates_of(name).values()]
    return [str(len(evidence)), str(evidence.count("attested"))] if evidence else []


def reserved_names(name):
    """Return the names that belong to a plugin."""
    points = points_of(name)
    # Base models have no format of their own, and words such as `index` belong to everybody.
    is_family = "lect" in points and words(name) and templates_of(name)
    return list(dict.fromkeys([name, *points["lect.hints"], *templates_of(name)])) if is_family else [name]


def tables_file(path):
    """Return the text of a page with tables of packages: they are between two comments."""
    language = TABLED[path]
    tables = []
    for table, titles in GROUPS.items():
        lines = [
            f"| {linked(name)} | {models(name)[language].replace('](docs/', '](../')} |"
            for name in PLUGINS
            if group(name) == table
        ]
        tables.append("\n".join([f"**{titles[language]}**\n", COLUMNS[language], "|---|---|", *lines]))
    return re.sub(
        r"(<!-- packages -->\n\n).*(\n\n<!-- end of packages -->)",
        lambda found: found[1] + "\n\n".join(tables) + found[2],
        path.read_text("utf-8"),
        flags=re.DOTALL,
    )


def linked(name):
    """Return the name of a package, with a link to its formats if it has any."""
    return f"[{name}](../gallery/{name}.md)" if "lect.templates" in points_of(name) else name


def notice_file():
    """Return the text of NOTICE: its table has a row for every package, and the licences are at its end."""
    sources = {name: stated(name)["sources"] for name in (*PLUGINS, "core")}
    table = "".join(f"| {name} | {source} |\n" for name, source in sources.items())
    text = NOTICE.read_text("utf-8").partition("\nLICENCES")[0]
    text = re.sub(r"(?<=\|---\|---\|\n)(?:\|.*\n)*", lambda _: table, text)
    return text + notices.licences("\n".join(sources.values()))


def notice_of(name):
    """Return the NOTICE of a package."""
    return notices.package_notice(project(name)["project"].get("name", f"lect-{name}"), stated(name)["sources"])


def group(name):
    """Return the table that lists a package."""
    return "addons" if name in ADDONS else stated(name).get("group", "makers")


def words(name):
    """Return the words by which people know the models of a plugin: a family's hints, unless it states others."""
    return stated(name).get("words") or (
        list(points_of(name)["lect.hints"]) if group(name) not in ("others", "addons") else []
    )


def models(name):
    """Return the models that a plugin knows, in English and Chinese: those of its description, unless it states others."""
    english = stated(name).get("models") or project(name)["project"]["description"].partition("for lect: ")[2]
    chinese = english
    for mark, in_chinese in IN_CHINESE.items():
        chinese = chinese.replace(mark, in_chinese)
    return english, stated(name).get("models-zh", chinese)


def files():
    """Return the text of every generated file, by path."""
    packages = (*PLUGINS, "core")
    return {
        PACKAGES: packages_file(),
        FORMATS: formats_file(),
        CORE: core_file(),
        VERSIONED: versioned_file(),
        NOTICE: notice_file(),
        **{path: tables_file(path) for path in TABLED},
        **{folder(name) / "pyproject.toml": plugin_file(name) for name in PLUGINS},
        **{folder(name) / "README.md": page_file(folder(name) / "README.md") for name in packages},
        **{folder(name) / "LICENSE": LICENSE.read_text("utf-8") for name in packages},
        **{folder(name) / "NOTICE": notice_of(name) for name in packages},
    }


if __name__ == "__main__":
    # A new family need not be installed.
    sys.path[:0] = [str(folder(name) / "src") for name in PLUGINS]
    for name in PLUGINS:  # First, because the other files are made from their entry points.
        (folder(name) / "pyproject.toml").write_text(plugin_file(name), "utf-8")
    for path, text in files().items():
        path.write_text(text, "utf-8")
