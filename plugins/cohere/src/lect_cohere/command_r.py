"""Command R and Aya, and Command R7B and A, which can be given documents."""

from lect.plugin import Chat, Message, Template, Writer
from lect.plugin.grammar import JSON_OBJECT, Grammar, Reasoning, ReplyFormat, Section, Wrapper
from lect_cohere import words
from lect_cohere.documents import Calls
from lect_cohere.words import CHATBOT, END, SYSTEM, USER

COHERE_ACTION = ReplyFormat(
    Grammar(
        "cohere_action",
        reasoning=Reasoning(("<|START_THINKING|>",), ("<|END_THINKING|>",), special=True),
        wrappers=(
            Wrapper(("<|START_RESPONSE|>",), ("<|END_RESPONSE|>",), special=True),
            Wrapper(("<|START_TEXT|>",), ("<|END_TEXT|>",), special=True),
            # Citations: the cited text is kept.
            Wrapper(("<co>",), ("</co:", "</co ", "</co>"), special=True, tail=">"),
        ),
        sections=(
            Section(
                (JSON_OBJECT,),
                (("<|START_ACTION|>", "["),),
                (("]", "<|END_ACTION|>"),),
                between=",",
                special=True,
            ),
        ),
        tokens=("<|START_OF_TURN_TOKEN|>", "<|CHATBOT_TOKEN|>", "<|USER_TOKEN|>", "<|SYSTEM_TOKEN|>"),
    ),
    stop=("<|END_OF_TURN_TOKEN|>",),
    names="Command R7B and A",
    example=(
        "<|START_THINKING|>Look.<|END_THINKING|><|START_ACTION|>[\n"
        '    {"tool_call_id": "0", "tool_name": "get_weather", "parameters": {"city": "Paris"}}\n]<|END_ACTION|>'
    ),
    model_types=("cohere2",),
)
COMMAND_R_PLUS = ReplyFormat(
    Grammar(
        "command_r_plus",
        sections=(
            Section(
                (JSON_OBJECT,),
                (("Action:\n```json", "["), ("Action: ```json", "[")),
                (("]", "```"),),
                between=",",
                before=("\n",),
            ),
        ),
        tokens=("<|START_OF_TURN_TOKEN|>", "<|CHATBOT_TOKEN|>", "<|USER_TOKEN|>", "<|SYSTEM_TOKEN|>"),
    ),
    stop=("<|END_OF_TURN_TOKEN|>",),
    names="Command R and R+",
    example='Action:\n```json\n[{"tool_name": "get_weather", "parameters": {"city": "Paris"}}]\n```',
    model_types=("cohere",),
)


def write_turns(chat: Chat, out: Writer, opening: str, closing: str) -> None:
    """Write the turns after a system message; an answer is written between `opening` and `closing`."""
    messages = chat.without_system
    chat.require_alternation(messages)
    for message in out.turns(messages):
        if message.role == "user":
            out += USER, message.content.strip(), END
        elif message.role == "assistant":
            out += CHATBOT, opening, message.content.strip(), closing, END
    if chat.add_generation_prompt:
        out += CHATBOT, opening


def command_r(chat: Chat, out: Writer) -> None:
    """Write Command R."""
    out.append(chat.bos)
    if chat.system:
        out.turn(chat.system)
        out += SYSTEM, chat.system.content, END
        out.turn(None)
    write_turns(chat, out, "", "")


def command_r7b(chat: Chat, out: Writer) -> None:
    """Write Command R7B: with documents it is told how to use them; without, it gets only the caller's texts."""
    out.append(chat.bos)
    if chat.documents:
        with_documents(chat, out)
        return
    out.turn(chat.system)
    out += SYSTEM, chat.system.content if chat.system else "", END
    out.turn(None)
    write_turns(chat, out, "<|START_RESPONSE|>", "<|END_RESPONSE|>")


def command_a(chat: Chat, out: Writer) -> None:
    """Write Command A: with documents like R7B, without them after the maker's preamble."""
    out.append(chat.bos)
    if chat.documents:
        with_documents(chat, out)
        return
    safety = "STRICT" if chat.text_option("safety_mode", "").upper() == "STRICT" else "CONTEXTUAL"
    out += SYSTEM, "# System Preamble\n", words.SAFETY[safety], "\n\n", words.CUTOFF, "\n\n"
    system = write_preamble(chat, out)
    for message in out.turns(chat.messages):
        if message.role == "system" and message is not system:
            out += SYSTEM, message.content, END
        elif message.role == "user":
            out += USER, message.content, END
        elif message.role in ("assistant", "chatbot"):
            out += CHATBOT, "<|START_RESPONSE|>", message.content, "<|END_RESPONSE|>", END
    out += CHATBOT, "<|START_RESPONSE|>" if chat.add_generation_prompt else ""


def write_preamble(chat: Chat, out: Writer) -> Message | None:
    """Write the maker's instructions and then the caller's, and return the system message if these are its text.

    Without a system message, the option `developer_preamble` takes its place.
    """
    system = chat.system if chat.system and chat.system.content else None
    preamble = chat.system.content if chat.system else chat.text_option("developer_preamble", "")
    out.append(words.DEFAULT_PREAMBLE)
    if preamble:
        out.turn(system)
        out += "\n\n", words.DEVELOPER_PREAMBLE, "\n", preamble
        out.turn(None)
    out.append(END)
    return system


def with_documents(chat: Chat, out: Writer) -> None:
    """Write Command R7B with documents, which are presented as the result of a tool after the first question."""
    out += SYSTEM, "# System Preamble\n", words.SAFETY["CONTEXTUAL"], "\n\n", words.CUTOFF, "\n\n"
    out += words.TRAINED, "\n\n", words.PLAN, "\n", words.SKIP_PLAN, "\n\n"
    out += words.STEPS, "\n", words.SKIP_REFLECTION, "\n\n", words.RESPOND, "\n\n"
    if chat.option("enable_citations"):
        out += words.GROUNDING, "\n\n"
    out += words.AVAILABLE, "[\n    ", words.DOCUMENT_TOOL, "\n]\n```\n\n"
    system = write_preamble(chat, out)
    calls = Calls(chat, out, line="\n", whole=True)
    for message in out.turns(chat.messages):
        role = message.role
        if role == "system" and message is not system:
            out += SYSTEM, message.content, END
        elif role == "user":
            out += USER, message.content, END
            calls.write_documents(words.LOOK_THROUGH)
        elif role in ("assistant", "chatbot"):
            out.append(CHATBOT)
            if message.tool_calls:
                plan = chat.input(message.raw.get("tool_plan") or "", "messages", message.index, "tool_plan")
                out += "<|START_THINKING|>", plan, "<|END_THINKING|>"
                calls.write(message)
            else:
                out += "<|START_RESPONSE|>", message.content, "<|END_RESPONSE|>"
            out.append(END)
        elif role == "tool":
            calls.write_results(message)
    out.append(CHATBOT)


MARKERS = (
    "<BOS_TOKEN>", "<EOS_TOKEN>", "<EOP_TOKEN>", "<|START_OF_TURN_TOKEN|>", "<|END_OF_TURN_TOKEN|>",
    "<|SYSTEM_TOKEN|>", "<|USER_TOKEN|>", "<|CHATBOT_TOKEN|>", "<|YES_TOKEN|>", "<|NO_TOKEN|>", "<|GOOD_TOKEN|>",
    "<|BAD_TOKEN|>", "<|USER_{}_TOKEN|>", "<|EXTRA_{}_TOKEN|>",
)  # fmt: skip
SECTIONS = (
    "<|START_RESPONSE|>", "<|END_RESPONSE|>", "<|START_THINKING|>", "<|END_THINKING|>", "<|START_ACTION|>",
    "<|END_ACTION|>", "<|START_TOOL_RESULT|>", "<|END_TOOL_RESULT|>",
)  # fmt: skip
COMMAND_R = Template(
    "command-r",
    command_r,
    bos="<BOS_TOKEN>",
    stop={"<|END_OF_TURN_TOKEN|>": 255001},
    markers=MARKERS,
    control_tokens=MARKERS,
    reply=COMMAND_R_PLUS.grammar,
    source="CohereLabs/c4ai-command-r-v01, tokenizer_config.json: the default template",
)
COMMAND_R7B = COMMAND_R.but(
    name="command-r7b",
    program=command_r7b,
    roles=["system", "user", "assistant", "chatbot", "tool"],
    capabilities=["system", "documents"],
    options={"documents": None, "enable_citations": bool, "developer_preamble": None},
    markers=[*MARKERS, *SECTIONS],
    control_tokens=MARKERS,
    reply=COHERE_ACTION.grammar,
    source="CohereLabs/c4ai-command-r7b-12-2024, tokenizer_config.json: the default template",
)
COMMAND_A = COMMAND_R7B.but(
    name="command-a",
    program=command_a,
    options={**COMMAND_R7B.options, "safety_mode": str},
    source="CohereLabs/c4ai-command-a-03-2025, tokenizer_config.json: the default template",
)
