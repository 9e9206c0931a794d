"""Write the reference of every public name, one page per module, from the docstrings: `python docs/make_api.py`.

The pages are committed, so that they can be read without a build; a test compares them with what this writes.
"""

import ast
import enum
import importlib
import inspect
import re
import textwrap
from functools import cache, cached_property
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import ForwardRef

from lect.errors import LectError

PAGES = Path(__file__).parent / "reference" / "api"
MODULES = [
    name
    for name in (
        "lect",
        "lect.errors",
        "lect.addon",
        "lect.plugin",
        "lect.plugin.grammar",
        "lect_apis",
        "lect_completion",
        "lect_constrain",
        "lect_convert",
        "lect_data",
        "lect_explain",
        "lect_fit",
        "lect_kit",
        "lect_media",
        "lect_rollout",
        "lect_rows",
        "lect_serve",
        "lect_sglang",
        "lect_tokens",
        "lect_view",
        "lect_vllm",
    )
    if find_spec(name)
]
# What public functions return, or public classes are derived from, but users do not import.
MORE = {
    "lect": {
        "Event": "lect.reply.events",
        "Pin": "lect.registry.settings",
        "PluginInfo": "lect.registry.info",
        "Problem": "lect.reply.reply",
        "ReplyStream": "lect.reply.stream",
        "Report": "lect.tokens.encoded",
        "Undo": "lect.registry.adapters",
        "Verdict": "lect.reports",
    },
    "lect.plugin.grammar": {"GrammarPart": "lect.reply.grammar"},
}
LONGEST = 88
# The sections of a docstring that list things by name.
LISTS = {"Args": "Arguments", "Attributes": "Attributes", "Raises": "Raises"}
INTRODUCTION = """\
# Every public name

What these modules export is public. Everything else in lect is private, and may change with every version. These pages
are generated from the docstrings; the other pages of the reference say more about
[templates, prompts and replies](../templates.md), [hooks](../hooks.md), [tokens and training](../tokens.md) and
[errors](../errors.md).
"""
NEXT = """
Where to go next: [Which function do I want?](../which-function.md), by task; [Every public name](index.md).
"""


# What only the source says, because Python does not keep it.


@cache
def tree(module):
    return ast.parse(Path(importlib.import_module(module).__file__).read_text("utf-8"))


def notes(body):
    """Return the docstrings under assignments, by the name that is assigned."""
    found = {}
    for statement, after in pairwise(body):
        is_text = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
        targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        if is_text and isinstance(targets[0], ast.Name):
            found[targets[0].id] = inspect.cleandoc(after.value.value)
    return found


@cache
def field_notes(value):
    """Return the docstrings under the fields of a class."""
    nodes = [node for node in tree(value.__module__).body if isinstance(node, ast.ClassDef)]
    return next((notes(node.body) for node in nodes if node.name == value.__name__), {})


def home(module, name):
    """Return the module in which a constant is assigned."""
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.ImportFrom) and any(alias.name == name for alias in node.names):
            return home(node.module, name)
    return module


# Signatures.


def annotation(value):
    """Return a type as it is written, without the modules in which its names are defined."""
    if isinstance(value, ForwardRef):
        value = value.__forward_arg__
    text = value if isinstance(value, str) else inspect.formatannotation(value)
    return re.sub(r"\b(?:[a-z_]+\.)+(?=[A-Z])", "", text)


def parameter(each):
    text = {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "") + each.name
    if each.annotation is not each.empty:
        text += f": {annotation(each.annotation)}"
    if each.default is not each.empty:
        # What Python prints in angle brackets is created for each call, or has an address in it.
        default = re.sub(r"^<.*>$", "...", repr(each.default))
        text += f" = {default}" if ":" in text else f"={default}"
    return text


def parameters(signature):
    """Yield the parameters as they are written, without `self`."""
    is_marked = False
    for each in signature.parameters.values():
        if each.name in ("self", "cls"):
            continue
        is_marked = is_marked or each.kind is each.VAR_POSITIONAL
        if each.kind is each.KEYWORD_ONLY and not is_marked:
            is_marked = True
            yield "*"
        yield parameter(each)


def signature(name, value):
    """Return how something is called, in its own fence."""
    called = inspect.signature(value)
    is_silent = isinstance(value, type) or called.return_annotation is called.empty
    returned = "" if is_silent else f" -> {annotation(called.return_annotation)}"
    given = list(parameters(called))
    text = f"{name}({', '.join(given)}){returned}"
    if len(text) > LONGEST:
        text = f"{name}(\n" + "".join(f"    {each},\n" for each in given) + f"){returned}"
    # Tildes: the tests run blocks with backticks.
    return f"~~~python\n{text}\n~~~\n"


# Docstrings.


def listed(name, text):
    """Return an entry of a list: a name, then its meaning."""
    return f"- `{name}`" + (f": {text}" if text else "")


def entries(text):
    """Return `(name, meaning)` for every entry of a section."""
    found = re.findall(r"^(\S+): (.*(?:\n[ ]+.*)*)", text, re.MULTILINE)
    return [(name, re.sub(r"\s*\n\s+", " ", meaning)) for name, meaning in found]


def prose(docstring):
    """Return a docstring as Markdown: its sections become lists."""
    parts = re.split(rf"^({'|'.join(LISTS)}):\n", inspect.cleandoc(docstring), flags=re.MULTILINE)
    lines = [parts[0].strip()]
    for heading, text in zip(parts[1::2], parts[2::2], strict=True):
        # A section ends where a line is not indented.
        inside, after = re.match(r"((?:[ ].*\n?|\n)*)(.*)", text, re.DOTALL).groups()
        items = "\n".join(listed(*entry) for entry in entries(textwrap.dedent(inside)))
        lines += [f"**{LISTS[heading]}**", items, after.strip()]
    return "\n\n".join(filter(None, lines)) + "\n"


def summary(docstring):
    """Return the first sentence of a docstring, on one line."""
    first = " ".join(docstring.strip().partition("\n\n")[0].split())
    return re.split(r"(?<=[.])\s", first)[0].replace("|", "\\|")


# Classes.


def members(value):
    """Yield the documented members of a class, except those of a base that has its own entry."""
    foreign = {name for base in value.__mro__ if not base.__module__.startswith("lect") for name in vars(base)}
    documented = [base for base in value.__mro__[1:] if base in owners()]
    for name, member in inspect.getmembers(value):
        is_method = inspect.isroutine(member) or isinstance(member, property | cached_property)
        is_own = name not in foreign and not any(getattr(base, name, None) is member for base in documented)
        if is_method and is_own and member.__doc__ and not name.startswith("_"):
            yield name, member


def fields(value):
    """Yield the fields of a class that its docstring does not list, and the members of an enumeration."""
    noted = field_notes(value)
    if "Args:\n" in value.__doc__ or "Attributes:\n" in value.__doc__:
        return
    names = [each.name for each in value] if issubclass(value, enum.Enum) else inspect.get_annotations(value)
    for name in names:
        if not name.startswith("_"):
            yield listed(name, " ".join(noted.get(name, "").split()))


def bases(value):
    """Return what kind of error or warning a class is."""
    names = [base.__name__ for base in value.__bases__ if base is not Exception]
    return f"A kind of {' and '.join(f'`{name}`' for name in names)}.\n" if names else ""


def is_made_by_users(value):
    """Return whether the arguments of a class are for its users: they are documented, or they are its fields."""
    return "Args:\n" in value.__doc__ or hasattr(value, "_fields") or hasattr(value, "kinds")


def class_lines(name, value):
    """Yield what the reference says about a class."""
    if issubclass(value, Exception):
        yield bases(value)
    elif is_made_by_users(value):
        yield signature(name, value)
    yield prose(value.__doc__)
    listing = "\n".join(fields(value))
    if listing:
        yield f"{listing}\n"
    for member, function in members(value):
        yield f"### {name}.{member}\n"
        if not isinstance(function, property | cached_property):
            yield signature(f"{name}.{member}" if inspect.ismethod(function) else f".{member}", function)
        yield prose(function.__doc__)


# Pages.


@cache
def public(module):
    """Return the public names of a module, with their values."""
    found = importlib.import_module(module)
    values = {name: getattr(found, name) for name in found.__all__ if not name.startswith("__")}
    more = {name: getattr(importlib.import_module(where), name) for name, where in MORE.get(module, {}).items()}
    return {**values, **more}


@cache
def owners():
    """Return the module that documents each class: errors have one place, other classes the first that has them."""
    found = {}
    for module in ("lect.errors", *MODULES):
        for value in public(module).values():
            if isinstance(value, type):
                found.setdefault(value, module)
    return found


def kind(value):
    """Return the heading under which a name belongs."""
    if inspect.ismodule(value):
        return "Modules"
    if not isinstance(value, type):
        return "Functions" if inspect.isfunction(value) else "Constants"
    if issubclass(value, Warning):
        return "Warnings"
    return "Errors" if issubclass(value, LectError) else "Classes"


def documentation(module, name, value):
    """Return the docstring of a name; that of a constant is under its assignment."""
    is_constant = kind(value) == "Constants"
    text = notes(tree(home(module, name)).body).get(name) if is_constant else value.__doc__
    assert text, f"{module}.{name} has no docstring"
    return text


def heading(name, value):
    # A class and a function may differ only in the case of the first letter, which anchors ignore.
    return f"class {name}" if isinstance(value, type) else name


def lines_of(module, name, value):
    """Yield what the reference says about a name."""
    yield f"## {heading(name, value)}\n"
    if isinstance(value, type):
        yield from class_lines(name, value)
        return
    if inspect.isfunction(value):
        yield signature(name, value)
    yield prose(documentation(module, name, value))


def link(module, name, value):
    """Return a link to what the reference says about a name."""
    owner = owners().get(value, module) if isinstance(value, type) else module
    page = "" if owner == module else f"{owner}.md"
    return f"[`{name}`]({page}#{heading(name, value).lower().replace(' ', '-')})"


def page(module):
    """Return the page of a module."""
    lines = [f"# {module}\n", prose(importlib.import_module(module).__doc__)]
    details = []
    for title in ("Modules", "Functions", "Classes", "Constants", "Errors", "Warnings"):
        group = {name: value for name, value in public(module).items() if kind(value) == title}
        if not group:
            continue
        lines += [f"| {title.lower()} | |", "|---|---|"]
        for name in sorted(group, key=str.lower):
            value = group[name]
            lines.append(f"| {link(module, name, value)} | {summary(documentation(module, name, value))} |")
            if not isinstance(value, type) or owners()[value] == module:
                details += lines_of(module, name, value)
        lines.append("")
    return "\n".join([*lines, *details]).rstrip("\n") + "\n" + NEXT


def index():
    """Return the page that links to the others."""
    rows = [f"| [`{name}`]({name}.md) | {summary(importlib.import_module(name).__doc__)} |" for name in MODULES]
    toctree = ["```{toctree}", ":hidden:", "", *MODULES, "```", ""]
    return "\n".join([INTRODUCTION, "| module | |", "|---|---|", *rows, "", *toctree])


def pages():
    """Return all pages by path."""
    return {PAGES / "index.md": index(), **{PAGES / f"{name}.md": page(name) for name in MODULES}}


if __name__ == "__main__":
    PAGES.mkdir(exist_ok=True)
    for path, text in pages().items():
        path.write_text(text, "utf-8")
