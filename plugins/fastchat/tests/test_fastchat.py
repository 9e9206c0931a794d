"""The 102 templates against FastChat's own prompts."""

from fastchat_goldens import filled, golden
from together import together

import lect_fastchat
from lect import LectError
from lect_fastchat import SeparatorStyle
from lect_kit import AdapterSuite

TEMPLATES = golden("templates")["templates"]
CASES = golden("templates")["cases"]


class TestFastChat(AdapterSuite):
    plugin = "fastchat"
    examples = {"databricks/dolly-v2-12b": "dolly_v2", "mosaicml/mpt-7b-chat": "mpt-7b-chat"}
    others = ["thunlp/promptcoder-7b", "acme/yuanfen-chat"]


def prompt_or_error(conversation):
    try:
        return conversation.get_prompt()
    except LectError:
        return "an error"


@together("name", TEMPLATES)
def test_every_prompt_is_fastchats_and_an_error_where_it_raises(name):
    expected = {
        case: "an error" if isinstance(prompt, dict) else prompt for case, prompt in TEMPLATES[name]["prompts"].items()
    }
    assert {case: prompt_or_error(filled(name, CASES[case])) for case in CASES} == expected


@together("name", TEMPLATES)
def test_every_field_is_fastchats(name):
    expected = TEMPLATES[name]["fields"]
    conversation = lect_fastchat.get_conv_template(name)
    fields = {field: getattr(conversation, field) for field in expected}
    fields["sep_style"] = conversation.sep_style and conversation.sep_style.name
    assert fields == {**expected, "roles": tuple(expected["roles"])}


def test_there_are_102_templates_in_fastchats_order():
    assert len(TEMPLATES) == 102
    assert list(lect_fastchat.conv_templates) == list(TEMPLATES)


def test_there_are_23_styles_with_fastchats_numbers():
    used = {template["fields"]["sep_style"] for template in TEMPLATES.values()} - {None}
    assert {style.name for style in SeparatorStyle} == used
    assert [style.value for style in SeparatorStyle] == list(range(1, 24))
    # Numbers that FastChat's workers have sent each other since LLAMA3 came in between.
    assert (SeparatorStyle.LLAMA2, SeparatorStyle.LLAMA3, SeparatorStyle.CHATML, SeparatorStyle.DEFAULT) == (
        7,
        8,
        10,
        23,
    )


def test_a_style_may_be_given_by_its_number():
    conversation = lect_fastchat.get_conv_template("qwen-7b-chat")
    expected = conversation.get_prompt()
    conversation.sep_style = 10
    assert conversation.get_prompt() == expected
