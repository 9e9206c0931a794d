"""Baichuan, by Baichuan Intelligent Technology."""

from functools import partial

from lect.plugin import DEFAULT, Chat, Family, Rule, Template, Writer

__lect_api__ = "~=1.0"

NEVER_CHATTED = "a base model: the chat markers were never trained on"
IN_FRONT = "put it in front of the first user message"


def baichuan(chat: Chat, out: Writer, *, user: str, assistant: str) -> None:
    """Write a conversation: a token before every text, and nothing between turns."""
    messages = chat.messages
    for message in out.turns(messages):
        if message.role == "user":
            out += user, message.content
        elif message.role == "assistant":
            out += assistant, message.content
        elif message.role != "system":
            chat.refuse(f"there is no turn for the role {message.role!r}", instead="user and assistant")
        elif "system" not in chat.facts.roles:
            chat.refuse("there is no system role", instead=IN_FRONT)
        elif message.index:
            chat.refuse(f"a system text can only come first, but message {message.index} is one", instead=IN_FRONT)
        else:
            out.append(message.content)
    # After an answer the maker's code does not open another: the model continues that one.
    if chat.add_generation_prompt and not (messages and messages[-1].role == "assistant"):
        out.append(assistant)


# The markers have the ids 195 and 196 in both generations, under different spellings.
BAICHUAN2 = Template(
    "baichuan2-chat",
    partial(baichuan, user="<reserved_106>", assistant="<reserved_107>"),
    stop={"</s>": 2},
    markers=["<reserved_{}>", "<unk>", "<s>", "</s>"],
    control_tokens=["<unk>", "<s>"],
    source="baichuan-inc/Baichuan2-13B-Chat, generation_utils.py: build_chat_input",
)
# For Baichuan-13B-Chat, the first revision of the maker's code (f5f47be, July 2023) closes an answer with `</s>` and
# refuses a system text. Later revisions do not close it, nor does FastChat. They accept a system text, but the authors
# say that the model does not support it, and other projects disagree on its place: it is refused.
BAICHUAN = BAICHUAN2.but(
    name="baichuan-chat",
    program=partial(baichuan, user="<reserved_102>", assistant="<reserved_103>"),
    roles=["user", "assistant"],
    capabilities=[],
    source="baichuan-inc/Baichuan-13B-Chat, modeling_baichuan.py and, later, generation_utils.py: build_chat_input",
)

adapter = Family(
    "baichuan",
    Rule("baichuan 2 # b chat", BAICHUAN2),
    Rule("baichuan 2 # b base|intermediate ?checkpoints", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("baichuan 13 b chat", BAICHUAN),
    Rule("baichuan 13 b base", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("baichuan 7 b chat|sft", None, note="the maker has published no such model"),
    Rule("baichuan 7 b", DEFAULT, kind="base", note=NEVER_CHATTED),
)
