"""`Conversation`: the object that FastChat's users know, over a turn table and over a program."""

from copy import copy, deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made import BARE, CHATML, FOLDING, FULL, TEMPLATES, WHOLE, texts
from together import together

from lect import Conversation, LectError, MessageError
from lect.plugin import Template, Turn, TurnTemplate

STOPS = TurnTemplate("stops", user=Turn("U"), assistant=Turn("A"), stop={"</s>": 2, "U": 3})


def with_default(chat, out):
    """Write the maker's default system text if none is given."""
    messages = chat.messages
    if not chat.system:
        out += "<sys>", DEFAULT, "</sys>"
    for message in out.turns(messages):
        out += "<", message.role, ">", message.content
    if chat.add_generation_prompt:
        out.append("<assistant>")


DEFAULT = "Be kind."
PROGRAM = Template("program", with_default, default_system=DEFAULT)
BOTH = together("template", [BARE, PROGRAM, FULL, WHOLE], ids=repr)


def outcome(way):
    try:
        return way()
    except LectError as error:
        return type(error)


pairs = st.lists(st.tuples(st.sampled_from(["user", "assistant", "tool", "system"]), texts), max_size=5)


@given(st.sampled_from([*TEMPLATES, PROGRAM]), pairs, st.booleans(), st.one_of(st.none(), texts))
def test_a_prompt_is_the_templates_text(template, turns, generate, system):
    conversation = Conversation(template, messages=turns, system_message=system)
    messages = [{"role": role, "content": text} for role, text in turns]
    if conversation.system_message != template.default_system:
        messages.insert(0, {"role": "system", "content": system})
    if generate:
        conversation.append_message("assistant", None)
    assert outcome(conversation.get_prompt) == outcome(lambda: template.text(messages, add_generation_prompt=generate))


@BOTH
def test_a_conversation_step_by_step(template):
    conversation = Conversation(template)
    assert conversation.roles == ("user", "assistant")
    conversation.append_message(conversation.roles[0], "Hi")
    conversation.append_message(conversation.roles[1], None)
    asked = conversation.get_prompt()
    assert asked == template.text([{"role": "user", "content": "Hi"}], add_generation_prompt=True)
    conversation.update_last_message("Hello")
    assert conversation.get_prompt() == template.text(
        [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
    )
    assert conversation.messages == [["user", "Hi"], ["assistant", "Hello"]]


@pytest.mark.parametrize("template", [BARE, PROGRAM], ids=repr)
def test_the_makers_default_system_text_is_shown_replaced_and_emptied(template):
    conversation = Conversation(template, messages=[["user", "Hi"]])
    assert conversation.system_message == conversation.get_system_message() == template.default_system
    assert template.default_system in conversation.get_prompt()
    conversation.set_system_message("Be brief.")
    assert conversation.get_prompt() == template.text(
        [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]
    )
    conversation.system_message = ""
    assert conversation.get_prompt() == template.text(
        [{"role": "system", "content": ""}, {"role": "user", "content": "Hi"}]
    )
    conversation.system_message = template.default_system
    assert conversation.get_prompt() == template.text([{"role": "user", "content": "Hi"}])


def test_a_custom_system_text_is_kept_whatever_the_roles_are():
    conversation = Conversation(BARE, system_message="Be brief.", messages=[["user", "Hi"], ["developer", "x"]])
    assert conversation.get_prompt() == "Be brief. USER: Hi "


BAD = {
    "None in the middle": (
        [["user", None], ["assistant", "x"]],
        "the text of messages[0] is None (NoneType); expected text; only the last one",
    ),
    "None of a user": ([["user", None]], "the text of messages[0] is None"),
    "a number": ([["user", 5]], "the text of messages[0] is 5 (int); expected text"),
    "zero": ([["user", "x"], ["assistant", 0]], "the text of messages[1] is 0 (int)"),
    "a mapping": ([["user", {}]], "the text of messages[0] is {} (dict)"),
    "another name for a role": (
        [["USER", "x"]],
        "the role of messages[0] is 'USER', which this template does not know\n  known: assistant,",
    ),
    "a number for a role": ([[1, "x"]], "the role of messages[0] is 1"),
    "a list for a role": ([[["user"], "x"]], "the role of messages[0] is ['user']"),
    "three things": (
        [["user", "x", "y"]],
        "messages[0] is ['user', 'x', 'y'] (list); expected a role and a text\n  try: append_message(role, text)",
    ),
    "one thing": ([["user"]], "messages[0] is ['user'] (list)"),
    "nothing": ([[]], "messages[0] is [] (list)"),
    "a wrong part": ([["user", ["x"]]], "is 'x' (str); expected a part such as"),
    "half of a surrogate pair": (
        [["user", "\ud800"]],
        ".content, at character 0: '\\ud800' is half of a surrogate pair",
    ),
}


@together(("messages", "said"), BAD.values(), ids=BAD)
@together("system", [None, "Be brief."])
@BOTH
def test_a_bad_message_is_one_clear_error(template, system, messages, said):
    conversation = Conversation(template, messages=messages, system_message=system)
    with pytest.raises(MessageError) as caught:
        conversation.get_prompt()
    assert said in str(caught.value)


@pytest.mark.parametrize("message", ["user", 5, None, {"role": "user", "content": "x"}, {}], ids=repr)
@BOTH
def test_a_message_that_is_not_a_pair_is_one_clear_error(template, message):
    conversation = Conversation(template)
    conversation.messages.append(message)
    with pytest.raises(MessageError, match=r"^messages\[0\] is .*; expected a role and a text"):
        conversation.get_prompt()
    assert conversation.copy().messages == [message]


@BOTH
def test_a_system_message_that_is_not_text_is_one_clear_error(template):
    with pytest.raises(MessageError, match="system_message is 5"):
        Conversation(template, system_message=5, messages=[["user", "x"]]).get_prompt()


def test_what_a_format_refuses_is_refused():
    with pytest.raises(MessageError, match="roles must alternate"):
        Conversation(FOLDING, messages=[["assistant", "x"]]).get_prompt()


@pytest.mark.parametrize("field", ["sep", "sep2", "system_template"])
def test_a_separator_of_an_official_format_cannot_be_set(field):
    conversation = Conversation(CHATML)
    assert getattr(conversation, field) is None
    with pytest.raises(
        AttributeError, match=f"'chatml' is an official format, in which {field} has no effect\n  try: "
    ):
        setattr(conversation, field, "###")
    assert conversation.sep_style is None


@pytest.mark.parametrize("way", [Conversation.copy, copy, deepcopy], ids=["copy()", "copy", "deepcopy"])
def test_a_copy_shares_nothing(way):
    conversation = Conversation(
        STOPS, name="mine", system_message="s", messages=[["user", "Hi"], ["user", [{"type": "text", "text": "x"}]]]
    )
    conversation.offset = 1
    twin = way(conversation)
    assert (twin.dict(), twin.stop_str, twin.stop_token_ids) == (
        conversation.dict(),
        conversation.stop_str,
        conversation.stop_token_ids,
    )
    assert twin.template is STOPS
    before = deepcopy(conversation.dict())
    twin.messages[0][1] = "changed"
    twin.messages[1][1][0]["text"] = "changed"
    twin.append_message("assistant", "x")
    twin.stop_str.append("x")
    twin.stop_token_ids.append(1)
    assert conversation.dict() == before
    assert (conversation.stop_str, conversation.stop_token_ids) == (["</s>", "U"], [2, 3])
    assert (STOPS.stop, STOPS.stop_ids) == ({"</s>": 2, "U": 3}, (2, 3))


def test_a_conversation_does_not_keep_the_lists_that_it_was_given():
    messages = [["user", "Hi"]]
    conversation = Conversation(CHATML, messages=messages)
    conversation.update_last_message("changed")
    assert messages == [["user", "Hi"]]


def test_stop_strings_are_one_several_or_none():
    assert (Conversation(STOPS).stop_str, Conversation(STOPS).stop_token_ids) == (["</s>", "U"], [2, 3])
    assert (Conversation(CHATML).stop_str, Conversation(CHATML).stop_token_ids) == ("<|im_end|>", None)
    assert Conversation(FULL).stop_str is None


def test_updating_without_a_message_is_an_error():
    with pytest.raises(MessageError, match="there is no message to update"):
        Conversation(CHATML).update_last_message("x")


def test_a_conversation_gives_openai_shaped_messages():
    conversation = Conversation(
        CHATML, messages=[["user", "Hi"], ["assistant", "Hello"], ["user", "Bye"], ["assistant", None]]
    )
    plain = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello"},
        {"role": "user", "content": "Bye"},
    ]
    assert conversation.to_openai_api_messages() == plain
    conversation.set_system_message("s")
    assert conversation.to_openai_api_messages() == [{"role": "system", "content": "s"}, *plain]
    conversation.offset = 2
    assert conversation.to_openai_api_messages() == [{"role": "system", "content": "s"}, *plain[2:]]
    assert len(conversation.messages) == 4


def test_images_are_addresses_and_become_parts():
    conversation = Conversation(FULL, messages=[["user", ("Look.", ["https://example.com/cat.png"])]])
    assert conversation.to_openai_api_messages() == [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Look."},
                {"type": "image_url", "image_url": {"url": "https://example.com/cat.png"}},
            ],
        }
    ]
    assert conversation.get_prompt() == FULL.text(conversation.to_openai_api_messages())


@pytest.mark.parametrize(
    "make",
    [
        lambda: Conversation("mine"),
        lambda: Conversation(CHATML, sep_style=1),
        lambda: Conversation("mine", roles=("A", "B"), sep_style=1, sep="\n"),
    ],
)
def test_fastchat_fields_are_an_error_that_names_its_package(make):
    with pytest.raises(MessageError, match=r"(?s)takes no .*pip install lect-fastchat"):
        make()


def test_separators_are_none_and_cannot_be_set():
    conversation = Conversation(CHATML)
    assert (conversation.sep, conversation.sep2, conversation.sep_style, conversation.system_template) == (None,) * 4
    with pytest.raises(AttributeError, match="official format, in which sep has no effect"):
        conversation.sep = "###"


def test_a_conversation_gives_plain_data():
    conversation = Conversation(CHATML, messages=[["user", "Hi"]])
    assert conversation.dict() == {
        "template_name": "chatml",
        "system_message": "",
        "roles": ("user", "assistant"),
        "messages": [["user", "Hi"]],
        "offset": 0,
    }
    assert repr(conversation) == "<Conversation 'chatml': 1 messages>"
