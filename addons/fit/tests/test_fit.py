"""Requests, and what becomes of them in formats that carry less: each says so in a Jinja template of its own."""

import copy
import pickle

import pytest

import lect
import lect_fit
from lect import RefusedError, UnusedInputError
from lect.plugin import CHATML
from lect_kit import AdapterSuite


class TestFit(AdapterSuite):
    plugin = "fit"
    examples = {}


CHECKED = "{% for m in messages %}{% if REFUSES %}{{ raise_exception('no ' ~ m.role) }}{% endif %}"
SPOKEN = "<{{ m.role }}>{{ m.content }}{% for c in m.tool_calls %}[{{ c.function.name }}{{ c.function.arguments | tojson }}]{% endfor %}{% endfor %}"
TOOL = {"type": "function", "function": {"name": "look", "description": "Look.", "parameters": {"type": "object"}}}


def own(refuses="false", spoken=SPOKEN, before="{% if tools %}{{ tools | tojson }}{% endif %}"):
    """Return a template that writes everything, unless it refuses."""
    return lect.load_template(before + CHECKED.replace("REFUSES", refuses) + spoken, notation="jinja")


def said(role, content="text", **more):
    return {"role": role, "content": content, **more}


def called(*ids, content=None, **more):
    calls = [{"id": each, "type": "function", "function": {"name": "look", "arguments": {"at": each}}} for each in ids]
    return said("assistant", content, tool_calls=calls, **more)


def result(of, content="seen", **more):
    return said("tool", content, tool_call_id=of, **more)


ANYTHING = own()
ALTERNATES = own("(m.role == 'user') != (loop.index0 % 2 == 0)")
SYSTEM_FIRST = own("m.role == 'system' and not loop.first")
ONE_CALL = own("m.tool_calls and m.tool_calls | length > 1")
CALLS_KNOWN = own("m.role == 'tool' and not (loop.previtem.tool_calls or loop.previtem.role == 'tool')")


def test_what_is_carried_stays_the_callers_own():
    messages, tools = [said("system"), said("user"), called("a", "b"), result("a"), result("b")], [TOOL]
    fitted = ANYTHING.fit(messages, tools)
    assert fitted.messages is messages
    assert fitted.tools is tools
    assert fitted.changes == fitted.left == ()
    assert fitted.prompt.text == ANYTHING.text(messages, tools=tools, add_generation_prompt=True)


@pytest.mark.parametrize(
    ("template", "messages", "expected", "steps"),
    [
        (SYSTEM_FIRST, [said("system"), said("developer", "rule"), said("user")],
         [said("system", "text\n\nrule"), said("user")], ["developer to system", "joined to the first"]),
        (SYSTEM_FIRST, [said("user"), said("assistant"), said("system", "late"), said("user")],
         [said("user"), said("assistant"), said("user", "late"), said("user")], ["system to user"]),
        (ALTERNATES, [said("user", "one"), said("user", "two")], [said("user", "one\n\ntwo")], ["turns joined"]),
        (ALTERNATES, [said("user"), said("assistant", "one"), said("assistant", "two")],
         [said("user"), said("assistant", "one\n\ntwo")], ["turns joined"]),
        (CALLS_KNOWN, [said("user"), result("gone", "seen"), said("assistant")],
         [said("user"), said("user", "seen"), said("assistant")], ["result to user"]),
        (ONE_CALL, [said("user"), called("a", "b"), result("b"), result("a")],
         [said("user"), called("b"), result("b"), called("a", content=""), result("a")], ["calls one by one"] * 2),
        (ONE_CALL, [said("user"), called("a", "b", "c"), result("a"), result("c"), said("user")],
         [said("user"), called("a"), result("a"), called("c", content=""), result("c"), called("b", content=""),
          said("user")], ["calls one by one"] * 3),
        (ONE_CALL, [said("user"), called(None, None, None), *[result(None, each) for each in "123"]],
         [said("user"), called(None), result(None, "1"), called(None, content=""), result(None, "2"),
          called(None, content=""), result(None, "3")], ["calls one by one"] * 3),
    ],
    ids=["developer", "late system", "users", "answers", "orphan", "parallel calls", "unanswered call", "no ids"],
)  # fmt: skip
def test_a_message_becomes_what_the_format_carries_in_its_place(template, messages, expected, steps):
    given = copy.deepcopy(messages)
    fitted = template.fit(messages)
    assert list(fitted.messages) == expected
    assert list(fitted.steps) == steps
    assert fitted.left == ()
    assert messages == given
    assert fitted.undo() == (messages, None)
    assert template.fit(fitted.messages).changes == ()


def test_a_change_says_where_what_and_why():
    late = said("system", "late")
    (change,) = SYSTEM_FIRST.fit([said("user"), late]).changes
    assert change.path == ("messages", 1, "role")
    assert change.before == (late,)
    assert change.why == "refused: no system"


def test_a_late_system_message_may_go_to_the_front_or_be_refused():
    messages = [said("system", "first"), said("user"), said("system", "late")]
    fitted = SYSTEM_FIRST.fit(messages, late_system="first")
    assert fitted.messages == [said("system", "first\n\nlate"), said("user")]
    assert fitted.undo() == (messages, None)
    fitted = SYSTEM_FIRST.fit(messages[1:], late_system="first")
    assert fitted.messages == [said("system", "late"), said("user")]
    assert fitted.undo() == (messages[1:], None)
    with pytest.raises(
        RefusedError, match=r"messages\[2\] is a system message after other turns.*\n  try: late_system"
    ):
        SYSTEM_FIRST.fit(messages, late_system="refuse")
    with pytest.raises(lect.MessageError, match="late_system is 'last'; expected one of 'user'"):
        SYSTEM_FIRST.fit(messages, late_system="last")


def test_nothing_is_invented_unless_asked_for():
    messages = [said("assistant", "Hello!"), said("user")]
    strict = own("loop.first and m.role == 'assistant'")
    assert (
        strict.fit(messages).left == ((), "refused", "no assistant") or strict.fit(messages).left[0].kind == "refused"
    )
    with pytest.raises(RefusedError, match="no assistant"):
        strict.fit(messages, strict=True)
    fitted = strict.fit(messages, invent=True, strict=True)
    assert fitted.messages == [said("user", "(The conversation begins with an answer.)"), *messages]
    assert fitted.origins == (None, 0, 1)
    needs = own("m.role == 'user' and not loop.first and loop.previtem.tool_calls")
    asked = [said("user"), called("a", "b"), result("a"), said("user")]
    assert needs.fit(asked).changes == ()
    needs = own("m.role == 'user' and not loop.first and loop.previtem.tool_calls and not tools is none")
    asked = [said("user"), called("a", "b"), said("user")]
    fitted = needs.fit(asked, [TOOL], invent=True)
    assert fitted.messages == [*asked[:2], result("a", "(no result)"), result("b", "(no result)"), asked[2]]
    assert fitted.undo() == (asked, [TOOL])


def test_a_text_beside_a_call_is_split_only_if_asked_for():
    either = SPOKEN.replace("{{ m.content }}", "{% if not m.tool_calls %}{{ m.content }}{% endif %}")
    template, messages = own(spoken=either), [said("user"), called("a", content="I look."), result("a")]
    fitted = template.fit(messages)
    assert fitted.messages is messages
    assert fitted.left == (lect_fit.Left(("messages", 1, "content"), "text beside a call", "dropped"),)
    fitted = template.fit(messages, split_text=True, strict=True)
    assert fitted.messages == [said("user"), said("assistant", "I look."), called("a", content=""), result("a")]
    assert fitted.undo() == (messages, None)


def test_what_no_step_carries_is_left_with_its_place_in_the_request():
    image = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
    messages = [said("developer"), said("user", [image, {"type": "text", "text": "What?"}])]
    fitted = CHATML.fit(messages)
    assert fitted.changes
    assert fitted.left == (lect_fit.Left(("messages", 1, "content", 0), "image", "dropped"),)
    with pytest.raises(
        UnusedInputError, match=r"no place for messages\[1\]\.content\[0\] \(image\)\n  try: leave it out"
    ):
        CHATML.fit(messages, strict=True)


def test_definitions_are_inlined_where_a_format_takes_schemas_apart():
    apart = "{% for t in tools or [] %}{{ t.function.name }}{% for n, p in t.function.parameters.properties.items() %}{{ n }}:{{ p.type }}:{{ p.description }}{% endfor %}{% endfor %}"
    template = own(before=apart)
    point = {"type": "object", "description": "a point"}
    schema = {"properties": {"at": {"$ref": "#/$defs/P", "title": "At"}}, "$defs": {"P": point}}
    tools = [{"type": "function", "function": {"name": "go", "parameters": schema}}]
    assert [each.path for each in template.render([said("user")], tools=tools).unused] == [
        ("tools", 0, "function", "parameters", "$defs", "P")
    ]
    fitted = template.fit([said("user")], tools, strict=True)
    assert fitted.tools[0]["function"]["parameters"] == {"properties": {"at": {**point, "title": "At"}}}
    assert "object:a point" in fitted.prompt.text
    assert fitted.undo() == ([said("user")], tools)
    node = {"type": "array", "items": {"$ref": "#/$defs/N"}}
    tools[0]["function"]["parameters"] = {"properties": {"n": {"$ref": "#/$defs/N"}}, "$defs": {"N": node}}
    fitted = template.fit([said("user")], tools)
    assert fitted.tools[0]["function"]["parameters"]["properties"]["n"]["items"] == {"type": "object"}
    assert fitted.changes[0].why.endswith("; N contains itself, and is cut there to an object")


def test_pictures_of_results_follow_them_where_only_a_user_may_show_one():
    image = {"type": "image", "image": "https://example.org/a.png"}
    parts = "{% if m.content is string %}{{ m.content }}{% else %}{% for p in m.content %}{% if p.type == 'text' %}{{ p.text }}{% elif m.role == 'user' and p.type == 'image' %}<img>{% endif %}{% endfor %}{% endif %}"
    template = own(spoken=SPOKEN.replace("{{ m.content }}", parts))
    text = {"type": "text", "text": "seen"}
    messages = [said("user"), called("a", "b"), result("a", [text, image]), result("b", [image]), said("assistant")]
    fitted = template.fit(messages, strict=True)
    assert fitted.messages[2:] == [result("a", [text]), result("b", ""), said("user", [image, image]), messages[4]]
    assert fitted.undo() == (messages, None)


def test_a_malformed_request_is_left_to_render():
    messages = [said("user"), "what", {"content": "?"}]
    fitted = CHATML.fit(messages)
    assert fitted.messages is messages
    assert fitted.left[0].kind == "refused"
    with pytest.raises(lect.MessageError, match=r"messages\[1\]"):
        fitted.prompt  # noqa: B018 - it is computed when it is read


def test_a_fitted_request_pickles():
    fitted = SYSTEM_FIRST.fit([said("user"), said("system")])
    again = pickle.loads(pickle.dumps(fitted))
    assert (again.messages, again.changes, again.left) == (fitted.messages, fitted.changes, fitted.left)


def test_what_a_format_carries_is_asked_once_for_each_set_of_options():
    template = own()
    assert lect_fit.carried(template) is lect_fit.carried(template)
    assert lect_fit.carried(template)["several calls"] == ""
    assert lect_fit.carried(template)["developer"] == "the format does not know the role"


def test_effort_is_in_the_words_of_the_format():
    thinks = own(
        spoken=SPOKEN
        + "{% if add_generation_prompt %}<assistant>{% if enable_thinking is false %}<think></think>{% endif %}{% endif %}"
    )
    assert thinks.effort("off") == {"enable_thinking": False}
    assert thinks.effort("low") == thinks.effort("high") == {"enable_thinking": True}
    words = own(
        before="{% if effort_of_reasoning == 'low' %}little{% elif effort_of_reasoning == 'high' %}much{% endif %}"
    )
    assert words.effort("off") == words.effort("low") == words.effort("medium") == {"effort_of_reasoning": "low"}
    assert words.effort("high") == {"effort_of_reasoning": "high"}
    printed = own(before="{% if reasoning_effort %}Reasoning: {{ reasoning_effort }}{% endif %}")
    assert printed.effort("medium") == {"reasoning_effort": "medium"}
    assert CHATML.effort("high") == {}
    with pytest.raises(lect.MessageError, match="level is 'most'; expected one of 'off', 'low', 'medium', 'high'"):
        CHATML.effort("most")


def test_a_picture_whose_address_is_written_as_text_is_not_carried():
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    each = "{% for p in m.content %}{{ p | tojson if p.type == 'image_url' else p.text }}{% endfor %}"
    parts = "<{{ m.role }}>{% if m.content is string %}{{ m.content }}{% else %}EACH{% endif %}{% endfor %}"
    template = own(spoken=parts.replace("EACH", each))
    messages = [said("user", [image, {"type": "text", "text": "What?"}])]
    assert template.render(messages).unused == ()
    assert template.fit(messages).left == (lect_fit.Left(("messages", 0, "content", 0), "image", "dropped"),)
