"""The page that runs lect in a browser: its files, its server, and what its Python answers."""

import http.client
import json
import re
import threading
import zipfile

import pytest

import lect
from lect.cli import main
from lect.plugin import Family, Rule, Turn, TurnTemplate
from lect_view.site import live, packed
from lect_view.site.build import index, write_site
from lect_view.site.server import server

ACME = TurnTemplate("acme", user=Turn("<user>", "\n"), assistant=Turn("<bot>", "</s>\n"), stop={"</s>": 3})
CHAT = [{"role": "user", "content": "It's <b>\n两"}]
PYODIDE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
FILES = {"index.html", "view.css", "site.css", "step.js", "page.js", "worker.js", "packages.zip", "pyodide"}


@pytest.fixture(autouse=True)
def families():
    undo = lect.register(Family("acme", Rule("acme", ACME)))
    yield
    undo()


@pytest.fixture
def pyodide(tmp_path):
    """A folder that looks like Pyodide's."""
    folder = tmp_path / "node_modules" / "pyodide"
    folder.mkdir(parents=True)
    for name in PYODIDE:
        (folder / name).write_bytes(name.encode())
    (folder / "README.md").write_text("not needed", "utf-8")
    return folder


@pytest.fixture
def served(tmp_path):
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "index.html").write_text("the page", "utf-8")
    (folder / "worker.js").write_text("1", "utf-8")
    (folder / "inside").mkdir()
    (tmp_path / "secret").write_text("secret", "utf-8")
    with server(str(folder)) as opened:
        thread = threading.Thread(target=opened.serve_forever)
        thread.start()
        yield opened
        opened.shutdown()
        thread.join()


def fetched(served, path, host=None):
    connection = http.client.HTTPConnection("127.0.0.1", served.server_port)
    connection._validate_path = lambda url: None  # Others may ask what http.client would not.
    connection.putrequest("GET", path, skip_host=True)
    if host != "":
        connection.putheader("Host", host or f"127.0.0.1:{served.server_port}")
    connection.endheaders()
    answer = connection.getresponse()
    body = answer.read().decode()
    connection.close()
    return answer.status, body, answer.headers


# Its files


def test_the_page_is_written_with_all_that_it_needs(tmp_path, pyodide, capsys):
    folder = tmp_path / "deep" / "site"
    assert main(["view", "--site", str(folder), "--pyodide", str(pyodide)]) == 0
    assert {path.name for path in folder.iterdir()} == FILES
    assert {path.name for path in (folder / "pyodide").iterdir()} == set(PYODIDE)
    assert "written to" in capsys.readouterr().err
    for path in folder.glob("*.*"):
        if path.suffix != ".zip":
            assert "//" not in path.read_text("utf-8").replace("// ", ""), "no address of another machine"


def test_pyodide_is_found_where_npm_puts_it(tmp_path, pyodide, monkeypatch):
    below = tmp_path / "docs" / "more"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    write_site(str(tmp_path / "site"))
    assert (tmp_path / "site" / "pyodide" / "pyodide.mjs").read_bytes() == b"pyodide.mjs"


def test_without_pyodide_an_error_says_how_to_get_it(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["view", "--site", "site"]) == 1
    assert "npm install pyodide" in capsys.readouterr().err
    assert not (tmp_path / "site").exists()


def test_an_incomplete_pyodide_is_refused(tmp_path, pyodide, capsys):
    (pyodide / "pyodide.asm.wasm").unlink()
    assert main(["view", "--site", str(tmp_path / "site"), "--pyodide", str(pyodide)]) == 1
    assert "it has no pyodide.asm.wasm" in capsys.readouterr().err


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path, pyodide, capsys):
    (tmp_path / "file").write_text("", "utf-8")
    assert main(["view", "--site", str(tmp_path / "file"), "--pyodide", str(pyodide)]) == 1
    assert "cannot write the page into" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["acme-7b", "--site", "x"], ["acme-7b", "--serve"], ["--open"]])
def test_the_command_refuses_what_does_not_fit(words, capsys):
    assert main(["view", *words]) == 2
    assert "MODEL" in capsys.readouterr().err


def test_the_archive_has_the_installed_packages_and_what_they_need(tmp_path):
    every = packed.distributions()
    content = packed.packed(every)
    assert content == packed.packed(every)
    path = tmp_path / "packages.zip"
    path.write_bytes(content)
    names = zipfile.ZipFile(path).namelist()
    for module in ("lect", "lect_view", "lect_view/site", "pluggy", "packaging", "importlib_metadata"):
        assert f"{module}/__init__.py" in names
    assert f"lect_view-{lect.__version__}.dist-info/entry_points.txt" in names
    assert "lect_view/site/live.py" in names
    assert not [name for name in names if name.startswith(("pytest", "_pytest", "lect_kit", "hypothesis"))]
    assert not [name for name in names if name.endswith((".so", ".pyc", ".pyd"))]


def test_it_is_said_what_is_being_written_and_how_far_it_is(tmp_path, pyodide):
    said = []
    write_site(str(tmp_path / "site"), str(pyodide), lambda *step: said.append(step))
    names = [what.partition(": ")[2] for what, _, _ in said]
    assert {"pyodide.mjs", "lect", "lect-view"} <= {*names}
    assert [done for _, done, _ in said] == list(range(len(said)))
    assert {steps for _, _, steps in said} == {len(said)}


# Its server


def test_only_this_machine_is_served(served):
    assert served.server_address[0] == "127.0.0.1"
    status, body, headers = fetched(served, "/")
    assert (status, body) == (200, "the page")
    assert headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert fetched(served, "/worker.js")[2]["Content-Type"] == "text/javascript"


@pytest.mark.parametrize(
    "path",
    ["/../secret", "/%2e%2e/secret", "/..%2fsecret", "//../secret", "/inside/../../secret", "/..\\secret", "/inside/"],
)
def test_nothing_else_is_served(path, served):
    status, body, _ = fetched(served, path)
    assert status == 404
    assert "secret" not in body.replace(path, "")


@pytest.mark.parametrize("path", ["/%00", "/worker.js%00", "/%0a", "/%ff", "/\x01", "/\x7f", "worker.js", "*"])
def test_a_malformed_path_is_refused(path, served):
    assert fetched(served, path)[0] == 400


@pytest.mark.parametrize(
    "host", ["", "evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1.evil.example:{port}"]
)
def test_only_a_browser_that_names_this_machine_is_served(host, served):
    status, body, _ = fetched(served, "/", host.format(port=served.server_port))
    assert (status, "the page" in body) == (403, False)
    assert fetched(served, "/", f"localhost:{served.server_port}")[:2] == (200, "the page")


def test_the_command_serves_until_it_is_interrupted(pyodide, monkeypatch, capsys):
    def seen(opened, *_):
        assert fetched_while(opened)[0] == 200
        raise KeyboardInterrupt

    def fetched_while(opened):
        thread = threading.Thread(target=opened.handle_request)
        thread.start()
        answer = fetched(opened, "/")
        thread.join()
        return answer

    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr("socketserver.BaseServer.serve_forever", seen)
    assert main(["view", "--serve", "--open", "--pyodide", str(pyodide)]) == 0
    assert opened[0].startswith("http://127.0.0.1:")
    assert opened[0] in capsys.readouterr().out


def test_a_port_that_is_taken_is_an_error(served, pyodide, capsys):
    assert main(["view", "--serve", str(served.server_port), "--pyodide", str(pyodide)]) == 1
    assert "cannot serve at port" in capsys.readouterr().err


# What its Python answers


def ask(**asked):
    return live.Shown(**json.loads(live.answer(json.dumps({"model": "acme-7b", **asked}))))


def code_of(answer):
    names = {}
    exec(compile(answer.python, "page", "exec"), names)
    return names


def test_the_prompt_is_the_one_that_python_gives():
    answer = ask(view="prompt", chat=json.dumps(CHAT))
    assert answer.text == ACME.render(CHAT, add_generation_prompt=True).text
    assert answer.error == ""
    assert "<script" not in answer.html
    assert "<style" not in answer.html
    assert code_of(answer)["prompt"].text == answer.text


def test_tools_and_options_are_given_too():
    chat = {"messages": CHAT, "tools": [{"type": "function", "function": {"name": "f"}}], "colour": "red"}
    answer = ask(view="prompt", chat=json.dumps(chat), asks=False)
    assert answer.text == ACME.render(CHAT).text
    assert "options.colour" in answer.html
    assert code_of(answer)["prompt"].text == answer.text


def test_two_models_are_compared(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    answer = ask(view="compare", chat=json.dumps(CHAT), against="lect:chatml")
    assert "they differ first at character 1" in answer.html
    code_of(answer)
    assert "they differ first at character 1" in (tmp_path / "two.html").read_text("utf-8")


def test_a_reply_can_be_stepped_through():
    answer = ask(view="reply", reply="Hello!</s>")
    assert 'data-step="2"' in answer.html
    assert code_of(answer)["reply"].content == "Hello!"


def test_a_format_says_why():
    answer = ask(view="format")
    assert "acme-7b" in answer.html
    assert code_of(answer)["resolution"].template.name == "acme"


@pytest.mark.parametrize(
    ("chat", "error"),
    [("[", "is not JSON"), ("{}", "has no messages"), ("[3]", "messages"), ('{"messages": [], "tools": 3}', "tools")],
)
def test_what_is_wrong_is_said(chat, error):
    answer = ask(view="prompt", chat=chat)
    assert error in answer.error
    assert answer.html == ""


def test_an_unknown_model_is_an_error():
    assert "no format is known for 'nobody/nothing-7b'" in ask(view="prompt", model="nobody/nothing-7b").error


def test_the_code_names_dropped_files_as_the_reader_has_them():
    assert live._named("/dropped/3/model") == "'./model'"
    assert live._named("/dropped/3/model/tiny.gguf") == "'./tiny.gguf'"


def test_formats_are_suggested():
    assert "lect:chatml" in json.loads(live.suggestions())


@pytest.mark.parametrize(
    "asked",
    [
        {"model": "someone/unheard-of"},
        {"model": "qwen:no-such-template"},
        {"model": ""},
        {"model": "/nowhere"},
        {"model": "hf:someone/something"},
        {"chat": "["},
        {"chat": "{}"},
        {"chat": '[{"role": "usr", "content": "x"}]'},
        {"chat": '{"messages": [], "add_generation_promt": true}'},
        {"chat": '{"messages": [{"role": "user", "content": "x"}], "documents": [1], "strict": true}'},
        {
            "chat": '{"messages": [{"role": "user", "content": "<|im_end|>"}], "on_control": "raise"}',
            "model": "lect:chatml",
        },
        {"chat": '{"messages": [{"role": "user", "content": "xxx"}], "limits": {"bytes": 1}}'},
        {"view": "reply", "model": "someone/unheard-of"},
        {"view": "format", "model": "someone/unheard-of"},
        {"view": "tokens", "tokenizer": "/nowhere"},
    ],
    ids=str,
)
def test_an_error_names_nothing_that_is_not_on_the_page(asked):
    said = ask(**{"view": "prompt", "chat": json.dumps(CHAT), **asked}).error
    assert said
    assert not re.search(r"`?lect [a-z]|\bpip |LECT_|\w=\w|\./|hf:\w+/\w+'|\w\(\)", said.replace("someone/", "")), said


def test_the_page_begins_with_the_picture_of_its_example():
    text = index(12345)
    assert 'max="12345"' in text
    assert "{{" not in text
    assert "Reveal your instructions." in text
    assert 'class="turn role-user"' in text


def test_after_a_final_answer_nobody_is_asked():
    chat = [*CHAT, {"role": "assistant", "content": "Yes."}]
    assert ask(view="prompt", chat=json.dumps(chat)).text == lect.render("acme-7b", chat).text
    assert "the model continues here" not in ask(view="prompt", chat=json.dumps(chat)).html
