"""WizardLM-2, by Microsoft's WizardLM team: Vicuna's speakers, each turn on its own line.

The team withdrew its models; both templates are known from copies.
"""

from lect.plugin import Chat, Family, Rule, Template, Writer

__lect_api__ = "~=1.0"

CURIOUS = (
    "A chat between a curious user and an artificial intelligence assistant. The assistant gives helpful, detailed, "
    "and polite answers to the user's questions."
)


def wizardlm_2(chat: Chat, out: Writer) -> None:
    """Write WizardLM-2-7B."""
    messages = chat.without_system
    chat.require_alternation(messages)
    out.append(chat.bos)
    if chat.system is not None:
        out.turn(chat.system)
        out += chat.system.content.strip(), "\n\n"
    for message in out.turns(messages):
        if message.role == "user":
            out += "USER: ", message.content.strip(), "\n"
        elif message.role == "assistant":
            out += "ASSISTANT: ", message.content.strip(), chat.eos, "\n"
    if chat.add_generation_prompt and messages and messages[-1].role == "user":
        out.append("ASSISTANT:")


def wizardlm_2_8x22b(chat: Chat, out: Writer) -> None:
    """Write WizardLM-2-8x22B: a line for each question, followed by its answer."""
    if chat.system is not None:
        out.turn(chat.system)
    out.append(CURIOUS if chat.system is None else chat.system.content.strip())
    for place, message in enumerate(out.turns(chat.without_system)):
        if message.role in ("system", "user"):
            out += "\nUSER: " if place else " USER: ", message.content.strip()
        else:
            out += " ASSISTANT: ", message.content.strip(), chat.eos
    if chat.add_generation_prompt:
        out.append(" ASSISTANT:")


WIZARDLM_2 = Template(
    "wizardlm-2",
    wizardlm_2,
    capabilities=["system"],
    bos="<s>",
    eos="</s>",
    stop={"</s>": 2},
    markers=["<unk>", "<s>", "</s>", "USER:", "ASSISTANT:"],
    control_tokens=["<unk>"],
    text_separators=True,
    source="WizardLM-2-7B, tokenizer_config.json, as in lucyknada/microsoft_WizardLM-2-7B",
    evidence="second-hand",
)
WIZARDLM_2_8X22B = WIZARDLM_2.but(
    name="wizardlm-2-8x22b",
    program=wizardlm_2_8x22b,
    default_system=CURIOUS,
    bos="",
    source="WizardLM-2-8x22B, tokenizer_config.json, as in alpindale/WizardLM-2-8x22B",
    evidence="second-hand",
)

adapter = Family(
    "wizardlm",
    Rule("wizardlm 2 7 b .", WIZARDLM_2),
    Rule("wizardlm 2 8 x 22 b .", WIZARDLM_2_8X22B),
)
