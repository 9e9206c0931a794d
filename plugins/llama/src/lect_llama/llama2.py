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


def alpaca2(chat: Chat, out: Writer) -> None:
    """Write Chinese-Alpaca-2: the last system text, wherever it is, or the maker's, is in the first question."""
    systems = [message for message in chat.messages if message.role == "system"]
    system, is_further = systems[-1] if systems else None, False
    out.append(chat.bos)
    for message in out.turns(chat.messages):
        if message.role == "assistant":
            out += " ", message.content, chat.eos
        elif message.role == "user":
            if is_further:
                out += chat.bos, "[INST] "
            else:
                is_further = True
                out.append("[INST] <<SYS>>\n")
                out.turn(system)
                out.append(system.content if system else chat.default_system)
                out.turn(message)
                out.append("\n<</SYS>>\n\n")
            out += message.content, " [/INST]"


def vigogne(chat: Chat, out: Writer) -> None:
    """Write Vigogne 2: every turn is a line that names its speaker."""
    out.append(chat.bos)
    out.turn(chat.system)
    out += "<|system|>: ", chat.system.content if chat.system else chat.default_system, "\n"
    out.turn(None)
    chat.require_alternation(chat.without_system)
    for message in out.turns(chat.without_system):
        if message.role == "user":
            out += "<|user|>: ", message.content.strip(), "\n"
        elif message.role == "assistant":
            out += "<|assistant|>: ", message.content.strip(), chat.eos, "\n"
    if chat.add_generation_prompt:
        out.append("<|assistant|>:")


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
    source="meta-llama/Llama-2-7b-chat-hf, tokenizer_config.json",
)
CODELLAMA = LLAMA2.but(
    name="codellama-instruct",
    source="codellama/CodeLlama-34b-Instruct-hf, tokenizer_config.json",
)
ALPACA2 = LLAMA2.but(
    name="chinese-alpaca-2",
    program=alpaca2,
    roles=["system", "user", "assistant"],
    default_system="You are a helpful assistant. 你是一个乐于助人的助手。",
    source="ymcui/Chinese-LLaMA-Alpaca-2 at 2a334d1, scripts/openai_server_demo/openai_api_server.py",
)
VIGOGNE = Template(
    "vigogne-2-chat",
    vigogne,
    bos="<s>",
    eos="</s>",
    default_system=(
        "Vous êtes Vigogne, un assistant IA créé par Zaion Lab. Vous suivez extrêmement bien les instructions. "
        "Aidez autant que vous le pouvez."
    ),
    stop=LLAMA2.stop,
    markers={"<unk>": 0, "<s>": 1, "</s>": 2, "<|system|>": None, "<|user|>": None, "<|assistant|>": None},
    text_separators=True,
    source="bofenghuang/vigogne-2-7b-chat, tokenizer_config.json",
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
    control_tokens=["<unk>"],
    # <step> is a token of its own, but the speaker is named in plain text.
    text_separators=True,
    source="codellama/CodeLlama-70b-Instruct-hf, tokenizer_config.json",
)  # fmt: skip
