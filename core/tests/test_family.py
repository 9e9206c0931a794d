"""Families: rules over the words of a name, the first that fits decides, and no word is found inside another."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lect import PluginError
from lect.plugin import CHATML, DEFAULT, Family, LazyTemplate, Match, Rule, Specificity, Turn, TurnTemplate
from lect.registry.patterns import matched_words
from lect.registry.refs import parse_ref

OTHER = TurnTemplate("other", user=Turn("U"), assistant=Turn("A"))


@pytest.mark.parametrize(
    ("pattern", "path", "words"),
    [
        ("vicuna", "lmsys/vicuna-7b-v1.5", "vicuna"),
        ("vicuna", "my-vicuna", None),
        ("vicuna", "vicunas", None),
        ("* vicuna", "my-vicuna-7b", "vicuna"),
        ("* vicuna", "vicuna", "vicuna"),
        ("qwen 2.5 * instruct|chat", "Qwen2.5-7B-Instruct", "qwen-2.5-instruct"),
        ("qwen 2.5 * instruct|chat", "Qwen2.5-chat", "qwen-2.5-chat"),
        ("qwen 2.5 * instruct|chat", "Qwen2.5-7B", None),
        ("qwen 2.5 * instruct|chat", "Qwen2-7B-Instruct", None),
        ("qwen 2.5 instruct", "Qwen2.5-7B-Instruct", None),
        ("?meta llama 3.1|3.3", "Meta-Llama-3.1-8B", "meta-llama-3.1"),
        ("?meta llama 3.1|3.3", "Llama-3.3-70B", "llama-3.3"),
        ("?meta llama 3.1|3.3", "meta-3.1", None),
        ("?meta|facebook llama", "facebook-llama", "facebook-llama"),
        ("vicuna * v 0", "vicuna-7b-v0", "vicuna-v-0"),
        ("vicuna * v 0", "vicuna-7b-v1.5", None),
        ("a * b * c", "a-x-b-y-b-c", "a-b-c"),
        ("a * b * c", "a-c-b", None),
        ("llama 2 # b chat", "Llama-2-1000B-Chat", "llama-2-1000-b-chat"),
        ("llama 2 # b chat", "Llama-2-xb-Chat", None),
        ("llama 2 # b chat", "Llama-2-\u0667b-chat", None),
        ("qwen 3 # b ?a ?# ?b base", "Qwen3-30B-A3B-Base", "qwen-3-30-b-a-3-b-base"),
        ("qwen 3 # b ?a ?# ?b base", "Qwen3-8B-Base", "qwen-3-8-b-base"),
        ("gemma ?1.1|2 2|7 b", "gemma-2b", "gemma-2-b"),
        ("gemma ?1.1|2 2|7 b", "gemma-2-2b", "gemma-2-2-b"),
        ("phi 4 .", "phi-4", "phi-4"),
        ("phi 4 .", "phi-4-unsloth-bnb-4bit", "phi-4"),
        ("phi 4 .", "phi-4-0324-lora", "phi-4"),
        ("phi 4 .", "phi-4-multimodal", None),
        ("*", "anything", ""),
        ("acme/Chat-7B", "acme/chat-7b", "acme/chat-7b"),
        ("acme/chat-7b", "other/chat-7b", None),
        ("acme/chat-7b", "chat-7b", None),
        ("llama", "hermes-3-llama", None),
        ("llama", "/models/llama/hermes", None),
    ],
)
def test_a_pattern_fits_words_at_the_beginning_unless_it_says_otherwise(pattern, path, words):
    fit = matched_words(pattern, parse_ref(path))
    assert (fit and fit.literal) == words


@pytest.mark.parametrize(
    ("pattern", "specificity"),
    [("acme/acme-chat", Specificity.REPO), ("acme", Specificity.NAME), ("* chat", Specificity.TOKEN)],
)
def test_a_claim_is_as_strong_as_what_it_rests_on(pattern, specificity):
    match = Family("acme", Rule(pattern, CHATML)).match(parse_ref("acme/acme-chat"))
    assert match.specificity is specificity
    assert match.reason == f"the name fits {pattern!r}"


def test_the_first_rule_that_fits_decides():
    family = Family("acme", Rule("acme * chat", CHATML), Rule("acme", DEFAULT, kind="base", note="never chatted"))
    assert family.match(parse_ref("acme-7b-chat"))[2:4] == ("chatml", "chat")
    assert family.match(parse_ref("acme-7b")) == Match(
        Specificity.NAME, "acme", "default", "base", "the name fits 'acme': never chatted"
    )
    assert family.match(parse_ref("other")) is None


@pytest.mark.parametrize("name", ["acme-chat-reward", "acme-embedding-chat", "acme-chat-eagle3", "acme-guard-chat"])
def test_a_model_that_gives_vectors_scores_or_drafts_is_not_a_chat_model_whatever_its_name(name):
    assert Family("acme", Rule("acme * chat", CHATML)).match(parse_ref(name)).kind == "none"


def test_a_rule_may_ask_for_such_a_model_by_name():
    assert Family("acme", Rule("acme guard", CHATML)).match(parse_ref("acme-guard-7b")).template == "chatml"
    assert Family("acme", Rule("acme/acme-guard", CHATML)).match(parse_ref("acme/acme-guard")).template == "chatml"


def test_strength_is_specificity_and_then_length():
    claims = [
        Match(Specificity.TOKEN, "x" * 50),
        Match(Specificity.NAME, "x"),
        Match(Specificity.NAME, "xy"),
        Match(Specificity.REPO, ""),
    ]
    assert sorted(claims, key=lambda claim: claim.strength) == claims
    assert list(Specificity) == sorted(Specificity, reverse=True)


def test_a_claim_leads_to_its_template():
    family = Family("acme", Rule("acme", CHATML), templates=[OTHER])
    assert family.get_template("acme", family.match(parse_ref("acme"))) is CHATML
    assert list(family.list_templates()) == [CHATML, OTHER]
    assert repr(family) == "<Family 'acme': 1 rules, 2 templates>"


def test_an_empty_claim_leads_to_the_only_template_or_to_an_error():
    empty = Match(Specificity.FAMILY, "")
    assert Family("one", Rule("x", CHATML)).get_template("y", empty) is CHATML
    with pytest.raises(PluginError, match="several templates\n  try: one of two:chatml, two:other"):
        Family("two", Rule("x", CHATML), templates=[OTHER]).get_template("y", empty)


word = st.sampled_from(["a", "b", "c"])


@given(st.lists(word, min_size=1, max_size=6), st.lists(word, min_size=1, max_size=3), st.lists(word, max_size=3))
def test_a_star_stands_for_any_words_and_for_none(name, before, after):
    words = tuple(name)
    expected = words[: len(before)] == tuple(before) and any(
        words[start : start + len(after)] == tuple(after) for start in range(len(before), len(words) - len(after) + 1)
    )
    found = matched_words(" ".join([*before, "*", *after]), parse_ref("-".join(name)))
    assert (found is not None and found.literal == "-".join(before + after)) if expected else (found is None)


# Rules that never fit


@pytest.mark.parametrize(
    ("pattern", "why", "advice"),
    [
        ("Foo-Bar", "'Foo-Bar' is not a word of a name", "'foo bar' for 'Foo-Bar'"),
        ("foo 7b", "'7b' is not a word of a name", "'7 b' for '7b'"),
        ("foo 7|13b", "'13b' is not a word of a name", "'13 b' for '13b'"),
        ("foo 1_8", "'1_8' is not a word of a name", "'1.8' for '1_8'"),
        ("foo. bar", "'foo.' is not a word of a name", "'foo' for 'foo.'"),
        ("foo||bar", "'' is not a word of a name", "words such as"),
        ("foo*", "neither a glob nor a regular expression", "`*` for any words and `#` for any number"),
        (r"foo\d+", "neither a glob nor a regular expression", "`#` for any number"),
        ("foo #|x", "neither a glob nor a regular expression", "each on its own"),
        ("", "it has no words", "'*' for every name"),
        (" . ", "it has no words", "'*' for every name"),
        ("acme/*", "with a `/` it is a whole owner/name", "'acme/chat-7b'"),
        ("hub/acme/chat", "with a `/` it is a whole owner/name", "'acme/chat-7b'"),
        ("acme/", "with a `/` it is a whole owner/name", "'acme/chat-7b'"),
    ],
)
def test_a_rule_that_never_fits_is_refused_with_the_reason(pattern, why, advice):
    with pytest.raises(PluginError) as caught:
        Rule(pattern, CHATML)
    what, _, tried = str(caught.value).partition("\n  try: ")
    assert what.startswith(f"the rule {pattern!r} can never fit: ")
    assert why in what
    assert advice in tried


@pytest.mark.parametrize("kind", ["instruct", "none", "", None])
def test_a_rule_of_an_unknown_kind_is_refused(kind):
    with pytest.raises(PluginError, match="expected 'chat' or 'base'"):
        Rule("acme", CHATML, kind=kind)


@given(st.lists(st.from_regex(r"[a-z]{1,3}|[0-9]{1,2}(\.[0-9])?", fullmatch=True), min_size=1, max_size=5))
def test_the_words_of_any_name_make_a_rule_that_fits_it(words):
    ref = parse_ref("-".join(words))
    assert Rule(" ".join(ref.words), CHATML).fit(ref).rest == ()


# Names that no rule fits


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("acme-2-vision", "'acme 2' of 'acme 2 # b chat' fits, but then the name has 'vision', where '#' is expected"),
        ("acme-2-7b", "'acme 2 # b' of 'acme 2 # b chat' fits, but then the name ends, where 'chat' is expected"),
        (
            "acme-4-7b",
            "'acme 4 *' of 'acme 4 * talk|chat' fits, but then 'talk|chat' is nowhere in the rest of the name",
        ),
        ("acme-7b-story", "all of 'acme # b' fits, but 'story' must not follow"),
        ("acme-5-lora-story", "all of 'acme 5 .' fits, but 'story' must not follow"),
        ("other-7b", None),
        ("7b", None),
    ],
)
def test_the_nearest_rule_is_named_with_the_word_at_which_it_fails(name, nearest):
    family = Family(
        "acme",
        Rule("acme/acme-7b", CHATML),
        Rule("acme 2 # b chat", CHATML),
        Rule("acme 4 * talk|chat", CHATML),
        Rule("acme 5 .", CHATML),
        Rule("acme # b", DEFAULT, kind="base"),
    )
    ref = parse_ref(name)
    assert family.match(ref) is None
    assert family.near_miss(ref) == nearest


# What says that it is another model


@pytest.mark.parametrize(
    "follows",
    ["2507", "0905", "08-2024", "12-24", "2025", "202507", "20250731", "2025-07-31", "2507-GGUF", "fine-0106", "ChatML",
     "distill-other-4b-thinking"],
)  # fmt: skip
def test_a_date_or_another_format_after_a_name_is_not_packaging(follows):
    name = f"acme-2-7b-chat-{follows}"
    family = Family("acme", Rule("acme 2 # b chat", CHATML), Rule("acme 2 # b", DEFAULT, kind="base"))
    assert family.match(parse_ref(name)) is None
    assert "must not follow" in family.near_miss(parse_ref(name))
    assert Family("acme", Rule("acme 2 # b chat", None)).match(parse_ref(name)).kind == "none"


@pytest.mark.parametrize(
    "follows", ["1048k", "4096", "16k", "v2", "0.1", "8192-GGUF", "Distill", "Distill-v2-GGUF", "4bit-32g"]
)
def test_what_only_looks_like_a_date_or_names_no_other_base_may_follow(follows):
    family = Family("acme", Rule("acme 2 # b chat", CHATML))
    assert family.match(parse_ref(f"acme-2-7b-chat-{follows}")).template == "chatml"


@pytest.mark.parametrize("length", ["4k", "128K", "8192", "32768-GGUF", "AWQ-16k"])
def test_a_context_length_makes_no_base_model_of_a_name(length):
    family = Family("acme", Rule("acme # b ?base", DEFAULT, kind="base"), Rule("acme # b 32 k", DEFAULT, kind="base"))
    assert family.match(parse_ref(f"acme-7b-{length}")) is None
    assert "must not follow" in family.near_miss(parse_ref(f"acme-7b-{length}"))
    for name in (f"acme-7b-base-{length}", "acme-7b-32k", "acme-7b-Q4_K_M", "acme-7b-IQ4_K", "acme-7b-GPTQ-4bit-128g"):
        assert family.match(parse_ref(name)).kind == "base"


def test_a_rule_states_the_dates_that_it_knows():
    family = Family("acme", Rule("acme 2 # b chat ?2507|0905 ?08 ?2024", CHATML))
    for name in ("acme-2-7b-chat", "acme-2-7b-chat-2507-AWQ", "acme-2-7b-chat-0905", "acme-2-7b-chat-08-2024"):
        assert family.match(parse_ref(name)).template == "chatml"
    assert family.match(parse_ref("acme-2-7b-chat-2507-2601")) is None


# Names with a tag


@pytest.mark.parametrize("path", ["acme2:7b", "acme2:7b-instruct", "acme-2-7b:latest", "somebody/acme-2-7b:text"])
def test_no_rule_fits_a_name_whose_tag_says_which_model_it_is(path):
    family = Family("acme", Rule("acme 2 # b instruct", CHATML), Rule("acme", DEFAULT), Rule("*", DEFAULT))
    assert family.match(parse_ref(path)) is None
    assert family.near_miss(parse_ref(path)) is None


@pytest.mark.parametrize(
    "path", ["hf.co/acme/acme-2-7b-GGUF:Q4_K_M", "acme/acme-2-7b:UD-IQ2_XXS", "acme/acme-2-7b:free"]
)
def test_a_tag_that_says_how_a_model_is_stored_or_served_is_part_of_its_name(path):
    family = Family("acme", Rule("acme 2 # b", CHATML))
    assert family.match(parse_ref(path)).template == "chatml"


def test_added_words_are_named():
    family = Family("acme", Rule("acme 2 # b chat", CHATML))
    assert "'dutch' follows" in family.match(parse_ref("someone/acme-2-7b-chat-dutch")).reason
    assert "goes on" not in family.match(parse_ref("someone/acme-2-7b-chat-GPTQ-4bit")).reason


def test_a_typo_is_named():
    family = Family("acme", Rule("acme 2 # b instruct", CHATML))
    assert family.near_miss(parse_ref("acme/Acme-2-7B-Instuct")).endswith("did you mean 'acme/Acme-2-7B-Instruct'?")


def test_a_template_is_made_once_and_only_when_it_is_needed():
    made = []

    def make():
        made.append(OTHER)
        return OTHER

    family = Family("late", Rule("late", LazyTemplate("other", make)))
    claim = family.match(parse_ref("late-7b"))
    assert (claim.template, claim.kind, made) == ("other", "chat", [])
    assert family.get_template("late-7b", claim) is OTHER
    assert family.templates == {"other": OTHER}
    assert list(family.list_templates()) == made == [OTHER]


def test_a_template_that_is_made_under_another_name_is_an_error():
    family = Family("late", Rule("late", LazyTemplate("late-chat", lambda: OTHER)))
    with pytest.raises(
        PluginError,
        match=r"LazyTemplate\('late-chat', \.\.\.\) makes .*'other'>\n  try: return a Template called 'late-chat'",
    ):
        family.templates  # noqa: B018
