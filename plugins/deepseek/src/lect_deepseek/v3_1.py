"""DeepSeek-V3.1: one model that thinks or does not, as it is told."""

from lect.plugin import Chat, Writer
from lect.plugin.grammar import ReplyFormat
from lect_deepseek.plain import EOS
from lect_deepseek.v3 import DEEPSEEK_V3, R1, write_systems

DEEPSEEK_V31 = ReplyFormat(
    DEEPSEEK_V3.grammar.but(name="deepseek_v31"),
    stop=(EOS,),
    names="DeepSeek-V3.1",
    example=(
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>"
        '{"city": "Paris"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>'
    ),
)


def v3_1(chat: Chat, out: Writer) -> None:
    """Write DeepSeek-V3.1. Thoughts are never kept: every answer in the history begins with an empty one."""
    out.append(chat.bos)
    write_systems(chat, out)
    thinking = chat.option("thinking", chat.option("enable_thinking", False))
    after_user = after_tool = False
    for message in out.turns(chat.messages):
        if message.role == "user":
            out += "<｜User｜>", message.content
            after_user, after_tool = True, False
        elif message.role == "assistant":
            if after_user:
                prefix = message.raw.get("prefix") and thinking and not message.tool_calls
                out += "<｜Assistant｜>", "<think>" if prefix else "<think></think>"
            if message.tool_calls:
                out += message.content, "<｜tool▁calls▁begin｜>"
                for call in message.tool_calls:
                    out += "<｜tool▁call▁begin｜>", call.name, "<｜tool▁sep｜>"
                    out += chat.arguments(call), "<｜tool▁call▁end｜>"
                out += "<｜tool▁calls▁end｜>", EOS
            else:
                text = message.content
                if not after_tool and "</think>" in text:
                    text = text.partition("</think>")[2]
                out += text, EOS
            out.by_rule(message.reasoning)
            after_user = after_tool = False
        elif message.role == "tool":
            out += "<｜tool▁output▁begin｜>", message.content, "<｜tool▁output▁end｜>"
            after_user, after_tool = False, True
    if chat.add_generation_prompt and after_user:
        out += "<｜Assistant｜>", "<think>" if thinking else "<think></think>"


V3_1 = R1.but(
    name="deepseek-v3.1",
    program=v3_1,
    options=["thinking", "enable_thinking"],
    takes=[],
    markers={
        **R1.markers, "<｜place▁holder▁no▁{}｜>": range(128000, 128796), "<｜search▁begin｜>": 128796,
        "<｜search▁end｜>": 128797,
    },
    reply=DEEPSEEK_V31.grammar,
    source="deepseek-ai/DeepSeek-V3.1, tokenizer_config.json",
)  # fmt: skip
