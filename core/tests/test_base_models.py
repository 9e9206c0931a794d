"""A chat with a base model, which was not trained to chat, comes with a warning."""

import warnings

import pytest
from character_tokenizer import CharacterTokenizer

import lect
from lect.cli import main
from lect.errors import BaseModelWarning
from lect.plugin import CHATML, DEFAULT, Family, Rule

HELLO = [{"role": "user", "content": "Hello!"}, {"role": "assistant", "content": "Hi!"}]


@pytest.fixture(autouse=True)
def acme():
    with lect.register(Family("acme", Rule("acme * chat", CHATML), Rule("acme # b", DEFAULT, kind="base"))):
        yield


@pytest.mark.parametrize(
    "use",
    [
        lambda path: lect.get_template(path),
        lambda path: lect.get_conversation_template(path),
        lambda path: lect.render(path, HELLO),
        lambda path: lect.encode(path, HELLO, CharacterTokenizer({})),
    ],
    ids=["get_template", "get_conversation_template", "render", "encode"],
)
def test_the_warning_says_what_to_do_once_a_call_site(use):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(3):
            use("acme/acme-7b")
        use("acme/acme-7b-chat")
    (warning,) = caught
    assert warning.category is BaseModelWarning
    assert warning.filename == __file__
    assert str(warning.message) == (
        "acme/acme-7b is a base model, which was not trained to chat; default is only a substitute\n"
        "  try: the version that was trained to chat, or lect.resolve(path).template, which does not warn"
    )


def test_what_only_asks_parses_or_decides_for_itself_does_not_warn():
    assert lect.resolve("acme/acme-7b").kind == "base"
    assert lect.parse("acme/acme-7b", "Hi").content == "Hi"
    assert lect.render("acme/acme-7b", HELLO, adapter="chatml").template.name == "chatml"


def test_the_command_line_says_it_once(capsys):
    assert main(["prompt", "acme/acme-7b", "Hi"]) == 0
    assert capsys.readouterr().err.count("is a base model") == 1
