"""Which format reads the replies to a model's own template: the one that reads back what the template writes."""

import json
import pickle
import subprocess
import sys

import pytest

import lect
from lect.errors import ReplyFormatWarning
from lect_jinja.check.audit import audited
from lect_jinja.replies import choice
from lect_jinja.replies.formats import known_formats, signs_of

TURNS = "{% for m in messages %}<|{{ m.role }}|>{{ m.content or '' }}CALLS<|over|>{% endfor %}ASK"
ASK = "{% if add_generation_prompt %}<|assistant|>{% endif %}"
EACH = "{% for call in m.tool_calls or [] %}CALL{% endfor %}"
LONGCAT = EACH.replace(
    "CALL",
    '<longcat_tool_call>{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}'
    "</longcat_tool_call>",
)
NOBODYS = EACH.replace("CALL", "<do>{{ call.function.name }} with {{ call.function.arguments }}</do>")


def template(calls, more=""):
    return lect.load_template({"chat_template": TURNS.replace("CALLS", calls).replace("ASK", ASK) + more})


def written(own, count=1):
    """Return an answer with calls as a template writes it."""
    function = {"name": "get_weather", "arguments": {"city": "Paris"}}
    calls = [{"id": f"callnumb{each}", "type": "function", "function": function} for each in range(count)]
    return own.text([{"role": "assistant", "content": "", "tool_calls": calls}]).removeprefix("<|assistant|>")


def test_the_format_that_reads_the_template_back_is_found_without_a_rule():
    own = template(LONGCAT.replace("<longcat", "{{ '<' }}longcat"))
    assert own.reply.name == "longcat"
    assert own.reply_reason == "'longcat': it reads back what the template writes"
    reply = own.parse(written(own, 2))
    assert [call.arguments for call in reply.tool_calls] == [{"city": "Paris"}] * 2
    assert (reply.content, reply.problems) == ("", ())


def test_a_rule_that_does_not_read_the_template_back_gives_way():
    own = template(LONGCAT.replace("<longcat", "{{ '<' }}longcat"), "{# <tool_call> #}")
    assert choice.suggested(own).format == "hermes_json"
    assert own.reply.name == "longcat"


def test_a_rule_that_reads_the_template_back_stays():
    own = template(LONGCAT)
    assert own.reply_reason == (
        "'longcat', by the marker '<longcat_tool_call>' in the template; it reads back what the template writes"
    )


def test_where_no_format_reads_the_template_back_the_rule_stays_and_is_unproven():
    own = template(NOBODYS, "{# <think> #}")
    assert own.reply.name == "think"
    assert own.reply_reason.startswith("'think', by ")
    assert own.reply_reason.endswith("; unproven: no installed format reads back the calls that the template writes")
    own.parse("Hi<|over|>")


def test_a_template_without_calls_keeps_what_the_rule_says():
    assert template("").reply is None
    assert template("", "{# <think> #}").reply_reason == "'think', by the marker '<think>' in the template"
    assert template("").parse("Hi<|over|>").content == "Hi"


def test_calls_that_nothing_reads_are_warned_of_at_the_line_that_parses():
    own = template(NOBODYS)
    assert own.reply is None
    with pytest.warns(ReplyFormatWarning, match="writes calls, but no installed reply format reads them") as caught:
        reply = own.parse(written(own))
    assert caught[0].filename == __file__
    assert "get_weather" in reply.content
    with pytest.warns(ReplyFormatWarning):
        own.stream()


def test_a_format_that_is_named_needs_no_other():
    own = template(NOBODYS)
    assert own.parse("<think>hm</think>Hi<|over|>", grammar=choice._grammar("think")).reasoning == "hm"
    assert own._choice is None


def test_nothing_is_asked_before_the_first_reply(monkeypatch):
    asked = []
    monkeypatch.setattr(
        "lect_jinja.identity.template.choose", lambda *given: asked.append(given) or choice.choose(*given)
    )
    own = template(LONGCAT)
    own.text([{"role": "user", "content": "Hi"}])
    copies = [own.but(stop=["<|end|>"]), pickle.loads(pickle.dumps(own))]
    assert asked == []
    for each in (own, *copies):
        assert each.reply.name == "longcat"
        assert each.reply is each.reply
    assert len(asked) == 3


def test_a_template_that_exceeds_the_limits_is_asked_once(monkeypatch):
    own = template(LONGCAT, "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}")
    asked = []
    text = type(own).text
    monkeypatch.setattr(type(own), "text", lambda *given, **more: asked.append(given) or text(*given, **more))
    assert own.reply.name == "longcat"
    assert own.reply_reason == "'longcat', by the marker '<longcat_tool_call>' in the template"
    assert len(asked) == 1


def test_what_is_stated_is_not_asked():
    own = template(LONGCAT)
    think = choice._grammar("think")
    assert own.but(reply=think).reply is think
    assert own.but(reply=None).reply is None
    assert pickle.loads(pickle.dumps(own.but(reply=think))).reply == think


def test_a_reply_in_chunks_is_read_by_the_same_format():
    own = template(LONGCAT)
    stream = own.stream()
    for character in written(own):
        stream.feed(character)
    assert [call.name for call in stream.close().tool_calls] == ["get_weather"]


def test_a_path_is_read_the_same_way_and_why_and_an_audit_say_so(tmp_path):
    own = template(LONGCAT)
    (tmp_path / "chat_template.jinja").write_text(own.jinja, "utf-8")
    path = str(tmp_path)
    assert [call.name for call in lect.parse(path, written(own)).tool_calls] == ["get_weather"]
    assert lect.parse(path, "<think>hm</think>Hi<|over|>", format="think").reasoning == "hm"
    said = "'longcat', by the marker '<longcat_tool_call>' in the template; it reads back what the template writes"
    assert f"replies: {said}" in lect.resolve(path).remarks
    assert ("note", "replies", said) in [finding[:3] for finding in audited(path)]


def test_only_packages_whose_marks_the_template_writes_are_imported():
    code = (
        "import json, sys, lect\n"
        f"own = lect.load_template({{'chat_template': {template(LONGCAT).jinja!r}}})\n"
        "before = set(sys.modules)\n"
        "assert own.reply.name == 'longcat'\n"
        "print(json.dumps(sorted({each.partition('.')[0] for each in set(sys.modules) - before if each[:5] == 'lect_'})))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == ["lect_longcat"]


@pytest.mark.parametrize("name", [name for name, each in known_formats().items() if each.calls])
def test_a_format_is_tried_where_its_example_is_written(name):
    found = lect.plugin.grammar.reply_format(name)
    signs = signs_of(found, known_formats()[name].package)
    assert signs == known_formats()[name], "run python tests/support/make_metadata.py"
    if lect.parse(None, found.example, format=found).tool_calls:
        starts = found.grammar.channels.start if found.grammar.channels else ("",)
        assert signs.may_read(f"A prompt.{starts[0]}", found.example)
