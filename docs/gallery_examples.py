"""The conversations of the gallery, and prompts as it shows them."""

from datetime import date

from gallery_markdown import code, codes, folded, preformatted

import lect
from lect.prompt.messages import spell

THE_DAY = date(2024, 7, 26)
TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Tell the weather in a city.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
SYSTEM = {"role": "system", "content": "Be brief."}
TALK = [
    {"role": "user", "content": "Hello!"},
    {"role": "assistant", "content": "Hi! How can I help?"},
    {"role": "user", "content": "What is 6 times 7?"},
]
QUESTION = {"role": "user", "content": "What is the weather in Paris?"}
CALL = {"id": "call00001", "type": "function", "function": {"name": "get_weather", "arguments": {"city": "Paris"}}}
RESULT = {"role": "tool", "tool_call_id": "call00001", "content": "18 degrees, rain"}
IMAGE = {"role": "user", "content": [{"type": "image"}, {"type": "text", "text": "What is this?"}]}
DOCUMENTS = [{"doc_id": 1, "title": "Paris", "text": "Paris is the capital of France."}]
# These take tools in a field of a message, not beside the messages.
TOOLS_IN_A_MESSAGE = {"glm-4", "glm-4-hf", "phi-4-mini"}
# This one iterates over the content of a result, so a text would be written character by character.
RESULTS_IN_PARTS = {"command-a-reasoning"}


def rendered(template, messages, *, add_generation_prompt=True, **options):
    if "date" in template.options:
        options["date"] = THE_DAY
    return template.render(messages, add_generation_prompt=add_generation_prompt, **options)


def left_out(prompt):
    """Return a line that says what did not reach the prompt."""
    paths = {
        why: codes(spell(unused.path) for unused in prompt.unused if unused.why == why)
        for why in ("dropped", "by-rule")
    }
    dropped = (
        f"Not in the prompt, because the format does not support it: {paths['dropped']}." if paths["dropped"] else ""
    )
    by_rule = f"Left out by the maker's rule: {paths['by-rule']}." if paths["by-rule"] else ""
    return f"\n{' '.join(filter(None, (dropped, by_rule)))}\n" if prompt.unused else ""


def shown(prompt):
    """Return a prompt, and what did not reach it."""
    return f"{preformatted(prompt)}\n{left_out(prompt)}"


def conversation(template):
    """Return a plain conversation as the template writes it, without the system text if it refuses one."""
    try:
        prompt = rendered(template, [SYSTEM, *TALK])
    except lect.RefusedError as error:
        reason = str(error).removeprefix(f"{template.name}: ").partition("\n")[0]
        prompt = rendered(template, TALK)
        return f"A conversation without a system text, which the format refuses ({reason}):\n\n{shown(prompt)}"
    return f"A conversation:\n\n{shown(prompt)}"


def with_tool(template):
    """Yield a call and its result, if the format supports them."""
    if template.name in TOOLS_IN_A_MESSAGE:
        yield folded(
            "With a tool, in the field <code>tools</code> of a message",
            shown(rendered(template, [{**SYSTEM, "tools": [TOOL]}, QUESTION])),
        )
    elif template.capabilities & {"tools", "parallel_tools"}:
        call = {"role": "assistant", "content": None, "tool_calls": [CALL]}
        if "reasoning" in template.capabilities:
            call["reasoning_content"] = "I have a tool for that."
        result = (
            {**RESULT, "content": [{"type": "text", "text": RESULT["content"]}]}
            if template.name in RESULTS_IN_PARTS
            else RESULT
        )
        prompt = rendered(template, [QUESTION, call, result], tools=[TOOL])
        yield folded("With a tool, a call and its result", shown(prompt))


def with_more(template):
    """Yield the other things that the format supports."""
    if "images" in template.capabilities:
        yield folded("With an image", shown(rendered(template, [IMAGE])))
    if "documents" in template.options:
        yield folded("With a document", shown(rendered(template, [TALK[0]], documents=DOCUMENTS)))


def ending(prompt):
    """Return the text at the end of a prompt that belongs to no message."""
    texts = []
    for segment in reversed(prompt.segments):
        if segment.turn is not None:
            break
        texts.insert(0, segment.text)
    return "".join(texts)


def generation_prompt(template):
    """Return what is written where the assistant is to speak."""
    asked, unasked = (ending(rendered(template, TALK, add_generation_prompt=asked)) for asked in (True, False))
    if asked == unasked:
        return f"{code(asked)}, always" if asked else "none: the prompt ends with the user's turn"
    return code(asked) + (f"; without `add_generation_prompt`, {code(unasked)}" if unasked else "")
