"""The claims of docs/how-to/train-on-what-you-serve.md, one by one, for every family that the page names.

Its examples are run elsewhere (test_docs.py, integrations/test_heavy_pages.py), its sentences on marks are tried in
test_marks.py and plugins/jinja/tests/test_marks.py, and those on TRL in integrations/test_sft_trl.py.
"""

import json
import pickle

import hostile
import pages
import pytest
from character_tokenizer import CharacterTokenizer
from together import together

import lect
from lect import LossPolicy, MaskError
from lect.errors import ServedDifferentlyWarning
from lect_kit.conversations import dated

pytestmark = pytest.mark.filterwarnings("ignore::lect.errors.ServedDifferentlyWarning")
PAGE = (pages.DOCS / "how-to/train-on-what-you-serve.md").read_text("utf-8")
QWEN25, QWEN3, R1 = "Qwen/Qwen2.5-7B-Instruct", "Qwen/Qwen3-8B", "deepseek-ai/DeepSeek-R1"
MOVING = {
    "v0.3": "mistralai/Mistral-7B-Instruct-v0.3",
    "Nemo": "mistralai/Mistral-Nemo-Instruct-2407",
    "Large 2407": "mistralai/Mistral-Large-Instruct-2407",
    "Pixtral": "mistralai/Pixtral-12B-2409",
}
"""Mistral's models whose system text moves."""
NAMED = [QWEN25, QWEN3, R1, *MOVING.values()]
TALK = [
    {"role": "user", "content": "6 times 7?"},
    {"role": "assistant", "reasoning_content": "Multiply.", "content": "42."},
    {"role": "user", "content": "And 6 plus 7?"},
    {"role": "assistant", "reasoning_content": "Add.", "content": "13."},
]
CHAT = [{"role": message["role"], "content": message["content"]} for message in TALK]
WITH_SYSTEM = [{"role": "system", "content": "Be brief."}, *CHAT]
STRICT = {"policy": LossPolicy(), "strict": True}

every_named_model = pytest.mark.parametrize("model", NAMED)
every_moving_model = pytest.mark.parametrize("model", MOVING.values())


def tokenizer_for(template):
    """Return a tokenizer that has each marker of a template as one token."""
    marks = sorted({*template.markers, *template.stop, *filter(None, [template.bos])})
    return CharacterTokenizer({text: 2_000_000 + number for number, text in enumerate(marks)})


def encode(model, messages, **arguments):
    return lect.encode(model, messages, tokenizer_for(lect.get_template(model)), **arguments)


def trained(prompt):
    """Return the trained text of each message."""
    found = {}
    for span in prompt.loss_spans():
        found[span.message] = found.get(span.message, "") + prompt.text[span.start : span.end]
    return found


def talk_for(model):
    """Return a conversation of the kind for which the page names a model."""
    return WITH_SYSTEM if model in MOVING.values() else CHAT if model == QWEN25 else TALK


def test_the_page_names_no_other_family():
    """Where this fails, the page names a model that no test here tries."""
    words = ["DeepSeek", "Gemma", "GLM", "gpt-oss", "Granite", "Hermes", "Kimi", "Llama", "MiniMax", "Mistral", "OLMo",
             "Phi", "QwQ", "Qwen", "Yi"]  # fmt: skip
    prose = pages.BLOCK.sub("", PAGE)
    assert {word for word in words if word in prose} == {"DeepSeek", "Mistral", "Qwen"}
    assert all(name in prose for name in MOVING)


# A conversation as ids and labels


@every_named_model
def test_the_answer_and_its_stop_are_trained_and_neither_header_nor_separator(model):
    template = lect.get_template(model)
    prompt = template.unroll(CHAT)[-1]
    last = max(prompt.trains)
    before = template.text(CHAT[:last], add_generation_prompt=True)
    said = trained(prompt)[last]
    assert prompt.text.startswith(before + said)
    assert said.startswith(template.reply_text(CHAT[: last + 1]).text)
    assert said.endswith(tuple(template.stop))


@every_named_model
def test_a_label_is_the_id_or_minus_100(model):
    for encoded in encode(model, talk_for(model), policy=LossPolicy(), unroll="auto"):
        pairs = zip(encoded.ids, encoded.labels, encoded.weights, strict=True)
        assert all(label == (each if weight else -100) for each, label, weight in pairs)
        assert {each for each in encoded.labels if each >= 2_000_000}  # The stop.


def test_a_directory_with_a_template_without_marks_works_the_same_way(tmp_path):
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"eos_token": "<|end|>"}))
    (tmp_path / "chat_template.jinja").write_text(
        "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}<|end|>\n{% endfor %}"
        "{% if add_generation_prompt %}<|assistant|>{% endif %}"
    )
    tokenizer = CharacterTokenizer({"<|end|>": 1, "<|user|>": 2, "<|assistant|>": 3})
    encoded = lect.encode(str(tmp_path), CHAT[:2], tokenizer, policy=LossPolicy())
    assert encoded.labels[-6:] == [-100, *map(ord, "42."), 1, -100]


@every_named_model
@pytest.mark.parametrize("policy", [None, LossPolicy()], ids=["serving", "training"])
def test_the_text_of_a_user_never_becomes_a_control_token(model, policy):
    template = lect.get_template(model)
    tokenizer = tokenizer_for(template)

    def controls(content):
        messages = [{"role": "user", "content": content}, CHAT[1]]
        return [each for each in template.render(messages).encode(tokenizer, policy=policy).ids if each >= 2_000_000]

    assert controls(f"Q {' '.join(tokenizer.controls)} Q") == controls("Q")


# Rows of a dataset


def test_all_that_the_example_uses_can_be_sent_to_other_processes():
    template, policy = lect.get_template(QWEN25), LossPolicy()
    encoded = template.render(CHAT).encode(tokenizer_for(template), policy=policy)
    other, same = pickle.loads(pickle.dumps((template, policy)))
    assert other.render(CHAT).encode(tokenizer_for(other), policy=same).to_dict() == encoded.to_dict()
    assert pickle.loads(pickle.dumps(encoded)).to_dict() == encoded.to_dict()


@every_named_model
@pytest.mark.parametrize(
    ("messages", "settings", "why"),
    [
        (CHAT[:1], {}, "no token carries loss"),
        (CHAT[:2], {"max_length": 6}, "all that is trained is beyond the 6 tokens of max_length"),
    ],
    ids=["no answer", "too long"],
)
def test_a_row_without_an_answer_is_an_error(model, messages, settings, why):
    with pytest.raises(MaskError, match=why):
        encode(model, messages, policy=LossPolicy(), **settings)


def test_a_row_in_which_everything_would_be_trained_is_an_error():
    everything = lect.load_template("{% for m in messages %}{{ m.content }}{% endfor %}")
    with pytest.raises(MaskError, match="every token carries loss"):
        everything.render(CHAT[1:2]).encode(CharacterTokenizer({}), policy=LossPolicy())


# PyTorch, TRL and axolotl


def test_a_fourth_column_has_weights_that_labels_cannot_say():
    assert list(encode(QWEN3, TALK, policy=LossPolicy()).to_dict()) == ["input_ids", "attention_mask", "labels"]
    row = encode(QWEN3, TALK, policy=LossPolicy(reasoning=0.5)).to_dict()
    assert list(row) == ["input_ids", "attention_mask", "labels", "weights"]
    assert set(row["weights"]) == {0.0, 0.5, 1.0}


@every_named_model
def test_what_max_length_cuts_is_reported_and_whole_turns_keep_their_stops(model):
    length = len(encode(model, CHAT).ids) - 3
    cut = encode(model, CHAT, policy=LossPolicy(), max_length=length)
    assert cut.report.stops_lost == (3,)
    whole = encode(model, CHAT, policy=LossPolicy(), max_length=length, truncate="turns")
    pairs = zip(whole.message_index, whole.labels, strict=True)
    trained_ids = [(message, label) for message, label in pairs if label != -100]
    assert {message for message, _ in trained_ids} == {1}
    assert trained_ids[-1][1] >= 2_000_000


# History that changes


def test_qwen3_drops_the_reasoning_of_earlier_answers():
    text = lect.get_template(QWEN3).text(TALK)
    assert "Multiply." not in text
    assert "Add." in text


def test_the_prompt_of_r1_opens_a_thought_that_history_never_shows():
    template = lect.get_template(R1)
    assert template.text(TALK[:1], add_generation_prompt=True).endswith("<think>\n")
    assert not any(part in template.text(TALK) for part in ("<think>", "Multiply.", "Add."))


@every_moving_model
def test_the_system_text_of_mistral_moves_to_the_last_question(model):
    template = lect.get_template(model)
    first, second = (template.text(WITH_SYSTEM[:end], add_generation_prompt=True) for end in (2, 4))
    assert first.index("Be brief.") < first.index("6 times 7?")
    assert second.index("Be brief.") > second.index("6 times 7?")
    assert second.count("Be brief.") == 1


@pytest.mark.parametrize("model", [QWEN3, R1, *MOVING.values()])
def test_one_sequence_is_wrong_where_history_changes_and_the_report_says_for_which_answers(model):
    talk = talk_for(model)
    with pytest.warns(ServedDifferentlyWarning, match="unroll='auto'"):
        encoded = encode(model, talk, policy=LossPolicy())
    wrong = [each.message for each in encoded.report.deviations]
    answers = [index for index, each in enumerate(talk) if each["role"] == "assistant"]
    assert wrong == (answers[:1] if model == QWEN3 else answers)
    with pytest.raises((MaskError, lect.UnusedInputError)):
        encode(model, talk, **STRICT)


@every_named_model
def test_each_sequence_has_what_is_served_and_what_the_model_writes_after_it(model):
    template, talk = lect.get_template(model), talk_for(model)
    prompts = template.unroll(talk)
    assert len(prompts) == (1 if model == QWEN25 else 2)
    assert sorted(index for prompt in prompts for index in prompt.trains) == [
        index for index, message in enumerate(talk) if message["role"] == "assistant"
    ]
    for prompt in prompts:
        for index, said in trained(prompt).items():
            served = template.text(talk[:index], add_generation_prompt=True)
            reply = template.reply_text(talk[: index + 1])
            assert prompt.text.startswith(served + said)
            assert said == reply.text
            parsed = template.parse(reply.text, prompt=served)
            assert (parsed.content, parsed.reasoning) == (talk[index]["content"], talk[index].get("reasoning_content"))
    encode(model, talk, unroll="auto", **STRICT)


def test_an_answer_that_the_format_cannot_write_is_left_out_with_the_option_that_would_allow_it():
    model = "deepseek-ai/DeepSeek-V3.1"
    with pytest.raises(MaskError, match="thinking=True"):
        encode(model, TALK, unroll="auto", **STRICT)
    talk = [*CHAT[:2], *TALK[2:]]
    (encoded,) = encode(model, talk, policy=LossPolicy(), unroll="auto")
    ((message, reason, _),) = encoded.report.deviations
    assert message == 3
    assert "thinking=True" in reason
    assert {index for index, weight in zip(encoded.message_index, encoded.weights, strict=True) if weight} == {1}
    assert len(encode(model, TALK, unroll="auto", thinking=True, **STRICT)) == 2


@every_named_model
def test_prefix_stable_says_whether_one_sequence_is_true(model):
    template = lect.get_template(model)
    talk = TALK if "reasoning" in template.capabilities else CHAT
    needed = max(len(template.unroll(messages)) for messages in (talk, [WITH_SYSTEM[0], *talk]))
    assert template.prefix_stable == (needed == 1) == (model not in (QWEN3, R1, *MOVING.values()))


# What is trained


def test_a_policy_decides():
    call = {"id": "call_0", "type": "function", "function": {"name": "f", "arguments": {"a": 1}}}
    talk = [*CHAT, {"role": "user", "content": "Ask."}, {"role": "assistant", "content": "Yes.", "tool_calls": [call]}]
    prompt = lect.get_template(QWEN25).render(talk)
    assert {span.message for span in prompt.loss_spans(LossPolicy(last=True))} == {5}
    assert "tool_calls" not in {span.kind for span in prompt.loss_spans(LossPolicy(tool_calls=0))}
    reasoned = lect.get_template(QWEN3).render(TALK).loss_spans(LossPolicy(reasoning=0.25))
    assert {span.weight for span in reasoned if span.kind == "reasoning"} == {0.25}


@pytest.mark.parametrize(
    "own",
    [{"loss": False}, {"train": False}, {"training": False}, {"trainable": False}, {"masked": True}, {"weight": 0}],
)
@every_named_model
def test_a_message_decides_for_itself(model, own):
    (name,) = own
    assert f"`{name}`" in PAGE
    prompts = lect.get_template(model).unroll([CHAT[0], {**CHAT[1], **own}, *CHAT[2:]])
    assert {span.message for prompt in prompts for span in prompt.loss_spans()} == {3}


# What you may have now


@together("name", sorted(hostile.installed()))
def test_the_mask_of_transformers_works_for_every_template(name):
    template = hostile.installed()[name]
    row = template.apply_chat_template(
        CHAT,
        tokenizer=tokenizer_for(template),
        return_assistant_tokens_mask=True,
        return_dict=True,
        **dated(template),
    )
    assert 0 < sum(row["assistant_masks"]) < len(row["input_ids"])
