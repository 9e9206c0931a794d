"""The document on FastChat's conversation module that this project starts from, block by block; section numbers are its
own.

Where it errs, docs/explanation/founding-document-fastchat.md says so, and the test here shows the actual behaviour.
"""

import re

import pytest
from goldens import REPOSITORY
from shared import SHARED

import lect
import lect_fastchat
from lect_fastchat import (
    IMAGE_PLACEHOLDER_STR,
    Conversation,
    SeparatorStyle,
    conv_templates,
    get_conv_template,
    get_conversation_template,
    register_conv_template,
)

DOCUMENT = SHARED / "founding/fastchat-conversation-module.md"
PAGE = REPOSITORY / "docs/explanation/founding-document-fastchat.md"
RESPECTFUL = "You are a helpful, respectful and honest assistant."
# Where no other package is installed, FastChat answers for Vicuna.
alone_it_is_a_fallback = pytest.mark.filterwarnings("ignore::lect.FallbackWarning")


class Model:
    """A fake model that records its prompts."""

    def __init__(self):
        self.prompts = []

    def generate(self, prompt):
        self.prompts.append(prompt)
        return f"answer {len(self.prompts)}"


def talk(conversation, *texts):
    """Fill a conversation; the assistant is to speak next."""
    for place, text in enumerate(texts):
        conversation.append_message(conversation.roles[place % 2], text)
    conversation.append_message(conversation.roles[1], None)
    return conversation.get_prompt()


# 2.1 The class and its fields


def test_2_1_fields_and_their_defaults():
    plain = Conversation(name="vicuna_v1.1")
    assert (plain.system_template, plain.system_message, plain.system_message_vision) == ("{system_message}", "", "")
    assert (plain.roles, list(plain.messages), plain.offset) == (("USER", "ASSISTANT"), [], 0)
    assert (plain.sep_style, plain.sep, plain.sep2) == (SeparatorStyle.ADD_COLON_SINGLE, "\n", None)
    assert (plain.stop_str, plain.stop_token_ids, plain.max_image_size_mb) == (None, None, None)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("system_template", "{system_message}"), ("system_message", "You are a helpful assistant."), ("roles", ("USER", "ASSISTANT")),
        ("messages", [["USER", "Hello"], ["ASSISTANT", "Hi!"]]), ("offset", 2), ("sep_style", SeparatorStyle.ADD_COLON_SINGLE), ("sep", "</s>"),
        ("sep2", "</s>"), ("stop_str", ["###", "---"]), ("stop_token_ids", [2, 32000]),
    ],
)  # fmt: skip
def test_2_1_every_field_of_the_table_can_be_set(field, value):
    conversation = Conversation("mine", **{field: value})
    assert getattr(conversation, field) == value
    assert isinstance(conversation.get_prompt(), str)


def test_2_1_examples_are_skipped_by_converters_but_not_in_the_prompt():
    conversation = get_conv_template("one_shot")
    prompt = talk(conversation, "Hello!")
    assert conversation.offset == 2
    assert "birthday" in prompt
    assert [message["content"] for message in conversation.to_openai_api_messages()[1:]] == ["Hello!"]


def test_2_1_the_second_separator_of_llama_2_opens_the_next_pair_too():
    assert conv_templates["llama-2"].sep2 == " </s><s>"


# 2.2 The styles


def written(style, *, system="", **fields):
    """Return what a style writes for `xxx` and `yyy`."""
    fields = {"roles": ("USER", "ASSISTANT"), "sep": "\n", "sep2": "</s>", **fields}
    conversation = Conversation("mine", system_message=system, sep_style=style, **fields)
    conversation.append_message(fields["roles"][0], "xxx")
    conversation.append_message(fields["roles"][1], "yyy")
    return conversation.get_prompt()


S = SeparatorStyle
CHATML_ROLES = ("<|im_start|>user", "<|im_start|>assistant")


@pytest.mark.parametrize(
    ("prompt", "document"),
    [
        (written(S.ADD_COLON_SINGLE), "\nUSER: xxx\nASSISTANT: yyy\n"),
        (written(S.CHATML, roles=CHATML_ROLES, sep="<|im_end|>"), "<|im_start|>user\nxxx<|im_end|>"),
        (written(S.RWKV, roles=("User", "Assistant")), "User: xxx\n\nAssistant: yyy\n\n"),
        (written(S.FALCON_CHAT, roles=("User", "Assistant")), "User: xxx\nAssistant: yyy\n"),
        (written(S.CHATGLM3, roles=("<|user|>", "<|assistant|>")), "<|user|>\nxxx<|assistant|>\nyyy"),
        (
            written(S.DEEPSEEK_CHAT, roles=("User", "Assistant"), sep="\n\n", sep2="<｜end▁of▁sentence｜>"),
            "User: xxx\n\nAssistant: yyy<｜end▁of▁sentence｜>",
        ),
        (written(S.GEMMA, roles=("user", "model"), sep="<end_of_turn>\n"), "<start_of_turn>user\nxxx<end_of_turn>"),
        (written(S.LLAMA3, roles=("user", "assistant")), "<|begin_of_text|>"),
    ],
)
def test_2_2_styles_that_are_as_the_document_says(prompt, document):
    assert prompt.removeprefix("<bos>").startswith(document)


@pytest.mark.parametrize(
    ("prompt", "document", "really"),
    [
        (written(S.ADD_COLON_TWO, sep=" "), "USER: xxx</s>ASSISTANT: yyy</s>", " USER: xxx ASSISTANT: yyy</s>"),
        (written(S.ADD_COLON_SPACE_SINGLE), "USER : xxx\nASSISTANT :", "\nUSER: xxx\nASSISTANT: yyy\n"),
        (written(S.NO_COLON_SINGLE), "USER\nxxx\nASSISTANT\nyyy\n", "USERxxx\nASSISTANTyyy\n"),
        (written(S.NO_COLON_TWO), "USER\nxxx</s>ASSISTANT\nyyy</s>", "USERxxx\nASSISTANTyyy</s>"),
        (
            written(S.ADD_NEW_LINE_SINGLE, sep="\n\n"),
            "USER\n: xxx\n\nASSISTANT\n: yyy\n\n",
            "USER\nxxx\n\nASSISTANT\nyyy\n\n",
        ),
        (
            written(S.LLAMA2, roles=("[INST]", "[/INST]"), sep=" ", sep2=" </s><s>"),
            "<s>[INST] xxx [/INST] yyy </s>",
            "[INST] xxx [/INST] yyy </s><s>",
        ),
        (
            written(S.CHATGLM, roles=("问", "答")),
            "[Round 1]\n\n问：xxx\n\n答：yyy\n\n",
            "[Round 0]\n问：xxx\n答：yyy\n",
        ),
        (
            written(S.CHATINTERN, roles=("<|User|>", "<|Bot|>"), sep="<eoh>", sep2="<eoa>"),
            "<|User|>:xxx<eoh>\n<|Bot|>:yyy<eoa>\n",
            "<s><|User|>:xxx<eoh>\n<|Bot|>:yyy<eoa>\n",
        ),
        (
            written(S.DOLLY, roles=("### Instruction", "### Response"), sep="\n\n", sep2="### End"),
            "### Instruction:\nxxx\n\n### Response:\nyyy\n\n",
            "### Instruction:\nxxx\n\n### Response:\nyyy### End\n\n",
        ),
    ],
)
def test_2_2_styles_that_differ_from_the_document(prompt, document, really):
    assert prompt == really
    assert prompt != document


def test_2_2_the_numbers_are_not_those_of_the_documents_list():
    listed = [
        "ADD_COLON_SINGLE", "ADD_COLON_TWO", "ADD_COLON_SPACE_SINGLE", "NO_COLON_SINGLE", "NO_COLON_TWO",
        "ADD_NEW_LINE_SINGLE", "LLAMA2", "LLAMA3", "CHATGLM", "CHATML", "CHATINTERN", "DOLLY", "RWKV", "FALCON_CHAT",
        "CHATGLM3", "DEEPSEEK_CHAT", "GEMMA",
    ]  # fmt: skip
    assert [SeparatorStyle[name].value for name in listed] == [*range(1, 14), 16, 17, 18, 21]


def test_2_2_vicuna_v0_is_one_shot_and_has_no_blank_line_after_its_system_text():
    system = "A chat between a curious user and an artificial intelligence assistant."
    conversation = Conversation("v0", system_message=system, sep_style=SeparatorStyle.ADD_COLON_SINGLE, sep="\n")
    prompt = talk(conversation, "Hello, how are you?", "I'm doing well, thank you!", "What's the weather?")
    assert (
        prompt
        == f"{system}\nUSER: Hello, how are you?\nASSISTANT: I'm doing well, thank you!\nUSER: What's the weather?\nASSISTANT:"
    )
    assert get_conversation_template("lmsys/vicuna-7b-v0").name == "one_shot"


def llama_2():
    conversation = get_conv_template("llama-2")
    conversation.set_system_message(RESPECTFUL)
    return conversation


def test_2_2_llama_2_as_the_document_shows_it_but_for_the_first_bos():
    prompt = talk(llama_2(), "Hello, how are you?", "I'm doing well, thank you!", "What's the weather?")
    shown = f"<s>[INST] <<SYS>>\n{RESPECTFUL}\n<</SYS>>\n\nHello, how are you? [/INST] I'm doing well, thank you! </s><s>[INST] What's the weather? [/INST]"
    assert "<s>" + prompt == shown


def test_2_2_chatml_as_the_document_shows_it():
    prompt = talk(
        get_conv_template("qwen-7b-chat"), "Hello, how are you?", "I'm doing well, thank you!", "What's the weather?"
    )
    assert prompt == (
        "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n"
        "<|im_start|>user\nHello, how are you?<|im_end|>\n"
        "<|im_start|>assistant\nI'm doing well, thank you!<|im_end|>\n"
        "<|im_start|>user\nWhat's the weather?<|im_end|>\n"
        "<|im_start|>assistant\n"
    )


# 3 The methods


def test_3_1_get_prompt_as_the_document_shows_it():
    conversation = Conversation(
        name="vicuna_v1.1",
        system_message="A chat between a curious user and an AI assistant.",
        roles=("USER", "ASSISTANT"),
        messages=[["USER", "Hello!"], ["ASSISTANT", "Hi there!"], ["USER", "How are you?"], ["ASSISTANT", None]],
        sep_style=SeparatorStyle.ADD_COLON_SINGLE,
        sep="\n",
    )
    assert conversation.get_prompt() == (
        "A chat between a curious user and an AI assistant.\nUSER: Hello!\nASSISTANT: Hi there!\nUSER: How are you?\n"
        "ASSISTANT:"
    )


def test_3_1_an_image_is_a_placeholder_and_an_empty_text_requests_an_answer():
    conversation = Conversation("mine", messages=[["USER", ("look", ["url"])], ["ASSISTANT", ""]])
    assert conversation.get_prompt() == f"\nUSER: {IMAGE_PLACEHOLDER_STR}look\nASSISTANT:"


def test_3_2_append_and_update():
    conversation = get_conv_template("vicuna_v1.1")
    conversation.append_message(conversation.roles[0], "Hello!")
    conversation.append_message(conversation.roles[1], None)
    assert conversation.get_prompt().endswith("USER: Hello! ASSISTANT:")
    conversation.update_last_message("Hi there! How can I help you?")
    assert conversation.messages == [["USER", "Hello!"], ["ASSISTANT", "Hi there! How can I help you?"]]


def test_3_3_a_copy_is_independent_in_all_its_fields():
    ours = get_conv_template("chatglm3")
    copy = ours.copy()
    copy.append_message(copy.roles[0], "x")
    copy.stop_token_ids.append(7)
    assert ours == get_conv_template("chatglm3")


@alone_it_is_a_fallback
def test_3_4_to_openai_messages_as_the_document_has_it_is_what_a_family_gives():
    conversation = lect.get_conversation_template("lmsys/vicuna-7b-v1.5")
    conversation.set_system_message("Be brief.")
    conversation.append_message("user", ("Describe this image.", ["http://example.com/image1.jpg"]))
    conversation.append_message("assistant", None)
    assert conversation.to_openai_api_messages() == [
        {"role": "system", "content": "Be brief."},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Describe this image."},
                {"type": "image_url", "image_url": {"url": "http://example.com/image1.jpg"}},
            ],
        },
    ]


def test_3_4_fastchat_itself_goes_by_position_and_lets_tuples_through():
    conversation = get_conv_template("vicuna_v1.1")
    conversation.set_system_message("")
    conversation.append_message("USER", "one")
    conversation.append_message("USER", ("two", ["url"]))
    assert conversation.to_openai_api_messages() == [
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": ("two", ["url"])},
    ]


# 4 Templates


def test_4_1_vicuna():
    template = conv_templates["vicuna_v1.1"]
    assert (template.roles, template.sep_style, template.sep, template.sep2) == (
        ("USER", "ASSISTANT"),
        SeparatorStyle.ADD_COLON_TWO,
        " ",
        "</s>",
    )
    assert talk(get_conv_template("vicuna_v1.1"), "Hello!", "Hi there!", "How are you?") == (
        "A chat between a curious user and an artificial intelligence assistant. The assistant gives helpful, "
        "detailed, and polite answers to the "
        "user's questions. USER: Hello! ASSISTANT: Hi there!</s>USER: How are you? ASSISTANT:"
    )


def test_4_2_llama_2_has_no_bos_before_the_first_pair():
    template = conv_templates["llama-2"]
    assert (template.system_template, template.roles) == (
        "[INST] <<SYS>>\n{system_message}\n<</SYS>>\n\n",
        ("[INST]", "[/INST]"),
    )
    assert (template.sep_style, template.sep, template.sep2) == (SeparatorStyle.LLAMA2, " ", " </s><s>")
    assert talk(llama_2(), "Hello!", "Hi there!", "How are you?") == (
        f"[INST] <<SYS>>\n{RESPECTFUL}\n<</SYS>>\n\nHello! [/INST] Hi there! </s><s>[INST] How are you? [/INST]"
    )


def test_4_3_what_the_document_shows_for_chatglm_is_chatglm2():
    template = conv_templates["chatglm"]
    assert (template.roles, template.sep_style, template.sep) == (("问", "答"), SeparatorStyle.CHATGLM, "\n")
    said = ("你好", "你好！有什么我可以帮助你的吗？", "今天天气怎么样？")
    shown = "[Round 1]\n\n问：你好\n\n答：你好！有什么我可以帮助你的吗？\n\n[Round 2]\n\n问：今天天气怎么样？\n\n答："
    assert talk(get_conv_template("chatglm2"), *said) == shown
    assert (
        talk(get_conv_template("chatglm"), *said)
        == "[Round 0]\n问：你好\n答：你好！有什么我可以帮助你的吗？\n[Round 1]\n问：今天天气怎么样？\n答："
    )


CHATML_SHOWN = (
    "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n<|im_start|>user\nHello!<|im_end|>\n"
    "<|im_start|>assistant\nHi there!<|im_end|>\n"
    "<|im_start|>user\nHow are you?<|im_end|>\n<|im_start|>assistant\n"
)


def test_4_4_chatml_is_not_one_of_fastchats_names_but_one_of_ours():
    assert "chatml" not in conv_templates
    conversation = get_conv_template("chatml")
    conversation.set_system_message("You are a helpful assistant.")
    assert talk(conversation, "Hello!", "Hi there!", "How are you?") == CHATML_SHOWN


def test_4_4_the_documents_definition_gives_something_else():
    defined = Conversation(
        name="chatml",
        system_message="You are a helpful assistant.",
        roles=("user", "assistant"),
        sep_style=SeparatorStyle.CHATML,
        sep="<|im_end|>",
        stop_token_ids=[151643, 151644, 151645],
    )
    prompt = talk(defined, "Hello!", "Hi there!", "How are you?")
    assert prompt.startswith("You are a helpful assistant.<|im_end|>\nuser\nHello!<|im_end|>\n")
    assert prompt != CHATML_SHOWN


# 5 Images


def test_5_1_images_as_the_document_shows_them():
    conversation = Conversation("mine", sep_style=SeparatorStyle.ADD_COLON_SINGLE, sep="\n")
    images = ["http://example.com/image1.jpg", "http://example.com/image2.jpg"]
    assert (
        talk(conversation, ("Describe this image.", images))
        == "\nUSER: $$<image>$$$$<image>$$Describe this image.\nASSISTANT:"
    )


def test_5_2_the_placeholder():
    assert IMAGE_PLACEHOLDER_STR == "$$<image>$$"


# 6 Registering


@pytest.fixture
def templates():
    before = conv_templates.copy()
    yield conv_templates
    conv_templates.clear()
    conv_templates.update(before)


def test_6_1_a_template_is_registered_once(templates):
    register_conv_template(Conversation(name="conv-of-mine"))
    with pytest.raises(lect.PluginError, match="conv-of-mine"):
        register_conv_template(Conversation(name="conv-of-mine"))
    register_conv_template(Conversation(name="conv-of-mine"), override=True)


def test_6_2_asking_for_one_gives_a_copy():
    conversation = get_conv_template("vicuna_v1.1")
    conversation.append_message(conversation.roles[0], "Hello!")
    assert conv_templates["vicuna_v1.1"].messages == []


# 7 Practice


def test_7_1_every_request_starts_afresh():
    model = Model()

    def generate_response(user_input):
        conv = get_conv_template("vicuna_v1.1")
        conv.append_message(conv.roles[0], user_input)
        conv.append_message(conv.roles[1], None)
        return model.generate(conv.get_prompt())

    assert [generate_response("one"), generate_response("two")] == ["answer 1", "answer 2"]
    assert "one" not in model.prompts[1]


def test_7_2_many_turns():
    model = Model()
    conv = get_conv_template("vicuna_v1.1")
    for turn in range(10):
        conv.append_message(conv.roles[0], f"question {turn}")
        conv.append_message(conv.roles[1], None)
        conv.update_last_message(model.generate(conv.get_prompt()))
    assert len(conv.messages) == 20
    assert model.prompts[-1].endswith("ASSISTANT: answer 9</s>USER: question 9 ASSISTANT:")


def test_7_3_a_custom_template(templates):
    my_template = Conversation(
        name="my-custom-template",
        system_message="You are a specialized assistant for...",
        roles=("Human", "AI"),
        sep_style=SeparatorStyle.ADD_COLON_SINGLE,
        sep="\n\n",
        stop_str="###",
    )
    register_conv_template(my_template)
    assert (
        talk(get_conv_template("my-custom-template"), "Hello!")
        == "You are a specialized assistant for...\n\nHuman: Hello!\n\nAI:"
    )


# 8 and 9


def test_8_the_adapter_decides_and_looks_for_v0_in_the_last_part_only():
    assert get_conversation_template("lmsys/vicuna-13b-delta-v0").name == "one_shot"
    assert get_conversation_template("/models/v0/vicuna-7b-v1.5").name == "vicuna_v1.1"


@alone_it_is_a_fallback
def test_9_q1_a_path_is_enough():
    assert get_conversation_template("lmsys/vicuna-7b-v1.5").name == "vicuna_v1.1"
    assert lect.get_conversation_template("lmsys/vicuna-7b-v1.5").name == "vicuna_v1.1"


def test_9_q2_the_prompt_can_be_printed(capsys):
    print(talk(get_conv_template("vicuna_v1.1"), "Hello!"))  # noqa: T201 - that it can be printed is the point
    assert capsys.readouterr().out.endswith("USER: Hello! ASSISTANT:\n")


# The appendix


@pytest.mark.parametrize(
    ("name", "style"),
    [
        ("vicuna_v1.1", "ADD_COLON_TWO"), ("llama-2", "LLAMA2"), ("llama-3", "LLAMA3"), ("chatglm", "CHATGLM"), ("chatglm3", "CHATGLM3"),
        ("mistral", "LLAMA2"), ("zephyr", "CHATML"), ("gemma", "GEMMA"), ("deepseek-chat", "DEEPSEEK_CHAT"), ("qwen-7b-chat", "CHATML"),
    ],
)  # fmt: skip
def test_appendix_names_and_styles(name, style):
    assert get_conv_template(name).sep_style.name == style


def test_appendix_baichuan_chat_is_the_first_baichuan_and_has_no_colon():
    assert conv_templates["baichuan-chat"].sep_style is SeparatorStyle.NO_COLON_SINGLE
    assert get_conversation_template("baichuan-inc/Baichuan-13B-Chat").name == "baichuan-chat"
    assert get_conversation_template("baichuan-inc/Baichuan2-13B-Chat").name == "baichuan2-chat"


@pytest.mark.parametrize("name", ["chatml", "yi-34b-chat"])
def test_appendix_two_names_are_ours(name):
    assert name not in conv_templates
    assert get_conv_template(name).name == lect.get_conv_template(name).name == name


def test_appendix_there_are_more_than_eighty():
    assert len(lect_fastchat.conv_templates) == 102


@pytest.mark.skipif(not DOCUMENT.exists(), reason="the document is not in the repository")
def test_the_page_has_a_row_for_every_block_and_every_row_of_the_document():
    places, section, blocks, inside = [], "", 0, False
    for line in DOCUMENT.read_text("utf-8").split("---\n", 2)[2].splitlines():
        heading = re.match(r"#{1,4} (?:(\d+(?:\.\d)?)[. ]|(Q\d)|(附录))", line)
        if line.startswith("```"):
            inside = not inside
            blocks += inside
            if inside:
                places.append(f"{section} block {blocks}")
        elif heading and not inside:
            section, blocks = heading[1] or (f"9 {heading[2]}" if heading[2] else "appendix"), 0
        elif (
            line.startswith("|")
            and not inside
            and set(line) - set("|- ")
            and "字段" not in line
            and "模板名" not in line
        ):
            places.append(f"{section} `{line.split('|')[1].strip()}`")
    page = PAGE.read_text("utf-8")
    assert [place for place in places if f"| {place} |" not in page] == []
    assert len(places) == 59
