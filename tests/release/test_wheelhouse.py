"""What is uploaded can be installed: from the wheels and their dependencies alone, in a fresh environment."""

import json
import tomllib

import pytest
from sandbox import CORE_NEEDS, REPOSITORY, Environment, run
from wheelhouse import gather, requirements, versions

PROJECT = tomllib.loads((REPOSITORY / "core/pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
# All but the tools, which those who only write prompts do not need.
PLUGINS = [name.removeprefix("lect-") for name in EXTRAS["all"]]
CHATML = "<|im_start|>user\nHello!<|im_end|>\n<|im_start|>assistant\n"
QWEN = "<|im_start|>system\nYou are Qwen, created by Alibaba Cloud. You are a helpful assistant.<|im_end|>\n" + CHATML
VICUNA = (
    "A chat between a curious user and an artificial intelligence assistant. The assistant gives helpful, detailed, "
    "and polite answers to the user's questions. USER: Hello! ASSISTANT:"
)
INSTALLS = {
    "lect": ([], ["some/model", "--adapter", "chatml"], CHATML),
    "lect[qwen,llama]": (["qwen", "llama"], ["Qwen/Qwen2.5-7B-Instruct"], QWEN),
    "lect[all]": (PLUGINS, ["lmsys/vicuna-7b-v1.5"], VICUNA),
    "lect[testing]": (["kit"], ["some/model", "--adapter", "chatml"], CHATML),
    "lect[data]": (["data", "rows"], ["some/model", "--adapter", "chatml"], CHATML),
    "lect[apis]": (["apis"], ["some/model", "--adapter", "chatml"], CHATML),
    "lect[completion]": (["completion"], ["some/model", "--adapter", "chatml"], CHATML),
    "lect[constrain]": (["constrain"], ["some/model", "--adapter", "chatml"], CHATML),
    "lect[convert]": (["convert"], ["some/model", "--adapter", "chatml"], CHATML),
    "lect[explain]": (["explain", "apis", "tokens"], ["some/model", "--adapter", "chatml"], CHATML),
    "lect[fit]": (["fit"], ["some/model", "--adapter", "chatml"], CHATML),
    "lect[rollout]": (["rollout"], ["some/model", "--adapter", "chatml"], CHATML),
    "lect[vllm]": (["vllm", "apis", "constrain"], ["some/model", "--adapter", "chatml"], CHATML),
    "lect[view]": (["view"], ["some/model", "--adapter", "chatml"], CHATML),
    "lect[hub]": (["hub", "jinja"], ["some/model", "--adapter", "chatml"], CHATML),
    "lect[sglang]": (["sglang", "apis", "constrain"], ["some/model", "--adapter", "chatml"], CHATML),
    "lect[rows]": (["rows"], ["some/model", "--adapter", "chatml"], CHATML),
    "lect-vicuna": (["vicuna"], ["lmsys/vicuna-7b-v1.5"], VICUNA),
}
"""What is installed, the plugins that this brings, and a prompt that it can write."""
NEEDED = {"data": ["pyarrow"], "hub": ["huggingface_hub"], "jinja": ["jinja2"], "kit": ["pytest", "hypothesis"]}
"""What plugins need besides core."""


@pytest.fixture(scope="module")
def wheelhouse(dist, tmp_path_factory):
    """A folder with our wheels, and those of everything that they need."""
    folder = tmp_path_factory.mktemp("wheelhouse")
    gather(dist, folder)
    return folder


def test_our_packages_need_no_package_of_ours_that_is_not_uploaded(dist):
    ours = {needed.name for needed in requirements(dist) if needed.name.startswith("lect")}
    assert ours <= versions(dist).keys()


def test_all_extras_together_are_every_package_in_one_version(dist, wheelhouse, tmp_path):
    environment, report = Environment.new(tmp_path / "environment"), tmp_path / "report.json"
    wanted = f"lect[{','.join(EXTRAS)}]"
    environment.pip(
        "install", "--quiet", "--dry-run", "--no-index", "--find-links", wheelhouse, "--report", report, wanted
    )
    chosen = [each["metadata"] for each in json.loads(report.read_text("utf-8"))["install"]]
    assert {each["name"]: each["version"] for each in chosen if each["name"].startswith("lect")} == versions(dist)


@pytest.mark.parametrize("wanted", INSTALLS)
def test_an_install_from_the_wheelhouse_alone_works(wheelhouse, tmp_path, wanted):
    plugins, model, prompt = INSTALLS[wanted]
    environment = Environment.new(tmp_path / "environment")
    environment.pip("install", "--quiet", "--no-index", "--find-links", wheelhouse, wanted)
    others = [each for name in plugins for each in NEEDED.get(name, ())]
    ours = ["lect", *(f"lect-{name}" for name in plugins)]
    assert environment.distributions() == sorted({*ours, *environment.with_needs(*CORE_NEEDS, *others)})
    lect = environment.bin / "lect"
    assert run([lect, "prompt", *model, "Hello!"], cwd=tmp_path).stdout.removesuffix("\n") == prompt.removesuffix("\n")
    explained = run([lect, "why", *model], cwd=tmp_path).stdout
    assert explained.startswith(f"{model[0]}\n  adapter ")
    run([lect, "doctor"], cwd=tmp_path)
