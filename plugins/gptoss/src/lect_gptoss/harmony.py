"""The harmony format: every message says who speaks, to whom, and in which channel."""

from lect.plugin import Chat, Message, Template, Writer
from lect.plugin.grammar import CallSyntax, Channels, Grammar, NamedJson, ReplyFormat
from lect_gptoss.builtin import BROWSER, PYTHON
from lect_gptoss.typescript import write_namespace

HARMONY_MESSAGES = ReplyFormat(
    Grammar(
        "harmony",
        channels=Channels(
            start=("<|start|>",),
            bodies=(("<|message|>", ""),),
            end=("<|end|>",),
            stop=("<|call|>",),
            to=r"\bto=([^\s<]+)",
            channel=r"<\|channel\|>\s*([^\s<]+)",
            opening=("<|channel|>", "<|constrain|>", "<|message|>", " to=", "to="),
            reasoning=("analysis",),
            content=("final", "commentary"),
            everyone=("assistant", "user", "all"),
            call=CallSyntax(NamedJson("code"), rename=r"functions\.(.+)"),
            restart=True,
            keep=True,
        ),
        stripped=r"analysis.*?assistant(?:final|commentary)",
    ),
    stop=("<|return|>", "<|call|>"),
    names="gpt-oss",
    example=(
        "<|channel|>analysis<|message|>Look.<|end|><|start|>assistant<|channel|>commentary to=functions.get_weather "
        '<|constrain|>json<|message|>{"city": "Paris"}<|call|>'
    ),
    model_types=("gpt_oss",),
)

MARKERS = {
    "<|startoftext|>": 199998, "<|endoftext|>": 199999, "<|return|>": 200002, "<|constrain|>": 200003,
    "<|channel|>": 200005, "<|start|>": 200006, "<|end|>": 200007, "<|message|>": 200008, "<|call|>": 200012,
    "<|endofprompt|>": 200018, "<|reserved_{}|>": None,
}  # fmt: skip
TAGS = ("<|channel|>analysis<|message|>", "<|channel|>final<|message|>")


def write_system(chat: Chat, out: Writer) -> None:
    """Write who the model is, what day it is, how hard to think, and which tools are built in."""
    identity = chat.text_option("model_identity", "You are ChatGPT, a large language model trained by OpenAI.")
    out += "<|start|>system<|message|>", identity, "\nKnowledge cutoff: 2024-06\n"
    out += "Current date: ", chat.date().isoformat(), "\n\n"
    out += "Reasoning: ", chat.text_option("reasoning_effort", "medium"), "\n\n"
    builtin = chat.option("builtin_tools", kind="names")
    if builtin:
        out.append("# Tools\n\n")
        out += BROWSER if "browser" in builtin else "", PYTHON if "python" in builtin else ""
    out.append("# Valid channels: analysis, commentary, final. Channel must be included for every message.")
    if chat.tools:
        out.append("\nCalls to these tools must go to the commentary channel: 'functions'.")
    out.append("<|end|>")


def write_developer(chat: Chat, out: Writer, first: Message | None) -> None:
    """Write the instructions, which other models call the system text, and the tools."""
    instructions = first.content if first else ""
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
        RefusedError: If the content or the reasoning contains the opening of a channel.
    """
    for field, text in (("content", message.content), ("reasoning", message.reasoning or "")):
        if any(tag in text for tag in TAGS):
            chat.refuse(
                f"the {field} of message {message.index} contains <|channel|> tags",
                instead="put the analysis into reasoning_content and the final text into content",
            )


def write_call(chat: Chat, out: Writer, message: Message, *, answered: bool) -> str:
    """Write the first call of a message and return its name.

    The thought before it is kept until there is a final answer. The maker's template takes content for the thought, and
    refuses a message that has both; the guide to the format has a channel for such content, and keeps it.
    """
    thought = message.reasoning or message.content
    if thought and not answered:
        out += "<|start|>assistant<|channel|>analysis<|message|>", thought, "<|end|>"
    if message.content and message.reasoning:
        out += "<|start|>assistant<|channel|>commentary<|message|>", message.content, "<|end|>"
    out.by_rule(thought)
    call = message.tool_calls[0]
    function = call.raw.get("function") or call.raw
    kind = "json"
    if "content_type" in function:
        kind = chat.input(function["content_type"], *call.path, "content_type")
    out += "<|start|>assistant to=functions.", call.name, "<|channel|>commentary ", kind, "<|message|>"
    out += chat.arguments(call), "<|call|>"
    return call.name


def harmony(chat: Chat, out: Writer) -> None:
    """Write gpt-oss. Of the calls of a message only the first is written, as in the maker's template."""
    write_system(chat, out)
    first = chat.messages[0] if chat.messages and chat.messages[0].role in ("developer", "system") else None
    write_developer(chat, out, first)
    messages = chat.messages[1:] if first else chat.messages
    answers = [at for at, each in enumerate(messages) if each.role == "assistant" and not each.tool_calls]
    last_answer = answers[-1] if answers else -1
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
            result = chat.json(message.raw.get("content", ""), "messages", message.index, "content")
            out += "<|start|>functions.", called, " to=assistant<|channel|>commentary<|message|>", result, "<|end|>"
        elif message.role == "assistant":
            check_tags(chat, message)
            if message.tool_calls:
                called = write_call(chat, out, message, answered=position < last_answer)
            elif position + 1 == len(messages) and not chat.add_generation_prompt:
                # A conversation ends like this only in training: the thought is kept, and the turn is closed as the
                # model closes it.
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
    options={"model_identity": str, "reasoning_effort": str, "builtin_tools": None, "date": None},
    stop={"<|return|>": 200002, "<|call|>": 200012, "<|endoftext|>": 199999},
    markers=MARKERS,
    reply=HARMONY_MESSAGES.grammar,
    source="openai/gpt-oss-20b, chat_template.jinja; openai/harmony, docs/format.md: preambles",
)
