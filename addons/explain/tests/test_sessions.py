"""Requests of a session, as clients of three APIs send them, and `lect explain`."""

import json

import character_tokenizer
import pytest

import lect
from lect.cli import main
from lect.errors import PluginError
from lect.plugin import CHATML
from lect_explain import explain_requests, read_request

QWEN = "Qwen/Qwen3-8B"


def user(text):
    return {"role": "user", "content": text}


SYSTEM = {"role": "system", "content": "Be brief. 1"}
WET = {"role": "assistant", "content": "Wet."}
FIRST = {"model": "m", "messages": [SYSTEM, user("Q1")]}
SECOND = {"model": "m", "messages": [SYSTEM, user("Q1"), WET, user("Q2")]}
FORKED = {"model": "m", "messages": [{**SYSTEM, "content": "Be brief. 2"}, user("Q1"), WET, user("Q2")]}
TITLE = {"model": "m", "messages": [{**SYSTEM, "content": "A title?"}, user("Q9")]}


def responses(*items):
    return {"model": "m", "instructions": "Be brief. 1", "input": [*items]}


def anthropic(*messages):
    return {"model": "m", "max_tokens": 9, "system": "Be brief. 1", "messages": [*messages]}


@pytest.mark.parametrize(
    "requests",
    [
        [FIRST, SECOND],
        [FIRST["messages"], SECOND["messages"]],
        [responses(user("Q1")), responses(user("Q1"), WET, user("Q2"))],
        [anthropic(user("Q1")), anthropic(user("Q1"), WET, user("Q2"))],
        [FIRST, responses(user("Q1"), WET, user("Q2"))],
    ],
    ids=["chat", "messages alone", "responses", "messages", "two APIs"],
)
def test_requests_of_three_apis(requests):
    (step,) = explain_requests(CHATML, requests, sampled=["Wet.<|im_end|>"])
    assert step.extends


def test_each_is_compared_with_that_of_which_it_shares_most():
    steps = explain_requests(CHATML, [FIRST, TITLE, SECOND, FIRST, FORKED])
    assert [(step.earlier, step.kind) for step in steps] == [
        (0, "other"), (0, "extension"), (2, "fork"), (3, "fork"),
    ]  # fmt: skip
    assert [step.rule for step in steps[2:]] == ["beginning", "changed"]


def test_what_was_sampled_belongs_to_its_request():
    steps = explain_requests(CHATML, [FIRST, SECOND, SECOND], sampled=["Dry.<|im_end|>", None])
    assert [(step.earlier, step.rule) for step in steps] == [(0, "other words"), (1, "extended")]


def test_a_model_is_named_or_given():
    assert explain_requests(QWEN, [FIRST, SECOND]) == explain_requests(lect.get_template(QWEN), [FIRST, SECOND])


def test_options_of_a_request_are_those_of_its_prompt():
    off = {**FIRST, "chat_template_kwargs": {"enable_thinking": False}}
    assert read_request(lect.get_template(QWEN), off).prompt.text.endswith("<think>\n\n</think>\n\n")
    assert read_request(lect.get_template(QWEN), FIRST, enable_thinking=False).options == {"enable_thinking": False}
    (step,) = explain_requests(QWEN, [off, FIRST])
    assert step.rule == "beginning"
    last = {**SECOND, "messages": SECOND["messages"][:3], "add_generation_prompt": False}
    assert read_request(CHATML, last).prompt.text.endswith("Wet.<|im_end|>\n")
    begun = {**last, "add_generation_prompt": False, "continue_final_message": True}
    assert read_request(CHATML, begun).prompt.text.endswith("Wet.")


def test_an_option_that_changes_the_text_is_named():
    marked = lect.load_template("{% if brief %}B{% else %}L{% endif %}{{ messages[0].content }}", notation="jinja")
    requests = [{**FIRST, "chat_template_kwargs": {"brief": each}} for each in (True, False)]
    (step,) = explain_requests(marked, requests)
    assert (step.rule, step.reason) == ("option", "the option brief is another")


def test_a_fitted_request_has_the_paths_of_the_request_itself():
    told = [{"role": "developer", "content": f"Rule {each}."} for each in "ab"]
    before, after = [*told, user("Q1")], [told[0], {**told[1], "content": "Rule c."}, user("Q1")]
    (step,) = explain_requests(CHATML, [before, after], fit=True)
    assert (step.rule, step.now) == ("changed", ("messages", 1, "content"))
    assert step.reason == "messages[1].content is not what it was"
    (lost,) = explain_requests(CHATML, [before, after])
    assert lost.extends, "chatml drops the instructions of developers"


def test_a_request_that_is_none_is_named():
    with pytest.raises(lect.MessageError, match=r"request 2: a request has input or messages, but this one has prompt"):
        explain_requests(CHATML, [FIRST, {"prompt": "x"}])


# The command


@pytest.fixture
def files(tmp_path, monkeypatch, registry):
    monkeypatch.chdir(tmp_path)
    for name, value in {"first": FIRST, "second": SECOND, "forked": FORKED}.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(value), "utf-8")
    return tmp_path


def explained(capsys, *words):
    code = main(["explain", "some/model", "--adapter", "chatml", *map(str, words)])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_the_command_says_whether_it_extends(files, capsys):
    assert explained(capsys, "first.json", "second.json") == (0, "extension: 93 characters kept, 0 lost\n", "")


def test_the_command_says_why_it_does_not(files, capsys):
    code, out, _ = explained(capsys, "second.json", "forked.json")
    assert code == 1
    assert out.splitlines() == [
        "fork: 29 characters kept, 131 lost",
        "  because       messages[0].content is not what it was",
        "  rule          changed",
        "  character     29",
        "  field before  messages[0].content",
        "  field now     messages[0].content",
        "  text before   '1<|im_end|>\\n<|im_start|>user\\nQ1<|im_end|'",
        "  text now      '2<|im_end|>\\n<|im_start|>user\\nQ1<|im_end|'",
    ]


def test_the_command_reads_replies(files, capsys):
    (files / "reply.txt").write_text("Dry.<|im_end|>", "utf-8")
    code, out, _ = explained(capsys, "first.json", "second.json", "--reply", "reply.txt")
    assert code == 1
    assert "messages[2].content is not in the words of the model" in out
    assert "  field before  the template" in out


SESSION = [FIRST, {"request": SECOND, "reply": "Cold."}, FORKED]


@pytest.mark.parametrize("as_lines", [True, False])
def test_a_session_has_a_line_for_each_step(files, capsys, as_lines):
    text = "\n".join(map(json.dumps, SESSION)) if as_lines else json.dumps(SESSION)
    (files / "session.jsonl").write_text(text, "utf-8")
    code, out, _ = explained(capsys, "session.jsonl")
    assert code == 1
    assert out.splitlines() == [
        "request  after  is         kept  lost  because",
        "2        1      extension  93    0",
        "3        2      fork       29    136   messages[0].content is not what it was",
    ]


def test_json_has_all_that_is_known(files, capsys):
    code, out, _ = explained(capsys, "first.json", "second.json", "forked.json", "--json")
    first, second = json.loads(out)
    assert code == 1
    assert (first["request"], first["earlier"], first["kind"]) == (1, 0, "extension")
    assert (second["rule"], second["now"], second["by_tokens"]) == ("changed", ["messages", 0, "content"], False)


def test_tokens_are_counted_with_a_tokenizer(files, capsys, monkeypatch):
    directory = character_tokenizer.install(monkeypatch, files, {"<|im_start|>": 2_000_001, "<|im_end|>": 2_000_002})
    code, out, _ = explained(capsys, "first.json", "second.json", "--tokenizer", directory)
    assert (code, out) == (0, "extension: 42 tokens kept, 0 lost\n")


def test_a_request_is_fitted_on_demand(files, capsys, monkeypatch):
    for name, rule in {"a": "Be kind.", "b": "Be rude."}.items():
        told = [{"role": "developer", "content": rule}, user("Q1")]
        (files / f"{name}.json").write_text(json.dumps(told), "utf-8")
    assert explained(capsys, "a.json", "b.json")[0] == 0
    code, out, _ = explained(capsys, "a.json", "b.json", "--fit")
    assert code == 1
    assert "messages[0].content is not what it was" in out

    def absent(name, what=""):
        raise PluginError(f"{name} is in lect-fit")

    monkeypatch.setattr(lect._registry, "function", absent)
    code, _, err = explained(capsys, "a.json", "b.json", "--fit")
    assert (code, err) == (2, "lect: fit is in lect-fit\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["first.json"], "there is one request, and none before it: give two files, or JSON Lines"),
        (["first.json", "nowhere.json"], "cannot read 'nowhere.json': No such file or directory"),
        (["first.json", "text.txt"], "'text.txt' is neither JSON nor JSON Lines"),
        (["first.json", "empty.txt"], "'empty.txt' is neither JSON nor JSON Lines"),
        (["first.json", "odd.json"], "request 2: a request has input or messages, but this one has x"),
        (["first.json", "second.json", *["--reply", "text.txt"] * 3], "there are 3 replies for 2 requests"),
        (["first.json", "second.json", "--tokenizer", "nowhere"], "there is no file or directory 'nowhere'"),
        (["-", "-"], "can be -, standard input"),
        ([], "cannot read 'some/model': No such file or directory"),
    ],
)
def test_where_nothing_can_be_said_the_code_is_two(files, capsys, words, said):
    for name, text in {"text.txt": "Wet.\nor dry", "empty.txt": "", "odd.json": '{"x": 1}'}.items():
        (files / name).write_text(text, "utf-8")
    code, out, err = explained(capsys, *words)
    assert (code, out) == (2, "")
    assert said in err


def test_the_model_may_be_what_the_first_request_says(files, capsys):
    requests = [{**FIRST, "model": "lect:chatml"}, SECOND]
    (files / "named.jsonl").write_text("\n".join(map(json.dumps, requests)), "utf-8")
    assert main(["explain", "named.jsonl"]) == 0
    assert "extension" in capsys.readouterr().out
    (files / "nameless.json").write_text(json.dumps(FIRST["messages"]), "utf-8")
    assert main(["explain", "nameless.json", "second.json"]) == 2
    said = capsys.readouterr().err
    assert "the first request names no model" in said
    assert "try: the model that the server has before the files, such as Qwen/Qwen3-8B" in said


def test_an_unknown_model_is_no_fork(files, capsys):
    assert main(["explain", "acme/unheard-of", "first.json", "second.json"]) == 2
    assert "acme/unheard-of" in capsys.readouterr().err
