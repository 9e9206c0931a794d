"""A marker that is cut in two is still found: in a prompt, where its halves meet; in a reply, wherever a chunk
ends."""

from itertools import combinations

import hostile
import pytest
from sampling import in_turn
from together import together

import lect

MARKERS = 1
"""How many markers of each template are cut in an ordinary run; under stress, all of them."""
HARMLESS = "z"


def in_parts(one, two):
    return [{"role": "user", "content": [{"type": "text", "text": one}, {"type": "text", "text": two}]}]


def in_turns(one, two):
    return [{"role": "user", "content": one}, {"role": "assistant", "content": two}]


def in_a_call(one, two):
    function = {"name": one, "arguments": {"a": two}}
    call = {"id": "call00001", "type": "function", "function": function}
    return [{"role": "user", "content": "q"}, {"role": "assistant", "content": None, "tool_calls": [call]}]


def rendered(template, messages):
    try:
        return template.render(messages)
    except lect.RefusedError:
        return None


@together("name", in_turn(hostile.installed(), 4))
def test_a_marker_whose_halves_meet_in_a_prompt_is_reported(name, scale):
    template = hostile.installed()[name]
    for marker in list(template.markers)[: None if scale > 1 else MARKERS]:
        text = marker.replace("{}", "7")
        # Also one half alone: the template may write the other.
        for at in range(1, len(text)):
            for make in (in_parts, in_turns, in_a_call):
                for halves in ((text[:at], text[at:]), (text[:at], ""), ("", text[at:])):
                    prompt = rendered(template, make(*halves))
                    harmless = rendered(template, make(*(HARMLESS * len(half) for half in halves)))
                    if prompt is None or harmless is None:
                        continue
                    arisen = prompt.text.count(text) - harmless.text.count(text)
                    found = [control for control in prompt.controls if text in control.marker]
                    assert len(found) >= arisen, (text, halves, make)


FORMATS = [name for name in lect.reply_formats() if lect._registry.formats.get(name).example]


@pytest.mark.parametrize("name", in_turn(FORMATS, 3))
def test_a_reply_reads_the_same_wherever_its_chunks_end(name, scale):
    example = lect._registry.formats.get(name).example
    whole = lect.parse(None, example, format=name)
    for cuts in combinations(range(1, len(example)), 1 if scale == 1 else 2):
        stream = lect.stream(None, format=name)
        for begin, end in zip((0, *cuts), (*cuts, len(example)), strict=True):
            stream.feed(example[begin:end])
        reply = stream.close()
        assert reply.to_openai() | {"tool_calls": None} == whole.to_openai() | {"tool_calls": None}, cuts
        assert [(call.name, call.arguments) for call in reply.tool_calls] == [
            (call.name, call.arguments) for call in whole.tool_calls
        ], cuts


@pytest.mark.parametrize("name", FORMATS)
def test_a_reply_that_breaks_off_anywhere_is_read(name, scale):
    example = lect._registry.formats.get(name).example
    for end in range(0, len(example), 1 if scale > 1 else 4):
        assert lect.parse(None, example[:end], format=name).raw == example[:end]
