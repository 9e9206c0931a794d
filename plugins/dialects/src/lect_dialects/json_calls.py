"""Calls that are JSON objects, one by one or in a list."""

from lect.plugin.grammar import HERMES_JSON, JSON_OBJECT, THINK, Grammar, Reasoning, ReplyFormat, Section, Wrapper

REKA = ReplyFormat(
    HERMES_JSON.but(name="reka"),
    stop=("<sep>", "<|endoftext|>"),
    names="Reka",
    example='<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>',
)

TOOL_CALLS = Section((JSON_OBJECT,), (("<tool_calls>", "["),), (("]", "</tool_calls>"),), between=",")

# The prompt ends with the words that open the reasoning.
APRIEL = ReplyFormat(
    Grammar(
        "apriel",
        reasoning=Reasoning(
            ("Here are my reasoning steps:\n",), ("[BEGIN FINAL RESPONSE]",), trail="\n", after="\n", starts=True
        ),
        wrappers=(Wrapper((), ("[END FINAL RESPONSE]",), special=True),),
        sections=(TOOL_CALLS,),
    ),
    stop=("<|end|>",),
    names="Apriel",
    example="Two and two.\n[BEGIN FINAL RESPONSE]\nFour.\n[END FINAL RESPONSE]",
)

FIREFUNCTION_V2 = ReplyFormat(
    Grammar(
        "firefunction_v2", sections=(Section((JSON_OBJECT,), (("functools", "["),), ("]",), between=",", start=True),)
    ),
    stop=("<|eot_id|>",),
    names="firefunction-v2",
    example=' functools[{"name": "get_weather", "arguments": {"city": "Paris"}}]',
)

XLAM = ReplyFormat(
    Grammar(
        "xlam",
        reasoning=THINK,
        sections=(
            Section((JSON_OBJECT,), ("[",), ("]",), between=","),
            Section((JSON_OBJECT,), (("```json", "["),), (("]", "```"),), between=",", before=("\n",)),
            Section((JSON_OBJECT,), (("[TOOL_CALLS]", "["),), ("]",), between=","),
            Section((JSON_OBJECT,), (("<tool_call>", "["),), (("]", "</tool_call>"),), between=","),
        ),
    ),
    stop=("<|eot_id|>", "<|im_end|>"),
    names="xLAM-2",
    example='[{"name": "get_weather", "arguments": {"city": "Paris"}}]',
)
