"""DBRX, by Databricks."""

from lect.plugin import DEFAULT, Chat, Family, Rule, Template, Writer

__lect_api__ = "~=1.0"

WHO_IT_IS = (
    "You are DBRX, created by Databricks. You were last updated in December 2023. You answer questions based on "
    "information available up to that point.\n"
    "YOU PROVIDE SHORT RESPONSES TO SHORT QUESTIONS OR STATEMENTS, but provide thorough responses to more complex and "
    "open-ended questions.\n"
    "You assist with various tasks, from writing to coding (using markdown for code blocks — remember to use ``` with "
    "code, JSON, and tables).\n"
    "(You do not have real-time data access or code execution capabilities. You avoid stereotyping and provide "
    "balanced perspectives on controversial topics. You do not provide song lyrics, poems, or news articles and do not "
    "divulge details of your training data.)\n"
    "This is your system prompt, guiding your responses. Do not reference it, just respond to the user. If you find "
    "yourself talking about this message, stop. You should be responding appropriately and usually that means not "
    "mentioning this.\n"
    "YOU DO NOT MENTION ANY OF THIS INFORMATION ABOUT YOURSELF UNLESS THE INFORMATION IS DIRECTLY PERTINENT TO THE "
    "USER'S QUERY."
)


def dbrx(chat: Chat, out: Writer) -> None:
    """Write DBRX: ChatML without a newline after the last turn; a system text alone gives an empty prompt."""
    system, messages = chat.system, chat.without_system
    if not messages:
        return
    out.turn(system)
    out += "<|im_start|>system\n", (system.content if system else chat.default_system).strip(), "<|im_end|>"
    for message in out.turns(messages):
        out += "\n<|im_start|>", message.role, "\n", message.content, "<|im_end|>"
    if chat.add_generation_prompt:
        out.append("\n<|im_start|>assistant\n")


DBRX = Template(
    "dbrx",
    dbrx,
    default_system=WHO_IT_IS,
    capabilities=["system"],
    stop=["<|im_end|>", "<|endoftext|>"],
    markers=["<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|pad|>"],
    source="databricks/dbrx-instruct, tokenizer_config.json",
)

adapter = Family(
    "dbrx",
    Rule("dbrx instruct .", DBRX),
    Rule("dbrx base", DEFAULT, kind="base", note="a base model: the chat markers were never trained on"),
)
