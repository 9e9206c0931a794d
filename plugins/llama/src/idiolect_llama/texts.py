"""How the contents of messages become text, with the makers' own habits."""

from idiolect.errors import MessageError
from idiolect.plugin import Chat, Message, Writer


def printed(chat: Chat, message: Message) -> str:
    """Return the content as the maker's `trim` gives it: text without white space round it, anything else the way Python shows it."""
    content = message.raw.get("content", "")
    if isinstance(content, str):
        return message.content.strip()
    # The first space is there to be taken away again: text that was changed knows its field, but claims no offset in it.
    shown: str = chat.given(f" {content}", "messages", message.index, "content")
    return shown.replace(" ", "", 1)


def write_printed(chat: Chat, out: Writer, message: Message) -> None:
    """Write the content as `printed` has it."""
    out.append(printed(chat, message))


def write_joined(chat: Chat, out: Writer, message: Message) -> None:
    """Write all texts of the content as one, without white space round the whole; images are left out."""
    if not message.parts:
        out.append(message.content.strip())
        return
    texts: list[str] = [chat.given(part.raw["text"], *part.path, "text") for part in message.parts if isinstance(part.raw.get("text"), str)]
    while texts and not texts[0].strip():
        del texts[0]
    while texts and not texts[-1].strip():
        del texts[-1]
    if texts:
        texts[0] = texts[0].lstrip()
        texts[-1] = texts[-1].rstrip()
        out += texts


def write_parts(chat: Chat, out: Writer, message: Message) -> None:
    """Write the content as it stands, with a placeholder for each image."""
    if not message.parts:
        out.append(message.content)
    for part in message.parts:
        if part.type == "image":
            out.append("<|image|>")
            out.used(*part.path)
        elif part.type == "text":
            out.append(part.text)


def date_string(chat: Chat) -> str | None:
    """Return the option of that name, or None.

    Raises:
        MessageError: If it is no text.
    """
    value = chat.option("date_string")
    if value is not None and not isinstance(value, str):
        msg = f"option date_string is {value!r} ({type(value).__name__}); expected text\n  try: date_string='26 Jul 2024'"
        raise MessageError(msg)
    text: str | None = chat.given(value, "options", "date_string")
    return text
