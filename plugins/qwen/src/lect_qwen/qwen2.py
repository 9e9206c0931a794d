"""Qwen, Qwen1.5, Qwen2, Qwen2.5, the vision models, and QwQ."""

from collections import Counter
from collections.abc import Mapping
from functools import partial

from lect.plugin import Chat, Template, Turn, TurnTemplate, Writer
from lect.plugin.grammar import CALL_IN_WORDS, HERMES_JSON, THINK, Grammar, ReplyFormat, Section, Wrapper
from lect_qwen import media
from lect_qwen.chatml import (
    QWEN1_5_MARKERS,
    QWEN2_5_MARKERS,
    QWEN3_MARKERS,
    STOP,
    VISION,
    write_call,
    write_content,
    write_result,
    write_tools,
)

# The tool's result belongs after `Observation:`, so a model that is told to use ReAct must be stopped there.
REACT = ReplyFormat(
    Grammar(
        "react",
        reasoning=THINK.but(
            open=("Thought:", "Thought："),
            close=("\nFinal Answer:", "\nFinal Answer：", "\nResponse:"),
            until=("\nAction:", "\nAction："),
            lead=" ",
            trail="",
            after=" \n",
        ),
        wrappers=(Wrapper(("Final Answer:", "Final Answer："), ()),),
        sections=(Section((CALL_IN_WORDS,), after="\n"),),
    ),
    stop=("\nObservation:", "\nObservation：", "<|im_end|>", "<|endoftext|>"),
    names="Qwen 1, InternLM2 and others that are told to",
    example='Thought: I need the weather.\nAction: get_weather\nAction Input: {"city": "Paris"}\nObservation:',
)
# The maker's code stops at <|im_start|> too.
QWEN1 = TurnTemplate(
    "qwen-7b-chat",
    system=Turn("<|im_start|>system\n", "<|im_end|>\n"),
    user=Turn("<|im_start|>user\n", "<|im_end|>\n"),
    assistant=Turn("<|im_start|>assistant\n", "<|im_end|>\n"),
    default_system="You are a helpful assistant.",
    stop={"<|im_end|>": 151645, "<|im_start|>": 151644, "<|endoftext|>": 151643},
    markers=QWEN1_5_MARKERS | {"<|extra_{}|>": range(151646, 151851)},
    reply=REACT.grammar,
    source="QwenLM/Qwen, examples and qwen_generation_utils.py: make_context",
)


# Qwen1.5 and Qwen2: all roles alike.
EVERY_ROLE = Turn("<|im_start|>{role}\n", "<|im_end|>\n")
QWEN1_5 = TurnTemplate(
    "qwen1.5",
    system=EVERY_ROLE,
    user=EVERY_ROLE,
    assistant=EVERY_ROLE,
    other=EVERY_ROLE,
    empty="generation",
    default_system=QWEN1.default_system,
    stop=STOP,
    markers=QWEN1_5_MARKERS,
    source="Qwen/Qwen1.5-4B-Chat, tokenizer_config.json",
)
# Sailor2 is a Qwen2.5, but its template is that of Qwen2.
SAILOR2 = QWEN1_5.but(
    name="sailor2",
    default_system=(
        "You are an AI assistant named Sailor2, created by Sea AI Lab. As an AI assistant, you can answer questions in "
        "English, Chinese, and Southeast Asian languages such as Burmese, Cebuano, Ilocano, Indonesian, Javanese, "
        "Khmer, Lao, Malay, Sundanese, Tagalog, Thai, Vietnamese, and Waray. Your responses should be friendly, "
        "unbiased, informative, detailed, and faithful."
    ),
    stop=[*STOP],
    markers=[*QWEN2_5_MARKERS],
    control_tokens=QWEN2_5_MARKERS,
    source="sail/Sailor2-1B-Chat, tokenizer.chat_template of the GGUF behind Ollama's sailor2:1b",
    evidence="second-hand",
)
# A Qwen2.5, too. The opening of an answer follows every question, requested or not.
SMALLTHINKER = QWEN1.but(
    name="smallthinker",
    user=Turn("<|im_start|>user\n", "<|im_end|>\n<|im_start|>assistant\n"),
    assistant=Turn("", "<|im_end|>\n"),
    system_first=True,
    stop=STOP,
    markers=QWEN2_5_MARKERS,
    reply=None,
    source="PowerInfer/SmallThinker-3B-Preview, tokenizer.chat_template of the GGUF behind Ollama's smallthinker:3b",
    evidence="second-hand",
)


def qwen1_5_72b(chat: Chat, out: Writer) -> None:
    """Write Qwen1.5-72B with the earlier template that its repository kept.

    The last message stays open unless an answer is requested.
    """
    messages = chat.messages
    if messages and chat.system is None:
        out += "<|im_start|>system\n", chat.default_system, "<|im_end|>\n"
    for message in out.turns(messages):
        out += "<|im_start|>", message.role, "\n", message.content
        if message is not messages[-1] or chat.add_generation_prompt:
            out.append("<|im_end|>\n")
    if chat.add_generation_prompt and messages and messages[-1].role != "assistant":
        out.append("<|im_start|>assistant\n")


OMNI = {
    "Picture": "<|vision_bos|><|IMAGE|><|vision_eos|>",
    "Audio": "<|audio_bos|><|AUDIO|><|audio_eos|>",
    "Video": "<|vision_bos|><|VIDEO|><|vision_eos|>",
}


def qwen2_vl(chat: Chat, out: Writer, *, media: Mapping[str, str] = VISION) -> None:
    """Write Qwen2-VL, Qwen2.5-VL and Qwen2.5-Omni: like Qwen1.5, with images, videos and sounds."""
    count: Counter[str] = Counter()
    if chat.messages and chat.system is None:
        out += "<|im_start|>system\n", chat.default_system, "<|im_end|>\n"
    for message in out.turns(chat.messages):
        out += "<|im_start|>", message.role, "\n"
        write_content(chat, out, message, count, media)
        out.append("<|im_end|>\n")
    if chat.add_generation_prompt:
        out.append("<|im_start|>assistant\n")


def write_turns(chat: Chat, out: Writer, *, drops_thoughts: bool = False) -> None:
    """Write what follows the system text: calls are in the assistant's turn, results in the user's.

    With `drops_thoughts`, only an answer that is the last message keeps its thought.
    """
    messages = chat.without_system
    for position, message in enumerate(out.turns(messages)):
        role = message.role
        if role == "tool":
            write_result(chat, out, message, message.content)
        elif role == "assistant":
            content = message.content
            if drops_thoughts and position + 1 < len(messages):
                content = content.split("</think>")[-1].lstrip("\n")
            out += "<|im_start|>", role
            # Content in parts counts even if it has no text, where the format takes parts.
            if message.raw.get("content") or not message.tool_calls:
                out += "\n", content
            for call in message.tool_calls:
                out.append("\n")
                write_call(out, call, chat.arguments(call))
            out.append("<|im_end|>\n")
        elif role in ("user", "system"):
            out += "<|im_start|>", role, "\n", message.content, "<|im_end|>\n"


def qwen2_5(chat: Chat, out: Writer) -> None:
    """Write Qwen2.5: there is always a system turn, which holds the tools too."""
    system = chat.system
    out.turn(system)
    out += "<|im_start|>system\n", system.content if system else chat.default_system
    if chat.tools:
        out.append("\n\n")
        write_tools(chat, out)
    else:
        out.append("<|im_end|>\n")
    out.turn(None)
    write_turns(chat, out)
    if chat.add_generation_prompt:
        out.append("<|im_start|>assistant\n")


def cogito(chat: Chat, out: Writer) -> None:
    """Write Cogito v1: like Qwen2.5 without a default system text; with `enable_thinking` a sentence precedes it."""
    system = chat.system
    parts = ["Enable deep thinking subroutine."] if chat.option("enable_thinking") else []
    if system:
        parts.append(system.content)
    out.turn(system)
    if parts or chat.tools:
        out.append("<|im_start|>system\n")
        for index, part in enumerate(parts):
            out += "\n\n" if index else "", part
        if chat.tools:
            out.append("\n\n" if parts else "")
            write_tools(chat, out)
        else:
            out.append("<|im_end|>\n")
    out.turn(None)
    write_turns(chat, out)
    if chat.add_generation_prompt:
        out.append("<|im_start|>assistant\n")


def qwq(chat: Chat, out: Writer) -> None:
    """Write QwQ: like Qwen2.5 without a default system text, and every answer begins with a thought."""
    system = chat.system
    out.turn(system)
    if chat.tools:
        out += "<|im_start|>system\n", system.content if system else "", "\n\n"
        write_tools(chat, out)
    elif system:
        out += "<|im_start|>system\n", system.content, "<|im_end|>\n"
    out.turn(None)
    write_turns(chat, out, drops_thoughts=True)
    if chat.add_generation_prompt:
        out.append("<|im_start|>assistant\n<think>\n")


QWEN1_5_72B = Template(
    "qwen1.5-72b",
    qwen1_5_72b,
    default_system="You are a helpful assistant",
    stop=STOP,
    markers=QWEN1_5_MARKERS,
    source="Qwen/Qwen1.5-72B-Chat, tokenizer_config.json",
)
QWEN2_VL = QWEN1_5_72B.but(
    name="qwen2-vl",
    program=qwen2_vl,
    default_system=QWEN1.default_system,
    capabilities=["system", "images", "video"],
    options={"add_vision_id": bool},
    accepts=["parts"],
    markers=QWEN2_5_MARKERS,
    media=media.QWEN2_VL,
    source="Qwen/Qwen2.5-VL-7B-Instruct, chat_template.json",
)
QWEN2_5 = Template(
    "qwen2.5",
    qwen2_5,
    default_system="You are Qwen, created by Alibaba Cloud. You are a helpful assistant.",
    roles=["system", "user", "assistant", "tool"],
    capabilities=["system", "tools", "parallel_tools"],
    stop=STOP,
    # The tags around a result are plain text before Qwen3.
    markers=QWEN2_5_MARKERS | {"<tool_response>": None, "</tool_response>": None},
    reply=HERMES_JSON,
    source="Qwen/Qwen2.5-3B-Instruct, tokenizer_config.json",
)
QWQ = QWEN2_5.but(
    name="qwq",
    program=qwq,
    default_system="",
    capabilities=["system", "tools", "parallel_tools", "reasoning"],
    markers=QWEN3_MARKERS,
    source="Qwen/QwQ-32B, tokenizer_config.json",
)
COGITO = QWEN2_5.but(
    name="cogito-v1-qwen",
    program=cogito,
    default_system="",
    options={"enable_thinking": bool},
    accepts=["parts"],
    markers=[*QWEN2_5.markers, "<think>", "</think>"],
    source="deepcogito/cogito-v1-preview-qwen-14B, tokenizer.chat_template of the GGUF behind Ollama's cogito:14b",
    evidence="second-hand",
)
QWEN2_5_1M = QWEN2_5.but(
    name="qwen2.5-1m",
    default_system=QWEN1.default_system,
    source="Qwen/Qwen2.5-7B-Instruct-1M, tokenizer_config.json",
)
QWEN2_5_MATH = QWEN2_5.but(
    name="qwen2.5-math",
    default_system="Please reason step by step, and put your final answer within \\boxed{}.",
    source="Qwen/Qwen2.5-Math-7B-Instruct, tokenizer_config.json",
)
QWQ_PREVIEW = QWEN2_5.but(
    name="qwq-preview",
    default_system=(
        "You are a helpful and harmless assistant. You are Qwen developed by Alibaba. You should think step-by-step."
    ),
    source="Qwen/QwQ-32B-Preview, tokenizer.chat_template of the first GGUF behind Ollama's qwq:32b",
    evidence="second-hand",
)
QVQ = QWEN2_VL.but(
    name="qvq",
    default_system=QWQ_PREVIEW.default_system,
    source="Qwen/QVQ-72B-Preview, chat_template.json",
)
QWEN2_5_OMNI = QWEN2_VL.but(
    name="qwen2.5-omni",
    program=partial(qwen2_vl, media=OMNI),
    capabilities=["system", "images", "video", "audio"],
    options={"add_vision_id": bool, "add_audio_id": bool},
    markers=[
        *QWEN1_5_MARKERS, "<|AUDIO|>", "<|audio_bos|>", "<|audio_eos|>", "<|box_end|>", "<|quad_start|>",
        "<|quad_end|>", "<|vision_bos|>", "<|vision_eos|>", "<|vision_pad|>", "<|IMAGE|>", "<|VIDEO|>",
    ],
    media=media.QWEN2_5_OMNI,
    source="Qwen/Qwen2.5-Omni-7B, chat_template.json",
)  # fmt: skip
