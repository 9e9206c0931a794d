"""The conformance pack: what it holds, and what its runner says about programs."""

import json
import re
import runpy
import subprocess
import sys
from zipfile import ZipFile

import jsonschema
import pytest
import replies
from make_pack import STATIC, VERSION, write_pack
from pages import DOCS

LECT = [sys.executable, "-m", "lect_kit.answer"]
READ = "import json, sys\nfor line in sys.stdin:\n    request = json.loads(line)\n    "
SAY = "print(json.dumps({}), flush=True)"
WRONG = '{"id": request["id"], "content": "No.", "reasoning": None, "calls": []}'


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    return write_pack(tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def pack(archive):
    with ZipFile(archive) as packed:
        packed.extractall(archive.parent)
    return archive.parent / f"lect-conformance-{VERSION}"


def lines(pack, kind):
    with (pack / f"{kind}.jsonl").open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def run(pack, *words):
    """Return the exit code of the runner, what it prints, and what it complains about."""
    # -I: the runner needs nothing that is installed.
    done = subprocess.run(
        [sys.executable, "-I", "-S", pack / "run.py", *words], capture_output=True, encoding="utf-8", check=False
    )
    return done.returncode, done.stdout, done.stderr


def run_program(pack, program, *options):
    return run(pack, "--only", "replies", "--match", "kimi_k2", *options, "--", sys.executable, "-c", program)


def test_the_same_data_give_the_same_file(archive, tmp_path):
    assert write_pack(tmp_path).read_bytes() == archive.read_bytes()


def test_it_holds_all_that_a_stranger_needs(pack):
    assert {path.name for path in pack.iterdir()} == {
        "LICENSE", "NOTICE", "README.md", "masks.jsonl", "masks.schema.json", "prompts.jsonl", "prompts.schema.json",
        "replies.jsonl", "replies.schema.json", "run.py",
    }  # fmt: skip


@pytest.mark.parametrize(("kind", "least"), [("prompts", 13_000), ("masks", 8), ("replies", 450)])
def test_every_line_is_as_its_schema_says(pack, kind, least):
    schema = json.loads((pack / f"{kind}.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    found = lines(pack, kind)
    assert len(found) >= least
    assert len({line["id"] for line in found}) == len(found)
    assert [error.message for line in found for error in validator.iter_errors(line)] == []


@pytest.mark.parametrize("kind", ["prompts", "masks", "replies"])
def test_the_page_explains_every_field(pack, kind):
    schema = json.loads((pack / f"{kind}.schema.json").read_text("utf-8"))
    page = (pack / "README.md").read_text("utf-8")
    explained = set(re.findall(r"`((?:given|expected|evidence)\.\w+)`", page))
    parts = {part: schema["properties"][part] for part in ("given", "expected", "evidence")}
    names = {
        f"{part}.{name}"
        for part, found in parts.items()
        for each in found.get("oneOf", [found])
        for name in each["properties"]
    }
    assert names - explained == {"evidence.kind"} - explained


def test_no_text_of_other_projects_tests_is_in_it(pack):
    theirs = {vector["input"] for vector in replies.vectors("parse")}
    assert [line["id"] for line in lines(pack, "replies") if line["given"]["text"] in theirs] == []


def test_lect_answers_every_line(pack):
    code, printed, complaint = run(pack, "--json", "--", *LECT)
    assert (code, complaint) == (0, "")
    for kind, data in json.loads(printed).items():
        count = len(lines(pack, kind))
        assert (data["failures"], data["total"]["lines"], data["total"]["skipped"]) == ([], count, 0)
    assert data["total"]["reading"] == data["total"]["stream"] == {"passed": count, "failed": 0}


def test_the_table_has_a_row_for_each_format(pack):
    code, printed, _ = run(pack, "--only", "replies", "--match", "kimi", "--", *LECT)
    assert code == 0
    assert re.match(r"format +lines +skipped +reading +stream +problems\nkimi_k2 +(\d+) +0 +\1/\1 +\1/\1 +-\n", printed)


def test_a_program_that_is_wrong_fails_with_what_was_expected(pack):
    code, printed, _ = run_program(pack, READ + SAY.format(WRONG), "--show", "1")
    assert code == 1
    assert 'reading: content: expected "Hello!\\n\\nHow are you?", got "No."' in printed
    assert re.search(r"\nall +(\d+) +0 +0/\1 +- +-\n", printed)
    assert re.search(r"\.\.\. and \d+ more: --show or --json\n$", printed)


def test_a_program_that_knows_nothing_is_skipped_and_not_wrong(pack):
    code, printed, _ = run_program(pack, READ + SAY.format('{"id": request["id"], "skip": "unknown"}'))
    assert code == 0
    assert re.search(r"\nall +(\d+) +\1 +- +- +-\n", printed)


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("raise SystemExit(3)", "it ended without an answer (exit code 3)"),
        ("import time; time.sleep(600)", "it hung: no answer in 0.5 seconds"),
        (READ + "print('Hello!', flush=True)", "its answer is not a JSON object with the id of the line: 'Hello!\\n'"),
        (READ + "print('[' * 9999, flush=True)", "its answer is not a JSON object with the id of the line: '[[["),
        (READ + SAY.format('{"id": "another"}'), "its answer is not a JSON object with the id of the line: "),
    ],
    ids=["ends", "hangs", "no JSON", "deep", "another id"],
)
def test_a_program_that_gives_no_answer_is_given_up_with_the_reason(pack, program, why):
    # Only a program that never answers may be cut short: others take as long as the machine lets them.
    code, printed, complaint = run_program(pack, program, "--timeout", "0.5" if "hung" in why else "60")
    assert (code, printed) == (1, "")
    assert "run.py: given up after 3 lines in a row without an answer; the last is " in complaint
    assert why in complaint


def test_a_program_that_ends_on_one_line_is_started_again(pack):
    crash = 'if request["id"].endswith("/calls"): sys.exit(7)\n    '
    code, printed, _ = run_program(pack, READ + crash + SAY.format('{"id": request["id"], "skip": "unknown"}'))
    assert code == 1
    assert re.findall(r"(\S+), reading: (.+)\n", printed)[0][1] == "it ended without an answer (exit code 7)"
    assert re.search(r"\nall +(\d+) +[1-9]\d* +0/[1-4] ", printed)


def test_an_answer_without_a_field_is_wrong_even_if_nothing_is_expected_there(pack):
    program = READ + SAY.format('{"id": request["id"], "error": "crashed"}')
    code, printed, _ = run(pack, "--only", "replies", "--", sys.executable, "-c", program)
    assert code == 1
    assert "reading: no content and no reasoning and no calls: " in printed
    assert re.search(r"\nall +(\d+) +0 +0/\1 ", printed)


@pytest.mark.parametrize("given", ['"calls": 3', '"calls": ["f"]', '"content": 3', '"streams": [[1]]', '"streams": []'])
def test_an_answer_of_another_shape_is_wrong_and_does_not_stop_the_runner(pack, given):
    code, printed, complaint = run_program(pack, READ + SAY.format(WRONG[:-1] + ", " + given + "}"))
    assert (code, complaint) == (1, "")
    assert re.search(r"\nall +(\d+) +0 +0/\1 ", printed)


def test_a_program_that_does_not_exist_is_named(pack):
    code, _, complaint = run(pack, "--", "no-such-program")
    assert code == 2
    assert "no-such-program" in complaint


@pytest.mark.parametrize(
    ("deltas", "reading"),
    [
        ([{"content": "a"}, {"content": "b"}], ("ab", "", [])),
        ([{"reasoning_content": "a"}, {"reasoning": "b"}, {"content": None}], ("", "ab", [])),
        (
            [
                {"tool_calls": [{"index": 0, "function": {"name": "f", "arguments": ""}}]},
                {"tool_calls": [{"index": 1, "function": {"name": "g", "arguments": '{"x"'}}]},
                {"tool_calls": [{"index": 0, "function": {"arguments": "{}"}}]},
            ],
            ("", "", [{"name": "f", "arguments": {}}]),
        ),
    ],
)
def test_deltas_are_joined_as_clients_join_them(pack, deltas, reading):
    code = f"import run; print(run.json.dumps(run.joined({deltas!r})))"
    done = subprocess.run([sys.executable, "-c", code], cwd=pack, capture_output=True, encoding="utf-8", check=True)
    assert tuple(json.loads(done.stdout).values()) == reading


def test_the_page_shows_what_was_measured():
    made = runpy.run_path(str(DOCS / "make_conformance.py"))
    assert made["PAGE"].read_text("utf-8") == made["page"](), "try: python docs/make_conformance.py"


def test_chunks_for_servers_do_not_end_inside_of_a_mark():
    cut = runpy.run_path(str(STATIC / "peers/serving.py"))["cut"]
    assert cut("Hi <tool_call>f</tool_call>", [2]) == ["Hi", " <tool_call>", "f</tool_call>"]
    assert cut("a < b > c[TOOL_CALLS]x", [4, 1]) == ["a < ", "b", " > c", "[TOOL_CALLS]x"]
