"""Rows of data sets with all that is in them: `lect.row`."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_tokenizer import Tiny

import lect
from lect import LossPolicy, MessageError, Row

SYSTEM = {"role": "system", "content": "Be brief."}
QUESTION = {"role": "user", "content": "What color is the sky?"}
ANSWER = {"role": "assistant", "content": "It is blue."}
WRONG = {"role": "assistant", "content": "It is green."}
MORE = {"role": "user", "content": "And grass?"}
FUNCTION = {"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}
TOOL = {"type": "function", "function": FUNCTION}
CALL = {"type": "function", "function": {"name": "get_weather", "arguments": {"city": "Paris"}}}
CALLED = {"role": "assistant", "content": None, "tool_calls": [CALL]}
RESULT = {"role": "tool", "content": "sunny"}


def row(messages, tools=None, weights=None, chosen=None, rejected=None, rest=None):
    return Row(messages, tools, weights, chosen, rejected, rest or {})


def human(text, **fields):
    return {"from": "human", "value": text, **fields}


def gpt(text, **fields):
    return {"from": "gpt", "value": text, **fields}


# The shapes of data sets and trainers, as their cards and documentation show them.
SHAPES = {
    "LLaMA-Factory, sharegpt with tools": (
        {
            "conversations": [
                human("Weather in Paris?"),
                {"from": "function_call", "value": json.dumps(CALL["function"])},
                {"from": "observation", "value": "sunny"},
                gpt("Sunny."),
            ],
            "system": "Be brief.",
            "tools": json.dumps([FUNCTION]),
        },
        row(
            [
                SYSTEM,
                {"role": "user", "content": "Weather in Paris?"},
                CALLED,
                RESULT,
                {"role": "assistant", "content": "Sunny."},
            ],
            tools=[TOOL],
        ),
    ),
    "LLaMA-Factory, sharegpt preference": (
        {
            "conversations": [human("What color is the sky?"), gpt("It is blue."), human("And grass?")],
            "chosen": gpt("Green."),
            "rejected": gpt("Blue."),
        },
        row(
            [QUESTION, ANSWER, MORE],
            chosen=[{"role": "assistant", "content": "Green."}],
            rejected=[{"role": "assistant", "content": "Blue."}],
        ),
    ),
    "LLaMA-Factory, alpaca preference": (
        {"instruction": "What color is the sky?", "input": "", "chosen": "It is blue.", "rejected": "It is green."},
        row([QUESTION], chosen=[ANSWER], rejected=[WRONG]),
    ),
    "LLaMA-Factory, KTO with images": (
        {
            "instruction": "What color is the sky?",
            "output": "It is blue.",
            "kto_tag": True,
            "images": ["sky.jpg"],
        },
        row([QUESTION, ANSWER], rest={"kto_tag": True, "images": ["sky.jpg"]}),
    ),
    "LLaMA-Factory, a mask of turns": (
        {
            "conversations": [human("What color is the sky?"), gpt("It is green."), human("And grass?"), gpt("Green.")],
            "loss_mask": [1, 0, 1, 1],
        },
        row(
            [
                QUESTION,
                {**WRONG, "weight": 0},
                MORE,
                {"role": "assistant", "content": "Green.", "weight": 1},
            ],
            weights=[None, 0.0, None, 1.0],
        ),
    ),
    "axolotl, weight of turns": (
        {"conversations": [human("What color is the sky?", weight=1), gpt("It is blue.", weight=0)], "id": "7"},
        row([QUESTION, {**ANSWER, "weight": 0}], weights=[None, 0.0], rest={"id": "7"}),
    ),
    "AgentInstruct, null loss by Arrow": (
        {"conversations": [human("What color is the sky?", loss=None), gpt("It is blue.", loss=False)], "id": "os_0"},
        row([QUESTION, {**ANSWER, "loss": False}], weights=[None, 0.0], rest={"id": "os_0"}),
    ),
    "ChatGLM3, loss in messages and their own tools": (
        {"tools": [FUNCTION], "conversations": [QUESTION, {**ANSWER, "loss": False}]},
        row([QUESTION, {**ANSWER, "loss": False}], tools=[TOOL], weights=[None, 0.0]),
    ),
    "OpenAI fine-tuning": (
        {
            "messages": [SYSTEM, QUESTION, {**ANSWER, "weight": 0}],
            "tools": [TOOL],
            "parallel_tool_calls": False,
        },
        row(
            [SYSTEM, QUESTION, {**ANSWER, "weight": 0}],
            tools=[TOOL],
            weights=[None, None, 0.0],
            rest={"parallel_tool_calls": False},
        ),
    ),
    "XTuner": (
        {
            "conversation": [
                {
                    "system": "Be brief.",
                    "input": "What color is the sky?",
                    "output": "It is blue.",
                    "output_with_loss": False,
                    "need_eos_token": False,
                }
            ]
        },
        row(
            [SYSTEM, QUESTION, {**ANSWER, "loss": False, "need_eos_token": False}],
            weights=[None, None, 0.0],
        ),
    ),
    "PaddleNLP": (
        {
            "src": ["What color is the sky?"],
            "tgt": ["It is blue."],
            "context": {"system": "Be brief.", "topic": "color"},
        },
        row([SYSTEM, QUESTION, ANSWER], rest={"context": {"topic": "color"}}),
    ),
    "alpaca, with its text": (
        {"instruction": "What color is the sky?", "input": "", "output": "It is blue.", "text": "Below is an ..."},
        row([QUESTION, ANSWER], rest={"text": "Below is an ..."}),
    ),
    "TRL, prompt only": (
        {"prompt": [QUESTION], "solution": "blue"},
        row([QUESTION], rest={"solution": "blue"}),
    ),
    "TRL, prompt and completion": (
        {"prompt": [QUESTION, ANSWER, MORE], "completion": [{"role": "assistant", "content": "Green."}]},
        row(
            [QUESTION, {**ANSWER, "weight": 0}, MORE, {"role": "assistant", "content": "Green."}],
            weights=[None, 0.0, None, None],
        ),
    ),
    "TRL, prompt and completion with tools": (
        {"prompt": [QUESTION], "completion": [CALLED], "tools": [TOOL]},
        row([QUESTION, CALLED], tools=[TOOL]),
    ),
    "TRL, unpaired preference": (
        {"prompt": "What color is the sky?", "completion": "It is blue.", "label": True},
        row([QUESTION, ANSWER], rest={"label": True}),
    ),
    "TRL, explicit prompt": (
        {"prompt": [QUESTION], "chosen": [ANSWER], "rejected": [WRONG]},
        row([QUESTION], chosen=[ANSWER], rejected=[WRONG]),
    ),
    "TRL, explicit prompt, of texts": (
        {"prompt": "What color is the sky?", "chosen": "It is blue.", "rejected": "It is green."},
        row([QUESTION], chosen=[ANSWER], rejected=[WRONG]),
    ),
    "TRL, implicit prompt": (
        {"chosen": [QUESTION, ANSWER], "rejected": [QUESTION, WRONG]},
        row([QUESTION], chosen=[ANSWER], rejected=[WRONG]),
    ),
    "TRL, a prompt that ends before the question": (
        {"prompt": [SYSTEM], "chosen": [QUESTION, ANSWER], "rejected": [MORE, WRONG]},
        row([SYSTEM], chosen=[QUESTION, ANSWER], rejected=[MORE, WRONG]),
    ),
    "TRL, stepwise": (
        {"prompt": "What color is the sky?", "completions": ["Look up.", "Blue."], "labels": [True, True]},
        row([QUESTION], rest={"completions": ["Look up.", "Blue."], "labels": [True, True]}),
    ),
    "UltraFeedback binarized": (
        {
            "prompt": "What color is the sky?",
            "prompt_id": "5a3f",
            "chosen": [QUESTION, ANSWER],
            "rejected": [QUESTION, WRONG],
            "messages": [QUESTION, ANSWER],
            "score_chosen": 8.5,
        },
        row(
            [QUESTION],
            chosen=[ANSWER],
            rejected=[WRONG],
            rest={"prompt": "What color is the sky?", "prompt_id": "5a3f", "score_chosen": 8.5},
        ),
    ),
    "a prompt that both answers repeat, with a system message": (
        {"prompt": "What color is the sky?", "chosen": [SYSTEM, QUESTION, ANSWER], "rejected": [SYSTEM, QUESTION, WRONG]},
        row([SYSTEM, QUESTION], chosen=[ANSWER], rejected=[WRONG]),
    ),
    "a weight for the pair": (
        {"prompt": "What color is the sky?", "chosen": "It is blue.", "rejected": "It is green.", "weight": 0.5},
        row([QUESTION], chosen=[{**ANSWER, "weight": 0.5}], rejected=[{**WRONG, "weight": 0.5}]),
    ),
    "SWE traces, loss_mask in messages and tools as texts": (
        {"messages": [QUESTION, {**ANSWER, "loss_mask": 0}], "tools": [json.dumps(TOOL)]},
        row([QUESTION, {**ANSWER, "weight": 0}], tools=[TOOL], weights=[None, 0.0]),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("data", "expected"), SHAPES.values(), ids=list(SHAPES))
def test_the_shapes_of_data_sets(data, expected):
    before = json.dumps(data)
    assert lect.row(data) == lect.row(before) == expected
    assert json.dumps(data) == before


@pytest.mark.parametrize("name", SHAPES)
def test_messages_returns_all_of_them_or_names_what_they_do_not_hold(name):
    data, expected = SHAPES[name]
    held = [each for each in ("tools", "weights", "chosen", "rejected") if getattr(expected, each)]
    # XTuner's and OpenAI's messages state their own loss, as they were given.
    if not held or name == "XTuner":
        assert lect.messages(data) == expected.messages
        return
    with pytest.raises(MessageError, match=r"row 3: the row has .*\n  try: lect\.row\(row\)") as raised:
        lect.messages(data, row=3)
    assert held[0] in str(raised.value)


def test_weights_in_messages_stay_there():
    given_messages = [QUESTION, {**ANSWER, "weight": 0.5}]
    assert lect.messages({"messages": given_messages}) == given_messages


@pytest.mark.parametrize("empty", [None, "", "[]", [], "  "], ids=repr)
def test_empty_tools_are_none(empty):
    data = {"messages": [QUESTION, ANSWER], "tools": empty, "chosen": None}
    assert lect.row(data) == row([QUESTION, ANSWER])
    assert lect.messages(data) == [QUESTION, ANSWER]


@pytest.mark.parametrize(
    ("tools", "read"),
    [
        (TOOL, [TOOL]),
        ([{"type": "function", **FUNCTION}], [TOOL]),
        ([{"type": "web_search", "name": "search"}], [{"type": "web_search", "name": "search"}]),
        ([json.dumps(FUNCTION), TOOL], [TOOL, TOOL]),
    ],
)
def test_tools_are_openai_schemas(tools, read):
    assert lect.row({"messages": [QUESTION], "tools": tools}).tools == read
    assert lect.row({"messages": [QUESTION], "tools": json.dumps(tools)}).tools == read


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"messages": [QUESTION], "tools": "a calculator"}, "tools is 'a calculator', which is not JSON"),
        ({"messages": [QUESTION], "tools": 7}, r"tools is 7 \(int\)"),
        ({"messages": [QUESTION], "tools": [7]}, r"tools\[0\] is 7"),
        ({"messages": [QUESTION, ANSWER], "weights": [1]}, r"weights is \[1\].*one weight for each message, 2"),
        ({"messages": [QUESTION, ANSWER], "weights": [0, "1"]}, "weights is '1'"),
        ({"messages": [QUESTION, ANSWER], "weight": -1}, "weight is -1"),
        ({"messages": [QUESTION, {**ANSWER, "weight": "x"}]}, r"messages\[1\].weight is 'x'"),
        ({"conversations": [gpt("Hi", weight="x")]}, r"conversations\[0\].weight is 'x'"),
        ({"conversations": [gpt("Hi", role="user")]}, "conversations"),
        ({"conversations": [{"from": "gpt", "value": "Hi", "tool_calls": []}, {"from": "function_call", "value": "[]"}]}, r"conversations\[1\].value is '\[\]'"),
        ({"conversations": [{"from": "function_call", "value": json.dumps(CALL["function"]), "tool_calls": [CALL]}]}, r"conversations\[0\].tool_calls is"),
        ({"chosen": "\n\nHuman: Hi\n\nAssistant: Hello", "rejected": "\n\nHuman: Hi\n\nAssistant: Bye"}, "there is no message in it"),
        ({"chosen": [ANSWER], "rejected": [WRONG]}, "there is no message in it"),
        ({"chosen": [QUESTION, ANSWER], "rejected": [MORE, WRONG]}, "do not begin with the same messages"),
        ({"prompt": "Sky?", "chosen": [QUESTION, ANSWER], "rejected": [QUESTION, WRONG]}, "prompt is 'Sky"),
        ({"prompt": "Sky?", "chosen": ["Blue.", "Green."], "rejected": "Red."}, r"chosen\[0\] is 'Blue\.'"),
        ({"prompt": "Sky?", "chosen": 7}, "chosen is 7"),
        ({"prompt": 7}, "prompt is 7"),
        ({"prompt": "Sky?", "completion": "Blue.", "response": "Green."}, "has completion and response"),
    ],
)  # fmt: skip
def test_the_error_names_row_and_field(data, said):
    with pytest.raises(MessageError, match=f"row 17: .*{said}"):
        lect.row(data, row=17, format="sharegpt" if "conversations" in data else None)


def test_an_arrow_table_gives_every_turn_the_fields_of_all():
    turns = [human("What color is the sky?", weight=None, loss_mask=None), gpt("It is blue.", weight=0.5, tools=None)]
    assert lect.row({"conversations": turns}) == row([QUESTION, {**ANSWER, "weight": 0.5}], weights=[None, 0.5])


def test_weights_multiply_and_encode_follows_them():
    data = {"conversations": [human("Hi"), gpt("No", weight=0), human("Hi"), gpt("Yes", loss_mask=0.5)], "weight": 0.5}
    read = lect.row(data)
    assert read.weights == [None, 0.0, None, 0.25]
    prompt = lect.template("chatml").render(read.messages)
    assert {span.weight for span in prompt.loss_spans()} == {0.25}
    encoded = prompt.encode(Tiny(), policy=LossPolicy())
    assert set(encoded.weights) == {0.0, 0.25}


# No field vanishes

TEXTS = st.integers(100, 999).map("said {}".format)
ANYTHING = st.none() | TEXTS | st.sampled_from([0.25, True, [0.25, 0.75], {"a": "b"}])
SIDES = TEXTS | TEXTS.map(lambda text: [{"role": "assistant", "content": text, "note": text[::-1]}])
WEIGHT = st.sampled_from([0.25, 0, [0.25, 0.75], [None, 0.5]])


def some_of(**fields):
    """Return a strategy for a few of these fields, seldom with a value of another type."""
    return st.lists(
        st.one_of([st.tuples(st.just(key), values | values | ANYTHING) for key, values in fields.items()]), max_size=4
    ).map(dict)


FIELDS = some_of(
    id=TEXTS, source=TEXTS, label=st.booleans(), images=st.lists(TEXTS), prompt=SIDES, response=SIDES, system=TEXTS,
    tools=st.sampled_from([[TOOL], json.dumps([FUNCTION]), []]), weights=WEIGHT, weight=WEIGHT, loss_mask=WEIGHT,
    history=TEXTS.map(lambda text: [[text, text[::-1]]]), input=TEXTS, chosen=SIDES, rejected=SIDES,
    context=TEXTS.map(lambda text: {"system": text, "topic": text[::-1]}),
)  # fmt: skip
TURN_FIELDS = some_of(
    weight=WEIGHT, loss=st.booleans(), loss_mask=WEIGHT, name=TEXTS, note=TEXTS, system=TEXTS, tool_calls=st.just([CALL]),
)  # fmt: skip
BODIES = st.sampled_from([
    {"messages": [QUESTION, ANSWER]},
    {"conversations": [human("A"), gpt("B")]},
    {"conversations": [human("A"), {"from": "function_call", "value": json.dumps({"name": "f", "arguments": "x", "id": "1"})}]},
    {"conversation": [{"input": "A", "output": "B"}]},
    {"instruction": "A", "output": "B"},
    {"src": ["A"], "tgt": ["B"]},
    {"conversations": [["A", "B"]]},
    {"prompt": "A"},
    {"prompt": [QUESTION], "completion": "B"},
    {"chosen": [QUESTION, ANSWER], "rejected": [QUESTION, WRONG]},
])  # fmt: skip


def texts_in(value):
    """Return the texts in a value; JSON text counts as what it says, and a text of several lines as each of them."""
    if isinstance(value, dict):
        return texts_in(list(value.values()))
    if isinstance(value, list | tuple):
        return {text for each in value for text in texts_in(each)}
    if isinstance(value, str) and value[:1] in ("[", "{"):
        return texts_in(json.loads(value))
    return set(value.splitlines()) if isinstance(value, str) else set()


@settings(max_examples=500)
@given(BODIES, FIELDS, TURN_FIELDS)
def test_no_field_of_a_row_vanishes(body, fields, turn):
    data = {**fields, **body}
    for key in ("messages", "conversations", "conversation"):
        if key in body and isinstance(data[key][-1], dict):
            data[key] = [
                *data[key][:-1],
                data[key][-1] | {name: turn[name] for name in turn if name not in data[key][-1]},
            ]
    try:
        read = lect.row(data)
    except MessageError:
        return
    assert texts_in(data) - {"human", "gpt", "function_call"} <= texts_in(read)
    assert all(read.rest[key] == fields[key] for key in ("id", "source", "label", "images") if key in fields)
    both = [*read.messages, *(read.chosen or ()), *(read.rejected or ())]
    stated = [data, *(data[key][-1] for key in ("messages", "conversations", "conversation") if key in body)]
    weights = [place.get(key) for place in stated if isinstance(place, dict) for key in ("weight", "loss_mask")]
    if 0.25 in weights and any(message["role"] == "assistant" for message in both):
        assert any("weight" in message for message in both)
