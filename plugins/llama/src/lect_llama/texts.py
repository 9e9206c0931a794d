"""How the contents of messages become text, with the makers' own habits."""

from lect.plugin import Chat, Message, Writer, stripped


def write_printed(chat: Chat, out: Writer, message: Message) -> None:
    """Write the content without white space round it."""
    out.append(chat.shown(message).strip())


def write_joined(chat: Chat, out: Writer, message: Message) -> None:
    """Write all texts of the content as one, without white space round the whole; images are left out."""
    if not message.parts:
        out.append(message.content.strip())
        return
    texts: list[str] = [
        chat.given(part.raw["text"], *part.path, "text")
        for part in message.parts
        if isinstance(part.raw.get("text"), str)
    ]
    out += stripped(texts)


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
