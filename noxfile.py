"""Every check is a session: `nox -s quick` runs the checks for a small change, `nox` those for a pull request,
`nox -s stress` runs the audits and all sampled tests in full, `nox -s bench` measures, `nox -s pages` runs the pages
that need torch and others, `nox -s tokens` tries the tokenizers of eight makers, `nox -s site` runs lect in a browser,
`nox -s grpo` and `nox -s data` train a tiny model, `nox -s pack` writes the conformance pack, and `nox -s release`
builds the packages and checks them.

Python and pip are all that is needed, except for `site`, which needs npm.
"""

import os
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from zipfile import ZipFile

import nox

nox.needs_version = ">=2024.4.15"
nox.options.default_venv_backend = "venv"
nox.options.error_on_missing_interpreters = False  # a user who has only one Python still passes
# `tests` checks types too. What the last session skips is on the screen at the end.
nox.options.sessions = ["lint", "tests", "lowest", "plugin_alone", "integrations", "readme", "docs"]

PYTHONS = ["3.11", "3.12", "3.13", "3.14"]
# The folder of every package but core, by its name.
FOLDERS = {
    path.parent.name: path.parent.as_posix()
    for street in ("plugins", "addons")
    for path in sorted(Path(street).glob("*/pyproject.toml"))
}
# Of one plugin, and of its tests.
ARROW = ["pyarrow>=17", "tokenizers>=0.21"]
TEST_TOOLS = [
    "pytest>=8", "pytest-xdist>=3", "hypothesis>=6.100", "jinja2>=3.1.6", "dill>=0.3.8", "cloudpickle>=3",
    "huggingface_hub>=0.30", "llguidance>=1.9", "jsonschema>=4.20",
]  # fmt: skip
SERVERS_AND_CLIENTS = ["fastapi>=0.110", "uvicorn>=0.30", "openai>=1.99", "anthropic>=0.60"]
TOKENIZERS = ["tokenizers>=0.21", "sentencepiece>=0.2.2", "tiktoken>=0.8"]
RENDERERS = ["renderers>=0.1.12,<0.2", "httpx"]  # renderers imports httpx, and does not require it.
TRAINERS = ["torch>=2.6", "trl>=1.16,<2", "transformers>=5.22,<6"]
# A file's tests stay together: many share what they build.
IN_PARALLEL = ["-q", "-n", "auto", "--dist", "loadfile"]
# The plugins whose tests take longest.
LARGE = {"fastchat", "llama", "qwen"}
# The plugins that the tests of every plugin need, and those that some need besides.
NEEDED_BY_ALL = ["kit"]
NEEDED = {
    "data": ["rows", "qwen"], "hub": ["jinja"], "kit": ["jinja"], "paddlenlp": ["jinja"], "view": ["qwen"],
    "sglang": ["apis", "constrain"], "vllm": ["apis", "constrain"],
}  # fmt: skip
BUILD_TOOLS = ["flit_core>=3.11,<5"]
BUILD = """
import os, sys
from flit_core.buildapi import build_wheel
for folder in sys.argv[2:]:
    os.chdir(folder)
    build_wheel(sys.argv[1])
"""
EVERYTHING = ["core", *FOLDERS.values()]


# The tests that are sampled (tests/support/sampling.py), except in `stress`.
SAMPLED = [
    *(f"tests/test_{name}.py" for name in (
        "conversions", "fast_path", "processes", "provenance", "reply_properties", "reply_stages", "reply_text",
        "reply_vectors", "marks", "rollouts", "round_trip", "training", "verify_makers",
    )),
    "plugins/fastchat/tests/test_segments.py", "plugins/jinja/tests/test_isolation.py",
    "plugins/jinja/tests/test_more_filters.py", "plugins/jinja/tests/test_options.py",
    "tests/integrations/test_apis.py", "tests/stress/test_data_sets.py", "tests/stress/test_jinja_origins.py",
    "tests/stress/test_proof_seeds.py",
]  # fmt: skip
# Tests that read the source: versions of Python and dependencies do not matter.
SAME_ALWAYS = ["core/tests/test_layers.py"]
# Writing prompts, resolving names, reading replies and installing packages work alike on every Python, and these tests
# take most of the time.
SAME_EVERYWHERE = [
    *(f"tests/{name}" for name in (
        "test_installed_*.py", "test_wheels.py", "test_nothing_installed.py", "test_tutorial.py", "test_new.py",
        "test_examples.py", "test_names.py", "test_ollama_names.py", "test_docs.py", "test_without_shared.py",
        "test_reply_*.py", "test_round_trip.py", "test_*_hostile.py", "test_provenance.py", "test_fast_path.py",
        "test_jinja_oracles.py", "test_own_templates.py", "test_conversions.py", "test_oracles.py", "test_truth.py",
        "test_stops.py", "test_normalize.py", "test_control_tokens.py", "test_makers_details.py", "test_training*.py",
        "test_marks.py", "test_constraints.py", "test_pack.py",
        "stress",
    )),
    "tests/test_plugin_shape.py", "plugins/fastchat/tests/test_segments.py", *SAME_ALWAYS,
]  # fmt: skip
ENGINES = [f"tests/integrations/test_{name}.py" for name in ("engines", "llama_cpp")]
REAL_TOKENIZERS = [
    f"tests/integrations/test_{name}.py"
    for name in (
        "tokens_real",
        "tokenizers",
        "masks_transformers",
        "apply_chat_template",
        "rollouts_real",
        "response_template",
    )
]
BROWSER = ["tests/browser/test_site.py", "tests/browser/test_views.py"]
NODE_PACKAGES = ["pyodide@>=0.29", "axe-core@^4.10"]
NO_TESTS = 5
"""What pytest returns where all tests are skipped at once."""
TESTED = []
"""The Pythons on which tests have run."""
# Each package is built once in a run, however many sessions install it.
WHEELS = tempfile.TemporaryDirectory(prefix="lect-wheels-")


def install(session, *folders):
    """Install packages of this repository as users get them; core and the kit with their dependencies."""
    if listed := [each for folder in ("core", FOLDERS["kit"]) if folder in folders for each in dependencies(folder)]:
        session.install(*listed)
    build(session, *folders)
    session.install("--no-deps", "--no-index", *(str(wheel(folder)) for folder in folders))


def dependencies(folder):
    """Return what a package needs besides packages of this repository."""
    listed = tomllib.loads(Path(folder, "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    return [each for each in listed if not each.startswith("lect")]


def build(session, *folders):
    """Build the packages of this repository that are not built yet."""
    missing = [str(Path(folder).resolve()) for folder in folders if not wheel(folder)]
    if missing:
        # One process of the build backend makes them all, in a tenth of the time that pip would take.
        session.install(*BUILD_TOOLS)
        session.log(f"Building {len(missing)} wheels")
        session.run("python", "-c", BUILD, WHEELS.name, *missing, silent=True, log=False)


def wheel(folder):
    """Return the wheel of a package of this repository; None if it is not built yet."""
    name = "lect" if folder == "core" else f"lect_{Path(folder).name}"
    return next(Path(WHEELS.name).glob(f"{name}-*.whl"), None)


def needed(name):
    """Return the folders of the plugins that a plugin's tests need, itself included."""
    return [FOLDERS[each] for each in dict.fromkeys([*NEEDED_BY_ALL, *NEEDED.get(name, ()), name])]


@nox.session(reuse_venv=True)
def quick(session):
    """Check style, core and one family, or the family that is named, in a minute."""
    (name,) = session.posargs or ["zephyr"]
    session.install("ruff", *TEST_TOOLS, *BUILD_TOOLS, *dependencies("core"))
    folders = [f"--editable=./{folder}" for folder in ("core", *needed(name))]
    session.install("--no-build-isolation", "--no-deps", *folders)
    check_style(session)
    elsewhere = [f"--ignore={path}" for path in SAME_ALWAYS]
    session.run("pytest", *IN_PARALLEL, *elsewhere, "core/tests", f"{FOLDERS[name]}/tests")


@nox.session
def lint(session):
    """Check style and format."""
    session.install("ruff")
    check_style(session)


def check_style(session):
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")


@nox.session
def types(session):
    """Check types, strictly."""
    session.install("mypy", *TEST_TOOLS, *ARROW)
    install(session, *EVERYTHING)
    check_types(session)


def check_types(session):
    sources = (*(f"{folder}/src" for folder in EVERYTHING), *map(str, Path().glob("examples/*/src")))
    session.run("mypy", *sources, silent=True)


@nox.session(python=PYTHONS)
def tests(session):
    """Test all packages together on the first Python that is found, while mypy checks their types, and on the others
    only what depends on the version.

    The plugins' own tests are left to `plugin_alone`, where nothing else is installed, except for those of Jinja, which
    compiles templates to Python code.
    """
    session.install("mypy", *TEST_TOOLS, *ARROW)
    install(session, *EVERYTHING)
    elsewhere = [f"tests/{name}" for name in ("readme", "integrations", "release", "browser")]
    folders = ["core/tests", "tests"]
    if TESTED:
        elsewhere += [str(path) for pattern in SAME_EVERYWHERE for path in sorted(Path().glob(pattern))]
        folders.append("plugins/jinja")
    pytest = ["pytest", *IN_PARALLEL, *(f"--ignore={path}" for path in elsewhere), *(session.posargs or folders)]
    with ThreadPoolExecutor() as beside:
        types = None if session.posargs or TESTED else beside.submit(check_types, session)
        TESTED.append(session.python)
        session.run(*pytest)
        if types:
            types.result()


@nox.session
def stress(session):
    """Run the audits in full: every field, wrong value, cut marker and kind of growth; and all that is sampled
    elsewhere. It takes hours."""
    session.install(*TEST_TOOLS, *ARROW, *SERVERS_AND_CLIENTS)
    install(session, *EVERYTHING)
    run = ("pytest", "-q", "-n", "auto", *(session.posargs or ["tests/stress", *SAMPLED]))
    session.run(*run, env={"LECT_STRESS": "1"})


@nox.session
def lowest(session):
    """Test core with no family installed, and with the lowest versions of its dependencies.

    Every other session has the newest.
    """
    session.install(*TEST_TOOLS, *(each.replace(">=", "==") for each in dependencies("core")))
    install(session, "core")
    session.run("pytest", *IN_PARALLEL, *(f"--ignore={path}" for path in SAME_ALWAYS), "core/tests", *session.posargs)


@nox.session
def plugin_alone(session):
    """Test each plugin with only core and the kit installed, as many at a time as there are cores. Name some to test
    only those."""
    session.install(*TEST_TOOLS, *ARROW)
    install(session, "core")
    names = session.posargs or sorted(FOLDERS, key=lambda name: name not in LARGE)
    build(session, *{folder for name in names for folder in needed(name)})
    with ThreadPoolExecutor(os.cpu_count()) as workers:
        list(workers.map(partial(test_alone, session), names))


def test_alone(session, name):
    """Test a plugin that is unpacked in its own folder."""
    with tempfile.TemporaryDirectory() as place:
        for folder in needed(name):
            ZipFile(wheel(folder)).extractall(place)
        # Plugins of pytest, which are not needed here, would take half of the time.
        env = {"PYTHONPATH": place, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        session.run("pytest", "-q", f"{FOLDERS[name]}/tests", env=env, silent=True)


@nox.session
def integrations(session):
    """Test with packages that people use lect with, and that are too large for every session."""
    session.install("pytest>=8", "pytest-xdist>=3", "hypothesis>=6.100")
    session.install("datasets>=3", *SERVERS_AND_CLIENTS, *TOKENIZERS)
    install(session, *EVERYTHING)
    elsewhere = [f"--ignore={path}" for path in (*REAL_TOKENIZERS, *ENGINES)]
    session.run("pytest", "-q", "-n", "auto", *elsewhere, "tests/integrations", *session.posargs)


@nox.session
def pages(session):
    """Run every page whose examples need more than lect, with exactly the packages that it names, in a quarter of an
    hour.

    As in `engines`, PIP_CONSTRAINT may choose a torch without CUDA.
    """
    session.install("pytest>=8", "jinja2>=3.1.6", "datasets>=3", "ray[data]>=2.40", "xgrammar>=0.2.8", *TRAINERS)
    session.install(*SERVERS_AND_CLIENTS, *TOKENIZERS, *RENDERERS)
    install(session, *EVERYTHING)
    page_tests = "tests/integrations/test_heavy_pages.py"
    session.run("pytest", "-q", page_tests, *session.posargs, env={"LECT_PAGES": "1"})


@nox.session
def tokens(session):
    """Test ids and masks with the tokenizers of eight makers, and beside transformers, in a quarter of an hour."""
    session.install("pytest>=8", "pytest-xdist>=3", "hypothesis>=6.100", "jinja2>=3.1.6", "datasets>=3")
    session.install("transformers>=5.22,<6", *TOKENIZERS, *RENDERERS)
    install(session, *EVERYTHING)
    session.run("pytest", "-q", "-n", "auto", *REAL_TOKENIZERS, *session.posargs)


@nox.session
def engines(session):
    """Test constraints in the engines that people serve with: xgrammar, llguidance, llama.cpp, in half an hour.

    xgrammar requires torch, which takes gigabytes, and a tenth of them without CUDA: PIP_CONSTRAINT may choose such a
    build.
    """
    session.install(*TEST_TOOLS, "tokenizers>=0.21", "xgrammar>=0.2.8", "xllamacpp")
    install(session, *EVERYTHING)
    files = ["tests/test_constraints.py", *ENGINES]
    session.run("pytest", "-q", "-n", "auto", *files, *session.posargs, env={"LECT_ENGINES": "1"})


@nox.session
def vllm(session):
    """Test the parsers of lect-vllm in vLLM itself, without a GPU. It takes gigabytes, as `engines` does."""
    test_server(session, "vllm", "vllm>=0.32,<0.33")


@nox.session
def sglang(session):
    """Test the parsers of lect-sglang in SGLang itself, without a GPU. It takes gigabytes, as `engines` does."""
    test_server(session, "sglang", "sglang>=0.5.23,<0.6")


def test_server(session, name, package):
    session.install("pytest>=8", package)
    # Their builds do not go with a torch without CUDA, which PIP_CONSTRAINT may choose; parsers need neither.
    session.run("pip", "uninstall", "--yes", "torchvision", "torchaudio", "torchcodec", silent=True)
    install(session, *EVERYTHING)
    session.run("pytest", "-q", f"tests/integrations/test_{name}.py", *session.posargs)


@nox.session
def hosts(session):
    """Run the recipes for LangChain, LiteLLM, lm-evaluation-harness and Inspect in these tools themselves."""
    session.install("pytest>=8", "langchain-core", "litellm", "lm-eval", "inspect-ai")
    install(session, "core", *needed("qwen"))
    session.run("pytest", "-q", "tests/integrations/test_hosts.py", *session.posargs)


@nox.session
def grpo(session):
    """Train a tiny random model by the example of GRPO with a tool, and by rows that TRL takes as they are.

    torch takes gigabytes, and a tenth of them without CUDA: PIP_CONSTRAINT may choose such a build.
    """
    session.install("pytest>=8", *TRAINERS)
    install(session, "core", *needed("qwen"), "plugins/jinja", "addons/rollout")
    files = [f"tests/integrations/test_{name}.py" for name in ("grpo", "sft_trl", "peers")]
    session.run("pytest", "-q", *files, *session.posargs)


@nox.session
def data(session):
    """Format data sets on a local Ray of several workers and by `datasets`, and train a tiny model on the results.

    As in `grpo`, PIP_CONSTRAINT may choose a torch without CUDA.
    """
    session.install("pytest>=8", *TRAINERS, "datasets>=3", "ray[data]>=2.40", "rich")
    install(session, "core", *needed("data"), "plugins/jinja")
    files = [f"tests/integrations/test_data_{name}.py" for name in ("ray", "trainers")]
    files.append("addons/data/tests/test_dataset.py")
    session.run("pytest", "-q", *files, *session.posargs)


@nox.session
def docs(session):
    """Build the documentation, where a warning is an error, and look at it in Chromium, if there is one.

    Its examples are run by the tests.
    """
    session.install("-r", "docs/requirements.txt", "pytest>=8", *ARROW)
    install(session, *EVERYTHING)
    session.run("sphinx-build", "-W", "-q", "-j", "auto", "-b", "html", "docs", "docs/_build/html")
    session.run("pytest", "-q", "tests/browser", success_codes=[0, NO_TESTS])


@nox.session
def site(session):
    """Look at the page that runs lect, and at all views, in Chromium and with axe-core: npm is needed."""
    folder = session.create_tmp()
    session.run("npm", "install", "--no-save", "--prefix", folder, *NODE_PACKAGES, external=True)
    modules = {"LECT_NODE_MODULES": f"{folder}/node_modules"}
    session.install("pytest>=8", "jinja2>=3.1.6")
    install(session, *EVERYTHING)
    session.run("pytest", "-q", *BROWSER, *session.posargs, env=modules)


@nox.session
def readme(session):
    """Run the README's first command as a new user would, in a fresh copy of the repository."""
    session.install("pytest>=8")
    session.run("pytest", "tests/readme")


@nox.session
def release(session):
    """Build every sdist and wheel into dist/, check them, and install from them alone. Nothing is uploaded."""
    session.install("pytest>=8", "twine>=6.1", "trove-classifiers", *BUILD_TOOLS)
    session.run("python", "tests/release/build.py", "dist")
    session.run("twine", "check", "--strict", "dist/*")
    session.run("pytest", "-q", "tests/release", *session.posargs, env={"LECT_DIST": str(Path("dist").resolve())})


@nox.session
def pack(session):
    """Write the conformance pack into dist/, or into the folder that is named: lect-conformance-<version>.zip."""
    install(session, *EVERYTHING)
    session.install(*TEST_TOOLS)
    session.run("python", "tests/support/make_pack.py", *(session.posargs or ["dist"]))


@nox.session
def bench(session):
    """Measure speed beside the peers, as ratios in one run."""
    # Without dependencies: FastChat would bring in a web server and torch, and needs neither to write a prompt.
    session.install("--no-deps", "-r", "bench/requirements.txt")
    session.install("transformers>=5.22,<6", "datasets>=3", *ARROW)
    install(session, *EVERYTHING)
    session.run("python", "bench/run.py", *session.posargs)
