"""`Conversation` with a custom separator style, and over a template."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sampling import in_turn

import lect
from lect import MessageError, Origin
from lect.plugin import CHATML, Turn, TurnTemplate
from lect_fastchat import Conversation
from lect_fastchat.images import Image, ImageFormat, as_image
from lect_fastchat.separators import IMAGE_PLACEHOLDER_STR, SeparatorStyle
from lect_fastchat.styles import STYLES

SHOWING = TurnTemplate(
    "showing", system=Turn("<", ">"), user=Turn("U:", ";"), assistant=Turn("A:", ";"), default_system="Look."
)
CAT = "https://example.com/cat.png"
texts = st.text(st.sampled_from("an<>/|n \n\r{}问"), max_size=6)


def asked(conversation, *texts):
    """Fill a conversation, and ask for an answer."""
    for place, text in enumerate(texts):
        conversation.append_message(conversation.roles[place % 2], text)
    conversation.append_message(conversation.roles[1], None)
    return conversation


# With a separator style


def test_every_style_is_in_the_table():
    assert list(STYLES) == list(SeparatorStyle)


def test_fields_have_fastchats_defaults_and_order():
    plain = Conversation("mine")
    assert (plain.system_template, plain.system_message, plain.system_message_vision, plain.roles) == (
        "{system_message}",
        "",
        "",
        ("USER", "ASSISTANT"),
    )
    assert (plain.messages, plain.offset, plain.sep_style, plain.sep, plain.sep2) == (
        [],
        0,
        SeparatorStyle.ADD_COLON_SINGLE,
        "\n",
        None,
    )
    assert (plain.stop_str, plain.stop_token_ids, plain.max_image_size_mb) == (None, None, None)
    given_by_place = Conversation(
        "n",
        "<{system_message}>",
        "s",
        "v",
        ("A", "B"),
        [["A", "x"]],
        1,
        SeparatorStyle.NO_COLON_TWO,
        "1",
        "2",
        "stop",
        [3],
        4,
    )
    assert given_by_place.get_prompt() == "<s>Ax1"
    assert (given_by_place.stop_str, given_by_place.stop_token_ids, given_by_place.max_image_size_mb) == (
        "stop",
        [3],
        4,
    )


def test_messages_can_be_added_to_one_made_by_hand():
    assert (
        asked(
            Conversation("mine", "", roles=("Q", "A"), sep_style=SeparatorStyle.NO_COLON_SINGLE, sep=";"), "x"
        ).get_prompt()
        == "Qx;A"
    )


@pytest.mark.parametrize("style", in_turn(SeparatorStyle, 3))
@given(
    system=texts,
    system_template=st.sampled_from(
        [
            "{system_message}",
            "<{system_message}>",
            "fixed",
            "",
            "{{{system_message}}}",
            "{system_message}-{system_message}",
        ]
    ),
    pairs=st.lists(st.tuples(st.sampled_from(["U", "A", "odd", ""]), texts | st.none()), max_size=5),
    separators=st.tuples(texts, texts),
)
def test_pieces_add_up_to_the_quick_prompt(style, system, system_template, pairs, separators):
    from lect_fastchat.writing import fill_style, write_system, write_turns

    conversation = Conversation(
        "mine",
        system_template,
        system,
        roles=("U", "A"),
        messages=pairs,
        sep_style=style,
        sep=separators[0],
        sep2=separators[1],
    )
    plan = fill_style(conversation)
    out = [plan.style.opening]
    write_system(out, plan, conversation, system)
    write_turns(out, plan, conversation, pairs if plan.style.last is None else pairs[-plan.style.last :])
    assert conversation.get_prompt() == "".join(out)


def test_an_image_is_its_placeholder_before_the_text():
    conversation = Conversation("mine", roles=("U", "A"), sep_style=SeparatorStyle.CHATML, sep="<end>")
    conversation.append_message("U", ("Look!", [CAT, Image(filetype="png", base64_str="AAAA")]))
    assert conversation.get_prompt() == f"U\n{IMAGE_PLACEHOLDER_STR * 2}Look!<end>\n"
    conversation.update_last_message(("", []))
    assert conversation.get_prompt() == "U\n<end>\n"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"sep_style": None}, "sep_style is None"),
        ({"sep_style": 99}, "sep_style is 99"),
        ({"sep": None}, "ADD_COLON_SINGLE cannot write this conversation with sep=None"),
        ({"sep": 7}, "sep is 7"),
        ({"sep2": [1]}, "sep2 is"),
        ({"system_template": "{other}"}, "cannot be filled in: KeyError"),
        ({"system_template": "{"}, "cannot be filled in: ValueError"),
        ({"system_template": None}, "system_template is None"),
        ({"messages": [["USER", 7]]}, r"the text of messages\[0\] is 7"),
        ({"messages": [["USER", "x"], [7, "x"]]}, r"the role of messages\[1\] is 7"),
        ({"messages": [["USER"]]}, r"messages\[0\] is \['USER'\]"),
        ({"messages": [["USER", ("x", [CAT])]], "sep_style": SeparatorStyle.LLAMA2}, "LLAMA2 has no place"),
        ({"messages": [["USER", ("x", [CAT])]], "sep_style": SeparatorStyle.LLAMA3}, "LLAMA3 has no place"),
        ({"messages": [["USER", "x"], ["ASSISTANT", "y"]], "sep_style": SeparatorStyle.ADD_COLON_TWO}, "and sep2=None"),
    ],
)
def test_what_cannot_be_written_is_a_clear_error(change, words):
    conversation = Conversation("mine", **change)
    with pytest.raises(MessageError, match=words):
        conversation.get_prompt()


def test_a_separator_that_is_not_needed_may_be_absent():
    assert (
        Conversation("mine", messages=[["U", "x"]], sep_style=SeparatorStyle.ADD_COLON_TWO, sep=" ").get_prompt()
        == " U: x "
    )


def test_there_is_nothing_to_update_in_an_empty_conversation():
    with pytest.raises(MessageError, match="append_message"):
        Conversation("mine").update_last_message("x")


def test_a_style_as_a_template_has_segments_unused_fields_and_controls():
    mine = Conversation(
        "mine",
        "[{system_message}]",
        "Be brief.",
        roles=("Q", "A"),
        sep_style=SeparatorStyle.ADD_COLON_SINGLE,
        sep="\n",
        stop_str="Q:",
    )
    messages = [{"role": "user", "content": "A: no"}, {"role": "tool", "content": "7"}]
    rendered = mine.template.render(messages, add_generation_prompt=True)
    assert rendered.text == "[Be brief.]\nQ: A: no\nA:"
    assert [(segment.text, segment.origin, segment.turn) for segment in rendered.segments] == [
        ("[Be brief.]\n", Origin.TEMPLATE, None), ("Q: ", Origin.TEMPLATE, 0), ("A: no", Origin.INPUT, 0), ("\n",
        Origin.TEMPLATE, 0), ("A:", Origin.TEMPLATE, None),
    ]  # fmt: skip
    assert [unused.path for unused in rendered.unused] == [("messages", 1, "content")]
    assert [control.marker for control in rendered.controls] == ["A:"]
    assert (mine.template.name, mine.template.stop, mine.template.default_system) == ("mine", {"Q:": None}, "Be brief.")


def test_a_system_text_that_cannot_be_followed_is_of_unknown_origin():
    mine = Conversation("mine", "{{{system_message}}}", sep_style=SeparatorStyle.ADD_COLON_SINGLE)
    rendered = mine.template.render([{"role": "system", "content": "Be brief."}])
    assert rendered.text == "{Be brief.}\n"
    assert rendered.segments[0].origin is Origin.UNKNOWN


@pytest.mark.parametrize(
    "change",
    [
        {"sep_style": SeparatorStyle.RWKV},
        {"sep": "{round}"},
        {"sep2": None, "sep_style": SeparatorStyle.ADD_COLON_TWO},
        {"sep_style": SeparatorStyle.LLAMA2, "roles": ("Q", "A")},
        {"messages": [["Q", ("x", [CAT])]], "offset": 1},
        {"system_template": "{{{system_message}}}"},
    ],
)
def test_a_style_that_no_turn_table_can_express_has_none(change):
    fields = {"system_message": "Be brief.", "roles": ("Q", "A"), "sep": " ", "sep2": ";"}
    assert Conversation("mine", **fields).template.table is not None
    assert Conversation("mine", **{**fields, **change}).template.table is None


def test_messages_are_not_part_of_the_template_but_examples_are():
    conversation = Conversation("mine", roles=("Q", "A"), messages=[["Q", "one"], ["A", "two"]], offset=2)
    conversation.append_message("Q", "three")
    assert conversation.template.text([{"role": "user", "content": "four"}]) == "\nQ: one\nA: two\nQ: four\n"
    assert conversation.template.text(conversation.to_openai_api_messages()) == conversation.get_prompt()


# Over a template


def test_a_template_decides_and_separators_mean_nothing():
    conversation = Conversation(CHATML)
    assert (conversation.sep_style, conversation.sep, conversation.sep2, conversation.system_template) == (
        None,
        None,
        None,
        None,
    )
    for field in ("sep_style", "sep", "sep2", "system_template"):
        with pytest.raises(AttributeError, match=f"in which {field} has no effect"):
            setattr(conversation, field, "x")
    assert conversation.template is CHATML


def test_the_roles_say_who_speaks_and_images_are_kept_as_parts():
    conversation = Conversation(SHOWING)
    conversation.append_message("user", ("What is this?", [CAT]))
    conversation.append_message("user", "Well?")
    conversation.append_message("assistant", None)
    expected = [
        {"role": "system", "content": "Look."},
        {
            "role": "user",
            "content": [{"type": "text", "text": "What is this?"}, {"type": "image_url", "image_url": {"url": CAT}}],
        },
        {"role": "user", "content": "Well?"},
    ]
    assert conversation.to_openai_api_messages() == conversation.to_openai_vision_api_messages() == expected
    assert conversation.get_prompt() == "<Look.>U:What is this?;U:Well?;A:"
    assert conversation.get_prompt() == SHOWING.text(expected, add_generation_prompt=True)


def test_with_a_separator_style_the_place_says_who_speaks_as_in_fastchat():
    conversation = Conversation("mine")
    conversation.append_message("USER", "What is this?")
    conversation.append_message("USER", ("Well?", [CAT]))
    assert conversation.to_openai_api_messages() == [
        {"role": "user", "content": "What is this?"},
        {"role": "assistant", "content": ("Well?", [CAT])},
    ]


def test_other_interfaces_keep_images_too():
    conversation = Conversation(SHOWING, system_message="")
    picture = Image(filetype="png", base64_str="AAAA")
    conversation.append_message("user", ("What?", [CAT, picture]))
    conversation.append_message("assistant", "A cat.")
    assert conversation.to_anthropic_vision_api_messages()[0]["content"][1:] == [
        {"type": "image", "source": {"type": "url", "url": CAT}},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
    ]
    assert conversation.to_reka_api_messages()[0] == {
        "content": [
            {"type": "text", "text": "What?"},
            {"type": "image_url", "image_url": CAT},
            {"type": "image_url", "image_url": "data:image/png;base64,AAAA"},
        ],
        "role": "user",
    }
    assert conversation.to_vertex_api_messages() == [
        {"mime_type": "image/png", "file_uri": CAT}, {"mime_type": "image/png", "data": b"\0\0\0"}, "What?", "A cat.",
    ]  # fmt: skip
    assert conversation.get_images() == ["", "AAAA"]
    assert conversation.to_gradio_chatbot() == [[f'<img src="{CAT}" alt="user upload image" />What?', "A cat."]]
    assert conversation.to_metagen_api_messages()[1] == {"role": "ai", "text": "A cat."}
    with pytest.raises(MessageError, match="nothing is fetched"):
        conversation.to_gemini_api_messages()


def test_an_image_is_an_address_a_data_url_or_an_object_with_the_fields():
    assert as_image(CAT) == Image(CAT, "png", ImageFormat.URL)
    assert as_image("https://example.com/dog.JPG?size=9") == Image(
        "https://example.com/dog.JPG?size=9", "jpeg", ImageFormat.URL
    )
    assert as_image("data:image/gif;base64,AAAA") == Image(filetype="gif", base64_str="AAAA")
    with pytest.raises(MessageError, match="is not an image"):
        as_image(object())


def test_an_answer_may_only_be_asked_of_the_assistant():
    conversation = Conversation(CHATML)
    conversation.append_message("user", None)
    with pytest.raises(MessageError):
        conversation.get_prompt()


@pytest.mark.parametrize("original", [Conversation(CHATML), Conversation("mine", stop_str=["a"], stop_token_ids=[])])
def test_a_copy_is_equal_and_independent(original):
    for made in (original.copy(), copy.copy(original), copy.deepcopy(original)):
        assert made == original
        assert made is not original
        made.append_message("user", "x")
        if isinstance(made.stop_str, list):
            made.stop_str.append("b")
        assert made != original
    assert original.messages == []
    assert original.stop_str in ("<|im_end|>", ["a"])


def test_the_system_text_for_images_is_given_only_where_there_is_one():
    assert Conversation("mine", system_message="s").get_system_message(is_vision=True) == "s"
    assert Conversation("mine", system_message="s", system_message_vision="v").get_system_message(is_vision=True) == "v"
    assert Conversation("mine", system_message="s", system_message_vision="v").get_system_message() == "s"


def test_a_custom_template_can_be_registered_with_lect_too():
    mine = Conversation("a-custom-one", system_message="Be brief.", roles=("Human", "AI"), sep="\n\n", stop_str="###")
    lect.register_conv_template(mine)
    try:
        assert (
            asked(lect.get_conv_template("a-custom-one"), "Hello!").get_prompt() == "Be brief.\n\nHuman: Hello!\n\nAI:"
        )
        with pytest.raises(lect.PluginError):
            lect.register_conv_template(mine)
    finally:
        lect._registry.conversations.pop("a-custom-one")
