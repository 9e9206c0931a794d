"""DeepSeek-VL, -VL2 and Janus, which see: labels, written as their maker's own code fills them."""

from functools import partial

from lect.plugin import Chat, Template, Writer
from lect_deepseek import media
from lect_deepseek.plain import BOS, EOS

IMAGE = "<image_placeholder>"


def labelled(chat: Chat, out: Writer, *, user: str, assistant: str) -> None:
    """Write labels and stripped texts; a message without text is only its label, and nothing follows the last one.

    An image is a tag in the caller's own text.
    """
    messages = chat.without_system
    chat.require_alternation(messages)
    out.turn(chat.system)
    if system := (chat.system.content if chat.system else chat.default_system).lstrip():
        out += system, "\n\n"
    for message in out.turns(messages):
        is_user, content = message.role == "user", message.content.strip()
        out += user if is_user else assistant, ":"
        if content:
            is_last = message is messages[-1] and not chat.add_generation_prompt
            out += " ", content, EOS if not is_user else "" if is_last else "\n\n"
    if chat.add_generation_prompt:
        out += assistant, ":"


def vl2(chat: Chat, out: Writer) -> None:
    """Write DeepSeek-VL2: a question opens its answer, and a system text comes first, bare."""
    if chat.system:
        out.turn(chat.system)
        out.append(chat.system.content.strip())
        out.turn(None)
    for message in out.turns(chat.without_system):
        if message.role == "user":
            out += "<|User|>: " if message.content.strip() else "<|User|>:", message.content.strip()
            out += "\n\n" if message.content.strip() else "", "<|Assistant|>:"
        elif message.role == "assistant":
            out += message.content.strip(), EOS
        else:
            chat.refuse(f"there is no turn for the role {message.role!r}", instead="system first, user, assistant")


DEEPSEEK_VL = Template(
    "deepseek-vl",
    partial(labelled, user="User", assistant="Assistant"),
    roles=["system", "user", "assistant"],
    capabilities=["system"],
    default_system=(
        "You are a helpful language and vision assistant. You are able to understand the visual content that the user "
        "provides, and assist the user with a variety of tasks using natural language."
    ),
    # DeepSeek-VL and Janus have different vocabularies: no ids are right for both.
    stop=[EOS],
    markers=["User:", "Assistant:", BOS, EOS, IMAGE],
    control_tokens=[IMAGE],
    text_separators=True,
    media=media.VL,
    source="deepseek-ai/DeepSeek-VL at 681bffb, deepseek_vl/utils/conversation.py and models/processing_vlm.py",
)
JANUS_PRO = DEEPSEEK_VL.but(
    name="janus-pro",
    program=partial(labelled, user="<|User|>", assistant="<|Assistant|>"),
    markers=["<|User|>:", "<|Assistant|>:", BOS, EOS, IMAGE, "<begin_of_image>", "<end_of_image>"],
    control_tokens=[IMAGE, "<begin_of_image>", "<end_of_image>"],
    media=media.JANUS,
    source="deepseek-ai/Janus at 1daa72f, janus/utils/conversation.py, models/processing_vlm.py and README.md",
)
DEEPSEEK_VL2 = DEEPSEEK_VL.but(
    name="deepseek-vl2",
    program=vl2,
    default_system="",
    stop=[EOS],
    markers=["<|User|>:", "<|Assistant|>:", BOS, EOS, "<image>"],
    control_tokens=["<image>"],
    media=media.VL2,
    source="deepseek-ai/DeepSeek-VL2 at ef9f91e, deepseek_vl2/models/processing_deepseek_vl_v2.py: format_messages_v2",
)
