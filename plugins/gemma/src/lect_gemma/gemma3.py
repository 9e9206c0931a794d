"""Gemma 1, 2, 3 and 3n: user and model take turns; a system text, where there may be one, opens the first turn."""

from functools import partial

from lect.plugin import Chat, Message, Template, Writer

BOS = "<bos>"
EOS = "<eos>"
STOP = ("<end_of_turn>", "<eos>")
STOP_IDS = (106, 1)
MARKERS = ("<start_of_turn>", "<end_of_turn>", "<bos>", "<eos>")


def speaker(message: Message) -> str:
    """Return the format's word for a role."""
    return "model" if message.role == "assistant" else message.role


def gemma(chat: Chat, out: Writer) -> None:
    """Write Gemma 1 and 2, which have no system role."""
    if chat.system:
        chat.refuse("there is no system role", instead="put the system text in front of the first user message")
    chat.require_alternation(chat.messages)
    out.append(chat.bos)
    for message in out.turns(chat.messages):
        out += "<start_of_turn>", speaker(message), "\n", chat.shown(message).strip(), "<end_of_turn>\n"
    if chat.add_generation_prompt:
        out.append("<start_of_turn>model\n")


def gemma3(chat: Chat, out: Writer, *, media: dict[str, str], whole_system: bool) -> None:
    """Write Gemma 3: parts are stripped one by one, and media are placeholders."""
    system = chat.system
    messages = chat.messages[1:] if system else chat.messages
    chat.require_alternation(messages)
    out.append(chat.bos)
    for message in out.turns(messages):
        out += "<start_of_turn>", speaker(message), "\n"
        if system and message is messages[0]:
            out += system.parts[0].text if system.parts and not whole_system else system.content, "\n\n"
        if message.raw.get("content", "") is None:
            chat.refuse(f"message {message.index} has no content", instead="an empty text")
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
    bos=BOS,
    capabilities=[],
    stop=STOP,
    stop_token_ids=[107, 1],
    markers=MARKERS,
    looks_for=(),
    source="google/gemma-2b-it, tokenizer_config.json",
)


def _template(name: str, source: str, media: dict[str, str], *capabilities: str, whole_system: bool) -> Template:
    return Template(
        name,
        partial(gemma3, media=media, whole_system=whole_system),
        bos=BOS,
        capabilities=["system", *capabilities],
        stop=STOP,
        stop_token_ids=STOP_IDS,
        markers=[*MARKERS, *media.values()],
        looks_for=(),
        source=source,
    )


GEMMA3 = _template(
    "gemma-3", "google/gemma-3-4b-it, chat_template.json", {"image": "<start_of_image>"}, "images", whole_system=True
)
GEMMA3_1B = _template(
    "gemma-3-1b",
    "google/gemma-3-1b-it, tokenizer_config.json",
    {"image": "<start_of_image>"},
    "images",
    whole_system=False,
)
GEMMA3N = _template(
    "gemma-3n",
    "google/gemma-3n-E4B-it, chat_template.jinja",
    {"audio": "<audio_soft_token>", "image": "<image_soft_token>"},
    "images",
    "audio",
    whole_system=False,
)
