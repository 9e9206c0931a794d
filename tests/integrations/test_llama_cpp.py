"""What docs/how-to/serve-with-llama-cpp.md says, with a real server of llama.cpp and a tiny random model."""

import json
import urllib.request

import pages
import pytest
from tiny_gguf import tiny_gguf

import lect
from lect import dump_template
from lect_constrain import constrain
from lect_jinja.check.server import Server, verified_server

llama = pytest.importorskip("xllamacpp")

PAGE = (pages.DOCS / "how-to" / "serve-with-llama-cpp.md").read_text("utf-8")
MODEL = "HuggingFaceH4/zephyr-7b-beta"
QUESTION = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]


@pytest.fixture
def serve(tmp_path):
    """Return a function that starts a server with a chat template."""

    def start(template, chat_template):
        stop = next(iter(template.stop))
        controls = [*dict.fromkeys([*(each for each in template.markers if "{}" not in each), stop])]
        model = tmp_path / "tiny.gguf"
        model.write_bytes(tiny_gguf(controls, stop))
        parameters = llama.CommonParams()
        parameters.model.path, parameters.n_ctx, parameters.warmup, parameters.special = str(model), 4096, False, True
        parameters.use_jinja, parameters.chat_template = True, chat_template
        servers.append(llama.Server(parameters))
        return servers[-1].listening_address

    servers = []
    yield start
    servers.clear()


def post(address, path, body):
    request = urllib.request.Request(
        f"{address}{path}", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def rewritten(messages):
    """Return whether llama.cpp rewrites messages before the template sees them: the page says which."""
    return any(message["role"] == "developer" or isinstance(message.get("content"), list) for message in messages)


@pytest.mark.parametrize("model", [MODEL, "lmsys/vicuna-7b-v1.5", "01-ai/Yi-1.5-9B-Chat"])
def test_a_server_with_a_converted_template_sends_the_makers_prompts(serve, model):
    template = lect.get_template(model)
    address = serve(template, dump_template(template, "jinja"))
    messages = QUESTION[1:] if "system" not in (template.roles or ["system"]) else QUESTION
    expected = template.text(messages, add_generation_prompt=True)
    assert post(address, "/apply-template", {"messages": messages})["prompt"].endswith(
        expected.removeprefix(template.bos)
    )
    report = verified_server(Server(address), model)
    assert [symptom for symptom in report.differences if not rewritten(symptom.case.messages)] == []


def test_an_edited_template_is_found_and_the_command_fails(serve, tmp_path):
    template = lect.get_template(MODEL)
    edited = dump_template(template, "jinja").replace("<|user|>", "<|human|>")
    address = serve(template, edited)
    assert verified_server(Server(address), MODEL).verdict == "different"
    printed = pages.run_command(f"lect verify --server {address} --model {MODEL}", tmp_path)
    assert printed.startswith("different:")
    assert "<|human|>" in printed


def test_a_constraint_of_the_page_is_a_grammar_that_the_server_takes(serve):
    template = lect.get_template("Qwen/Qwen2.5-7B-Instruct")
    address = serve(template, dump_template(lect.template("chatml"), "jinja"))
    tool = {"type": "function", "function": {"name": "get_time", "parameters": {"type": "object", "properties": {}}}}
    grammar = constrain(template, [tool], tool_choice="required", parallel=False).gbnf()
    answer = post(address, "/completion", {"prompt": "x", "n_predict": 60, "grammar": grammar, "seed": 1})
    assert answer["content"].lstrip().startswith(("<tool_call>", '{"name": "get_time"'))


def test_the_page_names_the_commands():
    for command in ("lect convert", "lect constrain", "lect verify --server"):
        assert command in PAGE
