"""Masks that follow the marks of a template itself instead of ours."""

import pickle

import pytest
from tiny_tokenizer import Tiny

import lect
from lect import LossPolicy, MaskError
from lect.plugin import Template
from lect.plugin.grammar import Grammar, Reasoning

CHAT = [
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "content": "Hello!", "reasoning_content": "Greet."},
    {"role": "user", "content": "Bye"},
    {"role": "assistant", "content": "See you."},
]
MARKS = LossPolicy(marks="template")


def program(chat, out):
    """Write a format that marks the header of an answer, and the end of the text, too."""
    spans = []
    for message in out.turns(chat.messages):
        begin = len(out.joined())
        out += "<", message.role, ">"
        if message.reasoning:
            out += "(", message.reasoning, ")"
        out += message.content, "\n"
        if message.role == "assistant":
            spans.append((begin, len(out.joined())))
    begin = len(out.joined())
    if chat.add_generation_prompt:
        out.append("<assistant>")
    else:
        out.append("<end>")
        spans.append((begin, len(out.joined())))
    out.marked(spans)


IN_BRACKETS = Grammar("in_brackets", reasoning=Reasoning(open=("(",), close=(")",)))
MARKED = Template(
    "marked", program, markers=["<end>"], stop=["<end>"], reply=IN_BRACKETS, capabilities=["system", "reasoning"]
)


def trained(policy=MARKS, messages=CHAT, **arguments):
    prompt = MARKED.render(messages, **arguments)
    return [(span.message, prompt.text[span.start : span.end], span.weight) for span in prompt.loss_spans(policy)]


ALL = [
    (1, "<assistant", 1.0),
    (1, ">(Greet.)", 1.0),
    (1, "Hello!\n", 1.0),
    (3, "<assistant>See you.\n", 1.0),
    (3, "<end>", 1.0),
]


def test_what_a_template_marks_is_trained_and_belongs_to_the_message_in_whose_turn_it_is():
    assert trained() == ALL
    assert [text for _, text, _ in trained(None)] == ["(Greet.)", "Hello!", "See you.\n", "<end>"]


def test_marks_are_known_however_often_a_shape_of_messages_was_met():
    for word in ("Hello!", "Good morning!", "Hi.", ""):
        found = trained(messages=[CHAT[0], {"role": "assistant", "content": word}])
        assert found == [(1, f"<assistant>{word}\n", 1.0), (1, "<end>", 1.0)]


def test_marks_decide_in_place_of_roles_stops_and_prefill():
    for policy in ({"roles": ["user"]}, {"stop": "none"}, {"train_prefill": True}, {"train_separator": True}):
        assert trained(LossPolicy(marks="template", **policy)) == ALL


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ({"last": True}, ALL[3:]),
        ({"reasoning": 0}, [ALL[0], *ALL[2:]]),
        ({"reasoning": 0.5}, [ALL[0], (1, ">(Greet.)", 0.5), *ALL[2:]]),
        ({"patterns": {"<.*?>": 0}}, [(1, "(Greet.)", 1.0), (1, "Hello!\n", 1.0), (3, "See you.\n", 1.0)]),
        (
            {"spans": {1: [(0, 4, 0.0)], 2: [(0, 3, 1.0)]}},
            [*ALL[:2], (1, "o!\n", 1.0), *ALL[3:]],
        ),
    ],
)
def test_weights_patterns_and_spans_count_inside_the_marks(policy, expected):
    assert trained(LossPolicy(marks="template", **policy)) == expected


def test_a_message_may_say_how_much_it_is_trained():
    first, rest = {**CHAT[1], "train": False}, {**CHAT[3], "weight": 0.25}
    assert trained(messages=[CHAT[0], first, CHAT[2], rest]) == [
        (3, "<assistant>See you.\n", 0.25),
        (3, "<end>", 0.25),
    ]


def test_an_unrolled_prompt_trains_what_is_marked_in_its_own_answers():
    prompts = MARKED.unroll(CHAT, "always")
    found = [[prompt.text[span.start : span.end] for span in prompt.loss_spans(MARKS)] for prompt in prompts]
    assert found == [["<assistant", ">(Greet.)", "Hello!\n", "<end>"], ["<assistant>See you.\n", "<end>"]]


def test_a_prompt_that_ends_within_an_answer_is_marked_up_to_there():
    assert trained(continue_final_message=True) == [*ALL[:3], (3, "<assistant>See you.", 1.0)]
    assert trained(continue_final_message=True, add_generation_prompt=True) == ALL[:3]


def test_a_pickled_prompt_keeps_the_marks():
    prompt = MARKED.render(CHAT)
    twin = object.__new__(type(prompt))
    for name, value in pickle.loads(pickle.dumps(prompt.__getstate__() | {"template": None})).items():
        setattr(twin, name, value)
    assert twin.marked == prompt.marked
    assert twin.loss_spans(MARKS) == prompt.loss_spans(MARKS)


def test_ids_are_weighed_by_the_marks():
    encoded = MARKED.render(CHAT[:2]).encode(Tiny(), policy=MARKS)
    assert "".join(piece.text for piece in encoded.pieces() if piece.weight) == "<assistant>(Greet.)Hello!\n<end>"
    with pytest.raises(MaskError, match="nothing in this prompt is trained by a policy that follows the marks of"):
        MARKED.render(CHAT[:1], add_generation_prompt=True).encode(Tiny(), policy=MARKS)


def test_a_template_without_marks_says_so_and_what_to_do():
    prompt = lect.template("chatml").render(CHAT)
    assert prompt.marked is None
    with pytest.raises(
        MaskError, match=r"'lect:chatml' has no {% generation %} marks.*\n  try: .*\n   or: .*load_template"
    ) as raised:
        prompt.loss_spans(MARKS)
    with pytest.raises(MaskError) as again:
        prompt.encode(Tiny(), policy=MARKS)
    assert str(again.value) == str(raised.value)
