"""PaddleNLP's document on its chat templates, block by block.

Where it errs, docs/how-to/coming-from-paddlenlp.md says so, and the test here shows the actual behaviour.
"""

import json
import re

import pytest
from goldens import REPOSITORY
from shared import SHARED

import lect
from lect_paddlenlp import ChatTemplate, init_chat_template

DOCUMENT = SHARED / "founding/paddlenlp-chat-template.md"
SYSTEM = "You are an AI assistant with a witty sense of humor, typically preferring to communicate in a literary style."
SINGLE, AGAIN = "What's fun to do in Beijing", "What are some fun things to do in Beijing"
ROUNDS = [["1+1=", "1+1=2"], ["Add one more"]]
FIELDS = {
    "system": SYSTEM,
    "conversation": ["[Round {{index}}]\nQuestion: {{user}}\n", "Answer: {{bot}}\n"],
    "query": "[Round {{index}}]\nQuestion: {{query}}\nAnswer:",
}


@pytest.fixture
def template(tmp_path):
    (tmp_path / "chat_template.json").write_text(json.dumps(FIELDS), "utf-8")
    return ChatTemplate.from_file(tmp_path)


@pytest.mark.skipif(not DOCUMENT.exists(), reason="the document is not in this repository")
def test_what_is_tested_is_what_the_document_says():
    text = DOCUMENT.read_text("utf-8")
    first, block, last = re.findall(r"^```\w+\n(.*?)```$", text, re.DOTALL | re.MULTILINE)
    assert json.loads(block) == FIELDS
    for code, query in ((first, SINGLE), (first, ROUNDS), (last, AGAIN)):
        assert f"query = {json.dumps(query)}" in code


@pytest.mark.parametrize("query", [SINGLE, AGAIN])
def test_a_single_round(template, query):
    assert template.apply(query) == f"{SYSTEM}[Round 0]\nQuestion: {query}\nAnswer:"


def test_several_rounds(template):
    assert template.apply(ROUNDS) == (
        f"{SYSTEM}[Round 0]\nQuestion: 1+1=\nAnswer: 1+1=2\n[Round 1]\nQuestion: Add one more\nAnswer:"
    )


@pytest.mark.parametrize("query", [SINGLE, ROUNDS, AGAIN], ids=["single", "several", "again"])
def test_tensors_are_refused(template, query):
    with pytest.raises(lect.MessageError, match="no tensors"):
        template.apply(query, return_tensors="pd")


def test_there_must_be_two_templates_for_a_round():
    with pytest.raises(lect.SourceError, match="expected two templates, the user's and the bot's"):
        init_chat_template(FIELDS | {"conversation": FIELDS["conversation"][:1]})


def test_both_ways_to_load(template, tmp_path):
    assert init_chat_template(tmp_path / "chat_template.json").apply("Hi") == template.apply("Hi")


def test_every_error_of_the_document_is_named():
    page = (REPOSITORY / "docs/how-to/coming-from-paddlenlp.md").read_text("utf-8")
    assert page.partition("## PaddleNLP's document")[2].count("\n| ") == 9
