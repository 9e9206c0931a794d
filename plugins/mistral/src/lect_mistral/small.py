"""Mistral Small 3.1 and 3.2: their own system prompts, and images; in 3.2, calls that are not wrapped in JSON.

Devstral 2505 was made from Small 3.1.
"""

from lect.plugin import Chat, Writer
from lect_mistral import media
from lect_mistral.content import system_text, texts_of, write_content
from lect_mistral.instruct import V3, call_id, result_id

ASK_BACK = (
    "If the user's question is not clear, ambiguous, or does not provide enough context for you to accurately answer "
    "the question, you do not try to answer it right away and you rather ask the user to clarify their request (e.g. "
    '"What are some good restaurants around me?" => "Where are you?" or "When is the next flight to Tokyo" => '
    '"Where do you travel from?")'
)
MADE_BY = (
    ", a Large Language Model (LLM) created by Mistral AI, a French startup headquartered in Paris.\n"
    "Your knowledge base was last updated on 2023-10-01. The current date is "
)
BEFORE_DAY = f"You are Mistral Small 3{MADE_BY}"
AFTER_DAY_3_1 = (
    ".\n\n"
    "When you're not sure about some information, you say that you don't have the information and don't make up "
    "anything.\n"
    f"{ASK_BACK}"
)
AFTER_DAY_3_2 = (
    ".\n\n"
    "When you're not sure about some information or when the user's request requires up-to-date or specific data, you "
    "must use the available tools to fetch the information. Do not hesitate to use tools whenever they can provide a "
    "more accurate or complete response. If no relevant tools are available, then clearly state that you don't have "
    "the information and avoid making up anything.\n\n"
    f"{ASK_BACK}.\n"
    "You are always very attentive to dates, and when asked about information at specific dates, you discard "
    "information that is at another date.\n"
    "You follow these instructions in all languages, and always respond to the user in the language they use or "
    "request.\n"
    "Next sections describe the capabilities that you have.\n\n"
    "# WEB BROWSING INSTRUCTIONS\n\n"
    "You cannot perform any web search or access internet to open URLs, links etc. If it seems like the user is "
    "expecting you to do so, you clarify the situation and ask the user to copy paste the text directly in the "
    "chat.\n\n"
    "# MULTI-MODAL INSTRUCTIONS\n\n"
    "You have the ability to read images, but you cannot generate images. You also cannot transcribe audio files or "
    "videos.\n"
    "You cannot read nor transcribe audio files or videos.\n\n"
    "# TOOL CALLING INSTRUCTIONS\n\n"
    "You may have access to tools that you can use to fetch information or perform actions. You must use these tools "
    "in the following situations:\n\n"
    "1. When the request requires up-to-date information.\n"
    "2. When the request requires specific data that you do not have in your knowledge base.\n"
    "3. When the request involves actions that you cannot perform without tools.\n\n"
    "Always prioritize using tools to provide the most accurate and helpful response. If tools are not available, "
    "inform the user that you cannot perform the requested action at the moment."
)


def small_3_1(chat: Chat, out: Writer) -> None:
    """Write Mistral Small 3.1, which does not support tools."""
    out.append(chat.bos)
    if not chat.system:
        out += "[SYSTEM_PROMPT]", BEFORE_DAY, chat.date().isoformat(), AFTER_DAY_3_1, "[/SYSTEM_PROMPT]"
    for message in out.turns(chat.messages):
        if message.role == "system":
            out += "[SYSTEM_PROMPT]", *texts_of(message), "[/SYSTEM_PROMPT]"
        elif message.role == "user":
            out.append("[INST]")
            write_content(chat, out, message)
            out.append("[/INST]")
        elif message.role == "assistant":
            out += *texts_of(message), chat.eos
        else:
            chat.refuse(f"there is no turn for the role {message.role!r}", instead="system, user or assistant")


def devstral_2505(chat: Chat, out: Writer) -> None:
    """Write Devstral 2505: Small 3.1 without images, under its own name."""
    out.append(chat.bos)
    if not chat.system:
        today = chat.date().isoformat()
        out += "[SYSTEM_PROMPT]You are Devstral", MADE_BY, today, AFTER_DAY_3_1, "[/SYSTEM_PROMPT]"
    for message in out.turns(chat.messages):
        if message.role == "system":
            out += "[SYSTEM_PROMPT]", message.content, "[/SYSTEM_PROMPT]"
        elif message.role == "user":
            out += "[INST]", message.content, "[/INST]"
        elif message.role == "assistant":
            out += message.content, chat.eos
        else:
            chat.refuse(f"there is no turn for the role {message.role!r}", instead="system, user or assistant")


def small_3_2(chat: Chat, out: Writer) -> None:
    """Write Mistral Small 3.2."""
    out += chat.bos, "[SYSTEM_PROMPT]"
    system = chat.system
    out.turn(system)
    if system:
        out.append(system_text(chat, system))
    else:
        out += BEFORE_DAY, chat.date().isoformat(), AFTER_DAY_3_2
    out.append("[/SYSTEM_PROMPT]")
    out.turn(None)
    messages = chat.without_system
    chat.require_alternation([message for message in messages if message.role != "tool" and not message.tool_calls])
    questions = [message for message in messages if message.role == "user"]
    for message in out.turns(messages):
        if message.role == "system":
            out += "[SYSTEM_PROMPT]", system_text(chat, message), "[/SYSTEM_PROMPT]"
        elif message.role == "user":
            if chat.tools and message.raw == questions[-1].raw:
                out += "[AVAILABLE_TOOLS]", chat.json(chat.tools, "tools"), "[/AVAILABLE_TOOLS]"
            out.append("[INST]")
            write_content(chat, out, message)
            out.append("[/INST]")
        elif message.role == "assistant" and message.tool_calls:
            for call in message.tool_calls:
                out += "[TOOL_CALLS]", call.name, "[CALL_ID]", call_id(chat, call), "[ARGS]", chat.arguments(call)
            out.append(chat.eos)
        elif message.role == "assistant":
            write_content(chat, out, message)
            out.append(chat.eos)
        elif message.role in ("tool", "tool_results"):
            out += "[TOOL_RESULTS]", result_id(chat, message), "[TOOL_CONTENT]", chat.content(message)
            out.append("[/TOOL_RESULTS]")
        else:
            chat.refuse(f"there is no turn for the role {message.role!r}", instead="system, user, assistant or tool")


SMALL_3_2 = V3.but(
    name="mistral-small-3.2",
    program=small_3_2,
    capabilities=["system", "tools", "parallel_tools", "images"],
    options=["date"],
    accepts=["parts"],
    markers=[
        "<unk>", "<s>", "</s>", "<pad>", "[INST]", "[/INST]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]",
        "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_CALLS]", "[CALL_ID]", "[ARGS]", "[TOOL_RESULTS]",
        "[TOOL_CONTENT]", "[/TOOL_RESULTS]", "[IMG]", "[IMG_BREAK]", "[IMG_END]", "[PREFIX]", "[MIDDLE]", "[SUFFIX]",
        "<SPECIAL_{}>",
    ],
    control_tokens=["<unk>", "<s>", "<pad>"],
    media=media.SMALL,
    source="mistralai/Mistral-Small-3.2-24B-Instruct-2506, chat_template.jinja",
)  # fmt: skip
SMALL_3_1 = SMALL_3_2.but(
    name="mistral-small-3.1",
    program=small_3_1,
    roles=["system", "user", "assistant"],
    capabilities=["system", "images"],
    source="mistralai/Mistral-Small-3.1-24B-Instruct-2503, chat_template.json",
)
DEVSTRAL_2505 = SMALL_3_2.but(
    name="devstral-2505",
    program=devstral_2505,
    roles=["system", "user", "assistant"],
    capabilities=["system"],
    accepts=[],
    media={},
    source="mistralai/Devstral-Small-2505, the GGUF of Ollama's devstral:latest; its maker's repository has none",
    evidence="second-hand",
)
