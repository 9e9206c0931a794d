"""How ERNIE 4.5 Thinking writes its replies; the format of its prompts is not here yet."""

from lect.plugin.grammar import JSON_OBJECT, THINK, Grammar, ReplyFormat, Section, in_tags

ERNIE45 = ReplyFormat(
    Grammar(
        "ernie45",
        reasoning=THINK,
        wrappers=(in_tags("response"),),
        sections=(Section((JSON_OBJECT,), ("<tool_call>",), ("</tool_call>",), before=("\n\n",)),),
    ),
    stop=("</s>", "<|im_end|>"),
    names="ERNIE-4.5-Thinking",
    example='Look.\n</think>\n\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>\n',
)
