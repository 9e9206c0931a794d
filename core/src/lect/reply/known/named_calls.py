"""Formats with the name of a function before its JSON arguments."""

from lect.reply.grammar import Call, Channels, Code, Grammar, Head, NamedJson, Section, Wrapper
from lect.reply.known.thinking import TAGS

JSON = NamedJson()

OUTPUTS = (
    Wrapper(("<｜tool▁outputs▁begin｜>",), ("<｜tool▁outputs▁end｜>",), special=True),
    Wrapper(("<｜tool▁output▁begin｜>",), ("<｜tool▁output▁end｜>",), special=True),
)
DEEPSEEK_END = ("<｜end▁of▁sentence｜>",)
DEEPSEEK_V3 = Grammar(
    "deepseek_v3",
    reasoning=TAGS,
    wrappers=OUTPUTS,
    sections=(
        Section(
            (
                Call(
                    JSON,
                    (("<｜tool▁call▁begin｜>", "function", "<｜tool▁sep｜>"),),
                    Head(("\n```json\n", "\n```json")),
                    (("```", "<｜tool▁call▁end｜>"), "<｜tool▁call▁end｜>", "```"),
                ),
            ),
            ("<｜tool▁calls▁begin｜>",),
            ("<｜tool▁calls▁end｜>",),
            alone=True,
            special=True,
        ),
    ),
    end=DEEPSEEK_END,
    models="DeepSeek-V3",
    example='<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{"city": "Paris"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',  # noqa: E501
)
DEEPSEEK_R1 = DEEPSEEK_V3.but(
    "deepseek_r1", models="DeepSeek-R1 and the models distilled from it", example="Two and two.\n</think>\n\nFour."
)
DEEPSEEK_V31 = DEEPSEEK_V3.but(
    "deepseek_v31",
    sections=(
        Section(
            (Call(JSON, ("<｜tool▁call▁begin｜>",), Head(("<｜tool▁sep｜>",)), ("<｜tool▁call▁end｜>",)),),
            ("<｜tool▁calls▁begin｜>",),
            ("<｜tool▁calls▁end｜>",),
            alone=True,
            special=True,
        ),
    ),
    models="DeepSeek-V3.1",
    example=(
        '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city": '
        '"Paris"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>'
    ),
)
SECTION_OPENS = ("<|tool_calls_section_begin|>", "<|tool_call_section_begin|>")
KIMI_K2 = Grammar(
    "kimi_k2",
    reasoning=TAGS._replace(until=(*SECTION_OPENS, "<|tool_call_begin|>"), lead="", trail="", after=""),
    sections=(
        Section(
            (
                Call(
                    JSON,
                    ("<|tool_call_begin|>",),
                    Head(
                        ("<|tool_call_argument_begin|>",),
                        r"\s*(?P<id>(?:functions\.)?(?P<name>[^<\n{(]+?)(?::\d+)?)\s*",
                    ),
                    ("<|tool_call_end|>",),
                ),
            ),
            SECTION_OPENS,
            ("<|tool_calls_section_end|>", "<|tool_call_section_end|>"),
            alone=True,
            special=True,
        ),
    ),
    end=("<|im_end|>", "[EOS]"),
    models="Kimi-K2",
    example='<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city": "Paris"}<|tool_call_end|><|tool_calls_section_end|>',  # noqa: E501
)
FUNCTIONARY_V31 = Grammar(
    "functionary_v31",
    sections=(
        Section((Call(JSON, ("<function=",), Head((">",)), ("</function>",)),)),
        Section((Call(Code("python")),), ("<|python_tag|>",)),
    ),
    end=("<|eot_id|>", "<|eom_id|>"),
    models="Functionary v3.1",
    example='<function=get_weather>{"city": "Paris"}</function>',
)
# The prompt ends with the mark that starts the first header.
FUNCTIONARY_V32 = Grammar(
    "functionary_v32",
    channels=Channels(
        start=(">>>",),
        bodies=(("\n", ""),),
        shape=r"[\w.:/-]+",
        letters=r"[\w.:/-]",
        to=r"(.+)",
        content=("all",),
        call=Call(NamedJson("code")),
        restart=True,
    ),
    end=("<|eot_id|>", "<|end_of_text|>"),
    models="Functionary v3.2",
    example='get_weather\n{"city": "Paris"}',
)
# Plain words, of InternLM2 and the first Qwen among others. The reply is to stop where the tool's answer is to stand.
REACT = Grammar(
    "react",
    reasoning=TAGS._replace(
        open=("Thought:", "Thought："),
        close=("\nFinal Answer:", "\nFinal Answer：", "\nResponse:"),
        until=("\nAction:", "\nAction："),
        lead=" ",
        trail="",
        after=" \n",
    ),
    wrappers=(Wrapper(("Final Answer:", "Final Answer："), ()),),
    sections=(
        Section(
            (
                Call(
                    NamedJson("input"),
                    ("\nAction:", "\nAction：", "Action:", "Action："),
                    Head(("\nAction Input:", "\nActionInput:", "\nAction Input：", "\nActionInput：")),
                    ("\nObservation:", "\nThought:"),
                ),
            ),
            after="\n",
        ),
    ),
    end=("\nObservation:", "\nObservation：", "<|im_end|>", "<|endoftext|>"),
    models="Qwen 1, InternLM2 and others that are told to",
    example='Thought: I need the weather.\nAction: get_weather\nAction Input: {"city": "Paris"}\nObservation:',
)
