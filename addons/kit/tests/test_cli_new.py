"""`lect new`: a package that does what it says, or nothing at all."""

import json
import os
import runpy
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from installs import registry_of

import lect
from lect.cli import main
from lect.plugin import CHATML, DEFAULT, Family, Rule, Template, Turn, TurnTemplate, grammar
from lect.registry.packages import RESERVED
from lect.registry.patterns import problem_of
from lect.registry.refs import parse_ref
from lect_kit.scaffold.models import hint_of, pattern_of
from lect_kit.scaffold.names import LONGEST_NAME, names_of
from lect_kit.scaffold.source import WIDTH, written

HELLO = [{"role": "user", "content": "Hello!"}]
WEATHER = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}


@pytest.fixture(autouse=True)
def registry(monkeypatch):
    """Nothing is installed but the kit: what a test registers is the only adapter."""
    monkeypatch.setattr(lect, "_registry", registry_of("lect-kit"))


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def new(capsys, *words):
    code = main(["new", *words])
    out, err = capsys.readouterr()
    assert code == 0, err
    return out


def refused(capsys, *words):
    assert main(["new", *words]) == 1
    return capsys.readouterr().err


def module(package):
    (init,) = package.glob("src/*/__init__.py")
    return runpy.run_path(str(init))


def adapter(package):
    return module(package)["adapter"]


def project(package):
    return tomllib.loads((package / "pyproject.toml").read_text("utf-8"))["project"]


# What is written


def test_it_says_what_it_wrote_and_what_comes_next(here, capsys):
    out = new(capsys, "acme")
    lines = out.splitlines()
    assert lines[0] == "lect-acme:"
    told = {line.split()[0] for line in lines[1 : lines.index("next:")]}
    assert told == {path.relative_to(here / "lect-acme").as_posix() for path in here.rglob("*") if path.is_file()}
    assert lines[lines.index("next:") + 1 :] == ['  pip install -e "./lect-acme[test]"', "  pytest lect-acme"]


def test_the_package_is_ready_to_be_published(here, capsys):
    new(capsys, "acme-code")
    package = here / "lect-acme-code"
    stated = project(package)
    assert stated["name"] == "lect-acme-code"
    assert (package / stated["readme"]).read_text("utf-8").startswith("# lect-acme-code\n")
    assert stated["license"] == "MIT"
    assert [(package / each).read_text("utf-8").partition("\n")[0] for each in stated["license-files"]] == [
        "MIT License"
    ]
    assert "Typing :: Typed" in stated["classifiers"]
    assert (package / "src/lect_acme_code/py.typed").exists()
    assert stated["dependencies"] == ["lect>=0.1,<1"]
    assert stated["optional-dependencies"] == {"test": ["lect[testing]>=0.1,<1"]}
    assert all(address.startswith("https://") for address in stated["urls"].values())
    assert stated["entry-points"] == {
        "lect": {"acme-code": "lect_acme_code:adapter"},
        "lect.hints": {"acme": "lect_acme_code:adapter"},
        "lect.templates": {"acme-code-chat": "lect_acme_code:adapter"},
    }
    assert "${{ matrix.python }}" in (package / ".github/workflows/test.yml").read_text("utf-8")


def test_the_tests_of_the_package_are_the_kit_and_nothing_else(here, capsys):
    new(capsys, "acme", "--model", "acme/Acme-2-7B-Chat", "--model", "acme/Acme-2-70B-Chat")
    text = (here / "lect-acme/tests/test_acme.py").read_text("utf-8")
    assert "from lect_kit import AdapterSuite\n\n\nclass TestAcme(AdapterSuite):\n" in text
    assert '    plugin = "acme"\n' in text
    assert '    examples = {"acme/Acme-2-7B-Chat": "acme-chat", "acme/Acme-2-70B-Chat": "acme-chat"}\n' in text


def test_a_table(here, capsys):
    new(capsys, "acme")
    lect.register(adapter(here / "lect-acme"))
    prompt = lect.render("acme/Acme-70B-Chat", HELLO, add_generation_prompt=True)
    assert prompt.text == "<|user|>\nHello!<|end|>\n<|assistant|>\n"
    assert lect.parse("acme/Acme-7B-Chat", "Hi!<|end|>\n<|user|>").content == "Hi!"


def test_a_program(here, capsys):
    new(capsys, "acme", "--program")
    lect.register(adapter(here / "lect-acme"))
    called = {"name": "weather", "arguments": {"city": "Paris"}}
    messages = [
        {"role": "system", "content": "Be brief."},
        *HELLO,
        {"role": "assistant", "content": "", "tool_calls": [{"function": called}]},
        {"role": "tool", "content": "sunny"},
    ]
    call = '\n<tool_call>\n{"name": "weather", "arguments": {"city": "Paris"}}\n</tool_call>'
    assert lect.render("acme/Acme-7B-Chat", messages, tools=[WEATHER], add_generation_prompt=True).text == (
        "<|system|>\nBe brief.\n\nYou may call these functions:\n"
        '{"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}\n'
        "\nTo call one, write its name and its arguments as JSON between <tool_call> and </tool_call>.<|end|>\n"
        f"<|user|>\nHello!<|end|>\n<|assistant|>\n{call}<|end|>\n<|tool|>\nsunny<|end|>\n<|assistant|>\n"
    )
    reply = lect.parse("acme/Acme-7B-Chat", f"{call}<|end|>", tools=[WEATHER])
    assert [(each.name, each.arguments) for each in reply.tool_calls] == [("weather", {"city": "Paris"})]


@pytest.mark.parametrize("template", [CHATML, DEFAULT], ids=lambda template: template.name)
def test_a_named_template(here, capsys, template):
    new(capsys, "acme", "--from", template.name)
    (made,) = adapter(here / "lect-acme").templates.values()
    assert made.stated() == template.but(name="acme-chat").stated()


def test_everything_that_a_table_states_is_written(here, capsys):
    block = grammar.JSON_IN_TAGS
    table = TurnTemplate(
        "all",
        system=Turn("S\"'\\\n", bare=""),
        user=Turn("{round} U", "\u2028é\x00"),
        user_after_system=Turn("u"),
        assistant=Turn("A", "{eos}"),
        tool=Turn("T"),
        other=Turn("{role}"),
        opening="long " * 60,
        examples=[("user", "1"), ("assistant", "2")],
        first_round=0,
        trim=True,
        empty="nothing",
        bos="<s>",
        eos="</s>",
        stop={"</s>": 2},
        stop_ids=[7],
        markers={"</s>": 2, "<{}>": range(3, 9), "<unk>": 0, "<x{}>": (1, None)},
        options=["date"],
        reply=grammar.Grammar(
            "all", reasoning=grammar.THINK.but(special=True), sections=(block, block.but(start=True))
        ),
    )
    lect.register(Family("all", Rule("all", table)))
    new(capsys, "acme", "--from", "all:all")
    (made,) = adapter(here / "lect-acme").templates.values()
    assert made.stated() == table.but(name="acme-chat", source="all:all").stated()


def test_the_advice_for_the_program_of_another_package_is_a_pin(here, capsys):
    lect.register(Family("busy", Rule("busy", Template("busy-chat", lambda chat, out: None))))
    message = refused(capsys, "acme", "--from", "busy:busy-chat")
    assert "'busy-chat' cannot be written as a table: it is a program" in message
    assert "try: LECT_PINS='acme/Acme-7B-Chat=busy-chat'" in message
    assert os.listdir(here) == []


def test_what_was_written_as_json(here, capsys):
    told = json.loads(new(capsys, "acme", "--json"))
    assert told["package"] == told["directory"] == "lect-acme"
    assert set(told["files"]) == {
        path.relative_to(here / "lect-acme").as_posix() for path in here.rglob("*") if path.is_file()
    }
    assert told["next"] == ['pip install -e "./lect-acme[test]"', "pytest lect-acme"]


@pytest.mark.parametrize("source", ["missing.json", "./missing.json", "nobody:nothing", "nobody/nothing"])
def test_a_source_that_does_not_exist(here, capsys, source):
    assert refused(capsys, "acme", "--from", source) == (
        f"lect: there is no file, template or model {source!r}\n"
        "  try: a path that exists, or a name from `lect templates`\n"
    )
    assert os.listdir(here) == []


# Names


@pytest.mark.parametrize(
    ("given", "nearest"),
    [("Acme", "acme"), ("acme_code", "acme-code"), ("lect-acme", "acme"), ("acme--2", "acme-2"), ("01-ai", "ai"),
     ("../acme", "acme"), ("acme/", "acme"), ("", "acme"), ("你好", "acme"), ("a" * 99, "a" * LONGEST_NAME)],
)  # fmt: skip
def test_a_name_that_no_package_can_have(here, capsys, given, nearest):
    message = refused(capsys, given)
    assert "expected at most" in message
    assert message.endswith(f"try: the name {nearest}\n")
    assert names_of(nearest).name == nearest
    assert os.listdir(here) == []


@pytest.mark.parametrize("package", RESERVED)
def test_a_name_that_is_taken(here, capsys, package):
    assert f"{package} is a package of lect itself" in refused(capsys, package.removeprefix("lect-"))


@pytest.mark.parametrize(
    ("model", "pattern", "hint"),
    [
        ("acme/Acme-7B-Chat", "acme # b chat", "acme"),
        ("Acme-2.1-350M-Instruct-v3", "acme 2.1 # m instruct v 3", "acme"),
        ("somebody/Big-Acme-8x7B", "big acme 8 x # b", "acme"),
        ("Acme2-7B-Chat", "acme 2 # b chat", "acme"),
        ("acme/chat-7b", "acme/chat-7b", "acme"),
        ("Some.Body/Llama-3-8B-Instruct", "Some.Body/Llama-3-8B-Instruct", "some.body"),
    ],
)
def test_rules_and_hints_are_derived_from_models(model, pattern, hint):
    assert pattern_of(model, "acme") == pattern
    assert problem_of(pattern) == ""
    assert hint_of(model, "acme") == hint
    assert hint in parse_ref(model).path.lower()


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("./Acme-7B", "'./Acme-7B' is not the name of a model; expected ORG/NAME\n  try: --model acme/acme-7b-chat\n"),
        ('acme/"Acme-7B"', "is not the name of a model; expected ORG/NAME"),
        ("a*b/chat-7b", "is not the name of a model; expected ORG/NAME"),
        ("chat-7b", "has neither an owner nor the word 'acme'\n  try: --model acme/chat-7b\n"),
        ("https://acme/chat", "a URL is not a model path"),
    ],
)
def test_a_model_for_which_there_can_be_no_adapter(here, capsys, model, said):
    assert said in refused(capsys, "acme", "--model", model)
    assert os.listdir(here) == []


# Where it is written


def test_nothing_is_overwritten(here, capsys):
    new(capsys, "acme")
    (here / "lect-acme/README.md").write_text("mine")
    assert "'lect-acme' already exists; nothing was written\n  try: " in refused(capsys, "acme", "--program")
    assert (here / "lect-acme/README.md").read_text() == "mine"
    assert os.listdir(here) == ["lect-acme"]


def test_it_is_written_into_the_given_directory(here, capsys):
    (here / "a b").mkdir()
    out = new(capsys, "acme", "--into", "a b")
    assert os.listdir(here / "a b") == ["lect-acme"]
    assert out.endswith("next:\n  pip install -e \"./a b/lect-acme[test]\"\n  pytest 'a b/lect-acme'\n")


def test_a_directory_that_does_not_exist(here, capsys):
    assert "cannot write 'nowhere/lect-acme': No such file" in refused(capsys, "acme", "--into", "nowhere")
    assert os.listdir(here) == []


def test_the_directory_has_the_usual_permissions(here, capsys):
    new(capsys, "acme")
    (here / "beside").mkdir()
    assert (here / "lect-acme").stat().st_mode == (here / "beside").stat().st_mode


# The source of values


@given(st.text() | st.text("ab \n\"'", min_size=200), st.integers(0, 12))
def test_a_text_written_as_python_evaluates_to_itself(text, indent):
    source = written(text, indent)
    assert eval(source) == text
    longest_word = max(map(len, text.split()), default=0)
    assert longest_word > 40 or not text.isascii() or max(map(len, source.splitlines())) <= WIDTH


def test_a_table_writes_no_calls_so_none_have_to_be_parsed(here, capsys):
    lect.register_conv_template(lect.Conversation(CHATML.but(name="shop", capabilities=["system", "tools"])))
    assert main(["new", "acme", "--from", "shop"]) == 0
    assert capsys.readouterr().err == ""
    assert "xfail" not in Path("lect-acme/tests/test_acme.py").read_text("utf-8")
