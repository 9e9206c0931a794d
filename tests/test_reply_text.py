"""What a model is trained to write is what it writes on a server, and is read back as it was meant."""

import random

import hostile
import pytest
from sampling import some

import lect
from lect import LossPolicy
from lect.format.call_ids import respelled
from lect_kit.conversations import dated

TEMPLATES = {name: template for name, template in hostile.installed().items() if not name.startswith("lect:")}
every_template = pytest.mark.parametrize("name", sorted(TEMPLATES))
WORDS = ["So", "it", "is", "42", "naïve", "東京", "a\n\nb", "x = {1: [2]}", "don't", '"q"', "C:\\dir"]
CITIES = ["Paris", "Köln", "São Paulo", "東京", 'a "b" c']
PARAMETERS = {"city": {"type": "string"}, "days": {"type": "integer"}}
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": f"Ask for the {name}.",
            "parameters": {"type": "object", "properties": PARAMETERS, "required": ["city"]},
        },
    }
    for name in ("get_weather", "get_time")
]
KINDS = ["content", "reasoning", "call", "calls", "reasoning and call", "content and call", "everything"]
NOT_READ_BACK = {
    ("gptoss:gpt-oss", "content and call"): "content beside a call is written as analysis",
    ("gptoss:gpt-oss", "everything"): "content beside a call is written as analysis",
}
"""What a maker's format writes otherwise than it was meant."""
UNKNOWN = {
    "chatglm:glm-4.1v", "deepseek:deepseek-r1-0528", "deepseek:deepseek-r1-0528-qwen3", "granite:granite-3.3",
    "mimo:mimo-vl", "minimax:minimax-m1", "olmo:olmo-3-think", "olmo:olmo-3-think-7b", "olmo:olmo-3.1-think",
    "phi:phi-4-reasoning", "qwen:qwq", "solar:solar-open",
}  # fmt: skip
"""Formats in which no rendering shows how the model writes reasoning, and no evidence for it was found."""
WHITE_SPACE = {
    "falcon:falcon-instruct": "empty lines are removed",
    "minicpm:minicpm5": "the line end before a call belongs to the text",
    "minicpm:minicpm5-2b": "the line end before a call belongs to the text",
}
"""Formats that give a message back with other white space."""
RAW_BACKSLASHES = {"lfm2:lfm2.5-vl-450m": "a backslash in an argument is not escaped"}


def text(chance, least=1):
    return " ".join(chance.choices(WORDS, k=chance.randint(least, 6)))


def message(chance, kind, number):
    answer = {"role": "assistant", "content": text(chance) if kind in ("content", "reasoning") else ""}
    if "content and" in kind or kind == "everything":
        answer["content"] = text(chance)
    if "reasoning" in kind or kind == "everything":
        answer["reasoning_content"] = text(chance)
    if "call" in kind or kind == "everything":
        answer["tool_calls"] = [
            {
                "id": f"call{number + each:05}",
                "type": "function",
                "function": {
                    "name": chance.choice(["get_weather", "get_time"]),
                    "arguments": {"city": chance.choice(CITIES), "days": chance.randint(-3, 9)},
                },
            }
            for each in range(2 if kind == "calls" else 1)
        ]
    return answer


def conversation(chance, kinds):
    """Return a conversation whose answers are of these kinds, in order."""
    messages = [{"role": "system", "content": text(chance)}] * chance.randint(0, 1)
    number = 0
    for kind in kinds:
        if not messages or messages[-1]["role"] != "tool" or chance.random() < 0.3:
            if messages and messages[-1]["role"] == "tool":
                number += 1
                messages.append(message(chance, "content", number))
            messages.append({"role": "user", "content": text(chance)})
        answer = message(chance, kind, number)
        messages.append(answer)
        for call in answer.get("tool_calls", ()):
            messages.append(
                {"role": "tool", "tool_call_id": call["id"], "name": call["function"]["name"], "content": text(chance)}
            )
        number += 2
    return messages


def tools_for(messages):
    return TOOLS if any(message.get("tool_calls") for message in messages) else None


def meant(answer):
    calls = [call["function"] for call in answer.get("tool_calls") or ()]
    return (
        answer.get("content") or "",
        answer.get("reasoning_content"),
        [(call["name"], call["arguments"]) for call in calls],
    )


def heard(reply):
    calls = [(call.name, call.arguments) for call in reply.tool_calls]
    return reply.content, reply.reasoning, calls


def bare(meaning):
    return ["".join(str(part).split()) for part in meaning]


def options_of(template):
    """Return options with which a template may reason, and without them."""
    yield dated(template)
    for name in template.options:
        if name in ("thinking", "enable_thinking", "reasoning"):
            yield {**dated(template), name: True}


CASES = [(kind, seed) for kind in KINDS for seed in range(4)]


@every_template
def test_a_reply_is_read_back_as_it_was_meant(name):
    template = TEMPLATES[name]
    written, refusals = 0, set()
    for kind, seed in [("content", 0), ("reasoning", 0), *some(CASES, name)]:
        chance = random.Random(f"{kind}{seed}")
        history = conversation(chance, ["content"] * chance.randint(0, 2))
        messages = [*history, {"role": "user", "content": "Go on."}, message(chance, kind, 9)]
        tools = tools_for(messages)
        for options in options_of(template):
            try:
                served = template.render(messages[:-1], tools=tools, add_generation_prompt=True, **options)
                reply = template.reply_text(messages, tools=tools, **options)
            except lect.RefusedError:
                continue  # The maker's rule, wherever the message is.
            except lect.MessageError as error:
                refusals.add(str(error))
                continue
            written += 1
            parsed = template.parse(reply.text, prompt=served, tools=tools)
            if (name, kind) in NOT_READ_BACK:
                assert heard(parsed) != meant(messages[-1])
            elif name in WHITE_SPACE:
                assert bare(heard(parsed)) == bare(meant(messages[-1]))
            elif name not in RAW_BACKSLASHES:
                assert heard(parsed) == meant(messages[-1]), (reply.text, served.text[-80:])
            assert "".join(segment.text for segment in reply.segments) == reply.text
    assert all("cannot write" in refusal for refusal in refusals)
    assert any("is not known" in refusal for refusal in refusals) == (name in UNKNOWN)
    assert written or name in UNKNOWN


@every_template
def test_every_trained_turn_follows_the_served_prompt_and_holds_what_was_given(name):
    template = TEMPLATES[name]
    for seed in some(range(12), name):
        chance = random.Random(seed)
        messages = conversation(chance, chance.choices(KINDS, k=chance.randint(1, 4)))
        messages = respelled(messages, template.reply)
        answers = [index for index, each in enumerate(messages) if each["role"] == "assistant"]
        for options in options_of(template):
            try:
                prompts = template.unroll(messages, tools=tools_for(messages), **options)
            except lect.MessageError:
                continue  # The format refuses the conversation.
            reported = {each.message for prompt in prompts for each in prompt.deviations}
            seen = []
            for prompt in prompts:
                for turn in prompt.turns:
                    if turn.message not in prompt.trains or turn.message not in answers:
                        continue
                    seen.append(turn.message)
                    before = messages[: turn.message]
                    tools = tools_for(messages)
                    served = template.text(before, tools=tools, add_generation_prompt=True, **options)
                    assert prompt.text[: turn.start] == served
                    own = {
                        segment.path[2] for segment in prompt.segments if segment.path[:2] == ("messages", turn.message)
                    }
                    given = messages[turn.message]
                    assert {
                        field for field in ("content", "reasoning_content", "tool_calls") if given.get(field)
                    } <= own
                    assert turn.stop < turn.end or turn.message in reported
            assert set(answers) - set(seen) <= reported
            assert len(seen) == len(set(seen))


@every_template
def test_no_span_cuts_a_marker(name):
    template = TEMPLATES[name]
    if template.text_separators:
        pytest.skip("its markers are words, with the white space after them")
    marks = template.marker_pattern
    for seed in some(range(8), name):
        chance = random.Random(seed)
        messages = conversation(chance, chance.choices(KINDS, k=3))
        for how in ("never", "auto"):
            try:
                prompts = template.unroll(messages, how, tools=tools_for(messages), **dated(template))
            except lect.MessageError:
                continue
            for prompt in prompts:
                inside = {
                    at for found in marks.finditer(prompt.text) for at in range(found.start() + 1, found.end())
                } if marks else set()  # fmt: skip
                for span in prompt.loss_spans(LossPolicy()):
                    assert not {span.start, span.end} & inside, prompt.text[span.start - 20 : span.end + 20]
