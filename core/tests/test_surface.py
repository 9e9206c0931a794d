"""What others rely on: the public names, their signatures and the tree of errors. Whatever changes here is a change for
users."""

import inspect

import pytest

import lect
import lect.errors
import lect.plugin
from lect import Conversation, Rendered, Template
from lect.plugin import Chat, Family, Rule, Turn, TurnTemplate, Writer

RENDER = "messages, *, tools=None, add_generation_prompt=False, strict=False, on_control='report', **options"
SIGNATURES = {
    lect.get_conversation_template: "(model_path, *, adapter=None, default=None)",
    lect.get_conv_template: "(name)",
    lect.register_conv_template: "(conv, override=False)",
    lect.resolve: "(model_path, *, adapter=None)",
    lect.get_template: "(model_path, *, adapter=None)",
    lect.render: f"(model_path, {RENDER.replace('*, tools', '*, adapter=None, tools')})",
    lect.parse: (
        "(model_path, output, *, format=None, tools=None, prompt=None, starts_in_reasoning=None, extract=('reasoning', "
        "'tools'), finish=None)"
    ),
    lect.stream: "(model_path, *, format=None, tools=None, prompt=None, starts_in_reasoning=None, extract=('reasoning', 'tools'))",
    lect.register: "(adapter, *, name=None)",
    lect.pin: "(pattern, adapter)",
    lect.plugins: "(*, load=False)",
    Template.render: f"(self, {RENDER})",
    Template.text: f"(self, {RENDER})",
    Template: (
        "(name, program, *, roles=('system', 'user', 'assistant'), bos='', eos='', stop=(), stop_token_ids=(), "
        "markers=(), text_separators=False, "
        "default_system='', capabilities=('system',), options=(), looks_for=None, reply='', source='')"
    ),
    TurnTemplate: (
        "(name, *, system=None, user, assistant, tool=None, user_after_system=None, generation=None, examples=(), "
        "first_round=1, trim=False, **facts)"
    ),
    Turn: "(prefix='', suffix='', bare=None)",
    Rule: "(pattern, template, kind='chat', note='')",
    Family: "(name, *rules, templates=())",
    Conversation: (
        "(what=None, /, system_template='{system_message}', system_message=None, system_message_vision='', "
        "roles=('USER', 'ASSISTANT'), messages=(), "
        "offset=0, sep_style=<SeparatorStyle.ADD_COLON_SINGLE: 1>, sep='\\n', sep2=None, stop_str=None, "
        "stop_token_ids=None, max_image_size_mb=None, *, "
        "name=None)"
    ),
    Conversation.get_prompt: "(self)",
    Conversation.set_system_message: "(self, system_message)",
    Conversation.get_system_message: "(self, is_vision=False)",
    Conversation.append_message: "(self, role, message)",
    Conversation.update_last_message: "(self, message)",
    Conversation.to_openai_api_messages: "(self)",
    Conversation.to_gradio_chatbot: "(self)",
    Conversation.copy: "(self)",
    Conversation.dict: "(self)",
    Chat.option: "(self, name, default=None)",
    Chat.text_option: "(self, name, default)",
    Chat.date: "(self)",
    Chat.printed: "(self, value, *path)",
    Chat.shown: "(self, message)",
    Chat.json: "(self, value, *path, indent=None, **style)",
    Chat.given: "(self, value, *path)",
    Chat.require_alternation: "(self, messages)",
    Chat.refuse: "(self, what, *, instead=None)",
    Writer.turns: "(self, messages)",
    Writer.turn: "(self, message)",
    Writer.used: "(self, *path)",
    Writer.by_rule: "(self, text)",
}
FIELDS = {
    lect.Segment: ("text", "origin", "path", "start", "turn"),
    lect.Control: ("path", "start", "marker", "position"),
    lect.Unused: ("path", "why"),
    lect.Resolution: ("ref", "adapter", "template", "kind", "reason", "specificity", "candidates", "warnings"),
    lect.Reply: ("content", "reasoning", "tool_calls", "stop", "finish", "problems", "raw", "incomplete", "pieces"),
    lect.plugin.ToolCall: ("name", "arguments", "arguments_text", "id", "index", "complete", "span"),
    lect.plugin.Match: ("specificity", "literal", "template", "kind", "reason"),
    lect.plugin.ModelRef: ("given", "path", "owner", "name", "revision", "words"),
    lect.plugin.Part: ("type", "text", "path", "raw"),
    lect.plugin.Call: ("name", "arguments", "text", "id", "path", "raw"),
}


def signature(function):
    """Return a signature without types, which a type checker holds."""
    plain = inspect.signature(function)
    parameters = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in plain.parameters.values()]
    return str(plain.replace(parameters=parameters, return_annotation=inspect.Signature.empty))


def test_the_face_for_users():
    assert sorted(lect.__all__) == [
        "AmbiguousModelError", "Control", "ControlTextError", "Conversation", "InvalidModelPathError", "LectError",
        "MessageError", "Origin", "PluginError", "RefusedError", "Rendered", "Reply", "Resolution", "Segment",
        "Template", "UnknownModelError", "UnknownTemplateError", "Unused", "UnusedInputError", "__version__",
        "get_conv_template", "get_conversation_template", "get_template", "parse", "pin", "plugins", "register",
        "register_conv_template", "render", "resolve", "stream",
    ]  # fmt: skip


def test_the_face_for_authors_of_adapters():
    assert sorted(lect.plugin.__all__) == [
        "API_VERSION", "CHATML", "Call", "Chat", "DEFAULT", "Family", "Match", "Message", "ModelRef", "Part", "Reply",
        "Rule", "Specificity", "Template", "ToolCall", "Turn", "TurnTemplate", "Writer", "grammar", "hookimpl",
        "stripped", "think_tags",
    ]  # fmt: skip


@pytest.mark.parametrize("module", [lect, lect.plugin], ids=lambda module: module.__name__)
def test_every_public_name_is_there_and_documented(module):
    for name in module.__all__:
        value = getattr(module, name)
        assert not inspect.isclass(value) or value.__doc__, name
        assert not inspect.isfunction(value) or value.__doc__, name


@pytest.mark.parametrize(
    ("function", "expected"), SIGNATURES.items(), ids=[function.__qualname__ for function in SIGNATURES]
)
def test_signatures_stay_as_they_are(function, expected):
    assert signature(function) == expected


@pytest.mark.parametrize(("kind", "fields"), FIELDS.items(), ids=[kind.__name__ for kind in FIELDS])
def test_values_keep_their_fields_in_their_order(kind, fields):
    assert kind._fields == fields


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        (Rendered, ["controls", "segments", "template", "text", "unused"]),
        (
            Template,
            [
                "accepted_roles", "bos", "capabilities", "default_system", "eos", "marker_pattern", "markers", "name", "options", "program", "render",
                "roles", "source", "stop", "stop_token_ids", "text", "text_separators",
            ],
        ),
        (lect.Origin, ["INPUT", "TEMPLATE", "UNKNOWN"]),
        (lect.plugin.Message, ["content", "index", "name", "parts", "raw", "reasoning", "role", "tool_calls"]),
        (Chat, ["add_generation_prompt", "bos", "date", "eos", "given", "json", "messages", "option", "options", "refuse", "system", "template", "tools"]),
    ],
    ids=["Rendered", "Template", "Origin", "Message", "Chat"],
)  # fmt: skip
def test_objects_keep_their_attributes(kind, names):
    assert set(names) <= {
        name for name in {*dir(kind), *getattr(kind, "__annotations__", ())} if not name.startswith("_")
    }


def test_the_tree_of_errors():
    tree = {
        name: tuple(base.__name__ for base in value.__bases__)
        for name, value in vars(lect.errors).items()
        if inspect.isclass(value) and value.__module__ == "lect.errors"
    }
    assert tree == {
        "LectError": ("Exception",),
        "InvalidModelPathError": ("LectError", "ValueError"),
        "InvalidModelPathTypeError": ("InvalidModelPathError", "TypeError"),
        "UnknownModelError": ("LectError", "LookupError"),
        "AmbiguousModelError": ("LectError", "LookupError"),
        "UnknownTemplateError": ("LectError", "LookupError"),
        "PluginError": ("LectError",),
        "MessageError": ("LectError", "ValueError"),
        "RefusedError": ("MessageError",),
        "UnusedInputError": ("MessageError",),
        "ControlTextError": ("MessageError",),
        "PluginWarning": ("UserWarning",),
        "ModelPathWarning": ("UserWarning",),
    }


def test_the_version_is_that_of_the_distribution():
    from importlib.metadata import version

    assert lect.__version__ == version("lect")
