"""DeepSeek-V3.1, V3.1-Terminus and V3.2-Exp: models that think only when told to."""

from functools import partial

from lect.plugin import Chat, Template, Writer
from lect.plugin.grammar import SPACE, THINK, ReplyFormat
from lect_deepseek.plain import BOS, EOS
from lect_deepseek.v3 import DEEPSEEK_V3, FENCED, PLAIN, SPECIAL, calls, write_systems

VOCABULARY = {
    BOS: 0,
    EOS: 1,
    "<｜▁pad▁｜>": 2,
    "<｜place▁holder▁no▁{}｜>": range(128000, 128796),
    **SPECIAL,
    "<think>": 128798,
    "</think>": 128799,
    "<｜search▁begin｜>": 128796,
    "<｜search▁end｜>": 128797,
}
"""The special tokens of V3.1 and later."""

DEEPSEEK_V31 = ReplyFormat(
    DEEPSEEK_V3.grammar.but(
        name="deepseek_v31",
        # A reply of V3.1 in sgl-project/sglang, benchmark/deepseek_v3/README.md; the maker's encoding_dsv32.py of
        # V3.2 writes the same.
        reasoning=THINK.but(after=SPACE, written=("", "</think>")),
        sections=(calls(PLAIN, FENCED.but(foreign=True)),),
    ),
    stop=(EOS,),
    names="DeepSeek-V3.1",
    example=(
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>"
        '{"city": "Paris"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>'
    ),
)


def v3_1(chat: Chat, out: Writer, *, version: str) -> None:
    """Write DeepSeek-V3.1 and later. Thoughts are never kept: answers in the history have none.

    V3.2-Exp also opens an answer where there was no question, unless one has been begun (`prefix`), and before calls
    that follow the system text.
    """
    exp = version == "v3.2-exp"
    no_thought = "<think></think>" if version == "v3.1" else "</think>"
    arguments = chat.arguments if version == "v3.1" else chat.arguments_as_given
    out.append(chat.bos)
    write_systems(chat, out)
    thinking = chat.option("thinking", chat.option("enable_thinking", False))
    after_user = after_tool = begun = False
    after_system = exp and any(message.role == "system" for message in chat.messages)
    for message in out.turns(chat.messages):
        if message.role == "user":
            out += "<｜User｜>", message.content
            after_user, after_tool = True, False
        elif message.role == "assistant" and message.tool_calls:
            if after_user or after_system:
                out += "<｜Assistant｜>", no_thought
            out += message.content, "<｜tool▁calls▁begin｜>"
            for call in message.tool_calls:
                out += "<｜tool▁call▁begin｜>", call.name, "<｜tool▁sep｜>"
                out += arguments(call), "<｜tool▁call▁end｜>"
            out += "<｜tool▁calls▁end｜>", EOS
            out.by_rule(message.reasoning)
            after_user = after_tool = False
        elif message.role == "assistant":
            prefix = message.raw.get("prefix")
            if after_user:
                out += "<｜Assistant｜>", "<think>" if prefix and thinking else no_thought
            text = message.content
            if not after_tool and "</think>" in text:
                text = text.partition("</think>")[2]
            out += text, EOS
            out.by_rule(message.reasoning)
            begun = begun or bool(prefix)
            after_user = after_tool = False
        elif message.role == "tool":
            out += "<｜tool▁output▁begin｜>", message.content, "<｜tool▁output▁end｜>"
            after_user, after_tool = False, True
        after_system = after_system and message.role == "system"
    if chat.add_generation_prompt and not after_tool and (after_user or (exp and not begun)):
        out += "<｜Assistant｜>", "<think>" if thinking else no_thought


V3_1 = Template(
    "deepseek-v3.1",
    partial(v3_1, version="v3.1"),
    roles=["system", "user", "assistant", "tool"],
    bos=BOS,
    capabilities=["system", "parallel_tools", "reasoning"],
    options={"thinking": bool, "enable_thinking": bool},
    stop={EOS: 1},
    markers=VOCABULARY,
    reply=DEEPSEEK_V31.grammar,
    source="deepseek-ai/DeepSeek-V3.1, tokenizer_config.json",
)
V3_1_TERMINUS = V3_1.but(
    name="deepseek-v3.1-terminus",
    program=partial(v3_1, version="v3.1-terminus"),
    accepts=["argument_text"],
    source="deepseek-ai/DeepSeek-V3.1-Terminus, tokenizer_config.json",
)
V3_2_EXP = V3_1_TERMINUS.but(
    name="deepseek-v3.2-exp",
    program=partial(v3_1, version="v3.2-exp"),
    source="deepseek-ai/DeepSeek-V3.2-Exp, tokenizer_config.json",
)
