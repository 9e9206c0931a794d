"""Granite 3: every role in markers; tools and documents in their own turns."""

from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

from lect.plugin import Chat, Template, Writer
from lect.plugin.grammar import JSON_OBJECT, SPACE, THINK, Grammar, Reasoning, ReplyFormat, Section, in_tags

LISTS_OF_CALLS = (
    Section((JSON_OBJECT,), (("<|tool_call|>", "["),), ("]",), between=",", special=True),
    Section((JSON_OBJECT,), (("<tool_call>", "["),), ("]",), between=","),
    Section((JSON_OBJECT,), ("[",), ("]",), between=",", start=True),
)
GRANITE3_LIST = ReplyFormat(
    Grammar("granite3_list", reasoning=THINK, wrappers=(in_tags("response"),), sections=LISTS_OF_CALLS),
    stop=("<|end_of_text|>",),
    names="Granite 3",
    example='<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Paris"}}]',
)
GRANITE_THINK = ReplyFormat(
    Grammar(
        "granite_think",
        reasoning=Reasoning(
            ("Here is my thought process:", "Here's my thought process:"),
            ("Here is my response:", "Here's my response:"),
            lead=SPACE,
            trail=SPACE,
            after=SPACE,
            # Three of six replies in the tests of ibm-granite/granite-io and in ollama/ollama#8955; the others have
            # one line end, or a space, in one of the places.
            written=("\n\n", "\n\nHere is my response:\n\n"),
        ),
        sections=LISTS_OF_CALLS,
    ),
    stop=("<|end_of_text|>",),
    names="Granite 3.2",
    example="Here is my thought process: Two and two.\nHere is my response: Four.",
)
GRANITE20B_FC = ReplyFormat(
    Grammar("granite20b_fc", sections=(Section((JSON_OBJECT,), ("<function_call>",)),)),
    stop=("<|endoftext|>",),
    names="granite-20b-functioncalling",
    example='<function_call> {"name": "get_weather", "arguments": {"city": "Paris"}}',
)

ALIGN_WITH_DOCUMENTS = (
    "Write the response to the user's input by strictly aligning with the facts in the provided documents. If the "
    "information needed to answer the question is not available in the documents, inform the user that the question "
    "cannot be answered based on the available data."
)
THINK_FIRST = (
    "\n"
    "Respond to every user query in a comprehensive and detailed way. You can write down your thoughts and reasoning "
    "process before responding. In the thought process, engage in a comprehensive cycle of analysis, summarization, "
    "exploration, reassessment, reflection, backtracing, and iteration to develop well-considered thinking process. In "
    "the response section, based on various attempts, explorations, and reflections from the thoughts section, "
    "systematically present the final solution that you deem correct. The response should summarize the thought "
    "process. Write your thoughts "
)
LIST_THE_CALLS = (
    " You are a helpful assistant with access to the following tools. When a tool is required to answer the user's "
    "query, respond only with <|tool_call|> followed by a JSON list of tools used. If a tool does not exist in the "
    "provided list of tools, notify the user that you do not have the ability to fulfill the request."
)


def controls_of(chat: Chat) -> Mapping[str, Any]:
    """Return the option `controls`; empty where it is not given."""
    return chat.option("controls", kind="mapping") or {}


def tools_of(chat: Chat) -> tuple[Sequence[Any], tuple[str, ...]]:
    """Return the tools and their path; the option `available_tools` takes precedence over `tools`."""
    tools = chat.option("available_tools", kind="mappings")
    return (tools, ("options", "available_tools")) if tools else (chat.tools, ("tools",))


def write_system(chat: Chat, out: Writer, default: Sequence[str]) -> None:
    """Write the system turn: the caller's text, or the maker's."""
    out.append("<|start_of_role|>system<|end_of_role|>")
    if chat.system:
        out.turn(chat.system)
        out.append(chat.system.content)
        out.turn(None)
    else:
        out += default
    out.append("<|end_of_text|>\n")


def write_turns(chat: Chat, out: Writer, controls: Mapping[str, Any]) -> None:
    """Write the messages after a first system message, and the opening of the answer with what controls it."""
    messages = chat.without_system
    for message in out.turns(messages):
        out += "<|start_of_role|>", message.role, "<|end_of_role|>", message.content, "<|end_of_text|>\n"
    if messages and chat.add_generation_prompt:
        out.append("<|start_of_role|>assistant")
        if controls:
            out += " ", chat.json(controls, "options", "controls")
        out.append("<|end_of_role|>")


def granite3_0(chat: Chat, out: Writer) -> None:
    """Write Granite 3.0, which has separate roles for calls and their results."""
    if chat.tools:
        out.append("<|start_of_role|>available_tools<|end_of_role|>\n")
        for index, tool in enumerate(chat.tools):
            out += "\n\n" if index else "", chat.json(tool, "tools", index, indent=4)
        out.append("<|end_of_text|>\n")
    for message in out.turns(chat.messages):
        if message.role == "assistant_tool_call":
            out += "<|start_of_role|>assistant<|end_of_role|><|tool_call|>", message.content, "<|end_of_text|>\n"
        elif message.role in chat.facts.roles:
            out += "<|start_of_role|>", message.role, "<|end_of_role|>", message.content, "<|end_of_text|>\n"
    if chat.messages and chat.add_generation_prompt:
        out.append("<|start_of_role|>assistant<|end_of_role|>")


@lru_cache(maxsize=2)
def written_day(day: Any) -> str:
    """Return a date as the maker's template writes it; kept, because that takes as long as writing a short chat."""
    text: str = day.strftime("%B %d, %Y")
    return text


def granite3_1(chat: Chat, out: Writer, *, thinks: bool) -> None:
    """Write Granite 3.1, and 3.2, which `thinks` where the option `thinking` asks for it."""
    tools, documents, controls = chat.tools, chat.documents, controls_of(chat)
    default = [
        "Knowledge Cutoff Date: April 2024.\nToday's Date: ",
        written_day(chat.date()),
        ".\nYou are Granite, developed by IBM.",
    ]
    if tools:
        default.append(
            " You are a helpful AI assistant with access to the following tools. When a tool is required to answer the "
            "user's query, respond with <|tool_call|> followed by a JSON list of tools used. If a tool does not exist "
            "in the provided list of tools, notify the user that you do not have the ability to fulfill the request."
        )
    if documents:
        default += "\n\n" if tools else " ", ALIGN_WITH_DOCUMENTS
        if "citations" in controls:
            default.append(
                "\n\n"
                "In your response, use the symbols <co> and </co> to indicate when a fact comes from a document in the "
                "search result, e.g <co>0</co> for a fact from document 0. Afterwards, list all the citations with "
                "their corresponding documents in an ordered list."
            )
        if "hallucinations" in controls:
            default.append(
                "\n\n"
                "Finally, after the response is written, include a numbered list of sentences from the response that "
                "are potentially hallucinated and not based in the documents."
            )
    elif not tools:
        default.append(" You are a helpful AI assistant.")
        if thinks and chat.option("thinking"):
            default += (
                THINK_FIRST,
                "after 'Here is my thought process:' and write your response after 'Here is my response:' for each "
                "user query.",
            )
    write_system(chat, out, default)
    if tools:
        out += "<|start_of_role|>tools<|end_of_role|>", chat.json(tools, "tools", indent=4), "<|end_of_text|>\n"
    if documents:
        out.append("<|start_of_role|>documents<|end_of_role|>")
        for index, document in enumerate(documents):
            text = chat.input(document.get("text", ""), "documents", index, "text")
            out += "\n\n" if index else "", f"Document {index}\n", text
        out.append("<|end_of_text|>\n")
    write_turns(chat, out, controls)


def granite3_3(chat: Chat, out: Writer) -> None:
    """Write Granite 3.3, which thinks where the option `thinking` asks for it."""
    (tools, path), documents, controls = tools_of(chat), chat.documents, controls_of(chat)
    default = [
        "Knowledge Cutoff Date: April 2024. Today's Date: ",
        written_day(chat.date()),
        ". You are Granite, developed by IBM.",
    ]
    if tools:
        default.append(LIST_THE_CALLS)
    if documents:
        default += " ", ALIGN_WITH_DOCUMENTS
        if "citations" in controls:
            default.append(
                "\n"
                "Use the symbols <|start_of_cite|> and <|end_of_cite|> to indicate when a fact comes from a document "
                "in the search result, e.g <|start_of_cite|> {document_id: 1}my fact <|end_of_cite|> for a fact from "
                "document 1. Afterwards, list all the citations with their corresponding documents in an ordered list."
            )
        if "hallucinations" in controls:
            default.append(
                "\n"
                "Finally, after the response is written, include a numbered list of sentences from the response with a "
                "corresponding risk value that are hallucinated and not based in the documents."
            )
    elif not tools:
        default.append(" You are a helpful AI assistant.")
        if chat.option("thinking"):
            default += (
                THINK_FIRST,
                "between <think></think> and write your response between <response></response> for each user query.",
            )
    write_system(chat, out, default)
    if tools:
        out += "<|start_of_role|>available_tools<|end_of_role|>", chat.json(tools, *path, indent=4), "<|end_of_text|>\n"
    for index, document in enumerate(documents):
        number = chat.text(document.get("doc_id", ""), "documents", index, "doc_id")
        out += '<|start_of_role|>document {"document_id": "', number, '"}<|end_of_role|>\n'
        out += chat.input(document.get("text", ""), "documents", index, "text"), "<|end_of_text|>\n"
    write_turns(chat, out, controls)


GRANITE3_1 = Template(
    "granite-3.1",
    partial(granite3_1, thinks=False),
    capabilities=["system", "tools", "documents"],
    options=["documents", "controls", "date"],
    stop={"<|end_of_text|>": 0},
    markers=["<|start_of_role|>", "<|end_of_role|>", "<|end_of_text|>", "<|tool_call|>"],
    reply=GRANITE3_LIST.grammar,
    source="ibm-granite/granite-3.1-3b-a800m-instruct, tokenizer_config.json",
)
GRANITE3_0 = GRANITE3_1.but(
    name="granite-3.0",
    program=granite3_0,
    roles=["system", "user", "assistant", "assistant_tool_call", "tool_response"],
    capabilities=["system", "tools"],
    options=[],
    source="ibm-granite/granite-3.0-1b-a400m-instruct, tokenizer_config.json",
)
GRANITE3_2 = GRANITE3_1.but(
    name="granite-3.2",
    program=partial(granite3_1, thinks=True),
    capabilities=["system", "tools", "documents", "reasoning"],
    options={"documents": None, "controls": None, "thinking": bool, "date": None},
    reply=GRANITE_THINK.grammar,
    source="ibm-granite/granite-3.2-2b-instruct, tokenizer_config.json",
)
GRANITE3_3 = GRANITE3_1.but(
    name="granite-3.3",
    program=granite3_3,
    capabilities=["system", "tools", "documents", "reasoning"],
    options={"available_tools": None, "documents": None, "controls": None, "thinking": bool, "date": None},
    markers=[
        *GRANITE3_1.markers,
        *("<|start_of_cite|>", "<|end_of_cite|>", "<think>", "</think>", "<response>", "</response>"),
    ],
    source="ibm-granite/granite-3.3-2b-instruct, chat_template.jinja",
)
