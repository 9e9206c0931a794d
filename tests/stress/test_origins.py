"""Every text of the caller's is known to be the caller's, and is where its segment says: tested with unique marks."""

import json
import random
import re

import hostile
from together import together

from lect import Origin, RefusedError

CONVERSATIONS = 8
"""How many are tried with each template, times the scale."""
MARK = re.compile("[\ue000-\uf8ff]|\\\\ue[0-9a-f]{3}")
"""A private-use character, also as JSON and Python escape it."""
TYPES = ("string", "number", "integer", "boolean", "array", "object")


class Conversation:
    """A random conversation in which every text is a mark that occurs nowhere else, and the field of each mark.

    Args:
        seed: The seed of all random choices.
    """

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.path_of = {}
        self.arguments = {"add_generation_prompt": self.random.random() < 0.5}
        if self.random.random() < 0.4:
            self.arguments["tools"] = [self.tool("tools", index) for index in range(self.random.randint(1, 3))]
        messages = self.arguments["messages"] = []
        if self.random.random() < 0.5:
            messages.append({"role": "system", "content": self.text("messages", 0, "content")})
        for _ in range(self.random.randint(1, 3)):
            self.question(messages)
            if self.random.random() < 0.3:
                self.calls(messages)
            if self.random.random() < 0.8:
                self.answer(messages)

    def mark(self, *path):
        """Return a mark of nine characters, as long as the ids that some models require."""
        letter = chr(0xE000 + len(self.path_of))
        self.path_of[letter] = path
        return letter * 9

    def text(self, *path):
        """Return marks with white space between and around them, which formats may trim."""
        spaces = ["", "", " ", "\n", "\n\n"]
        words = [self.mark(*path) for _ in range(self.random.randint(1, 3))]
        return self.random.choice(spaces) + self.random.choice([" ", "\n"]).join(words) + self.random.choice(spaces)

    def value(self, *path, depth=0):
        """Return a value of arguments, with marks for its keys too."""
        kind = self.random.randrange(3 if depth > 2 else 5)
        if kind == 3:
            return [self.value(*path, depth=depth + 1) for _ in range(self.random.randint(0, 3))]
        if kind == 4:
            return {self.mark(*path): self.value(*path, depth=depth + 1) for _ in range(self.random.randint(0, 3))}
        return [self.text(*path), self.random.randint(-9, 9), None][kind]

    def schema(self, *path, depth=0):
        """Return a schema of a parameter."""
        schema = {"type": self.random.choice(TYPES)}
        for name, make in {
            "description": lambda: self.text(*path),
            "enum": lambda: [self.text(*path), self.text(*path)],
            "default": lambda: self.text(*path),
            "items": lambda: self.schema(*path, depth=depth + 1),
            "oneOf": lambda: [self.schema(*path, depth=depth + 1), self.schema(*path, depth=depth + 1)],
            "properties": lambda: {self.mark(*path): self.schema(*path, depth=depth + 1)},
        }.items():
            if self.random.random() < 0.35 and depth < 3:
                schema[name] = make()
        return schema

    def tool(self, *path):
        names = [self.mark(*path) for _ in range(self.random.randint(0, 3))]
        parameters = {
            "type": "object",
            "properties": {name: self.schema(*path) for name in names},
            "required": names[: self.random.randint(0, 3)],
        }
        function = {"name": self.mark(*path), "description": self.text(*path), "parameters": parameters}
        return {"type": "function", "function": function}

    def question(self, messages):
        where = ("messages", len(messages), "content")
        content = self.text(*where)
        if self.random.random() < 0.3:
            content = [
                {"type": "text", "text": self.text(*where, index, "text")} for index in range(self.random.randint(1, 3))
            ]
            if self.random.random() < 0.5:
                content.append({"type": "image_url", "image_url": {"url": self.mark(*where, len(content))}})
        messages.append({"role": "user", "content": content})

    def answer(self, messages):
        where = ("messages", len(messages))
        message = {"role": "assistant", "content": self.text(*where, "content")}
        if self.random.random() < 0.4:
            message["reasoning_content"] = self.text(*where, "reasoning_content")
        messages.append(message)

    def calls(self, messages):
        self.answer(messages)
        if self.random.random() < 0.5:
            messages[-1]["content"] = None
        calls = messages[-1]["tool_calls"] = []
        for index in range(self.random.randint(1, 3)):
            path = ("messages", len(messages) - 1, "tool_calls", index, "function")
            arguments = {self.mark(*path, "arguments"): self.value(*path, "arguments") for _ in range(2)}
            if self.random.random() < 0.5:
                arguments = json.dumps(arguments, ensure_ascii=self.random.random() < 0.5)
            # An id occurs in two places.
            function = {"name": self.mark(*path, "name"), "arguments": arguments}
            calls.append({"id": self.mark("messages"), "type": "function", "function": function})
        for call in calls:
            where = ("messages", len(messages), "content")
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": self.text(*where)})


def marks(text):
    return {found if len(found) == 1 else chr(int(found[2:], 16)) for found in MARK.findall(text)}


@together("name", hostile.installed())
def test_no_mark_is_the_templates_own_and_each_is_where_its_segment_says(name, scale):
    template = hostile.installed()[name]
    options = list(hostile.options_of(template))
    for seed in range(CONVERSATIONS * scale):
        conversation = Conversation(f"{name} {seed}")
        arguments = {**conversation.arguments, **options[seed % len(options)]}
        try:
            rendered = template.render(**arguments)
        except RefusedError:
            continue
        assert "".join(segment.text for segment in rendered.segments) == rendered.text, seed
        for segment in rendered.segments:
            found = marks(segment.text)
            assert not (found and segment.origin is Origin.TEMPLATE), (seed, segment)
            assert segment.origin is not Origin.UNKNOWN, (seed, segment)
            assert all(hostile.related(segment.path, conversation.path_of[mark]) for mark in found), (seed, segment)
            if segment.start >= 0:
                field = hostile.value_at({**arguments, "options": arguments}, segment.path)
                assert field[segment.start :].startswith(segment.text), (seed, segment)
