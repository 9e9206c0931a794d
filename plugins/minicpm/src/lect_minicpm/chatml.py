"""What the ChatML formats of MiniCPM share."""

from collections.abc import Sequence

from lect.plugin import Chat, Message, Writer

NO_THOUGHT = "<think>\n\n</think>\n\n"


def last_question(messages: Sequence[Message]) -> int:
    """Return the index of the user's last question; that of the last message where there is none.

    A user message in the tags of a tool's result is not a question.
    """
    questions = [
        message.index
        for message in messages
        if message.role == "user"
        and not (message.content.startswith("<tool_response>") and message.content.endswith("</tool_response>"))
    ]
    return questions[-1] if questions else len(messages) - 1


def write_thought(out: Writer, thought: str, content: str) -> None:
    """Write a thought and the answer after it."""
    out += "<think>\n", thought.strip("\n"), "\n</think>\n\n", content.lstrip("\n")


def write_result(chat: Chat, out: Writer, message: Message) -> None:
    """Write the result of a tool. Consecutive results share one user turn."""
    if chat.begins_run(message):
        out.append("<|im_start|>user")
    out += "\n<tool_response>\n", message.content, "\n</tool_response>"
    if chat.ends_run(message):
        out.append("<|im_end|>\n")


def write_generation(chat: Chat, out: Writer) -> None:
    """Write the opening of the answer: with a thought, without one, or leaving that to the model."""
    if chat.add_generation_prompt:
        out.append("<|im_start|>assistant\n")
        thinks = chat.option("enable_thinking")
        if thinks is False:
            out.append(NO_THOUGHT)
        elif thinks is True:
            out.append("<think>\n")
