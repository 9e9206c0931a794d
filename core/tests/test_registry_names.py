"""Choices by name: `adapter=` and `default=`, templates and conversations by their names, and how replies are read."""

import pytest
from installs import install, registry_of

import lect
from lect import (
    AmbiguousModelError,
    Conversation,
    PluginError,
    UnknownModelError,
    UnknownTemplateError,
)
from lect.errors import InvalidModelPathError, ModelPathWarning
from lect.plugin import CHATML, DEFAULT, Family, Reply, Rule, Turn, TurnTemplate, hookimpl
from lect.registry.adapter import Adapter

ACME = TurnTemplate("acme-chat", user=Turn("<u>", "</u>"), assistant=Turn("<a>", "</a>"), stop=["</a>"])
FAMILY = Family("acme", Rule("acme", ACME))
SHOP = """
from lect.plugin import Family, Rule, Turn, TurnTemplate
adapter = Family("shop", Rule("shop", TurnTemplate("shop", user=Turn("U"), assistant=Turn("A"))))
"""
HELLO = [{"role": "user", "content": "Hi"}]

pytestmark = pytest.mark.usefixtures("registry")


class Loud:
    """An adapter with its own way of reading replies."""

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
def test_adapter_accepts_every_way_to_name_an_adapter_or_a_template(adapter):
    lect.register(FAMILY)
    resolution = lect.resolve("strange", adapter=adapter)
    assert (resolution.template, resolution.reason, resolution.specificity) == (ACME, "the adapter argument", None)
    assert lect.get_template("strange", adapter=adapter) is ACME
    assert lect.get_conversation_template("strange", adapter=adapter).template is ACME
    assert lect.render("strange", [{"role": "user", "content": "Hi"}], adapter=adapter).text == "<u>Hi</u>"


@pytest.mark.parametrize(("path", "template"), [("acme:acme-chat", ACME), ("lect:chatml", CHATML)])
def test_the_name_of_a_template_can_replace_that_of_a_model(path, template):
    lect.register(FAMILY)
    lect.pin("*", "default")
    resolution = lect.resolve(path, fallback=False)
    assert (resolution.template, resolution.reason) == (template, "the path is the name of a template")
    assert (resolution.ref.original, resolution.specificity, resolution.fallback) == (path, None, False)
    assert lect.get_template(path) is lect.get_conversation_template(path).template is template
    assert lect.render(path, HELLO).text == template.text(HELLO)
    stop = next(iter(template.stop))
    assert lect.parse(path, f"Hi{stop}").content == "Hi"


def test_an_adapter_overrides_the_name_of_a_template_too():
    lect.register(FAMILY)
    assert lect.get_template("acme:acme-chat", adapter="chatml") is CHATML


def test_a_name_that_its_owner_does_not_have_is_an_error():
    lect.register(FAMILY)
    with pytest.raises(UnknownModelError, match="did you mean the template 'acme:acme-chat'"):
        lect.get_template("acme:acme-chatt")
    with pytest.raises(UnknownModelError, match="or any name from `lect templates`"):
        lect.get_template("acne:acme-chat")


def test_adapter_is_stronger_than_a_pin_and_is_not_remembered():
    lect.pin("strange", "chatml")
    assert lect.get_template("strange", adapter="default") is DEFAULT
    assert lect.get_template("strange") is CHATML


def test_an_unknown_adapter_is_an_error():
    with pytest.raises(UnknownTemplateError, match="no template or adapter is called 'chatm'; did you mean 'chatml'"):
        lect.resolve("strange", adapter="chatm")
    with pytest.raises(PluginError, match="cannot be an adapter"):
        lect.resolve("strange", adapter=5)


def test_default_is_for_unknown_models_only():
    lect.register(FAMILY)
    assert lect.get_conversation_template("strange", default="chatml").template is CHATML
    assert lect.get_conversation_template("acme", default="chatml").template is ACME
    with pytest.raises(UnknownTemplateError):
        lect.get_conversation_template("strange", default="nobody")
    with pytest.raises(UnknownModelError):
        lect.get_conversation_template("strange")


def test_an_unknown_model_is_an_error_that_says_what_to_install():
    with pytest.raises(
        UnknownModelError, match=r"no installed adapter recognises .Qwen/Qwen2\.5-7B-Instruct.\n  considered: none"
    ) as caught:
        lect.resolve("Qwen/Qwen2.5-7B-Instruct")
    assert caught.value.install == "lect-qwen"
    assert "try: pip install lect-qwen" in str(caught.value)


def test_an_owner_that_imitates_another_is_warned_about():
    lect.register(Family("llama", Rule("llama", ACME)))
    with pytest.warns(ModelPathWarning, match="looks like 'meta-llama'"):
        lect.resolve("meta-Ilama/Llama-2")


# Templates and conversations by name


def test_templates_are_found_by_name():
    lect.register(FAMILY)
    for name in ("acme-chat", "acme:acme-chat"):
        conversation = lect.get_conv_template(name)
        assert (conversation.template, conversation.name) == (ACME, "acme-chat")
    assert lect.get_conv_template("chatml").template is CHATML


def test_a_name_with_two_owners_is_an_error():
    lect.register(FAMILY)
    lect.register(Family("rival", Rule("x", TurnTemplate("acme-chat", user=Turn(), assistant=Turn()))))
    with pytest.raises(
        AmbiguousModelError,
        match="'acme-chat' is the name of several: acme:acme-chat, rival:acme-chat",
    ):
        lect.get_conv_template("acme-chat")


def test_a_template_is_registered_under_a_name_once():
    lect.register_conv_template(ACME)
    assert lect.get_conv_template("acme-chat").template is ACME
    another = TurnTemplate("acme-chat", user=Turn(), assistant=Turn())
    with pytest.raises(PluginError, match="a template 'acme-chat' is already registered\n  try: override=True"):
        lect.register_conv_template(another)
    assert lect.get_conv_template("acme-chat").template is ACME
    lect.register_conv_template(another, override=True)
    assert lect.get_conv_template("acme-chat").template is another


def test_a_conversation_is_registered_as_a_prototype():
    prototype = Conversation(CHATML, name="mine", system_message="s", messages=[["user", "Hi"]])
    lect.register_conv_template(prototype)
    prototype.append_message("user", "later")
    one, other = lect.get_conv_template("mine"), lect.get_conv_template("mine")
    one.append_message("user", "mine alone")
    assert (other.messages, other.system_message) == ([["user", "Hi"]], "s")
    with pytest.raises(PluginError, match="a conversation 'mine' is already registered"):
        lect.register_conv_template(prototype)
    lect.register_conv_template(prototype, override=True)
    assert len(lect.get_conv_template("mine").messages) == 2


def test_nothing_else_can_be_registered_as_a_conversation():
    with pytest.raises(PluginError, match="cannot register 'vicuna'; expected a Conversation or a Template"):
        lect.register_conv_template("vicuna")


def test_every_conversation_is_a_new_one():
    lect.register(FAMILY)
    one, other = (lect.get_conversation_template("acme") for _ in range(2))
    one.append_message("user", "x")
    assert other.messages == []


# Replies


def test_a_reply_is_cut_at_the_first_stop_string_unless_the_plugin_does_better():
    lect.register(FAMILY)
    assert lect.resolve("acme").parse("Hello</a>x</a>")._replace(pieces=()) == Reply(
        "Hello", stop="</a>", finish="stop", raw="Hello</a>x</a>"
    )
    lect.register(Loud())
    assert lect.resolve("loud").parse("Hi") == Reply("HI")
    assert lect.resolve("x", adapter=ACME).parse("Hi</a>").content == "Hi"


@pytest.mark.parametrize("name", [5, None, b"chatml", [], {}, ("chatml",)], ids=repr)
@pytest.mark.parametrize("find", [lect.template, lect.get_conv_template])
def test_a_name_that_is_not_text_is_refused(registry, find, name):
    with pytest.raises(lect.UnknownTemplateError, match="expected a text"):
        find(name)


@pytest.mark.parametrize("name", [5, b"plain", [], {}], ids=repr)
def test_a_format_that_is_not_a_name_is_refused(registry, name):
    with pytest.raises(lect.MessageError, match="has a reply format"):
        lect.parse(None, "x", format=name)


def test_a_declared_name_that_does_not_exist_is_not_suggested_for_itself(site):
    install(site, "names-boast", "boast", SHOP, templates=["palace", "palace-2"])
    registry = registry_of("names-boast")
    for name in ("palace", "boast:palace"):
        with pytest.raises(UnknownTemplateError) as error:
            registry.templates.get(name)
        assert error.value.near
        assert name not in error.value.near


@pytest.mark.parametrize(
    ("path", "advice"), [("hf:acme/chatty", "pip install lect-hub"), ("s4:acme/chatty", "owner/name")]
)
def test_a_scheme_that_nothing_installed_reads_is_refused(path, advice):
    with pytest.raises(InvalidModelPathError, match=f"reads paths that begin with {path[:3]}\n  try: {advice}"):
        lect.resolve(path)


def test_a_scheme_is_for_the_adapter_that_has_it_as_a_hint(site, monkeypatch, tmp_path):
    source = (
        "from lect.plugin import hookimpl\n"
        f"class Reader:\n    @hookimpl\n    def alias(self, model_path): return {str(tmp_path)!r}\n"
        "adapter = Reader()"
    )
    install(site, "lect-shop", "shop", source, group="lect.paths", hints=["hf:"])
    monkeypatch.setattr(lect, "_registry", registry_of("lect-shop"))
    assert lect.plugin.locate("hf:acme/shop") == str(tmp_path)
    assert lect.plugin.locate("./acme/shop") == "./acme/shop"
    with pytest.raises(UnknownModelError, match="'hf:acme/shop'"):
        lect.resolve("hf:acme/shop")
    with pytest.raises(UnknownModelError, match="or: 'hf:acme/shop', to fetch its own template"):
        lect.resolve("acme/shop")
