"""What a template writes around an answer is found out once, and kept with it."""

import datetime

import pytest

from lect.errors import LimitError, MessageError
from lect.plugin import Template, Turn, TurnTemplate
from lect.plugin.grammar import HERMES_JSON, THINK
from lect.tokens.edges import Around

USER = {"role": "user", "content": "Hi"}
HERMES = HERMES_JSON.but(reasoning=THINK)


class Asked:
    """A program that counts how often it writes a conversation, and what it was given."""

    def __init__(self):
        self.chats = []

    def __call__(self, chat, out):
        self.chats.append([message.role for message in chat.messages])
        for message in chat.messages:
            out += "<", message.role, ">"
            if message.reasoning and message is chat.messages[-1]:
                out += "<think>\n", message.reasoning, "\n</think>\n\n"
            out += message.content, "\n" if message.role == "assistant" else "", "<end>"
        if chat.add_generation_prompt:
            out += ("<assistant>",)
            if chat.option("thinking"):
                out += ("<think>",)


@pytest.fixture
def asked():
    return Asked()


@pytest.fixture
def template(asked):
    return Template("acme", asked, stop=["<end>"], reply=HERMES, options=["thinking"], capabilities=["reasoning"])


def test_replies_are_read_by_two_probes_however_many_there_are(template, asked):
    template.parse("Hello")
    template.render([USER])  # It is proven now.
    asked.chats.clear()
    assert template.parse("Hello\n<end>").content == "Hello"
    assert asked.chats == []


def test_prefix_stable_asks_only_when_it_is_first_read(template, asked):
    assert template.prefix_stable is False
    asked.chats.clear()
    assert template.prefix_stable is False
    assert asked.chats == []


def test_each_probe_is_written_once(template, asked):
    template.render([USER])
    edges = template.edges()
    asked.chats.clear()
    assert edges.prompt.endswith("<end><assistant>")
    assert edges.around_answer == ("<end><assistant>", "\n<end>")
    assert edges.spaces == ("<end><assistant>", "\n")
    assert edges.around_reasoning == Around("<think>\n", "\n</think>\n\n")
    assert edges.stop_after({"content": "x"}) == "<end>"
    assert len(asked.chats) == len({tuple(chat) for chat in asked.chats}) + 1  # an answer with and without reasoning


def test_edges_are_kept_for_each_set_of_options_that_the_template_reads(template):
    assert template.edges() is template.edges({}) is template.edges({"nobody_reads_this": 1})
    assert template.edges({"thinking": True}) is template.edges({"thinking": True}) is not template.edges()
    assert template.edges({"thinking": True}).opening == ("<end><assistant>", "<think>")
    assert template.edges().opening == ("<end><assistant>", "")


def test_options_that_are_no_key_are_asked_every_time(template):
    today = {"thinking": datetime.date(2026, 1, 1)}
    assert template.edges(today).opening == template.edges(today).opening == ("<end><assistant>", "<think>")


def test_no_more_than_some_sets_of_options_are_kept(template):
    for number in range(100):
        template.edges({"thinking": number})
    assert len(template._edges) <= 16


def test_a_template_that_refuses_every_probe_still_reads_replies():
    def refuse(chat, out):
        raise MessageError("not today")

    template = Template("acme", refuse, stop=["<end>"])
    assert template.parse("Hello<end>").content == "Hello"
    assert template.edges().around_reasoning is None
    assert template.edges().stop_after({}) == "<end>"
    with pytest.raises(MessageError, match="not today"):
        template.edges().opening  # noqa: B018


def test_a_template_that_exceeds_its_limits_is_not_asked_again():
    count = []

    def exhaust(chat, out):
        count.append(chat)
        raise LimitError("too much work")

    edges = Template("acme", exhaust, stop=["<end>"]).edges()
    assert (edges.prompt, edges.around_answer, edges.stop_after({})) == (None, ("", ""), "<end>")
    assert len(count) == 1


def test_the_stop_of_the_next_turn_is_that_after_the_answer():
    # As in GLM: the header of whoever speaks next ends an answer.
    roles = {"user": Turn("<|user|>"), "assistant": Turn("<|assistant|>")}
    template = TurnTemplate("acme", **roles, stop=["<|end|>", "<|user|>", "<|tool|>"])
    assert template.edges().stop_after({"content": "x"}) == "<|user|>"
    assert template.reply_text([USER, {"role": "assistant", "content": "Hello"}]).text == "Hello<|user|>"
