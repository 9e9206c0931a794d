"""What others rely on: the public names, their signatures and the tree of errors. Any change here affects users."""

import inspect

import pytest
from together import together

import lect
import lect.errors
import lect.plugin
import lect.plugin.grammar
from lect import Conversation, Prompt, Resolution, Template
from lect.facts import Facts
from lect.plugin import Chat, Family, LazyTemplate, Rule, Turn, TurnTemplate, Writer

RENDER = "messages, *, tools=None, add_generation_prompt=False, continue_final_message=False, strict=False, on_control='report', limits=None, **options"
CHOOSE = "adapter=None, default=None"
SIGNATURES = {
    lect.get_conversation_template: f"(model_path, *, {CHOOSE})",
    lect.get_conv_template: "(name)",
    lect.register_conv_template: "(conv, override=False)",
    lect.resolve: "(model_path, *, adapter=None, fallback=True)",
    lect.get_template: f"(model_path, *, {CHOOSE})",
    lect.render: f"(model_path, {RENDER.replace('*, tools', f'*, {CHOOSE}, tools')})",
    lect.parse: f"(model_path, output, *, {CHOOSE}, format=None, finish=None, **options)",
    lect.stream: f"(model_path, *, {CHOOSE}, format=None, **options)",
    lect.register: "(adapter, *, name=None)",
    lect.pin: "(pattern, adapter)",
    lect.pins: "(*, load=False)",
    lect.plugins: "(*, load=False)",
    lect.template: "(name)",
    lect.templates: "(*, load=False)",
    lect.reply_formats: "()",
    lect.load_template: "(source, *, notation=None)",
    lect.dump_template: f"(model_path, notation, *, lossy=False, {CHOOSE})",
    lect.plugin.Schema: "(chat, value, path, *, is_required=False)",
    lect.plugin.thought_and_answer: "(message, content=None)",
    lect.plugin.open_file: "(path, *, follow=True)",
    lect.plugin.read_file: "(path, most, *, only_start=False, follow=True)",
    lect.plugin.parse_json: "(text)",
    lect.messages: "(data, *, format=None, row=None, parse_assistant=False)",
    lect.row: "(data, *, format=None, row=None, parse_assistant=False)",
    Template.render: f"(self, {RENDER})",
    Template.text: "(self, messages, *, tools=None, add_generation_prompt=False, **arguments)",
    Template.parse: "(self, output, *, finish=None, **options)",
    Template.stream: "(self, *, grammar=None, refine=None, **options)",
    Template.unroll: "(self, messages, unroll='auto', *, tools=None, **options)",
    lect.Prompt.encode: "(self, tokenizer, *, safe=True, policy=None, max_length=None, truncate='tokens', strict=None, media=None)",
    lect.Prompt.loss_spans: "(self, policy=None)",
    lect.encode: (
        "(model_path, messages, tokenizer, *, adapter=None, default=None, safe=True, policy=None, max_length=None, "
        "truncate='tokens', unroll='never', **arguments)"
    ),
    lect.rollout: f"(model_path, messages, tokenizer, *, tools=None, media='parts', {CHOOSE}, **options)",
    lect.fit: f"(model_path, messages, tools=None, *, late_system='user', split_text=False, invent=False, strict=False, {CHOOSE}, **options)",
    Template.fit: "(self, messages, tools=None, *, late_system='user', split_text=False, invent=False, strict=False, **options)",
    Template.effort: "(self, level)",
    Template.but: "(self, **changes)",
    Template: "(name, program, *, reply=None, **facts)",
    Facts: (
        "(name, *, roles=('system', 'user', 'assistant'), bos='', eos='', stop=(), stop_ids=(), markers=(), "
        "control_tokens=(), text_separators=False, default_system='', capabilities=('system',), options=(), accepts=(), source='', "
        "evidence='', revisions=(), media=())"
    ),
    TurnTemplate: (
        "(name, *, system=None, user, assistant, tool=None, other=None, user_after_system=None, opening='', without_system='', generation=None, "
        "closing='', examples=(), first_round=1, trim=False, empty='all', system_first=False, refuses=False, "
        "program=None, **facts)"
    ),
    Turn: "(prefix='', suffix='', bare=None)",
    Rule: "(pattern, template, kind='chat', note='')",
    Family: "(name, *rules, templates=())",
    LazyTemplate: "(name, make)",
    Conversation: (
        "(template, *, system_message=None, messages=(), offset=0, stop_str=None, stop_token_ids=None, name=None, "
        "**fields)"
    ),
    Conversation.get_prompt: "(self)",
    Chat.option: "(self, name, default=None, kind=None)",
    Chat.expect: "(self, kind, value, *path)",
    Chat.json: "(self, value, *path, indent=None, **style)",
    Chat.printed: "(self, value, *path)",
    Chat.text: "(self, value, *path)",
    Chat.content: "(self, message)",
    Chat.begins_run: "(self, message)",
    Chat.ends_run: "(self, message)",
    Chat.arguments: "(self, call)",
    Chat.arguments_as_given: "(self, call)",
    Chat.named_arguments: "(self, call)",
    Chat.function: "(self, index)",
    Chat.input: "(self, value, *path)",
    Chat.require_alternation: "(self, messages)",
    Chat.refuse: "(self, what, *, instead=None)",
    Writer.turns: "(self, messages)",
    Writer.turn: "(self, message)",
    Writer.used: "(self, *path)",
    Writer.by_rule: "(self, text)",
    Writer.marked: "(self, spans)",
}
FIELDS = {
    lect.Segment: ("text", "origin", "path", "start", "turn"),
    lect.Control: ("path", "start", "marker", "position"),
    lect.Unused: ("path", "why"),
    lect.Row: ("messages", "tools", "weights", "chosen", "rejected", "rest"),
    lect.Reply: ("content", "reasoning", "tool_calls", "stop", "finish", "problems", "raw", "incomplete", "pieces"),
    lect.plugin.ToolCall: ("name", "arguments", "arguments_text", "id", "index", "complete", "span"),
    lect.plugin.Match: ("specificity", "literal", "template", "kind", "reason"),
    lect.plugin.ModelRef: ("original", "path", "owner", "name", "revision", "words", "place", "tag", "scheme", "alias"),
    lect.plugin.Part: ("type", "text", "path", "raw"),
    lect.plugin.Call: ("name", "arguments", "id", "path", "raw"),
}


def signature(function):
    """Return a signature without types, which a type checker checks."""
    plain = inspect.signature(function)
    parameters = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in plain.parameters.values()]
    return str(plain.replace(parameters=parameters, return_annotation=inspect.Signature.empty))


def test_dir_shows_public_names_only():
    assert dir(lect) == sorted(lect.__all__)


def test_the_public_names_for_users():
    assert sorted(lect.__all__) == [
        "AmbiguousModelError", "Control", "ControlTextError", "Conversation", "ConversionError",
        "Encoded", "FallbackWarning", "InvalidModelPathError", "LectError", "LimitError", "LossPolicy", "LossSpan",
        "MaskError", "MessageError", "Origin", "PluginError", "Prompt", "RefusedError", "Reply", "Resolution", "Row",
        "Segment", "SourceError", "Template", "TokenizerError", "UnknownModelError", "UnknownTemplateError", "Unused",
        "UnusedInputError", "__version__", "dump_template", "encode", "fit", "get_conv_template",
        "get_conversation_template", "get_template", "load_template", "media_tokens", "messages", "parse", "pin", "pins", "plugins", "register",
        "register_conv_template", "render", "reply_formats", "rescan", "resolve", "rollout", "row", "stream", "template",
        "templates",
    ]  # fmt: skip


def test_the_public_names_for_authors_of_adapters():
    assert sorted(lect.plugin.__all__) == [
        "API_VERSION", "CHATML", "Call", "Chat", "DEFAULT", "Difference", "EOS", "Family", "Input", "LazyTemplate", "Match", "Message",
        "ModelRef", "Part", "ROLE", "ROUND", "Reply", "Rule", "SPELLINGS", "Schema", "Source", "Specificity", "Template", "Tokenizer",
        "ToolCall", "Turn", "TurnTemplate", "Writer", "boundary", "by_signal", "given",
        "hookimpl", "install_command", "locate", "normalize", "open_file", "owned", "parse_json", "plain_str", "read_file",
        "split_at_controls", "stripped", "think_tags", "thought_and_answer", "unknown", "write_whole",
    ]  # fmt: skip


def test_the_public_names_for_authors_of_grammars():
    assert sorted(lect.plugin.grammar.__all__) == [
        "ATTRIBUTE_TAGS", "CALL_IN_WORDS", "CallSyntax", "Channels", "Code", "FUNCTION_TAGS", "Grammar", "HERMES_JSON", "Head", "JSON_IN_A_FENCE",
        "JSON_IN_TAGS", "JSON_OBJECT", "Json", "JsonMap", "KEY", "KEY_VALUE_CALL", "KEY_VALUE_TAGS", "Literals", "NAME",
        "NAMED_JSON_IN_TAGS", "NamedJson", "PYTHON_CALL", "PYTHON_LIST", "Params", "QUOTED_KEY", "QUOTED_NAME",
        "Reasoning", "ReplyFormat", "SPACE", "Section", "THINK", "THINKING", "Wrapper", "in_tags", "reply_format",
    ]  # fmt: skip


@pytest.mark.parametrize("module", [lect, lect.plugin, lect.plugin.grammar], ids=lambda module: module.__name__)
def test_every_public_name_exists_and_is_documented(module):
    for name in module.__all__:
        value = getattr(module, name)
        assert not inspect.isclass(value) or value.__doc__, name
        assert not inspect.isfunction(value) or value.__doc__ or not is_installed(value), name


def is_installed(function):
    """Return whether a function is here: one of a package that is not says, when it is called, what to install."""
    return function.__name__ != "<lambda>"


HERE = {function: expected for function, expected in SIGNATURES.items() if is_installed(function)}


@together(("function", "expected"), HERE.items(), ids=[function.__qualname__ for function in HERE])
def test_signatures_stay_as_they_are(function, expected):
    assert signature(function) == expected


@pytest.mark.parametrize(("kind", "fields"), FIELDS.items(), ids=[kind.__name__ for kind in FIELDS])
def test_values_keep_their_fields_in_their_order(kind, fields):
    assert kind._fields == fields


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        (Prompt, ["controls", "segments", "template", "text", "unused"]),
        (
            Template,
            [
                "accepted_roles", "bos", "capabilities", "control_tokens", "default_system", "eos", "evidence", "markers", "name", "options", "program", "render",
                "reply", "revision", "revisions", "roles", "source", "stop", "stop_ids", "table", "text", "text_separators", "parse", "stream", "but", "written_at",
            ],
        ),
        (
            Resolution,
            [
                "adapter", "candidates", "fallback", "kind", "package", "parse", "pin", "reason", "ref", "remarks", "specificity", "stream", "template",
                "warnings",
            ],
        ),
        (lect.Origin, ["INPUT", "TEMPLATE", "UNKNOWN"]),
        (lect.plugin.Message, ["content", "index", "name", "parts", "raw", "reasoning", "role", "tool_calls"]),
        (Chat, ["add_generation_prompt", "bos", "date", "default_system", "eos", "facts", "input", "json", "messages", "option", "options", "refuse", "system", "tools", "without_system"]),
    ],
    ids=["Prompt", "Template", "Resolution", "Origin", "Message", "Chat"],
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
        "SourceError": ("LectError", "ValueError"),
        "ConversionError": ("LectError", "ValueError"),
        "MaskError": ("LectError", "ValueError"),
        "TokenizerError": ("LectError", "TypeError"),
        "RefusedError": ("MessageError",),
        "LimitError": ("MessageError",),
        "UnusedInputError": ("MessageError",),
        "ControlTextError": ("MessageError",),
        "PluginWarning": ("UserWarning",),
        "TemplateWarning": ("PluginWarning",),
        "FallbackWarning": ("UserWarning",),
        "BaseModelWarning": ("UserWarning",),
        "ModelPathWarning": ("UserWarning",),
        "ConversionWarning": ("UserWarning",),
        "OutputWarning": ("UserWarning",),
        "ReplyFormatWarning": ("UserWarning",),
        "ServedDifferentlyWarning": ("UserWarning",),
    }


def test_the_version_is_that_of_the_distribution():
    from importlib.metadata import version

    assert lect.__version__ == version("lect")
