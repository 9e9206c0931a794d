"""Replies: the functions that users call, and the values that they get."""

import json
import pickle
import tracemalloc

import pytest
import replies

import lect
from lect import MessageError, PluginError, Reply
from lect.errors import PluginWarning
from lect.plugin import Family, Rule, Template, ToolCall, Turn, TurnTemplate, hookimpl
from lect.plugin.grammar import (
    JSON_IN_TAGS,
    JSON_OBJECT,
    THINK,
    CallSyntax,
    Channels,
    Grammar,
    NamedJson,
    Reasoning,
    ReplyFormat,
    Section,
)

CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>'
# Grammars for this file: core knows no family.
TAGGED = ReplyFormat(Grammar("tagged", reasoning=THINK, sections=(JSON_IN_TAGS,)), stop=("<|im_end|>", "<|endoftext|>"))
BARE = Grammar("bare", sections=(Section((JSON_OBJECT,), between=";", start=True),))
CHANNELLED = ReplyFormat(
    Grammar(
        "channelled",
        channels=Channels(
            start=("<|start|>",),
            bodies=(("<|message|>", ""),),
            end=("<|end|>",),
            channel=r"<\|channel\|>\s*([^\s<]+)",
            opening=("<|channel|>",),
            reasoning=("analysis",),
            content=("final",),
            call=CallSyntax(NamedJson()),
        ),
    )
)
THINKS = TurnTemplate(
    "thinks",
    user=Turn("<u>", "</u>"),
    assistant=Turn("<a>", "</a>"),
    stop=["</a>"],
    markers=["<u>", "</u>", "<a>", "</a>"],
    generation="<a><think>\n",
    reply=TAGGED.grammar,
)
SPACED = TurnTemplate("spaced", user=Turn("U:", "\n"), assistant=Turn("A: ", " </s>"), generation="A:", stop=["</s>"])


def parse(text, **arguments):
    return lect.parse(None, text, **{"format": TAGGED} | arguments)


def test_a_reply_is_taken_apart():
    reply = parse(f"<think>\nLook it up.\n</think>\n\nOne moment.\n{CALL}<|im_end|>")
    assert (reply.reasoning, reply.content, reply.stop, reply.finish, reply.problems) == (
        "Look it up.",
        "One moment.",
        "<|im_end|>",
        "tool_calls",
        (),
    )
    (call,) = reply.tool_calls
    assert (call.name, call.arguments, call.arguments_text, call.id, call.index) == (
        "get_weather",
        {"city": "Paris"},
        '{"city": "Paris"}',
        reply.to_openai()["tool_calls"][0]["id"],
        0,
    )
    assert reply.raw[slice(*call.span)] == '{"name": "get_weather", "arguments": {"city": "Paris"}}'
    assert [piece.kind for piece in reply.pieces] == ["mark", "reasoning", "mark", "content", "mark", "call", "mark"]


def test_parsing_is_streaming_in_one_chunk():
    stream = lect.stream(None, format=TAGGED)
    events = stream.feed(f"Hi {CALL}") + stream.finish()
    assert [event.kind for event in events] == ["content", "call_start", "call_args", "call_end"]
    assert stream.close() == parse(f"Hi {CALL}")


def test_the_formats_of_core_are_listed_and_an_unknown_name_is_refused_with_near_ones(registry):
    assert lect.reply_formats() == ["hermes_json", "plain", "think"]
    with pytest.raises(
        MessageError,
        match=r"no installed package has a reply format 'plan'; did you mean 'plain'\?\n  try: lect\.reply_formats\(\)",
    ):
        parse("x", format="plan")


def test_a_format_ends_at_its_own_stops_only_where_there_is_no_template(registry):
    lect.register(Family("acme", Rule("acme", THINKS)))
    text = "</think>In ChatML a turn ends with <|im_end|>.</a>"
    assert lect.parse("acme", text, format=TAGGED).content == "In ChatML a turn ends with <|im_end|>."
    assert lect.parse(None, text.partition(">")[2], format=TAGGED).content == "In ChatML a turn ends with "


def test_further_stops_can_be_named(registry):
    lect.register(Family("acme", Rule("acme", SPACED)))
    reply = lect.parse("acme", "Hi.User: x", stop=["User:"])
    assert (reply.content, reply.stop) == ("Hi.", "User:")
    assert lect.parse(None, "Hi User: x", format="plain", stop=["User:"]).stop == "User:"
    for stop in ("User:", [""], 3):
        with pytest.raises(MessageError, match="stop is"):
            lect.parse("acme", "Hi", stop=stop)


def test_the_stops_of_a_request_cannot_use_up_memory(registry):
    longest = "x" * 4_000
    tracemalloc.start()
    reply = lect.parse(None, f"Hi {longest} there", format="plain", stop=[longest])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (reply.content, reply.stop) == ("Hi ", longest)
    # All beginnings of a stop together would be 8,000,000 characters.
    assert peak < 4_000_000
    with pytest.raises(MessageError, match="stop has 100000 characters in total; at most 4096 are allowed"):
        lect.parse(None, "Hi", format="plain", stop=["x" * 50_000] * 2)


def test_a_reply_is_read_by_the_adapter_that_was_named_or_by_default(registry):
    lect.register(Family("acme", Rule("acme", THINKS)))
    assert lect.parse("unheard-of", "Hm.</think>Yes.", adapter="acme").reasoning == "Hm."
    lect.register_conv_template(THINKS)
    assert lect.parse("unheard-of", "Hm.</think>Yes.", default="thinks").reasoning == "Hm."
    assert lect.parse("acme", "Hm.</think>Yes.", default="chatml").reasoning == "Hm."
    with pytest.raises(lect.UnknownModelError):
        lect.parse("unheard-of", "Hm.")


def test_without_a_model_a_format_must_be_named():
    with pytest.raises(MessageError, match="neither a model nor a format"):
        lect.parse(None, "x")


@pytest.mark.parametrize(
    "arguments",
    [
        {"output": b"x"},
        {"tools": "f"},
        {"tools": [{"type": "function"}]},
        {"tools": [3]},
        {"extract": "tools"},
        {"extract": ["tool"]},
        {"extract": None},
        {"extract": [[]]},
        {"prompt": 3},
        {"finish": 3},
    ],
)
def test_arguments_of_a_wrong_type_are_refused(arguments):
    with pytest.raises(MessageError):
        parse(arguments.pop("output", "x"), **arguments)


def test_a_closed_stream_takes_no_more_text_and_gives_the_same_reply_again():
    stream = lect.stream(None, format="plain")
    stream.feed("Hi")
    reply = stream.close()
    with pytest.raises(MessageError, match="closed"):
        stream.feed("x")
    assert stream.finish() == []
    assert stream.close() is reply


def test_an_empty_reply_is_valid():
    assert parse("") == Reply("")
    stream = lect.stream(None, format="plain")
    assert stream.feed("") == []


def test_what_is_not_extracted_stays_in_the_content_as_it_was_written():
    text = f"<think>\nWell.\n</think>\n\nOh.\n{CALL}"
    assert parse(text, extract=()).content == text
    only_tools = parse(text, extract=["tools"])
    assert (only_tools.content, only_tools.reasoning, len(only_tools.tool_calls)) == (
        "<think>\nWell.\n</think>\n\nOh.",
        None,
        1,
    )
    only_reasoning = parse(text, extract=["reasoning"])
    assert (only_reasoning.content, only_reasoning.reasoning, only_reasoning.tool_calls) == (
        f"Oh.\n{CALL}",
        "Well.",
        (),
    )


def test_a_draft_of_a_call_in_reasoning_is_not_a_call_even_if_reasoning_is_not_extracted():
    assert parse(f"<think>{CALL}</think>No.", extract=["tools"]).tool_calls == ()


# Why it ended


@pytest.mark.parametrize(
    ("text", "given", "finish"),
    [
        ("Hi", None, None),
        ("Hi<|im_end|>", None, "stop"),
        ("Hi", "stop", "stop"),
        ("Hi", "length", "length"),
        (CALL, None, "tool_calls"),
        (CALL, "stop", "tool_calls"),
        (CALL, "length", "length"),
        (CALL[:50], None, "length"),
        ("<think>Hm", None, "length"),
        (CALL + CALL[:50], None, "length"),
    ],
)
def test_why_a_reply_ended(text, given, finish):
    assert parse(text, finish=given).finish == finish


def test_a_reply_is_cut_at_the_first_end_and_what_follows_is_not_lost():
    reply = parse("Hi<|im_end|>\n<|im_start|>user\nBye<|im_end|>")
    assert (reply.content, reply.stop, reply.raw[reply.pieces[-1].start :]) == (
        "Hi",
        "<|im_end|>",
        "\n<|im_start|>user\nBye<|im_end|>",
    )
    assert reply.pieces[-1].kind == "after"


# Calls that go wrong


def test_a_call_that_breaks_off_is_listed_apart_and_its_arguments_so_far_are_the_beginning_of_json():
    reply = parse('Hi <tool_call>{"name": "f", "arguments": {"x": "lo')
    assert (reply.content, reply.tool_calls, [problem.code for problem in reply.problems]) == (
        "Hi ",
        (),
        ["incomplete_call"],
    )
    (call,) = reply.incomplete
    assert (call.name, call.arguments, call.arguments_text, call.complete) == ("f", '{"x": "lo', '{"x": "lo', False)


def test_a_broken_call_is_incomplete_with_its_raw_arguments_and_the_next_one_is_read():
    reply = parse('<tool_call>{"name": "f", "arguments": {bad}}</tool_call>' + CALL)
    assert (reply.content, [call.name for call in reply.tool_calls]) == ("", ["get_weather"])
    (broken,) = reply.incomplete
    assert (broken.name, broken.arguments, broken.arguments_text) == ("f", "{bad}}", "{")
    (problem,) = reply.problems
    assert (problem.code, reply.raw[slice(*problem.span)]) == (
        "unbalanced_json",
        '{"name": "f", "arguments": {bad}}',
    )


def test_an_openai_message_lists_incomplete_calls_unless_told_not_to():
    reply = parse('<tool_call>{"name": "f", "arguments": {"x": 1 2}}</tool_call>' + CALL, call_id="call_{}".format)
    listed = [call["function"] for call in reply.to_openai()["tool_calls"]]
    assert listed == [
        {"name": "f", "arguments": '{"x": 1 '},
        {"name": "get_weather", "arguments": '{"city": "Paris"}'},
    ]
    assert [call["id"] for call in reply.to_openai(incomplete=False)["tool_calls"]] == ["call_1"]
    assert [call["id"] for call in reply.to_message()["tool_calls"]] == ["call_1"]
    nameless = parse('<tool_call>{"arguments": {}}</tool_call>')
    assert nameless.to_openai() == {"role": "assistant", "content": ""}
    assert [piece.kind for piece in nameless.pieces] == ["mark", "call", "mark"]


def test_ids_can_be_made_by_the_caller():
    reply = parse(CALL + CALL, call_id=lambda index: f"turn7-{index}")
    assert [call.id for call in reply.tool_calls] == ["turn7-0", "turn7-1"]


def test_ids_that_are_made_up_are_those_of_one_reply_alone_and_do_not_tell_replies_apart():
    one, other = parse(CALL + CALL), parse(CALL + CALL)
    ids = [call.id for reply in (one, other) for call in reply.tool_calls]
    assert len(set(ids)) == 4
    assert one == other
    assert {one.tool_calls[0].id, one.tool_calls[0].id} != {one.tool_calls[0].id, other.tool_calls[0].id}
    given = parse(CALL + CALL, call_id="call_{}".format)
    assert given != one
    assert given == parse(CALL + CALL, call_id="call_{}".format) != parse(CALL + CALL, call_id="turn{}".format)
    assert pickle.loads(pickle.dumps(one)) == one
    assert [call["id"] for call in one.to_openai()["tool_calls"]] == ids[:2]


def test_a_call_of_an_unknown_tool_is_kept_and_reported():
    reply = parse(CALL, tools=[{"name": "other"}])
    assert ([call.name for call in reply.tool_calls], [problem.code for problem in reply.problems]) == (
        ["get_weather"],
        ["unknown_tool"],
    )
    assert parse(CALL, tools=[]).problems == ()


@pytest.mark.parametrize("text", ['[{"name": "f", "arguments": {}}]', '{"name": "f", "arguments": {"x": 1}}'])
def test_a_call_without_its_marks_is_suspected(text):
    assert [problem.code for problem in parse(text).problems] == ["markers_missing"]
    assert parse(text, format="plain").problems == ()


# Where it begins


@pytest.mark.parametrize(
    ("prompt", "reasoning"),
    [
        ("<|im_start|>assistant\n<think>\n", "Hm."),
        ("<|im_start|>assistant\n<think>", "Hm."),
        ("<|im_start|>assistant\n<think>\n\n</think>\n\n", None),
        ("<|im_start|>assistant\n", None),
        ("<|im_start|>user\nWhat is <think>?<|im_end|>\n<|im_start|>assistant\n", None),
        ("<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n<think>\nSo far, ", "Hm."),
        ("", None),
    ],
)
def test_the_prompt_tells_whether_a_reply_begins_inside_reasoning(prompt, reasoning):
    reply = parse("Hm.\n</think>\n\nYes.", prompt=prompt)
    assert reply.reasoning == reasoning
    assert reply.content == ("Yes." if reasoning else "Hm.\n</think>\n\nYes.")


def test_starts_in_reasoning_overrides_the_prompt():
    assert parse("Hm.</think>Yes.", prompt="", starts_in_reasoning=True).reasoning == "Hm."
    assert parse("Hm.</think>Yes.", prompt="<think>", starts_in_reasoning=False).reasoning is None


def test_a_reply_may_open_reasoning_once_more():
    assert parse("<think>\nHm.</think>Yes.", starts_in_reasoning=True).reasoning == "Hm."


def test_a_channel_that_the_prompt_has_opened_goes_on():
    prompt = "<|start|>user<|message|>Hi<|end|><|start|>assistant<|channel|>analysis<|message|>"
    reply = parse("Hm.<|end|><|start|>assistant<|channel|>final<|message|>Yes.", format=CHANNELLED, prompt=prompt)
    assert (reply.reasoning, reply.content) == ("Hm.", "Yes.")


# By the model


def test_the_reply_of_a_model_is_read_by_the_grammar_of_its_template(registry):
    lect.register(Family("acme", Rule("acme", THINKS)))
    prompt = lect.render("acme", [{"role": "user", "content": "Hi"}], add_generation_prompt=True)
    reply = lect.parse("acme", f"Hm.\n</think>\n\nYes.{CALL}</a><u>", prompt=prompt)
    assert (reply.reasoning, reply.content, reply.stop, len(reply.tool_calls)) == ("Hm.", "Yes.", "</a>", 1)


def test_without_the_prompt_a_reply_begins_where_the_generation_prompt_ends(registry):
    lect.register(Family("acme", Rule("acme", THINKS)))
    assert lect.parse("acme", "Hm.</think>Yes.").reasoning == "Hm."


def test_a_format_can_be_named_for_a_model_that_writes_another_one(registry):
    lect.register(Family("acme", Rule("acme", THINKS)))
    reply = lect.parse("acme", '{"name": "f", "parameters": {}}</a>', format=BARE)
    assert ([call.name for call in reply.tool_calls], reply.stop) == (["f"], "</a>")


@pytest.mark.parametrize("given", ["think", TAGGED, BARE])
def test_another_format_for_a_model_makes_no_other_template_and_renders_nothing_again(registry, monkeypatch, given):
    ran, made = [], []
    program = Template("own", lambda chat, out: ran.append(chat), reply=BARE, stop=["</a>"])
    lect.register(Family("acme", Rule("acme", program)))
    lect.parse("acme", "Hi")
    before = len(ran)
    monkeypatch.setattr(Template, "__init__", lambda self, *args, **kwargs: made.append(self))
    for _ in range(3):
        assert lect.parse("acme", "Hi</a>", format=given).stop == "</a>"
        assert lect.stream("acme", format=given).grammar is registry.formats.get(given).grammar
    assert (len(ran), made) == (before, [])


def test_a_grammar_can_be_given_to_a_template_itself():
    assert THINKS.parse('{"name": "f", "parameters": {}}</a>', grammar=BARE).tool_calls[0].name == "f"
    with pytest.raises(PluginError, match=r"expected a Grammar\n  try: grammar=SOME_FORMAT.grammar"):
        THINKS.stream(grammar=TAGGED)


def test_white_space_that_a_template_writes_around_every_answer_is_not_content(registry):
    lect.register(Family("acme", Rule("acme", SPACED)))
    assert lect.parse("acme", " Hi  there. </s>").content == "Hi  there."
    assert lect.parse("acme", "  Hi  </s>").content == " Hi "
    assert lect.parse("acme", " Hi ").content == "Hi"


def test_a_grammar_can_be_a_plugins_own(registry):
    own = Grammar("acme", sections=(Section((JSON_OBJECT,), ("<<",), (">>",)),))
    lect.register(Family("acme", Rule("acme", Template("own", lambda chat, out: None, stop=["</a>"], reply=own))))
    assert [call.name for call in lect.parse("acme", '<<{"name": "f", "arguments": {}}>></a>').tool_calls] == ["f"]


class Refining(Family):
    @hookimpl
    def postprocess(self, reply):
        return reply._replace(content=reply.content.upper())


class Failing(Family):
    @hookimpl
    def postprocess(self, text, reply):
        raise RuntimeError(text)


def test_a_plugin_may_refine_a_reply_whole_or_streamed(registry):
    lect.register(Refining("acme", Rule("acme", THINKS)))
    assert lect.parse("acme", f"</think>yes{CALL}").content == "YES"
    stream = lect.stream("acme")
    stream.feed("</think>yes")
    assert stream.close().content == "YES"


def test_a_plugin_that_fails_does_not_lose_the_reply(registry):
    lect.register(Failing("acme", Rule("acme", THINKS)))
    with pytest.warns(PluginWarning, match="acme .* failed in postprocess: RuntimeError"):
        assert lect.parse("acme", "</think>yes").content == "yes"


class Mistaken(Family):
    @hookimpl
    def postprocess(self, reply):
        return [reply.content]


class Brief(Family):
    @hookimpl
    def postprocess(self, text):
        return text.upper()


class Silent(Family):
    @hookimpl
    def postprocess(self, reply):
        return None


def test_a_plugin_that_returns_something_else_is_warned_about_and_none_keeps_the_reply(registry):
    lect.register(Mistaken("acme", Rule("acme", THINKS)))
    with pytest.warns(
        PluginWarning, match=r"acme .* postprocess: PluginError: postprocess\(\) returned \['yes'\]; expected a Reply"
    ):
        assert lect.parse("acme", "</think>yes").content == "yes"
    lect.register(Silent("other", Rule("other", THINKS)))
    assert lect.parse("other", "</think>yes").content == "yes"


def test_a_plugin_may_give_the_new_content_as_text(registry):
    lect.register(Brief("acme", Rule("acme", SPACED)))
    reply = lect.parse("acme", " yes </s>")
    assert (reply.content, reply.stop) == (" YES </S>", "</s>")


@pytest.mark.parametrize("error", [MessageError("no"), KeyError("no")])
def test_a_template_that_refuses_to_write_does_not_prevent_reading_a_reply(registry, error):
    def refuse(chat, out):
        raise error

    opened = Grammar("opened", reasoning=Reasoning(("[THINK]",), ("[ANSWER]",), starts=True))
    lect.register(Family("acme", Rule("acme", Template("acme", refuse, reply=opened))))
    assert lect.parse("acme", "Hm.[ANSWER]Yes.").reasoning == "Hm."


def test_a_resolution_reads_replies_in_another_format_too(registry):
    lect.register(Family("acme", Rule("acme", THINKS)))
    assert lect.resolve("acme").parse("<think>x</think>", format="plain").content == "<think>x</think>"


def test_a_stop_that_begins_with_white_space_is_met_where_white_space_is_held_back():
    for text in ("Sure.\nUser: hi", "Sure.\n\n\nUser: hi"):
        reply, _ = replies.read(text, [1], format=TAGGED, stop=("\nUser:",))
        assert (reply.content, reply.stop) == (text.removesuffix("\nUser: hi"), "\nUser:")
    reply, _ = replies.read("User: hi", format=TAGGED, stop=("\nUser:",))
    assert (reply.content, reply.stop) == ("User: hi", None)


# Conversions


def test_a_reply_becomes_an_openai_message_that_renders_again():
    message = parse(f"<think>Hm.</think>{CALL}", call_id="call_{}".format).to_openai()
    assert message == {
        "role": "assistant",
        "content": None,
        "reasoning_content": "Hm.",
        "tool_calls": [
            {"id": "call_0", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Paris"}'}}
        ],
    }
    assert parse("").to_openai() == {"role": "assistant", "content": ""}


def test_a_reply_becomes_a_message_for_a_template_with_arguments_as_values():
    reply = parse(f"<think>Hm.</think>{CALL}")
    (call,) = reply.to_message()["tool_calls"]
    assert call["function"]["arguments"] == reply.tool_calls[0].arguments
    assert reply.to_message() | {"tool_calls": None} == reply.to_openai() | {"tool_calls": None}
    assert parse("").to_message() == {"role": "assistant", "content": ""}


def test_a_call_made_by_hand_has_its_arguments_as_text_in_an_openai_message():
    assert ToolCall("f", {"x": "é"}).to_openai()["function"] == {"name": "f", "arguments": '{"x": "é"}'}


def test_events_become_openai_deltas_that_add_up_to_the_message():
    stream = lect.stream(None, format=TAGGED, call_id="call_{}".format)
    text = f"<think>Hm.</think>Oh.\n{CALL}\n{CALL}<|im_end|>"
    events = [event for character in text for event in stream.feed(character)] + stream.finish()
    content = reasoning = ""
    calls = {}
    for delta in filter(None, (event.to_openai() for event in events)):
        content += delta.get("content", "")
        reasoning += delta.get("reasoning_content", "")
        for piece in delta.get("tool_calls", ()):
            call = calls.setdefault(
                piece["index"], {"id": piece.get("id"), "name": piece["function"].get("name"), "arguments": ""}
            )
            call["arguments"] += piece["function"]["arguments"]
    assert (content, reasoning) == ("Oh.", "Hm.")
    assert calls == {
        index: {"id": f"call_{index}", "name": "get_weather", "arguments": '{"city": "Paris"}'} for index in (0, 1)
    }
    assert json.loads(calls[0]["arguments"]) == stream.close().tool_calls[0].arguments
