"""Calls, their results, and documents, which are presented to Command as if a tool had found them."""

from collections.abc import Iterable, Mapping
from itertools import starmap
from json import dumps
from typing import Any

from lect.plugin import Chat, Message, Writer
from lect_cohere.words import CHATBOT, END, SYSTEM


class Calls:
    """Writes calls and results, which are numbered throughout the conversation.

    Args:
        chat: The conversation.
        out: Where to write.
        line: What precedes a call besides spaces: a line break, or nothing where the maker's template swallows it.
        whole: Whether a result is written as one value, and not item by item.
    """

    def __init__(self, chat: Chat, out: Writer, *, line: str, whole: bool):
        self.chat = chat
        self.out = out
        self.line = line
        self.whole = whole
        self.number = 0
        self.renumber = chat.option("regen_tool_call_ids", True)
        self.documents_sent = False
        self.seen: set[Any] = set()
        self.numbers: dict[Any, int] = {}
        for number, call in enumerate(call for message in chat.messages for call in message.tool_calls):
            self.numbers.setdefault(call.id, number)

    def write_documents(self, thought: str) -> None:
        """Write the documents, once, as the result of a call that the model never made."""
        if self.documents_sent or not self.chat.documents:
            return
        self.documents_sent = True
        self.number += 1
        self.out += CHATBOT, thought, '<|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": '
        self.out += '"direct-injected-document", "parameters": {}}\n]<|END_ACTION|>', END
        self.out += SYSTEM, "<|START_TOOL_RESULT|>[\n    "
        self._write_values("0", starmap(self.document, enumerate(self.chat.documents)))
        self.out += "\n]<|END_TOOL_RESULT|>", END

    def document(self, index: int, document: Mapping[str, Any]) -> tuple[Any, tuple[str | int, ...]]:
        """Return what is written of a document, and its path."""
        return document, ("documents", index)

    def write(self, message: Message) -> None:
        """Write the calls of a message."""
        self.out.append("<|START_ACTION|>[")
        for index, call in enumerate(message.tool_calls):
            number = str(self.number) if self.renumber else call.id or ""
            self.out += (
                "," if index else "",
                self.line,
                '    {"tool_call_id": "',
                number,
                '", "tool_name": "',
                call.name,
            )
            self.out += '", "parameters": ', self.chat.arguments(call), "}"
            self.number += 1
        self.out += self.line, "]<|END_ACTION|>"

    def write_results(self, message: Message) -> None:
        """Write a result and those that follow it as one turn."""
        if message.raw.get("tool_call_id") in self.seen:
            return
        self.out += SYSTEM, "<|START_TOOL_RESULT|>[\n    "
        self._write_result(message)
        for index in range(message.index + 1, len(self.chat.messages)):
            following = self.chat.messages[index]
            if following.role != "tool":
                break
            self.out.append(",\n    ")
            self.out.turn(following)
            self._write_result(following)
            self.seen.add(following.raw.get("tool_call_id"))
        self.out.turn(message)
        self.out += self.line, "]<|END_TOOL_RESULT|>", END

    def _write_result(self, message: Message) -> None:
        path = ("messages", message.index, "content")
        content = message.raw.get("content") or ""
        number = self._number_of(message)
        if self.whole:
            self._write_values(number, [(content, path)])
        elif isinstance(content, str):
            self._write(number, [self.chat.transformed(content, self._by_character, *path)])
        else:
            self._write_values(number, ((item, (*path, index)) for index, item in enumerate(content)))

    def _by_character(self, text: str) -> str:
        """Return a text as the maker's template writes it, which iterates over it as if it were a list of documents."""
        items = (
            f'{self.line}            "{index}": {dumps(each, ensure_ascii=False)}' for index, each in enumerate(text)
        )
        return ",".join(items)

    def _number_of(self, message: Message) -> str:
        """Return which call a result belongs to: the call's number, or its id where ids are kept."""
        wanted = message.raw.get("tool_call_id")
        if not self.renumber:
            text: str = self.chat.input(wanted or "", "messages", message.index, "tool_call_id")
            return text
        return str(self.numbers[wanted]) if wanted in self.numbers else ""

    def _write_values(self, number: str, values: Iterable[tuple[Any, tuple[str | int, ...]]]) -> None:
        """Write the result of a call: its values, each with the path at which it was given."""
        pieces: list[str] = []
        for index, (value, path) in enumerate(values):
            pieces += "," if index else "", self.line, f'            "{index}": ', self.chat.json(value, *path)
        self._write(number, pieces)

    def _write(self, number: str, results: Iterable[str]) -> None:
        self.out += '{\n        "tool_call_id": "', number, '",\n        "results": {', *results
        self.out += self.line, '        },\n        "is_error": null\n    }'
