"""What Llama 3.1 to 4 share: the texts about tools, calls and results, and content with images."""

from lect.plugin import Call, Chat, Message, Writer


def tool_texts(chat: Chat) -> tuple[list[str], list[str]]:
    """Return what the system turn says about the tools, and what the first user turn says. One of them is empty.

    The tools are those of the option `custom_tools` where it is given, even if it is None.

    Raises:
        RefusedError: If there is no message to write the tools into.
    """
    custom = "custom_tools" in chat.options
    tools = chat.option("custom_tools", kind="mappings") if custom else chat.tools or None
    if tools is None:
        return [], []
    path = ("options", "custom_tools") if custom else ("tools",)
    # The makers put no space between these sentences.
    text = [
        'Respond in the format {"name": function name, "parameters": dictionary of argument name and its value}.'
        "Do not use variables.\n\n"
    ]
    for index, tool in enumerate(tools):
        text += chat.json(tool, *path, index, indent=4), "\n\n"
    if not chat.option("tools_in_user_message", True):
        about = (
            "You have access to the following functions. To call a function, please respond with JSON for a function "
            "call."
        )
        return [about, *text], []
    if not chat.without_system:
        chat.refuse(
            "tools are written into the first user message, and there is none",
            instead="add a user message, or tools_in_user_message=False",
        )
    about = (
        "Given the following functions, please respond with a JSON for a function call with its proper arguments that "
        "best answers the given prompt.\n\n"
    )
    return [], [about, *text]


def call_json(chat: Chat, call: Call) -> tuple[str, ...]:
    """Return a call as JSON."""
    return '{"name": "', call.name, '", "parameters": ', chat.arguments(call), "}"


def result_json(chat: Chat, message: Message) -> str:
    """Return the result of a tool as JSON, even if it is text."""
    content = message.raw.get("content")
    return chat.json("" if content is None else content, "messages", message.index, "content")


def write_parts(out: Writer, message: Message) -> None:
    """Write the content as it is, with a placeholder for each image."""
    if not message.parts:
        out.append(message.content)
    for part in message.parts:
        if part.type == "image":
            out.append("<|image|>")
            out.used(*part.path)
        elif part.type == "text":
            out.append(part.text)
