"""Distributions that look installed: a directory of metadata and a module, created in no time. Where pip itself
matters, use `sandbox`."""

from lect.registry.discover import distributions
from lect.registry.registry import Registry


def install(
    site,
    dist,
    plugin,
    source,
    *,
    version="0.1.0",
    requires=(),
    hints=(),
    templates=(),
    group="lect",
    replies=(),
    typed=False,
):
    """Put a distribution with one adapter, the object `adapter` of one module, into a directory of `sys.path`.

    Without the name of a plugin it has no adapter. Its `replies` are reply formats: objects of the same names, in
    capitals. If it is `typed`, the module is a package with a py.typed.
    """
    module = dist.replace("-", "_")
    points = {
        group: [plugin] if plugin else (),
        "lect.hints": hints,
        "lect.templates": templates,
        "lect.replies": replies,
    }
    tables = (
        f"[{table}]\n"
        + "".join(f"{name} = {module}:{name.upper() if names is replies else 'adapter'}\n" for name in names)
        for table, names in points.items()
        if names
    )
    info = site / f"{module}-{version}.dist-info"
    info.mkdir()
    (info / "entry_points.txt").write_text("".join(tables), "utf-8")
    needs = "".join(f"Requires-Dist: {each}\n" for each in requires)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {dist}\nVersion: {version}\n{needs}", "utf-8")
    if typed:
        (site / module).mkdir()
        (site / module / "py.typed").touch()
    (site / (f"{module}/__init__.py" if typed else f"{module}.py")).write_text(source, "utf-8")


def registry_of(*dists, environ=None):
    """Return a registry that sees only these of the installed distributions."""
    return Registry(environ or {}, lambda: [found for found in distributions() if found.name in dists])
