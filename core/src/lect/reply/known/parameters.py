"""Formats with a mark for each parameter."""

from lect.reply.grammar import (
    KEY,
    QUOTED_KEY,
    QUOTED_NAME,
    SPACE,
    Call,
    Grammar,
    Head,
    Json,
    Params,
    Reasoning,
    Section,
    Wrapper,
)
from lect.reply.known.named_calls import DEEPSEEK_END
from lect.reply.known.thinking import CHATML_END, TAGS

QWEN_CALL = Call(
    Params("<parameter=", Head((">",), KEY), "</parameter>", trim="\n"),
    ("<function=",),
    Head((">", "\n")),
    ("</function>",),
)
QWEN3_CODER = Grammar(
    "qwen3_coder_xml",
    reasoning=TAGS._replace(until=("<tool_call>",), trail=SPACE, after=SPACE),
    sections=(Section((QWEN_CALL,), ("<tool_call>",), ("</tool_call>",), before=("\n\n", "\n"), alone=True),),
    end=CHATML_END,
    models="Qwen3-Coder, Qwen3.5 and later, Nemotron-3, Step-3.5",
    example="<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n</tool_call>",
)
SEED_OSS = Grammar(
    "seed_oss_xml",
    reasoning=Reasoning(("<seed:think>",), ("</seed:think>",)),
    sections=(
        Section(
            (QWEN_CALL._replace(arguments=Params("<parameter=", Head((">",), KEY), "</parameter>")),),
            ("<seed:tool_call>",),
            ("</seed:tool_call>",),
            alone=True,
        ),
    ),
    end=("<seed:eos>",),
    models="Seed-OSS",
    example="<seed:tool_call>\n<function=get_weather>\n<parameter=city>Paris</parameter>\n</function>\n</seed:tool_call>",
)

# Some servers hand on line ends as a backslash and a letter.
PAIRS = Params("<arg_key>", Head(("</arg_key>",), KEY), "</arg_value>", value="<arg_value>", space="\\n")
GLM_NAME = r"\s*(?P<name>[\w.:/-]+)(?:\s|\\n)*"
GLM4 = Grammar(
    "glm4_xml",
    reasoning=TAGS._replace(until=("<tool_call>",)),
    sections=(
        Section(
            (
                Call(
                    PAIRS, ("<tool_call>",), Head(("<arg_key>", "</tool_call>"), GLM_NAME, keep=True), ("</tool_call>",)
                ),
            ),
            before=("\n",),
        ),
    ),
    end=("<|user|>", "<|observation|>", "<|endoftext|>"),
    models="GLM-4.5 and later",
    example="<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n</tool_call>",
)
POOLSIDE = GLM4.but("poolside_v1", end=("</assistant>", "<|endoftext|>"), models="Laguna")
LING3 = GLM4.but("ling3", end=("<|role_end|>", "<|endoftext|>"), models="Ling-3")
HUNYUAN_CALLS = Section(
    (Call(PAIRS, ("<tool_call>",), Head(("<tool_sep>",)), ("</tool_call>",)),), ("<tool_calls>",), ("</tool_calls>",)
)
# The public checkpoints write a suffix in every tag.
OPEN_PAIRS = Params(
    "<arg_key:opensource>",
    Head(("</arg_key:opensource>",), KEY),
    "</arg_value:opensource>",
    value="<arg_value:opensource>",
)
OPEN_HUNYUAN_CALLS = Section(
    (Call(OPEN_PAIRS, ("<tool_call:opensource>",), Head(("<tool_sep:opensource>",)), ("</tool_call:opensource>",)),),
    ("<tool_calls:opensource>",),
    ("</tool_calls:opensource>",),
)
HUNYUAN_V3 = Grammar(
    "hunyuan_v3_xml",
    reasoning=TAGS._replace(open=("<think>", "<think:opensource>"), close=("</think>", "</think:opensource>")),
    sections=(HUNYUAN_CALLS, OPEN_HUNYUAN_CALLS),
    end=("<|eos|>", "<｜hy_eos:opensource｜>"),
    models="Hy3",
    example="<tool_calls><tool_call>get_weather<tool_sep><arg_key>city</arg_key><arg_value>Paris</arg_value></tool_call></tool_calls>",
)

INVOKE = Head((">",), QUOTED_NAME)
PARAMETER = Params("<parameter ", Head((">",), QUOTED_KEY), "</parameter>")
MINIMAX_M2 = Grammar(
    "minimax_m2_xml",
    reasoning=TAGS,
    sections=(
        Section(
            (Call(PARAMETER._replace(untyped="string"), ("<invoke ",), INVOKE, ("</invoke>",)),),
            ("<minimax:tool_call>",),
            ("</minimax:tool_call>",),
        ),
    ),
    end=("[e~[",),
    models="MiniMax-M2",
    example=(
        '<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">Paris</parameter>\n</invoke>\n'
        "</minimax:tool_call>"
    ),
)
NS = "]<]minimax[>["
MINIMAX_M3 = Grammar(
    "minimax_m3",
    reasoning=Reasoning(("<mm:think>",), ("</mm:think>",)),
    sections=(
        Section(
            (
                Call(
                    Params(f"{NS}<", Head((">",), r"(?P<key>[^/\s<>][^<>]*)"), f"{NS}</{{key}}>", nested=True),
                    (f"{NS}<invoke ",),
                    INVOKE,
                    (f"{NS}</invoke>",),
                ),
            ),
            (f"{NS}<tool_call>",),
            (f"{NS}</tool_call>",),
            special=True,
        ),
    ),
    end=("[e~[",),
    models="MiniMax-M3",
    example=(
        f'{NS}<tool_call>\n{NS}<invoke name="get_weather">{NS}<city>Paris{NS}</city>{NS}</invoke>\n{NS}</tool_call>'
    ),
)
DSML_CALL = Call(
    Params(
        "<｜DSML｜parameter ",
        Head((">",), r'\s*name="(?P<key>[^"]*)"(?:\s+string="(?P<string>true|false)")?\s*'),
        "</｜DSML｜parameter>",
        unwrap=("arguments", "input"),
        body=True,
    ),
    ("<｜DSML｜invoke ",),
    INVOKE,
    ("</｜DSML｜invoke>",),
)
DEEPSEEK_V32 = Grammar(
    "deepseek_v32_dsml",
    reasoning=TAGS,
    sections=(
        Section(
            (DSML_CALL,),
            # The older mark, and the younger one.
            ("<｜DSML｜function_calls>", "<｜DSML｜tool_calls>"),
            ("</｜DSML｜function_calls>", "</｜DSML｜tool_calls>"),
            before=("\n\n",),
            alone=True,
            special=True,
        ),
    ),
    end=DEEPSEEK_END,
    models="DeepSeek-V3.2",
    example='<｜DSML｜function_calls>\n<｜DSML｜invoke name="get_weather">\n<｜DSML｜parameter name="city" string="true">Paris</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',  # noqa: E501
)
DEEPSEEK_V4 = DEEPSEEK_V32.but(
    "deepseek_v4_dsml",
    models="DeepSeek-V4",
    example='<｜DSML｜tool_calls>\n<｜DSML｜invoke name="get_time"/>\n</｜DSML｜tool_calls>',
)
STEP3 = Grammar(
    "step3",
    reasoning=TAGS,
    sections=(
        Section(
            (
                Call(
                    Params("<steptml:parameter ", Head((">",), QUOTED_KEY), "</steptml:parameter>"),
                    (
                        ("<｜tool_call_begin｜>", "function", "<｜tool_sep｜>", "<steptml:invoke "),
                        ("<｜tool_call_begin｜>", "function", "<steptml:invoke "),
                        ("<｜tool_call_begin｜>", "<｜tool_sep｜>", "<steptml:invoke "),
                        ("<｜tool_call_begin｜>", "<steptml:invoke "),
                    ),
                    INVOKE,
                    (("</steptml:invoke>", "<｜tool_call_end｜>"), "</steptml:invoke>"),
                ),
            ),
            ("<｜tool_calls_begin｜>",),
            ("<｜tool_calls_end｜>",),
            alone=True,
            special=True,
        ),
    ),
    end=("<|eot|>",),
    models="Step-3",
    example='<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="get_weather"><steptml:parameter name="city">Paris</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>',  # noqa: E501
)
MINICPM5 = Grammar(
    "minicpm5_xml",
    reasoning=TAGS,
    sections=(
        Section(
            (
                Call(
                    Params(
                        "<param ",
                        Head((">",), QUOTED_KEY),
                        "</param>",
                        unwrap=("arguments", "properties", "parameters"),
                        cdata=True,
                    ),
                    ("<function ",),
                    INVOKE,
                    ("</function>",),
                ),
            ),
        ),
    ),
    end=CHATML_END,
    models="MiniCPM5",
    example='<function name="get_weather"><param name="city">Paris</param></function>',
)
DOTS = Grammar(
    "dots",
    reasoning=TAGS,
    sections=(
        Section(
            (Call(PARAMETER, ("<invoke ",), INVOKE, ("</invoke>",)), Call(Json())),
            ("<dots_function_call>",),
            ("</dots_function_call>",),
        ),
    ),
    end=("<|endofassistant|>", "<|endoftext|>"),
    models="dots",
    example=(
        '<dots_function_call><invoke name="get_weather"><parameter '
        'name="city">Paris</parameter></invoke></dots_function_call>'
    ),
)
KIMI_K3 = Grammar(
    "kimi_k3",
    reasoning=Reasoning(
        ("<|open|>think<|sep|>",),
        ("<|close|>think<|sep|>",),
        until=("<|open|>response<|sep|>", "<|open|>tools<|sep|>", "<|close|>message<|sep|>"),
        special=True,
        starts=True,
    ),
    wrappers=(
        Wrapper(("<|open|>response<|sep|>",), ("<|close|>response<|sep|>", "<|close|>response"), special=True),
        Wrapper(("<|open|>message<|sep|>",), ("<|close|>message<|sep|>", "<|close|>message"), special=True),
    ),
    sections=(
        Section(
            (
                Call(
                    Params(
                        "<|open|>argument ",
                        Head(("<|sep|>",), r'\s*key="(?P<key>[^"]*)"(?:\s+type="(?P<type>\w+)")?\s*'),
                        "<|close|>argument<|sep|>",
                    ),
                    ("<|open|>call ",),
                    Head(("<|sep|>",), r'\s*tool="(?P<name>[^"]*)"(?:\s+index="\d+")?\s*'),
                    ("<|close|>call<|sep|>",),
                ),
            ),
            ("<|open|>tools<|sep|>",),
            ("<|close|>tools<|sep|>",),
            special=True,
        ),
    ),
    end=("<|im_end|>",),
    models="Kimi-K3",
    example='Look.<|close|>think<|sep|><|open|>tools<|sep|><|open|>call tool="get_weather" index="1"<|sep|><|open|>argument key="city" type="string"<|sep|>Paris<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|><|close|>message<|sep|>',  # noqa: E501
)
