"""Nemotron 3 Nano Omni: Nemotron 3 with images, videos and sound, and words in the messages that switch thinking."""

from functools import partial

from lect.plugin import Chat, Message, Writer, stripped
from lect_nemotron.nemotron3 import NEMOTRON3, write_opening, write_system, write_turns

PLACEHOLDERS = {"image": "<image>", "video": "<video>", "audio": "<so_embedding>"}
KEPT = "<_end_think>"
"""What stands for `</think>` while the words that switch thinking are removed, and is read as it afterwards."""


def omni(chat: Chat, out: Writer) -> None:
    """Write Nemotron 3 Nano Omni."""
    write_system(chat, out, without_switches(chat.content(chat.system)) if chat.system else "")
    write_turns(chat, out, partial(question, chat, out), version="3")
    write_opening(chat, out, thinks=thinks(chat))


def thinks(chat: Chat) -> bool:
    """Return whether the model is to think: the last text that switches it decides, else the option."""
    think = bool(chat.option("enable_thinking", True))
    for message in chat.messages:
        if message.role in ("user", "system"):
            for text in [part.text for part in message.parts if part.type == "text"] or [message.content]:
                if "/think" in text.replace("</think>", ""):
                    think = True
                elif "/no_think" in text:
                    think = False
    return think


def without_switches(text: str) -> str:
    """Return a text without the words that switch thinking."""
    return text.replace("</think>", KEPT).replace("/think", "").replace("/no_think", "").replace(KEPT, "</think>")


def question(chat: Chat, out: Writer, message: Message) -> list[str]:
    """Return what a user or a later system message says: placeholders before the text, a budget after the last."""
    text = message.content
    if message.role not in ("user", "system"):
        return [text]
    pieces = [*placeholders(out, message), text.lstrip("\n")] if message.parts else [text]
    pieces[-1] = without_switches(pieces[-1])
    said = stripped(pieces)
    budget = chat.option("reasoning_budget")
    if budget is not None and message.role == "user" and not asked_again(chat, message):
        said += "\n\n{thinking token budget: ", chat.text(budget, "options", "reasoning_budget"), "}"
    return said


def asked_again(chat: Chat, message: Message) -> bool:
    """Return whether another question follows."""
    return any(later.role == "user" for later in chat.messages[message.index + 1 :])


def placeholders(out: Writer, message: Message) -> list[str]:
    """Return the placeholders for what is not text; none of a kind of which the text itself holds one."""
    counts = dict.fromkeys(PLACEHOLDERS, 0)
    for part in message.parts:
        if part.type in counts:
            counts[part.type] += 1
            out.used(*part.path)
    images, videos, sounds = (0 if PLACEHOLDERS[kind] in message.content else count for kind, count in counts.items())
    numbered = " ".join(f"<image {number}><image>" for number in range(1, images + 1)) if images > 1 else "<image>"
    return [*[f"{numbered}\n"] * bool(images), *["<video>\n"] * videos, *["<so_embedding>\n"] * sounds]


OMNI = NEMOTRON3.but(
    name="nemotron-3-omni",
    program=omni,
    capabilities=["system", "tools", "parallel_tools", "reasoning", "images", "video", "audio"],
    options={"enable_thinking": bool, "truncate_history_thinking": bool, "reasoning_budget": int},
    accepts=["parts"],
    markers=[*NEMOTRON3.markers, "<image>", "<video>", "<so_embedding>"],
    source="nvidia/Nemotron-3-Nano-Omni-30B-A3B-Reasoning, chat_template.jinja, as in transformers and Ollama",
    evidence="second-hand",
)
