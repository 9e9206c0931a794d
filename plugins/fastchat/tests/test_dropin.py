"""What people who replace FastChat rely on besides the prompts."""

import dataclasses
import importlib
import json
import pickle
import pprint
import subprocess
import sys

import pytest
from fastchat_goldens import golden
from together import together

import lect
import lect_fastchat
from lect.errors import PluginError, UnknownTemplateError
from lect.plugin import CHATML
from lect_fastchat import Conversation, SeparatorStyle, conv_templates, get_conv_template, register_conv_template


@pytest.fixture
def templates():
    """The table of templates, restored after the test."""
    before = conv_templates.copy()
    yield conv_templates
    conv_templates.clear()
    conv_templates.update(before)


def test_the_conversation_is_lects_with_fastchats_fields():
    assert issubclass(lect_fastchat.Conversation, lect.Conversation)
    assert type(lect_fastchat.get_conv_template("vicuna_v1.1")) is lect_fastchat.Conversation
    assert type(lect_fastchat.Conversation(CHATML).copy()) is lect_fastchat.Conversation


def test_a_conversation_that_lect_registers_brings_its_template():
    conversation = lect_fastchat.Conversation("mine", sep_style=1, roles=("Q", "A"), sep="\n", stop_str="Q:")
    lect.register_conv_template(conversation)
    assert lect.get_conv_template("mine") == conversation
    assert lect.get_template("unheard-of", default="mine").text([{"role": "user", "content": "Hi"}]) == "\nQ: Hi\n"
    assert lect.parse("unheard-of", "Hello\nQ: Bye", default="mine").content == "Hello"
    with lect.pin("acme/*", "mine"):
        assert list(lect.get_template("acme/x").stop) == ["Q:"]


@pytest.mark.parametrize(
    ("path", "names"),
    [
        (
            "",
            [
                "conv_templates",
                "model_adapters",
                "get_model_adapter",
                "register_model_adapter",
                "BaseModelAdapter",
                "IMAGE_PLACEHOLDER_STR",
            ],
        ),
        (
            ".conversation",
            [
                "Conversation",
                "SeparatorStyle",
                "conv_templates",
                "get_conv_template",
                "register_conv_template",
                "IMAGE_PLACEHOLDER_STR",
            ],
        ),
        (".model", ["load_model", "get_conversation_template", "add_model_args"]),
        (
            ".model.model_adapter",
            [
                "get_conversation_template",
                "get_model_adapter",
                "register_model_adapter",
                "model_adapters",
                "BaseModelAdapter",
                "load_model",
                "add_model_args",
            ],
        ),
        (".serve.vision.image", ["Image", "ImageFormat"]),
    ],
)
def test_names_are_found_where_people_import_them_from(path, names):
    module = importlib.import_module(f"lect_fastchat{path}")
    for name in names:
        assert getattr(module, name) is not None
    with pytest.raises(AttributeError):
        _ = module.no_such_name


def test_a_table_is_the_same_wherever_it_is_imported_from():
    from lect_fastchat import conversation
    from lect_fastchat.model import model_adapter

    assert lect_fastchat.conv_templates is conversation.conv_templates is conv_templates
    assert lect_fastchat.model_adapters is model_adapter.model_adapters


def test_nothing_heavy_is_imported_and_no_table_read():
    heavy = ["torch", "transformers", "psutil", "PIL", "json", "dataclasses", "difflib", "importlib.metadata"]
    code = f"import lect_fastchat, sys; print([name for name in {heavy} if name in sys.modules]); print('conv_templates' in vars(sys.modules['lect_fastchat.conversation']))"
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:] = {sys.path}; {code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split("\n")[:2] == ["[]", "False"]


def test_a_custom_template(templates):
    mine = Conversation(
        name="mine",
        system_message="Be brief.",
        roles=("Human", "AI"),
        sep_style=SeparatorStyle.ADD_COLON_SINGLE,
        sep="\n\n",
        stop_str="###",
    )
    register_conv_template(mine)
    mine.set_system_message("changed")
    conversation = get_conv_template("mine")
    conversation.append_message(conversation.roles[0], "Hello!")
    conversation.append_message(conversation.roles[1], None)
    assert conversation.get_prompt() == "Be brief.\n\nHuman: Hello!\n\nAI:"
    assert conversation.stop_str == "###"


def test_a_name_is_registered_only_once_without_override(templates):
    mine = Conversation("vicuna_v1.1", system_message="Mine.")
    with pytest.raises(PluginError, match="override=True"):
        register_conv_template(mine)
    register_conv_template(mine, override=True)
    assert get_conv_template("vicuna_v1.1").system_message == "Mine."
    # Under its full name lect sees the change too: the template of the old conversation is not kept.
    assert lect_fastchat.adapter._template(conv_templates["vicuna_v1.1"]).default_system == "Mine."


def test_two_names_are_ours_and_can_be_replaced(templates):
    assert "chatml" not in templates
    assert "yi-34b-chat" not in templates
    for name in ("chatml", "yi-34b-chat"):
        conversation = get_conv_template(name)
        conversation.set_system_message("Be brief.")
        conversation.append_message(conversation.roles[0], "Hello!")
        conversation.append_message(conversation.roles[1], None)
        assert conversation.get_prompt() == (
            "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHello!<|im_end|>\n<|im_start|>assistant\n"
        )
    register_conv_template(Conversation("chatml", system_message="Mine."))
    assert get_conv_template("chatml").system_message == "Mine."


def test_an_unknown_name_suggests_similar_ones_and_is_a_key_error():
    with pytest.raises(UnknownTemplateError, match=r"did you mean 'vicuna_v1\.1'") as caught:
        get_conv_template("vicuna_v1_1")
    assert isinstance(caught.value, KeyError)
    assert caught.value.near[0] == "vicuna_v1.1"
    assert "\n  try: " in str(caught.value)


def test_only_a_conversation_can_be_registered(templates):
    with pytest.raises(PluginError, match="expected a Conversation"):
        register_conv_template("vicuna_v1.1")


def test_a_conversation_can_be_pickled_and_compared():
    conversation = get_conv_template("one_shot")
    conversation.append_message("Human", "Hello!")
    assert conversation.get_prompt()
    again = pickle.loads(pickle.dumps(conversation))
    assert again == conversation
    assert again.get_prompt() == conversation.get_prompt()
    assert again != get_conv_template("one_shot")
    assert again != "one_shot"


NAMES = list(golden("templates")["templates"])


def as_fastchat_sends_it(name):
    """Return the fields that FastChat's worker sends for a template, as they arrive: the style is a number."""
    fields = golden("templates")["templates"][name]["fields"]
    return {**fields, "sep_style": fields["sep_style"] and SeparatorStyle[fields["sep_style"]].value}


def rebuilt(conv):
    """Return a conversation from what a worker sent, as FastChat's API server rebuilds it."""
    return Conversation(
        name=conv["name"],
        system_template=conv["system_template"],
        system_message=conv["system_message"],
        roles=conv["roles"],
        messages=list(conv["messages"]),
        offset=conv["offset"],
        sep_style=SeparatorStyle(conv["sep_style"]),
        sep=conv["sep"],
        sep2=conv["sep2"],
        stop_str=conv["stop_str"],
        stop_token_ids=conv["stop_token_ids"],
    )


def asked(conversation):
    conversation.append_message(conversation.roles[0], "Hello!")
    conversation.append_message(conversation.roles[1], None)
    return conversation.get_prompt()


@together("name", NAMES)
def test_a_worker_sends_what_fastchats_does_and_a_server_rebuilds_the_conversation(name):
    conversation = get_conv_template(name)
    if conversation.sep_style is not None:
        # Having written a prompt leaves no trace in it.
        assert conversation.get_prompt() is not None
        conversation.sep_style = int(conversation.sep_style)
    # FastAPI encodes a dataclass as its fields.
    sent = json.loads(json.dumps(dataclasses.asdict(conversation)))
    assert sent == as_fastchat_sends_it(name)
    if conversation.sep_style is not None:
        assert asked(rebuilt(sent)) == asked(Conversation(**sent)) == asked(get_conv_template(name))


@together("name", NAMES)
def test_a_conversation_as_plain_data_has_what_fastchats_has_and_the_separators(name):
    conversation = get_conv_template(name)
    data = conversation.dict()
    fields = as_fastchat_sends_it(name)
    fastchats = {"template_name": name, **{field: fields[field] for field in ("system_message", "messages", "offset")}}
    assert {**data, **fastchats, "roles": tuple(fields["roles"])} == data
    assert (data["sep_style"], data["sep"], data["sep2"]) == (fields["sep_style"], fields["sep"], fields["sep2"])
    assert Conversation(data.pop("template_name"), **data) == conversation
    assert json.loads(json.dumps(data)).keys() == fields.keys() - {"name"}


def test_plain_data_share_nothing_with_the_conversation():
    conversation = get_conv_template("llama-3")
    data = conversation.dict()
    data["stop_token_ids"].append(0)
    data["messages"].append(["user", "Hi"])
    assert conversation == get_conv_template("llama-3")


def test_what_works_with_a_dataclass_works_with_a_conversation():
    conversation = get_conv_template("vicuna_v1.1")
    assert dataclasses.is_dataclass(Conversation)
    assert [field.name for field in dataclasses.fields(conversation)] == list(as_fastchat_sends_it("vicuna_v1.1"))
    assert dataclasses.replace(conversation, system_message="S").get_prompt() == "S "
    assert "vicuna_v1.1" in pprint.pformat([conversation] * 9)
    official = dataclasses.asdict(get_conv_template("chatml"))
    assert (official["name"], official["sep_style"], official["stop_str"]) == ("chatml", None, "<|im_end|>")


def test_a_template_of_this_process_need_not_be_known_where_it_is_unpickled(templates):
    register_conv_template(Conversation("of this process", roles=("Q", "A"), sep="\n"))
    data = pickle.dumps(lect.template("fastchat:of this process"))
    del templates["of this process"]
    assert pickle.loads(data).text([{"role": "user", "content": "Hi"}]) == "\nQ: Hi\n"


def test_extra_attributes_of_a_conversation_are_copied():
    conversation = get_conv_template("vicuna_v1.1")
    conversation.version = "v1"
    assert conversation.copy().version == "v1"


def test_separators_can_be_changed_at_any_time():
    conversation = get_conv_template("vicuna_v1.1")
    conversation.set_system_message("S")
    conversation.append_message("USER", "Hi")
    conversation.append_message("ASSISTANT", "Ho")
    assert conversation.get_prompt() == "S USER: Hi ASSISTANT: Ho</s>"
    conversation.sep2 = "<end>"
    assert conversation.get_prompt() == "S USER: Hi ASSISTANT: Ho<end>"
    conversation.sep_style = SeparatorStyle.ADD_COLON_SINGLE
    conversation.sep = "\n"
    assert conversation.get_prompt() == "S\nUSER: Hi\nASSISTANT: Ho\n"
    conversation.system_template = "<{system_message}>"
    assert conversation.get_prompt() == "<S>\nUSER: Hi\nASSISTANT: Ho\n"


THREADS = """
import sys, threading
sys.setswitchinterval(1e-6)
from lect_fastchat.model import model_adapter
found, start = [], threading.Barrier(8)
def ask():
    start.wait()
    found.append((model_adapter.get_model_adapter("lmsys/vicuna-7b-v1.5"), model_adapter.VicunaAdapter, model_adapter.model_adapters))
threads = [threading.Thread(target=ask) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(all(type(adapter) is kind and adapter in adapters for adapter, kind, adapters in found), len({id(adapters) for _, _, adapters in found}))
"""


def test_threads_that_start_together_see_the_same_adapters():
    done = subprocess.run([sys.executable, "-c", THREADS], capture_output=True, text=True, check=True)
    assert done.stdout == "True 1\n"
