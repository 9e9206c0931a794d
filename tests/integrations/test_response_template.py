"""Response templates as transformers itself reads them."""

import json
import warnings

import pages
import pytest
import response_templates
from sampling import few

import lect
from lect import dump_template
from lect_jinja.replies.responses.grammar import read_response_template
from lect_jinja.replies.responses.patterns import UnreadableError
from lect_jinja.writing.response_template import as_message, as_transformers

parsing = pytest.importorskip("transformers.utils.chat_parsing")
transformers = pytest.importorskip("transformers")

NAMES = sorted(name for names in lect.templates().values() for name in names)


def expressible():
    for name in NAMES:
        template = lect.template(name)
        try:
            yield name, dump_template(template, "response-template")
        except lect.ConversionError:
            continue


def test_most_templates_are_written_without_loss_and_are_valid():
    found = dict(expressible())
    # Not Seed-OSS, whose thoughts have marks inside: such a template cannot say that.
    assert len(found) >= 79
    for text in found.values():
        parsing.response_parser.load_response_template(json.loads(text))
    assert {"qwen3", "deepseek-v3.1", "glm-4.5", "kimi-k2"} <= set(found)


def test_chunks_make_no_difference():
    spec = json.loads(dump_template(lect.template("qwen3"), "response-template"))
    text = '<think>\nHm.\n</think>\n\nYes.\n<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call><|im_end|>'
    prompt = lect.template("qwen3").text([{"role": "user", "content": "Hi"}], add_generation_prompt=True)
    parser = parsing.ResponseParser(spec, prefix=prompt)
    for letter in text:
        parser.feed(letter)
    message, _ = parser.finalize()
    assert message["thinking"] == "Hm."
    assert message["content"] == "Yes."
    assert message["tool_calls"][0]["function"] == {"name": "f", "arguments": {"a": 1}}


@pytest.mark.parametrize("seed", range(few(400)))
def test_what_is_read_is_what_transformers_reads(seed):
    case, template = response_templates.case(seed), lect.template("chatml")
    read = read_response_template(case.spec)
    for text, meant in case.replies:
        ours = template.parse(text, grammar=read.grammar, tools=response_templates.TOOLS, starts_in_reasoning=False)
        theirs = as_transformers(parsing.parse_response, case.spec, text, case.start, response_templates.TOOLS)
        assert as_message(ours) == theirs == meant, text


def test_the_templates_of_its_own_server_are_read():
    serving = pytest.importorskip("transformers.cli.serving.utils")
    for spec in serving._RESPONSE_TEMPLATE_FALLBACKS.values():
        read = read_response_template(spec)
        reply = lect.template("chatml").parse(read.example, grammar=read.grammar, starts_in_reasoning=False)
        assert as_message(reply) == as_transformers(parsing.parse_response, spec, read.example, "")


UNREADABLE = [json.dumps(each)[1:-1] for each in (r"""["']?""", r"(?:\s|\\n)*", r"(?:\s+string=")]
"""Patterns of quotes that may be missing, of half an escaped line end, and of an attribute that may be missing."""


def test_what_is_written_can_be_read():
    found = dict(expressible())
    read = {name: readable(json.loads(text)) for name, text in found.items()}
    for name, each in read.items():
        if each is None:
            assert any(odd in json.dumps(json.loads(found[name])) for odd in UNREADABLE), name
        else:
            reply = lect.template(name).parse(each.example, grammar=each.grammar, starts_in_reasoning=False)
            assert as_message(reply) == as_transformers(
                parsing.parse_response, json.loads(found[name]), each.example, ""
            )


def readable(spec):
    try:
        return read_response_template(spec)
    except UnreadableError:
        return None


def test_the_table_of_the_page_is_up_to_date(monkeypatch):
    page = (pages.DOCS / "how-to/use-with-transformers.md").read_text("utf-8")
    if f"With transformers {transformers.__version__}:" not in page:
        pytest.skip("the table was made with another version of transformers")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import make_response_templates
    assert make_response_templates.table() in page
