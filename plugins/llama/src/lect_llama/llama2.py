"""The formats of Llama 2 and Code Llama.

Turns are marked by plain text, and a conversation is refused unless its roles alternate.
"""

from lect.plugin import Chat, Template, Writer


def llama2(chat: Chat, out: Writer) -> None:
    """Write each question in [INST], each answer bare; the system text is in the first question."""
    system = chat.system
    messages = chat.without_system
    chat.require_alternation(messages)
    for message in out.turns(messages):
        if message.role == "assistant":
            out += " ", message.content.strip(), " ", chat.eos
        elif message.role == "user":
            out += chat.bos, "[INST] "
            if system is not None and message is messages[0]:
                # The maker strips the two texts as one: inner white space is kept.
                out.turn(system)
                out += "<<SYS>>\n", system.content, "\n<</SYS>>"
                out.turn(message)
                question = message.content.rstrip()
                if question:
                    out += "\n\n", question
            else:
                out.append(message.content.strip())
            out.append(" [/INST]")


def codellama_70b(chat: Chat, out: Writer) -> None:
    """Write Code Llama 70B: every turn names its source.

    The prompt ends with the opening of an answer, requested or not.
    """
    chat.require_alternation(chat.without_system)
    out.append(chat.bos)
    for message in out.turns(chat.messages):
        out += "Source: ", message.role, "\n\n ", message.content.strip(), " <step> "
    out.append("Source: assistant\nDestination: user\n\n ")


LLAMA2 = Template(
    "llama-2-chat",
    llama2,
    bos="<s>",
    eos="</s>",
    stop={"</s>": 2},
    # The tokens of the vocabulary, and the plain text that separates the turns.
    markers={"<unk>": 0, "<s>": 1, "</s>": 2, "[INST]": None, "[/INST]": None, "<<SYS>>": None, "<</SYS>>": None},
    text_separators=True,
    looks_for=(),
    source="meta-llama/Llama-2-7b-chat-hf, tokenizer_config.json",
)
CODELLAMA = LLAMA2.but(
    name="codellama-instruct",
    source="codellama/CodeLlama-34b-Instruct-hf, tokenizer_config.json",
)
CODELLAMA_70B = Template(
    "codellama-70b-instruct",
    codellama_70b,
    bos="<s>",
    # The id of `<step>` is not confirmed by any source outside the model's own files.
    stop={"<step>": None, "</s>": 2},
    markers=[
        "<unk>", "<s>", "</s>", "<step>", "Source: system", "Source: user", "Source: assistant", "Destination: user",
    ],
    # <step> is a token of its own, but the speaker is named in plain text.
    text_separators=True,
    looks_for=(),
    source="codellama/CodeLlama-70b-Instruct-hf, tokenizer_config.json",
)  # fmt: skip
