"""XTuner's document on its prompt templates, block by block and row by row.

Where it errs, docs/how-to/coming-from-xtuner.md says so, and the test here shows the actual behaviour.
"""

import json
import re
from pathlib import Path

import pytest
from goldens import REPOSITORY
from shared import SHARED

import lect
from lect_xtuner import PROMPT_TEMPLATE, chat_template, template_for, training

DOCUMENT = SHARED / "founding/xtuner-prompt-template.md"
PAGE = (REPOSITORY / "docs/how-to/coming-from-xtuner.md").read_text("utf-8")
SYSTEM = {"role": "system", "content": "{system}"}
TURN = [{"role": "user", "content": "{input}"}, {"role": "assistant", "content": "{output}"}]
SINGLE = "<|System|>:{system}\n<|User|>:{input}<eoh>\n<|Bot|>:{output}<eoa>"
FURTHER = "\n<|User|>:{input}<eoh>\n<|Bot|>:{output}<eoa>"


def test_the_structure():
    assert dict(PROMPT_TEMPLATE.internlm_chat) == dict(  # noqa: C408  # as in the document
        SYSTEM='<|System|>:{system}\n',
        INSTRUCTION='<|User|>:{input}<eoh>\n<|Bot|>:',
        SUFFIX='<eoa>',
        SUFFIX_AS_EOS=True,
        SEP='\n',
        STOP_WORDS=['<eoa>'])  # fmt: skip


@pytest.mark.parametrize(("turns", "result"), [(1, SINGLE), (3, SINGLE + FURTHER * 2)])
def test_the_results_except_for_the_last_separator(turns, result):
    messages = [SYSTEM, *TURN * turns]
    assert lect.template("xtuner:internlm_chat").text(messages) == result + "\n"
    assert "".join(span.text for span in training("internlm_chat", messages)) == result + "\n"


def test_absent_fields_have_defaults():
    template = lect.load_template({"INSTRUCTION": "U:{input} B:"}, notation="xtuner")
    assert (template.text(TURN), dict(template.stop)) == ("U:{input} B:{output}", {})
    assert [span.kind for span in training({"INSTRUCTION": "U:{input} B:"}, TURN)] == ["bos", "input", "output", "eos"]


def test_the_suffix_replaces_the_eos_or_precedes_it():
    fields = {"INSTRUCTION": "U:{input} B:", "SUFFIX": "<eoa>", "SEP": "\n"}
    assert chat_template(fields, eos="</s>").text(TURN).endswith("{output}<eoa></s>\n")
    assert chat_template(fields | {"SUFFIX_AS_EOS": True}, eos="</s>").text(TURN).endswith("{output}<eoa>\n")


def test_a_late_system_text_is_in_training_only():
    messages = [*TURN, SYSTEM, *TURN]
    assert "<|System|>" not in lect.template("xtuner:internlm_chat").text(messages)
    assert [
        span.text.startswith("<|System|>") for span in training("internlm_chat", messages) if span.kind == "input"
    ] == [False, True]


def test_every_row_of_the_table():
    table = json.loads((Path(__file__).parent / "golden/xtuner.json").read_text("utf-8"))["table"]
    assert [template_for(model) for model, _, _ in table] == [template for _, template, _ in table]
    assert all(template in PROMPT_TEMPLATE for _, template, _ in table)
    starred = [template for _, template, is_starred in table if is_starred]
    assert (len(table), len(starred), starred.count("gemma")) == (59, 22, 2)
    assert set(starred) == {"default", "gemma"}


@pytest.mark.skipif(not DOCUMENT.exists(), reason="the document is not in this repository")
def test_what_is_tested_is_what_the_document_says():
    text = DOCUMENT.read_text("utf-8")
    code, single, several = re.findall(r"^```\w*\n(.*?)\n```$", text, re.DOTALL | re.MULTILINE)
    assert eval(code.removeprefix("internlm_chat=")) == dict(PROMPT_TEMPLATE.internlm_chat)
    assert (single, several) == (SINGLE, SINGLE + FURTHER * 2)
    rows = re.findall(r"^\| (\S+/\S+) +\| (\w+)(\\\*)? +\|$", text, re.MULTILINE)
    table = json.loads((Path(__file__).parent / "golden/xtuner.json").read_text("utf-8"))["table"]
    assert [[model, template, bool(star)] for model, template, star in rows] == table


def test_every_error_of_the_document_is_named():
    table = PAGE.partition("## XTuner's document")[2]
    assert table.count("\n| ") == 7
