"""Phi-4, Phi-4-mini and Phi-4-reasoning."""

from lect.plugin import Chat, Message, Template, Turn, TurnTemplate, Writer
from lect.plugin.grammar import JSON_OBJECT, THINKING, Grammar, ReplyFormat, Section
from lect_phi import media

PHI4 = TurnTemplate(
    "phi-4",
    system=Turn("<|im_start|>system<|im_sep|>", "<|im_end|>"),
    user=Turn("<|im_start|>user<|im_sep|>", "<|im_end|>"),
    assistant=Turn("<|im_start|>assistant<|im_sep|>", "<|im_end|>"),
    stop={"<|im_end|>": 100265, "<|endoftext|>": 100257},
    markers=[
        "<|im_start|>", "<|im_sep|>", "<|im_end|>", "<|endoftext|>", "<|fim_prefix|>", "<|fim_middle|>",
        "<|fim_suffix|>", "<|endofprompt|>", "<|dummy_{}|>",
    ],
    source="microsoft/phi-4, tokenizer_config.json",
)  # fmt: skip


THINK_FIRST = (
    "You are Phi, a language model trained by Microsoft to help users. Your role as an assistant involves "
    "thoroughly exploring questions through a systematic thinking process before providing the final precise and "
    "accurate solutions. This requires engaging in a comprehensive cycle of analysis, summarizing, exploration, "
    "reassessment, reflection, backtracing, and iteration to develop well-considered thinking process. Please "
    "structure your response into two main sections: Thought and Solution using the specified format: <think> "
    "{Thought section} </think> {Solution section}. In the Thought section, detail your reasoning process in "
    "steps. Each step should include detailed considerations such as analysing questions, summarizing relevant "
    "findings, brainstorming new ideas, verifying the accuracy of the current steps, refining any errors, and "
    "revisiting previous steps. In the Solution section, based on various attempts, explorations, and reflections "
    "from the Thought section, systematically present the final solution that you deem correct. The Solution "
    "section should be logical, accurate, and concise and detail necessary steps needed to reach the conclusion. "
    "Now, try to solve the following question through the above guidelines:"
)
# Always the maker's system text, and no other.
PHI4_REASONING = PHI4.but(
    name="phi-4-reasoning",
    system=None,
    opening=f"<|im_start|>system<|im_sep|>{THINK_FIRST}<|im_end|>",
    roles=["user", "assistant"],
    capabilities=["reasoning"],
    default_system=THINK_FIRST,
    markers=[*PHI4.markers, "<think>", "</think>"],
    reply=THINKING,
    source="microsoft/Phi-4-reasoning, tokenizer_config.json",
)

PHI4MINI_FUNCTOOLS = ReplyFormat(
    Grammar(
        "phi4mini_functools",
        sections=(
            Section((JSON_OBJECT,), (("functools", "["),), ("]",), between=","),
            Section((JSON_OBJECT,), (("<|tool_call|>", "["),), (("]", "<|/tool_call|>"),), between=",", special=True),
        ),
    ),
    stop=("<|end|>", "<|endoftext|>"),
    names="Phi-4-mini",
    example='functools[{"name": "get_weather", "arguments": {"city": "Paris"}}]',
    signs=("<|/tool|>",),
)


def write_tools(chat: Chat, out: Writer, message: Message) -> bool:
    """Write the tools in the field `tools` of a system message, and return whether there are any.

    The makers' templates have them there, as JSON text.
    """
    tools = message.raw.get("tools") if message.role == "system" else None
    if tools is None:
        return False
    where = ("messages", message.index, "tools")
    text = chat.text(tools, *where) if isinstance(tools, str) else chat.json(tools, *where)
    out += "<|tool|>", text, "<|/tool|>"
    return True


def phi4_mini(chat: Chat, out: Writer) -> None:
    """Write Phi-4-mini: a tag for any role."""
    for message in out.turns(chat.messages):
        out += "<|", message.role, "|>", message.content
        write_tools(chat, out, message)
        out.append("<|end|>")
    out.append("<|assistant|>" if chat.add_generation_prompt else chat.eos)


def phi4_mini_reasoning(chat: Chat, out: Writer) -> None:
    """Write Phi-4-mini-reasoning: all system texts follow the maker's own, in one turn."""
    out += "<|system|>", chat.default_system
    for message in chat.messages:
        if message.role == "system":
            out.turn(message)
            out += " ", message.content
            write_tools(chat, out, message)
    out.turn(None)
    out.append("<|end|>")
    for message in out.turns([message for message in chat.messages if message.role != "system"]):
        out += "<|", message.role, "|>", message.content, "<|end|>"
    out.append("<|assistant|>" if chat.add_generation_prompt else chat.eos)


def phi4_multimodal(chat: Chat, out: Writer) -> None:
    """Write Phi-4-multimodal, which closes a turn with tools twice."""
    for message in out.turns(chat.messages):
        out += "<|", message.role, "|>"
        if not message.parts:
            out.append(message.content)
        for part in message.parts:
            if part.type in ("image", "audio"):
                out.append(f"<|{part.type}|>")
                out.used(*part.path)
            else:
                out.append(part.text)
        if write_tools(chat, out, message):
            out.append("<|end|>")
        out.append("<|end|>")
    out.append("<|assistant|>" if chat.add_generation_prompt else chat.eos)


PHI4_MINI = TurnTemplate(
    "phi-4-mini",
    system=Turn("<|{role}|>", "<|end|>"),
    user=Turn("<|{role}|>", "<|end|>"),
    assistant=Turn("<|{role}|>", "<|end|>"),
    closing="{eos}",
    program=phi4_mini,
    eos="<|endoftext|>",
    stop={"<|end|>": 200020, "<|endoftext|>": 199999},
    markers=[
        "<|system|>",
        "<|user|>",
        "<|assistant|>",
        "<|tool|>",
        "<|/tool|>",
        "<|tool_call|>",
        "<|/tool_call|>",
        "<|end|>",
        "<|endoftext|>",
    ],
    reply=PHI4MINI_FUNCTOOLS.grammar,
    source="microsoft/Phi-4-mini-instruct, tokenizer_config.json",
)
PHI4_MINI_REASONING = Template(
    "phi-4-mini-reasoning",
    phi4_mini_reasoning,
    eos=PHI4_MINI.eos,
    stop=PHI4_MINI.stop,
    default_system="Your name is Phi, an AI math expert developed by Microsoft.",
    capabilities=["system", "reasoning"],
    markers=[*PHI4_MINI.markers, "<think>", "</think>"],
    # Replies in digital-codes/ragExample, docs/examples.md.
    reply=THINKING.but(reasoning=THINKING.reasoning.but(written=("\n", "\n</think>\n\n"))),  # type: ignore[union-attr]
    source="microsoft/Phi-4-mini-reasoning, chat_template.jinja",
)
PHI4_MULTIMODAL = PHI4_MINI.but(
    name="phi-4-multimodal",
    program=phi4_multimodal,
    capabilities=["system", "images", "audio"],
    accepts=["parts"],
    markers=[*PHI4_MINI.markers, "<|image|>", "<|audio|>"],
    media=media.MULTIMODAL_4,
    source="microsoft/Phi-4-multimodal-instruct, as huggingface/transformers converts it",
    evidence="second-hand",
)
