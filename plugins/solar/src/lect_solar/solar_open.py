"""Solar Open: a message for each thought, answer and list of calls, and one system message for all instructions."""

from lect.plugin import Chat, Message, Template, Writer
from lect.plugin.grammar import CallSyntax, Channels, Grammar, Head, NamedJson, ReplyFormat, Section

SOLAR_OPEN_MESSAGES = ReplyFormat(
    Grammar(
        "solar_open",
        channels=Channels(
            start=("<|begin|>",),
            bodies=(("<|think|>", "reasoning"), ("<|content|>", "content"), ("<|tool_calls|>", "call")),
            end=("<|end|>",),
            stop=("<|calls|>",),
            shape=r"(?:assistant)?",
            characters=r"[a-z]",
            opening=("<|think|>", "<|content|>", "<|tool_calls|>"),
        ),
        sections=(
            Section(
                (
                    CallSyntax(
                        NamedJson(),
                        ("<|tool_call:begin|>",),
                        Head(
                            ("<|tool_call:args|>",),
                            r"(?P<id>[^<]+)?<\|tool_call:name\|>(?P<name>[^<]+)",
                            within=("<|tool_call:name|>",),
                        ),
                        ("<|tool_call:end|>",),
                    ),
                ),
            ),
        ),
    ),
    stop=("<|flush|>", "<|calls|>"),
    names="Solar Open",
    example=(
        "<|think|>Look.<|end|><|begin|>assistant<|tool_calls|><|tool_call:begin|>a1b2c3d4e5<|tool_call:name|>"
        'get_weather<|tool_call:args|>{"city": "Paris"}<|tool_call:end|><|calls|>'
    ),
    model_types=("solar_open",),
)

BEFORE_TOOLS = (
    "## Tools\n\n### Tool Call Instruction\nYou may invoke one or more tools to assist with the user's query. "
    "Available tools are provided in JSON Schema format: <|tools:begin|><|tool:begin|><tools-json-object><|tool:end|>"
    "...<|tools:end|>\n\n### Available Tools\n<|tools:begin|>"
)
AFTER_TOOLS = (
    "<|tools:end|>\n\n### Tool Call Format\nFor each tool call, return a JSON object with the following structure, "
    "enclosed within <|tool_call:begin|> and <|tool_call:end|> tags: \n<|tool_call:begin|><tool-call-id>"
    "<|tool_call:name|><tool-name><|tool_call:args|><args-json-object><|tool_call:end|>\n- The <tool-call-id> must be "
    "a randomly generated string consisting of 10 lowercase letters (a-z) and/or digits (0-9) (e.g., a1b2c3d4e5)\n\n"
    "### Tool Response Format\nEach tool is responded by `tool` with the following structure:\n<|tool_response:id|>"
    "<tool-call-id><|tool_response:name|><tool-name><|tool_response:result|><results><|tool_response:end|>\n- Ensure "
    "the <tool-call-id> matches the corresponding tool call"
)


def write_provider(chat: Chat, out: Writer) -> None:
    """Write what the maker tells the model, with the date."""
    out.append(
        "## Provider System Prompt\n\nYou are Solar Open 100B, a large language model trained by Upstage AI, a Korean "
        f"startup. Your knowledge cutoff is 2025-07. The current date is {chat.date().isoformat()}."
    )


def write_systems(chat: Chat, out: Writer) -> None:
    """Write all system texts, wherever they are."""
    out.append("## System Prompt")
    for message in out.turns([message for message in chat.messages if message.role == "system"]):
        out += "\n\n", message.content
    out.turn(None)


def write_tools(chat: Chat, out: Writer) -> None:
    """Write the tools, and how to call them."""
    out.append(BEFORE_TOOLS)
    for index in range(len(chat.tools)):
        function, path = chat.function(index)
        out += "<|tool:begin|>", chat.json(function, *path), "<|tool:end|>"
    out.append(AFTER_TOOLS)


def write_schema(chat: Chat, out: Writer) -> None:
    """Write the schema that the answer must follow."""
    schema = chat.text(chat.option("response_format"), "options", "response_format")
    out += (
        "## Output Format Constraint\n\nYour final response should follow the JSON schema: \n[Start of schema]",
        schema,
        "\n[End of schema]\nPlease ensure your answers adhere to this format and do not contain any unnecessary text.",
    )


def write_instructions(chat: Chat, out: Writer) -> None:
    """Write the system message, if there is anything in it."""
    blocks = [
        (write_provider, chat.option("default_system_prompt", True)),
        (write_systems, any(message.role == "system" for message in chat.messages)),
        (write_tools, chat.tools),
        (write_schema, chat.option("response_format")),
    ]
    before = "<|begin|>system<|content|>"
    for write, is_wanted in blocks:
        if is_wanted:
            out.append(before)
            write(chat, out)
            before = "\n\n"
    if before == "\n\n":
        out.append("<|end|>")


def names_by_id(chat: Chat) -> dict[str, list[str]]:
    """Return the names of the functions that were called, by the ids of the calls."""
    names: dict[str, list[str]] = {}
    for message in chat.messages:
        for call in message.tool_calls if message.role == "assistant" else ():
            names.setdefault(call.id or "", []).append(call.name)
    return names


def write_result(chat: Chat, out: Writer, message: Message, names: dict[str, list[str]]) -> None:
    """Write the result of a tool. Consecutive results share a message."""
    call_id = message.raw.get("tool_call_id")
    if call_id is None:
        chat.refuse("a tool's result must name its call", instead='"tool_call_id": the id of the call')
    where = ("messages", message.index, "tool_call_id")
    out.append("<|begin|>tool<|tool_response|>" if chat.begins_run(message) else "")
    out += "<|tool_response:begin|>", chat.text(call_id, *where), "<|tool_response:name|>", *names.get(call_id, ())
    out += "<|tool_response:result|>", message.content, "<|tool_response:end|>"
    out.append("<|end|>" if chat.ends_run(message) else "")


def write_answer(chat: Chat, out: Writer, message: Message, *, keeps_thought: bool) -> None:
    """Write an answer: its thought, which the maker reads from `reasoning` alone, and then its calls or its text."""
    if message.raw.get("reasoning"):
        thought = chat.text(message.raw["reasoning"], "messages", message.index, "reasoning")
        if keeps_thought:
            out += "<|begin|>assistant<|think|>", thought, "<|end|>"
        else:
            out.by_rule(thought)
    if not message.tool_calls:
        out += "<|begin|>assistant<|content|>", message.content, "<|end|>"
        return
    out.append("<|begin|>assistant<|tool_calls|>")
    for call in message.tool_calls:
        if call.id is None:
            chat.refuse("a call has no id", instead='"id": ten letters and digits')
        out += "<|tool_call:begin|>", call.id, "<|tool_call:name|>", call.name, "<|tool_call:args|>"
        out += chat.arguments_as_given(call), "<|tool_call:end|>"
    out.append("<|calls|>")


def solar_open(chat: Chat, out: Writer) -> None:
    """Write Solar Open. Thoughts are kept after the last question; `think_render_option="all"` keeps the others too."""
    write_instructions(chat, out)
    kept = chat.option("think_render_option", "lastthink")
    question = max((message.index for message in chat.messages if message.role == "user"), default=-1)
    names = names_by_id(chat)
    for message in out.turns(chat.messages):
        if message.role == "user":
            out += "<|begin|>user<|content|>", message.content, "<|end|>"
        elif message.role == "tool":
            write_result(chat, out, message, names)
        elif message.role == "assistant":
            keeps_thought = kept == "all" or (kept == "lastthink" and message.index > question)
            write_answer(chat, out, message, keeps_thought=keeps_thought)
    if chat.add_generation_prompt:
        thinks_little = chat.option("reasoning_effort", "high") in ("low", "minimal")
        out += "<|begin|>assistant<|think|><|end|>" if thinks_little else "", "<|begin|>assistant"


SOLAR_OPEN = Template(
    "solar-open",
    solar_open,
    roles=["system", "user", "assistant", "tool"],
    capabilities=["system", "tools", "parallel_tools", "reasoning"],
    options={
        "reasoning_effort": str,
        "default_system_prompt": bool,
        "think_render_option": str,
        "response_format": None,
        "date": None,
    },
    stop=["<|flush|>", "<|calls|>"],
    markers=[
        "<s>", "<|flush|>", "<|begin|>", "<|end|>", "<|content|>", "<|think|>", "<|tool_calls|>", "<|calls|>",
        "<|tool_response|>", "<|tools:begin|>", "<|tools:end|>", "<|tool:begin|>", "<|tool:end|>",
        "<|tool_call:begin|>", "<|tool_call:name|>", "<|tool_call:args|>", "<|tool_call:end|>",
        "<|tool_response:begin|>", "<|tool_response:id|>", "<|tool_response:name|>", "<|tool_response:result|>",
        "<|tool_response:end|>",
    ],
    control_tokens=["<s>"],
    reply=SOLAR_OPEN_MESSAGES.grammar,
    source="upstage/Solar-Open-100B, chat_template.jinja",
)  # fmt: skip
