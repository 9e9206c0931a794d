"""What a model is trained to write is what it writes on a server, and is read back as it was meant."""

import json
import random

import hostile
import pytest
from reasoning_facts import UNKNOWN
from sampling import STRESS, some
from shared import SHARED
from together import together

import lect
from lect import LossPolicy
from lect.format.call_ids import respelled
from lect_kit.conversations import dated

TEMPLATES = {name: template for name, template in hostile.installed().items() if not name.startswith("lect:")}
every_template = together("name", sorted(TEMPLATES))
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
}
"""What a maker's format writes otherwise than it was meant."""
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
    reasons = "reasoning" in template.capabilities
    assert any("is not known" in refusal for refusal in refusals) == (reasons and name in UNKNOWN)
    assert written or name in UNKNOWN


def checked_turns(template, messages, options):
    """Return the trained turns of a conversation, with their prompts, if each follows the served prompt and holds what
    was given, and all that is not trained, or has no stop, is reported."""
    tools = tools_for(messages)
    answers = [index for index, each in enumerate(messages) if each["role"] == "assistant"]
    try:
        prompts = template.unroll(messages, tools=tools, **options)
    except lect.MessageError:
        return []  # The format refuses the conversation.
    reported = {each.message for prompt in prompts for each in prompt.deviations}
    found = [
        (turn, prompt)
        for prompt in prompts
        for turn in prompt.turns
        if turn.message in prompt.trains and turn.message in answers
    ]
    for turn, prompt in found:
        served = template.text(messages[: turn.message], tools=tools, add_generation_prompt=True, **options)
        assert prompt.text[: turn.start] == served
        own = {segment.path[2] for segment in prompt.segments if segment.path[:2] == ("messages", turn.message)}
        given = messages[turn.message]
        assert {field for field in ("content", "reasoning_content", "tool_calls") if given.get(field)} <= own
        assert turn.stop < turn.end or turn.message in reported
    seen = [turn.message for turn, _ in found]
    assert set(answers) - set(seen) <= reported
    assert len(seen) == len(set(seen))
    return found


def check_spans(template, prompt):
    """Check that no span begins or ends inside a marker."""
    marks = template.markers.pattern
    found = marks.finditer(prompt.text) if marks else ()
    inside = {at for mark in found for at in range(mark.start() + 1, mark.end())}
    for span in prompt.loss_spans(LossPolicy()):
        assert not {span.start, span.end} & inside, prompt.text[span.start - 20 : span.end + 20]


@every_template
def test_every_trained_turn_follows_the_served_prompt_and_holds_what_was_given(name):
    template = TEMPLATES[name]
    for seed in some(range(12), name):
        chance = random.Random(seed)
        messages = conversation(chance, chance.choices(KINDS, k=chance.randint(1, 4)))
        messages = respelled(messages, template.reply)
        for options in options_of(template):
            checked_turns(template, messages, options)


@every_template
def test_no_span_cuts_a_marker(name):
    template = TEMPLATES[name]
    if template.text_separators:
        pytest.skip("its markers are words, with the white space after them")
    for seed in some(range(8), name):
        chance = random.Random(seed)
        messages = conversation(chance, chance.choices(KINDS, k=3))
        for how in ("never", "auto"):
            try:
                prompts = template.unroll(messages, how, tools=tools_for(messages), **dated(template))
            except lect.MessageError:
                continue
            for prompt in prompts:
                check_spans(template, prompt)


# Makers' own Jinja templates

ORACLES = SHARED / "oracles"
INDEX = (
    {row["slug"]: row for row in json.loads((ORACLES / "index.json").read_text("utf-8"))} if ORACLES.exists() else {}
)
SLUGS = sorted(INDEX) if STRESS else random.Random("own").sample(sorted(INDEX), min(len(INDEX), 24))
SEEDS = range(12 if STRESS else 2)
NO_PROMPT = "it has no generation prompt here, so the model writes the header too"
NOT_JSON = "no format reads the calls that it writes: values or names are without quotes, or with those of Python"
UNREAD = {
    "MiniMaxAI--MiniMax-M1-80k": "no installed format reads its calls",
    "NLPark--AnFeng_v3_Avocet": NO_PROMPT,
    "NousResearch--Hermes-2-Pro-Llama-3-8B--tool_use": "it opens only the first of two calls",
    "Qwen--Qwen1.5-0.5B-Chat": NOT_JSON,
    "Team-ACE--ToolACE-8B--tool_use": NOT_JSON,
    "google--diffusiongemma-26B-A4B-it": NO_PROMPT,
    "google--gemma-3-4b-it--tool_use": NOT_JSON,
    "llama.cpp--rwkv-world": "two line ends stop the model, and are in the content",
    "meetkai--functionary-medium-v2.2": "no installed format reads its headers",
    "meta-llama--Llama-3.2-3B-Instruct--tool_use--a4958a09": NOT_JSON,
    "meta-llama--Llama-4-Scout-17B-16E-Instruct--tool_use": "no format reads a call right after content",
    "meta-llama--Llama-4-Scout-17B-16E-Instruct--tool_use--2def37d4": NOT_JSON,
    "meta-llama--Llama-4-Scout-17B-16E-Instruct--tool_use--3fe95079": NOT_JSON,
    "microsoft--Phi-4-mini-instruct--tool_use": NOT_JSON,
    "mobiuslabsgmbh--aanaphi2-v0.1": NO_PROMPT,
    "moonshotai--Kimi-K3": "without a model's other files, the mark that closes any part is taken for its stop",
    "nvidia--Llama3-ChatQA-1.5-8B": NO_PROMPT,
    "open-instruct--simple_chat--open-instruct-simple_chat": NO_PROMPT,
    "openai--gpt-oss-20b": "content beside a call is written as analysis",
    "openai--gpt-oss-20b--f8d92557": "content beside a call is written as analysis",
    "tencent--Hunyuan-A13B-Instruct--tool_use": NO_PROMPT,
    "tencent--Hy3": "its eos_token is not the one that it writes",
    "vinai--PhoGPT-4B-Chat": NO_PROMPT,
}
"""Templates some of whose trained turns `parse` reads otherwise than they were meant, and why."""
OTHER_SPACE = {
    "deepseek-ai--DeepSeek-R1--tool_use", "deepseek-ai--DeepSeek-V3.1--tool_use",
    "deepseek-ai--DeepSeek-V3.1--tool_use--07b65954", "deepseek-ai--DeepSeek-V3.2--b22a3f6d",
    "deepseek-ai--DeepSeek-V3.2--tool_use", "deepseek-ai--deepseek-llm-7b-chat", "deepseek-ai--deepseek-math-7b-rl",
    "google--functiongemma-270m-it--tool_use", "instructlab--merlinite-7b-lab", "jondurbin--bagel-34b-v0.2",
    "mistralai--Mistral-7B-Instruct-v0.3", "mistralai--Mistral-7B-Instruct-v0.3--225aaeb2",
    "mistralai--Mistral-7B-Instruct-v0.3--a2a37622", "mistralai--Mistral-7B-Instruct-v0.3--da883c18",
    "mistralai--Mistral-7B-Instruct-v0.3--tool_use", "mistralai--Mistral-7B-Instruct-v0.3--tool_use--0b4dd7ac",
    "mistralai--Mistral-Large-Instruct-2411--mistral-common-v7-spm", "openbmb--MiniCPM5-1B", "openbmb--MiniCPM5-2B",
    "poolside--Laguna-XS-2.1", "poolside--Laguna-XS.2", "unsloth--Apriel-1.5-15b-Thinker",
}  # fmt: skip
"""Those that write white space at the ends of a content, which then belongs to it."""


# A few templates have `'\\s'` in them, or write calls that no format reads.
@pytest.mark.filterwarnings("ignore:invalid escape sequence", "ignore::lect.errors.ReplyFormatWarning")
@pytest.mark.parametrize("slug", SLUGS or [None])
def test_a_makers_own_template_is_trained_as_it_is_served(slug):
    if slug is None:
        pytest.skip("the makers' templates are not available: ../shared is missing")
    source = (ORACLES / "jinja" / f"{slug}.jinja").read_text("utf-8")
    tokens = {name: text for name, text in (INDEX[slug]["special_tokens"] or {}).items() if isinstance(text, str)}
    template = lect.load_template({"chat_template": source, **tokens})
    same = same_but_space = True
    for seed in SEEDS:
        chance = random.Random(f"{slug}{seed}")
        messages = conversation(chance, chance.choices(KINDS, k=chance.randint(1, 4)))
        messages = respelled(messages, template.reply)
        for options in options_of(template):
            for turn, prompt in checked_turns(template, messages, options):
                check_spans(template, prompt)
                reply = template.parse(
                    prompt.text[turn.start : turn.end], prompt=prompt.text[: turn.start], tools=tools_for(messages)
                )
                wanted = meant(messages[turn.message])
                same &= heard(reply) == wanted
                same_but_space &= bare(heard(reply)) == bare(wanted)
    assert same_but_space or slug in UNREAD
    assert same or slug in UNREAD or slug in OTHER_SPACE
    if STRESS:
        assert not same or slug not in {*UNREAD, *OTHER_SPACE}
