"""The command line with real plugins installed, as users have it."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import goldens
import pytest
from counting import HANGS

from lect.cli import main

VICUNA = (
    "A chat between a curious user and an artificial intelligence assistant. The assistant gives helpful, detailed, "
    "and polite answers to the user's "
    "questions. USER: Hello! ASSISTANT:"
)
QWEN_CASES = goldens.cases(goldens.REPOSITORY / "plugins/qwen/tests/golden/Qwen--Qwen2.5-3B-Instruct.json")


@pytest.fixture(autouse=True)
def no_settings(monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR", "LECT_PINS", "LECT_CONFIG", "LECT_DISABLE_PLUGINS", "LECT_LOAD_PLUGINS"):
        monkeypatch.delenv(name, raising=False)


def command(*words, **more):
    return subprocess.run(
        list(map(str, words)), capture_output=True, text=True, encoding="utf-8", timeout=HANGS, check=False, **more
    )


def plugins_imported_by(*words):
    code = f"import sys\nfrom lect.cli import main\ncode = main({list(words)!r})\nprint(*sys.modules, file=sys.stderr)\nsys.exit(code)"
    done = command(sys.executable, "-c", code, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    return {name for name in done.stderr.split() if name.startswith("lect_") and "." not in name}


def test_the_installed_command_prints_the_prompt():
    script = shutil.which("lect", path=Path(sys.executable).parent)
    assert script
    done = command(script, "prompt", "lmsys/vicuna-7b-v1.5", "Hello!", stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stdout, done.stderr) == (0, VICUNA, "")


def test_a_prompt_imports_only_the_plugin_it_needs():
    assert plugins_imported_by("prompt", "lmsys/vicuna-7b-v1.5", "Hello!") == {"lect_vicuna"}


@pytest.mark.parametrize("listing", ["families", "plugins", "templates"])
def test_a_listing_imports_no_plugin(listing):
    assert plugins_imported_by(listing) == set()


@pytest.mark.parametrize(("case", "arguments", "expected"), QWEN_CASES, ids=[case[0] for case in QWEN_CASES])
def test_conversations_from_files_give_the_makers_bytes(case, arguments, expected, tmp_path, capsys):
    file = tmp_path / "request.json"
    file.write_text(json.dumps({"messages": arguments["messages"], "tools": arguments["tools"]}), "utf-8")
    words = ["prompt", "Qwen/Qwen2.5-3B-Instruct", "--messages", str(file)]
    if not arguments["add_generation_prompt"]:
        words.append("--no-generation-prompt")
    code = main(words)
    out = capsys.readouterr().out
    if "text" in expected:
        assert (code, out) == (0, expected["text"])
    else:
        assert code in (0, 1)


def test_the_reason_names_the_winner_and_the_adapters_not_asked(capsys):
    assert main(["why", "lmsys/vicuna-7b-v1.5", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["adapter"], data["package"], data["template"]["name"]) == ("vicuna", "lect-vicuna", "vicuna_v1.1")
    assert [each["outcome"] for each in data["candidates"] if each["adapter"] == "vicuna"] == ["won"]
    assert "qwen" in {each["adapter"] for each in data["candidates"] if each["outcome"] == "not asked"}


def test_families_that_are_installed_are_not_offered(capsys):
    assert main(["families", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    installed = {each["family"] for each in data["installed"]}
    assert {"qwen", "vicuna"} <= installed
    assert not installed & {each["family"] for each in data["available"]}


def test_every_plugin_loads(capsys):
    assert main(["plugins", "--load", "--json"]) == 0
    packages = json.loads(capsys.readouterr().out)
    assert {each["status"] for package in packages for each in package["adapters"]} == {"loaded"}
    assert [package["warnings"] for package in packages if package["warnings"]] == []


def test_every_declared_template_is_listed_by_its_owner(capsys):
    assert main(["templates", "--json"]) == 0
    names = json.loads(capsys.readouterr().out)
    assert names["vicuna"] == ["one_shot", "vicuna_v1.1"]
    assert "qwen2.5" in names["qwen"]


def test_the_doctor_finds_nothing_broken(capsys):
    assert main(["doctor", "--json"]) == 0, capsys.readouterr().out
    data = json.loads(capsys.readouterr().out)
    assert all(each["satisfied"] and each["requires"] for each in data["plugins"])
    assert {("qwen", "qwen2.5"), ("vicuna", "vicuna_v1.1")} <= {
        (each["owner"], each["name"]) for each in data["templates"]
    }


def test_a_file_in_an_ambiguous_notation_is_compared_in_the_one_given(tmp_path, capsys):
    file = tmp_path / "template.json"
    file.write_text(json.dumps({"INSTRUCTION": "{input}", "chat_template": "{{ messages[0].content }}"}), "utf-8")
    assert main(["diff", str(file), "chatml"]) == 1
    assert capsys.readouterr().err.endswith(
        "could be a template in several notations: jinja, xtuner\n  try: --notation jinja\n"
    )
    assert main(["diff", str(file), "chatml", "--notation", "jinja"]) == 1
    assert "a question: they differ at character 0" in capsys.readouterr().out


def test_a_closed_pipe_is_not_an_error():
    writer = subprocess.Popen(
        [sys.executable, "-m", "lect", "doctor", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    with writer:
        writer.stdout.close()
        assert writer.stderr.read() == b""
    assert writer.returncode == 0
