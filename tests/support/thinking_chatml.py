"""A small ChatML that thinks and calls tools, and what is sampled from it, for tests of rollouts."""

from lect.plugin import Template
from lect.plugin.grammar import JSON_IN_TAGS, THINK, Grammar

CONTROLS = ["<|im_start|>", "<|im_end|>", "<|endoftext|>"]
QUESTION = [{"role": "user", "content": "What is 6 times 7?"}]
NEXT = [{"role": "user", "content": "And 6 plus 7?"}]
CALL = '<tool_call>\n{"name": "multiply", "arguments": {"a": 6, "b": 7}}\n</tool_call>'


def write(chat, out):
    """Write ChatML with calls, and with the reasoning of answers after the last user."""
    last = max((message.index for message in chat.messages if message.role == "user"), default=-1)
    for message in out.turns(chat.messages):
        out += "<|im_start|>", message.role, "\n"
        if message.reasoning and message.index > last:
            out += "<think>\n", message.reasoning, "\n</think>\n\n"
        out.append(message.content)
        for call in message.tool_calls:
            arguments = chat.arguments_as_given(call)
            out += '<tool_call>\n{"name": "', call.name, '", "arguments": ', arguments, "}\n</tool_call>"
        out.append("<|im_end|>\n")
    if chat.add_generation_prompt:
        out.append("<|im_start|>assistant\n")


THINKING = Template(
    "thinking",
    write,
    reply=Grammar("thinking", reasoning=THINK, sections=(JSON_IN_TAGS,)),
    roles=("system", "user", "assistant", "tool"),
    stop={"<|im_end|>": None, "<|endoftext|>": None},
    markers=CONTROLS,
    capabilities=("system", "tools", "reasoning"),
)


def sample(tokenizer, text):
    """Return the ids of a text whose control tokens are real."""
    ids, rest = [], text
    while rest:
        control = next((each for each in CONTROLS if rest.startswith(each)), None)
        ids += [tokenizer.control_tokens()[control]] if control else rest[0].encode()
        rest = rest[len(control or rest[0]) :]
    return ids


def shown(tokenizer, ids):
    names = {each: text for text, each in tokenizer.control_tokens().items()}
    return b"".join(names[each].encode() if each in names else bytes([each]) for each in ids).decode()
