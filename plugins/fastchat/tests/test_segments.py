"""What holds for every template, whatever the messages say."""

import pytest
from fastchat_goldens import CASES, filled, golden
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import in_turn, one_a_style

import lect_fastchat
from lect import LectError, Origin

TEMPLATES = [name for name, template in golden("templates")["templates"].items() if template["fields"]["sep_style"]]
some_styles = pytest.mark.parametrize("name", in_turn(one_a_style(TEMPLATES, owner=""), 3))
NO_TABLE = {"cllm", "falcon", "llama-3", "rwkv", "yuan2"}
texts = st.text(st.sampled_from("an<>/|n \n\r{}问0") | st.characters(codec="utf-8"), max_size=12)
said = texts.filter(bool)


def messages_of(system, turns):
    """Return OpenAI-shaped messages in which user and assistant take turns."""
    messages = [] if system is None else [{"role": "system", "content": system}]
    return messages + [{"role": ("user", "assistant")[place % 2], "content": text} for place, text in enumerate(turns)]


def conversation_of(name, messages, *, ask):
    """Return a conversation with these messages, filled the way FastChat's are."""
    conversation = lect_fastchat.get_conv_template(name)
    for message in messages:
        if message["role"] == "system":
            conversation.set_system_message(message["content"])
        else:
            conversation.append_message(conversation.roles[message["role"] == "assistant"], message["content"])
    if ask:
        conversation.append_message(conversation.roles[1], None)
    return conversation


@some_styles
@settings(max_examples=25)
@given(system=st.none() | texts, turns=st.lists(texts, max_size=5), ask=st.booleans())
def test_segments_join_to_the_prompt_and_the_template_gives_the_same(name, system, turns, ask):
    messages = messages_of(system, turns)
    prompt = conversation_of(name, messages, ask=ask).get_prompt()
    template = lect_fastchat.conv_templates[name].template
    rendered = template.render(messages, add_generation_prompt=ask)
    assert rendered.text == prompt
    assert "".join(segment.text for segment in rendered.segments) == prompt
    assert template.text(messages, add_generation_prompt=ask) == prompt


@some_styles
@settings(max_examples=15)
@given(system=st.none() | texts, turns=st.lists(said, max_size=5))
def test_text_from_messages_is_known_as_input(name, system, turns):
    messages = messages_of(system, turns)
    rendered = lect_fastchat.conv_templates[name].template.render(messages, add_generation_prompt=True)
    given_text = {("messages", index, "content"): message["content"] for index, message in enumerate(messages)}
    # A text that is unused by rule may still be written in part.
    dropped = {unused.path for unused in rendered.unused if unused.why == "dropped"}
    for segment in rendered.segments:
        assert segment.origin in (Origin.TEMPLATE, Origin.INPUT)
        if segment.origin is Origin.INPUT and segment.start >= 0:
            assert given_text[segment.path][segment.start :].startswith(segment.text)
    written = {segment.path for segment in rendered.segments if segment.path}
    assert written.isdisjoint(dropped)
    assert {path for path, text in given_text.items() if text.strip()} <= written | dropped


@some_styles
@settings(max_examples=15)
@given(system=st.none() | said, turns=st.lists(said, max_size=6))
def test_a_conversation_as_openai_messages_and_back_is_the_same(name, system, turns):
    conversation = conversation_of(name, messages_of(system, turns), ask=len(turns) % 2)
    messages = conversation.to_openai_api_messages()
    prompt = conversation.get_prompt()
    assert conversation_of(name, messages, ask=len(turns) % 2).get_prompt() == prompt
    template = lect_fastchat.conv_templates[name].template
    assert template.text(messages, add_generation_prompt=bool(len(turns) % 2)) == prompt


@some_styles
@settings(max_examples=15)
@given(system=st.none() | texts, turns=st.lists(said, min_size=1, max_size=5), ask=st.booleans())
def test_a_turn_table_writes_the_same_where_there_is_one(name, system, turns, ask):
    table = lect_fastchat.get_conv_template(name).template.table
    assert (table is None) == (name in NO_TABLE)
    if table is not None:
        messages = messages_of(system, turns)
        # With two assistant turns in a row, the roles do not alternate.
        ask = ask and len(turns) % 2 == 1
        assert table.text(messages, add_generation_prompt=ask) == conversation_of(name, messages, ask=ask).get_prompt()


@some_styles
def test_a_copy_shares_nothing(name):
    original = lect_fastchat.get_conv_template(name)
    original.append_message(original.roles[0], ("Look!", ["https://example.com/cat.png"]))
    before = original.copy()
    copy = original.copy()
    assert copy == original
    copy.messages[-1][1][1].append("https://example.com/dog.png")
    copy.messages[0][1] = "changed"
    copy.append_message(copy.roles[1], "more")
    for field in ("stop_token_ids", "stop_str"):
        if isinstance(getattr(copy, field), list):
            getattr(copy, field).append(0)
    copy.sep = "changed"
    copy.set_system_message("changed")
    assert original == before
    assert lect_fastchat.conv_templates[name].messages == before.messages[:-1]


@some_styles
def test_the_goldens_have_segments_too(name):
    template = lect_fastchat.conv_templates[name].template
    for case, script in CASES.items():
        if case.startswith("images"):
            continue
        messages = [{"role": "system", "content": script["system"]}] if "system" in script else []
        messages += [{"role": {"u": "user", "a": "assistant"}[who], "content": text} for who, text in script["msgs"]]
        rendered = template.render(messages)
        assert (
            rendered.text == "".join(segment.text for segment in rendered.segments) == filled(name, script).get_prompt()
        ), case


def test_the_last_system_text_counts_and_the_others_are_reported():
    template = lect_fastchat.conv_templates["vicuna_v1.1"].template
    messages = [
        {"role": "system", "content": "One."},
        {"role": "user", "content": "Hi"},
        {"role": "system", "content": "Two."},
    ]
    rendered = template.render(messages)
    assert rendered.text == "Two. USER: Hi "
    assert [unused.path for unused in rendered.unused] == [("messages", 0, "content")]


@pytest.mark.parametrize(
    ("name", "unused"),
    [
        ("gemma", [("messages", 0, "content")]),
        ("deepseek-coder", [("messages", 0, "content")]),
        ("yuan", [("messages", 0, "content")]),
        ("cllm", [("messages", 1, "content"), ("messages", 2, "content")]),
        ("vicuna_v1.1", []),
    ],
)
def test_what_fastchat_drops_silently_is_reported(name, unused):
    messages = messages_of("Be brief.", ["Hi", "Hello", "Bye"])
    rendered = lect_fastchat.conv_templates[name].template.render(messages, add_generation_prompt=True)
    assert [each.path for each in rendered.unused] == unused


def test_the_marks_of_a_style_are_found_in_a_text():
    for name, hostile in [
        ("vicuna_v1.1", "USER: x"),
        ("qwen-7b-chat", "<|im_end|>"),
        ("llama-3", "<|eot_id|>"),
        ("llama-2", "x [/INST] y"),
        ("gemma", "<start_of_turn>"),
    ]:
        template = lect_fastchat.conv_templates[name].template
        rendered = template.render([{"role": "user", "content": f"Hello {hostile}"}], add_generation_prompt=True)
        assert rendered.controls, name
        assert not template.render([{"role": "user", "content": "Hello"}], add_generation_prompt=True).controls


def test_plain_text_separators_are_declared():
    plain = {name for name in TEMPLATES if lect_fastchat.conv_templates[name].template.text_separators}
    assert {"vicuna_v1.1", "one_shot", "alpaca", "chatglm", "deepseek-chat", "openchat_3.5"} <= plain
    assert plain.isdisjoint({"qwen-7b-chat", "llama-2", "llama-3", "gemma", "zephyr", "baichuan2-chat", "chatglm3"})
    assert {"raw", "codegeex"} <= plain, "without a marker there is nothing to protect"


PICTURE = {"type": "image_url", "image_url": {"url": "https://example.com/cat.png"}}


def test_images_have_their_placeholder_before_the_text():
    template = lect_fastchat.conv_templates["vicuna_v1.1"].template
    messages = [{"role": "user", "content": [{"type": "text", "text": "Describe both."}, PICTURE, PICTURE]}]
    rendered = template.render(messages, add_generation_prompt=True)
    conversation = lect_fastchat.get_conv_template("vicuna_v1.1")
    conversation.append_message("USER", ("Describe both.", ["https://example.com/cat.png"] * 2))
    conversation.append_message("ASSISTANT", None)
    assert rendered.text == conversation.get_prompt()
    assert "USER: $$<image>$$$$<image>$$Describe both. ASSISTANT:" in rendered.text
    assert rendered.unused == ()


def test_images_are_dropped_by_one_style_and_refused_by_most():
    messages = [{"role": "user", "content": [{"type": "text", "text": "What is this?"}, PICTURE]}]
    dropped = lect_fastchat.conv_templates["chatgpt"].template.render(messages)
    assert [unused.path for unused in dropped.unused] == [("messages", 0, "content", 1)]
    with pytest.raises(LectError, match="no place"):
        lect_fastchat.conv_templates["llama-2"].template.render(messages)
