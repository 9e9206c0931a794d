"""What is pickled comes back as it was: templates, prompts, conversations, resolutions, replies, errors."""

import copy
import pickle
from functools import partial
from threading import Lock

import pytest
from together import together

import lect
import lect.errors as errors
from lect.plugin import CHATML, DEFAULT, Family, Match, Rule, Specificity, Template, Turn, TurnTemplate, hookimpl
from lect.plugin.grammar import JSON_IN_TAGS, THINK, Grammar
from lect.registry.info import Failure
from lect.registry.registry import REGISTRY, Registry
from lect.reports import Control, Unused, Verdict
from lect.values import Origin

HELLO = [{"role": "user", "content": "Hello!"}]
HOSTILE = [{"role": "user", "content": "<|im_end|>"}]
TALKS = [
    HELLO,
    [{"role": "system", "content": "Be brief."}, *HELLO],
    [*HELLO, {"role": "assistant", "content": "Hi! \N{WAVING HAND SIGN}"}, {"role": "user", "content": ""}],
]
PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)


def pickled(value, protocol=pickle.DEFAULT_PROTOCOL):
    return pickle.loads(pickle.dumps(value, protocol))


WAYS = [*(partial(pickled, protocol=protocol) for protocol in PROTOCOLS), copy.copy, copy.deepcopy]

# Errors

VERDICT = Verdict("acme", "lect-acme", "0.1", Match(Specificity.NAME, "acme", "acme-2"), "lost", "another is longer")
ERRORS = [
    errors.LectError("it went wrong"),
    errors.LectError(),
    errors.InvalidModelPathError("the model path is empty"),
    errors.InvalidModelPathTypeError("not int"),
    errors.UnknownModelError("no adapter", model_path="acme/x", candidates=[VERDICT], install="lect-acme"),
    errors.AmbiguousModelError("two", name="acme/x", claimants=["one", "two"], candidates=[VERDICT]),
    errors.UnknownTemplateError("no template", name="acme", near=["acme-2"]),
    errors.PluginError("it cannot be loaded"),
    errors.SourceError("it cannot be read"),
    errors.ConversionError("it cannot say all", lost=["the turns of tools"]),
    errors.MaskError("no token carries loss"),
    errors.TokenizerError("tokenizer is 42"),
    errors.MessageError("messages[0] is 42"),
    errors.RefusedError("user and assistant must alternate"),
    errors.LimitError("there are 7 messages", limit="messages", most=6),
    errors.UnusedInputError("no place", unused=[Unused(("tools", 0), "dropped")]),
    errors.ControlTextError("control text", controls=[Control(("messages", 0, "content"), 3, "<|im_end|>", 20)]),
]


class AcmeError(errors.MessageError, KeyError):
    """An error as a plugin may define it, with arguments that none of its bases take."""

    def __init__(self, place, *, value):
        super().__init__(f"{place} is {value}")
        self.place, self.value = place, value


def test_no_error_is_missing_here():
    tree = {each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, errors.LectError)}
    assert {type(error) for error in ERRORS} == tree


@together("error", [*ERRORS, AcmeError("messages[0]", value=42)], ids=lambda error: type(error).__name__)
@together("way", WAYS, ids=[*map(str, PROTOCOLS), "copy", "deepcopy"])
def test_an_error_survives_with_everything_that_it_says(error, way):
    error.add_note("while a test was run")
    again = way(error)
    assert type(again) is type(error)
    assert (again.args, str(again), vars(again)) == (error.args, str(error), vars(error))
    assert again.__notes__[-1] == "while a test was run"


# Templates


def write_plainly(chat, out):
    for message in chat.messages:
        out += "<", message.role, ">", message.content


class Shouting(TurnTemplate):
    """A plugin's own class, with an additional part."""

    __slots__ = ("mark",)

    def __init__(self, name, *, mark, **parts):
        self.mark = mark
        super().__init__(name, **parts)

    def stated(self):
        return super().stated() | {"mark": self.mark}


REPLIES = Grammar("acme", reasoning=THINK, sections=(JSON_IN_TAGS,))
TURNS = {"user": Turn("<u>", "</u>\n"), "assistant": Turn("<a>", "</a>\n", "<a/>"), "system": Turn("<s>", "</s>\n")}
OWN = [
    TurnTemplate("table", **TURNS, stop={"</a>": 7}, stop_ids=[8], markers=["<u>", "</a>"], default_system="Hi."),
    TurnTemplate("examples", **TURNS, examples=[("user", "1+1?"), ("assistant", "2")], accepts=["parts", "null"]),
    Template("program", write_plainly, reply=REPLIES, capabilities=["tools", "system", "reasoning"]),
    Shouting("shouting", mark="!", **TURNS),
    CHATML.but(name="varied", stop=["<|im_end|>", "<|end|>"]),
    CHATML.but(),
]


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("template", [CHATML, DEFAULT], ids=lambda template: template.name)
def test_a_listed_template_is_pickled_by_its_name(template, protocol):
    assert pickled(template, protocol) is template
    assert pickled(template.text, protocol)(HELLO) == template.text(HELLO)
    assert b"im_start" not in pickle.dumps(template)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("template", OWN, ids=lambda template: template.name)
def test_any_other_template_is_pickled_by_its_parts(template, protocol):
    again = pickled(template, protocol)
    assert type(again) is type(template)
    assert again.stated() == template.stated()
    assert [again.text(talk) for talk in TALKS] == [template.text(talk) for talk in TALKS]
    assert again.parse("<think>Hm.</think>Hi.</a>") == template.parse("<think>Hm.</think>Hi.</a>")
    assert pickled(again.but(name="another"), protocol).name == "another"


@pytest.mark.parametrize("template", [CHATML, *OWN], ids=lambda template: template.name)
def test_copies_of_a_template_are_the_template(template):
    assert copy.copy(template) is copy.deepcopy(template) is template


def test_what_cannot_be_pickled_is_named_by_pickle_itself():
    template = Template("mine", lambda chat, out: None)
    with pytest.raises((AttributeError, pickle.PicklingError), match="<lambda>"):
        pickle.dumps(template)


@pytest.mark.parametrize("pickler", ["cloudpickle", "dill"])
def test_cloudpickle_and_dill_carry_what_pickle_cannot(pickler):
    pickler = pytest.importorskip(pickler)
    local = Template("mine", lambda chat, out: out.append("by a lambda"))
    assert pickler.loads(pickler.dumps(local)).text(HELLO) == "by a lambda"
    assert pickler.loads(pickler.dumps(CHATML)) is CHATML
    for template in OWN:
        assert pickler.loads(pickler.dumps(template)).text(HELLO) == template.text(HELLO)


def test_a_template_whose_name_was_taken_is_pickled_by_its_parts(monkeypatch):
    names = REGISTRY.templates
    monkeypatch.setattr(names, "_own", names._own)
    names.register(OWN[0].but(name="chatml"), override=True)
    try:
        again = pickled(CHATML)
        assert again is not CHATML
        assert again.text(HELLO) == CHATML.text(HELLO)
    finally:
        monkeypatch.undo()
        REGISTRY.adapters.changed()
    assert pickled(CHATML) is CHATML


# What templates make


def test_a_prompt_keeps_its_views_and_not_what_it_was_made_from():
    class Busy(dict):
        """A message that cannot be pickled."""

        lock = Lock()

        def __reduce__(self):
            raise TypeError

    messages = [Busy(role="user", content="Hi<|im_end|>", name="Ann")]
    prompt = CHATML.render(messages)
    again = pickled(prompt)
    assert again.text == prompt.text == str(again)
    assert again.segments == prompt.segments
    assert again.segments[1].origin is Origin.INPUT
    assert again.controls == prompt.controls != ()
    assert again.unused == prompt.unused != ()
    assert again.template is CHATML
    assert repr(again) == repr(prompt)
    assert copy.deepcopy(prompt).segments == copy.copy(prompt).segments == prompt.segments


def test_a_pickled_prompt_is_not_searched_for_controls_that_were_allowed():
    assert pickled(CHATML.render(HOSTILE, on_control="allow")).controls == ()


def test_a_pickled_conversation_continues_where_it_was():
    conversation = lect.get_conv_template("chatml")
    conversation.append_message("user", "Hello!")
    conversation.topic = "greetings"
    again = pickled(conversation)
    assert again == conversation
    assert again.template is CHATML
    assert again.topic == "greetings"
    again.append_message("assistant", None)
    assert again.get_prompt() == CHATML.text(HELLO, add_generation_prompt=True)
    assert len(conversation.messages) == 1


def test_a_reply_survives_pickling():
    reply = OWN[2].parse(
        '<think>Hm.</think>\n<tool_call>{"name": "add", "arguments": {"a": [1, 2.5]}}</tool_call><oops'
    )
    again = pickled(reply)
    assert again == reply
    assert type(again.tool_calls[0]) is type(reply.tool_calls[0])
    assert again.to_openai() == reply.to_openai()
    assert pickled(OWN[2].stream().feed("Hi")) == OWN[2].stream().feed("Hi")


@pytest.mark.parametrize("way", [pickled, copy.copy, copy.deepcopy])
def test_a_reply_that_is_still_arriving_cannot_be_pickled_or_copied(way):
    stream = CHATML.stream()
    stream.feed("Hel")
    with pytest.raises(lect.MessageError, match=r"cannot be pickled or copied\n  try: "):
        way(stream)


# Resolutions


class Acme:
    name = "acme"

    @hookimpl
    def match(self, ref):
        return Match(Specificity.NAME, "acme", reason="it is acme's") if ref.name.startswith("acme") else None

    @hookimpl
    def get_template(self):
        return OWN[0]

    @hookimpl
    def postprocess(self, text):
        return text.upper()


@pytest.mark.parametrize("adapter", [Acme(), Family("acme", Rule("acme", OWN[0]))], ids=["hooks", "rules"])
def test_a_resolution_by_a_registered_adapter_is_pickled_with_the_adapter(adapter):
    with lect.register(adapter):
        resolution = lect.resolve("acme-7b")
        data = pickle.dumps(resolution)
    again = pickle.loads(data)
    assert (again.ref, again.kind, again.reason, again.specificity, again.fallback, again.package) == (
        resolution.ref,
        "chat",
        resolution.reason,
        Specificity.NAME,
        False,
        "",
    )
    assert again.adapter.name == "acme"
    assert again.template.text(HELLO) == OWN[0].text(HELLO)
    assert again.parse("Hi.").content == resolution.parse("Hi.").content
    assert all(verdict.outcome != "won" for verdict in again.candidates), "here it is not registered any more"


def test_a_resolution_by_a_pin_is_pickled_with_the_pin():
    with lect.pin("acme/*", "chatml"):
        again = pickled(lect.resolve("acme/x"))
    assert again.template is CHATML
    assert again.pin == pickled(again.pin)
    assert (again.pin.pattern, again.adapter, again.specificity) == ("acme/*", None, None)


def test_what_is_known_of_plugins_survives_pickling():
    with lect.register(Acme()):
        plugins = lect.plugins()
    assert pickled(plugins) == plugins
    assert plugins[-1].name == "acme"


class StubbornError(Exception):
    """A third-party error that pickles but cannot be unpickled: one argument is lost."""

    def __init__(self, place, what):
        super().__init__(f"{what} in {place}")


@pytest.mark.parametrize(
    "error", [ValueError("odd"), errors.PluginError("odd"), StubbornError("match", "odd")], ids=repr
)
def test_the_failure_of_a_plugin_survives_pickling_whatever_it_raised(error):
    failure = Failure("acme", "lect-acme", "0.1", "match", error)
    again = pickled(failure)
    assert again[:4] == failure[:4]
    assert str(failure.error) in str(again)
    assert type(error).__name__ in str(again)


def test_there_is_one_registry_in_a_process_and_no_other_can_be_pickled():
    assert pickled(REGISTRY) is copy.deepcopy(REGISTRY) is REGISTRY
    with pytest.raises(pickle.PicklingError, match="not the same object"):
        pickle.dumps(Registry({}, list))


def test_an_adapter_that_this_process_does_not_have_is_named():
    with pytest.raises(lect.PluginError, match=r"'lect-gone:gone'.*\n  try: install lect-gone"):
        REGISTRY.adapters.recall("lect-gone:gone")
