"""Ids and labels of plain chats, which are made in columns, are those of rows that are encoded one by one."""

import json

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made import CHATML, FOLDING, TEMPLATES, THINKING, alternating, plain_chats
from sampling import few

import lect
from lect import LossPolicy
from lect_data import Formatter
from lect_data.framed import Framed

CONTROLS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
COLUMNS = ("input_ids", "labels", "weights", "length", "turns", "deviations", "error")
POLICIES = (
    None,
    LossPolicy(last=True),
    LossPolicy(stop="none"),
    LossPolicy(stop="last", train_separator=True),
    LossPolicy(roles=("user", "assistant")),
    LossPolicy(content=0.5, boundary="whole"),
    LossPolicy(train_prefill=True),
    LossPolicy(patterns={"a": 0.0}),
)
QWEN = lect.get_template("Qwen/Qwen2.5-7B-Instruct")


def answers(messages, **more):
    return [{**each, **(more if each["role"] == "assistant" else {})} for each in messages]


def lines(conversations):
    return [json.dumps({"messages": messages}).encode() for messages in conversations]


def sequences(formatter, conversations):
    table = formatter.format_rows(lines(conversations), range(len(conversations)))
    return [tuple(row[name] for name in ("row", "part", *COLUMNS)) for row in table.to_pylist()]


@settings(max_examples=few(200), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from([QWEN, *TEMPLATES]),
    st.lists(st.one_of(alternating(), plain_chats()), min_size=1, max_size=9),
    st.sampled_from(POLICIES),
    st.sampled_from([None, 20]),
)
def test_plain_chats_are_encoded_as_one_by_one(tokenizer, template, conversations, policy, most):
    unroll = "never" if policy and "user" in policy.roles else "auto"
    formatter = Formatter(template, tokenizer, policy=policy, max_length=most, unroll=unroll)
    # A row that states a weight is no plain chat.
    one_by_one = sequences(formatter, [answers(messages, weight=1) for messages in conversations])
    assert sequences(formatter, conversations) == one_by_one
    batch = pa.RecordBatch.from_pylist([{"messages": messages} for messages in conversations])
    table = Formatter(template, tokenizer, policy=policy, max_length=most, unroll=unroll)(batch)
    assert [tuple(row[name] for name in ("row", "part", *COLUMNS)) for row in table.to_pylist()] == one_by_one


def test_batches_whose_roles_come_in_another_order_are_told_apart(tokenizer):
    formatter, one_by_one = (Formatter(CHATML, tokenizer, unroll="never") for _ in range(2))
    for count, roles in ((5, ["user", "assistant", "user"]), (1, ["assistant", "user", "assistant"])):
        chats = [[{"role": role, "content": f"{role} {number}"} for role in roles] for number in range(count)]
        weighed = [answers(messages, weight=1) for messages in chats]
        assert sequences(formatter, chats) == sequences(one_by_one, weighed)


@pytest.fixture
def alone(monkeypatch):
    """The chats that are encoded by themselves, while others are made in columns."""
    chats = []
    encode = Framed._alone
    monkeypatch.setattr(Framed, "_alone", lambda self, messages: chats.append(messages) or encode(self, messages))
    return chats


def chat(number, *, answer="It is {}."):
    return [{"role": "user", "content": f"{number}?"}, {"role": "assistant", "content": answer.format(number)}]


@pytest.mark.parametrize("template", [CHATML, QWEN], ids=repr)
def test_few_of_many_are_encoded_by_themselves(tokenizer, template, alone):
    formatter = Formatter(template, tokenizer)
    made = sequences(formatter, [chat(number) for number in range(100)])
    assert [each[-1] for each in made] == [None] * 100
    assert len(alone) == 7  # The first, second, fourth, ...


@pytest.mark.parametrize("spelt", CONTROLS)
def test_a_control_token_that_a_text_spells_is_ordinary_tokens(tokenizer, spelt):
    conversations = [*map(chat, range(3)), chat(f"What is {spelt}", answer="A mark."), chat(4)]
    made = sequences(Formatter(CHATML, tokenizer), conversations)
    (control,) = tokenizer.encode(spelt, add_special_tokens=False).ids
    assert len({ids.count(control) for _, _, ids, *_ in made}) == 1


def test_a_format_whose_texts_decide_where_an_answer_begins_has_no_plan(tokenizer):
    """Some templates fold what is said before into the answer, or leave out what was thought."""
    for template in (FOLDING, THINKING):
        conversations = [chat(number, answer="<think>a</think>{}") for number in range(4)]
        formatter = Formatter(template, tokenizer)
        weighed = [answers(messages, weight=1) for messages in conversations]
        assert sequences(formatter, conversations) == sequences(formatter, weighed)
