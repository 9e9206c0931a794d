"""What agents and people send: sessions and chats of every length and shape, the same in each run."""

import json
from random import Random
from typing import NamedTuple

REQUESTS = 700
PROSE = (
    "the weather of a place is read from one file and then shown in two lines while tests run again after each change "
    "because nobody knows why it was slow before it rained all day in Paris"
)
WORDS = PROSE.split()
IN_CHINESE = "这里说的话有一定的长度，而且是中文。"


class Request(NamedTuple):
    """What is sent to both sides."""

    messages: list
    add_generation_prompt: bool = False
    tools: list | None = None


def schema(name, description, **properties):
    """Return a tool whose first parameter is required."""
    parameters = {"type": "object", "properties": properties, "required": list(properties)[:1]}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


TOOL = schema(
    "get_weather",
    "Get the weather of a place",
    place={"type": "string", "description": "The name of the place"},
    days={"type": "integer"},
)
TOOLS = [
    TOOL,
    schema(
        "search",
        "Search the web for pages about something",
        query={"type": "string", "description": "What to search for"},
        limit={"type": "integer", "description": "How many results"},
    ),
    schema("read_file", "Read a file of the project", path={"type": "string", "description": "The path of the file"}),
    schema(
        "run",
        "Run a command in a shell and return what it prints",
        command={"type": "string", "description": "The command"},
        timeout={"type": "number"},
    ),
]


def agents_requests(seed=1):
    """Return the requests of agents: every prefix of sessions that grow."""
    random = Random(seed)
    requests = []
    while len(requests) < REQUESTS:
        messages = session(random)
        requests += [
            Request(messages[:end], messages[end - 1]["role"] != "assistant", TOOLS)
            for end in range(1, len(messages) + 1)
        ]
    return requests[:REQUESTS]


def session(random):
    """Return an agent's session: some questions, each with some rounds of calls and results before the answer.

    Clients differ in what they send, and each stays the same in a session: the language, whether there is a system
    text, whether several calls are made at once, what stands beside a call, whether arguments are JSON text as OpenAI's
    are, and whether results have names.
    """
    text = language(random)
    messages = [{"role": "system", "content": text(random)}] if random.random() < 0.7 else []
    most_calls = random.choice((1, 1, 3))
    beside = random.choice((None, "", text))
    dump = random.choice((json.dumps, json.dumps, dict))
    named = random.random() < 0.5
    for _ in range(random.randint(1, 4)):
        messages.append({"role": "user", "content": text(random)})
        for _ in range(random.randint(0, 5)):
            calls = [call(random, text, dump) for _ in range(random.randint(1, most_calls))]
            content = beside(random) if beside is text else beside
            messages.append({"role": "assistant", "content": content, "tool_calls": calls})
            messages += [result(random, text, each, named) for each in calls]
        messages.append({"role": "assistant", "content": text(random)})
    return messages


def call(random, text, dump):
    """Return a call of one of the tools, with its required argument and perhaps the other."""
    function = random.choice(TOOLS)["function"]
    properties = function["parameters"]["properties"]
    names = [name for name in properties if name in function["parameters"]["required"] or random.random() < 0.5]
    values = {"string": lambda: text(random, 8), "integer": lambda: random.randint(0, 99), "number": random.random}
    arguments = dump({name: values[properties[name]["type"]]() for name in names})
    # Mistral takes ids of nine characters only.
    call_id = f"call{random.randrange(10**5):05}"
    return {"id": call_id, "type": "function", "function": {"name": function["name"], "arguments": arguments}}


def result(random, text, call, named):
    """Return the result of a call: JSON, or a text of some lines."""
    lines = [text(random) for _ in range(random.randint(1, 4))]
    content = json.dumps({"status": "ok", "lines": lines}) if random.random() < 0.4 else "\n".join(lines)
    message = {"role": "tool", "tool_call_id": call["id"], "content": content}
    return message | {"name": call["function"]["name"]} if named else message


def chat(random, length, *, has_system, in_turn):
    """Return the request of a chat, in which user and assistant take turns, or either may speak several times."""
    opening = ["system", "user"] if has_system else ["user"]
    rest = max(length - len(opening), 0)
    following = ["assistant", "user"] * rest if in_turn else random.choices(("user", "assistant"), k=rest)
    roles = [*opening, *following][:length]
    text = language(random)
    return Request([{"role": role, "content": text(random)} for role in roles], roles[-1] != "assistant")


def language(random):
    """Return what writes the texts of a session or chat: `english` in four of five, else `chinese`."""
    return random.choice((english, english, english, english, chinese))


def english(random, most=40):
    """Return a text of up to `most` words."""
    return f"{' '.join(random.choices(WORDS, k=random.randint(1, most))).capitalize()}."


def chinese(random, most=40):
    """Return a text that is about as long."""
    return IN_CHINESE * random.randint(1, 1 + most // 10)
