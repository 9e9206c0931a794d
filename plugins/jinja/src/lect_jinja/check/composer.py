"""Requests composed at random of what a template can tell apart. A seed gives the same requests again."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any, TypeVar

from lect_jinja.check.telling import FUNCTIONS
from lect_jinja.identity.cases import Case, says

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lect_jinja.check.telling import Telling

VERSION = 2
"""Another number whenever the same seed gives other requests: a lock file holds what they gave."""
SPACES = ("{}", "\n  {} \n\n", " {}", "{}\n", "\n\n{}", "{} ")
FRAMES = ("a{}", "{}b", "{}{}", "a {} b", "{}\nx")
SENTENCES = (
    "When is the ferry?",
    "Petar «ðé» 渡し船 🚢",
    "a",
    "two\nlines",
    "<b>&\"q\" 'x' \\n",
    '{"k": 1}',
    "x: y",
    "  ",
)
THOUGHTS = (
    "<think>\nold ü\n</think>\n\nanswer", "<think>\n\n</think>\n\nanswer", "</think>answer", "t</think>\n\nanswer",
    "<think>\nunclosed", "a<think>b</think>c</think>d",
)  # fmt: skip
"""Reasoning inside an answer."""
SCALARS = ("Split", 'ü\n"q"', 17, 0, -3.5, 1e30, True, False, None, "", " s ")
TYPES = ("string", "integer", "number", "boolean", "array", "object", ["string", "null"])
PICTURES = ({"type": "image"}, {"type": "image", "image": "a.png"}, {"type": "video"}, {"type": "video", "video": "v"})
SOUNDS = ({"type": "audio"}, {"type": "audio", "audio": "a.wav"})
SPELLED: dict[str, dict[str, Any]] = {
    "image_url": {"type": "image_url", "image_url": {"url": "http://x/a.png"}},
    "input_image": {"type": "input_image", "image_url": "http://x/a.png"},
    "video_url": {"type": "video_url", "video_url": {"url": "http://x/v"}},
}
"""Other spellings of pictures and films: for templates that name them."""
NO_JSON = ("not json", "", "[1]", "{broken")

Item = TypeVar("Item")


class Composer:
    """Composes requests.

    Most are *usual*: they have only what every client sends. At what is odd, such as a tool without a description or a
    field that is no standard field, makers' own templates fail by accident.

    Args:
        of: What they are composed of.
        seed: Which ones.
    """

    def __init__(self, of: Telling, seed: str):
        self._of = of
        self._random = random.Random(seed)  # noqa: S311
        self._marks = [text for text in of.sought if not text.isalnum()] or SENTENCES
        self._calls = 0
        self._is_odd = False

    def requests(self) -> Iterator[Case]:
        """Yield requests without end."""
        while True:
            self._is_odd = self._likely(0.3)
            messages = self._messages()
            has_calls = any("tool_calls" in message for message in messages)
            yield Case(
                "",
                messages,
                self.tools() if self._likely(0.65 if has_calls else 0.3) else None,
                add_generation_prompt=self._likely(0.6),
                options={name: self._option(name) for name in self._of.options if self._likely(0.3)},
                is_usual=not self._is_odd,
            )

    def _likely(self, probability: float) -> bool:
        return self._random.random() < probability

    def _oddly(self, probability: float) -> bool:
        return self._is_odd and self._likely(probability)

    def _one(self, of: Sequence[Item]) -> Item:
        return self._random.choice(of)

    def _few(self) -> range:
        return range(self._one((1, 1, 2, 3)))

    # Texts and values

    def text(self) -> str:
        """Return what somebody says: a sentence, or what stands in the template, with white space at the ends."""
        kind = self._random.random()
        if kind < 0.07:
            return ""
        sought, words = self._of.sought or SENTENCES, self._of.words or SENTENCES
        if kind < 0.16:
            # What begins with one text that is looked for, and ends with another.
            return f"{self._one(self._marks)}x{self._one(self._marks)}"
        text = self._one(SENTENCES if kind < 0.45 else sought if kind < 0.74 else words)
        if self._likely(0.3):
            text = self._one(FRAMES).replace("{}", text)
        return self._one(SPACES).replace("{}", text)

    def _value(self, depth: int = 0) -> Any:
        kind = self._random.random()
        if kind < 0.6 or depth > 2:
            return self._one(SCALARS)
        if kind < 0.8:
            return [self._value(depth + 1) for _ in range(self._one((0, 1, 2)))]
        return {key: self._value(depth + 1) for key in self._one((("a",), ("ü", "b"), ()))}

    def _option(self, name: str) -> Any:
        option = self._of.options[name]
        if option.composed and (not option.values or self._likely(0.5)):
            return self.tools() if self._one(option.composed) == "tools" else self._documents()
        return None if (option.takes_null and self._oddly(0.2)) or not option.values else self._one(option.values)

    def _documents(self) -> list[dict[str, Any]]:
        kinds = ({"title": self.text(), "text": self.text()}, {"text": "x ü"}, {"doc_id": 1, "title": "t", "text": "ü"})
        return [self._one((*kinds, {"url": "u", "snippet": "s", "text": "x"})) for _ in self._few()]

    # Tools

    def tools(self) -> list[dict[str, Any]]:
        """Return a list of tools."""
        return [self._tool() for _ in self._few()]

    def _tool(self) -> dict[str, Any]:
        function: dict[str, Any] = {"name": self._one(FUNCTIONS)}
        if not self._oddly(0.15):
            function["description"] = self.text() or "Look ferries up."
        if not self._oddly(0.15):
            properties = {
                name: self._schema() for name in self._one((("harbour",), ("harbour", "数"), ("a b", "type", "x"), ()))
            }
            function["parameters"] = {"type": "object", "properties": properties}
            if self._likely(0.6):
                function["parameters"]["required"] = list(properties)[: self._one((1, 2))]
        if self._likely(0.12):
            function[self._one(("strict", "defer_loading"))] = self._likely(0.5)
        if self._likely(0.12):
            function[self._one(("return", "response"))] = {"type": self._one(("object", "string")), "description": "r"}
        if self._oddly(0.2):
            return self._one((function, {"type": self._one(self._of.sought or FUNCTIONS), "function": function}))
        return {"type": "function", "function": function}

    def _schema(self, depth: int = 0) -> dict[str, Any]:
        kind = self._one(TYPES)
        schema: dict[str, Any] = {"type": kind}
        if self._likely(0.6):
            schema["description"] = self._one((*SENTENCES, "line\nbreak "))
        if kind == "string" and self._likely(0.4):
            schema["enum"] = self._one((["a"], ["a", 'ü"x']))
        if self._likely(0.25):
            schema["default"] = self._one(("x", 3, True, "", None) if self._is_odd else ("x", ""))
        if self._likely(0.1):
            schema["nullable"] = True
        if self._likely(0.15):
            schema[self._one(("minimum", "title", "examples", "format"))] = self._one(("T", 3, ["e"]))
        if kind == "array" and depth < 3 and self._likely(0.8):
            schema["items"] = self._schema(depth + 1)
        if kind == "object" and depth < 3 and self._likely(0.8):
            schema["properties"] = {name: self._schema(depth + 1) for name in self._one((("a",), ("ü", "b"), ()))}
            if self._likely(0.5):
                schema["required"] = list(schema["properties"])[:1]
        if depth < 2 and self._likely(0.07):
            del schema["type"]
            schema[self._one(("oneOf", "anyOf"))] = [self._schema(depth + 1), self._schema(2)]
        return schema

    def _call(self) -> dict[str, Any]:
        self._calls += 1
        names = self._one((("harbour",), ("harbour", "hour"), ("数", "a b", "code"), (), ("query",)))
        arguments: Any = {name: self._value() for name in names}
        if self._oddly(0.15):
            arguments = self._one(NO_JSON)
        elif self._likely(0.2):
            arguments = json.dumps(arguments, ensure_ascii=self._likely(0.5))
        name = self._one(FUNCTIONS)
        ids = (*[f"call{self._calls:05d}"] * 4, f"functions.{name}:{self._calls - 1}", "call_1")
        return {"id": self._one(ids), "type": "function", "function": {"name": name, "arguments": arguments}}

    # Messages

    def _messages(self) -> list[dict[str, Any]]:
        if self._likely(0.22):
            return self._disorder()
        calling = 0.6 if self._likely(0.55) else 0.0
        messages = [self._said("system" if self._likely(0.9) else "developer")] if self._likely(0.5) else []
        for _ in self._few():
            messages += [self._said("user"), *self._answered(calling)]
            if self._likely(0.06):
                messages.append(self._said(self._role()))
        if self._likely(0.6):
            messages.append(self._said("user"))
        elif self._likely(0.4):
            messages.pop()
        return messages

    def _disorder(self) -> list[dict[str, Any]]:
        if self._oddly(0.08):
            return []
        return [self._said(self._role()) for _ in range(self._one((1, 1, 2, 3, 4, 5)))]

    def _role(self) -> str:
        return self._one(self._of.roles if self._is_odd else self._of.shared_roles or self._of.roles)

    def _answered(self, calling: float) -> Iterator[dict[str, Any]]:
        """Yield an answer, the results of its calls, the answer after them, and so on."""
        for _ in range(4):
            answer = self._answer(calling)
            yield answer
            yield from (self._result(call) for call in answer.get("tool_calls", ()) if self._likely(0.95))
            if "tool_calls" not in answer or self._likely(0.2):
                return
            calling *= 0.5

    def _said(self, role: str) -> dict[str, Any]:
        if role == "assistant":
            return self._answer(0.3)
        if role == "tool":
            return self._result(None)
        parts = 0.15 if role == "user" else 0.1 if self._is_odd else 0.0
        return self._with_fields(says(role, self._content(parts)))

    def _answer(self, calling: float) -> dict[str, Any]:
        thought = self._one(SPACES).replace("{}", self._one(THOUGHTS))
        message = says("assistant", thought if self._likely(0.15) else self._content(0.1 if self._is_odd else 0.0))
        if self._likely(0.3):
            message[self._one(("reasoning_content", "reasoning_content", "reasoning_content", "thinking"))] = (
                self.text()
            )
        if self._likely(calling):
            message["tool_calls"] = [self._call() for _ in self._few()]
            if self._likely(0.6):
                message["content"] = self._one(("", None))
        return self._with_fields(message)

    def _result(self, call: dict[str, Any] | None) -> dict[str, Any]:
        parts = 0.12 if self._is_odd else 0.0
        message = says("tool", self._content(parts) if self._likely(0.8) else '{"temperature": 22}')
        if self._likely(0.8):
            message["name"] = call["function"]["name"] if call else "f"
        if call and self._likely(0.9):
            message["tool_call_id"] = call["id"] if self._likely(0.95) else "call_1"
        return message

    def _content(self, parts: float) -> str | list[dict[str, Any]]:
        if not self._likely(parts):
            return self.text()
        seen = self._likely(0.6)
        return [
            self._seen() if seen and self._likely(0.5) else {"type": "text", "text": self.text()} for _ in self._few()
        ]

    def _seen(self) -> dict[str, Any]:
        spelled = [SPELLED[name] for name in self._of.parts if name in SPELLED]
        return dict(self._one([*PICTURES, *spelled, *(SOUNDS if self._is_odd else ())]))

    def _with_fields(self, message: dict[str, Any]) -> dict[str, Any]:
        if self._oddly(0.3):
            field = self._one(list(self._of.fields))
            message[field] = self._field(field)
        elif self._likely(0.05):
            message["name"] = self._one(("bob", *self._of.sought))
        return message

    def _field(self, name: str) -> Any:
        if name == "tools":
            return self.tools() if self._likely(0.5) else json.dumps(self.tools())
        if name == "documents":
            return self._documents()
        return self.text() if self._likely(0.3) else self._one(self._of.fields[name])
