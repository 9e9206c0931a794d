"""Random sessions: system texts, questions, answers that reason and call, and results."""

from lect_kit.conversations import dated

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
"""What an answer may have."""


def text(chance, least=1):
    return " ".join(chance.choices(WORDS, k=chance.randint(least, 6)))


def message(chance, kind, number):
    """Return an answer of a kind, whose calls are numbered from `number`."""
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


def session(chance, kinds):
    """Return a session whose answers are of these kinds, in order."""
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
        messages += [{**result, "content": text(chance)} for result in results_of(answer)]
        number += 2
    return messages


def results_of(answer):
    """Return the results of the calls of an answer."""
    return [
        {"role": "tool", "tool_call_id": call["id"], "name": call["function"]["name"], "content": "Done."}
        for call in answer.get("tool_calls", ())
    ]


def random_session(chance):
    return session(chance, chance.choices(KINDS, k=chance.randint(1, 4)))


def tools_for(messages):
    return TOOLS if any(message.get("tool_calls") for message in messages) else None


def meant(answer):
    """Return what an answer says: content, reasoning and calls."""
    calls = [call["function"] for call in answer.get("tool_calls") or ()]
    return (
        answer.get("content") or "",
        answer.get("reasoning_content"),
        [(call["name"], call["arguments"]) for call in calls],
    )


def heard(reply):
    """Return what a reply says, as `meant` has it."""
    return reply.content, reply.reasoning, [(call.name, call.arguments) for call in reply.tool_calls]


def bare(meaning):
    """Return what was meant or heard without white space."""
    return ["".join(str(part).split()) for part in meaning]


def options_of(template):
    """Yield options with which a template may reason, and none."""
    yield dated(template)
    for name in template.options:
        if name in ("thinking", "enable_thinking", "reasoning"):
            yield {**dated(template), name: True}


def inside_markers(prompt):
    """Return the places inside the markers of a prompt."""
    marks = prompt.template.markers.pattern
    found = marks.finditer(prompt.text) if marks else ()
    return {at for mark in found for at in range(mark.start() + 1, mark.end())}
