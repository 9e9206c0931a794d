"""Formats whose calls are JSON objects, one by one or in a list."""

from lect.reply.grammar import (
    Call,
    Code,
    Grammar,
    Head,
    Json,
    JsonMap,
    Literals,
    NamedJson,
    Reasoning,
    Section,
    Wrapper,
)
from lect.reply.known.thinking import ANSWER, CHATML_END, RESPONSE, TAGS

OBJECT = Call(Json())
DOTTED_NAME = r"\s*(?P<name>[A-Za-z_][\w.\-]*)\s*"
PYTHON_CALL = Call(Literals(), head=Head(("(",), DOTTED_NAME))

HERMES = Grammar(
    "hermes_json",
    reasoning=TAGS,
    sections=(Section((OBJECT,), ("<tool_call>",), ("</tool_call>",), before=("\n",)),),
    end=CHATML_END,
    models="Hermes 2 and 3, Qwen2.5 and 3, QwQ, MiMo, Granite 4",
    example='<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>',
)
REKA = HERMES.but("reka", end=("<sep>", "<|endoftext|>"), models="Reka")
ERNIE45 = HERMES.but(
    "ernie45",
    wrappers=(RESPONSE,),
    sections=(Section((OBJECT,), ("<tool_call>",), ("</tool_call>",), before=("\n\n",)),),
    end=("</s>", "<|im_end|>"),
    models="ERNIE-4.5-Thinking",
    example='Look.\n</think>\n\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>\n',
)
LONGCAT = Grammar(
    "longcat",
    sections=(Section((OBJECT,), ("<longcat_tool_call>",), ("</longcat_tool_call>",)),),
    end=("</longcat_s>",),
    models="LongCat-Flash",
    example='<longcat_tool_call>{"name": "get_weather", "arguments": {"city": "Paris"}}</longcat_tool_call>',
)
# The interpreter is handed code, in a Markdown fence; that this is a call of `python_interpreter` is our name for it.
INTERNLM2 = Grammar(
    "internlm2_action",
    reasoning=TAGS,
    sections=(
        Section(
            (OBJECT,),
            (("<|action_start|>", "<|plugin|>"), ("[UNUSED_TOKEN_144]", "[UNUSED_TOKEN_141]")),
            ("<|action_end|>", "[UNUSED_TOKEN_143]"),
            before=("\n",),
            special=True,
        ),
        Section(
            (Call(Code("python_interpreter", fence=("```python\n", "```\n"), unfence="\n```")),),
            (("<|action_start|>", "<|interpreter|>"), ("[UNUSED_TOKEN_144]", "[UNUSED_TOKEN_142]")),
            ("<|action_end|>", "[UNUSED_TOKEN_143]"),
            special=True,
        ),
    ),
    end=("<|im_end|>", "[UNUSED_TOKEN_145]", "</s>"),
    models="InternLM2 and 2.5, Intern-S1",
    example='Look:<|action_start|><|plugin|>\n{"name": "get_weather", "parameters": {"city": "Paris"}}<|action_end|>',
)
GRANITE_20B = Grammar(
    "granite20b_fc",
    sections=(Section((OBJECT,), ("<function_call>",)),),
    end=("<|endoftext|>",),
    models="granite-20b-functioncalling",
    example='<function_call> {"name": "get_weather", "arguments": {"city": "Paris"}}',
)
# Without the tag, an object at the very start is a call if it has a name and arguments. Built-in tools are called as in
# Python.
LLAMA3 = Grammar(
    "llama3_json",
    sections=(
        Section(
            (OBJECT, PYTHON_CALL._replace(rename=r"(.+)\.call")),
            ("<|python_tag|>",),
            between=";",
            after=" \n",
            special=True,
        ),
        Section((OBJECT,), between=";", after=" \n", start=True),
    ),
    end=("<|eot_id|>", "<|eom_id|>", "<|end_of_text|>"),
    models="Llama 3.1, 3.2 and 3.3",
    example='{"name": "get_weather", "parameters": {"city": "Paris"}}',
)
GIGACHAT3 = Grammar(
    "gigachat3",
    sections=(Section((OBJECT,), ("<|message_sep|>\n\nfunction call<|role_sep|>", "<|function_call|>"), special=True),),
    end=("</s>", "<|message_sep|>\n\n"),
    models="GigaChat3",
    example='Look.<|function_call|>{"name": "get_weather", "arguments": {"city": "Paris"}}',
)

# Lists: brackets round the objects, and commas between them.
GRANITE3 = Grammar(
    "granite3_list",
    reasoning=TAGS,
    wrappers=(RESPONSE,),
    sections=(
        Section((OBJECT,), (("<|tool_call|>", "["),), ("]",), between=",", special=True),
        Section((OBJECT,), (("<tool_call>", "["),), ("]",), between=","),
        Section((OBJECT,), ("[",), ("]",), between=",", start=True),
    ),
    end=("<|end_of_text|>",),
    models="Granite 3",
    example='<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Paris"}}]',
)
TOOL_CALLS = Section((OBJECT,), (("<tool_calls>", "["),), (("]", "</tool_calls>"), "]", "</tool_calls>"), between=",")
JAMBA = Grammar(
    "jamba",
    sections=(TOOL_CALLS,),
    end=("<|eom|>", "<|endoftext|>"),
    models="Jamba 1.5",
    example='<tool_calls>[\n    {"name": "get_weather", "arguments": {"city": "Paris"}}\n]</tool_calls>',
)
HUNYUAN_A13B = Grammar(
    "hunyuan_a13b",
    reasoning=TAGS,
    wrappers=(ANSWER,),
    sections=(TOOL_CALLS,),
    end=("<|eos|>",),
    models="Hunyuan-A13B",
    example="<think>\nTwo and two.\n</think>\n<answer>\nFour.\n</answer>",
)
# The prompt ends with the words that open the reasoning.
APRIEL = Grammar(
    "apriel",
    reasoning=Reasoning(
        ("Here are my reasoning steps:\n",), ("[BEGIN FINAL RESPONSE]",), trail="\n", after="\n", starts=True
    ),
    wrappers=(Wrapper((), ("[END FINAL RESPONSE]",), special=True),),
    sections=(TOOL_CALLS,),
    end=("<|end|>",),
    models="Apriel",
    example="Two and two.\n[BEGIN FINAL RESPONSE]\nFour.\n[END FINAL RESPONSE]",
)
NEMOTRON_NANO_V2 = Grammar(
    "nemotron_nano_v2",
    reasoning=TAGS,
    sections=(Section((OBJECT,), (("<TOOLCALL>", "["),), (("]", "</TOOLCALL>"), "]", "</TOOLCALL>"), between=","),),
    end=("<SPECIAL_12>", "</s>"),
    models="Nemotron-Nano-v2",
    example='<TOOLCALL>[{"name": "get_weather", "arguments": {"city": "Paris"}}]</TOOLCALL>',
)
FUNCTOOLS = (Section((OBJECT,), (("functools", "["),), ("]",), between=",", start=True),)
PHI4_MINI = Grammar(
    "phi4mini_functools",
    sections=(
        *FUNCTOOLS,
        Section((OBJECT,), (("<|tool_call|>", "["),), (("]", "<|/tool_call|>"), "]"), between=",", special=True),
    ),
    end=("<|end|>", "<|endoftext|>"),
    models="Phi-4-mini",
    example='functools[{"name": "get_weather", "arguments": {"city": "Paris"}}]',
)
FIREFUNCTION_V2 = PHI4_MINI.but(
    "firefunction_v2",
    sections=FUNCTOOLS,
    end=("<|eot_id|>",),
    models="firefunction-v2",
    example=' functools[{"name": "get_weather", "arguments": {"city": "Paris"}}]',
)
COHERE = Grammar(
    "cohere_action",
    reasoning=Reasoning(("<|START_THINKING|>",), ("<|END_THINKING|>",), special=True),
    wrappers=(
        Wrapper(("<|START_RESPONSE|>",), ("<|END_RESPONSE|>",), special=True),
        Wrapper(("<|START_TEXT|>",), ("<|END_TEXT|>",), special=True),
    ),
    sections=(
        Section(
            (Call(Json(name=("tool_name", "name"), id=("tool_call_id",))),),
            (("<|START_ACTION|>", "["),),
            (("]", "<|END_ACTION|>"), "]", "<|END_ACTION|>"),
            between=",",
            special=True,
        ),
    ),
    end=("<|END_OF_TURN_TOKEN|>",),
    models="Command R7B and A",
    example='<|START_THINKING|>Look.<|END_THINKING|><|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "get_weather", "parameters": {"city": "Paris"}}\n]<|END_ACTION|>',  # noqa: E501
)
COMMAND_R_PLUS = Grammar(
    "command_r_plus",
    sections=(
        Section(
            (Call(Json(name=("tool_name", "name"))),),
            (("Action:\n```json", "["), ("Action: ```json", "[")),
            (("]", "```"), "]"),
            between=",",
            before=("\n",),
        ),
    ),
    end=("<|END_OF_TURN_TOKEN|>",),
    models="Command R and R+",
    example='Action:\n```json\n[{"tool_name": "get_weather", "parameters": {"city": "Paris"}}]\n```',
)
XLAM = Grammar(
    "xlam",
    reasoning=TAGS,
    sections=(
        Section((OBJECT,), ("[",), ("]",), between=",", start=True),
        Section((OBJECT,), (("```json", "["),), (("]", "```"), "]"), between=",", before=("\n",)),
        Section((OBJECT,), (("[TOOL_CALLS]", "["),), ("]",), between=","),
        Section((OBJECT,), (("<tool_call>", "["),), (("]", "</tool_call>"), "]"), between=","),
    ),
    end=("<|eot_id|>", "<|im_end|>"),
    models="xLAM-2",
    example='[{"name": "get_weather", "arguments": {"city": "Paris"}}]',
)
APERTUS = Grammar(
    "apertus",
    reasoning=Reasoning(("<|inner_prefix|>",), ("<|inner_suffix|>",), special=True),
    sections=(
        Section(
            (Call(JsonMap()),),
            (("<|tools_prefix|>", "["),),
            (("]", "<|tools_suffix|>"), "]", "<|tools_suffix|>"),
            between=",",
            gap="",
            special=True,
        ),
    ),
    end=("<|assistant_end|>", "</s>"),
    models="Apertus",
    example='<|inner_prefix|>Look.<|inner_suffix|><|tools_prefix|>[{"get_weather": {"city": "Paris"}}]<|tools_suffix|>',
)
# Two generations of one maker: a list of objects, or a name before each object.
MISTRAL = Grammar(
    "mistral",
    reasoning=Reasoning(("[THINK]",), ("[/THINK]",), special=True),
    sections=(
        Section((OBJECT,), (("[TOOL_CALLS]", "["),), ("]",), between=",", gap="\t ", special=True),
        Section(
            (
                Call(
                    NamedJson(),
                    head=Head(
                        ("{",), r"\s*(?P<name>[^\s\[\]]+)(?:\[CALL_ID\](?P<id>[\w-]+))?(?:\[ARGS\])?\s*", keep=True
                    ),
                ),
            ),
            ("[TOOL_CALLS]",),
            special=True,
        ),
    ),
    end=("</s>",),
    # Its maker's templates refuse other ids than nine letters and digits.
    ids="call{index:05}",
    models="Mistral 7B v0.3 and later, Nemo, Small, Devstral, Magistral",
    example='[TOOL_CALLS]get_weather[ARGS]{"city": "Paris"}',
)
