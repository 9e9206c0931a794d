"""Formats whose calls look like Python, or nearly so."""

from lect.reply.grammar import Call, Grammar, Head, Literals, Reasoning, Section, Wrapper
from lect.reply.known.json_calls import OBJECT, PYTHON_CALL
from lect.reply.known.thinking import CHATML_END, TAGS

LIST = Section((PYTHON_CALL,), ("[",), ("]",), between=",")

PYTHONIC = Grammar(
    "pythonic",
    sections=(LIST,),
    end=("<|eot_id|>", "<|eom_id|>"),
    models="Llama 3.2, ToolACE",
    example='[get_weather(city="Paris")]',
)
# The model often writes JSON all the same; the maker's template puts it behind the marks, and text between them.
LLAMA4 = Grammar(
    "llama4_pythonic",
    wrappers=(Wrapper(("<|python_start|>",), ("<|python_end|>",), special=True),),
    sections=(
        Section((PYTHON_CALL,), (("<|python_start|>", "["),), (("]", "<|python_end|>"), "]"), between=","),
        LIST,
        Section((OBJECT,), ("<|python_start|>",), ("<|python_end|>",), between=";"),
        Section((OBJECT,), ("<|python_end|>",)),
        Section((OBJECT,), between=";", start=True),
    ),
    end=("<|eot|>", "<|eom|>"),
    models="Llama 4",
    example='<|python_start|>[get_weather(city="Paris")]<|python_end|>',
)
OLMO3 = Grammar(
    "olmo3_pythonic",
    reasoning=TAGS,
    sections=(Section((PYTHON_CALL,), ("<function_calls>",), ("</function_calls>",)),),
    end=CHATML_END,
    models="Olmo 3",
    example='<function_calls>get_weather(city="Paris")\nget_time()</function_calls>',
)
LFM2 = Grammar(
    "lfm2_pythonic",
    reasoning=TAGS,
    sections=(
        Section(
            (PYTHON_CALL, OBJECT),
            (("<|tool_call_start|>", "["),),
            (("]", "<|tool_call_end|>"), "]", "<|tool_call_end|>"),
            between=",",
            after="\n",
            special=True,
        ),
        Section((OBJECT,), ("<|tool_call_start|>",), ("<|tool_call_end|>",), after="\n", special=True),
    ),
    end=("<|im_end|>",),
    models="LFM2",
    example='<|tool_call_start|>[get_weather(city="Paris")]<|tool_call_end|>',
)
# Some checkpoints put a namespace before the name.
CALL_NAME = r"\s*call:(?:default_api:)?(?P<name>[^\s:{}]+)\s*"
GEMMA4 = Grammar(
    "gemma4",
    reasoning=Reasoning(
        ("<|channel>thought\n", "<|channel>thought", "<|channel>"), ("<channel|>",), trail="\n", special=True
    ),
    sections=(
        Section(
            (Call(Literals(":", "}", ('<|"|>',)), head=Head(("{",), CALL_NAME)),),
            ("<|tool_call>",),
            ("<tool_call|>",),
            gap="\n",
            special=True,
        ),
    ),
    end=("<turn|>", "<|tool_response>", "<eos>"),
    models="Gemma 4",
    example='<|channel>thought\nLook.<channel|><|tool_call>call:get_weather{city:<|"|>Paris<|"|>}<tool_call|>',
)
FUNCTIONGEMMA = Grammar(
    "functiongemma",
    sections=(
        Section(
            (Call(Literals(":", "}", ("<escape>",)), head=Head(("{",), CALL_NAME)),),
            ("<start_function_call>",),
            ("<end_function_call>",),
            special=True,
        ),
    ),
    end=("<end_of_turn>", "<start_function_response>", "<eos>"),
    models="FunctionGemma",
    example="<start_function_call>call:get_weather{city:<escape>Paris<escape>}<end_function_call>",
)
