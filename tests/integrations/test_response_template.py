"""Response templates as transformers itself reads them."""

import json
import warnings

import pages
import pytest

import lect

parsing = pytest.importorskip("transformers.utils.chat_parsing")
transformers = pytest.importorskip("transformers")

NAMES = sorted(name for names in lect.templates().values() for name in names)


def expressible():
    for name in NAMES:
        template = lect.template(name)
        try:
            yield name, lect.dump_template(template, "response-template")
        except lect.ConversionError:
            continue


def test_most_templates_are_written_without_loss_and_are_valid():
    found = dict(expressible())
    assert len(found) >= 80
    for text in found.values():
        parsing.response_parser.load_response_template(json.loads(text))
    assert {"qwen3", "deepseek-v3.1", "glm-4.5", "kimi-k2"} <= set(found)


def test_chunks_make_no_difference():
    spec = json.loads(lect.dump_template(lect.template("qwen3"), "response-template"))
    text = '<think>\nHm.\n</think>\n\nYes.\n<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call><|im_end|>'
    prompt = lect.template("qwen3").text([{"role": "user", "content": "Hi"}], add_generation_prompt=True)
    parser = parsing.ResponseParser(spec, prefix=prompt)
    for letter in text:
        parser.feed(letter)
    message, _ = parser.finalize()
    assert message["thinking"] == "Hm."
    assert message["content"] == "Yes."
    assert message["tool_calls"][0]["function"] == {"name": "f", "arguments": {"a": 1}}


def test_the_table_of_the_page_is_up_to_date(monkeypatch):
    page = (pages.DOCS / "how-to/use-with-transformers.md").read_text("utf-8")
    if f"With transformers {transformers.__version__}:" not in page:
        pytest.skip("the table was made with another version of transformers")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import make_response_templates
    assert make_response_templates.table() in page
