"""DeepSeek-V3, R1 and the models distilled from R1."""

from collections.abc import Callable
from functools import partial

from lect.plugin import Call, Chat, Message, Template, Writer
from lect_deepseek.plain import BOS, EOS

MARKERS = (
    BOS,
    EOS,
    "<｜User｜>",
    "<｜Assistant｜>",
    "<｜tool▁calls▁begin｜>",
    "<｜tool▁calls▁end｜>",
    "<｜tool▁call▁begin｜>",
    "<｜tool▁call▁end｜>",
    "<｜tool▁outputs▁begin｜>",
    "<｜tool▁outputs▁end｜>",
    "<｜tool▁output▁begin｜>",
    "<｜tool▁output▁end｜>",
    "<｜tool▁sep｜>",
    "<think>",
    "</think>",
)


def write_systems(chat: Chat, out: Writer) -> None:
    """Write the system texts, wherever they stand, before everything else."""
    systems = [message for message in chat.messages if message.role == "system"]
    for index, message in enumerate(systems):
        out.turn(message)
        if index:
            out.append("\n\n")
        out.append(message.content)
    out.turn(None)


def write_last_system(chat: Chat, out: Writer) -> None:
    """Write the last system text before everything else; the others are dropped."""
    systems = [message for message in chat.messages if message.role == "system"]
    if systems:
        out.turn(systems[-1])
        out.append(chat.shown(systems[-1]))
        out.turn(None)


def write_call(chat: Chat, out: Writer, call: Call) -> None:
    """Write one call: its type, its name, and its arguments as fenced JSON."""
    arguments = chat.json(call.arguments, *call.path, "arguments") if call.text is None else call.text
    where = call.path[:-1] if call.path[-1] == "function" else call.path
    kind = chat.given(call.raw["type"], *where, "type") if "type" in call.raw else "function"
    out += (
        "<｜tool▁call▁begin｜>",
        kind,
        "<｜tool▁sep｜>",
        call.name,
        "\n```json\n",
        arguments,
        "\n```<｜tool▁call▁end｜>",
    )


def has_calls(message: Message, *, r1: bool) -> bool:
    """Return whether a message is written as calls.

    In R1 wherever it has some, in the others only where it says nothing else.
    """
    return "tool_calls" in message.raw if r1 else message.raw.get("content") is None


def answer(message: Message) -> str:
    """Return the content without the thought that precedes it."""
    return message.content.split("</think>")[-1]


class Turns:
    """Writes the turns. What is said after a tool depends on whether it is the first to say something."""

    def __init__(self, chat: Chat, out: Writer, *, r1: bool):
        self.chat = chat
        self.out = out
        self.r1 = r1
        self.called = False
        self.answered = False
        self.after_tool = False

    def calls(self, message: Message) -> None:
        """Write calls.

        The first of a conversation opens the list; V3 closes it after each later one, R1 after each message.
        """
        out = self.out
        for call in message.tool_calls:
            if self.called:
                out.append("\n")
                write_call(self.chat, out, call)
                if not self.r1:
                    out += "<｜tool▁calls▁end｜>", EOS
            else:
                out += "<｜Assistant｜>", message.content, "<｜tool▁calls▁begin｜>"
                write_call(self.chat, out, call)
                self.called = True
        if self.r1:
            out += "<｜tool▁calls▁end｜>", EOS
        self.after_tool = False

    def result(self, message: Message) -> None:
        """Write what a tool answered. The first result of a conversation opens the list."""
        if not self.answered:
            self.out.append("<｜tool▁outputs▁begin｜>")
        elif not self.r1:
            self.out.append("\n")
        self.out += "<｜tool▁output▁begin｜>", message.content, "<｜tool▁output▁end｜>"
        self.answered = self.after_tool = True

    def answer(self, message: Message, text: str) -> None:
        """Write an answer, which needs no opening after the result of a tool."""
        if self.after_tool:
            self.out += "<｜tool▁outputs▁end｜>", message.content, EOS
        else:
            self.out += "<｜Assistant｜>", text, EOS
        self.after_tool = False


def write(chat: Chat, out: Writer, *, systems: Callable[[Chat, Writer], None], r1: bool, thinks: bool) -> None:
    """Write V3 and what is made like it: R1 thinks before it answers, and so do the models distilled from it."""
    out.append(chat.bos)
    systems(chat, out)
    turns = Turns(chat, out, r1=r1)
    for message in out.turns(chat.messages):
        if message.role == "user":
            out += "<｜User｜>", message.content
            turns.after_tool = False
        elif message.role == "tool":
            turns.result(message)
        elif message.role == "assistant":
            if has_calls(message, r1=r1):
                turns.calls(message)
            else:
                turns.answer(message, answer(message) if thinks else message.content)
            out.by_rule(message.reasoning if thinks else None)
    if turns.after_tool:
        out.append("<｜tool▁outputs▁end｜>")
    elif chat.add_generation_prompt:
        out.append("<｜Assistant｜><think>\n" if thinks else "<｜Assistant｜>")


def _template(
    name: str,
    source: str,
    *,
    systems: Callable[[Chat, Writer], None] = write_systems,
    r1: bool = False,
    thinks: bool = False,
) -> Template:
    return Template(
        name,
        partial(write, systems=systems, r1=r1, thinks=thinks),
        roles=["system", "user", "assistant", "tool"],
        bos=BOS,
        capabilities=["system", "parallel_tools", *(["reasoning"] if thinks else [])],
        stop=[EOS],
        # A distilled model has the vocabulary of what it was made of, Llama's or Qwen's: no id is right for all.
        stop_token_ids=[] if systems is write_last_system else [1],
        markers=MARKERS,
        looks_for=("</think>",) if thinks else (),
        reply="deepseek_r1" if thinks else "deepseek_v3",
        source=source,
    )


V3 = _template("deepseek-v3", "deepseek-ai/DeepSeek-V3, tokenizer_config.json")
R1 = _template("deepseek-r1", "deepseek-ai/DeepSeek-R1, tokenizer_config.json", r1=True, thinks=True)
R1_DISTILL = _template(
    "deepseek-r1-distill",
    "deepseek-ai/DeepSeek-R1-Distill-Llama-8B, tokenizer_config.json",
    systems=write_last_system,
    thinks=True,
)
