"""The content of messages, as read by the formats of Mistral that take parts."""

from lect.plugin import Chat, Message, Writer


def system_text(chat: Chat, message: Message) -> str:
    """Return the text of a system message; if its content is in parts, only that of the first.

    Raises:
        RefusedError: If the first part is not text.
    """
    if not message.parts:
        return message.content
    part = message.parts[0]
    if part.type != "text":
        chat.refuse(f"the content of a system message begins with {part.type!r}", instead="text")
    return part.text


def texts_of(message: Message) -> list[str]:
    """Return the text of a message, or its text parts."""
    return [part.text for part in message.parts if part.type == "text"] if message.parts else [message.content]


def write_content(chat: Chat, out: Writer, message: Message) -> None:
    """Write text, and images as placeholders.

    Raises:
        RefusedError: If there is anything else.
    """
    if not message.parts:
        out.append(message.content)
    for part in message.parts:
        if part.type == "image":
            out.append("[IMG]")
            out.used(*part.path)
        elif part.type == "text":
            out.append(part.text)
        else:
            chat.refuse(f"content of type {part.type!r} is not supported", instead="text and images only")
