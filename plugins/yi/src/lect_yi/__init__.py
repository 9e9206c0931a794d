"""Yi, by 01.AI."""

from lect.plugin import DEFAULT, Family, Rule, Turn, TurnTemplate

__lect_api__ = "~=1.0"

# The first generation: ChatML without a default system text.
YI = TurnTemplate(
    "yi-chat",
    system=Turn("<|im_start|>system\n", "<|im_end|>\n"),
    user=Turn("<|im_start|>user\n", "<|im_end|>\n"),
    assistant=Turn("<|im_start|>assistant\n", "<|im_end|>\n"),
    stop={"<|im_end|>": 7, "<|endoftext|>": 2},
    markers=["<|im_start|>", "<|im_end|>", "<|startoftext|>", "<|endoftext|>", "<|im_sep|>"],
    source="01-ai/Yi, cookbook and README; 01-ai/Yi-34B-Chat, tokenizer_config.json",
)
# The system text is bare, and the assistant's opening follows every user turn, asked for or not.
YI_1_5 = YI.but(
    name="yi-1.5-chat",
    system=Turn(),
    user=Turn("<|im_start|>user\n", "<|im_end|>\n<|im_start|>assistant\n"),
    assistant=Turn("", "<|im_end|>\n"),
    generation="",
    system_first=True,
    source="01-ai/Yi-1.5-34B-Chat, tokenizer_config.json",
)

NEVER_CHATTED = "a base model: the chat markers were never trained on"

adapter = Family(
    "yi",
    Rule("yi 1.5 # b chat", YI_1_5),
    Rule("yi # b chat", YI),
    Rule("yi 6|9|34 b 200 k", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("yi 1.5 9|34 b 32 k", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("yi ?1.5|coder # b", DEFAULT, kind="base", note=NEVER_CHATTED),
)
