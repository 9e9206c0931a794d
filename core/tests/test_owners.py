"""An owner before `_`, as people who repackage models write it, is left out if no adapter knows the name with it."""

import pytest

import lect
from lect import FallbackWarning, UnknownModelError
from lect.errors import PluginWarning
from lect.plugin import CHATML, DEFAULT, Family, Match, Rule, Specificity, hookimpl
from lect.plugin.grammar import JSON_IN_TAGS, Grammar, ReplyFormat
from lect.registry.adapter import Adapter

pytestmark = pytest.mark.usefixtures("registry")


class Acme:
    """An adapter that remembers the words that it was asked about."""

    name = "acme"

    def __init__(self):
        self.asked, self.given = [], []

    @hookimpl
    def match(self, ref):
        self.asked.append(" ".join(ref.words))
        return Match(Specificity.NAME, "acme") if ref.words[0] == "acme" else None

    @hookimpl
    def get_template(self, ref):
        self.given.append(" ".join(ref.words))
        return CHATML


@pytest.mark.parametrize(
    "path",
    [
        "acme_acme-7b-chat",
        "packer/acme_acme-7b-chat-GGUF",
        "Some-Body_Acme-7B-chat",
        "/models/somebody_acme-7b-chat.Q4_K_M.gguf",
    ],
)
def test_it_is_left_out_whoever_it_is(path):
    lect.register(Family("acme", Rule("acme 7 b chat", CHATML)))
    resolution = lect.resolve(path)
    assert (resolution.template, resolution.ref.original, resolution.ref.words[0]) == (CHATML, path, "acme")
    owner = resolution.ref.name.partition("_")[0]
    assert resolution.reason == f"the name fits 'acme 7 b chat', and {owner!r} before it is taken for an owner"
    assert [verdict.outcome for verdict in resolution.candidates] == ["won"]


@pytest.mark.parametrize(
    "path",
    [
        "user_my-acme-7b-chat",
        "my_own_acme-7b-chat",
        "open_acme_7b_chat",
        "acme2_acme",
        "reward_acme-7b-chat",
        "x-acme_",
    ],
)
def test_a_name_that_only_contains_a_familys_stays_unknown(path):
    lect.register(Family("acme", Rule("acme 7 b chat", CHATML)))
    with pytest.raises(UnknownModelError):
        lect.resolve(path)


def test_a_name_that_is_known_as_it_is_written_stays_itself():
    lect.register(Family("acme", Rule("acme 7 b chat", CHATML)))
    lect.register(Family("alpha", Rule("alpha", DEFAULT), Rule("* alpha", None)))
    assert lect.resolve("acme_acme-7b-chat").template is CHATML
    for path in ("alpha_acme-7b-chat", "alpha-1_8b", "Alpha_3_8b", "alpha_7b_acme", "alpha2_5-7b-chat"):
        assert lect.resolve(path).template is DEFAULT, "a longer claim to the rest of a name is not asked for"
    with pytest.raises(UnknownModelError, match="knows it, and has no format for it"):
        lect.resolve("somebody_acme-7b-chat-alpha")


def test_a_family_that_knows_the_rest_comes_before_a_fallback_that_knows_all_of_it(registry):
    fallback = Adapter(Family("last", Rule("somebody", DEFAULT), Rule("other", DEFAULT)), "last", fallback=True)
    registry.adapters.registered += (fallback,)
    with pytest.warns(FallbackWarning):
        assert lect.resolve("nobody_other-7b").adapter is fallback
    lect.register(Family("acme", Rule("acme", CHATML)))
    assert lect.resolve("somebody_acme-7b").template is CHATML


def test_an_adapter_is_asked_again_only_if_nobody_knew_the_name_and_sees_the_same_words_throughout():
    acme = Acme()
    lect.register(acme)
    lect.resolve("acme_acme-7b")
    assert (acme.asked, acme.given) == (["acme acme 7 b"], ["acme acme 7 b"])
    lect.resolve("somebody_acme-7b")
    assert (acme.asked[1:], acme.given[1:]) == (["somebody acme 7 b", "acme 7 b"], ["acme 7 b"])


def test_an_adapter_or_a_pin_that_decides_is_told_the_rest_too():
    lect.register(Family("acme", Rule("acme 2", CHATML), Rule("acme 1", DEFAULT)))
    lect.register(Family("other", Rule("* acme", DEFAULT)))
    assert lect.resolve("somebody_acme-2-7b", adapter="acme").template is CHATML
    with lect.pin("somebody_*", "acme"):
        assert lect.resolve("somebody_acme-1-7b").template is DEFAULT


def test_the_format_of_replies_is_found_without_it():
    lect.register(Family("acme", Rule("acme", ReplyFormat(Grammar("tagged", sections=(JSON_IN_TAGS,))))))
    reply = lect.parse("somebody_acme-7b", '<tool_call>{"name": "f", "arguments": {}}</tool_call>')
    assert reply.tool_calls[0].name == "f"


def test_a_near_miss_is_about_the_rest():
    lect.register(Family("acme", Rule("acme 7 b chat", CHATML)))
    with pytest.raises(UnknownModelError) as caught:
        lect.resolve("somebody_acme-7b-caht")
    assert "'acme 7 b' of 'acme 7 b chat' fits" in caught.value.candidates[0].why


def test_an_adapter_that_fails_is_reported_once(broken):
    with pytest.warns(PluginWarning) as caught, pytest.raises(UnknownModelError):
        lect.resolve("somebody_acme-7b")
    assert len(caught) == 1
