"""Who decides by name: `adapter=` and `default=`, templates and conversations by their names, and what becomes of replies."""

import pytest

import idiolect
from idiolect import AmbiguousModelError, Conversation, PluginError, UnknownModelError, UnknownTemplateError
from idiolect.errors import ModelPathWarning
from idiolect.plugin import CHATML, DEFAULT, Family, Reply, Rule, Turn, TurnTemplate, hookimpl
from idiolect.registry.adapter import Adapter

ACME = TurnTemplate("acme-chat", user=Turn("<u>", "</u>"), assistant=Turn("<a>", "</a>"), stop=["</a>"])
FAMILY = Family("acme", Rule("acme", ACME))

pytestmark = pytest.mark.usefixtures("registry")


class Loud:
    """An adapter with a way of its own to read replies."""

    @hookimpl
    def match(self, ref):
        return ref.name == "loud"

    @hookimpl
    def get_template(self):
        return ACME

    @hookimpl
    def postprocess(self, text):
        return Reply(text.upper())


# adapter=, default=


@pytest.mark.parametrize(
    "adapter",
    ["acme", "acme:acme-chat", "acme-chat", ACME, FAMILY, Adapter(FAMILY, name="mine")],
    ids=["plugin", "plugin:template", "template's name", "template", "plugin object", "adapter"],
)
def test_adapter_takes_every_way_to_say_who_decides(adapter):
    idiolect.register(FAMILY)
    resolution = idiolect.resolve("strange", adapter=adapter)
    assert (resolution.template, resolution.reason, resolution.specificity) == (ACME, "the adapter= argument", None)
    assert idiolect.get_template("strange", adapter=adapter) is ACME
    assert idiolect.get_conversation_template("strange", adapter=adapter).template is ACME
    assert idiolect.render("strange", [{"role": "user", "content": "Hi"}], adapter=adapter).text == "<u>Hi</u>"


def test_adapter_is_stronger_than_a_pin_and_is_not_remembered():
    idiolect.pin("strange", "chatml")
    assert idiolect.get_template("strange", adapter="default") is DEFAULT
    assert idiolect.get_template("strange") is CHATML


def test_an_adapter_that_is_none_is_an_error():
    with pytest.raises(UnknownTemplateError, match="no template or adapter is called 'chatm'; did you mean 'chatml'"):
        idiolect.resolve("strange", adapter="chatm")
    with pytest.raises(PluginError, match="cannot be an adapter"):
        idiolect.resolve("strange", adapter=5)


def test_default_is_for_unknown_models_only():
    idiolect.register(FAMILY)
    assert idiolect.get_conversation_template("strange", default="chatml").template is CHATML
    assert idiolect.get_conversation_template("acme", default="chatml").template is ACME
    with pytest.raises(UnknownTemplateError):
        idiolect.get_conversation_template("strange", default="nobody")
    with pytest.raises(UnknownModelError):
        idiolect.get_conversation_template("strange")


def test_an_unknown_model_is_an_error_that_says_what_to_install():
    with pytest.raises(UnknownModelError, match=r"no installed adapter recognises .Qwen/Qwen2\.5-7B-Instruct.\n  considered: none") as caught:
        idiolect.resolve("Qwen/Qwen2.5-7B-Instruct")
    assert caught.value.install == "idiolect-qwen"
    assert "try: pip install idiolect-qwen" in str(caught.value)


def test_an_owner_that_imitates_another_is_warned_of():
    idiolect.register(Family("llama", Rule("llama", ACME)))
    with pytest.warns(ModelPathWarning, match="looks like 'meta-llama'"):
        idiolect.resolve("meta-Ilama/Llama-2")


# Templates and conversations by name


def test_templates_are_found_by_name():
    idiolect.register(FAMILY)
    for name in ("acme-chat", "acme:acme-chat"):
        conversation = idiolect.get_conv_template(name)
        assert (conversation.template, conversation.name) == (ACME, "acme-chat")
    assert idiolect.get_conv_template("chatml").template is CHATML


def test_a_name_of_two_owners_is_an_error():
    idiolect.register(FAMILY)
    idiolect.register(Family("rival", Rule("x", TurnTemplate("acme-chat", user=Turn(), assistant=Turn()))))
    with pytest.raises(AmbiguousModelError, match="'acme-chat' is the name of several: acme:acme-chat, rival:acme-chat"):
        idiolect.get_conv_template("acme-chat")


def test_a_template_is_registered_under_a_name_once():
    idiolect.register_conv_template(ACME)
    assert idiolect.get_conv_template("acme-chat").template is ACME
    another = TurnTemplate("acme-chat", user=Turn(), assistant=Turn())
    with pytest.raises(PluginError, match="a template 'acme-chat' is registered already\n  try: override=True"):
        idiolect.register_conv_template(another)
    assert idiolect.get_conv_template("acme-chat").template is ACME
    idiolect.register_conv_template(another, override=True)
    assert idiolect.get_conv_template("acme-chat").template is another


def test_a_conversation_is_registered_as_a_prototype():
    prototype = Conversation(CHATML, name="mine", system_message="s", messages=[["user", "Hi"]])
    idiolect.register_conv_template(prototype)
    prototype.append_message("user", "later")
    one, other = idiolect.get_conv_template("mine"), idiolect.get_conv_template("mine")
    one.append_message("user", "mine alone")
    assert (other.messages, other.system_message) == ([["user", "Hi"]], "s")
    with pytest.raises(PluginError, match="a conversation 'mine' is registered already"):
        idiolect.register_conv_template(prototype)
    idiolect.register_conv_template(prototype, override=True)
    assert len(idiolect.get_conv_template("mine").messages) == 2


def test_nothing_else_can_be_registered_as_a_conversation():
    with pytest.raises(PluginError, match="cannot register 'vicuna'; expected a Conversation or a Template"):
        idiolect.register_conv_template("vicuna")


def test_every_conversation_is_a_new_one():
    idiolect.register(FAMILY)
    one, other = (idiolect.get_conversation_template("acme") for _ in range(2))
    one.append_message("user", "x")
    assert other.messages == []


# Replies


def test_a_reply_is_cut_at_the_first_stop_string_unless_the_plugin_does_better():
    idiolect.register(FAMILY)
    assert idiolect.resolve("acme").postprocess("Hello</a>x</a>")._replace(pieces=()) == Reply(
        "Hello", stop="</a>", finish="stop", raw="Hello</a>x</a>"
    )
    idiolect.register(Loud())
    assert idiolect.resolve("loud").postprocess("Hi") == Reply("HI")
    assert idiolect.resolve("x", adapter=ACME).postprocess("Hi</a>").content == "Hi"
