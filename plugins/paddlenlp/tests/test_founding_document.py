"""PaddleNLP's document on its chat templates, block by block.

Where it errs, docs/how-to/coming-from-paddlenlp.md says so, and the test here shows what is so.
"""

import json
import re

import pytest
from goldens import REPOSITORY, SHARED

import lect
from lect_paddlenlp import ChatTemplate, init_chat_template

DOCUMENT = SHARED / "founding/paddlenlp-chat-template.md"
SYSTEM = "You are an AI assistant with a witty sense of humor, typically preferring to communicate in a literary style."
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
def test_the_file_is_the_documents():
    (block,) = re.findall(r"```json\n(.*?)```", DOCUMENT.read_text("utf-8"), re.DOTALL)
    assert json.loads(block) == FIELDS


def test_a_single_round(template):
    expected = f"{SYSTEM}[Round 0]\nQuestion: What's fun to do in Beijing\nAnswer:"
    assert template.apply("What's fun to do in Beijing") == expected


def test_several_rounds(template):
    rounds = [["1+1=", "1+1=2"], ["Add one more"]]
    assert template.apply(rounds) == (
        f"{SYSTEM}[Round 0]\nQuestion: 1+1=\nAnswer: 1+1=2\n[Round 1]\nQuestion: Add one more\nAnswer:"
    )


def test_tensors_are_refused(template):
    with pytest.raises(lect.MessageError, match="no tensors"):
        template.apply("What are some fun things to do in Beijing", return_tensors="pd")


def test_both_ways_to_load(template, tmp_path):
    assert init_chat_template(tmp_path / "chat_template.json").apply("Hi") == template.apply("Hi")


def test_every_error_of_the_document_is_named():
    page = (REPOSITORY / "docs/how-to/coming-from-paddlenlp.md").read_text("utf-8")
    assert page.partition("## PaddleNLP's document")[2].count("\n| ") == 7
