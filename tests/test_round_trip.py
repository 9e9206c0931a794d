"""A family understands what it writes: an answer that its template can write is parsed as it was meant (P8)."""

import importlib

import make_metadata
import pytest
from answers import MESSAGES, NOT_AS_THE_MODEL, call, says
from goldens import battery
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from revisions import default
from sampling import few, in_turn, some
from together import together

import lect
from lect.format.call_ids import respelled
from lect.registry.adapter import Adapter
from lect.reply.grammar import Json, JsonMap, NamedJson
from lect_kit import roundtrip
from lect_kit.conversations import TOOLS

# FastChat's and XTuner's templates are kept as they are, with or without stop strings.
COPIES = {"fastchat", "xtuner"}
NAMES = [
    name for name in make_metadata.PLUGINS if name not in COPIES and "lect.templates" in make_metadata.points_of(name)
]
QUESTION = {"role": "user", "content": "Hi"}
# Where something is not written back: white space that is taken for the template's own, an id that comes too late.
NOT_TO_THE_BYTE = {
    "glm-5.1": "older models with the same format end their reasoning with a line end",
    "gemma-4": "its reasoning ends with a line end of the template's, which cannot be told from its own",
    **dict.fromkeys(
        ("minimax-m2", "minimax-m2.1", "minimax-m2.5", "minimax-m2.7"), "as gemma-4; so does the text before a call"
    ),
    "gemma-4-31b": "as gemma-4",
    "minicpm3": "a line end with which the text after its calls begins cannot be told from the template's",
    **dict.fromkeys(
        (
            "glm-5.2",
            "glm-5.3",
            "glm-5.3-flash",
            "hy3",
            "laguna-s-2.1",
            "lfm2.5",
            "lfm2.5-vl",
            "lfm2.5-vl-450m",
            "lfm2.5-8b-a1b",
            "lfm2.5-230m",
            "minicpm5",
            "minicpm5-2b",
            "nanbeige-4.2",
            "nemotron-3",
            "nemotron-3.5",
            "nemotron-3-omni",
            "nemotron-3-super",
            "nemotron-3-ultra",
            "step-3.5",
        ),
        "white space at the ends of reasoning, or before a call, is taken for the template's own",
    ),
    "internlm2-chat": "its maker's document has a line end before a call",
    "internlm3-instruct": "as internlm2-chat",
    "mistral-small-2501": "an id after the arguments comes too late: a stream has already given the call another",
}


def templates(name):
    """Return the templates of a plugin of the repository, if it is installed."""
    try:
        module = importlib.import_module(f"lect_{name}")
    except ImportError:
        return {}
    plugin = getattr(module, "adapter", module)
    return {
        template.name: template
        for template in Adapter(plugin, name=name).list_templates().values()
        if template.name != "default"
    }


TEMPLATES = [(name, template) for name in NAMES for template in templates(name).values()]
TRIED = in_turn(TEMPLATES, 3)
every_template = pytest.mark.parametrize(
    ("family", "template"), TRIED, ids=[f"{name}-{template.name}" for name, template in TRIED]
)


def check(template, history, message, tools=None):
    """Assert that a message comes back, if the template can write it at all; say whether it could."""
    (message,) = respelled([message], template.reply)
    written = roundtrip.answer(template, history, message, tools=tools)
    if written is None:
        return False
    prompt, text = written
    reply = lect.resolve("a-model", adapter=template).parse(text, prompt=prompt, tools=tools)
    assert roundtrip.heard(reply) == roundtrip.meant(message), written
    return True


def test_the_families_that_support_calls_and_reasoning_bring_them_back():
    brought = {
        case: {family for family, template in TEMPLATES if (template.name, case) not in NOT_AS_THE_MODEL and check(template, [QUESTION], MESSAGES[case], TOOLS)}
        for case in ("call", "reasoning", "everything")
    }  # fmt: skip
    assert brought == {
        "call": {
            "apertus", "bielik", "chatglm", "cohere", "deepseek", "exaone", "falcon", "gemma", "gigachat", "gptoss",
            "granite", "hermes", "hunyuan", "inkling", "internlm", "jamba", "kimi", "laguna", "lfm2", "ling", "llama", "mimo",
            "minicpm", "minimax", "mistral", "muse", "nanbeige", "nemotron", "olmo", "qwen", "rnj", "seed", "solar", "spark",
            "step",
        },
        "reasoning": {
            "bielik", "chatglm", "cohere", "deepseek", "gemma", "gptoss", "hunyuan", "inkling", "kimi", "laguna", "lfm2", "ling",
            "minicpm", "minimax", "mistral", "muse", "nanbeige", "nemotron", "qwen", "seed", "spark", "step",
        },
        "everything": {
            "bielik", "chatglm", "deepseek", "gemma", "gptoss", "hunyuan", "inkling", "kimi", "laguna", "lfm2", "ling", "minicpm",
            "minimax", "mistral", "nanbeige", "nemotron", "qwen", "seed", "spark", "step",
        },
    }  # fmt: skip


def test_reasoning_as_the_model_writes_it_comes_back_exactly():
    stated = 0
    for _, template in TEMPLATES:
        reasoning = template.reply.reasoning if template.reply and "reasoning" in template.capabilities else None
        if reasoning is None or reasoning.written is None or template.reply.channels:
            continue
        stated += 1
        before, after = reasoning.written
        reply = template.parse(f"{reasoning.open[0]}{before}Two and two.\n\nSo.{after}Four.\n\nOr so.")
        assert (reply.reasoning, reply.content, reply.problems) == ("Two and two.\n\nSo.", "Four.\n\nOr so.", ())
    assert stated >= 20


@every_template
def test_the_answers_of_real_conversations_come_back(family, template):
    if (template.name, None) in NOT_AS_THE_MODEL:
        pytest.skip(NOT_AS_THE_MODEL[template.name, None])
    for conversation in some(battery().values(), seed=template.name):
        messages = conversation["messages"]
        for at, message in enumerate(messages):
            content = message.get("content")
            if message["role"] != "assistant" or not at or not (content is None or isinstance(content, str)):
                continue
            # White space at its ends does not survive every template, and texts that mention the marks are another
            # matter.
            if content != (content or "").strip() and content is not None:
                continue
            calls = message.get("tool_calls") or ()
            if (
                any(isinstance(one["function"]["arguments"], str) for one in calls)
                or "<" in (content or "")
                or (template.name == "gpt-oss" and calls and not message.get("reasoning_content"))
            ):
                continue
            check(template, messages[:at], message, conversation.get("tools"))


@every_template
@together("case", MESSAGES)
def test_what_a_model_wrote_can_be_sent_back_by_every_api(family, template, case):
    lect_apis = pytest.importorskip("lect_apis")
    try:
        written = template.reply_text([QUESTION, MESSAGES[case]], tools=TOOLS).text
    except lect.MessageError:
        return  # The format cannot write such a reply.
    reply = template.parse(written, tools=TOOLS)
    items, blocks = lect_apis.response(reply, "m")["output"], lect_apis.message(reply, "m")["content"]
    results = [{"role": "tool", "tool_call_id": each.id, "content": "ok"} for each in reply.tool_calls] or [QUESTION]
    for said in (
        [reply.to_openai()],
        [reply.to_message()],
        lect_apis.request({"input": items}).messages,
        lect_apis.request({"messages": [{"role": "assistant", "content": blocks}]}).messages,
    ):
        assert template.text([QUESTION, *said, *results], tools=TOOLS, add_generation_prompt=True)


words = st.text("abc xyz.,!?é你\n", max_size=40).map(str.strip)
keys = st.text("abc_xyz", min_size=1, max_size=5)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-999, 999) | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
)
anything = st.text(st.characters(codec="utf-8"), max_size=30)


@every_template
@given(data=st.data())
@settings(max_examples=few(8), deadline=None)
def test_any_answer_comes_back_as_it_was_meant(family, template, data):
    kinds = {
        type(one.arguments) for section in (template.reply.sections if template.reply else ()) for one in section.calls
    }
    text = anything if kinds <= {Json, JsonMap, NamedJson} else words
    arguments = {
        "city": data.draw(text),
        "days": data.draw(st.integers()),
        "deep": data.draw(st.dictionaries(keys, values, max_size=3)),
    }
    has_calls = data.draw(st.booleans())
    content = data.draw(words)
    assume(content or has_calls)
    reasoning = data.draw(st.none() | words.filter(bool))
    message = says(content, reasoning, *([call("get_weather", arguments)] if has_calls else []))
    if (template.name, None) in NOT_AS_THE_MODEL:
        return
    if template.name == "gpt-oss" and has_calls and content and not reasoning:
        return  # As `NOT_AS_THE_MODEL` says.
    check(template, [QUESTION], message, TOOLS if has_calls else None)


@every_template
@given(data=st.data())
@settings(max_examples=few(8), deadline=None)
def test_a_parsed_answer_is_written_back_byte_for_byte(family, template, data):
    if why := NOT_AS_THE_MODEL.get((template.name, None)) or NOT_TO_THE_BYTE.get(default(template)):
        pytest.skip(why)
    spaced = st.text("ab. \n\t", max_size=12).filter(str.strip)
    calls = [call("get_weather", {"city": "Paris"})] if data.draw(st.booleans()) else []
    message = says(data.draw(spaced), data.draw(st.none() | spaced), *calls)
    tools = TOOLS if calls else None
    written = roundtrip.answer(template, [QUESTION], message, tools=tools)
    if written is not None:
        prompt, text = written
        # Some formats write an id behind the arguments, where it comes too late for a reader.
        reply = lect.resolve("a-model", adapter=template).parse(
            text, prompt=prompt, tools=tools, call_id="call_{}".format
        )
        assert roundtrip.answer(template, [QUESTION], reply.to_message(), tools=tools) == written
