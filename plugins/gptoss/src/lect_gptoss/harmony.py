"""The harmony format: every message says who speaks, to whom, and in which channel."""

from collections.abc import Sequence

from lect.plugin import Chat, Message, Template, Writer
from lect_gptoss.builtin import BROWSER, PYTHON
from lect_gptoss.typescript import write_namespace

IDENTITY = "You are ChatGPT, a large language model trained by OpenAI."
TAGS = ("<|channel|>analysis<|message|>", "<|channel|>final<|message|>")


def write_system(chat: Chat, out: Writer) -> None:
    """Write who the model is, what day it is, how hard to think, and what it has built in."""
    out += "<|start|>system<|message|>", chat.text_option("model_identity", IDENTITY), "\nKnowledge cutoff: 2024-06\n"
    out += (
        "Current date: ",
        chat.date().strftime("%Y-%m-%d"),
        "\n\nReasoning: ",
        chat.text_option("reasoning_effort", "medium"),
        "\n\n",
    )
    builtin = chat.option("builtin_tools")
    if builtin:
        out.append("# Tools\n\n")
        out += BROWSER if "browser" in builtin else "", PYTHON if "python" in builtin else ""
    out.append("# Valid channels: analysis, commentary, final. Channel must be included for every message.")
    if chat.tools:
        out.append("\nCalls to these tools must go to the commentary channel: 'functions'.")
    out.append("<|end|>")


def write_developer(chat: Chat, out: Writer, first: Message | None) -> None:
    """Write the instructions, which are the system text of other models, and the tools."""
    instructions = chat.shown(first) if first and first.raw.get("content") else ""
    if not (instructions or chat.tools):
        return
    out.append("<|start|>developer<|message|>")
    if instructions:
        out.turn(first)
        out += "# Instructions\n\n", instructions, "\n\n"
        out.turn(None)
    if chat.tools:
        out.append("# Tools\n\n")
        write_namespace(chat, out)
    out.append("<|end|>")


def check_tags(chat: Chat, message: Message) -> None:
    """Refuse channels that were written by hand.

    Raises:
        RefusedError: If the content or the reasoning holds the opening of a channel.
    """
    for field, text in (("content", message.content), ("reasoning", message.reasoning or "")):
        if any(tag in text for tag in TAGS):
            chat.refuse(
                f"the {field} of message {message.index} holds <|channel|> tags",
                instead="put the analysis into reasoning_content and the final text into content",
            )


def write_call(chat: Chat, out: Writer, message: Message, *, answered: bool) -> str:
    """Write the first call of a message and return its name.

    What was thought before it is kept until there is a final answer.
    """
    if message.content and message.reasoning:
        chat.refuse(
            "a message with a tool call cannot have both content and reasoning",
            instead="put the analysis into one of them",
        )
    thought = message.content or message.reasoning
    if thought and not answered:
        out += "<|start|>assistant<|channel|>analysis<|message|>", thought, "<|end|>"
    out.by_rule(message.reasoning)
    out.by_rule(message.content)
    call = message.tool_calls[0]
    function = call.raw.get("function") or call.raw
    kind = (
        chat.given(function.get("content_type", "json"), *call.path, "content_type")
        if "content_type" in function
        else "json"
    )
    out += "<|start|>assistant to=functions.", call.name, "<|channel|>commentary ", kind, "<|message|>"
    out += chat.json(call.arguments, *call.path, "arguments"), "<|call|>"
    return call.name


def answered_later(messages: Sequence[Message], position: int) -> bool:
    """Return whether a final answer follows."""
    return any(message.role == "assistant" and not message.tool_calls for message in messages[position + 1 :])


def harmony(chat: Chat, out: Writer) -> None:
    """Write gpt-oss. A message holds one call; further ones are dropped, as the maker's template does."""
    write_system(chat, out)
    first = chat.messages[0] if chat.messages and chat.messages[0].role in ("developer", "system") else None
    write_developer(chat, out, first)
    messages = chat.messages[1:] if first else chat.messages
    called: str | None = None
    for position, message in enumerate(out.turns(messages)):
        if message.role == "user":
            out += "<|start|>user<|message|>", message.content, "<|end|>"
        elif message.role == "tool":
            if called is None:
                chat.refuse(
                    f"message {message.index} is a tool's, but no call came before it",
                    instead="put the assistant's tool call first",
                )
            where = ("messages", message.index, "content")
            result = chat.json(message.raw.get("content", ""), *where)
            out += "<|start|>functions.", called, " to=assistant<|channel|>commentary<|message|>", result, "<|end|>"
        elif message.role == "assistant":
            check_tags(chat, message)
            if message.tool_calls:
                called = write_call(chat, out, message, answered=answered_later(messages, position))
            elif position + 1 == len(messages) and not chat.add_generation_prompt:
                # Only in training does a conversation end like this; there the thought is kept, and the end is the one
                # that the model writes.
                if message.reasoning is not None:
                    out += "<|start|>assistant<|channel|>analysis<|message|>", message.reasoning, "<|end|>"
                out += "<|start|>assistant<|channel|>final<|message|>", message.content, "<|return|>"
            else:
                out += "<|start|>assistant<|channel|>final<|message|>", message.content, "<|end|>"
                out.by_rule(message.reasoning)
                called = None
    if chat.add_generation_prompt:
        out.append("<|start|>assistant")


HARMONY = Template(
    "gpt-oss",
    harmony,
    roles=["system", "developer", "user", "assistant", "tool"],
    capabilities=["system", "tools", "reasoning"],
    options=["model_identity", "reasoning_effort", "builtin_tools", "date"],
    stop=["<|return|>", "<|call|>", "<|endoftext|>"],
    stop_token_ids=[200002, 200012, 199999],
    markers=[
        "<|start|>",
        "<|end|>",
        "<|message|>",
        "<|channel|>",
        "<|constrain|>",
        "<|return|>",
        "<|call|>",
        "<|startoftext|>",
        "<|endoftext|>",
    ],
    looks_for=TAGS,
    reply="harmony",
    source="openai/gpt-oss-20b, chat_template.jinja",
)
