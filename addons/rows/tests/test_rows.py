"""Conversations as data sets have them: `lect.messages`."""

import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import lect
from lect import MessageError
from lect_kit import AdapterSuite
from lect_rows.turns import SHAREGPT_ROLES

SYSTEM = {"role": "system", "content": "Be brief."}
QUESTION = {"role": "user", "content": "1+1="}
ANSWER = {"role": "assistant", "content": "2"}
MORE = {"role": "user", "content": "And one more?"}
CALL = {"name": "add", "arguments": {"a": 1}}
ROWS = [
    ("openai", {"messages": [SYSTEM, QUESTION, ANSWER]}, [SYSTEM, QUESTION, ANSWER]),
    ("openai", [QUESTION, ANSWER, MORE], [QUESTION, ANSWER, MORE]),
    ("openai", {"conversations": [QUESTION, {**ANSWER, "loss": False}]}, [QUESTION, {**ANSWER, "loss": False}]),
    (
        "openai",
        {"messages": [QUESTION, {"role": "assistant", "content": None, "tool_calls": [{"function": CALL}]}]},
        [QUESTION, {"role": "assistant", "content": None, "tool_calls": [{"function": CALL}]}],
    ),
    (
        "sharegpt",
        {
            "id": "x",
            "conversations": [
                {"from": "system", "value": "Be brief."},
                {"from": "human", "value": "1+1="},
                {"from": "gpt", "value": "2"},
            ],
        },
        [SYSTEM, QUESTION, ANSWER],
    ),
    (
        "sharegpt",
        {
            "system": "Be brief.",
            "conversations": [{"from": "user", "value": "1+1="}, {"from": "assistant", "value": "2"}],
        },
        [SYSTEM, QUESTION, ANSWER],
    ),
    (
        "sharegpt",
        [
            {"from": "human", "value": "1+1="},
            {"from": "function_call", "value": json.dumps(CALL)},
            {"from": "observation", "value": "2"},
            {"from": "gpt", "value": "2"},
        ],
        [
            QUESTION,
            {"role": "assistant", "content": None, "tool_calls": [{"type": "function", "function": CALL}]},
            {"role": "tool", "content": "2"},
            ANSWER,
        ],
    ),
    ("alpaca", {"instruction": "1+1=", "input": "", "output": "2"}, [QUESTION, ANSWER]),
    (
        "alpaca",
        {"instruction": "Add.", "input": "1 and 1", "output": "2", "system": "Be brief.", "history": [["1+1=", "2"]]},
        [SYSTEM, QUESTION, ANSWER, {"role": "user", "content": "Add.\n1 and 1"}, ANSWER],
    ),
    ("alpaca", {"instruction": "1+1="}, [QUESTION]),
    (
        "turns",
        {"messages": [["SYSTEM", "Be brief."], ["USER", "1+1="], ["ASSISTANT", "2"]]},
        [SYSTEM, QUESTION, ANSWER],
    ),
    ("turns", {"system": "Be brief.", "messages": [["Human:", "1+1="], ["gpt", "2"]]}, [SYSTEM, QUESTION, ANSWER]),
    (
        "turns",
        [["user", "1+1="], ["function_call", json.dumps(CALL)], ["observation", "2"], ["bot", "2"]],
        [
            QUESTION,
            {"role": "assistant", "content": None, "tool_calls": [{"type": "function", "function": CALL}]},
            {"role": "tool", "content": "2"},
            ANSWER,
        ],
    ),
    ("pairs", [["1+1=", "2"], ["And one more?"]], [QUESTION, ANSWER, MORE]),
    ("pairs", {"src": ["1+1="], "tgt": ["2"], "context": {"system": "Be brief."}}, [SYSTEM, QUESTION, ANSWER]),
    ("pairs", {"src": "1+1=", "tgt": "2"}, [QUESTION, ANSWER]),
    (
        "xtuner",
        {"conversation": [{"system": "Be brief.", "input": "1+1=", "output": "2", "output_with_loss": False}]},
        [SYSTEM, QUESTION, {**ANSWER, "loss": False}],
    ),
    ("xtuner", {"conversation": [{"input": "", "output": "2"}]}, [ANSWER]),
    ("prompt", {"prompt": "1+1=", "completion": "2"}, [QUESTION, ANSWER]),
    ("prompt", {"prompt": [SYSTEM, QUESTION], "completion": [ANSWER]}, [SYSTEM, QUESTION, ANSWER]),
    ("prompt", {"prompt": [QUESTION]}, [QUESTION]),
    ("openai", {"system": "Be brief.", "messages": [QUESTION, ANSWER]}, [SYSTEM, QUESTION, ANSWER]),
    ("openai", {"system": "Be brief.", "messages": [SYSTEM, QUESTION]}, [SYSTEM, QUESTION]),
]


class TestRows(AdapterSuite):
    plugin = "rows"
    examples = {}


class Model:
    """What pydantic's models are here: fields, and a method that returns them as plain data."""

    def __init__(self, fields):
        self.fields = fields

    def model_dump(self):
        return dict(self.fields)


@pytest.mark.parametrize(("format_", "row", "expected"), ROWS)
def test_a_row_is_recognised_named_or_given_as_json(format_, row, expected):
    before = json.dumps(row)
    assert lect.messages(row) == expected
    assert lect.messages(row, format=format_) == expected
    assert lect.messages(before) == lect.messages(before.encode()) == expected
    assert json.dumps(row) == before


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (7, r"the row is 7 \(int\); expected a list of turns"),
        (None, "the row is None"),
        ([], r"\[\] is not a conversation in a known format\n  try: one row, or format= one of openai, sharegpt"),
        ({}, "is not a conversation in a known format"),
        ({"items": [QUESTION]}, r"a known format\n  try: lect\.messages\(row\['items'\]\), or columns=\{'messages': 'items'\} for a whole data set"),
        ({"text": "Hi"}, "is not a conversation in a known format"),
        ([{"messages": [QUESTION]}], "is not a conversation in a known format\n  try: one row"),
        ({"messages": [QUESTION], "conversations": []}, "has messages and conversations"),
        ({"messages": None}, r"messages is None \(NoneType\); expected a list of turns"),
        ({"messages": "Hi"}, "messages is 'Hi'"),
        ("Hi", "'Hi' is not JSON"),
        ('{"messages": [', "is not JSON"),
        ([QUESTION, "Hi"], r"\[1\] is 'Hi' \(str\); expected a mapping"),
        ([QUESTION, {"role": "assistant"}], r"\[1\].content is missing"),
        ([QUESTION, {"role": 7, "content": ""}], r"\[1\].role is 7 \(int\); expected text"),
        ({"conversations": [{"from": "human"}]}, r"conversations\[0\].value is missing"),
        ({"conversations": [{"from": "alien", "value": "x"}]}, r"conversations\[0\].from is 'alien'.*one of system, human"),
        ({"conversations": [{"from": "human", "value": ["x"]}]}, r"conversations\[0\].value is \['x'\] \(list\)"),
        ({"conversations": [{"from": "function_call", "value": "{}"}]}, r"conversations\[0\].value is '{}'.*a call such as"),
        ({"instruction": ["x"]}, r"instruction is \['x'\]"),
        ({"instruction": "x", "output": ["good", "bad"]}, "output is"),
        ({"instruction": "x", "history": [["a"]]}, r"history\[0\] is \['a'\]"),
        ([["a"], ["b"]], r"\[0\] is \['a'\] \(list\); expected a question and an answer"),
        ([["a", "b", "c"]], r"\[0\] is"),
        ([["user", "b", "c"]], r"\[0\] is .*; expected a role and a text"),
        ([["user", "a"], ["assistant"]], r"\[1\] is \['assistant'\] \(list\); expected a role and a text"),
        ([["user", "a"], ["assistant", None]], r"\[1\]\[1\] is None \(NoneType\); expected text"),
        ([["user", "a"], {"role": "assistant", "content": "b"}], r"\[1\] is .*; expected a role and a text"),
        ([["user", "a"], ["function_call", "b"]], r"\[1\]\[1\] is 'b' \(str\); expected a call"),
        ({"messages": [["USER", "a"], ["NARRATOR", "b"]]}, "messages is .*: roles and texts, or questions and answers"),
        ([["user", "assistant"]], 'the row is .*questions and answers.\n  try: turns such as .* or format="pairs"'),
        ([["a", None]], r"\[0\]\[1\] is None"),
        ({"src": ["a"], "tgt": []}, r"tgt is \[\] \(list\); expected as many texts as src has, 1"),
        ({"src": ["a"]}, "tgt is None"),
        ({"conversation": [{"input": "i"}]}, r"conversation\[0\].output is missing"),
    ],
)  # fmt: skip
def test_the_error_for_a_malformed_row_names_row_and_field(row, said):
    with pytest.raises(MessageError, match=said):
        lect.messages(row)
    with pytest.raises(MessageError, match=f"row 17: .*{said}"):
        lect.messages(row, row=17)


texts = st.text() | st.sampled_from(["", "user", "Bot", " tool ", "user\n", ":", "[]"])
spellings = st.sampled_from([str, str.upper, str.title, "{}:".format, " {} ".format])
roles = st.sampled_from([*SHAREGPT_ROLES])


def is_role(text):
    return text.strip().removesuffix(":").casefold() in (*SHAREGPT_ROLES, "function_call")


@given(st.lists(st.tuples(roles, spellings, texts), min_size=1, max_size=6))
def test_lists_that_begin_with_roles_are_turns_however_they_are_spelled(turns):
    assume(not all(is_role(text) for _, _, text in turns))
    row = {"messages": [[spelled(role), text] for role, spelled, text in turns]}
    expected = [{"role": SHAREGPT_ROLES[role], "content": text} for role, _, text in turns]
    assert lect.messages(row) == lect.messages(row, format="turns") == expected


@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=6))
def test_lists_are_questions_and_answers_if_none_begins_with_a_role(pairs):
    expected = [
        {"role": role, "content": text}
        for pair in pairs
        for role, text in zip(("user", "assistant"), pair, strict=True)
    ]
    assert lect.messages(pairs, format="pairs") == expected
    begin = [is_role(question) for question, _ in pairs]
    if not any(begin):
        assert lect.messages(pairs) == expected
    elif not all(begin) or all(is_role(answer) for _, answer in pairs):
        with pytest.raises(MessageError, match="roles and texts, or questions and answers"):
            lect.messages(pairs)


def test_an_unknown_format_is_named():
    with pytest.raises(
        MessageError, match="format is 'shargpt'\n  try: one of openai, sharegpt, turns, alpaca, pairs, xtuner, prompt"
    ):
        lect.messages([QUESTION], format="shargpt")
    with pytest.raises(MessageError, match=r"\[0\].from is missing"):
        lect.messages([QUESTION], format="sharegpt")


def test_what_was_read_is_a_copy():
    row = {"messages": [dict(QUESTION)]}
    lect.messages(row)[0]["content"] = "changed"
    assert row["messages"][0] == QUESTION


@pytest.mark.parametrize("name", ["csv", 5, {"a": 1}, ["openai"]], ids=repr)
def test_an_invalid_format_is_named(name):
    with pytest.raises(MessageError, match=r"format is .*\n  try: one of "):
        lect.messages([{"role": "user", "content": "x"}], format=name)


def test_rows_turns_and_calls_may_be_objects():
    plain = [QUESTION, ANSWER]
    objects = [Model(message) for message in plain]
    assert lect.messages(objects) == lect.messages({"messages": objects}) == plain
    assert lect.messages(Model({"messages": plain})) == plain
    assert lect.messages([Model({"from": "human", "value": "1+1="}), {"from": "gpt", "value": "2"}]) == plain
    call = {"id": "1", "type": "function", "function": CALL}
    answer = {"role": "assistant", "content": "A", "tool_calls": [call]}
    assert lect.messages([{**answer, "tool_calls": [Model(call)]}]) == [answer]
