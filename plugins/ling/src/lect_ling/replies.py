"""How Ling 3 writes its replies; the format of its prompts is not here yet."""

from lect.plugin.grammar import KEY_VALUE_TAGS, THINK, CallSyntax, Grammar, Head, ReplyFormat, Section

LING3 = ReplyFormat(
    Grammar(
        "ling3",
        reasoning=THINK,
        sections=(
            Section(
                (
                    CallSyntax(
                        KEY_VALUE_TAGS,
                        ("<tool_call>",),
                        Head(("<arg_key>", "</tool_call>"), r"\s*(?P<name>[\w.:/-]+)(?:\s|\\n)*", keep=True),
                        ("</tool_call>",),
                    ),
                ),
                before=("\n",),
            ),
        ),
    ),
    stop=("<|role_end|>", "<|endoftext|>"),
    names="Ling-3",
    example="<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n</tool_call>",
)
