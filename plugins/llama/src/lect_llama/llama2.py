"""The formats of Llama 2 and Code Llama.

Turns are marked by plain text, and a conversation is refused unless its roles alternate.
"""

from collections.abc import Callable

from lect.plugin import Chat, Message, Template, Writer

MARKERS = ("[INST]", "[/INST]", "<<SYS>>", "<</SYS>>", "<s>", "</s>")


def llama2(chat: Chat, out: Writer) -> None:
    """Write Llama 2."""
    write_rounds(chat, out, lambda message: message.content)


def codellama(chat: Chat, out: Writer) -> None:
    """Write Code Llama of 7, 13 and 34 billion.

    As Llama 2, but a list of parts is shown as Python shows it, where Llama 2 cannot have one.
    """
    write_rounds(chat, out, chat.shown)


def write_rounds(chat: Chat, out: Writer, text_of: Callable[[Message], str]) -> None:
    """Write each question in [INST], each answer bare; the system text stands in the first question."""
    system = chat.system
    messages = chat.messages[1:] if system else chat.messages
    chat.require_alternation(messages)
    for message in out.turns(messages):
        if message.role == "assistant":
            out += " ", text_of(message).strip(), " ", chat.eos
        elif message.role == "user":
            out += chat.bos, "[INST] "
            if system is not None and message is messages[0]:
                write_system_and_question(out, system, message)
            else:
                out.append(text_of(message).strip())
            out.append(" [/INST]")


def write_system_and_question(out: Writer, system: Message, question: Message) -> None:
    """Write the two as the one text that the maker makes of them and then strips.

    What stands within keeps its white space.
    """
    out.turn(system)
    out += "<<SYS>>\n", system.content, "\n<</SYS>>"
    out.turn(question)
    text = question.content.rstrip()
    if text:
        out += "\n\n", text


def codellama_70b(chat: Chat, out: Writer) -> None:
    """Write Code Llama of 70 billion: every turn names its source.

    The prompt ends where the assistant speaks, asked for or not.
    """
    chat.require_alternation(chat.messages[1:] if chat.system else chat.messages)
    out.append(chat.bos)
    for message in out.turns(chat.messages):
        out += "Source: ", message.role, "\n\n ", chat.shown(message).strip(), " <step> "
    out.append("Source: assistant\nDestination: user\n\n ")


LLAMA2 = Template(
    "llama-2-chat",
    llama2,
    bos="<s>",
    eos="</s>",
    stop=["</s>"],
    stop_token_ids=[2],
    markers=MARKERS,
    text_separators=True,
    looks_for=(),
    source="meta-llama/Llama-2-7b-chat-hf, tokenizer_config.json",
)
CODELLAMA = Template(
    "codellama-instruct",
    codellama,
    bos="<s>",
    eos="</s>",
    stop=["</s>"],
    stop_token_ids=[2],
    markers=MARKERS,
    text_separators=True,
    looks_for=(),
    source="codellama/CodeLlama-34b-Instruct-hf, tokenizer_config.json",
)
CODELLAMA_70B = Template(
    "codellama-70b-instruct",
    codellama_70b,
    bos="<s>",
    stop=["<step>", "</s>"],
    # Not that of `<step>`, which no source outside the model's own files confirms.
    stop_token_ids=[2],
    markers=["<step>", "Source: system", "Source: user", "Source: assistant", "Destination: user", "<s>", "</s>"],
    # <step> is a token of its own, but who speaks is said in plain text.
    text_separators=True,
    looks_for=(),
    source="codellama/CodeLlama-70b-Instruct-hf, tokenizer_config.json",
)
