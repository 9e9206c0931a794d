"""How Hunyuan-A13B writes its replies; the format of its prompts is not here yet."""

from lect.plugin.grammar import JSON_OBJECT, THINK, Grammar, ReplyFormat, Section, in_tags

TOOL_CALLS = Section(
    (JSON_OBJECT,), (("<tool_calls>", "["),), (("]", "</tool_calls>"), "]", "</tool_calls>"), between=","
)

HUNYUAN_A13B = ReplyFormat(
    Grammar("hunyuan_a13b", reasoning=THINK, wrappers=(in_tags("answer"),), sections=(TOOL_CALLS,)),
    stop=("<|eos|>",),
    names="Hunyuan-A13B",
    example="<think>\nTwo and two.\n</think>\n<answer>\nFour.\n</answer>",
)
