"""A model's own template as a template of lect: what it is given, what it gives, and how its texts keep their origin."""

import copy
import pickle
from datetime import date, datetime

import pytest

import lect
import lect_jinja
from lect import ControlTextError, MessageError, Origin, RefusedError, UnusedInputError
from lect.errors import PluginError
from lect_jinja import JinjaTemplate, Limits, load
from lect_jinja.files.tokens import MOST_ADDED
from lect_jinja.files.untrusted import ModelFileError
from lect_kit import AdapterSuite

CHAT = """{{ bos_token }}{% for m in messages %}<|{{ m.role }}|>
{{ m.content | trim }}{{ eos_token }}
{% endfor %}{% if add_generation_prompt %}<|assistant|>
{% endif %}"""
CONFIG = {"chat_template": CHAT, "bos_token": "<s>", "eos_token": {"content": "</s>", "special": True}}
HELLO = [{"role": "user", "content": "Hello!"}]


class TestJinja(AdapterSuite):
    plugin = "jinja"
    examples = {}


def pieces(source, messages=HELLO, **arguments):
    """Return what a template writes: input with its field and offset, template text alone."""
    segments = load(source).render(messages, **arguments).segments
    return [s.text if s.origin is Origin.TEMPLATE else (s.text, *s.path[2:], s.start) for s in segments]


def test_it_writes_what_transformers_writes():
    template = load(CONFIG)
    prompt = template.render([{"role": "system", "content": " Be kind. "}, *HELLO], add_generation_prompt=True)
    assert prompt.text == "<s><|system|>\nBe kind.</s>\n<|user|>\nHello!</s>\n<|assistant|>\n"
    assert template.text(HELLO) == "<s><|user|>\nHello!</s>\n"


@pytest.mark.parametrize("source", ["{{ 'a' + messages[0].content + nothing }}", "{{ nothing + messages[0].content }}"])
def test_an_undefined_value_cannot_be_added_to_a_text(source):
    template = load(source)
    for write in (template.text, template.render):
        with pytest.raises(MessageError, match="'nothing' is undefined"):
            write(HELLO)


def test_every_piece_knows_its_field_its_offset_and_its_turn():
    segments = load(CONFIG).render([{"role": "user", "content": "  Hi"}], add_generation_prompt=True).segments
    assert [(s.text, s.origin.name, s.path, s.start, s.turn) for s in segments] == [
        ("<s>", "TEMPLATE", (), -1, None),
        ("<|", "TEMPLATE", (), -1, 0),
        ("user", "INPUT", ("messages", 0, "role"), 0, 0),
        ("|>\n", "TEMPLATE", (), -1, 0),
        ("Hi", "INPUT", ("messages", 0, "content"), 2, 0),
        ("</s>\n", "TEMPLATE", (), -1, 0),
        ("<|assistant|>\n", "TEMPLATE", (), -1, None),
    ]


def test_facts_are_read_off_the_template():
    template = load(CONFIG)
    assert (template.bos, template.eos, list(template.stop)) == ("<s>", "</s>", ["</s>"])
    assert tuple(template.options) == ("bos_token", "eos_token")
    assert set(template.markers) == {"<s>", "</s>", "<|assistant|>"}
    source = (
        "{% for m in messages %}{% if m['role'] == 'ipython' %}{{ m.content }}{% elif m.content is none %}-"
        "{% else %}{% for part in m.content %}{{ part.text }}{% endfor %}{% endif %}{% endfor %}"
        "{% if enable_thinking %}{{ strftime_now('%Y') }}{% endif %}{{ tools }}"
    )
    template = load(source)
    assert template.accepts == {"parts", "null"}
    assert set(template.options) == {"enable_thinking", "date"}
    assert "ipython" in template.roles
    assert template.capabilities == {"tools"}
    assert template.text_separators


def test_turns_are_separated_by_text_if_no_marker_is_between_them():
    text = "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}{{ eos_token }}"
    marked = "{% for m in messages %}<|turn>{{ m.role }}\n{{ m.content }}<turn|>\n{% endfor %}"
    template = load({"chat_template": text, "eos_token": "</s>"})
    assert template.text_separators
    assert not template.but(text_separators=False).text_separators
    assert not load(marked).text_separators
    assert set(load(marked).markers) == {"<|turn>", "<turn|>"}


def test_added_tokens_are_the_markers_with_their_ids():
    added = {"5": {"content": "<|end|>", "special": True}, "6": {"content": " ", "special": False}}
    template = load({**CONFIG, "added_tokens_decoder": added})
    assert dict(template.markers) == {"<s>": None, "</s>": None, "<|end|>": 5}


def test_a_configuration_with_too_many_tokens_is_refused():
    added = {str(number): {"content": f"<{number}>"} for number in range(MOST_ADDED + 1)}
    with pytest.raises(ModelFileError, match=r"the configuration' has 65,537 added tokens; at most 65,536 are read"):
        load({**CONFIG, "added_tokens_decoder": added})


def test_arguments_as_text_are_for_templates_that_fail_on_a_mapping():
    source = (
        "{% for m in messages %}{% for c in m.tool_calls %}{{ 'x' + c.function.arguments }}{% endfor %}{% endfor %}"
    )
    assert load(source).accepts == {"argument_text"}
    only_beside_null = "{% for m in messages if m.content is none %}" + source.partition("%}")[2]
    assert load(only_beside_null).accepts == {"null", "argument_text"}
    assert load(source.replace("'x' + c.function.arguments", "c.function.arguments | tojson")).accepts == set()


def test_a_text_is_a_part_where_the_template_writes_nothing_else():
    source = (
        "{% for m in messages %}<{{ m.role }}>"
        "{% for p in m.content %}{% if p.type == 'text' %}{{ p.text }}{% endif %}{% endfor %}{% endfor %}"
    )
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "Hi"}]},
    ]
    prompt = load(source).render(messages)
    assert prompt.text == "<system>Be brief.<user>Hi"
    said = [(segment.text, segment.path) for segment in prompt.segments if segment.path]
    assert ("Be brief.", ("messages", 0, "content")) in said
    assert not prompt.unused
    fails = source.replace("p.type == 'text'", "p['type'][0] == 't'")
    assert load(fails).text(messages) == prompt.text
    takes_both = source.replace("{% for p", "{% if m.content is string %}{{ m.content }}!{% else %}{% for p").replace(
        "{% endfor %}{% endfor %}", "{% endfor %}{% endif %}{% endfor %}"
    )
    assert load(takes_both).text(messages) == "<system>Be brief.!<user>Hi"


def test_variants_that_clients_send_are_normalized():
    calls = [{"type": "function", "function": {"name": "f", "arguments": '{"a": "b"}'}}]
    messages = [{"role": "assistant", "content": None, "tool_calls": calls}]
    source = "{% for m in messages %}{{ m.content }}{% for c in m.tool_calls %}{{ c.function.arguments.a }}{% endfor %}{% endfor %}"
    assert pieces(source, messages) == [("b", "tool_calls", 0, "function", "arguments", -1)]
    parts = [{"type": "text", "text": "one"}, {"type": "image"}]
    prompt = load(CHAT).render([{"role": "user", "content": parts}])
    assert "one" in prompt.text
    assert [unused.path for unused in prompt.unused] == [("messages", 0, "content", 1)]


def test_reasoning_is_given_under_both_names():
    source = "{% for m in messages %}{{ m.thinking }}{{ m.reasoning_content }}{% endfor %}"
    messages = [{"role": "assistant", "content": "", "reasoning": "why"}]
    assert pieces(source, messages) == [("why", "reasoning", 0), ("why", "reasoning", 0)]


def test_the_clock_is_an_option():
    template = load("{{ strftime_now('%d %b %Y %H') }}")
    assert template.text(HELLO, date=date(2024, 7, 26)) == "26 Jul 2024 00"
    assert template.text(HELLO, date=datetime(2024, 7, 26, 12)) == "26 Jul 2024 12"
    before, text, after = datetime.now(), template.text(HELLO), datetime.now()
    assert text in (f"{before:%d %b %Y %H}", f"{after:%d %b %Y %H}")
    with pytest.raises(MessageError, match="expected a date"):
        template.text(HELLO, date="today")


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("'a' + c + 'b'", ["a", ("Hello!", "content", 0), "b"]),
        ("'a' ~ c ~ 1", ["a", ("Hello!", "content", 0), "1"]),
        ("c[1:3]", [("el", "content", 1)]),
        ("c[-1]", [("!", "content", 5)]),
        ("('<' + c)[1:3]", [("He", "content", 0)]),
        ("('< ' + c + ' ').strip()", ["< ", ("Hello!", "content", 0)]),
        ("('a' + c + 'b' + c)[3:-4]", [("llo!", "content", 2), "b", ("He", "content", 0)]),
        ("('a' + c)[0] + ('a' + c)[-1] + ('a' + c)[2:2]", ["a", ("!", "content", 5)]),
        ("c.split('l')[2]", [("o!", "content", 4)]),
        ("('-l' + c).split('l')[1]", [("He", "content", 0)]),
        ("c.rstrip('!')", [("Hello", "content", 0)]),
        ("c.replace('ll', '+')", [("He", "content", 0), "+", ("o!", "content", 4)]),
        ("c | replace('x', '+')", [("Hello!", "content", 0)]),
        ("[c, 'b', c] | join(', ')", [("Hello!", "content", 0), ", b, ", ("Hello!", "content", 0)]),
        ("', '.join(['a', c])", ["a, ", ("Hello!", "content", 0)]),
        ("c | upper", [("HELLO!", "content", -1)]),
        ("('a' + c) | upper", ["A", ("HELLO!", "content", -1)]),
        ("c | capitalize", [("Hello!", "content", 0)]),
        ("'%s of %d' % (c, 3)", [("Hello!", "content", 0), " of 3"]),
        ("'<%s>' | format(c)", ["<", ("Hello!", "content", 0), ">"]),
        ("'<{}{x}>'.format(c, x=c)", ["<", ("Hello!", "content", 0), ("Hello!", "content", 0), ">"]),
        ("c | tojson", [('"', "content", -1), ("Hello!", "content", 0), ('"', "content", -1)]),
        ("(c + '\\n') | indent(2, first=true)", ["  ", ("Hello!", "content", 0), "\n"]),
        ("(c | list)[1]", [("e", "content", 1)]),
        ("c | string | trim", [("Hello!", "content", 0)]),
        ("c | default('x')", [("Hello!", "content", 0)]),
        ("c * 2", [("Hello!", "content", 0), ("Hello!", "content", 0)]),
        ("c.ljust(8)", [("Hello!", "content", 0), "  "]),
        ("'%9s' % c", [("   Hello!", -1)]),
        ("c.center(8)", [(" Hello! ", -1)]),
        ("c | length", ["6"]),
        ("('<' + c) | safe + '<'", ["<", ("Hello!", "content", 0), "&lt;"]),
    ],
)  # fmt: skip
def test_text_is_followed_through_expressions(expression, expected):
    source = f"{{% set c = messages[0].content %}}{{{{ {expression} }}}}"
    assert pieces(source) == expected
    assert load(source).text(HELLO) == "".join(piece if isinstance(piece, str) else piece[0] for piece in expected)


def test_text_is_followed_through_macros_blocks_and_namespaces():
    source = (
        "{% macro m(x) %}[{{ x }}]{% endmacro %}{% set b %}({{ messages[0].content }}){% endset %}"
        "{% set ns = namespace(t='') %}{% for i in [1, 2] %}{% set ns.t = ns.t + m(b) %}{% endfor %}{{ ns.t }}"
        "{% filter upper %}{{ messages[0].content }}{% endfilter %}"
    )
    hello = ("Hello!", "content", 0)
    assert pieces(source) == ["[(", hello, ")][(", hello, ")]", ("HELLO!", "content", -1)]


def test_names_and_numbers_of_tools_and_arguments_are_the_callers():
    arguments = {"<|x|>": 5, "deep": {"k": [1.5, "v"]}}
    call = {"type": "function", "function": {"name": "f", "arguments": arguments}}
    messages = [{"role": "assistant", "content": "", "tool_calls": [call]}]
    where = ("tool_calls", 0, "function", "arguments")
    source = "{% for k, v in messages[0].tool_calls[0].function.arguments.items() %}{{ k }}={{ v }};{% endfor %}"
    assert pieces(source, messages)[:4] == [("<|x|>", *where, "<|x|>", -1), "=", ("5", *where, "<|x|>", -1), ";"]
    printed = "".join(piece[0] for piece in pieces(source, messages)[6:-1])
    assert printed == "{'k': [1.5, 'v']}"
    whole = "{{ messages[0].tool_calls[0].function.arguments | tojson }}"
    assert pieces(whole, messages) == [('{"<|x|>": 5, "deep": {"k": [1.5, "v"]}}', *where, -1)]
    summed = "{{ messages[0].tool_calls[0].function.arguments['<|x|>'] + 1 }}"
    assert pieces(summed, messages) == [("6", -1)], "what is calculated from it is of unknown origin"
    tools = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}]
    prompt = load("{{ tools | tojson }}{% for t in tools %}{{ t.function.name }}{% endfor %}").render(
        HELLO, tools=tools
    )
    assert {segment.origin for segment in prompt.segments} == {Origin.INPUT}


def test_booleans_and_none_are_of_unknown_origin():
    assert pieces("{{ x }}{{ messages[0].content == 'Hello!' }}", x=None) == [("None", -1), ("True", -1)]


def test_options_are_the_callers_unless_they_are_the_templates_own_tokens():
    assert load(CONFIG).render(HELLO, bos_token="<s>").segments[0].origin is Origin.TEMPLATE
    first = load(CONFIG).render(HELLO, bos_token="<b>").segments[0]
    assert (first.text, first.path) == ("<b>", ("options", "bos_token"))


@pytest.mark.parametrize(
    "loop",
    [
        "{% for m in messages %}<{{ m.content }}>{% if not loop.last %}{% endif %}{% endfor %}",
        "{% for m in messages if m.role %}<{{ m.content }}>{{ loop.nextitem.x if loop.nextitem }}{% endfor %}",
        "{% for i in range(messages | length) %}{% set m = messages[i] %}<{{ m.content }}>{% endfor %}",
        "{% macro r(m) %}{% for x in messages %}{% endfor %}<{{ m.content }}>{% endmacro %}{% for m in messages %}{{ r(m) }}{% endfor %}",
        "{% for m in messages %}{% for x in messages %}{% if x.role == 'no' %}{% break %}{% endif %}{% endfor %}<{{ m.content }}>{% endfor %}",
        "{% for m in messages %}{% for i in range(2) %}{% set x = messages[i] %}{% endfor %}<{{ m.content }}>{% endfor %}",
        "{% set list = messages[0:] %}{% for i in range(list | length) %}{% set m = list[i] %}<{{ m.content }}>{% endfor %}",
        "{% for m in messages[::-1] | reverse %}{% generation %}<{{ m.content }}>{% endgeneration %}{% endfor %}",
    ],
)
def test_the_turn_is_that_of_the_message_a_loop_has_reached(loop):
    messages = [{"role": "user", "content": "aa"}, {"role": "assistant", "content": "bb"}]
    segments = load("^" + loop + "$").render(messages).segments
    assert [(s.text, s.turn) for s in segments] == [
        ("^", None), ("<", 0), ("aa", 0), (">", 0), ("<", 1), ("bb", 1), (">", 1), ("$", None),
    ]  # fmt: skip


def test_input_that_did_not_reach_the_prompt_is_reported():
    template = load("{% for m in messages %}{{ m.content }}{% endfor %}")
    prompt = template.render([{"role": "user", "content": "a", "name": "n"}], tools=[{"name": "f"}], shape="round")
    assert [unused.path for unused in prompt.unused] == [("messages", 0, "name"), ("tools", 0), ("options", "shape")]
    with pytest.raises(UnusedInputError):
        template.text(HELLO, strict=True, shape="round")


def test_reasoning_that_a_template_knows_and_omits_is_left_out_by_rule():
    messages = [{"role": "assistant", "content": "a", "reasoning_content": "why"}]
    known = load("{% for m in messages %}{{ m.content }}{{ m.reasoning_content if false }}{% endfor %}")
    assert [unused.why for unused in known.render(messages).unused] == ["by-rule"]
    assert [unused.why for unused in load(CHAT).render(messages).unused] == ["dropped"]


def test_a_part_that_changes_the_prompt_has_reached_it():
    source = "{% for m in messages %}{% for p in m.content %}{{ p.text if p.type == 'text' }}{{ '<i>' if p.type == 'image' }}{% endfor %}{% endfor %}"
    parts = [{"type": "text", "text": "one"}, {"type": "image"}, {"type": "audio"}]
    prompt = load(source).render([{"role": "user", "content": parts}])
    assert [unused.path for unused in prompt.unused] == [("messages", 0, "content", 2)]


def test_control_text_is_found_and_refused():
    template = load(CONFIG)
    hostile = [{"role": "user", "content": "</s>"}]
    assert [(control.path, control.marker) for control in template.render(hostile).controls] == [
        (("messages", 0, "content"), "</s>")
    ]
    with pytest.raises(ControlTextError):
        template.text(hostile, on_control="raise")


def test_a_template_refuses_and_fails_with_our_errors():
    with pytest.raises(RefusedError, match="no system"):
        load("{{ raise_exception('no system') }}").text(HELLO)
    with pytest.raises(MessageError, match=r"at line 3: .*no attribute 'x'"):
        load("a\nb\n{{ messages[0].x.y }}").text(HELLO)
    with pytest.raises(MessageError, match="can only concatenate"):
        load("{{ messages[0].content + 1 }}").render(HELLO)
    with pytest.raises(RefusedError) as caught:
        load("{{ raise_exception('\\x1b[31m' ~ 'x' * 9000) }}").text(HELLO)
    assert len(str(caught.value)) < 600
    assert caught.value.args[0].isprintable()


@pytest.mark.parametrize(
    "source",
    [
        {},
        {"chat_template": None},
        {"chat_template": ""},
        {"chat_template": [{"name": "rag", "template": "x"}]},
        {"chat_template": "x", "bos_token": 5},
        5,
        "{% if %}",
        "{{ x | nope }}",
        "{% include 'x' %}",
    ],
)
def test_a_source_without_a_valid_template_is_refused(source):
    with pytest.raises(PluginError):
        load(source)


BRIEF = "{% if messages[0].role != 'system' %}[Be brief{{ more }}.]{% endif %}"
TURNS = "{% for m in messages %}[{% if m.role == 'system' %}{{ m.content }}{% else %}{{ m.content }}{% endif %}]{% endfor %}"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (BRIEF + TURNS, "Be brief."),
        ("[Be brief.]" + TURNS, ""),
        (BRIEF.replace("[Be brief", "[Today is {{ strftime_now('%d') }}") + TURNS, ""),
        (BRIEF.replace("[Be brief", "- [Be brief") + TURNS, ""),
        (TURNS, ""),
        (BRIEF + TURNS.replace("{{ m.content }}{% else", "{{ raise_exception('no') }}{% else"), ""),
        (BRIEF + "[{{ messages[-1].content }}]", ""),
    ],
    ids=["added", "always there", "of the day", "elsewhere", "none", "refused", "left out"],
)
def test_the_default_system_text_is_what_replaces_a_missing_one(source, expected):
    template = load(source)
    assert template.default_system == expected
    assert template.but(default_system="Hi").default_system == "Hi"
    assert pickle.loads(pickle.dumps(template)).default_system == expected
    assert lect.Conversation(template).system_message == expected


def test_the_default_of_several_templates_is_loaded():
    named = [{"name": "tool_use", "template": "t"}, {"name": "default", "template": "d"}]
    assert load({"chat_template": named}).text(HELLO) == "d"
    assert load({"chat_template": named}, chat_template="tool_use").text(HELLO) == "t"
    with pytest.raises(PluginError, match=r"no chat template called 'rag', only 'tool_use', 'default'"):
        load({"chat_template": named}, chat_template="rag")
    for source in ("{{ x }}", {"chat_template": "{{ x }}"}):
        with pytest.raises(PluginError, match=r"no chat template called 'rag', only 'default'"):
            load(source, chat_template="rag")


@pytest.mark.parametrize("value", [object(), {"x": object()}, [b"bytes"], {1, 2}])
def test_objects_are_refused_because_a_template_could_reach_into_them(value):
    with pytest.raises(MessageError, match=r"options\.x"):
        load("{{ x }}").text(HELLO, x=value)


def test_other_kinds_of_mappings_and_sequences_are_accepted():
    from types import MappingProxyType

    value = MappingProxyType({1: (2, 3), None: True})
    assert load("{{ x | tojson }}").text(HELLO, x=value) == '{"1": [2, 3], "null": true}'


def test_it_is_a_template_in_all_respects():
    template = load(CONFIG, name="acme", limits={"work": 5000})
    again = pickle.loads(pickle.dumps(template))
    assert isinstance(again, JinjaTemplate)
    assert (again.name, again.limits, again.text(HELLO)) == ("acme", Limits(work=5000), template.text(HELLO))
    assert copy.deepcopy(template) is template
    variant = template.but(name="other", stop=["<over>"])
    assert (variant.name, list(variant.stop), variant.tokens["bos_token"]) == ("other", ["<over>"], "<s>")
    assert tuple(template.but(jinja="{{ x }}").options) == ("x",)
    assert template.parse("Hi!</s>").content == "Hi!"
    assert [event.text for event in template.stream().feed("Hi!")] == ["Hi!"]
    with pytest.raises(AttributeError):
        template.jinja = "x"
    assert template.source == ""
    assert "test_jinja.py" in load(CONFIG).written_at or "source.py" in load(CONFIG).written_at


def test_the_callers_input_is_not_changed():
    messages = [{"role": "user", "content": [{"type": "text", "text": "a"}], "reasoning": "b"}]
    before = copy.deepcopy(messages)
    source = "{% for m in messages %}{% for k, v in m.items() %}{{ k }}{{ v }}{% endfor %}{% endfor %}"
    load(source).render(messages)
    load(source).text(messages)
    assert messages == before


def test_public_names():
    assert sorted(lect_jinja.__all__) == ["JinjaTemplate", "Limits", "ModelFileError", "load"]


def test_a_field_that_the_template_itself_reads_is_known_and_another_is_reported():
    text = (
        "{% for message in messages %}{% if message.mood == 'gay' %}!{% endif %}{% if message.get('flag') %}?{% endif %}"
        "{% for part in message.content %}{{ part.text }}{% endfor %}{% endfor %}"
        "{% set ns = namespace(body='') %}{{ ns.body }}"
    )
    template = JinjaTemplate("own", text)
    message = {"role": "user", "content": [{"type": "text", "text": "Hi"}], "mood": "sad", "flag": True}
    assert template.render([message], strict=True).unused == ()
    prompt = template.render([{**message, "text": "lost", "body": "lost"}])
    assert [(unused.path[2], unused.meant) for unused in prompt.unused] == [("text", "content"), ("body", "content")]


def test_a_field_that_is_written_with_the_whole_message_is_not_reported():
    template = JinjaTemplate("whole", "{% for message in messages %}{{ message | tojson }}{% endfor %}")
    assert template.render([{"role": "user", "content": "Hi", "colour": "red"}], strict=True).unused == ()


def test_a_misspelt_option_of_the_template_is_an_error_that_names_the_right_one():
    template = JinjaTemplate("options", "{{ enable_thinking }}{{ bos_token }}{{ messages[0].content }}")
    with pytest.raises(MessageError, match="there is no argument or option 'enable_thinkng'\n  try: enable_thinking="):
        template.text([{"role": "user", "content": "Hi"}], enable_thinkng=True)
    prompt = template.render([{"role": "user", "content": "Hi"}], eos_token="</s>", thinking=True)
    assert [unused.path[1] for unused in prompt.unused] == ["eos_token", "thinking"]


@pytest.mark.parametrize("way", ["text", "render"])
def test_a_block_whose_filter_gives_no_text_is_our_error(way):
    with pytest.raises(MessageError, match="expected text, and a block gives list"):
        getattr(load("{% filter list %}a{% endfilter %}"), way)(HELLO)
