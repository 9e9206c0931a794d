"""A reply format in somebody else's package, really installed: it is tried for a model's own template like ours."""

import json

import pytest
from repository import folder
from sandbox import JINJA, Plugin

FORMAT = """
from lect.plugin.grammar import JSON_OBJECT, Grammar, ReplyFormat, Section

ACME = ReplyFormat(
    Grammar("acme_do", sections=(Section((JSON_OBJECT,), ("<acme_do>",), ("</acme_do>",)),)),
    stop=("<|over|>",),
    names="Acme",
    example='<acme_do>{"name": "f", "arguments": {}}</acme_do>',
    model_types=("acme9",),
)
"""
ACME = Plugin("acme-replies", FORMAT, "acme_do", group="lect.replies", attribute=":ACME")
BROKEN = Plugin("acme-broken", "raise OSError('no disk')\n", "acme_broken", group="lect.replies", attribute=":ACME")
TURNS = "{% for m in messages %}<|{{ m.role }}|>{{ m.content or '' }}CALLS<|over|>{% endfor %}"
CALLS = """{% for call in m.tool_calls or [] %}<acme_do>{{ call.function | tojson }}</acme_do>{% endfor %}"""
ANSWER = 'Look.<acme_do>{"name": "f", "arguments": {"a": 1}}</acme_do><|over|>'
PARSE = f"""
reply = lect.parse("./model", {ANSWER!r})
answer = [reply.content, [[call.name, call.arguments] for call in reply.tool_calls], lect.resolve("./model").remarks[-1]]
"""


@pytest.fixture
def installed(sandbox):
    """Return a function that installs packages beside lect-jinja, and a model with a template of its own."""

    def make(*packages, calls=CALLS, model_type=""):
        environment = sandbox.fresh(folder("jinja"), *packages)
        environment.pip("install", "--quiet", *JINJA)
        model = environment.directory / "model"
        model.mkdir()
        (model / "chat_template.jinja").write_text(TURNS.replace("CALLS", calls), "utf-8")
        (model / "config.json").write_text(json.dumps({"model_type": model_type}), "utf-8")
        return environment

    return make


def test_a_strangers_format_reads_what_a_models_own_template_writes(installed):
    environment = installed(ACME, BROKEN)
    read = environment.run(PARSE)
    said = "replies: 'acme_do', by the marker '<acme_do>' in the template; it reads back what the template writes"
    assert read.value == ["Look.", [["f", {"a": 1}]], said]
    assert "no installed reply format reads them" not in read.stderr


def test_a_strangers_format_is_meant_by_the_model_type_that_it_states(installed):
    read = installed(ACME, calls="", model_type="acme9").ask(PARSE)
    assert read == ["Look.", [["f", {"a": 1}]], "replies: 'acme_do', by the model_type 'acme9'"]


def test_without_it_the_warning_that_no_installed_format_reads_the_calls_is_true(installed):
    read = installed(BROKEN).run(PARSE)
    assert read.value[1] == []
    assert "writes calls, but no installed reply format reads them" in read.stderr
