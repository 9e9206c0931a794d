"""Yi, by 01.AI."""

from lect.plugin import DEFAULT, Chat, Family, Rule, Template, Turn, TurnTemplate, Writer

__lect_api__ = "~=1.0"

STOP = ("<|im_end|>", "<|endoftext|>")
MARKERS = ("<|im_start|>", "<|im_end|>", "<|startoftext|>", "<|endoftext|>", "<|im_sep|>")

# The first generation: ChatML without a default system text.
YI = TurnTemplate(
    "yi-chat",
    system=Turn("<|im_start|>system\n", "<|im_end|>\n"),
    user=Turn("<|im_start|>user\n", "<|im_end|>\n"),
    assistant=Turn("<|im_start|>assistant\n", "<|im_end|>\n"),
    stop=STOP,
    stop_token_ids=[7, 2],
    markers=MARKERS,
    source="01-ai/Yi, cookbook and README; 01-ai/Yi-34B-Chat, tokenizer_config.json",
)


def yi_1_5(chat: Chat, out: Writer) -> None:
    """Write Yi-1.5: the system text bare, and the assistant's opening after every user turn, asked for or not."""
    system = chat.system
    if system:
        out.turn(system)
        out.append(chat.shown(system))
        out.turn(None)
    for message in out.turns(chat.messages):
        if message.role == "user":
            out += "<|im_start|>user\n", message.content, "<|im_end|>\n<|im_start|>assistant\n"
        elif message.role == "assistant":
            out += message.content, "<|im_end|>\n"


YI_1_5 = Template(
    "yi-1.5-chat",
    yi_1_5,
    stop=STOP,
    stop_token_ids=[7, 2],
    markers=MARKERS,
    looks_for=(),
    source="01-ai/Yi-1.5-34B-Chat, tokenizer_config.json",
)

adapter = Family(
    "yi",
    Rule("yi 1.5 # b chat", YI_1_5),
    Rule("yi # b chat", YI),
    Rule("yi ?1.5 # b", DEFAULT, kind="base", note="a base model: the chat markers were never trained on"),
)
