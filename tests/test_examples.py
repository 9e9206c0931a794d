"""The packages in `examples`, built and installed as third parties would, next to core and families from wheels."""

import re
import shutil

import pytest
from sandbox import KIT, REPOSITORY

EXAMPLES = REPOSITORY / "examples"
MEGREZ, GLOBEX = EXAMPLES / "lect-megrez", EXAMPLES / "lect-globex"
FAMILIES = [REPOSITORY / "plugins" / name for name in ("qwen", "llama")]
PINS = {"LECT_CONFIG": str(GLOBEX / "pins.toml")}
RESOLVED = """
def found(path):
    resolution = lect.resolve(path)
    return [resolution.package, resolution.template.name]
answer = [found(path) for path in {paths}]
"""


@pytest.fixture(scope="module")
def environment(sandbox):
    made = sandbox.fresh(KIT, *FAMILIES, MEGREZ, GLOBEX)
    sandbox.install_test_tools(made)
    return made


def resolved(environment, *paths, **environ):
    return environment.ask(RESOLVED.format(paths=paths), **environ)


@pytest.mark.parametrize(
    "package", sorted(path.parent for path in EXAMPLES.glob("*/pyproject.toml")), ids=lambda path: path.name
)
def test_an_example_passes_its_own_tests(environment, package, tmp_path):
    # In a copy elsewhere: a third party does not have the settings of this repository.
    copy = shutil.copytree(package, tmp_path / package.name)
    environment.check("pytest", "-q", copy)


def test_a_family_that_we_do_not_ship(environment):
    messages = [{"role": "user", "content": "Hello!"}]
    text = environment.ask(
        f"answer = lect.render('Infinigence/Megrez-3B-Instruct', {messages}, add_generation_prompt=True).text"
    )
    assert text.endswith("<|role_start|>user<|role_end|>Hello!<|turn_end|><|role_start|>assistant<|role_end|>")


def test_an_organisation_overrides_a_family_by_naming_its_models(environment):
    assert resolved(
        environment, "globex/Qwen2.5-7B-Instruct-Support", "globex/Llama-3.1-8B-Support", "Qwen/Qwen2.5-7B-Instruct",
        "globex/Qwen2.5-14B-Instruct",
    ) == [["lect-globex", "globex-chat"], ["lect-globex", "globex-chat"], ["lect-qwen", "qwen2.5"], ["lect-qwen", "qwen2.5"]]  # fmt: skip


def test_an_organisation_overrides_a_family_by_a_pin(environment):
    pinned = resolved(environment, "globex/Qwen2.5-14B-Instruct", "globex/whatever", "Qwen/Qwen2.5-7B-Instruct", **PINS)
    assert [template for _, template in pinned] == ["globex-chat", "globex-chat", "qwen2.5"]


def test_the_page_on_rollouts_shows_the_function_of_the_program():
    program = (EXAMPLES / "grpo_with_a_tool.py").read_text("utf-8")
    shown = re.search(r"^def rollout_func\(.*?\n    }\n", program, re.DOTALL | re.MULTILINE)[0]
    assert f"```py\n{shown}```\n" in (REPOSITORY / "docs/how-to/roll-out-with-tools.md").read_text("utf-8")
