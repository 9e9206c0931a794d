"""How Ling 3 writes its replies; the format of its prompts is not here yet."""

from lect.plugin.grammar import KEY_VALUE_CALL, THINK, Grammar, ReplyFormat, Section

LING3 = ReplyFormat(
    Grammar(
        "ling3",
        reasoning=THINK,
        sections=(Section((KEY_VALUE_CALL,), before=("\n",)),),
    ),
    stop=("<|role_end|>", "<|endoftext|>"),
    names="Ling-3",
    example="<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n</tool_call>",
)
