"""XTuner's templates against XTuner's own output."""

import copy
import json
import pickle
from pathlib import Path

import pytest
from together import together

import lect
import lect_xtuner
from lect_kit import AdapterSuite
from lect_xtuner import PROMPT_TEMPLATE, SYSTEM_TEMPLATE, chat_template, template_for, training

FOLDER = Path(__file__).parents[1]
GOLDEN = json.loads((Path(__file__).parent / "golden/xtuner.json").read_text("utf-8"))
DEVIATIONS = {(row["slug"], row["case"]) for row in json.loads((FOLDER / "deviations.json").read_text("utf-8"))}
HELLO = [{"role": "user", "content": "Hello!"}, {"role": "assistant", "content": "Hi"}]

every_template = pytest.mark.parametrize("name", list(PROMPT_TEMPLATE))


class TestXTuner(AdapterSuite):
    plugin = "xtuner"
    examples = {"bigcode/starcoder": "default"}
    base = ["bigcode/starcoder"]
    others = ["bigcode/starcoder2-7b", "bigcode/starcoderbase", "acme/starcoder", "starcoder"]


def named(case):
    return "-".join(case[:2])


# Training


@together("case", GOLDEN["training"], ids=named)
def test_training_gives_xtuners_spans(case):
    name, conversation, expected = case
    messages = GOLDEN["conversations"][conversation]
    if isinstance(expected, str):
        assert {(name, conversation), ("*", conversation)} & DEVIATIONS, expected
        with pytest.raises(lect.RefusedError):
            training(name, messages)
    else:
        assert [list(span) for span in training(name, messages)] == expected


@pytest.mark.parametrize("case", GOLDEN["training_with_qwens_tokenizer"], ids=named)
def test_with_qwens_tokenizers_there_is_no_bos(case):
    name, conversation, expected = case
    if isinstance(expected, list):
        found = training(name, GOLDEN["conversations"][conversation], bos=False)
        assert [list(span) for span in found] == expected


@pytest.mark.parametrize(
    ("conversation", "lost"),
    [
        ("trailing_user", [2]),
        ("only_user", [0]),
        ("leading_assistant", [0]),
        ("two_systems", [0]),
        ("consecutive_users", []),
        ("consecutive_assistants", []),
        ("multi3_system", []),
        ("late_system", []),
    ],
)
def test_what_xtuner_drops_silently_is_reported(conversation, lost):
    messages = GOLDEN["conversations"][conversation]
    spans = training("internlm_chat", messages)
    assert [unused.path for unused in spans.unused] == [("messages", index, "content") for index in lost]
    if lost:
        with pytest.raises(lect.UnusedInputError, match=rf"messages\[{lost[0]}\]") as caught:
            training("internlm_chat", messages, strict=True)
        assert caught.value.unused == spans.unused
    else:
        assert training("internlm_chat", messages, strict=True) == spans


def test_training_reports_unused_calls_and_images_too():
    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "Hi"}, {"type": "image_url", "image_url": {"url": "x"}}]},
        {"role": "assistant", "content": None, "tool_calls": [call]},
    ]
    spans = training("qwen_chat", messages)
    assert [span.text for span in spans if span.kind == "output"] == ["<|im_end|>"]
    assert {unused.path[:3] for unused in spans.unused} == {("messages", 0, "content"), ("messages", 1, "tool_calls")}


@pytest.mark.parametrize(
    "messages", ["Hi", [{"role": "user", "content": 7}], [{"content": "Hi"}], [{"role": "user", "content": "\ud800"}]]
)
def test_training_refuses_invalid_messages(messages):
    with pytest.raises(lect.MessageError):
        training("default", messages)


# Chat


@together("case", GOLDEN["chat"], ids=lambda case: f"{case['template']}-{case['script']}")
def test_chat_gives_xtuners_prompts(case):
    template = chat_template(case["template"], bos="<BOS>", eos="<EOS>")
    system = case.get("system")
    if "system_template" in case:
        system = SYSTEM_TEMPLATE[case["system_template"]].format(round=1, bot_name=case.get("bot_name", "BOT"))
    messages = [] if system is None else [{"role": "system", "content": system}]
    for user, reply, expected in zip(case["users"], case["replies"], case["prompts"], strict=False):
        messages.append({"role": "user", "content": user})
        assert template.text(messages, add_generation_prompt=True) == expected
        assert "".join(segment.text for segment in template.render(messages).segments) == expected
        messages.append({"role": "assistant", "content": reply})
    assert list(template.stop) == [*case["stop_words"], "<EOS>"]


@every_template
def test_without_a_tokenizer_there_is_neither_bos_nor_eos(name):
    template = lect.template(f"xtuner:{name}")
    assert list(template.stop) == GOLDEN["stop_words"][name]
    expected = chat_template(name, bos="<BOS>", eos="<EOS>").text(HELLO).removeprefix("<BOS>").replace("<EOS>", "")
    assert template.text(HELLO) == expected
    assert template.but(bos="<BOS>", eos="<EOS>").text(HELLO) == chat_template(name, bos="<BOS>", eos="<EOS>").text(
        HELLO
    )


def test_chat_has_the_system_text_in_the_first_turn_only():
    prompt = lect.template("xtuner:internlm_chat").render([*HELLO, {"role": "system", "content": "Be brief."}, *HELLO])
    assert "Be brief." not in prompt.text
    assert [unused.path for unused in prompt.unused] == [("messages", 2, "content")]


def test_a_template_without_system_drops_it_in_chat_and_says_so():
    messages = GOLDEN["conversations"]["single_system"]
    assert [unused.path for unused in lect.template("xtuner:minicpm").render(messages).unused] == [
        ("messages", 0, "content")
    ]
    with pytest.raises(lect.RefusedError, match="minicpm has no SYSTEM"):
        training("minicpm", messages)


def test_the_bot_has_a_name():
    fields = {"SYSTEM": "{bot_name} {round}: {system}\n", "INSTRUCTION": "{round}. {input}\n{bot_name}: "}
    messages = [{"role": "system", "content": "S"}, *HELLO, *HELLO]
    expected = "Puyu 1: S\n1. Hello!\nPuyu: Hi2. Hello!\nPuyu: Hi"
    assert chat_template(fields, bot_name="Puyu").text(messages) == expected
    assert "".join(span.text for span in training(fields, messages, bot_name="Puyu")) == expected
    assert chat_template(fields).text(HELLO) == "1. Hello!\nBOT: Hi"


# Names


def test_templates_are_mappings_with_attributes():
    assert len(PROMPT_TEMPLATE) == 27
    assert PROMPT_TEMPLATE.internlm_chat["SUFFIX"] == PROMPT_TEMPLATE["internlm_chat"].SUFFIX == "<eoa>"
    assert dict(PROMPT_TEMPLATE.mistral) == {
        "SYSTEM": "[INST] {system} [/INST]\n",
        "INSTRUCTION": "[INST] {input} [/INST]",
        "SEP": "\n",
    }
    assert not hasattr(PROMPT_TEMPLATE, "nobody")
    assert sorted(SYSTEM_TEMPLATE) == [
        "alpaca",
        "arxiv_gentile",
        "coder",
        "colorist",
        "lawyer",
        "medical",
        "moss_sft",
        "sql",
    ]
    with pytest.raises(TypeError):
        PROMPT_TEMPLATE.internlm_chat["SUFFIX"] = "<eos>"


def test_what_is_returned_can_be_copied_and_pickled():
    spans = training("default", [*HELLO, HELLO[0]])
    for way in (copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))):
        assert way(PROMPT_TEMPLATE) == PROMPT_TEMPLATE
        assert (way(spans), way(spans).unused) == (spans, spans.unused)
        assert way(chat_template({"INSTRUCTION": "{input}:"})).text(HELLO) == "Hello!:Hi"


def test_an_unknown_name_is_an_error_with_similar_names():
    with pytest.raises(lect.UnknownTemplateError, match="did you mean 'internlm_chat'") as caught:
        training("internlm-chat", HELLO)
    assert "internlm_chat" in caught.value.near
    with pytest.raises(lect.UnknownModelError, match=r"no 'acme/7b'\n  try: lect.get_template\('acme/7b'\)"):
        template_for("acme/7b")


@pytest.mark.filterwarnings("ignore::lect.FallbackWarning")
def test_starcoder_resolves_by_the_table():
    resolution = lect.resolve("bigcode/starcoder")
    assert (resolution.package, resolution.template.name, resolution.kind) == ("lect-xtuner", "default", "base")
    assert resolution.fallback
    assert "XTuner's table" in resolution.reason
    assert resolution.template.source.startswith("InternLM/xtuner")
    with pytest.raises(lect.UnknownModelError):
        lect.resolve("bigcode/starcoder", fallback=False)


def test_the_face():
    assert sorted(lect_xtuner.__all__) == [
        "PROMPT_TEMPLATE", "SYSTEM_TEMPLATE", "Span", "Spans", "adapter", "chat_template", "template_for", "training",
    ]  # fmt: skip
