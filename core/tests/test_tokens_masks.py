"""Which part of a prompt carries loss: exactly what a model has to write after the generation prompt, with its stop."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made import TEMPLATES, THINKING, by_program, chats
from tiny_tokenizer import Bytes, Tiny, Trimming

import lect
from lect import LossPolicy, MaskError
from lect.plugin import CHATML, Template, Turn, TurnTemplate
from lect.tokens.turns import turns_of

pytestmark = pytest.mark.filterwarnings("ignore::lect.errors.ServedDifferentlyWarning")
CHAT = [
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "content": "Hello!"},
    {"role": "user", "content": "Bye"},
    {"role": "assistant", "content": "See you."},
]
LLAMA_2 = TurnTemplate(
    "llama-2",
    user=Turn("<s>[INST] ", " [/INST]"),
    assistant=Turn(" ", " </s>"),
    generation="",
    trim=True,
    stop=["</s>"],
)
LLAMA_3 = TurnTemplate(
    "llama-3",
    user=Turn("<|start_header_id|>user<|end_header_id|>\n\n", "<|eot_id|>"),
    assistant=Turn("<|start_header_id|>assistant<|end_header_id|>\n\n", "<|eot_id|>"),
    bos="<|begin_of_text|>",
    stop=["<|eot_id|>", "<|eom_id|>"],
)
VICUNA = TurnTemplate(
    "vicuna",
    system=Turn("", " "),
    user=Turn("USER: ", " "),
    assistant=Turn("ASSISTANT: ", "</s>"),
    generation="ASSISTANT:",
    default_system="A chat.",
    stop=["</s>"],
)
INTERNLM_2 = CHATML.but(name="internlm2", bos="<s>", stop=["<|im_end|>"])
CHATGLM_3 = TurnTemplate(
    "chatglm3",
    user=Turn("<|user|>\n ", ""),
    assistant=Turn("<|assistant|>\n ", ""),
    generation="<|assistant|>",
    bos="[gMASK]sop",
    stop=["<|user|>", "<|observation|>"],
)


def marked(prompt, policy=None):
    """Return a prompt with what is trained in brackets, as the specification writes it."""
    text, at = "", 0
    end = -1
    for span in prompt.loss_spans(policy):
        if span.start != end:
            text += "⟧" * (end >= 0) + prompt.text[max(at, end) : span.start] + "⟦"
        text += prompt.text[span.start : span.end]
        at = end = span.end
    return text + "⟧" * (end >= 0) + prompt.text[max(at, 0) :]


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        (LLAMA_2, "<s>[INST] Hi [/INST]⟦ Hello! </s>⟧<s>[INST] Bye [/INST]⟦ See you. </s>⟧"),
        (
            CHATML.but(name="qwen2.5", stop=["<|im_end|>"]),
            "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n⟦Hello!<|im_end|>⟧\n"
            "<|im_start|>user\nBye<|im_end|>\n<|im_start|>assistant\n⟦See you.<|im_end|>⟧\n",
        ),
        (
            LLAMA_3,
            "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|>"
            "<|start_header_id|>assistant<|end_header_id|>\n\n⟦Hello!<|eot_id|>⟧"
            "<|start_header_id|>user<|end_header_id|>\n\nBye<|eot_id|>"
            "<|start_header_id|>assistant<|end_header_id|>\n\n⟦See you.<|eot_id|>⟧",
        ),
        (VICUNA, "A chat. USER: Hi ASSISTANT:⟦ Hello!</s>⟧USER: Bye ASSISTANT:⟦ See you.</s>⟧"),
        (
            INTERNLM_2,
            "<s><|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n⟦Hello!<|im_end|>⟧\n"
            "<|im_start|>user\nBye<|im_end|>\n<|im_start|>assistant\n⟦See you.<|im_end|>⟧\n",
        ),
        (CHATGLM_3, "[gMASK]sop<|user|>\n Hi<|assistant|>⟦\n Hello!<|user|>⟧\n Bye<|assistant|>⟦\n See you.⟧"),
    ],
    ids=lambda value: getattr(value, "name", ""),
)  # fmt: skip
def test_the_worked_examples_of_the_specification(template, expected):
    prompt = template.render(CHAT)
    assert marked(prompt) == expected
    assert marked(pickle.loads(pickle.dumps(prompt))) == expected


def test_a_last_turn_without_its_stop_is_named():
    report = CHATGLM_3.render(CHAT).encode(Tiny(), policy=LossPolicy(stop="none")).report
    assert report.stops_lost == (3,)
    assert CHATGLM_3.render(CHAT).encode(Tiny(), policy=LossPolicy()).report.stops_lost == ()
    assert LLAMA_3.render(CHAT).encode(Tiny(), policy=LossPolicy()).report.stops_lost == ()


# What a policy says


def trained(policy, messages=CHAT, template=LLAMA_3):
    prompt = template.render(messages)
    return [(prompt.text[span.start : span.end], span.weight) for span in prompt.loss_spans(policy)]


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        (LossPolicy(last=True), [("See you.", 1), ("<|eot_id|>", 1)]),
        (LossPolicy(stop="none"), [("Hello!", 1), ("See you.", 1)]),
        (LossPolicy(stop="last"), [("Hello!", 1), ("See you.", 1), ("<|eot_id|>", 1)]),
        (LossPolicy(roles=["user"], stop="none"), [("Hi", 1), ("Bye", 1)]),
        (LossPolicy(roles=["user", "assistant"], last=True, stop="none"), [("See you.", 1)]),
        (LossPolicy(content=0.5, last=True), [("See you.", 0.5), ("<|eot_id|>", 1)]),
        (LossPolicy(patterns={"you": 0.25}, last=True, stop="none"), [("See ", 1), ("you", 0.25), (".", 1)]),
        (
            LossPolicy(patterns={"you": 0.5, "u.": 0.5}, content=2, last=True, stop="none"),
            [("See ", 2), ("yo", 1), ("u", 0.5), (".", 1)],
        ),
        (LossPolicy(spans={3: [(0, 3, 0)]}, last=True, stop="none"), [(" you.", 1)]),
        (LossPolicy(spans={3: [(4, 7, 3)]}, content=0, last=True, stop="none"), [("you", 3)]),
        (LossPolicy(spans={2: [(0, 3, 0.5)]}, last=True, stop="none"), [("Bye", 0.5), ("See you.", 1)]),
    ],
)
def test_a_policy_chooses_by_role_place_kind_pattern_and_span(policy, expected):
    assert trained(policy) == expected


@pytest.mark.parametrize("name", ["loss", "train", "training", "trainable", "weight"])
def test_a_message_may_say_whether_it_is_trained(name):
    first, answer, *rest = CHAT
    policy = LossPolicy(stop="none")
    assert trained(policy, [first, {**answer, name: False}, *rest]) == [("See you.", 1)]
    assert trained(policy, [first, {**answer, name: 0.5}, *rest]) == [("Hello!", 0.5), ("See you.", 1)]
    assert trained(policy, [{**first, name: True}, answer, *rest]) == [("Hi", 1), ("Hello!", 1), ("See you.", 1)]
    assert trained(policy, [first, {**answer, name: None}, *rest]) == trained(policy)


def test_a_message_may_be_masked_and_weights_multiply():
    first, answer, *rest = CHAT
    policy = LossPolicy(stop="none", content=0.5)
    assert trained(policy, [first, {**answer, "masked": True}, *rest]) == [("See you.", 0.5)]
    assert trained(policy, [first, {**answer, "masked": False, "weight": 3}, *rest])[0] == ("Hello!", 1.5)
    assert trained(policy, [first, {**answer, "loss": True, "weight": 0.5}, *rest])[0] == ("Hello!", 0.25)
    assert trained(LossPolicy(stop="none", last=True), [first, {**answer, "weight": 2}, *rest]) == [("See you.", 1)]
    for message in ({**answer, "masked": 0.5}, {**answer, "loss": "yes"}, {**answer, "weight": -1}):
        with pytest.raises(MaskError, match=r"messages\[1\]\."):
            trained(policy, [first, message, *rest])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"roles": "assistant"}, "roles is 'assistant'"),
        ({"stop": "sometimes"}, "stop is 'sometimes'"),
        ({"boundary": "no"}, "boundary is 'no'"),
        ({"content": -1}, "content is -1"),
        ({"reasoning": "much"}, "reasoning is 'much'"),
        ({"tool_calls": float("inf")}, "tool_calls is inf"),
        ({"patterns": {"(": 1}}, r"patterns is '\('"),
        ({"patterns": {"a": None}}, "is None"),
        ({"spans": {0: [(3, 2, 1)]}}, r"spans\[0\]"),
        ({"spans": {0: [(1, 2)]}}, r"spans\[0\]"),
        ({"spans": {0: 5}}, r"spans\[0\]"),
        ({"patterns": ["a"]}, "patterns is"),
        ({"roles": 5}, "roles is 5"),
    ],
)
def test_a_policy_that_makes_no_sense_is_refused(arguments, says):
    with pytest.raises(MaskError, match=says):
        LossPolicy(**arguments)


def test_a_span_of_a_message_that_does_not_exist_is_refused():
    with pytest.raises(MaskError, match=r"spans\[9\] names a message that does not exist; there are 4"):
        trained(LossPolicy(spans={9: [(0, 1, 1)]}))


def test_a_mask_of_nothing_or_of_everything_is_an_error_unless_it_is_wanted():
    nothing = LLAMA_3.render(CHAT[:1])
    with pytest.raises(MaskError, match="no token carries loss"):
        nothing.encode(Tiny(), policy=LossPolicy())
    assert not any(nothing.encode(Tiny(), policy=LossPolicy(allow_uniform=True)).weights)
    everything = TurnTemplate("all", user=Turn("", ""), assistant=Turn("", "")).render(CHAT)
    with pytest.raises(MaskError, match="every token carries loss"):
        everything.encode(Tiny(), policy=LossPolicy(roles=["user", "assistant"]))


# Calls, reasoning, prefill


def reasons(chat, out):
    for message in out.turns(chat.messages):
        out += "<|", message.role, "|>"
        if message.role == "tool":
            out += "[", message.content, "]"
            continue
        if message.reasoning:
            out += "<think>", message.reasoning, "</think>"
        out.append(message.content)
        for call in message.tool_calls:
            out += (
                '<call>{"name": "',
                call.name,
                '", "arguments": ',
                chat.json(call.arguments, *call.path, "arguments"),
                "}</call>",
            )
        out.append("<|end|>\n")
    if chat.add_generation_prompt:
        out.append("<|assistant|><think>" if chat.option("think", False) else "<|assistant|>")


REASONS = Template("reasons", reasons, stop=["<|end|>"], capabilities=["tools", "reasoning"], options=["think"])
CALL = {"id": "1", "type": "function", "function": {"name": "add", "arguments": {"a": 1}}}
TALK = [
    {"role": "user", "content": "1+1?"},
    {"role": "assistant", "content": "Well.", "reasoning_content": "Hm.", "tool_calls": [CALL]},
    {"role": "tool", "content": "2", "tool_call_id": "1"},
    {"role": "assistant", "content": "Two."},
]


def test_what_the_template_writes_around_a_call_is_trained_with_it_and_told_from_the_header():
    prompt = REASONS.render(TALK)
    first = [(span.kind, prompt.text[span.start : span.end]) for span in prompt.loss_spans() if span.message == 1]
    assert first == [
        ("reasoning", "<think>Hm.</think>"),
        ("content", "Well."),
        ("tool_calls", '<call>{"name": "add", "arguments": {"a": 1}}</call>'),
        ("stop", "<|end|>"),
    ]
    assert not [span for span in prompt.loss_spans() if span.message in (0, 2)]
    turn = next(turn for turn in prompt.turns if turn.message == 1)
    assert prompt.text[turn.begin : turn.start] == "<|assistant|>"


def test_kinds_have_their_own_weights():
    prompt = REASONS.render(TALK)
    policy = LossPolicy(reasoning=0, tool_calls=2, content=0.5, stop="none")
    assert [(prompt.text[span.start : span.end], span.weight) for span in prompt.loss_spans(policy)] == [
        ("Well.", 0.5), ('<call>{"name": "add", "arguments": {"a": 1}}</call>', 2), ("Two.", 0.5),
    ]  # fmt: skip
    spoken = LossPolicy(roles=["tool"], stop="none")
    assert [prompt.text[span.start : span.end] for span in prompt.loss_spans(spoken)] == ["2]"]


def test_what_the_generation_prompt_supplies_is_trained_only_on_request():
    messages = [TALK[0], {"role": "assistant", "content": "Two.", "reasoning_content": "Hm."}]
    prompt = REASONS.render(messages, think=True)
    assert marked(prompt).endswith("<|assistant|><think>⟦Hm.</think>Two.<|end|>⟧\n")
    assert marked(prompt, LossPolicy(train_prefill=True)).endswith("<|assistant|>⟦<think>Hm.</think>Two.<|end|>⟧\n")
    assert marked(prompt, LossPolicy(train_separator=True)).endswith("Two.<|end|>\n⟧")


# Tokens


def test_a_token_that_reaches_into_what_is_trained_is_cut_or_left_out():
    prompt = TurnTemplate("glued", user=Turn("u:", ";"), assistant=Turn("a:", ";")).render(CHAT)
    tokenizer = Tiny(word=r"a:\w|\w+|.")
    whole = prompt.encode(tokenizer, policy=LossPolicy(boundary="whole"))
    assert whole.ids == prompt.encode(tokenizer).ids
    assert [
        prompt.text[start:end] for (start, end), weight in zip(whole.offsets, whole.weights, strict=True) if weight
    ][:2] == ["ello", "!"]
    cut = prompt.encode(tokenizer, policy=LossPolicy())
    assert cut.report.cuts == (prompt.text.index("Hello"), prompt.text.index("See"))
    assert [prompt.text[start:end] for (start, end), weight in zip(cut.offsets, cut.weights, strict=True) if weight][
        :2
    ] == ["Hello", "!"]
    assert whole.report.cuts == ()


def test_a_cut_off_end_is_counted_and_its_stop_is_named():
    prompt = LLAMA_3.render(CHAT)
    whole = prompt.encode(Tiny(), policy=LossPolicy())
    for length in range(1, len(whole)):
        cut = prompt.encode(Tiny(), policy=LossPolicy(allow_uniform=True), max_length=length)
        assert (cut.ids, cut.weights, cut.offsets) == (
            whole.ids[:length],
            whole.weights[:length],
            whole.offsets[:length],
        )
        assert (cut.message_index, cut.field) == (whole.message_index[:length], whole.field[:length])
        assert cut.report.truncated == len(whole) - length
        assert cut.report.stops_lost == tuple(
            turn.message for turn in prompt.turns if turn.message % 2 and turn.end > cut.offsets[-1][1]
        )
    assert prompt.encode(Tiny(), max_length=10_000).report.truncated == 0


def test_a_length_that_leaves_nothing_to_train_is_an_error():
    prompt = LLAMA_3.render(CHAT)
    first = next(index for index, weight in enumerate(prompt.encode(Tiny()).weights) if weight)
    with pytest.raises(MaskError, match=f"beyond the {first} tokens of max_length\n  try: a larger max_length"):
        prompt.encode(Tiny(), policy=LossPolicy(), max_length=first)
    assert prompt.encode(Tiny(), policy=LossPolicy(), max_length=first + 1).weights[-1] == 1
    # Without a policy nobody asked for a mask; it fails when it is read.
    with pytest.raises(MaskError, match="beyond"):
        _ = prompt.encode(Tiny(), max_length=first).to_dict()


def test_columns_have_weights_only_if_labels_do_not_say_all():
    prompt = LLAMA_3.render([*CHAT[:-1], {**CHAT[-1], "weight": 0.5}])
    encoded = prompt.encode(Tiny(), policy=LossPolicy())
    assert encoded.to_dict()["weights"] == encoded.weights
    assert set(encoded.weights) == {0.0, 0.5, 1.0}
    plain = LLAMA_3.render([*CHAT[:-1], {**CHAT[-1], "weight": 0}]).encode(Tiny(), policy=LossPolicy())
    assert list(plain.to_dict()) == ["input_ids", "attention_mask", "labels"]


any_template = st.sampled_from([*TEMPLATES, *map(by_program, TEMPLATES), LLAMA_2, VICUNA, CHATGLM_3, REASONS])
any_tokenizer = st.sampled_from(
    [Tiny(), Tiny(word=r"\S+\s*"), Tiny(word="(?s).{1,7}"), Bytes(), Trimming(), Trimming(word=r"\s*\w+|\s+|.")]
)
policies = st.builds(
    LossPolicy,
    roles=st.sampled_from([("assistant",), ("user",), ("assistant", "tool"), ("assistant", "user")]),
    last=st.booleans(),
    stop=st.sampled_from(["turn", "last", "none"]),
    content=st.sampled_from([0, 0.5, 1]),
    reasoning=st.sampled_from([0, 2]),
    patterns=st.sampled_from([{}, {r"\w": 0.5}, {"": 0}]),
    train_prefill=st.booleans(),
    train_separator=st.booleans(),
    boundary=st.sampled_from(["cut", "whole"]),
    allow_uniform=st.just(True),
)


def rendered(template, messages, **options):
    try:
        return template.render(messages, **options)
    except lect.MessageError:
        return None


@given(any_template, chats(), any_tokenizer, policies, st.none() | st.integers(1, 40))
def test_no_mask_leaks_beyond_its_turn(template, messages, tokenizer, policy, max_length):
    prompt = rendered(template, messages)
    if prompt is None:
        return
    spans = prompt.loss_spans(policy)
    turns = {turn.message: turn for turn in prompt.turns}
    for span in spans:
        turn = turns[span.message]
        behind = max(turn.close, turn.end)
        assert turn.begin <= span.start < span.end <= behind
        assert turn.header_end <= span.start or messages[span.message]["role"] != "assistant"
    encoded = prompt.encode(tokenizer, policy=policy, max_length=max_length)
    loss = [0.0] * (len(prompt.text) + 1)
    for span in spans:
        loss[span.start : span.end] = [span.weight] * (span.end - span.start)
    for (start, end), weight in zip(encoded.offsets, encoded.weights, strict=True):
        if weight and start < end:
            # It begins in trained text; if it is longer, only its beginning is trained.
            assert loss[start], (prompt.text[start:end], weight)
            assert weight in loss[start:end]
        elif start < end and not prompt.text[start - 1 : start].isspace():
            assert not loss[start], (prompt.text[start:end], weight)


@given(any_template, chats(), any_tokenizer, st.integers(1, 60))
def test_whole_turns_are_cut_off(template, messages, tokenizer, max_length):
    prompt = rendered(template, messages)
    if prompt is None:
        return
    policy = LossPolicy(allow_uniform=True)
    whole = prompt.encode(tokenizer, policy=policy)
    try:
        cut = prompt.encode(tokenizer, policy=policy, max_length=max_length, truncate="turns")
    except MaskError:
        cut = None
    kept = len(cut) if cut else 0
    assert kept <= max_length
    stopped = [turn for turn in prompt.turns if turn.stop < turn.end] or prompt.turns
    ends = {end for turn in stopped for end in (turn.end, max(turn.end, turn.close))}
    if cut and cut.report.truncated:
        assert cut.ids == whole.ids[:kept]
        assert cut.report.truncated == len(whole) - kept
        last = cut.offsets[-1][1]
        # Some tokenizers leave white space at the end of a token out of its offsets.
        assert any(last <= end and not prompt.text[last:end].strip() for end in ends)
        assert set(cut.report.stops_lost) - set(whole.report.stops_lost) <= {
            turn.message for turn in prompt.turns if turn.begin >= last
        }
    if len(whole) > max_length:
        # Another turn would not have fitted, or its end is within a token.
        for index in range(kept, max_length):
            (_, end), (start, _) = whole.offsets[index], whole.offsets[index + 1]
            assert end not in ends or start < end or start == whole.offsets[index + 1][1]


def test_a_turn_is_kept_with_its_stop_or_not_at_all():
    prompt = LLAMA_3.render(CHAT)
    whole = prompt.encode(Tiny(), policy=LossPolicy())
    ends = [index + 1 for index, (_, end) in enumerate(whole.offsets) if end in {turn.end for turn in prompt.turns}]
    for length in range(ends[1], len(whole) + 1):
        cut = prompt.encode(Tiny(), policy=LossPolicy(), max_length=length, truncate="turns")
        assert len(cut) == max(end for end in ends if end <= length)
    with pytest.raises(MaskError, match="no whole turn fits into max_length, 1\n  try: a larger one, or truncate="):
        prompt.encode(Tiny(), max_length=1, truncate="turns")
    with pytest.raises(MaskError, match="no token carries loss"):
        prompt.encode(Tiny(), policy=LossPolicy(), max_length=ends[1] - 1, truncate="turns")


@given(any_template, chats(), st.booleans())
def test_turns_shared_by_a_shape_are_those_of_each_prompt(template, messages, generate):
    for content in ("Hi", " x ", "你\n", "</s>"):
        said = [
            {**message, "content": content} if isinstance(message.get("content"), str) else message
            for message in messages
        ]
        prompt = rendered(template, said, add_generation_prompt=generate)
        if prompt is not None:
            marks = template.edges().turn_marks
            assert list(prompt.turns) == turns_of(prompt.layout, marks, prompt._request, template.text)


@pytest.mark.parametrize("template", [CHATML, THINKING], ids=lambda template: template.name)
def test_a_long_conversation_is_not_rendered_once_for_each_answer(template):
    runs = []

    def counted(chat, out):
        runs.append(len(chat.messages))
        template.program(chat, out)

    made = Template("counted", counted, markers=template.markers, stop=["<|im_end|>"])
    counts = []
    for rounds in (100, 300):
        prompt = made.render(CHAT[:2] * rounds)
        runs.clear()
        encoded = prompt.encode(Tiny(), policy=LossPolicy())
        counts.append(len(runs))
        # The prompt of THINKING opens reasoning, and no answer closes any.
        assert len(encoded.report.deviations) == (rounds if template is THINKING else 0)
        assert marked(prompt).count("assistant\n⟦Hello!<|im_end|>⟧") == rounds
    # The first time, a template is asked what it writes around an answer.
    assert counts[1] <= counts[0] < 100


@given(any_template, chats(), policies)
def test_a_pickled_prompt_has_the_same_mask(template, messages, policy):
    prompt = rendered(template, messages)
    if prompt is not None and template in (CHATML, LLAMA_2, VICUNA):
        assert pickle.loads(pickle.dumps(prompt)).loss_spans(policy) == prompt.loss_spans(policy)
