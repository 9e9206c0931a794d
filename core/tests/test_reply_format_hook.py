"""The hook `get_reply_format`: how a model writes its replies, known by its name."""

import pytest

import lect
from lect.errors import PluginWarning
from lect.plugin import CHATML, Family, Rule, hookimpl
from lect.plugin.grammar import JSON_IN_TAGS, THINK, Grammar, ReplyFormat

TAGGED = ReplyFormat(Grammar("tagged", sections=(JSON_IN_TAGS,)), stop=("<over>",))
THINKING = ReplyFormat(Grammar("thinking", reasoning=THINK))
CALL = '<tool_call>{"name": "f", "arguments": {}}</tool_call><over>'


class Says:
    def __init__(self, name, said):
        self.name, self.said, self.asked = name, said, 0

    @hookimpl
    def get_reply_format(self):
        self.asked += 1
        if isinstance(self.said, BaseException):
            raise self.said
        return self.said


def test_a_rule_may_lead_to_a_reply_format(registry):
    lect.register(Family("acme", Rule("acme 2", TAGGED), Rule("acme", None)))
    assert lect.parse("acme-2-7b", CALL).tool_calls[0].name == "f"
    for model in ("acme-2-7b", "acme-1"):
        with pytest.raises(lect.UnknownModelError):
            lect.resolve(model)
    with pytest.raises(lect.UnknownModelError):
        lect.parse("acme-2-7b-base", CALL)


def test_adapters_that_agree_are_not_an_error_and_those_that_differ_are_named(registry):
    lect.register(Says("one", TAGGED))
    lect.register(Says("two", TAGGED))
    assert lect.parse("acme", CALL).tool_calls[0].name == "f"
    lect.register(Says("three", THINKING))
    with pytest.raises(lect.AmbiguousModelError, match="know different formats for the replies of 'acme'"):
        lect.parse("acme", CALL)
    assert lect.parse("acme", CALL, format=TAGGED).tool_calls[0].name == "f"


@pytest.mark.parametrize("said", [SystemExit(3), "hermes"])
def test_an_adapter_that_fails_is_left_out(registry, said):
    lect.register(Says("bad", said))
    lect.register(Says("good", TAGGED))
    with pytest.warns(PluginWarning, match="bad: get_reply_format: "):
        assert lect.parse("acme", CALL).tool_calls[0].name == "f"


def test_who_knows_the_replies_of_a_model_that_nobody_claims_is_asked_once(registry, monkeypatch):
    composed = []
    monkeypatch.setattr(registry, "unknown", composed.append)
    one = Says("one", TAGGED)
    lect.register(one)
    for _ in range(3):
        assert lect.parse("acme", CALL).tool_calls[0].name == "f"
        assert lect.parse("acme", CALL, format=THINKING).content == CALL
    assert (one.asked, composed) == (1, [])


def test_it_is_asked_again_after_a_change(registry):
    one = Says("one", TAGGED)
    lect.register(one)
    lect.parse("acme", CALL)
    lect.rescan()
    lect.parse("acme", CALL)
    assert one.asked == 2
    with lect.register(Family("acme", Rule("acme", CHATML))):
        assert lect.parse("acme", f"{CALL}<|im_end|>").stop == "<|im_end|>"
    assert lect.parse("acme", CALL).stop == "<over>"
    lect.register(Says("two", THINKING))
    with pytest.raises(lect.AmbiguousModelError):
        lect.parse("acme", CALL)


def test_the_format_of_a_template_that_states_none_is_asked_for_once(registry):
    one = Says("one", TAGGED)
    lect.register(one)
    lect.register(Family("acme", Rule("acme", CHATML)))
    for _ in range(3):
        assert lect.parse("acme", CALL).tool_calls[0].name == "f"
    assert one.asked == 1
