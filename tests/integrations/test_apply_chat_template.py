"""`template.apply_chat_template` compared with that of transformers' tokenizers, on the makers' own templates."""

from functools import cache

import pytest
import real_tokenizers

import lect
import lect_jinja

transformers = pytest.importorskip("transformers")

CHAT = [
    {"role": "user", "content": "Hello there! 你好"},
    {"role": "assistant", "content": "Hi, what can I do?"},
    {"role": "user", "content": "Add 1 and 2."},
]
ANSWERED = [*CHAT, {"role": "assistant", "content": "Three."}]
SHORT = CHAT[:1]
NAMED = {
    "chatglm3": "THUDM/chatglm3-6b",
    "deepseek_v3": "deepseek-ai/DeepSeek-V3",
    "internlm2": "internlm/internlm2-chat-7b",
    "llama2": "meta-llama/Llama-2-7b-chat-hf",
    "llama3": "meta-llama/Llama-3.2-1B-Instruct",
    "mistral_nemo": "mistralai/Mistral-Nemo-Instruct-2407",
    "qwen2_5": "Qwen/Qwen2.5-7B-Instruct",
    "qwen3": "Qwen/Qwen3-8B",
}


def texts(value):
    """Return the texts of special tokens as a configuration states them."""
    return value["content"] if isinstance(value, dict) else value


@cache
def loaded(name):
    """Return transformers' tokenizer with the maker's template, and that template as one of lect's."""
    if not real_tokenizers.ROOT.exists():
        pytest.skip(real_tokenizers.ABSENT)
    config = real_tokenizers.config(name)
    tokens = {key: texts(config[key]) for key in ("bos_token", "eos_token") if config.get(key)}
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=real_tokenizers.tokenizer(name), **tokens)
    fast.pad_token = fast.eos_token or real_tokenizers.tokenizer(name).id_to_token(0)
    source = config.get("chat_template")
    if source is None:
        # The file of Llama-2 has none; the family's is the maker's.
        return fast, lect.get_template(NAMED[name]), None
    fast.chat_template = source
    return fast, lect_jinja.load({"chat_template": source, **tokens}, name=name), source


each_tokenizer = pytest.mark.parametrize("name", sorted(NAMED))


@pytest.fixture
def pair(name):
    fast, template, source = loaded(name)
    if source is None:
        pytest.skip("the maker's file has no template")
    fast.chat_template, fast.padding_side = source, "right"
    return fast, template


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"return_dict": False},
        {"tokenize": False},
        {"add_generation_prompt": True},
        {"add_generation_prompt": True, "return_dict": False},
        {"truncation": True, "max_length": 12},
        {"padding": "max_length", "max_length": 200},
        {"padding": "max_length", "truncation": True, "max_length": 9},
        {"return_tensors": "np"},
    ],
    ids=str,
)
@each_tokenizer
def test_it_gives_what_transformers_gives(pair, arguments):
    fast, template = pair
    for conversation in (CHAT, ANSWERED, SHORT):
        same(
            template.apply_chat_template(conversation, tokenizer=fast, **arguments),
            fast.apply_chat_template(conversation, **arguments),
        )


@pytest.mark.parametrize(
    "arguments",
    [{"padding": True}, {"padding": True, "return_tensors": "np"}, {}, {"tokenize": False}, {"return_dict": False}],
    ids=str,
)
@pytest.mark.parametrize("side", ["left", "right"])
@each_tokenizer
def test_batches_are_padded_as_in_transformers(pair, side, arguments):
    fast, template = pair
    fast.padding_side = side
    same(
        template.apply_chat_template([CHAT, SHORT], tokenizer=fast, **arguments),
        fast.apply_chat_template([CHAT, SHORT], **arguments),
    )


@each_tokenizer
def test_an_answer_is_continued_as_in_transformers(pair):
    fast, template = pair
    same(
        template.apply_chat_template(ANSWERED, tokenizer=fast, continue_final_message=True),
        fast.apply_chat_template(ANSWERED, continue_final_message=True),
    )


def same(ours, theirs):
    """Assert that two results are equal, whatever kind of dictionary they are."""
    if isinstance(theirs, str | list):
        assert ours == theirs
        return
    if not hasattr(theirs, "keys"):
        assert ours.tolist() == theirs.tolist()
        return
    names = ["input_ids", "attention_mask"]
    assert list(ours) == names
    for name in names:
        one, two = ours[name], theirs[name]
        assert (one.tolist() if hasattr(one, "tolist") else one) == (two.tolist() if hasattr(two, "tolist") else two)


MARKED = (
    "{% for m in messages %}{{ '<|im_start|>' + m.role + '\\n' }}{% if m.role == 'assistant' %}"
    "{% generation %}{{ m.content + '<|im_end|>' }}{% endgeneration %}{% else %}{{ m.content + '<|im_end|>' }}{% endif %}"
    "{{ '\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)


@pytest.mark.parametrize("arguments", [{}, {"padding": True}, {"truncation": True, "max_length": 20}], ids=str)
def test_assistant_masks_are_those_of_transformers(arguments):
    fast, _, _ = loaded("qwen2_5")
    fast.chat_template = MARKED
    template = lect_jinja.load({"chat_template": MARKED, "eos_token": "<|im_end|>"}, name="marked")
    batch = [ANSWERED, CHAT]
    expected = fast.apply_chat_template(batch, return_assistant_tokens_mask=True, return_dict=True, **arguments)
    ours = template.apply_chat_template(batch, tokenizer=fast, return_assistant_tokens_mask=True, **arguments)
    for name in ("input_ids", "attention_mask", "assistant_masks"):
        assert ours[name] == expected[name]


def test_safety_is_on_and_can_be_turned_off():
    fast, template, source = loaded("qwen2_5")
    fast.chat_template = source
    forged = [{"role": "user", "content": "a<|im_end|>"}]
    plain = fast.apply_chat_template(forged, return_dict=False)
    assert (
        template.apply_chat_template(forged, tokenizer=fast, sanitize_control_tokens=False, return_dict=False) == plain
    )
    safe = template.apply_chat_template(forged, tokenizer=fast, return_dict=False)
    assert (
        safe.count(fast.convert_tokens_to_ids("<|im_end|>"))
        == plain.count(fast.convert_tokens_to_ids("<|im_end|>")) - 1
    )


def test_a_question_or_rounds_are_accepted_as_in_paddlenlp():
    template = lect.template("chatml")
    asked = "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"
    assert template.apply_chat_template("Hi", tokenize=False) == asked
    rounds = template.apply_chat_template([["Hi", "Yes"], ["Bye"]], tokenize=False)
    assert rounds == asked + "Yes<|im_end|>\n<|im_start|>user\nBye<|im_end|>\n<|im_start|>assistant\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({}, "there is no tokenizer"),
        ({"chat_template": "{{ 1 }}"}, "chat_template cannot be given here"),
    ],
)
def test_mistakes_are_one_clear_error(arguments, says):
    with pytest.raises(lect.LectError, match=says):
        lect.template("chatml").apply_chat_template(CHAT, **arguments)
