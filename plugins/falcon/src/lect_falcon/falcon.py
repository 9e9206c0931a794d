"""The first Falcons: plain labels."""

from lect.plugin import Chat, Template, Turn, TurnTemplate, Writer

LABELS = {"system": "System: ", "user": "User: ", "assistant": "Falcon: "}
TOKENS = [
    ">>TITLE<<", ">>ABSTRACT<<", ">>INTRODUCTION<<", ">>SUMMARY<<", ">>COMMENT<<", ">>ANSWER<<", ">>QUESTION<<",
    ">>DOMAIN<<", ">>PREFIX<<", ">>SUFFIX<<", ">>MIDDLE<<", "<|endoftext|>",
]  # fmt: skip


def falcon_instruct(chat: Chat, out: Writer) -> None:
    """Write Falcon-7B-Instruct: no empty lines inside a message."""
    messages = chat.without_system
    chat.require_alternation(messages)
    if messages and chat.system:
        out.turn(chat.system)
        out.append(chat.system.content.strip())
        out.turn(None)
    for message in out.turns(messages):
        if message.role in ("user", "assistant"):
            label = "User" if message.role == "user" else "Assistant"
            out += "\n\n", label, ": ", message.content.strip().replace("\n\n", "\n")
    if chat.add_generation_prompt:
        out.append("\n\nAssistant:")


def falcon_180b(chat: Chat, out: Writer) -> None:
    """Write Falcon-180B-Chat: a line for each message, empty if the format has no label for the role."""
    messages = chat.messages
    for position, message in enumerate(out.turns(messages), 1):
        if message.role in LABELS:
            out += LABELS[message.role], message.content
        out.append("\n" if position < len(messages) or chat.add_generation_prompt else "")
    if chat.add_generation_prompt and not (messages and messages[-1].role == "assistant"):
        out.append("Falcon:")


FALCON_INSTRUCT = Template(
    "falcon-instruct",
    falcon_instruct,
    stop={"<|endoftext|>": 11},
    markers=["User: ", "Assistant: ", *TOKENS],
    text_separators=True,
    source="tiiuae/falcon-7b-instruct, tokenizer_config.json",
)
FALCON_180B = FALCON_INSTRUCT.but(
    name="falcon-180b-chat",
    program=falcon_180b,
    markers=[*LABELS.values(), *TOKENS],
    source="tiiuae/falcon-180B-chat, README.md; vllm-project/vllm, examples/template_falcon_180b.jinja",
)
FALCON_11B = TurnTemplate(
    "falcon-11b",
    system=Turn("System: ", "\n"),
    user=Turn("User: \n", "\n"),
    assistant=Turn("Falcon:\n", "\n"),
    empty="nothing",
    stop={"<|endoftext|>": 11},
    markers=["System: ", "User: \n", "Falcon:\n", ">>", *TOKENS],
    text_separators=True,
    source="tiiuae/falcon-11B, tokenizer_config.json",
)
