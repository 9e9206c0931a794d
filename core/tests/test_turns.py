"""Turn tables: prefixes and suffixes, rounds, examples, shared turns, trimming, and the short way of pairs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made import BARE, CHATML, ROUNDS, SHARED, TABLES, WHOLE, slow_twin, texts

from lect import MessageError
from lect.plugin import Turn, TurnTemplate

S, U, A, T, D = ("system", "s"), ("user", "u"), ("assistant", "a"), ("tool", "t"), ("developer", "d")


def prompt(table, *turns, generate=False):
    return table.text([{"role": role, "content": text} for role, text in turns], add_generation_prompt=generate)


def table(**facts):
    return TurnTemplate("t", **{"user": Turn("U:", ";"), "assistant": Turn("A:", ";"), **facts})


@pytest.mark.parametrize(
    ("turns", "generate", "expected"),
    [
        ([], False, "<s>[SYS]Be kind.[/SYS]+U:example question\nA0:example answer</s>"),
        ([U], True, "<s>[SYS]Be kind.[/SYS]+U:example question\nA0:example answer</s>[Round 1]U:u\nA1:"),
        (
            [S, U, A, U],
            False,
            "<s>[SYS]s[/SYS]+U:example question\nA0:example answer</s>[Round 1]U:u\nA1:a</s>[Round 2]U:u\n",
        ),
        ([("system", " \n"), U], False, "<s>[NO-SYS]+U:example question\nA0:example answer</s>[Round 1]U:u\n"),
        (
            [("user", "\n x y "), T],
            False,
            "<s>[SYS]Be kind.[/SYS]+U:example question\nA0:example answer</s>[Round 1]U:x y\nT:t\n",
        ),
        (
            [("user", ""), ("assistant", " ")],
            False,
            "<s>[SYS]Be kind.[/SYS]+U:example question\nA0:example answer</s>[U1][A]",
        ),
        (
            [U, S, U],
            False,
            "<s>[SYS]Be kind.[/SYS]+U:example question\nA0:example answer</s>[Round 1]U:u\n[SYS]s[/SYS]+U:u\n",
        ),
    ],
)
def test_a_table_with_every_feature(turns, generate, expected):
    assert prompt(WHOLE, *turns, generate=generate) == expected
    assert prompt(slow_twin(WHOLE), *turns, generate=generate) == expected


def test_a_table_writes_what_stands_round_each_role():
    assert prompt(CHATML, S, U, A, T, generate=True) == (
        "<|im_start|>system\ns<|im_end|>\n<|im_start|>user\nu<|im_end|>\n<|im_start|>assistant\na<|im_end|>\n"
        "<|im_start|>tool\nt<|im_end|>\n<|im_start|>assistant\n"
    )


def test_roles_without_a_place_are_left_out():
    assert prompt(table(), S, U, D, A, T) == "U:u;A:a;"


def test_the_default_system_text_stands_only_where_none_is_given():
    with_default = table(system=Turn("S:", ";"), default_system="D")
    assert prompt(with_default, U) == "S:D;U:u;"
    assert prompt(with_default, S, U) == "S:s;U:u;"
    assert prompt(with_default, ("system", ""), U) == "S:;U:u;"
    assert prompt(table(default_system="D"), U) == "U:u;"


def test_examples_follow_the_system_text():
    with_examples = table(system=Turn("S:", ";"), examples=[("user", "x"), ("assistant", "y")])
    assert prompt(with_examples, S, U) == "S:s;U:x;A:y;U:u;"
    assert prompt(with_examples, U) == "U:x;A:y;U:u;"


def test_a_user_shares_the_turn_of_the_system_text_before_it():
    assert prompt(SHARED, S, U, A, U) == "<s>[INST] <<SYS>>\ns\n<</SYS>>\n\nu [/INST] a </s>[INST] u [/INST]"
    assert prompt(SHARED, ("system", ""), U) == "<s>[INST] u [/INST]"
    assert prompt(SHARED, U) == "<s>[INST] u [/INST]"


def test_rounds_count_from_the_first_number():
    assert prompt(ROUNDS, U, A, U, generate=True) == "[Round 1]\n\nQ: u\n\nA: a\n\n[Round 2]\n\nQ: u\n\nA: "
    assert prompt(table(user=Turn("{round}>", ";"), first_round=0), U, U) == "0>u;1>u;"


def test_a_round_is_numbered_in_prefixes_and_never_in_text():
    assert prompt(table(user=Turn("{round}>", ";")), ("user", "{round}")) == "1>{round};"


@pytest.mark.parametrize(
    "facts",
    [
        {"generation": "{round}A:"},
        {"assistant": Turn("{round}A:", ";")},
        {"user": Turn("U:", ";", bare="{round}")},
        {"system": Turn("S:", ";", bare="-"), "default_system": "D"},
        {"bos": "<s>"},
        {"system": Turn("S:", ";"), "default_system": "D", "examples": [("user", "x"), ("assistant", "y")]},
        {"trim": True},
        {"tool": Turn("T:", ";")},
    ],
    ids=repr,
)
@given(
    st.lists(st.tuples(st.sampled_from(["user", "assistant", "tool", "system", "developer"]), texts), max_size=4),
    st.booleans(),
    st.sampled_from([None, "", "s"]),
)
def test_pairs_give_the_text_of_messages(facts, pairs, generate, system):
    made = table(**facts)
    turns = pairs if system is None else [("system", system), *pairs]
    assert made.pairs_text(system, pairs, add_generation_prompt=generate) == prompt(made, *turns, generate=generate)


@pytest.mark.parametrize("made", TABLES, ids=repr)
@pytest.mark.parametrize("text", [None, 0, 5, False, b"", {}, object], ids=repr)
def test_a_pair_without_a_text_is_an_error_and_not_an_empty_text(made, text):
    with pytest.raises(MessageError, match=r"^the text of messages\[1\] is "):
        made.pairs_text("s", [["user", "u"], ["assistant", text], ["user", "u"]], add_generation_prompt=False)


def test_a_pair_may_hold_parts():
    parts = [{"type": "text", "text": "u"}]
    assert BARE.pairs_text(None, [["user", parts]], add_generation_prompt=True) == prompt(BARE, U, generate=True)


def test_capabilities_follow_from_the_turns():
    assert table().capabilities == frozenset()
    assert CHATML.capabilities == {"system"}, "it has words for a result, and none for a call"
    assert CHATML.roles == ("system", "user", "assistant", "tool")
    assert table(capabilities=["reasoning"]).capabilities == {"reasoning"}


def test_the_prefix_of_an_answer_asks_for_one_unless_another_text_does():
    assert prompt(table(), U, generate=True) == "U:u;A:"
    assert prompt(table(generation=""), U, generate=True) == "U:u;"
