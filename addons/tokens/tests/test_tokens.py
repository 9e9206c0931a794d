"""`lect tokens`: a prompt, token by token."""

import json
import pickle
import sys

import character_tokenizer
import pytest
from character_tokenizer import CharacterTokenizer

import lect
from lect.cli import main
from lect.plugin import Family, Rule, Turn, TurnTemplate
from lect_kit import AdapterSuite

CONTROLS = {"<user>": 2_000_001, "<bot>": 2_000_002, "</s>": 2_000_003}
ACME = TurnTemplate(
    "acme",
    user=Turn("<user>", "\n"),
    assistant=Turn("<bot>", "</s>\n"),
    stop={"</s>": 2_000_003},
    markers=CONTROLS,
)


class TestTokens(AdapterSuite):
    plugin = "tokens"
    examples = {}


CHAT = [{"role": "user", "content": "a</s>"}, {"role": "assistant", "content": "ok"}]


@pytest.fixture(autouse=True)
def families(registry):
    lect.register(Family("acme", Rule("acme", ACME)))


@pytest.fixture
def tokenizer(monkeypatch, tmp_path):
    return character_tokenizer.install(monkeypatch, tmp_path, CONTROLS)


@pytest.fixture
def chat(tmp_path):
    file = tmp_path / "chat.json"
    file.write_text(json.dumps(CHAT), "utf-8")
    return str(file)


def rows(out):
    """Return the cells of each line of the table."""
    return [line.split() for line in out.splitlines()[1:-1]]


def test_a_line_for_each_token(tokenizer, chat, capsys):
    assert main(["tokens", "acme-7b", "--messages", chat, "--tokenizer", tokenizer]) == 0
    out, err = capsys.readouterr()
    assert rows(out) == [
        ["2000001", "template", "'<user>'"],
        ["97", "input", "messages[0].content", "'a'"],
        *([str(ord(each)), "input", "messages[0].content", repr(each)] for each in "</s>"),
        ["10", "template", "'\\n'"],
        ["2000002", "template", "'<bot>'"],
        ["111", "1", "input", "messages[1].content", "'o'"],
        ["107", "1", "input", "messages[1].content", "'k'"],
        ["2000003", "1", "template", "'</s>'"],
        ["10", "template", "'\\n'"],
    ]
    assert out.splitlines()[-1] == "12 tokens, 3 with loss; there is no BOS"
    assert "note: input texts that spell a control token: 1, encoded as ordinary tokens\n" in err


def test_the_prompt_itself_is_shown_with_borders_between_tokens(tokenizer, chat, monkeypatch, capsys):
    words = ["tokens", "acme-7b", "--messages", chat, "--tokenizer", tokenizer, "--show-inline"]
    assert main(words) == 0
    plain = capsys.readouterr().out
    assert plain.startswith("<user>│a│<│/│s│>│\n│<bot>│o│k│</s>│\n\n12 tokens, 3 with loss")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert main(words) == 0
    out = capsys.readouterr().out
    for style, text in ((2, "<user>"), (32, "a"), (33, "o"), (33, "</s>")):
        assert f"\x1b[{style}m{text}\x1b[0m" in out


def test_unsafe_is_what_the_tokenizer_does(tokenizer, chat, capsys):
    assert main(["tokens", "acme-7b", "--messages", chat, "--tokenizer", tokenizer, "--unsafe"]) == 0
    out, err = capsys.readouterr()
    assert ["2000003", "input", "messages[0].content", "'</s>'"] in rows(out)
    assert "because of --unsafe" in err


def test_a_question_ends_where_the_assistant_begins_and_carries_no_loss(tokenizer, capsys):
    assert main(["tokens", "acme-7b", "Hi", "--tokenizer", tokenizer]) == 0
    out = capsys.readouterr().out
    assert rows(out)[-1] == ["2000002", "template", "'<bot>'"]
    assert out.endswith("\n5 tokens, 0 with loss; there is no BOS\n")


def test_an_answer_may_be_continued(tokenizer, chat, capsys):
    assert main(["tokens", "acme-7b", "--messages", chat, "--tokenizer", tokenizer, "--continue"]) == 0
    assert rows(capsys.readouterr().out)[-1][-1] == "'k'"


def test_json_has_everything(tokenizer, chat, capsys):
    assert main(["tokens", "acme-7b", "--messages", chat, "--tokenizer", tokenizer, "--max-length", "9", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["text"] == "<user>a</s>\n<bot>ok</s>\n"
    assert [token["id"] for token in data["tokens"]] == [2_000_001, 97, 60, 47, 115, 62, 10, 2_000_002, 111]
    assert data["tokens"][-1] == {
        "id": 111, "text": "o", "origin": "input", "field": "messages[1].content", "weight": 1.0, "start": 17, "end": 18,
        "message": 1,
    }  # fmt: skip
    assert data["report"]["truncated"] == 3
    assert data["report"]["stops_lost"] == [1]
    assert data["report"]["controls"][0]["marker"] == "</s>"


def test_what_is_cut_off_is_noted(tokenizer, chat, capsys):
    assert main(["tokens", "acme-7b", "--messages", chat, "--tokenizer", tokenizer, "--max-length", "9"]) == 0
    err = capsys.readouterr().err
    assert "note: 3 tokens are cut off by --max-length\n" in err
    assert "note: messages[1] is trained without a stop" in err


def test_a_length_must_be_positive(tokenizer, capsys):
    assert main(["tokens", "acme-7b", "Hi", "--tokenizer", tokenizer, "--max-length", "0"]) == 1
    assert capsys.readouterr().err == "lect: --max-length is 0; expected a positive number of tokens\n"


def test_no_control_characters_of_a_user_reach_the_terminal(tokenizer, capsys):
    assert main(["tokens", "acme-7b", "\x1b\u202e", "--tokenizer", tokenizer]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\u202e" not in out


def test_what_to_install_is_named(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    (tmp_path / "tokenizer.json").write_text("{}", "utf-8")
    assert main(["tokens", "acme-7b", "Hi", "--tokenizer", str(tmp_path)]) == 1
    assert capsys.readouterr().err.endswith("needs the package tokenizers\n  try: pip install tokenizers\n")


def test_a_tokenizer_is_a_directory_or_a_file(tokenizer, tmp_path, capsys):
    assert main(["tokens", "acme-7b", "Hi", "--tokenizer", f"{tokenizer}/tokenizer.json"]) == 0
    capsys.readouterr()
    assert main(["tokens", "acme-7b", "Hi", "--tokenizer", f"{tokenizer}/none"]) == 1
    assert "there is no file or directory" in capsys.readouterr().err
    empty = tmp_path / "empty"
    empty.mkdir()
    assert main(["tokens", "acme-7b", "Hi", "--tokenizer", str(empty)]) == 1
    assert "holds no tokenizer.json\n  try: " in capsys.readouterr().err
    (empty / "tokenizer.json").write_text("no JSON", "utf-8")
    assert main(["tokens", "acme-7b", "Hi", "--tokenizer", str(empty)]) == 1
    assert "holds no tokenizer that can be read: " in capsys.readouterr().err


def test_tokens_from_another_process_have_no_texts():
    encoded = pickle.loads(pickle.dumps(ACME.render(CHAT).encode(CharacterTokenizer(CONTROLS))))
    with pytest.raises(lect.TokenizerError, match="only in the process that encoded them"):
        encoded.pieces()


def test_several_tokens_of_one_character_show_it_once():
    class Bytes(CharacterTokenizer):
        def encode_ordinary(self, text):
            places = [(index, byte) for index, character in enumerate(text) for byte in character.encode()]
            return [byte for _, byte in places], [(index, index + 1) for index, _ in places]

    prompt = ACME.render([{"role": "user", "content": "é!"}])
    pieces = prompt.encode(Bytes(CONTROLS)).pieces()
    assert [piece.text for piece in pieces] == ["<user>", "é", "", "!", "\n"]
    assert "".join(piece.text for piece in pieces) == prompt.text
