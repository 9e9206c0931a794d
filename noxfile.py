"""Every check is a session: `nox -s quick` runs the checks for a small change, `nox` those for a pull request, and
`nox -s full` what `nox` leaves out, as CI does after it: other Pythons, the lowest dependencies, every package alone,
every template of the makers, the documentation in a browser.

`nox -s stress` runs the audits and all sampled tests in full, `nox -s bench` measures, `nox -s pages` runs the pages
that need torch and others, `nox -s tokens` tries the tokenizers of eight makers, `nox -s site` runs lect in a browser,
`nox -s grpo` and `nox -s data` train a tiny model, `nox -s media` runs the makers' processors of images, `nox -s pack`
writes the conformance pack, `nox -s release` builds the packages and checks them, and `nox -s wheelhouse` gathers a
folder from which they are installed without a network.

Python and pip are all that is needed, except for `site`, which needs npm. uv installs faster, and is used where it can.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from zipfile import ZipFile

import nox

sys.path.append("tests/support")
from sampling import ROTATING, SEED


def uv_can_install():
    """Return whether uv is installed, reaches an index, and would install what pip does.

    It does not read the settings of pip, such as an index or PIP_CONSTRAINT.
    """
    if not shutil.which("uv"):
        return False
    run = partial(subprocess.run, capture_output=True, text=True, check=False)
    if run([sys.executable, "-m", "pip", "config", "list"]).stdout.strip():
        return False
    return run(["uv", "pip", "compile", "--quiet", "-"], input="flit_core").returncode == 0


nox.needs_version = ">=2024.4.15"
nox.options.default_venv_backend = "uv|venv" if uv_can_install() else "venv"
nox.options.error_on_missing_interpreters = False  # a user who has only one Python still passes
nox.options.sessions = ["tests"]

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
    "huggingface_hub>=0.30", "llguidance>=1.9", "jsonschema>=4.20", "pip",
]  # fmt: skip
SERVERS_AND_CLIENTS = ["fastapi>=0.110", "uvicorn>=0.30", "openai>=1.99", "anthropic>=0.60"]
TOKENIZERS = ["tokenizers>=0.21", "sentencepiece>=0.2.2", "tiktoken>=0.8"]
RENDERERS = ["renderers>=0.1.12,<0.2", "httpx"]  # renderers imports httpx, and does not require it.
TRAINERS = ["torch>=2.6", "trl>=1.16,<2", "transformers>=5.22,<6"]
# A file's tests stay together: many share what they build. conftest.py says which files begin.
IN_PARALLEL = ["-q", "-n", "auto", "--dist", "loadfile", "--no-loadscope-reorder"]
# What the tests of every package need besides core, and what those of some need besides what the packages do.
NEEDED_BY_ALL = ["kit"]
NEEDED = {
    "data": ["gemma", "media", "mistral", "pretrained", "qwen"],
    "kit": ["jinja"],
    "rollout": ["media"],
    "view": ["media", "qwen"],
    **{key: ["convert"] for key in ("fastchat", "jinja", "ollama", "paddlenlp")},
}
BUILD_TOOLS = ["flit_core>=3.11,<5"]
BUILD = """
import os, sys
from flit_core.buildapi import build_wheel
for folder in sys.argv[2:]:
    os.chdir(folder)
    build_wheel(sys.argv[1])
"""
EVERYTHING = ["core", *FOLDERS.values()]


# What only `stress` runs: how work grows with a conversation, and wheels that are broken in every way we know.
ONLY_STRESS = [f"tests/stress/test_{name}.py" for name in ("broken_wheels", "growth")]
# What `full` runs, and `nox` does not.
TAKES_LONG = (
    "added_family", "columns", "constraint_values", "constraints", "dataset_served", "examples", "fit_properties",
    "fits", "hanging_templates", "hostile_names", "installed_claims", "installed_faults", "installed_formats",
    "installed_parity", "installed_settings", "jinja_oracles", "new", "nothing_installed", "pack", "read_back",
    "tutorial", "verify_makers", "wheels", "without_shared",
)  # fmt: skip
ONLY_FULL = [
    *(f"tests/test_{name}.py" for name in TAKES_LONG),
    *(f"plugins/jinja/tests/test_{name}.py" for name in ("charges", "verify", "verify_server")),
    "addons/view/tests/test_site_tokenizer.py",
    *(f"tests/stress/test_{name}.py" for name in ("data_sets", "guarded_templates", "memory", "memory_of_paths")),
    "tests/integrations",
]
# Tests that read the source: versions of Python and dependencies do not matter.
SAME_ALWAYS = ["core/tests/test_layers.py"]
# What depends on the version of Python: core, the code that templates are compiled to, the command line, processes and
# what is imported. Writing prompts, resolving names, reading replies and installing packages work alike on all.
ON_EVERY_PYTHON = [
    "core/tests",
    "plugins/jinja/tests",
    *(f"tests/test_{name}.py" for name in ("cli_installed", "hanging_templates", "import_weight", "processes")),
]
GUARDED = [f"plugins/jinja/tests/test_{name}.py" for name in ("charges", "guard")]
ENGINES = [f"tests/integrations/test_{name}.py" for name in ("engines", "llama_cpp", "serve_llama_cpp")]
REAL_TOKENIZERS = [
    f"tests/integrations/test_{name}.py"
    for name in (
        "tokens_real",
        "tokenizers",
        "masks_transformers",
        "apply_chat_template",
        "directories",
        "nulls",
        "rollouts_real",
        "response_template",
    )
]
# What has a session of its own.
ELSEWHERE = [
    *(f"tests/{name}" for name in ("release", "browser", "integrations/agents")),
    *ENGINES,
    *REAL_TOKENIZERS,
    *ONLY_STRESS,
]
BROWSER = ["tests/browser/test_site.py", "tests/browser/test_views.py"]
NODE_PACKAGES = ["pyodide@>=0.29", "axe-core@^4.10"]
# Coding agents change weekly; LECT_NEWEST=1 tries the newest.
AGENTS = {
    "@anthropic-ai/claude-code": "2.1.197",
    "@openai/codex": "0.169.0",
    "opencode-ai": "1.18.18",
    "@qwen-code/qwen-code": "0.15.10",
}
NO_TESTS = 5
"""What pytest returns where all tests are skipped at once."""
# Each package is built once in a run, however many sessions install it.
WHEELS = tempfile.TemporaryDirectory(prefix="lect-wheels-")


def install(session, *folders):
    """Install packages of this repository as users get them; core and the kit with their dependencies."""
    if listed := [each for folder in ("core", FOLDERS["kit"]) if folder in folders for each in dependencies(folder)]:
        session.install(*listed)
    build(session, *folders)
    session.install("--no-deps", "--no-index", *(str(wheel(folder)) for folder in folders))


def stated(folder):
    """Return what a package states that it needs."""
    return tomllib.loads(Path(folder, "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]


def dependencies(folder):
    """Return what a package needs besides packages of this repository."""
    return [each for each in stated(folder) if not each.startswith("lect")]


def with_needed(*names):
    """Return the folders of packages, each after those that it needs."""
    found = {}
    for name in names:
        needed = (re.match(r"lect-(\w+)", each) for each in stated(FOLDERS[name]))
        found |= dict.fromkeys([*with_needed(*(each[1] for each in needed if each)), FOLDERS[name]])
    return list(found)


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
    """Return the folders of the packages that the tests of one need, itself included."""
    return with_needed(*NEEDED_BY_ALL, *NEEDED.get(name, ()), name)


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
    prepare(session)
    check_types(session)


def check_types(session):
    sources = (*(f"{folder}/src" for folder in EVERYTHING), *map(str, Path().glob("examples/*/src")))
    session.run("mypy", *sources, silent=True)


def prepare(session, *more):
    """Install everything, and what the tests and types need."""
    session.install("mypy", *TEST_TOOLS, *ARROW, *dependencies(FOLDERS["serve"]), *more)
    install(session, *EVERYTHING)


def run_tests(session, *files, leave, **env):
    """Run tests on all cores, without some files."""
    session.run("pytest", *IN_PARALLEL, *(f"--ignore={path}" for path in leave), *files, env=env)


@nox.session
def tests(session):
    """Check style, then test all packages in one environment, while mypy checks their types. Name files to test only
    those."""
    prepare(session, "ruff", *SERVERS_AND_CLIENTS)
    if session.posargs:
        session.run("pytest", *IN_PARALLEL, *session.posargs)
        return
    check_style(session)
    with ThreadPoolExecutor() as beside:
        types = beside.submit(check_types, session)
        run_tests(session, "core/tests", "plugins", "addons", "tests", leave=[*ELSEWHERE, *ONLY_FULL])
        types.result()


@nox.session
def full(session):
    """Run what `nox` leaves out: all that rotates with the commit, integrations, documentation, and then other Pythons,
    the lowest dependencies and every package alone. CI runs it after `nox`. Name files to test only those.

    With LECT_FULL=8 at least one in eight is tried of what rotates.
    """
    part = str(ROTATING or 1)
    integrated = ["datasets>=3", *SERVERS_AND_CLIENTS, *TOKENIZERS]
    prepare(session, "-r", "docs/requirements.txt", *integrated)
    if session.posargs:
        session.run("pytest", *IN_PARALLEL, *session.posargs, env={"LECT_FULL": part})
        return
    for name in (*(f"versions-{python}" for python in PYTHONS), "lowest", "alone"):
        session.notify(name)
    run_tests(session, *sampled("in_turn|FULL"), *ONLY_FULL, leave=ELSEWHERE, LECT_FULL=part)
    build_docs(session)


@nox.session(python=PYTHONS)
def versions(session):
    """Test what depends on the version of Python, on every one but that of `tests`: half of the files, which rotate
    with the commit, so that two Pythons have them all; with LECT_FULL=1 every one."""
    if session.python == "{}.{}".format(*sys.version_info):
        session.skip("`nox -s tests` has this Python")
    session.install(*TEST_TOOLS, *ARROW)
    install(session, *EVERYTHING)
    run_tests(session, *(session.posargs or on_every_python(session.python)), leave=SAME_ALWAYS)


def on_every_python(python):
    """Return the files of tests that are run on a version of Python besides that of `tests`."""
    files = sorted(path for place in map(Path, ON_EVERY_PYTHON) for path in [place, *place.rglob("test_*.py")])
    files = [str(path) for path in files if path.is_file() and str(path) not in SAME_ALWAYS]
    first = PYTHONS.index(python) + sum(SEED.encode())
    return files if ROTATING == 1 else files[first % 2 :: 2]


@nox.session
def stress(session):
    """Run the audits in full: every field, wrong value, cut marker and kind of growth; and all that is sampled
    elsewhere. It takes hours."""
    prepare(session, *SERVERS_AND_CLIENTS)
    if not session.posargs:
        for python in PYTHONS:
            session.notify(f"guarded-{python}")
    run = ("pytest", "-q", "-n", "auto", *(session.posargs or ["tests/stress", *sampled()]))
    session.run(*run, env={"LECT_STRESS": "1"})


@nox.session(python=PYTHONS)
def guarded(session):
    """Measure every operation of a guarded template, and try all hostile ones, on every Python."""
    session.install(*TEST_TOOLS, *ARROW)
    install(session, *EVERYTHING)
    session.run("pytest", "-q", "-n", "auto", *(session.posargs or GUARDED), env={"LECT_STRESS": "1"})


def sampled(names=r"\w+"):
    """Return the files of tests that try some of their cases: those with properties, and those that choose them by
    tests/support/sampling.py, or by certain of its names."""
    found = (path for place in ("core", "plugins", "addons", "tests") for path in Path(place).rglob("test_*.py"))
    choosing = re.compile(rf"^from (?:hypothesis import|sampling import .*\b(?:{names})\b)", re.MULTILINE)
    return sorted(str(path) for path in found if choosing.search(path.read_text("utf-8")))


@nox.session
def lowest(session):
    """Test core with no family installed, and with the lowest versions of its dependencies.

    Every other session has the newest.
    """
    session.install(*TEST_TOOLS, *(each.replace(">=", "==") for each in dependencies("core")))
    install(session, "core")
    run_tests(session, "core/tests", *session.posargs, leave=SAME_ALWAYS)


@nox.session
def alone(session):
    """Import each package and write prompts with its templates where only core and what it needs are installed. Name
    some to try only those."""
    names = session.posargs or list(FOLDERS)
    session.install(*{each for name in names for folder in with_needed(name) for each in dependencies(folder)})
    install(session, "core")
    build(session, *with_needed(*names))
    with ThreadPoolExecutor(os.cpu_count()) as workers:
        list(workers.map(partial(try_alone, session), names))


def try_alone(session, name):
    """Try a package that is unpacked, with those that it needs, in a folder of its own."""
    with tempfile.TemporaryDirectory() as place:
        for folder in with_needed(name):
            ZipFile(wheel(folder)).extractall(place)
        session.run("python", "tests/support/try_package.py", name, env={"PYTHONPATH": place}, silent=True)


@nox.session
def pages(session):
    """Run every page whose examples need more than lect, with exactly the packages that it names, in a quarter of an
    hour.

    As in `engines`, PIP_CONSTRAINT may choose a torch without CUDA.
    """
    session.install("pytest>=8", "jinja2>=3.1.6", "datasets>=3", "ray[data,serve]>=2.40", "xgrammar>=0.2.8", *TRAINERS)
    session.install(*SERVERS_AND_CLIENTS, *TOKENIZERS, *RENDERERS)
    install(session, *EVERYTHING)
    page_tests = "tests/integrations/test_heavy_pages.py"
    session.run("pytest", "-q", page_tests, *session.posargs, env={"LECT_PAGES": "1"})


@nox.session
def tokens(session):
    """Test ids and masks with the tokenizers of eight makers, and beside transformers, in a quarter of an hour."""
    session.install("pytest>=8", "pytest-xdist>=3", "hypothesis>=6.100", "jinja2>=3.1.6", "datasets>=3")
    session.install("transformers>=5.23,<6", *TOKENIZERS, *RENDERERS)
    install(session, *EVERYTHING)
    session.run("pytest", "-q", "-n", "auto", *REAL_TOKENIZERS, *session.posargs)


@nox.session
def media(session):
    """Compare ids of conversations with images with those of the makers' own processors, in ten minutes.

    torch takes gigabytes, and a tenth of them without CUDA: PIP_CONSTRAINT may choose such a build, of torchvision too.
    """
    session.install("pytest>=8", "jinja2>=3.1.6", "torch>=2.6", "torchvision", "transformers>=5.23,<6", "pillow>=10")
    session.install(*TOKENIZERS)
    install(session, *EVERYTHING)
    session.run("pytest", "-q", "tests/integrations/test_media_processors.py", *session.posargs)


@nox.session
def engines(session):
    """Test constraints in the engines that people serve with: xgrammar, llguidance, llama.cpp, in half an hour; and
    lect-serve over llama.cpp.

    xgrammar requires torch, which takes gigabytes, and a tenth of them without CUDA: PIP_CONSTRAINT may choose such a
    build.
    """
    session.install(*TEST_TOOLS, *dependencies(FOLDERS["serve"]), "xgrammar>=0.2.8", "xllamacpp")
    install(session, *EVERYTHING)
    files = ["tests/test_constraints.py", "tests/test_constraint_values.py", *ENGINES]
    session.run("pytest", "-q", "-n", "auto", *files, *session.posargs, env={"LECT_ENGINES": "1"})


@nox.session(venv_backend="venv")  # It needs pip.
def vllm(session):
    """Test the parsers of lect-vllm in vLLM itself, without a GPU. It takes gigabytes, as `engines` does."""
    test_server(session, "vllm", "vllm>=0.32,<0.33")


@nox.session(venv_backend="venv")  # It needs pip.
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
def makers(session):
    """Compare formats with the packages with which their makers write prompts, on thousands of random conversations.

    As in `grpo`, PIP_CONSTRAINT may choose a torch without CUDA. Of SGLang, one file is read.
    """
    session.install("pytest>=8", "hypothesis", "jinja2>=3.1.6", "torch>=2.6", "numpy")
    session.install("deepseek-recipe==0.2.0", "tml-renderers==0.2.1")
    session.install("--no-deps", "sglang==0.5.23")
    install(session, "core", *needed("kit"), "plugins/deepseek", "plugins/chatglm", "plugins/inkling")
    session.run("pytest", "-q", "tests/integrations/test_makers.py", *session.posargs)


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
    session.install("pytest>=8", *TRAINERS, "datasets>=3", "ray[data]>=2.40")
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
    build_docs(session)


def build_docs(session):
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
def agents(session):
    """Let coding agents finish a task over `lect serve` and a scripted model, in a quarter of an hour: npm is needed.

    Claude Code, Codex, opencode, Qwen Code, and OpenAI's agents SDK.
    """
    folder = session.create_tmp()
    newest = bool(os.environ.get("LECT_NEWEST"))
    packages = [f"{name}@{'latest' if newest else version}" for name, version in AGENTS.items()]
    session.run("npm", "install", "--no-save", "--prefix", folder, *packages, external=True)
    session.install(*TEST_TOOLS, *dependencies(FOLDERS["serve"]), "openai-agents>=0.24,<0.25")
    install(session, *EVERYTHING)
    modules = {"LECT_NODE_MODULES": f"{folder}/node_modules"}
    session.run("pytest", "-q", *(session.posargs or ["tests/integrations/agents"]), env=modules)


@nox.session
def readme(session):
    """Run the README's commands as a new user would, in a fresh copy of the repository."""
    session.install("pytest>=8")
    session.run("pytest", "tests/readme")


@nox.session
def release(session):
    """Build every sdist and wheel into dist/, check them, and install from them alone. Nothing is uploaded."""
    session.install("pytest>=8", "twine>=6.1", "trove-classifiers", *BUILD_TOOLS)
    session.run("python", "tests/release/build.py", "dist")
    session.run("twine", "check", "--strict", "dist/*")
    session.run("pytest", "-q", "tests/release", *session.posargs, env={"LECT_DIST": str(Path("dist").resolve())})


@nox.session(venv_backend="venv")  # It needs pip.
def wheelhouse(session):
    """Gather all wheels, ours and those that they need, into wheelhouse/, or into the folder that is named, and install
    from it without an index. Options of `pip download` after the folder choose another platform or Python."""
    folder, *options = session.posargs or ["wheelhouse"]
    session.install("pytest>=8", "packaging>=23")
    build(session, *EVERYTHING)
    session.run("python", "tests/support/wheelhouse.py", WHEELS.name, folder, *options)
    made = {"LECT_WHEELHOUSE": str(Path(folder).resolve()), "LECT_WHEELHOUSE_OPTIONS": " ".join(options)}
    session.run("pytest", "-q", "tests/release/test_offline.py", env=made)


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
    session.install("transformers>=5.22,<6", "datasets>=3", *ARROW, *dependencies(FOLDERS["serve"]))
    install(session, *EVERYTHING)
    session.run("python", "bench/run.py", *session.posargs)
