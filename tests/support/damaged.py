"""Prompts as they should be and as they arrive broken: what `lect doctor --ids` must pass, and what it must find."""

from lect import LectError
from lect.tokens.tokenizer import encoder_of
from lect_kit.goldens import cases, dated

CHAT = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "What is one?"},
    {"role": "assistant", "content": "One."},
    {"role": "user", "content": "And two?"},
]
WORDS = ["Hello!", "two  words ", '{"a": 1}', "你好🎉", "x", "a\nb", "What is 2+2?", "  y", "1. a\n2. b"]
TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Weather.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
            "required": ["city"],
        },
    },
}
ARGUMENTS = [{"city": "Ulm"}, {"city": "Ulm", "days": 3}]


def random_chat(rng, template):
    """Return messages that a template supports and perhaps tools: ending in a question, a result or an answer."""

    def text():
        return rng.choice(WORDS)

    def answer(**has):
        message = edges.answer(text=True, **has)
        return message | {"content": text()} | ({"reasoning_content": text()} if thinks and rng.random() < 0.4 else {})

    edges = template.edges({})
    thinks = "reasoning" in template.capabilities
    tools = [TOOL] if "tools" in template.capabilities and rng.random() < 0.5 else None
    messages = [{"role": "system", "content": text()}] if rng.random() < 0.5 else []
    for _ in range(rng.randint(1, 3)):
        messages.append({"role": "user", "content": text()})
        if tools and rng.random() < 0.5:
            called = answer(calls=[("get_weather", rng.choice(ARGUMENTS))])
            messages += [called, *({**each, "content": text()} for each in edges.results(called))]
        messages.append(answer())
    return messages[: -rng.randint(0, 1) or None], tools


def rendered(template, messages, **arguments):
    """Return a prompt; None if the template refuses the conversation."""
    try:
        return template.render(messages, **arguments)
    except LectError:
        return None


def damages(template, tokenizer):
    """Yield each kind of damage with the text of the broken prompt, where the format has what is damaged."""
    for chat in (CHAT, CHAT[1:], CHAT[1:2]):
        prompt = rendered(template, chat, add_generation_prompt=True)
        if prompt is not None:
            yield from _damages(template, tokenizer, prompt, chat)


def _damages(template, tokenizer, prompt, chat):
    encoder = encoder_of(tokenizer)
    text = prompt.text
    marks = [each for each in encoder.found(text) if text[each.start : each.end].strip() != template.bos]
    for turn in prompt.turns:
        # The first mark of the header; some formats have none.
        first = next((each for each in marks if turn.begin <= each.start < turn.header_end), None)
        if first:
            yield "doubled header", text[: first.end] + text[first.start :]
        role = chat[turn.message]["role"]
        header = text[turn.begin : turn.header_end]
        if first and role == "user" and "user" in header and not any("user" in text[a:b] for a, b, _ in marks):
            yield "unknown role", text[: turn.begin] + header.replace("user", "usr") + text[turn.header_end :]
        ends = [each for each in marks if turn.header_end < each.start < turn.close]
        # Without a mark in the next header, the question would only be longer.
        after = next((each for each in marks if ends and each.start >= ends[0].end), None)
        if after and role == "user" and not text[ends[0].end : after.start].strip():
            yield "no end of a question", text[: ends[0].start] + text[ends[0].end :]
        if ends and turn.close < len(text) and text[ends[-1].end : turn.close].isspace():
            yield "nothing between turns", text[: ends[-1].end] + text[turn.close :]
    last = prompt.turns[-1]
    if marks and text.endswith("\n") and marks[-1].start >= last.header_end and marks[-1].end < len(text):
        yield "no newline after the last header", text[:-1]
    without = template.render(chat).text
    if without != text:
        yield "no generation prompt", without
    for stop in template.stop:
        if stop in encoder.controls:
            yield "a stop in front", stop + text
    system, user = (prompt.turns[:2] if chat is CHAT else (None, None)) if len(prompt.turns) > 1 else (None, None)
    if system and chat[system.message]["role"] == "system" and system.begin < system.close <= user.begin:
        own = [text[turn.begin : turn.close] for turn in (system, user)]
        if all(part and encoder.found(part)[:1] and encoder.found(part)[0].start == 0 for part in own):
            yield "a system message after the user", text[: system.begin] + own[1] + own[0] + text[user.close :]


def is_regular(arguments):
    """Return whether a conversation is one that a server sends or a trainer trains on, with options as people set them."""
    roles = [message["role"] for message in arguments["messages"]]
    options = [value for name, value in arguments.items() if name not in ("messages", "tools", "add_generation_prompt")]
    return (
        bool(arguments["add_generation_prompt"]) == (roles[-1] in ("user", "tool"))
        and not {"system", "developer"}.intersection(roles[1:])
        and all(isinstance(value, bool | str) for value in options)
    )


def makers_texts(path, template):
    """Yield what a maker's template writes for regular conversations, in whose texts there are no marks.

    Where ours differs on purpose, ours is the format.
    """
    for case, arguments, expected in cases(path):
        if is_regular(arguments) and "text" in expected:
            own = rendered(template, **dated(template), **arguments)
            if own is not None and own.text == expected["text"] and not own.controls:
                yield case, expected["text"]
