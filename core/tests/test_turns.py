"""Turn tables: prefixes and suffixes, rounds, examples, shared turns, trimming, and the shortcut for pairs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made import BARE, CHATML, ROUNDS, SHARED, TABLES, WHOLE, by_program, texts

from lect import Conversation, MessageError, PluginError, RefusedError
from lect.plugin import Turn, TurnTemplate

S, U, A, T, D = ("system", "s"), ("user", "u"), ("assistant", "a"), ("tool", "t"), ("developer", "d")


def prompt(table, *turns, generate=False):
    return table.text([{"role": role, "content": text} for role, text in turns], add_generation_prompt=generate)


def pairs_text(table, pairs, generate=False, system=None):
    """Return the prompt of a conversation of pairs."""
    conversation = Conversation(table, system_message=system, messages=pairs)
    if generate:
        conversation.append_message("assistant", None)
    return conversation.get_prompt()


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
    assert prompt(by_program(WHOLE), *turns, generate=generate) == expected


def test_a_table_writes_the_prefix_and_suffix_of_each_role():
    assert prompt(CHATML, S, U, A, T, generate=True) == (
        "<|im_start|>system\ns<|im_end|>\n<|im_start|>user\nu<|im_end|>\n<|im_start|>assistant\na<|im_end|>\n"
        "<|im_start|>tool\nt<|im_end|>\n<|im_start|>assistant\n"
    )


def test_roles_without_a_place_are_left_out():
    assert prompt(table(), S, U, D, A, T) == "U:u;A:a;"


def test_the_default_system_text_is_written_only_if_none_is_given():
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
    assert pairs_text(made, pairs, generate, system) == prompt(made, *turns, generate=generate)


@pytest.mark.parametrize("made", TABLES, ids=repr)
@pytest.mark.parametrize("text", [None, 0, 5, False, b"", {}, object], ids=repr)
def test_a_pair_without_a_text_is_an_error_and_not_an_empty_text(made, text):
    with pytest.raises(MessageError, match=r"^the text of messages\[1\] is "):
        pairs_text(made, [["user", "u"], ["assistant", text], ["user", "u"]], False, "s")


def test_a_pair_may_contain_parts():
    parts = [{"type": "text", "text": "u"}]
    assert pairs_text(BARE, [["user", parts]], True) == prompt(BARE, U, generate=True)


def test_capabilities_follow_from_the_turns():
    assert table().capabilities == frozenset()
    assert CHATML.capabilities == {"system"}, "it has words for a result, and none for a call"
    assert CHATML.roles == ("system", "user", "assistant", "tool")
    assert table(capabilities=["reasoning"]).capabilities == {"reasoning"}


def test_the_generation_prompt_is_the_prefix_of_an_answer_unless_stated():
    assert prompt(table(), U, generate=True) == "U:u;A:"
    assert prompt(table(generation=""), U, generate=True) == "U:u;"


# Further features of tables


EVERY = Turn("<|{role}|>", "{eos}")
ANY = TurnTemplate(
    "any",
    system=EVERY,
    user=EVERY,
    assistant=EVERY,
    other=EVERY,
    opening="[open]",
    closing="{eos}",
    empty="generation",
    eos="</s>",
    default_system="D",
)
ASKED = [{"role": "user", "content": "Hi"}]


def test_any_role_has_a_turn_and_is_the_callers_while_the_eos_is_the_templates():
    messages = [{"role": "tool", "content": "T"}, *ASKED]
    prompt = ANY.render(messages, add_generation_prompt=True)
    assert prompt.text == "[open]<|system|>D</s><|tool|>T</s><|user|>Hi</s><|assistant|>"
    roles = [segment.text for segment in prompt.segments if segment.path[2:] == ("role",)]
    assert roles == ["tool", "user"]
    assert ANY.text(messages) == "[open]<|system|>D</s><|tool|>T</s><|user|>Hi</s></s>"


def test_the_eos_can_be_replaced():
    assert ANY.text(ASKED, eos_token="<e>") == "[open]<|system|>D<e><|user|>Hi<e><e>"


@pytest.mark.parametrize(
    ("empty", "asking", "complete"),
    [("all", "[open]<|system|>D</s><|assistant|>", "[open]<|system|>D</s></s>"), ("generation", "<|assistant|>", "</s>"), ("nothing", "", "")],
)  # fmt: skip
def test_what_is_written_without_messages(empty, asking, complete):
    template = ANY.but(empty=empty)
    assert template.text([], add_generation_prompt=True) == asking
    assert template.text([]) == complete


def test_a_role_without_a_turn_is_left_out_and_reported_or_refused():
    messages = [*ASKED, {"role": "tool", "content": "T"}]
    silent = ANY.but(other=None)
    assert silent.text(messages) == "[open]<|system|>D</s><|user|>Hi</s></s>"
    assert [unused.path for unused in silent.render(messages).unused] == [("messages", 1, "content")]
    with pytest.raises(RefusedError, match="any: there is no turn for the role 'tool'\n  try: system, user, assistant"):
        ANY.but(other=None, refuses=True).text(messages)


def test_a_system_text_may_have_to_come_first():
    messages = [*ASKED, {"role": "system", "content": "S"}]
    first = ANY.but(system_first=True)
    assert first.text(messages) == "[open]<|system|>D</s><|user|>Hi</s></s>"
    assert Conversation(first, messages=[["user", "Hi"], ["system", "S"]]).get_prompt() == first.text(messages)


def test_a_variant_takes_the_generation_prompt_from_its_own_assistant_unless_it_was_stated():
    assert ANY.but(assistant=Turn("A:")).text(ASKED, add_generation_prompt=True).endswith("A:")
    stated = ANY.but(generation="G:")
    assert stated.but(assistant=Turn("A:")).text(ASKED, add_generation_prompt=True).endswith("G:")


def test_a_variant_has_the_ids_of_its_own_stops():
    base = ANY.but(stop={"</s>": 2, "<e>": 3}, stop_ids=[7], markers={"</s>": None, "<m>": 9})
    assert (base.stop_ids, base.markers) == ((2, 3, 7), {"</s>": 2, "<m>": 9})
    other = base.but(stop={"</s>": 5})
    assert (other.stop_ids, other.markers) == ((5, 7), {"</s>": 5, "<m>": 9})


def test_an_unknown_fact_is_named_with_the_nearest():
    with pytest.raises(PluginError, match="template 'any': there is no fact 'stop_token_ids'\n  try: stop_ids"):
        ANY.but(stop_token_ids=[2])
    with pytest.raises(PluginError, match="reply is 'hermes'; expected a Grammar"):
        ANY.but(reply="hermes")


def test_a_text_may_be_written_if_there_is_no_system_text():
    table = TurnTemplate(
        "lines",
        system=Turn("S:", "\n"),
        user=Turn("U:", "\n"),
        assistant=Turn("B:", "\n"),
        opening=">",
        without_system="-\n",
        examples=[("user", "E")],
    )
    user, system = {"role": "user", "content": "Hi"}, {"role": "system", "content": ""}
    assert table.text([user]) == ">-\nU:E\nU:Hi\n"
    assert pairs_text(table, [("user", "Hi")], False) == ">-\nU:E\nU:Hi\n"
    assert table.text([system, user]) == ">S:\nU:E\nU:Hi\n"
    assert table.but(default_system="D").text([user]) == ">S:D\nU:E\nU:Hi\n"
    assert table.but(system=None).text([system, user]) == ">-\nU:E\nU:Hi\n"


def counting(chat, out):
    """Write something else than the table, so that it is seen who has written; a real program writes the same."""
    out += "program:", str(len(chat.messages))


BESIDE = table(system=Turn("S:", ";"), closing="$", program=counting)


@pytest.mark.parametrize(
    ("turns", "generate", "expected"),
    [
        ([U], True, "U:u;A:"),
        ([S, U], True, "S:s;U:u;A:"),
        ([U, A], False, "U:u;A:a;$"),
        ([S, U, U, A, A, U], True, "S:s;U:u;U:u;A:a;A:a;U:u;A:"),
        ([], False, "program:0"),
        # Neither an answer at the end nor a generation prompt, or both.
        ([U], False, "program:1"),
        ([U, A], True, "program:2"),
        # Roles that are not ordinary, or not there.
        ([A, U], True, "program:2"),
        ([U, S, U], True, "program:3"),
        ([S, S, U], True, "program:3"),
        ([D, U], True, "program:2"),
        ([U, A, T], True, "program:3"),
    ],
)
def test_beside_a_program_a_table_writes_ordinary_chats(turns, generate, expected):
    assert prompt(BESIDE, *turns, generate=generate) == expected
    assert pairs_text(BESIDE, turns, generate) == expected


@pytest.mark.parametrize(
    "more",
    [
        {"tools": [{"type": "function", "function": {"name": "look"}}]},
        {"bos_token": "<s>"},
        {"messages": [{"role": "user", "content": "u", "name": "Ann"}]},
        {"messages": [{"role": "user", "content": [{"type": "text", "text": "u"}]}]},
        {"messages": [{"role": "user", "content": None}]},
    ],
)
def test_beside_a_program_a_table_writes_nothing_but_roles_and_texts(more):
    given = {"messages": [{"role": "user", "content": "u"}], "add_generation_prompt": True, **more}
    assert BESIDE.text(**given) == "program:1"


def test_beside_a_program_without_a_turn_for_it_the_program_decides_about_a_system_text():
    assert prompt(BESIDE.but(system=None), S, U, generate=True) == "program:2"


def test_a_table_beside_a_program_is_not_the_whole_format():
    assert BESIDE.table is None
    assert BESIDE.but(program=None).table is not None
    assert BESIDE.but().stated() == BESIDE.stated()
