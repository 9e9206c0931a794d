"""Calls, their results, and documents, which Command is given as if a tool had found them."""

from typing import Any

from lect.plugin import Chat, Message, Writer

CALLED = (
    '<|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "direct-injected-document", "parameters": {}}\n'
    "]<|END_ACTION|><|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|><|START_TOOL_RESULT|>[\n    {\n"
    '        "tool_call_id": "0",\n'
    '        "results": {'
)
FOUND = '},\n        "is_error": null\n    }\n]<|END_TOOL_RESULT|><|END_OF_TURN_TOKEN|>'


def write_documents(chat: Chat, out: Writer, thought: str, before: str, between: str, after: str) -> None:
    """Write the documents as the result of a call that the model never made."""
    out += "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>", thought, CALLED
    for index, document in enumerate(chat.documents):
        out += between if index else before, f'"{index}": ', chat.json(document, "documents", index)
    out += after, FOUND


class Calls:
    """Writes calls and results, which are numbered through the conversation.

    Args:
        chat: The conversation.
        out: Where to write.
        indent: What stands before a call besides four spaces: a line break, or nothing, where the maker's template
            swallows it.
    """

    def __init__(self, chat: Chat, out: Writer, *, indent: str):
        self.chat = chat
        self.out = out
        self.indent = indent
        self.number = 0
        self.renumber = chat.option("regen_tool_call_ids", True)
        self.documents_sent = False
        self.seen: list[Any] = []

    def write(self, message: Message) -> None:
        """Write the calls of a message."""
        self.out.append("<|START_ACTION|>[")
        for index, call in enumerate(message.tool_calls):
            number = str(self.number) if self.renumber else call.id or ""
            arguments = self.chat.json(call.arguments, *call.path, "arguments")
            self.out += (
                "," if index else "",
                self.indent,
                '    {"tool_call_id": "',
                number,
                '", "tool_name": "',
                call.name,
            )
            self.out += '", "parameters": ', arguments, "}"
            self.number += 1
        self.out += self.indent, "]<|END_ACTION|>"

    def write_results(self, message: Message, *, whole: bool) -> None:
        """Write a result and those that follow it as one turn; `whole`: each as one value, and not item by item."""
        if message.raw.get("tool_call_id") in self.seen:
            return
        out = self.out
        out.append("<|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|><|START_TOOL_RESULT|>[\n    ")
        self._write_result(message, whole=whole)
        for following in self.chat.messages[message.index + 1 :]:
            if following.role != "tool":
                break
            out.append(",\n    ")
            out.turn(following)
            self._write_result(following, whole=whole)
            self.seen.append(following.raw.get("tool_call_id"))
        out.turn(message)
        out += self.indent, "]<|END_TOOL_RESULT|><|END_OF_TURN_TOKEN|>"

    def _number_of(self, message: Message) -> str:
        """Return which call a result belongs to: its number, or where ids are kept, its id."""
        wanted = message.raw.get("tool_call_id")
        if not self.renumber:
            text: str = self.chat.given(wanted or "", "messages", message.index, "tool_call_id")
            return text
        calls = [call.id for each in self.chat.messages for call in each.tool_calls]
        return str(calls.index(wanted)) if wanted in calls else ""

    def _write_result(self, message: Message, *, whole: bool) -> None:
        out, where = self.out, ("messages", message.index, "content")
        content = message.raw.get("content") or ""
        space = f"{self.indent}            "
        out += '{\n        "tool_call_id": "', self._number_of(message), '",\n        "results": {'
        if whole:
            out += space, '"0": ', self.chat.json(content, *where), "\n        "
        else:
            # A text goes letter by letter: the maker's template walks through it as through a list of documents.
            for index, item in enumerate(content):
                out += "," if index else "", space, f'"{index}": ', self.chat.json(item, *where, index)
            out.append("        ")
        out.append('},\n        "is_error": null\n    }')
