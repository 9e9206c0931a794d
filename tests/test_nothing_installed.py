"""What a newcomer sees: the core alone, and its advice on what to install."""

import re
import shlex
import sys

import pytest
from sandbox import REPOSITORY, run

VICUNA = "lmsys/vicuna-7b-v1.5"


@pytest.fixture(scope="session")
def alone(sandbox):
    return sandbox.environment()


def test_the_core_alone_says_that_nothing_is_installed_and_what_to_type(alone):
    error = alone.ask(f"answer = raised(lect.get_conversation_template, {VICUNA!r})")
    assert (error["type"], error["install"]) == ("UnknownModelError", "lect-vicuna")
    lines = error["text"].splitlines()
    assert lines[0] == "no installed adapter recognises 'lmsys/vicuna-7b-v1.5'"
    assert lines[1] == "  considered: none; no adapter is installed"
    assert lines[2] == "  try: pip install lect-vicuna"


def test_the_core_alone_has_its_own_two_templates_and_lists_no_plugin(alone):
    answer = alone.ask("""
conversation = lect.get_conversation_template("anybody/anything", default="chatml")
answer = [lect.plugins(), conversation.name, lect.get_conversation_template("anybody/anything", adapter="default").name]
""")
    assert answer == [[], "chatml", "default"]


@pytest.mark.parametrize(
    ("path", "family"),
    [("Qwen/Qwen2.5-7B-Instruct", "qwen"), ("meta-llama/Llama-2-7b-chat-hf", "llama"), ("01-ai/Yi-34B-Chat", "yi")],
)
def test_the_advice_of_the_core_alone_names_the_package_of_a_family(alone, path, family):
    error = alone.ask(f"answer = raised(lect.resolve, {path!r})")
    assert error["install"] == f"lect-{family}"
    assert f"  try: pip install lect-{family}\n" in error["text"]


def test_where_core_came_from_a_checkout_the_command_makes_the_model_known(sandbox, tmp_path):
    environment = sandbox.fresh()
    pip = [sys.executable, "-m", "pip", "--quiet", "--python", environment.python]
    run([*pip, "install", "--no-deps", "--force-reinstall", "./core"], cwd=REPOSITORY)
    text = environment.ask(f"answer = raised(lect.resolve, {VICUNA!r})")["text"]
    command = shlex.split(re.search("  try: (.*)", text)[1])
    assert command == ["pip", "install", str(REPOSITORY / "plugins/vicuna")]
    run([*pip, *command[1:]], cwd=tmp_path)
    answer = environment.ask(f"""
conversation = lect.get_conversation_template({VICUNA!r})
conversation.append_message("user", "Hello!")
conversation.append_message("assistant", None)
answer = conversation.get_prompt()
""")
    assert answer == (
        "A chat between a curious user and an artificial intelligence assistant. The assistant gives helpful, "
        "detailed, and polite answers "
        "to the user's questions. USER: Hello! ASSISTANT:"
    )
