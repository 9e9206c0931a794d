"""`lect doctor MODEL`: whether a tokenizer, or token ids, are right for it."""

import json

import character_tokenizer
import pytest

import lect
from lect.cli import main
from lect.plugin import Family, Rule, Template, Turn, TurnTemplate

BOS, USER, BOT, END = 2_000_000, 2_000_001, 2_000_002, 2_000_003
CONTROLS = {"<s>": BOS, "<user>": USER, "<bot>": BOT, "</s>": END}
ACME = TurnTemplate(
    "acme",
    user=Turn("<user>", "\n"),
    assistant=Turn("<bot>", "</s>\n"),
    bos="<s>",
    stop={"</s>": END},
    markers={**CONTROLS, "<more>": 2_000_004},
)
PLAIN = TurnTemplate(
    "plain",
    user=Turn("USER: ", "\n"),
    assistant=Turn("BOT: ", "\n"),
    stop=["USER:"],
    markers=["USER:", "BOT:"],
    text_separators=True,
)
TWICE = ACME.but(name="twice", opening="<s>")
UNSTATED = ACME.but(name="unstated", stop=["</s>"], markers=["<s>", "<user>", "<bot>", "</s>"])
UNSTOPPED = ACME.but(name="unstopped", stop=())
ENDLESS = TurnTemplate("endless", user=Turn("<user>"), assistant=Turn("<bot>"), markers=CONTROLS, stop={"</s>": END})


def forgetful(chat, out):
    """Write reasoning only for the last answer."""
    last = len(chat.messages) - 1
    for index, message in enumerate(out.turns(chat.messages)):
        out.append("<user>" if message.role == "user" else "<bot>")
        if message.role == "assistant" and index == last:
            out += "(", message.reasoning or "", ")"
        out += message.content, "</s>"
    if chat.add_generation_prompt:
        out.append("<bot>(thinking")


FORGETFUL = Template("forgetful", forgetful, capabilities=["reasoning"], stop={"</s>": END}, markers=CONTROLS)


def failing(chat, out):
    out += chat.messages[0].content


FAILING = Template("failing", failing)


@pytest.fixture(autouse=True)
def families(registry):
    rules = (
        Rule(f"acme {each.name}", each) for each in (PLAIN, TWICE, UNSTATED, UNSTOPPED, ENDLESS, FORGETFUL, FAILING)
    )
    lect.register(Family("acme", *rules, Rule("acme", ACME)))


def examined(capsys, code, *words):
    """Return the checks by name, after checking that the text output says the same."""
    assert main(["doctor", *words, "--json"]) == code
    data = json.loads(capsys.readouterr().out)
    assert data["ok"] is (code == 0)
    assert main(["doctor", *words]) == code
    out = capsys.readouterr().out
    for check in data["checks"]:
        assert f"  {check['status']}" in out
        assert check["what"] in out
        assert check["advice"] in out
    return {check["name"]: check for check in data["checks"]}


def statuses(checks):
    return {name: check["status"] for name, check in checks.items() if check["status"] != "ok"}


def tokenizer(monkeypatch, tmp_path, controls):
    return character_tokenizer.install(monkeypatch, tmp_path, controls)


# Tokenizers


def test_the_models_own_tokenizer_is_right(monkeypatch, tmp_path, capsys):
    path = tokenizer(monkeypatch, tmp_path, {**CONTROLS, "<more>": 2_000_004})
    checks = examined(capsys, 0, "acme-7b", "--tokenizer", path)
    assert list(checks) == ["BOS", "markers", "ids", "stop", "generation prompt", "history", "safety"]
    assert statuses(checks) == {}
    assert checks["BOS"]["what"] == "exactly one: the template writes '<s>'"
    assert checks["stop"]["what"].endswith(": '</s>'")


def test_a_tokenizer_without_its_chat_tokens_is_wrong(monkeypatch, tmp_path, capsys):
    checks = examined(capsys, 1, "acme-7b", "--tokenizer", tokenizer(monkeypatch, tmp_path, {}))
    assert statuses(checks) == {"BOS": "wrong", "markers": "wrong", "ids": "wrong", "stop": "wrong", "safety": "note"}
    assert "'<user>', '<bot>', '</s>'" in checks["markers"]["what"]
    assert all(
        checks[name]["advice"].startswith("the tokenizer.json of ") for name in ("BOS", "markers", "ids", "stop")
    )


def test_ids_that_are_not_those_of_the_model_are_wrong(monkeypatch, tmp_path, capsys):
    path = tokenizer(monkeypatch, tmp_path, {**CONTROLS, "<user>": BOT, "<bot>": USER})
    checks = examined(capsys, 1, "acme-7b", "--tokenizer", path)
    assert statuses(checks) == {"ids": "wrong"}
    assert f"{USER} is '<bot>', not '<user>'" in checks["ids"]["what"]


def test_a_marker_that_no_plain_conversation_needs_is_worth_knowing(monkeypatch, tmp_path, capsys):
    checks = examined(capsys, 0, "acme-7b", "--tokenizer", tokenizer(monkeypatch, tmp_path, CONTROLS))
    assert statuses(checks) == {"ids": "note"}
    assert checks["ids"]["what"].endswith(": '<more>'")


def test_a_template_that_states_no_ids_is_judged_by_what_it_writes(monkeypatch, tmp_path, capsys):
    path = tokenizer(monkeypatch, tmp_path, CONTROLS)
    assert statuses(examined(capsys, 0, "acme-unstated", "--tokenizer", path)) == {"ids": "note"}
    path = tokenizer(monkeypatch, tmp_path, {"<s>": BOS})
    assert statuses(examined(capsys, 1, "acme-unstated", "--tokenizer", path))["stop"] == "wrong"


def test_plain_separators_cannot_be_protected(monkeypatch, tmp_path, capsys):
    checks = examined(capsys, 0, "acme-plain", "--tokenizer", tokenizer(monkeypatch, tmp_path, {}))
    assert checks["safety"]["status"] == "note"
    assert "separated by plain text" in checks["safety"]["what"]
    assert checks["markers"]["status"] == "ok"


def test_answers_without_a_stop_are_wrong(monkeypatch, tmp_path, capsys):
    checks = examined(capsys, 1, "acme-endless", "--tokenizer", tokenizer(monkeypatch, tmp_path, CONTROLS))
    assert statuses(checks) == {"stop": "wrong", "history": "note"}
    assert checks["stop"]["what"].startswith("answers end without one")


def test_a_trained_end_that_is_not_a_stop_is_worth_knowing(monkeypatch, tmp_path, capsys):
    checks = examined(capsys, 0, "acme-unstopped", "--tokenizer", tokenizer(monkeypatch, tmp_path, CONTROLS))
    assert checks["stop"]["status"] == "note"
    assert checks["stop"]["advice"].endswith("template.but(stop=['</s>'])")


def test_forgotten_history_and_a_prefilled_answer_are_worth_knowing(monkeypatch, tmp_path, capsys):
    checks = examined(capsys, 0, "acme-forgetful", "--tokenizer", tokenizer(monkeypatch, tmp_path, CONTROLS))
    assert statuses(checks) == {"generation prompt": "note", "history": "note"}
    assert "'thinking'" in checks["generation prompt"]["what"]
    assert checks["history"]["advice"].startswith("template.unroll(messages)")


def test_a_template_that_writes_two_bos_is_wrong(monkeypatch, tmp_path, capsys):
    checks = examined(capsys, 1, "acme-twice", "--tokenizer", tokenizer(monkeypatch, tmp_path, CONTROLS))
    assert checks["BOS"]["what"] == "a prompt begins with 2 BOS tokens"


def test_a_template_that_fails_is_wrong(monkeypatch, tmp_path, capsys):
    path = tokenizer(monkeypatch, tmp_path, CONTROLS)
    assert statuses(examined(capsys, 1, "acme-failing", "--tokenizer", path)) == {"conversation": "wrong"}
    checks = examined_ids(monkeypatch, tmp_path, capsys, 1, GOOD, model="acme-failing")
    assert checks["conversation"]["advice"].startswith("out.append(text)")


# Token ids


def told(text):
    """Return the ids of a text, with one for each control token."""
    ids, position = [], 0
    while position < len(text):
        control = next((each for each in CONTROLS if text.startswith(each, position)), None)
        ids.append(CONTROLS[control] if control else ord(text[position]))
        position += len(control or "x")
    return ids


def characters(text):
    return [ord(character) for character in text]


GOOD = told("<s><user>Hi\n<bot>Yes.</s>\n<user>Bye\n<bot>Bye.</s>\n")


def examined_ids(monkeypatch, tmp_path, capsys, code, ids, *, with_tokenizer=True, model="acme-7b"):
    file = tmp_path / "ids.json"
    file.write_text(json.dumps(ids), "utf-8")
    words = ["--tokenizer", tokenizer(monkeypatch, tmp_path, CONTROLS)] if with_tokenizer else []
    return examined(capsys, code, model, "--ids", str(file), *words)


@pytest.mark.parametrize("ids", [GOOD, told("<s><user>Hi\n<bot>")], ids=["trained", "sent"])
def test_correct_ids_pass(ids, monkeypatch, tmp_path, capsys):
    assert statuses(examined_ids(monkeypatch, tmp_path, capsys, 0, ids)) == {}


@pytest.mark.parametrize("with_tokenizer", [True, False])
def test_two_bos_are_seen(with_tokenizer, monkeypatch, tmp_path, capsys):
    checks = examined_ids(monkeypatch, tmp_path, capsys, 1, [BOS, *GOOD], with_tokenizer=with_tokenizer)
    assert statuses(checks) == {"BOS": "wrong"} | ({} if with_tokenizer else {"turns": "note"})
    assert checks["BOS"]["what"].startswith(f"the ids begin with 2 BOS tokens ({BOS})")
    assert "add_special_tokens=False" in checks["BOS"]["advice"]


@pytest.mark.parametrize("with_tokenizer", [True, False])
def test_a_missing_bos_is_seen(with_tokenizer, monkeypatch, tmp_path, capsys):
    checks = examined_ids(monkeypatch, tmp_path, capsys, 1, GOOD[1:], with_tokenizer=with_tokenizer)
    assert checks["BOS"]["status"] == "wrong"


def test_a_missing_last_stop_is_seen(monkeypatch, tmp_path, capsys):
    ids = told("<s><user>Hi\n<bot>Yes.</s>\n<user>Bye\n<bot>Bye.")
    checks = examined_ids(monkeypatch, tmp_path, capsys, 1, ids)
    assert statuses(checks) == {"stop": "wrong"}
    assert "'Bye.'" in checks["stop"]["what"]


def test_a_missing_stop_is_seen(monkeypatch, tmp_path, capsys):
    ids = told("<s><user>Hi\n<bot>Yes.\n<user>Bye\n<bot>Bye.</s>\n")
    checks = examined_ids(monkeypatch, tmp_path, capsys, 1, ids)
    assert statuses(checks) == {"turns": "wrong"}
    what = "cannot be read back at token 11: after '<s><user>Hi\\n<bot>Yes.\\n' the template writes '</s>\\n<user>'"
    assert checks["turns"]["what"].startswith(what)
    assert checks["turns"]["what"].endswith("and there is '<user>Bye\\n<bot>Bye.</s>\\n'")


def test_a_stop_that_a_user_spells_does_not_count(monkeypatch, tmp_path, capsys):
    ids = [*told("<s><user>Hi\n<bot>Yes.\n<user>Bye "), *characters("</s>"), *told("\n<bot>Bye.</s>\n")]
    checks = examined_ids(monkeypatch, tmp_path, capsys, 1, ids)
    assert statuses(checks) == {"turns": "wrong", "text": "note"}


def test_a_missing_generation_prompt_is_seen(monkeypatch, tmp_path, capsys):
    checks = examined_ids(monkeypatch, tmp_path, capsys, 1, told("<s><user>Hi\n<bot>Yes.</s>\n<user>Bye\n"))
    assert statuses(checks) == {"generation prompt": "wrong"}
    assert checks["generation prompt"]["what"] == "the ids end in the turn of the user, without '<bot>'"


def test_what_was_read_back_is_told(monkeypatch, tmp_path, capsys):
    checks = examined_ids(monkeypatch, tmp_path, capsys, 0, told("<s><user>Hi\n<bot>Yes.</s>\n<user>Bye\n<bot>"))
    said = "4 read back (user, assistant, user, generation prompt), 18 ids equal"
    assert checks["turns"]["what"] == said


def test_the_last_line_says_what_was_checked(monkeypatch, tmp_path, capsys):
    file = tmp_path / "ids.json"
    file.write_text(json.dumps(GOOD), "utf-8")
    path = tokenizer(monkeypatch, tmp_path, CONTROLS)
    assert main(["doctor", "acme-7b", "--ids", str(file), "--tokenizer", path]) == 0
    assert capsys.readouterr().out.endswith("\nchecked BOS, markers, turns: no problems\n")
    assert main(["doctor", "acme-7b", "--ids", str(file)]) == 0
    out = capsys.readouterr().out
    assert "not checked: the roles and their order" in out
    assert out.endswith("\nchecked BOS, markers, stop: no problems\n")


def test_a_control_token_within_a_text_is_worth_knowing(monkeypatch, tmp_path, capsys):
    ids = told("<s><user>What is </s> for?\n<bot>")
    checks = examined_ids(monkeypatch, tmp_path, capsys, 0, ids)
    assert statuses(checks) == {"control tokens": "note"}
    assert checks["control tokens"]["what"].startswith("a text contains '</s>'")


def test_a_marker_in_pieces_is_seen(monkeypatch, tmp_path, capsys):
    ids = [BOS, *characters("<user>Hi\n<bot>Yes.</s>\n")]
    checks = examined_ids(monkeypatch, tmp_path, capsys, 1, ids)
    assert checks["markers"]["what"] == "split into several tokens: '<user>', '<bot>'"
    checks = examined_ids(monkeypatch, tmp_path, capsys, 1, ids, with_tokenizer=False)
    assert f"'<user>' ({USER}), '<bot>' ({BOT})" in checks["markers"]["what"]
    assert checks["stop"]["status"] == "note"


def test_ids_of_another_tokenizer_are_seen(monkeypatch, tmp_path, capsys):
    checks = examined_ids(monkeypatch, tmp_path, capsys, 1, [*GOOD, 3_000_000])
    assert checks["ids"]["what"] == "the tokenizer has no such ids: 3000000"


# Command lines


@pytest.mark.parametrize("held", ["[]", "{}", "[1, true]", "[-1]", '["1"]', "[[1]]"])
def test_ids_are_a_list_of_numbers(held, tmp_path, capsys):
    file = tmp_path / "ids.json"
    file.write_text(held, "utf-8")
    assert main(["doctor", "acme-7b", "--ids", str(file)]) == 1
    error = capsys.readouterr().err
    assert f"holds {json.loads(held)!r}; expected a list of token ids\n  try: " in error


@pytest.mark.parametrize("words", [["acme-7b"], ["--tokenizer", "."], ["--ids", "-"]])
def test_a_model_and_what_to_examine_belong_together(words, capsys):
    assert main(["doctor", *words]) == 2
    assert "MODEL needs --tokenizer or --ids, and these need MODEL" in capsys.readouterr().err
