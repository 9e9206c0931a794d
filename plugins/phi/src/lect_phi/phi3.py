"""Phi-3 and Phi-3.5: a tag for each role, and the eos where nobody is to answer."""

from lect.plugin import Chat, Template, Writer

SPOKEN = ("system", "user", "assistant")
EOS = "<|endoftext|>"
# The maker stops where the model begins a turn of its own, too.
STOP = ("<|end|>", "<|assistant|>", "<|endoftext|>")
STOP_IDS = (32007, 32001, 32000)
MARKERS = ("<|system|>", "<|user|>", "<|assistant|>", "<|end|>", "<|endoftext|>")


def phi3_mini(chat: Chat, out: Writer) -> None:
    """Write Phi-3-mini."""
    for message in out.turns(chat.messages):
        if message.role in SPOKEN:
            out += "<|", message.role, "|>\n", message.content, "<|end|>\n"
    out.append("<|assistant|>\n" if chat.add_generation_prompt else chat.eos)


def phi3_5(chat: Chat, out: Writer) -> None:
    """Write Phi-3.5-mini: as Phi-3-mini, without empty system turns."""
    for message in out.turns(chat.messages):
        if message.role in SPOKEN and (message.content or message.role != "system"):
            out += "<|", message.role, "|>\n", message.content, "<|end|>\n"
    out.append("<|assistant|>\n" if chat.add_generation_prompt else chat.eos)


def phi3_medium(chat: Chat, out: Writer) -> None:
    """Write Phi-3-medium: no system turns, and the opening of the answer after every user turn, asked for or not."""
    for message in out.turns(chat.messages):
        if message.role == "user":
            out += "<|user|>\n", message.content, "<|end|>\n<|assistant|>\n"
        elif message.role == "assistant":
            out += message.content, "<|end|>\n"


def phi3_small(chat: Chat, out: Writer) -> None:
    """Write Phi-3-small: a tag for any role."""
    out.append(chat.bos)
    for message in out.turns(chat.messages):
        out += "<|", message.role, "|>\n", message.content, "<|end|>\n"
    out.append("<|assistant|>\n" if chat.add_generation_prompt else chat.eos)


PHI3_MINI = Template(
    "phi-3-mini",
    phi3_mini,
    eos=EOS,
    stop=STOP,
    stop_token_ids=STOP_IDS,
    markers=MARKERS,
    looks_for=(),
    source="microsoft/Phi-3-mini-4k-instruct, tokenizer_config.json",
)
PHI3_5 = Template(
    "phi-3.5",
    phi3_5,
    eos=EOS,
    stop=STOP,
    stop_token_ids=STOP_IDS,
    markers=MARKERS,
    looks_for=(),
    source="microsoft/Phi-3.5-mini-instruct, tokenizer_config.json",
)
PHI3_MEDIUM = Template(
    "phi-3-medium",
    phi3_medium,
    roles=["user", "assistant"],
    capabilities=[],
    stop=STOP,
    stop_token_ids=STOP_IDS,
    markers=MARKERS,
    looks_for=(),
    source="microsoft/Phi-3-medium-128k-instruct, tokenizer_config.json",
)
PHI3_SMALL = Template(
    "phi-3-small",
    phi3_small,
    bos="<|endoftext|>",
    eos=EOS,
    stop=["<|end|>", "<|endoftext|>"],
    stop_token_ids=[100266, 100257],
    markers=MARKERS,
    looks_for=(),
    source="microsoft/Phi-3-small-8k-instruct, tokenizer_config.json",
)
