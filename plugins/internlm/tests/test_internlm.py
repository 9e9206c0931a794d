"""InternLM against its maker's template, its maker's document, and other tools that write its prompts."""

import json
import re
from pathlib import Path

import differential
import goldens
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared import SHARED

import lect
from lect_kit import AdapterSuite

GOLDEN = Path(__file__).parent / "golden"
SLUG = "internlm--internlm2-1_8b"
INTERNLM2 = lect.template("internlm:internlm2-chat")
DEVIATIONS = {case for slug, case in goldens.deviations("internlm") if slug == SLUG}
DOCUMENT = json.loads((GOLDEN / "internlm2-document.json").read_text("utf-8"))
FOUNDING = SHARED / "founding/internlm2-chat-format.md"
EXAMPLES = {example["id"]: example for example in DOCUMENT["examples"]}
TOOLS = json.loads((GOLDEN / "internlm2-tools.json").read_text("utf-8"))
FIRST = ("internlm-chat", "internlm-chat-20b")

WEATHER = {
    "type": "function",
    "function": {"name": "get_weather", "description": "天气", "parameters": {"type": "object", "properties": {}}},
}
QUESTION = {"role": "user", "content": "Hello!"}


def called(name, arguments, call_id="call00001"):
    return {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}],
    }


CASES = goldens.cases(GOLDEN / f"{SLUG}.json")
PLAIN = [case for case in CASES if case[0] not in DEVIATIONS]
WITH_TOOLS = [case for case in CASES if case[0] in DEVIATIONS]


class TestInternLM(AdapterSuite):
    plugin = "internlm"
    goldens = {
        "golden/internlm--internlm2-1_8b.json": "internlm2-chat",
        "golden/internlm-chat.json": "internlm-chat",
        "golden/internlm-chat-20b.json": "internlm-chat-20b",
    }
    deviations = "../deviations.json"
    examples = {
        "internlm/internlm2-chat-7b": "internlm2-chat",
        "internlm/internlm2-chat-1_8b-sft": "internlm2-chat",
        "internlm/internlm2-chat-20b-4bits": "internlm2-chat",
        "Shanghai_AI_Laboratory/internlm2_5-7b-chat-1m": "internlm2-chat",
        "internlm/internlm2_5-20b-chat-4bit-awq": "internlm2-chat",
        "/models/internlm2.5-7b-chat-q4_k_m.gguf": "internlm2-chat",
        "internlm/internlm2-math-7b": "internlm2-chat",
        "internlm/internlm2-math-plus-1_8b": "internlm2-chat",
        "internlm/internlm3-8b-instruct": "internlm3-instruct",
        "internlm/internlm3-8b-instruct-awq": "internlm3-instruct",
        "internlm/internlm-chat-7b": "internlm-chat",
        "internlm/internlm-chat-7b-8k": "internlm-chat",
        "internlm/internlm-chat-7b-v1_1": "internlm-chat-20b",
        "internlm/internlm-chat-7b-v1.1": "internlm-chat-20b",
        "internlm/internlm-chat-20b-4bit": "internlm-chat-20b",
        "internlm/internlm-7b": "default",
        "internlm/internlm-20b": "default",
        "internlm/internlm2-1_8b": "default",
        "internlm/internlm2-7b": "default",
        "internlm/internlm2-20b": "default",
        "internlm/internlm2-base-20b": "default",
        "internlm/internlm2_5-7b": "default",
        "internlm/internlm2-math-base-7b": "default",
    }
    base = [
        "internlm/internlm-7b",
        "internlm/internlm-20b",
        "internlm/internlm2-1_8b",
        "internlm/internlm2-7b",
        "internlm/internlm2-20b",
        "internlm/internlm2-base-20b",
        "internlm/internlm2_5-7b",
        "internlm/internlm2-math-base-7b",
    ]
    others = [
        "internlm/internlm-xcomposer2-7b",
        "internlm/internlm-xcomposer2d5-7b-chat",
        "internlm/internlm2-1_8b-reward",
        "internlm/internlm2_5-step-prover",
        "internlm/internlm2-math-plus-mixtral8x22b",
        "internlm/Intern-S1-mini",
        "OpenGVLab/InternVL2-2B",
        "notinternlm2-chat-7b",
    ]


# What the maker's template says.


@pytest.mark.parametrize(("case", "arguments", "expected"), PLAIN, ids=[case[0] for case in PLAIN])
def test_internlm3_has_the_same_template(case, arguments, expected):
    goldens.check(lect.template("internlm:internlm3-instruct"), arguments, expected)


def test_plain_conversations_are_equal_to_the_makers_template():
    text = differential.texts(INTERNLM2.markers)
    plain = differential.conversations(text, calls=False).filter(
        lambda messages: all(message["role"] != "tool" for message in messages)
    )

    @settings(max_examples=60, deadline=None)
    @given(plain, st.booleans())
    def is_equal(messages, add_generation_prompt):
        differential.compare(SLUG, INTERNLM2, messages, add_generation_prompt=add_generation_prompt)

    is_equal()


@pytest.mark.parametrize(("case", "arguments", "expected"), WITH_TOOLS, ids=[case[0] for case in WITH_TOOLS])
def test_differs_from_the_makers_template_where_the_document_says_more(case, arguments, expected):
    text = INTERNLM2.text(**arguments)
    assert text != expected["text"]
    # vLLM's example says `arguments` where the maker says `parameters`; it has no other difference.
    assert text == TOOLS["vllm"][case].replace('", "arguments": {', '", "parameters": {')


# What the maker's document says.


@pytest.mark.parametrize("spelling", ["named", "numbered"])
@pytest.mark.parametrize("example", EXAMPLES)
def test_writes_the_documents_examples_in_both_spellings(example, spelling):
    messages, expected = EXAMPLES[example]["messages"], EXAMPLES[example][spelling]
    assert INTERNLM2.text(messages, spelling=spelling) == "<s>" + expected
    rendered = INTERNLM2.render(messages, spelling=spelling, bos_token="", strict=True, on_control="raise")
    assert rendered.text == "".join(segment.text for segment in rendered.segments) == expected
    assert rendered.unused == ()


@pytest.mark.skipif(not FOUNDING.exists(), reason="the document is not in this repository")
def test_what_is_tested_is_what_the_document_says():
    text = FOUNDING.read_text("utf-8")
    assert all(example["numbered"] in text for example in EXAMPLES.values())
    ids = re.findall(r"^- `(\S+)`: .*\*\*(\d+)\*\*$", text, re.MULTILINE)
    assert [(token["numbered"], str(token["id"])) for token in DOCUMENT["tokens"]] == ids


def test_every_error_of_the_document_is_named():
    page = (goldens.REPOSITORY / "docs/explanation/founding-document-internlm2.md").read_text("utf-8")
    assert page.partition("## The document, and what is true in it")[2].count("\n| ") == 7


def test_the_markers_are_the_documents_tokens():
    ids = {token[spelling]: token["id"] for token in DOCUMENT["tokens"] for spelling in ("named", "numbered")}
    ids |= {"<s>": 1, "</s>": 2}
    assert {text: INTERNLM2.markers[text] for text in ids} == ids
    assert {ids[stop] for stop in INTERNLM2.stop} == set(INTERNLM2.stop_ids)


def test_the_interpreter_as_a_tool_has_the_documents_words():
    messages = [
        message
        for message in EXAMPLES["code_interpreter"]["messages"]
        if message.get("name") != "interpreter" or message["role"] != "system"
    ]
    rendered = INTERNLM2.render(messages, tools=[{"type": "code_interpreter"}], bos_token="", strict=True)
    assert rendered.text == EXAMPLES["code_interpreter"]["named"]


def test_tools_follow_every_system_text_that_opens_the_conversation():
    example = EXAMPLES["function_call_and_code_interpreter"]
    messages = [
        message for message in example["messages"] if message.get("name") != "plugin" or message["role"] != "system"
    ]
    text = INTERNLM2.text(messages, tools=[WEATHER], bos_token="")
    before, opening, after = example["named"].partition("<|im_start|>system name=<|plugin|>\n")
    rest = after.partition("<|im_end|>")[2]
    assert text == before + opening + json.dumps([WEATHER["function"]], ensure_ascii=False) + "<|im_end|>" + rest


def test_results_of_tools_come_from_the_environment():
    example = EXAMPLES["function_call"]
    messages = [
        {**message, "role": "tool"} if message["role"] == "environment" else message for message in example["messages"]
    ]
    assert INTERNLM2.text(messages, bos_token="") == example["named"]


# What other tools write for InternLM2.


@pytest.mark.parametrize("case", TOOLS["xtuner"], ids=lambda case: case["id"])
def test_gives_the_bytes_of_the_makers_training_code(case):
    assert INTERNLM2.text(case["messages"]) == case["text"]


@pytest.mark.parametrize("case", TOOLS["lmdeploy"], ids=lambda case: case["id"])
def test_gives_the_bytes_of_lmdeploy(case):
    # LMDeploy has no place for the name of a user.
    messages = [
        {key: value for key, value in message.items() if key != "name" or message["role"] != "user"}
        for message in case["messages"]
    ]
    assert INTERNLM2.text(messages, tools=case.get("tools"), add_generation_prompt=True, bos_token="") == case["text"]


# Names, calls and results.


@pytest.mark.parametrize("role", ["system", "user", "assistant", "environment"])
@pytest.mark.parametrize(
    ("name", "written"), [("plugin", "<|plugin|>"), ("interpreter", "<|interpreter|>"), ("file", "file")]
)
def test_a_name_follows_the_role(role, name, written):
    text = INTERNLM2.text([{"role": role, "name": name, "content": "x"}], bos_token="")
    assert text == f"<|im_start|>{role} name={written}\nx<|im_end|>\n"


def test_a_name_that_is_a_token_counts_as_control_text():
    rendered = INTERNLM2.render([{"role": "user", "name": "<|plugin|>", "content": "x"}])
    assert [(control.path, control.marker) for control in rendered.controls] == [
        (("messages", 0, "name"), "<|plugin|>")
    ]


@pytest.mark.parametrize("role", ["tool", "function"])
def test_the_name_of_the_function_that_answers_is_left_out_by_rule(role):
    rendered = INTERNLM2.render([{"role": role, "name": "get_weather", "content": "22"}], bos_token="", strict=True)
    assert rendered.text == "<|im_start|>environment name=<|plugin|>\n22<|im_end|>\n"
    assert rendered.unused == (lect.Unused(("messages", 0, "name"), "by-rule"),)


@pytest.mark.parametrize("name", ["interpreter", "code_interpreter", "python_interpreter"])
@pytest.mark.parametrize(
    "arguments", [{"code": "print(1)"}, '{"code": "print(1)"}', "print(1)", "```python\nprint(1)\n```"]
)
def test_the_interpreter_is_called_with_fenced_code(name, arguments):
    messages = [called(name, arguments), {"role": "tool", "tool_call_id": "call00001", "content": "1"}]
    rendered = INTERNLM2.render(messages, bos_token="", strict=True)
    assert rendered.text == (
        "<|im_start|>assistant\n<|action_start|><|interpreter|>\n```python\nprint(1)\n```<|action_end|>\n<|im_end|>\n"
        "<|im_start|>environment name=<|interpreter|>\n1<|im_end|>\n"
    )
    assert all(segment.path[:2] == ("messages", 0) for segment in rendered.segments if "print" in segment.text)


def test_a_function_with_the_name_of_the_interpreter_is_a_function():
    tool = {"type": "function", "function": {"name": "interpreter", "parameters": {}}}
    messages = [
        called("interpreter", {"code": "x"}),
        {"role": "tool", "tool_call_id": "call00001", "name": "interpreter", "content": "1"},
    ]
    text = INTERNLM2.text(messages, tools=[tool])
    assert '<|plugin|>\n{"name": "interpreter", "parameters": {"code": "x"}}' in text
    assert "<|interpreter|>" not in text


@pytest.mark.parametrize("arguments", [{}, {"code": 1}, {"code": "x", "timeout": 1}, {"command": "x"}])
def test_a_call_without_code_is_a_function_call(arguments):
    text = INTERNLM2.text(
        [called("interpreter", arguments), {"role": "tool", "tool_call_id": "call00001", "content": "1"}]
    )
    assert (
        f'<|action_start|><|plugin|>\n{{"name": "interpreter", "parameters": '
        f"{json.dumps(arguments)}}}<|action_end|><|im_end|>" in text
    )
    assert "<|interpreter|>" not in text


def test_arguments_that_are_not_an_object_are_kept_as_the_model_wrote_them():
    assert '{"name": "get_weather", "parameters": {oops}' in INTERNLM2.text([called("get_weather", "{oops")])


def test_a_bare_function_is_a_tool_too():
    assert INTERNLM2.text([QUESTION], tools=[WEATHER["function"]]) == INTERNLM2.text([QUESTION], tools=[WEATHER])


@pytest.mark.parametrize("spelling", ["old", "", None, 146, ["named"]])
def test_an_unknown_spelling_is_an_error(spelling):
    with pytest.raises(lect.MessageError, match="expected 'named'"):
        INTERNLM2.text([QUESTION], spelling=spelling)


@given(st.data(), st.booleans())
def test_the_spellings_differ_in_the_tokens_alone(data, add_generation_prompt):
    text = st.text(max_size=8)
    role = st.sampled_from(["system", "user", "assistant", "environment", "tool"])
    message = st.fixed_dictionaries({"role": role, "content": text}, optional={"name": text})
    messages = data.draw(
        st.lists(message | st.builds(called, text.filter(bool), st.fixed_dictionaries({"a": text})), max_size=4)
    )
    arguments = {"tools": data.draw(st.none() | st.just([WEATHER])), "add_generation_prompt": add_generation_prompt}
    named = INTERNLM2.text(messages, **arguments)
    for token in DOCUMENT["tokens"]:
        named = named.replace(token["named"], token["numbered"])
    assert INTERNLM2.text(messages, spelling="numbered", **arguments) == named
    assert INTERNLM2.render(messages, spelling="numbered", **arguments).text == named


# The first generation.


@pytest.mark.parametrize("name", FIRST)
def test_an_answer_of_the_first_generation_is_closed_by_its_token(name):
    text = lect.template(f"internlm:{name}").text([QUESTION, {"role": "assistant", "content": "Hi"}])
    assert text.endswith("<|Bot|>:Hi<eoa>\n")


def test_says_why_a_base_model_has_the_default():
    assert "never trained on" in lect.resolve("internlm/internlm2-7b").reason


# Replies.


@pytest.mark.parametrize("before", ["", "Thought: I need the weather.", "Sure, I will search for it."])
@pytest.mark.parametrize("end", ["", "<|im_end|>", "\n<|im_end|>", "[UNUSED_TOKEN_145]"])
def test_a_call_in_the_form_of_react_is_read_too(before, end):
    # The document mentions the form but shows no example of it.
    call = 'Action: get_weather\nAction Input: {"location": "Shanghai"}'
    reply = INTERNLM2.parse("\n".join(filter(None, [before, call])) + end, tools=[WEATHER])
    assert (reply.content, reply.problems) == (before, ())
    assert [(call.name, call.arguments) for call in reply.tool_calls] == [("get_weather", {"location": "Shanghai"})]


@pytest.mark.parametrize("tools", [None, [WEATHER]], ids=["without tools", "with tools"])
@pytest.mark.parametrize(
    "text",
    [
        "Call to Action: Join us today!",
        "My plan:\nAction: buy milk\nThen go home.",
        "Action Input: none",
        "My plan:\nAction: buy milk\nAction Input: none",
        "My plan:\nAction: buy milk",
        "My plan:\nAction:",
    ],
)
def test_what_only_looks_like_react_is_content(text, tools):
    reply = INTERNLM2.parse(text, tools=tools)
    assert (reply.content, reply.tool_calls, reply.problems) == (text, (), ())


@pytest.mark.parametrize("spelling", ["named", "numbered"])
@pytest.mark.parametrize("name", EXAMPLES)
def test_every_answer_of_the_document_is_parsed_correctly(name, spelling):
    messages = EXAMPLES[name]["messages"]
    for index, message in enumerate(messages):
        if message["role"] == "assistant":
            prompt = INTERNLM2.text(messages[:index], add_generation_prompt=True, spelling=spelling)
            output = INTERNLM2.text(messages[: index + 1], spelling=spelling).removeprefix(prompt)
            reply = lect.parse("internlm/internlm2-chat-7b", output, prompt=prompt)
            assert reply.content == message["content"]
            assert len(reply.tool_calls) == len(message.get("tool_calls", ()))
            assert not reply.problems
