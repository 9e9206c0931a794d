"""Llama against its maker's own templates."""

from datetime import date

import pytest

import lect
from lect_kit import AdapterSuite

SYSTEM = {"role": "system", "content": "Be brief."}
USER = {"role": "user", "content": "Hello!"}


def template(name):
    return lect.template(f"llama:{name}")


def call(name="search", **arguments):
    return {"type": "function", "function": {"name": name, "arguments": arguments}}


class TestLlama(AdapterSuite):
    plugin = "llama"
    goldens = {
        "golden/meta-llama--Llama-2-7b-chat-hf.json": "llama-2-chat",
        "golden/codellama--CodeLlama-34b-Instruct-hf.json": "codellama-instruct",
        "golden/codellama--CodeLlama-70b-Instruct-hf.json": "codellama-70b-instruct",
        "golden/meta-llama--Meta-Llama-3-8B-Instruct.json": "llama-3",
        "golden/meta-llama--Llama-3.1-8B-Instruct.json": "llama-3.1",
        "golden/meta-llama--Llama-3.2-3B-Instruct.json": "llama-3.2",
        "golden/meta-llama--Llama-3.2-11B-Vision-Instruct.json": "llama-3.2-vision",
        "golden/nvidia--Llama-3.1-Nemotron-70B-Instruct-HF.json": "llama-3.1-nemotron",
        "golden/deepcogito--cogito-v1-preview-llama-3B.json": "cogito-v1-llama",
        "golden/meta-llama--Llama-4-Scout-17B-16E-Instruct.json": "llama-4",
        "golden/shenzhi-wang--Llama3-8B-Chinese-Chat.json": "llama-3-chinese-chat",
        "golden/chinese-alpaca-2.json": "chinese-alpaca-2",
        "golden/bofenghuang--vigogne-2-7b-chat.json": "vigogne-2-chat",
    }
    examples = {
        "shenzhi-wang/Llama3-8B-Chinese-Chat": "llama-3-chinese-chat",
        "hfl/chinese-alpaca-2-7b-64k": "chinese-alpaca-2",
        "bofenghuang/vigogne-2-7b-chat": "vigogne-2-chat",
        "meta-llama/Llama-2-7b-chat-hf": "llama-2-chat",
        "meta-llama/Llama-2-70b-chat-hf": "llama-2-chat",
        "TheBloke/Llama-2-7B-Chat-GPTQ": "llama-2-chat",
        "llama-2-7b-chat.Q4_K_M.gguf": "llama-2-chat",
        "llama2-70b-chat": "llama-2-chat",
        "Llama-2-chat-13b": "llama-2-chat",
        "codellama/CodeLlama-7b-Instruct-hf": "codellama-instruct",
        "codellama/CodeLlama-34b-Instruct-hf": "codellama-instruct",
        "TheBloke/CodeLlama-13B-Instruct-GGUF": "codellama-instruct",
        "codellama/CodeLlama-70b-Instruct-hf": "codellama-70b-instruct",
        "meta-llama/Meta-Llama-3-8B-Instruct": "llama-3",
        "llama3-70b-instruct": "llama-3",
        "meta-llama/Llama-3.1-8B-Instruct": "llama-3.1",
        "meta-llama/Meta-Llama-3.1-8B-Instruct": "llama-3.1",
        "meta-llama/Meta-Llama-3.1-405B-Instruct-FP8": "llama-3.1",
        "unsloth/Meta-Llama-3.1-8B-Instruct-bnb-4bit": "llama-3.1",
        "Llama3.1-8B-Instruct": "llama-3.1",
        "meta-llama/Llama-3.3-70B-Instruct": "llama-3.1",
        "meta-llama/Llama-3.2-3B-Instruct": "llama-3.2",
        "mlx-community/Llama-3.2-3B-Instruct-4bit": "llama-3.2",
        "meta-llama/Llama-3.2-11B-Vision-Instruct": "llama-3.2-vision",
        "nvidia/Llama-3.1-Nemotron-70B-Instruct": "llama-3.1-nemotron",
        "deepcogito/cogito-v1-preview-llama-3B": "cogito-v1-llama",
        "meta-llama/Llama-4-Scout-17B-16E-Instruct": "llama-4",
        "meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8": "llama-4",
        "meta-llama/Llama-2-7b-hf": "llama-2-chat",
        "TheBloke/Llama-2-13B-AWQ": "llama-2-chat",
        "huggyllama/llama-7b": "default",
        "codellama/CodeLlama-7b-Python-hf": "default",
        "meta-llama/Meta-Llama-3-8B": "default",
        "unsloth/Meta-Llama-3.1-8B-bnb-4bit": "default",
        "meta-llama/Llama-3.2-1B": "default",
        "meta-llama/Llama-3.2-11B-Vision": "default",
        "meta-llama/Llama-4-Scout-17B-16E": "default",
    }
    base = [
        "meta-llama/Llama-2-7b-hf",
        "TheBloke/Llama-2-13B-AWQ",
        "huggyllama/llama-7b",
        "codellama/CodeLlama-7b-Python-hf",
        "meta-llama/Meta-Llama-3-8B",
        "unsloth/Meta-Llama-3.1-8B-bnb-4bit",
        "meta-llama/Llama-3.2-1B",
        "meta-llama/Llama-3.2-11B-Vision",
        "meta-llama/Llama-4-Scout-17B-16E",
        "modelscope/Llama-2-13b-ms",
        "ISTA-DASLab/Llama-2-7b-AQLM-2Bit-1x16-hf",
        "hfl/chinese-llama-2-7b-16k",
    ]
    others = [
        "deepseek-ai/DeepSeek-R1-Distill-Llama-8B",
        "NousResearch/Hermes-3-Llama-3.1-8B",
        "cognitivecomputations/dolphin-2.9-llama3-8b",
        "deepcogito/cogito-v1-preview-llama-8B",
        "nvidia/Llama-3.1-Nemotron-70B-Reward-HF",
        "phillama",
        "not-a-llama-model",
        "TinyLlama/TinyLlama-1.1B-Chat-v1.0",
        "meta-llama/LlamaGuard-7b",
        "meta-llama/Meta-Llama-Guard-2-8B",
        "meta-llama/Llama-Guard-3-11B-Vision",
        "hfl/chinese-alpaca-7b",
        "hfl/chinese-llama-7b",
        "bofenghuang/vigogne-2-7b-instruct",
        "FlagAlpha/Llama2-Chinese-7b-Chat",
        "shenzhi-wang/Llama3.1-8B-Chinese-Chat",
        "allenai/Llama-3.1-Tulu-3-8B",
        "Orenguteng/Llama-3.1-8B-Lexi-Uncensored-V2",
    ]


@pytest.mark.parametrize(
    "name",
    [
        "codellama-instruct",
        "codellama-70b-instruct",
        "llama-3",
        "llama-3.1",
        "llama-3.2",
        "llama-3.2-vision",
        "llama-4",
    ],
)
def test_content_that_is_none_is_read_as_empty(name):
    # The makers' templates print the word None; see deviations.json.
    missing = [USER, {"role": "assistant", "content": None}, USER]
    empty = [USER, {"role": "assistant", "content": ""}, USER]
    assert template(name).text(missing) == template(name).text(empty)


def test_an_empty_question_after_a_system_text_leaves_no_white_space():
    text = template("llama-2-chat").text([SYSTEM, {"role": "user", "content": " \n"}])
    assert text == "<s>[INST] <<SYS>>\nBe brief.\n<</SYS>> [/INST]"


def test_a_question_after_a_system_text_keeps_the_white_space_before_it():
    text = template("llama-2-chat").text([SYSTEM, {"role": "user", "content": "  hi  "}])
    assert text == "<s>[INST] <<SYS>>\nBe brief.\n<</SYS>>\n\n  hi [/INST]"


def test_a_refusal_names_the_message_that_is_out_of_turn():
    with pytest.raises(lect.RefusedError, match=r"messages\[2\] is 'user' where an answer is expected"):
        template("llama-2-chat").text([SYSTEM, USER, USER])


def test_the_day_is_that_of_the_option_date():
    assert "\nToday Date: 03 May 2025\n" in template("llama-3.2").text([USER], date=date(2025, 5, 3))


@pytest.mark.parametrize("name", ["llama-3.1", "llama-4"])
def test_a_date_is_reported_where_the_template_reads_no_clock(name):
    unused = template(name).render([USER], date=date(2025, 5, 3)).unused
    assert [field.path for field in unused] == [("options", "date")]


def test_a_built_in_tool_is_called_as_python():
    messages = [
        USER,
        {"role": "assistant", "content": None, "tool_calls": [call("brave_search", query="a", lang="en")]},
    ]
    text = template("llama-3.1").text(messages, builtin_tools=["brave_search", "code_interpreter"])
    assert "\nTools: brave_search\n\n" in text
    assert text.endswith('\n\n<|python_tag|>brave_search.call(query="a", lang="en")<|eom_id|>')


def test_custom_tools_replace_tools_which_are_then_reported():
    tools = [{"type": "function", "function": {"name": "one"}}]
    rendered = template("llama-3.2").render([USER], tools=tools, custom_tools=[{"name": "two"}])
    assert '"name": "two"' in rendered.text
    assert '"name": "one"' not in rendered.text
    assert [field.path for field in rendered.unused] == [("tools", 0)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"custom_tools": "search"}, "expected a list of mappings"),
        ({"builtin_tools": "search"}, "expected a list of names"),
        ({"date_string": date(2025, 5, 3)}, "expected text"),
    ],
)
def test_an_option_of_a_wrong_type_is_refused(options, message):
    with pytest.raises(lect.MessageError, match=message):
        template("llama-3.1").text([USER], **options)


def test_an_image_counts_as_used_only_where_it_has_a_placeholder():
    messages = [{"role": "user", "content": [{"type": "image"}, {"type": "text", "text": "What?"}]}]
    assert template("llama-4").render(messages, strict=True).text.endswith("<|image|>What?<|eot|>")
    tools = [{"type": "function", "function": {"name": "one"}}]
    unused = template("llama-4").render(messages, tools=tools).unused
    assert [field.path for field in unused] == [("messages", 0, "content", 0)]


def test_a_list_that_is_printed_claims_no_offset():
    content = [{"type": "text", "text": "<|eot_id|>"}]
    rendered = template("llama-3.2-vision").render([{"role": "system", "content": content}])
    printed = next(segment for segment in rendered.segments if segment.path == ("messages", 0, "content"))
    assert (printed.text, printed.start) == (str(content), -1)
    assert [control.marker for control in rendered.controls] == ["<|eot_id|>"]


def test_text_of_an_option_is_not_trusted():
    rendered = template("llama-3.2").render([USER], date_string="<|eot_id|>")
    assert [control.path for control in rendered.controls] == [("options", "date_string")]
