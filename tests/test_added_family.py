"""A family is one folder: it is added to a copy of the repository, the makers are run, and nothing else is edited."""

import subprocess
import sys
import textwrap
import tomllib

import pytest
from fresh_copy import fresh_copy
from pages import REPOSITORY

FILES = {
    "pyproject.toml": """
        [project]
        description = "Chat formats for lect: Zorblax 2"

        [project.entry-points]
        lect = { zorblax = "lect_zorblax:adapter" }
        "lect.hints" = { zorblax = "lect_zorblax:adapter" }

        [tool.lect-metadata]
        owners = ["zorblax-ai"]
        sources = "zorblax-ai/Zorblax-2-7B-Chat"
        """,
    "README.md": "# lect-zorblax\n\n`zorblax-2`, with tools.\n",
    "deviations.json": "[]\n",
    "src/lect_zorblax/py.typed": "",
    "src/lect_zorblax/__init__.py": '''
        """Zorblax 2."""

        from lect.plugin import Family, Rule, Turn, TurnTemplate
        from lect.plugin.grammar import JSON_OBJECT, Grammar, ReplyFormat, Section

        __lect_api__ = "~=1.0"

        ACME_CALLS = ReplyFormat(
            Grammar("zorblax_calls", sections=(Section((JSON_OBJECT,), ("<zorblax_call>",), ("</zorblax_call>",)),)),
            stop=("<|zorblax_end|>",),
            names="Zorblax 2",
            example='<zorblax_call>{"name": "get_weather", "arguments": {"city": "Paris"}}</zorblax_call>',
            model_types=("zorblax2",),
        )
        ACME_2 = TurnTemplate(
            "zorblax-2",
            user=Turn("<|zorblax_user|>", "<|zorblax_end|>"),
            assistant=Turn("<|zorblax_bot|>", "<|zorblax_end|>"),
            stop=["<|zorblax_end|>"],
            markers=["<|zorblax_user|>", "<|zorblax_bot|>", "<|zorblax_end|>"],
            reply=ACME_CALLS.grammar,
            source="zorblax-ai/Zorblax-2-7B-Chat, tokenizer_config.json",
        )
        adapter = Family("zorblax", Rule("zorblax 2 * chat", ACME_2))
        ''',
    "tests/test_zorblax.py": '''
        """The conformance kit, run on this family."""

        from lect_kit import AdapterSuite


        class TestZorblax(AdapterSuite):
            plugin = "zorblax"
            goldens = {}
            examples = {"zorblax-ai/Zorblax-2-7B-Chat": "zorblax-2"}
            others = ["zorblaxist-7b"]
        ''',
}
MAKERS = (
    "tests/support/make_metadata.py",
    "tests/support/make_corpus.py",
    "docs/make_gallery.py",
    "docs/make_reply_formats.py",
)
CHECKS = (
    "tests/test_plugin_shape.py",
    "tests/test_folders.py",
    "tests/test_first_prompts.py",
    "tests/test_own_reply_choice.py",
    "tests/test_reply_formats.py",
    "core/tests/test_layers.py",
)
# That recorded replies show a new format is evidence, and no fact that could be generated.
PYTEST = ("-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-k", "not has_a_vector")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Return a function that runs Python in a copy with one family more, as if the packages of the copy were installed."""
    folder = tmp_path_factory.mktemp("added")
    copy, site = fresh_copy(folder), folder / "site"
    for name, text in FILES.items():
        path = copy / "plugins/zorblax" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text).lstrip("\n"), "utf-8")
    sources = [copy / "core/src", *sorted(copy.glob("plugins/*/src")), *sorted(copy.glob("addons/*/src"))]
    places = [site, copy / "tests/support", copy / "docs", *sources]

    def python(*arguments):
        environ = {"PYTHONPATH": ":".join(map(str, places)), "PATH": "", "PYTHONUTF8": "1"}
        done = subprocess.run(
            [sys.executable, *arguments], cwd=copy, env=environ, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{arguments}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"

    python(MAKERS[0])
    install(copy / "plugins/zorblax", site)
    for maker in MAKERS[1:]:
        python(maker)
    return python


def install(project, site):
    """Write the metadata that pip writes for a package."""
    stated = tomllib.loads((project / "pyproject.toml").read_text("utf-8"))["project"]
    info = site / f"{stated['name'].replace('-', '_')}-{stated['version']}.dist-info"
    info.mkdir(parents=True)
    points = stated["entry-points"].items()
    lines = [
        line for group, rows in points for line in (f"[{group}]", *(f"{name} = {each}" for name, each in rows.items()))
    ]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n", "utf-8")
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {stated['name']}\nVersion: {stated['version']}\n", "utf-8"
    )


@pytest.mark.parametrize("check", CHECKS)
def test_a_family_needs_no_edit_outside_its_folder(run, check):
    assert (REPOSITORY / check).is_file()
    run(*PYTEST, check)


def test_the_reply_format_of_a_new_family_is_advised_where_it_is_missing(run):
    code = "from lect_jinja.replies.formats import known_formats; each = known_formats()['zorblax_calls']; assert (each.package, each.model_types) == ('lect-zorblax', ('zorblax2',))"
    run("-c", code)
