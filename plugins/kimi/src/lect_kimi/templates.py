"""The formats of Kimi K2 and its predecessors: every turn says who speaks, with a marker and with a word."""

from functools import partial

from lect.plugin import Chat, Message, Template, Turn, TurnTemplate, Writer
from lect.plugin.grammar import THINK, CallSyntax, Grammar, Head, NamedJson, ReplyFormat, Section
from lect_kimi import media
from lect_kimi.replies import KIMI_VL_THINK

SECTION_OPENS = ("<|tool_calls_section_begin|>", "<|tool_call_section_begin|>")
KIMI_K2 = ReplyFormat(
    Grammar(
        "kimi_k2",
        reasoning=THINK.but(lead="", trail="", after=""),
        sections=(
            Section(
                (
                    CallSyntax(
                        NamedJson(),
                        ("<|tool_call_begin|>",),
                        Head(
                            ("<|tool_call_argument_begin|>",),
                            r"\s*(?P<id>(?:functions\.)?(?P<name>[^<\n{(]+?)(?::\d+)?)\s*",
                        ),
                        ("<|tool_call_end|>",),
                        counter=r"(?:call)?_?\d+",
                    ),
                ),
                SECTION_OPENS,
                ("<|tool_calls_section_end|>", "<|tool_call_section_end|>"),
                special=True,
            ),
        ),
        # MoonshotAI/Kimi-K2, docs/tool_call_guidance.md: `functions.name:index`, counted over all calls from 0.
        ids="functions.{name}:{index}",
        stripped=r"functions\.[\w.-]+:\d+\s*\{",
    ),
    stop=("<|im_end|>", "[EOS]"),
    names="Kimi-K2",
    example=(
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>"
        '{"city": "Paris"}<|tool_call_end|><|tool_calls_section_end|>'
    ),
    model_types=("kimi_k2",),
)

MARKERS = (
    "<|im_system|>", "<|im_user|>", "<|im_assistant|>", "<|im_middle|>", "<|im_end|>", "<|tool_calls_section_begin|>",
    "<|tool_calls_section_end|>", "<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>",
    "<|media_start|>", "<|media_content|>", "<|media_pad|>", "<|media_end|>", "[BOS]", "[EOS]", "[UNK]", "[PAD]",
    "<|reserved_token_{}|>",
)  # fmt: skip
SPEAKERS = {"user": "<|im_user|>", "assistant": "<|im_assistant|>"}
"""The marker of each speaker; all other roles have the system's."""


IMAGE = "<|media_start|>image<|media_content|><|media_pad|><|media_end|>"


def write_content(out: Writer, message: Message, image: str = f"{IMAGE}\n") -> None:
    """Write the content: its text, or its parts in order."""
    if not message.parts:
        out.append(message.content)
    for part in message.parts:
        if part.type == "image" or "image" in part.raw or "image_url" in part.raw:
            out.append(image)
            out.used(*part.path)
        else:
            out.append(part.text)


def write_content_2_5(out: Writer, message: Message) -> None:
    """Write the content for K2.5: the type of a part alone says what it is, and there are videos."""
    if not message.parts:
        out.append(message.content)
    for part in message.parts:
        if part.type == "image":
            out.append("<|media_begin|>image<|media_content|><|media_pad|><|media_end|>\n")
            out.used(*part.path)
        elif part.type == "video":
            out.append("<|kimi_k25_video_placeholder|>\n")
            out.used(*part.path)
        else:
            out.append(part.text)


def call_id(chat: Chat, message: Message) -> str:
    """Return the id of the call that a tool answers; empty where the message does not have one."""
    return chat.text(message.raw.get("tool_call_id") or "", "messages", message.index, "tool_call_id")


def k2(chat: Chat, out: Writer) -> None:
    """Write Kimi-K2-Instruct: calls are numbered, and roles that it does not know have no opening."""
    if chat.tools:
        out += "<|im_system|>tool_declare<|im_middle|>", chat.json(chat.tools, "tools"), "<|im_end|>"
    if chat.messages and chat.system is None:
        out += "<|im_system|>system<|im_middle|>", chat.default_system, "<|im_end|>"
    for message in out.turns(chat.messages):
        role = message.role
        if role in ("system", "user", "assistant", "tool"):
            out += SPEAKERS.get(role, "<|im_system|>"), role, "<|im_middle|>"
        if role == "assistant" and message.tool_calls:
            out += chat.content(message), "<|tool_calls_section_begin|>"
            for index, call in enumerate(message.tool_calls):
                out += "<|tool_call_begin|>functions.", call.name, f":{index}<|tool_call_argument_begin|>"
                out += chat.arguments(call), "<|tool_call_end|>"
            out.append("<|tool_calls_section_end|>")
        elif role == "tool":
            # The backslash and the n are the maker's: its template has them outside any string.
            out += "## Return of ", call_id(chat, message), "\\n", chat.content(message)
        else:
            write_content(out, message)
        out.append("<|im_end|>")
    if chat.add_generation_prompt:
        out.append("<|im_assistant|>assistant<|im_middle|>")


def vl(chat: Chat, out: Writer) -> None:
    """Write Kimi-VL: roles that it does not know have no marker."""
    if chat.messages and chat.system is None:
        out += "<|im_system|>system<|im_middle|>", chat.default_system, "<|im_end|>"
    for message in out.turns(chat.messages):
        marker = "<|im_system|>" if message.role == "system" else SPEAKERS.get(message.role, "")
        out += marker, message.role, "<|im_middle|>"
        write_content(out, message, IMAGE)
        out.append("<|im_end|>")
    if chat.add_generation_prompt:
        out.append("<|im_assistant|>assistant<|im_middle|>")


def k2_thinking(chat: Chat, out: Writer, *, k2_5: bool = False) -> None:
    """Write Kimi-K2-Thinking: thoughts are kept only after the last plain answer.

    Calls are identified by their ids, and speakers by their names. K2.5 has no default system text, and opens its
    thought itself, unless the option `thinking` is False.
    """
    thinks = not k2_5 or chat.option("thinking", True) is not False
    if chat.tools:
        written = chat.option("tools_ts_str", "", "text") if k2_5 else ""
        tools = written or chat.json(chat.tools, "tools", separators=(",", ":"))
        out += "<|im_system|>tool_declare<|im_middle|>", tools, "<|im_end|>"
    if chat.system is None and not k2_5:
        out += "<|im_system|>system<|im_middle|>", chat.default_system, "<|im_end|>"
    answers = [message.index for message in chat.messages if message.role == "assistant" and not message.tool_calls]
    last_answer = max(answers, default=-1)
    for message in out.turns(chat.messages):
        role = message.role
        out += SPEAKERS.get(role, "<|im_system|>"), message.name or role, "<|im_middle|>"
        if role == "assistant":
            if message.index > last_answer and thinks:
                out += "<think>", message.reasoning or "", "</think>"
            else:
                out.append("<think></think>")
                out.by_rule(message.reasoning)
        elif role == "tool":
            out += "## Return of ", call_id(chat, message), "\n"
        (write_content_2_5 if k2_5 else write_content)(out, message)
        if role == "assistant" and message.tool_calls:
            out.append("<|tool_calls_section_begin|>")
            for call in message.tool_calls:
                out += "<|tool_call_begin|>", call.id or "", "<|tool_call_argument_begin|>"
                out += chat.arguments_as_given(call), "<|tool_call_end|>"
                # The id of a call contains its name.
                out.used(*call.path, "name")
            out.append("<|tool_calls_section_end|>")
        out.append("<|im_end|>")
    if chat.add_generation_prompt:
        out.append("<|im_assistant|>assistant<|im_middle|>")
        if k2_5:
            out.append("<think>" if thinks else "<think></think>")


K2 = Template(
    "kimi-k2",
    k2,
    roles=["system", "user", "assistant", "tool"],
    default_system="You are a helpful assistant",
    capabilities=["system", "tools", "parallel_tools", "images"],
    accepts=["parts", "null"],
    stop={"<|im_end|>": 163586, "[EOS]": 163585},
    markers=MARKERS,
    reply=KIMI_K2.grammar,
    source="moonshotai/Kimi-K2-Instruct, chat_template.jinja",
)
K2_THINKING = K2.but(
    name="kimi-k2-thinking",
    program=k2_thinking,
    default_system="You are Kimi, an AI assistant created by Moonshot AI.",
    capabilities=[*K2.capabilities, "reasoning"],
    markers=[*MARKERS, "<think>", "</think>"],
    source="moonshotai/Kimi-K2-Thinking, chat_template.jinja",
)
K2_5 = K2_THINKING.but(
    name="kimi-k2.5",
    program=partial(k2_thinking, k2_5=True),
    default_system="",
    capabilities=[*K2_THINKING.capabilities, "video"],
    options={"thinking": bool, "tools_ts_str": str},
    markers=[*K2_THINKING.markers, "<|media_begin|>", "<|kimi_k25_video_placeholder|>"],
    media=media.K2_5,
    source="moonshotai/Kimi-K2.5, chat_template.jinja",
)
VL = Template(
    "kimi-vl",
    vl,
    default_system=K2.default_system,
    capabilities=["system", "images"],
    accepts=["parts"],
    stop=K2.stop,
    markers=MARKERS,
    media=media.VL,
    source="moonshotai/Kimi-VL-A3B-Instruct, chat_template.jinja",
)
VL_THINKING = VL.but(
    name="kimi-vl-thinking",
    capabilities=["system", "images", "reasoning"],
    markers=[*MARKERS, "◁think▷", "◁/think▷"],
    reply=KIMI_VL_THINK.grammar,
    source="moonshotai/Kimi-VL-A3B-Thinking, chat_template.jinja",
)
MOONLIGHT = TurnTemplate(
    "moonlight",
    system=Turn("<|im_system|>system<|im_middle|>", "<|im_end|>"),
    user=Turn("<|im_user|>user<|im_middle|>", "<|im_end|>"),
    assistant=Turn("<|im_assistant|>assistant<|im_middle|>", "<|im_end|>"),
    other=Turn("{role}<|im_middle|>", "<|im_end|>"),
    empty="generation",
    default_system=K2.default_system,
    stop=K2.stop,
    markers=MARKERS,
    source="moonshotai/Moonlight-16B-A3B-Instruct, tokenizer_config.json",
)
