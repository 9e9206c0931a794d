"""Templates in FastChat's notation: a `Conversation`, or its fields as JSON."""

import json

import pytest
from together import together

import lect
import lect_fastchat
from lect import dump_template
from lect.plugin import Turn, TurnTemplate
from lect_fastchat import Conversation, SeparatorStyle

FIELDS = {"name": "mine", "roles": ["Q", "A"], "sep_style": "ADD_COLON_SINGLE", "sep": "\n"}
HELLO = [{"role": "system", "content": "{x} {{y}}"}, {"role": "user", "content": "{0}"}]
WRITABLE = [name for name, each in lect_fastchat.conv_templates.items() if each.sep_style is not None]


@together("name", WRITABLE)
def test_every_fastchat_template_survives_a_round_trip(name):
    template = lect.template(f"fastchat:{name}")
    text = dump_template(template, "fastchat")
    again = lect.load_template(text)
    assert (again.name, again.fields, again.stop, again.stop_ids) == (
        name,
        template.fields,
        template.stop,
        template.stop_ids,
    )
    assert again.text(HELLO, add_generation_prompt=True) == template.text(HELLO, add_generation_prompt=True)


@pytest.mark.parametrize("name", ["vicuna_v1.1", "one_shot", "chatglm2"])
def test_a_conversation_and_its_dict_are_read(name):
    conversation = lect_fastchat.get_conv_template(name)
    expected = conversation.template.text(HELLO)
    assert lect.load_template(conversation).text(HELLO) == expected
    assert lect.load_template(conversation.dict()).text(HELLO) == expected


def test_messages_after_the_examples_are_not_part_of_a_template():
    conversation = Conversation("mine", roles=("Q", "A"), messages=[["Q", "1"], ["A", "2"], ["Q", "3"]], offset=2)
    assert lect.load_template(conversation).text([{"role": "user", "content": "4"}]) == "\nQ: 1\nA: 2\nQ: 4\n"


def test_a_turn_table_is_written_where_fastchat_can_express_it():
    table = TurnTemplate(
        "mine",
        system=Turn("", "\n"),
        user=Turn("U: ", "\n", "U:"),
        assistant=Turn("B: ", "</s>\n", "B:"),
        generation="B:",
        default_system="Be brief.",
        stop={"</s>": 2},
    )
    assert json.loads(dump_template(table, "fastchat")) == {
        "name": "mine",
        "system_template": "{system_message}\n",
        "system_message": "Be brief.",
        "roles": ["U", "B"],
        "messages": [],
        "offset": 0,
        "sep_style": "DEEPSEEK_CHAT",
        "sep": "\n",
        "sep2": "</s>\n",
        "stop_str": "</s>",
        "stop_token_ids": [2],
    }
    with pytest.raises(lect.ConversionError) as caught:
        dump_template(table.but(default_system=""), "fastchat")
    assert caught.value.lost == ("that a prompt without a system text has no system turn",)
    with pytest.raises(lect.ConversionError) as caught:
        dump_template(table.but(assistant=Turn("B: ", "</s>\n")), "fastchat")
    assert caught.value.lost == ("what is written for an empty text",)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"sep_style": "ADD_COLON"}, "sep_style is 'ADD_COLON', which is not a separator style\n  try: one of ADD_COLON_SINGLE"),
        ({"sep_style": 99}, "sep_style is 99, which is not a separator style"),
        ({"sep_style": None}, "sep_style is None"),
        ({"roles": "QA"}, "roles is 'QA'; expected"),
        ({"roles": ["Q"]}, "roles is"),
        ({"sep": 1}, r"sep is 1 \(int\); expected text"),
        ({"system_template": "{sytem_message}"}, "system_template is '{sytem_message}', which cannot be filled in"),
        ({"system_template": "{system_message"}, "cannot be filled in"),
        ({"messages": ["Hi"]}, r"messages is \['Hi'\]"),
        ({"offset": "1"}, "offset is '1'"),
        ({"stop_str": 7}, "stop_str is 7"),
        ({"stop_token_ids": ["</s>"]}, "stop_token_ids is"),
        ({"seperator": "x"}, "has a field 'seperator', which FastChat does not know\n  try: name"),
        ({"sep2": None, "sep_style": "ADD_COLON_TWO"}, "cannot write this conversation with"),
    ],
)  # fmt: skip
def test_errors_name_the_file_and_the_field(change, said, tmp_path):
    path = tmp_path / "conversation.json"
    path.write_text(json.dumps({**FIELDS, **change}), "utf-8")
    with pytest.raises(lect.SourceError, match=said) as caught:
        lect.load_template(path)
    assert "conversation.json" in str(caught.value)


def test_styles_have_names_and_numbers():
    for style in (SeparatorStyle.CHATML, SeparatorStyle.RWKV):
        one, other = (lect.load_template({**FIELDS, "sep_style": each}) for each in (style.name, int(style)))
        assert one.text(HELLO) == other.text(HELLO)
