"""What `lect verify --server` says of servers with the endpoints of llama.cpp, vLLM and SGLang."""

import json
import time
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

import lect
from lect.plugin import Family, Rule, Turn, TurnTemplate
from lect_jinja.check.server import Server, ServerError, verified_server

END = Turn("<|{role}|>", "<|end|>")
ACME = TurnTemplate(
    "acme",
    system=END,
    user=END,
    assistant=END,
    other=END,
    stop=["<|end|>"],
    roles=["system", "user", "assistant", "tool"],
)
OTHER = ACME.but(name="other", user=Turn("<|{role}|>", "<|over|>"))


def known(template):
    return lect.register(Family("acme", Rule("acme chat", template)))


@pytest.fixture(autouse=True)
def family():
    with known(ACME) as undo:
        yield undo


class Engine(BaseHTTPRequestHandler):
    """Speaks one engine's endpoints; a character is a token."""

    engine, template, name, bos = "vllm", ACME, "acme/acme-chat", ""

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer(200, {"data": [{"id": self.name}]})

    def do_POST(self):
        given = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = getattr(self, f"{self.engine}_{self.path.strip('/').replace('/', '_').replace('-', '_')}", None)
        self.answer(*(answer(given) if answer else (404, {"error": "not found"})))

    def answer(self, status, data):
        body = json.dumps(data).encode()
        # Who does not wait for the answer is gone.
        with suppress(ConnectionError):
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    def prompt(self, given):
        options = given.get("chat_template_kwargs", {})
        return self.template.text(
            given["messages"], tools=given.get("tools"), add_generation_prompt=given["add_generation_prompt"], **options
        )

    # As documented: llama.cpp's tools/server/README.md
    def llama_apply_template(self, given):
        return 200, {"prompt": self.prompt(given)}

    def llama_tokenize(self, given):
        text = (self.bos if given["add_special"] else "") + given["content"]
        pieces = [self.bos] * (bool(self.bos) and text.startswith(self.bos)) or []
        rest = text[len(self.bos) * bool(pieces) :]
        return 200, {"tokens": [{"id": 1, "piece": each} for each in (*pieces, *rest)]}

    # vLLM's tokenizer API
    def vllm_tokenize(self, given):
        return 200, {"tokens": list(map(ord, self.prompt(given))), "count": 0, "max_model_len": 1}

    def vllm_detokenize(self, given):
        return 200, {"prompt": "".join(map(chr, given["tokens"]))}

    # vLLM's renderer
    def render_v1_chat_completions_render(self, given):
        return 200, {"request_id": "x", "token_ids": list(map(ord, self.prompt(given)))}

    render_detokenize = vllm_detokenize

    # SGLang's tokenizer API
    sglang_tokenize = vllm_tokenize

    def sglang_detokenize(self, given):
        assert given["skip_special_tokens"] is False
        return 200, {"text": "".join(map(chr, given["tokens"]))}

    # Those that are of no use
    def slow_tokenize(self, given):
        time.sleep(2)
        return 200, {}

    def odd_tokenize(self, given):
        return 200, {"tokens": "none"}

    def refusing_tokenize(self, given):
        return (400, {"error": "no"}) if given.get("tools") else self.vllm_tokenize(given)

    refusing_detokenize = vllm_detokenize


@contextmanager
def serving(**facts):
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Served", (Engine,), facts))
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


ENGINES = ["llama", "vllm", "render", "sglang"]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_server_with_the_makers_format_is_equal(engine):
    with serving(engine=engine) as url:
        report = verified_server(Server(url))
    assert (report.verdict, report.differences, report.model) == ("no difference", (), "acme/acme-chat")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_server_that_lies_about_its_name_is_found_out(engine):
    with serving(engine=engine, template=OTHER) as url:
        report = verified_server(Server(f"{url}/v1/"))
    assert report.verdict == "different"
    assert [each.meaning.says for each in report.differences] == ["a marker is another"]


def test_the_bos_that_a_tokenizer_adds_is_no_difference_and_a_second_one_is(family):
    with serving(engine="llama", bos="<s>") as url:
        assert verified_server(Server(url)).verdict == "no difference"
    twice = ACME.but(bos="<s>")
    family()
    with known(twice):
        with serving(engine="llama", template=twice) as url:
            assert verified_server(Server(url)).verdict == "no difference"
        with serving(engine="llama", template=twice, bos="<s>") as url:
            (difference,) = verified_server(Server(url)).differences
    assert difference.meaning.says == "the BOS is written twice"


def test_what_a_server_refuses_is_said():
    with serving(engine="refusing") as url:
        report = verified_server(Server(url))
    assert [each.meaning.says for each in report.differences] == ["it refuses what the maker's template accepts"]


@pytest.mark.parametrize("engine", ["none", "odd"])
def test_a_server_that_renders_nothing_is_an_error(engine):
    with serving(engine=engine) as url, pytest.raises(ServerError, match="renders no request"):
        Server(url)


def test_a_server_that_does_not_answer_in_time_is_an_error():
    with serving(engine="slow") as url, pytest.raises(ServerError, match=r"gives no answer: it took more than 0\.2 s"):
        Server(url, timeout=0.2)


def test_a_key_is_asked_for_and_redirects_are_not_followed():
    def unauthorized(self):
        self.answer(401, {})

    def elsewhere(self):
        self.send_response(302)
        self.send_header("Location", "http://127.0.0.1:9/")
        self.end_headers()

    with serving(do_GET=unauthorized) as url, pytest.raises(ServerError, match="wants an API key"):
        Server(url)
    with serving(do_GET=elsewhere, do_POST=elsewhere) as url, pytest.raises(ServerError, match="renders no request"):
        Server(url)
