"""Hunyuan-A13B: markers after the texts instead of headers before them."""

from lect.plugin import Chat, Template, Writer
from lect.plugin.grammar import JSON_OBJECT, THINK, Grammar, ReplyFormat, Section, in_tags

TOOL_CALLS = Section((JSON_OBJECT,), (("<tool_calls>", "["),), (("]", "</tool_calls>"),), between=",")

HUNYUAN_A13B = ReplyFormat(
    Grammar("hunyuan_a13b", reasoning=THINK, wrappers=(in_tags("answer"),), sections=(TOOL_CALLS,)),
    stop=("<|eos|>",),
    names="Hunyuan-A13B",
    example="<think>\nTwo and two.\n</think>\n<answer>\nFour.\n</answer>",
    model_types=("hunyuan_v1_moe",),
)

BOS, EOS = "<|startoftext|>", "<|eos|>"
AFTER_SYSTEM, AFTER_QUESTION = "<|extra_4|>", "<|extra_0|>"


def a13b(chat: Chat, out: Writer) -> None:
    """Write Hunyuan-A13B, thinking unless `enable_thinking` is False. Tools are not written."""
    for position, message in enumerate(out.turns(chat.messages)):
        role, content = message.role, message.content
        if role == "system" and not position:
            out += BOS, content, AFTER_SYSTEM
        elif role == "user":
            # Whatever comes first has opened the conversation.
            out += "" if position == 1 else BOS, content, AFTER_QUESTION
        else:
            out += content, {"assistant": EOS, "tool": AFTER_QUESTION}.get(role, "")
    if chat.option("enable_thinking") is False:
        out.append("<think>\n\n</think>\n")


A13B = Template(
    "hunyuan-a13b",
    a13b,
    roles=["system", "user", "assistant", "tool"],
    bos=BOS,
    eos=EOS,
    capabilities=["system"],
    options={"enable_thinking": bool},
    stop=[EOS],
    markers=[BOS, EOS, AFTER_QUESTION, AFTER_SYSTEM, "<|extra_5|>", "<|pad|>", "<think>", "</think>"],
    reply=HUNYUAN_A13B.grammar,
    source="Tencent-Hunyuan/Hunyuan-A13B at 2798f3c, models/tokenizer_config.json",
)
