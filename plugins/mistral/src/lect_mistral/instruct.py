"""The instruct formats of Mistral: v1 (7B v0.1, v0.2, Mixtral), v3 (7B v0.3, Large 2407), Nemo, Pixtral, Large 2411."""

from functools import partial

from lect.errors import saferepr
from lect.plugin import Call, Chat, Message, Template, Turn, TurnTemplate, Writer
from lect.plugin.grammar import JSON_OBJECT, CallSyntax, Grammar, Head, NamedJson, Reasoning, ReplyFormat, Section
from lect_mistral import media
from lect_mistral.content import texts_of, write_content

NAME_AND_ID = r"\s*(?P<name>[^\s\[\]]+)(?:\[CALL_ID\](?P<id>[\w-]+))?\s*"
# Two generations: a list of objects, or a name before each object.
MISTRAL_CALLS = ReplyFormat(
    Grammar(
        "mistral",
        # The maker's templates of Magistral and Ministral 3 write a part that is a thought so.
        reasoning=Reasoning(("[THINK]",), ("[/THINK]",), special=True, written=("", "[/THINK]")),
        sections=(
            Section((JSON_OBJECT,), (("[TOOL_CALLS]", "["),), ("]",), between=",", gap="\t ", special=True),
            Section(
                (
                    CallSyntax(NamedJson(), head=Head(("[ARGS]",), NAME_AND_ID)),
                    CallSyntax(NamedJson(), head=Head(("{",), NAME_AND_ID, keep=True), foreign=True),
                ),
                ("[TOOL_CALLS]",),
                special=True,
            ),
        ),
        tokens=("[ARGS]", "[CALL_ID]", "[TOOL_CONTENT]"),
        # The maker's templates refuse ids other than nine letters and digits.
        ids="call{index:05}",
    ),
    stop=("</s>",),
    names="Mistral 7B v0.3 and later, Nemo, Small, Devstral, Magistral",
    example='[TOOL_CALLS]get_weather[ARGS]{"city": "Paris"}',
    model_types=("mistral3",),
)


def call_id(chat: Chat, call: Call) -> str:
    """Return the id of a call.

    Raises:
        RefusedError: If it does not have the length that these models require.
    """
    if call.id is None or len(call.id) != 9:
        chat.refuse(
            f"the id of a tool call is {saferepr(call.id)}; these models want nine letters and digits",
            instead="'call00001'",
        )
    return call.id


def result_id(chat: Chat, message: Message) -> str:
    """Return the id of the call that a result belongs to.

    Raises:
        RefusedError: If it does not have the length that these models require.
    """
    given = message.raw.get("tool_call_id")
    if not isinstance(given, str) or len(given) != 9:
        chat.refuse(
            f"tool_call_id is {saferepr(given)}; these models want nine letters and digits",
            instead="the id of the call",
        )
    return chat.text(given, "messages", message.index, "tool_call_id")


def v1(chat: Chat, out: Writer) -> None:
    """Write the first format, in which the system text opens the first turn."""
    system = chat.system
    messages = chat.without_system
    chat.require_alternation(messages)
    out.append(chat.bos)
    for message in out.turns(messages):
        if message.role == "user":
            out.append(" [INST] ")
            if system and message is messages[0]:
                out += system.content, "\n\n"
            out += message.content, " [/INST]"
        elif message.role == "assistant":
            out += " ", message.content, chat.eos
        else:
            chat.refuse(
                f"there is no turn for the role {message.role!r} here",
                instead="a system message first, then user and assistant",
            )


def write_tools(chat: Chat, out: Writer, gap: str) -> None:
    """Write the tools. Texts are written in quotes as they are: the maker's template does not escape them."""
    out += "[AVAILABLE_TOOLS]", gap, "["
    for index in range(len(chat.tools)):
        function, path = chat.function(index)
        out.append(', {"type": "function", "function": {' if index else '{"type": "function", "function": {')
        members = [(key, value) for key, value in function.items() if key != "return"]
        for place, (key, value) in enumerate(members):
            out += ', "' if place else '"', chat.printed(key, *path, key), '": '
            if isinstance(value, str):
                out += '"', chat.text(value, *path, key), '"'
            else:
                out.append(chat.json(value, *path, key))
        out.append("}}")
    out.append("][/AVAILABLE_TOOLS]")


def write_calls(chat: Chat, out: Writer, message: Message, gap: str) -> None:
    """Write the calls of a message as one JSON list."""
    out += "[TOOL_CALLS]", gap, "["
    for index, call in enumerate(message.tool_calls):
        out.append(", {" if index else "{")
        for name, value in call.raw.get("function", call.raw).items():
            out += chat.json(name, *call.path, name), ": ", chat.json(value, *call.path, name), ", "
        out += '"id": "', call_id(chat, call), '"}'
    out += "]", chat.eos


def v3(chat: Chat, out: Writer, *, gap: str, trims: bool) -> None:
    """Write v3 and Nemo, which differ in their spaces.

    The tools precede the last user turn. The system text opens it, if that turn ends the conversation.
    """
    system = chat.system
    messages = chat.without_system
    chat.require_alternation(
        [each for each in messages if each.role not in ("tool", "tool_results") and not each.tool_calls]
    )
    questions = [message for message in messages if message.role == "user"]
    out.append(chat.bos)
    for message in out.turns(messages):
        if message.role == "user":
            if chat.tools and message.raw == questions[-1].raw:
                write_tools(chat, out, gap)
            out += "[INST]", gap
            if system and message is messages[-1]:
                out += system.content, "\n\n"
            out += message.content, "[/INST]"
        elif message.tool_calls:
            write_calls(chat, out, message, gap)
        elif message.role == "assistant":
            out += gap, message.content.strip() if trims else message.content, chat.eos
        elif message.role in ("tool", "tool_results"):
            out += "[TOOL_RESULTS]", gap, '{"content": ', message.content
            out += ', "call_id": "', result_id(chat, message), '"}[/TOOL_RESULTS]'
        else:
            chat.refuse(
                f"there is no turn for the role {message.role!r} here",
                instead="a system message first, then user, assistant and tool",
            )


def pixtral(chat: Chat, out: Writer) -> None:
    """Write Pixtral: the system text opens the last question, if that ends the conversation."""
    system = chat.system
    messages = chat.without_system
    chat.require_alternation(messages)
    out.append(chat.bos)
    for message in out.turns(messages):
        if message.role == "user":
            out.append("[INST]")
            if system and message is messages[-1]:
                out += *texts_of(system), "\n\n"
            write_content(chat, out, message)
            out.append("[/INST]")
        elif message.role == "assistant":
            write_content(chat, out, message)
            out.append(chat.eos)
        else:
            chat.refuse(
                f"there is no turn for the role {message.role!r} here",
                instead="a system message first, then user and assistant",
            )


V1 = Template(
    "mistral-v1",
    v1,
    bos="<s>",
    eos="</s>",
    stop={"</s>": 2},
    markers={"<unk>": 0, "<s>": 1, "</s>": 2, "[INST]": None, "[/INST]": None},
    text_separators=True,
    source="mistralai/Mistral-7B-Instruct-v0.1, tokenizer_config.json",
)
V3 = Template(
    "mistral-v3",
    partial(v3, gap=" ", trims=True),
    roles=["system", "user", "assistant", "tool", "tool_results"],
    bos="<s>",
    eos="</s>",
    capabilities=["system", "tools", "parallel_tools"],
    stop={"</s>": 2},
    # Which of the tokens in between have a name depends on the revision.
    markers={
        "<unk>": 0, "<s>": 1, "</s>": 2, "[INST]": 3, "[/INST]": 4, "[TOOL_CALLS]": 5, "[AVAILABLE_TOOLS]": 6,
        "[/AVAILABLE_TOOLS]": 7, "[TOOL_RESULTS]": 8, "[/TOOL_RESULTS]": 9, "[IMG]": None, "[PREFIX]": None,
        "[MIDDLE]": None, "[SUFFIX]": None, "[control_{}]": None, "[REFERENCE_DOC_{}]": None,
    },
    reply=MISTRAL_CALLS.grammar,
    source="mistralai/Mistral-7B-Instruct-v0.3, tokenizer_config.json",
)  # fmt: skip
NEMO = V3.but(
    name="mistral-nemo",
    program=partial(v3, gap="", trims=False),
    markers={
        "<unk>": 0, "<s>": 1, "</s>": 2, "[INST]": 3, "[/INST]": 4, "[AVAILABLE_TOOLS]": 5, "[/AVAILABLE_TOOLS]": 6,
        "[TOOL_RESULTS]": 7, "[/TOOL_RESULTS]": 8, "[TOOL_CALLS]": 9, "<pad>": 10, "[PREFIX]": 11, "[MIDDLE]": 12,
        "[SUFFIX]": 13, "<SPECIAL_{}>": (*[None] * 14, *range(14, 1000)),
    },
    source="mistralai/Mistral-Nemo-Instruct-2407, tokenizer_config.json",
)  # fmt: skip
PIXTRAL = NEMO.but(
    name="pixtral",
    program=pixtral,
    roles=["system", "user", "assistant"],
    capabilities=["system", "images"],
    accepts=["parts"],
    # The same vocabulary, in which some of the numbered tokens now have names.
    markers={**NEMO.markers, "[IMG]": None, "[IMG_BREAK]": None, "[IMG_END]": None},
    media=media.PIXTRAL,
    source="mistralai/Pixtral-12B-2409, chat_template.json",
)
# Nothing opens an answer: the prompt ends with the question.
LARGE_2411 = TurnTemplate(
    "mistral-large-2411",
    system=Turn("[SYSTEM_PROMPT] ", "[/SYSTEM_PROMPT]"),
    user=Turn("[INST] ", "[/INST]"),
    assistant=Turn(" ", "{eos}"),
    generation="",
    refuses=True,
    bos="<s>",
    eos="</s>",
    stop={"</s>": 2},
    markers={
        **V3.markers, "[IMG]": 10, "[PREFIX]": 11, "[MIDDLE]": 12, "[SUFFIX]": 13, "[IMG_BREAK]": 14, "[IMG_END]": 15,
        "[SYSTEM_PROMPT]": 16, "[/SYSTEM_PROMPT]": 17, "[TOOL_CONTENT]": 18, "[/REF]": 749, "[REF]": 750,
        "[REFERENCE_DOC_{}]": range(770, 750, -1),
    },
    source="mistralai/Mistral-Large-Instruct-2411, tokenizer_config.json",
)  # fmt: skip
