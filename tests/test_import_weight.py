"""What is imported, and what is not, in an environment with hundreds of distributions."""

import pytest
from sandbox import REPOSITORY

HEAVY = (
    "jinja2",
    "rich",
    "tokenizers",
    "pyarrow",
    "pydantic",
    "importlib_metadata",
    "importlib.metadata",
    "packaging.specifiers",
)
FOR_ERRORS = ("pkgutil", "lect.registry.advice", "lect.registry.verdicts", "lect.tokens")
"""What resolving needs only where it fails."""
FAMILIES, OTHERS = 29, 270
MODULE = "from lect.plugin import CHATML, Family, Rule\nadapter = Family('family{0}', Rule('family {0}', CHATML))\n"


@pytest.fixture(scope="session")
def crowded(sandbox):
    """Thirty families among three hundred distributions; all but Vicuna are written as pip would leave them."""
    environment = sandbox.fresh(REPOSITORY / "plugins/vicuna")
    site = environment.site_packages
    for number in range(FAMILIES + OTHERS):
        name = f"family{number}" if number < FAMILIES else f"other{number}"
        info = site / f"acme_{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: acme-{name}\nVersion: 1.0\n\nA distribution for a test.\n", "utf-8"
        )
        groups = ["lect", "lect.hints"] if number < FAMILIES else ["console_scripts"]
        (info / "entry_points.txt").write_text(
            "".join(f"[{group}]\n{name} = acme_{name}:adapter\n\n" for group in groups), "utf-8"
        )
        (site / f"acme_{name}.py").write_text(MODULE.format(number), "utf-8")
    return environment


def test_importing_lect_imports_nothing_heavy_and_no_plugin(crowded):
    answer = crowded.ask(
        f"answer = [imported(*{HEAVY}, 'lect.registry.packages'), [name for name in sys.modules if name.startswith(('acme_', 'lect_'))]]"
    )
    assert answer == [[], []]


def test_only_the_matching_one_of_thirty_families_is_imported(crowded):
    answer = crowded.ask(f"""
name = lect.get_conversation_template("lmsys/vicuna-7b-v1.5").name
plugins = {{name.partition(".")[0] for name in sys.modules if name.startswith(("acme_", "lect_"))}}
answer = [name, sorted(plugins), imported(*{HEAVY + FOR_ERRORS}), [info.name for info in lect.plugins() if info.status != "lazy"], len(lect.plugins())]
""")
    assert answer == ["vicuna_v1.1", ["lect_vicuna"], [], ["vicuna"], FAMILIES + 1]


def test_a_hint_is_only_a_reason_to_ask_and_never_decides(crowded):
    answer = crowded.ask("""
name = lect.resolve("acme/family17-chat").adapter.name
answer = [name, sorted(name for name in sys.modules if name.startswith("acme_"))]
""")
    assert answer == ["family17", ["acme_family1", "acme_family17"]], "`family1` occurs in the path too"
