"""Gemma 1, 2, 3 and 3n: user and model take turns; a system text, where allowed, opens the first turn."""

from collections.abc import Mapping
from functools import partial

from lect.plugin import Chat, Message, Template, Writer
from lect_gemma import media

MARKERS = ("<start_of_turn>", "<end_of_turn>", "<bos>", "<eos>", "<pad>", "<unk>", "<mask>", "<unused{}>")
GEMMA3_MARKERS = (*MARKERS, "<start_of_image>", "<end_of_image>", "<image_soft_token>")
GEMMA3N_MARKERS = (*MARKERS, "<audio_soft_token>", "<image_soft_token>")


def speaker(message: Message) -> str:
    """Return the format's name for a role."""
    return "model" if message.role == "assistant" else message.role


def gemma(chat: Chat, out: Writer) -> None:
    """Write Gemma 1 and 2, which have no system role."""
    if chat.system:
        chat.refuse("there is no system role", instead="put the system text in front of the first user message")
    chat.require_alternation(chat.messages)
    out.append(chat.bos)
    for message in out.turns(chat.messages):
        out += "<start_of_turn>", speaker(message), "\n", message.content.strip(), "<end_of_turn>\n"
    if chat.add_generation_prompt:
        out.append("<start_of_turn>model\n")


def gemma3(chat: Chat, out: Writer, *, media: Mapping[str, str], whole_system: bool) -> None:
    """Write Gemma 3: parts are stripped one by one, and media are placeholders.

    With `whole_system`, all parts of a system message are written, not only the first.
    """
    system = chat.system
    messages = chat.without_system
    chat.require_alternation(messages)
    out.append(chat.bos)
    for message in out.turns(messages):
        out += "<start_of_turn>", speaker(message), "\n"
        if system and message is messages[0]:
            out += system.parts[0].text if system.parts and not whole_system else system.content, "\n\n"
        if not message.parts:
            out.append(message.content.strip())
        for part in message.parts:
            if part.type in media:
                out.append(media[part.type])
                out.used(*part.path)
            else:
                out.append(part.text.strip())
        out.append("<end_of_turn>\n")
    if chat.add_generation_prompt:
        out.append("<start_of_turn>model\n")


GEMMA = Template(
    "gemma",
    gemma,
    roles=["user", "assistant"],
    bos="<bos>",
    capabilities=[],
    stop={"<end_of_turn>": 107, "<eos>": 1},
    markers=MARKERS,
    control_tokens=MARKERS,
    source="google/gemma-2b-it, tokenizer_config.json",
)
GEMMA3 = GEMMA.but(
    name="gemma-3",
    program=partial(gemma3, media={"image": "<start_of_image>"}, whole_system=True),
    roles=["system", "user", "assistant"],
    capabilities=["system", "images"],
    accepts=["parts"],
    stop={"<end_of_turn>": 106, "<eos>": 1},
    markers=GEMMA3_MARKERS,
    control_tokens=GEMMA3_MARKERS,
    media=media.GEMMA3,
    source="google/gemma-3-4b-it, chat_template.json",
)
GEMMA3_1B = GEMMA3.but(
    name="gemma-3-1b",
    program=partial(gemma3, media={"image": "<start_of_image>"}, whole_system=False),
    media={},
    source="google/gemma-3-1b-it, tokenizer_config.json",
)
GEMMA3N = GEMMA3.but(
    name="gemma-3n",
    program=partial(gemma3, media={"audio": "<audio_soft_token>", "image": "<image_soft_token>"}, whole_system=False),
    capabilities=["system", "images", "audio"],
    markers=GEMMA3N_MARKERS,
    control_tokens=GEMMA3N_MARKERS,
    media=media.GEMMA3N,
    source="google/gemma-3n-E4B-it, chat_template.jinja",
)
