"""Every row of differences.json, against both sides."""

import importlib.util

import pytest
from fastchat_goldens import golden
from goldens import REPOSITORY, THE_DAY
from shared import SHARED
from together import together

import lect
import lect_fastchat
from lect import LectError
from lect_fastchat.official import all_differences, differences

ROWS = {row.id: row for row in all_differences()}
MAKERS = golden("makers")["cases"]
ORACLES = SHARED / "oracles"


def fastchats_prompt(row):
    """Return the name of FastChat's template for the example, and its prompt; None where it cannot write one."""
    conversation = lect_fastchat.get_conversation_template(row.example["model"])
    for message in row.example["messages"]:
        if message["role"] == "system":
            conversation.set_system_message(message["content"])
        else:
            conversation.append_message(conversation.roles[message["role"] == "assistant"], message["content"])
    conversation.append_message(conversation.roles[1], None)
    try:
        return conversation.name, conversation.get_prompt()
    except LectError:
        return conversation.name, None


@together("row", ROWS.values(), ids=ROWS)
def test_fastchat_and_the_maker_differ_as_the_row_says(row):
    template, prompt = fastchats_prompt(row)
    maker = MAKERS[row.id].get("text")
    assert template == row.template
    if row.level == "text":
        assert prompt is not None
        assert maker is not None
        assert prompt != maker
    elif row.level == "tokens":
        assert prompt == maker
    elif row.level == "refusal":
        assert prompt is not None
        assert MAKERS[row.id]["refuses"]
    else:
        assert (row.level, prompt) == ("fails", None)


@together("row", ROWS.values(), ids=ROWS)
def test_the_family_of_the_maker_gives_the_makers_prompt(row):
    try:
        resolution = lect.resolve(row.example["model"], fallback=False)
    except lect.UnknownModelError:
        pytest.skip("no family is installed for it")
    template = resolution.template
    options = {"date": THE_DAY} if "date" in template.options else {}
    messages = row.example["messages"]
    if "text" in MAKERS[row.id]:
        assert template.text(messages, add_generation_prompt=True, **options) == MAKERS[row.id]["text"]
    elif "oracle" in MAKERS[row.id]:
        with pytest.raises(lect.RefusedError):
            template.text(messages, add_generation_prompt=True, **options)
    else:
        # The maker's code refuses it, but the maker's template does not; the text is reported.
        assert template.render(messages, add_generation_prompt=True, **options).controls


@pytest.mark.skipif(not ORACLES.exists(), reason="the makers' templates are not in the repository")
@pytest.mark.parametrize("row", [row for row in ROWS.values() if "oracle" in MAKERS[row.id]], ids=lambda row: row.id)
def test_the_makers_own_template_gives_the_stored_prompt(row):
    pytest.importorskip("jinja2")
    spec = importlib.util.spec_from_file_location("reference", ORACLES / "reference.py")
    reference = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(reference)
    case = MAKERS[row.id]
    assert reference.INDEX[case["oracle"]]["sha256"] == case["sha256"]
    if "text" in case:
        assert reference.render(case["oracle"], row.example["messages"], add_generation_prompt=True) == case["text"]
    else:
        with pytest.raises(reference.jinja2.exceptions.TemplateError, match=case["refuses"]):
            reference.render(case["oracle"], row.example["messages"], add_generation_prompt=True)


@together("row", ROWS.values(), ids=ROWS)
def test_a_row_is_found_by_its_model(row):
    model = row.example["model"]
    assert row in differences(model)
    assert row in differences(f"/models/{model}/")
    assert row in lect_fastchat.differences(model)
    assert str(row) in lect.resolve(model, adapter="chatml").remarks


def test_a_row_is_found_in_a_hub_cache_too():
    path = "/home/me/.cache/huggingface/hub/models--upstage--SOLAR-10.7B-Instruct-v1.0/snapshots/0123abc"
    assert [row.id for row in differences(path)] == ["solar"]


def test_ids_are_unique_and_all_rows_have_a_golden():
    assert len(ROWS) == len(all_differences()) == len(MAKERS) >= 60
    assert set(ROWS) == set(MAKERS)


@pytest.mark.parametrize(
    "path",
    [
        "lmsys/vicuna-7b-v1.5",
        "Qwen/Qwen-7B-Chat",
        "acme/unheard-of",
        "young-geng/koala",
        "acme/my-peft-llama-3.2-instruct",
    ],
)
def test_models_without_a_known_difference_have_none(path):
    assert differences(path) == []


def test_a_row_is_not_shown_for_a_name_that_fastchat_gives_another_template():
    # The name matches the globs of both rows; only one is about the template that FastChat has for it.
    rows = differences("NousResearch/Nous-Hermes-2-Mixtral-8x7B-DPO")
    assert [row.id for row in rows] == ["nous-hermes-2-mixtral"]


def test_a_row_is_readable_as_text():
    assert str(ROWS["gemma-system"]) == (
        "FastChat: drops a system text and does not say so; the maker: refuses a system text (google/gemma-2b-it, "
        "tokenizer_config.json)"
    )


def test_the_page_has_all_rows_and_no_others():
    page = (REPOSITORY / "docs/reference/fastchat-differences.md").read_text("utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    assert rows == [page_row(row) for row in all_differences()]


def page_row(row):
    """Return a row as the page has it."""
    cells = [
        ", ".join(f"`{model}`" for model in row.models),
        f"`{row.template}`",
        row.level,
        row.fastchat,
        row.maker,
        row.evidence,
    ]
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
