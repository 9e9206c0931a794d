"""The dense Hunyuan models: a user's turn opens the answer, and nothing closes it."""

from lect.plugin import Chat, Template, Writer
from lect_hunyuan.a13b import HUNYUAN_A13B

BOS, EOS = "<｜hy_begin▁of▁sentence｜>", "<｜hy_place▁holder▁no▁2｜>"
USER, ASSISTANT, AFTER_SYSTEM = "<｜hy_User｜>", "<｜hy_Assistant｜>", "<｜hy_place▁holder▁no▁3｜>"


def dense(chat: Chat, out: Writer) -> None:
    """Write the dense models. The sources tell nothing about a system text in the middle, or about tools."""
    out.append(BOS)
    system = chat.system
    if system:
        out.turn(system)
        out += system.content, AFTER_SYSTEM
        out.turn(None)
    is_open = False
    for message in out.turns(chat.without_system):
        if message.role == "user":
            out += USER, message.content, ASSISTANT
        elif message.role == "assistant":
            out += "" if is_open else ASSISTANT, message.content, EOS
        else:
            chat.refuse(f"there is no turn for the role {message.role!r} here", instead="user, assistant")
        is_open = message.role == "user"
    if chat.add_generation_prompt and not is_open:
        out.append(ASSISTANT)


DENSE = Template(
    "hunyuan-dense",
    dense,
    bos=BOS,
    capabilities=["system"],
    stop=[EOS],
    markers=[BOS, USER, ASSISTANT, "<｜hy_place▁holder▁no▁{}｜>", "<think>", "</think>", "<answer>", "</answer>"],
    reply=HUNYUAN_A13B.grammar,
    evidence="attested",
    source=(
        "modelscope/ms-swift at 3602360, swift/template/templates/llm.py, and plyght/ditch at 055391f, src/chat.zig; "
        "Tencent-Hunyuan/Hy-MT2 at c30b36c, train/llama_factory_support/hy_dense_template.py"
    ),
)
