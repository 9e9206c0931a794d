"""GLM-4.5, GLM-4.6, GLM-5 and GLM-5.1: thoughts in tags, arguments in tags."""

from collections.abc import Iterable

from lect.plugin import Call, Chat, Message, Template, Writer, thought_and_answer
from lect.plugin.grammar import KEY_VALUE_CALL, THINK, Grammar, ReplyFormat, Section
from lect_chatglm.glm4 import GLM4

GLM4_XML = ReplyFormat(
    Grammar(
        "glm4_xml",
        reasoning=THINK,
        sections=(Section((KEY_VALUE_CALL,), before=("\n",)),),
    ),
    stop=("<|user|>", "<|observation|>", "<|endoftext|>"),
    names="GLM-4.5 and later",
    example="<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n</tool_call>",
    model_types=("glm4_moe",),
)

MARKERS = [
    *GLM4.markers, "<think>", "</think>", "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>",
    "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>", "<|begin_of_audio|>", "<|end_of_audio|>",
    "<|begin_of_transcription|>", "<|end_of_transcription|>", "<|code_prefix|>", "<|code_middle|>", "<|code_suffix|>",
]  # fmt: skip
"""All are tokens: the tests of vllm-project/vllm state the ids of the tags, and leave two for those of results."""
ON_LINES = (
    "<tool_call>{function-name}\n<arg_key>{arg-key-1}</arg_key>\n<arg_value>{arg-value-1}</arg_value>\n"
    "<arg_key>{arg-key-2}</arg_key>\n<arg_value>{arg-value-2}</arg_value>\n...\n</tool_call>"
)
IN_A_ROW = (
    "<tool_call>{function-name}<arg_key>{arg-key-1}</arg_key><arg_value>{arg-value-1}</arg_value>"
    "<arg_key>{arg-key-2}</arg_key><arg_value>{arg-value-2}</arg_value>...</tool_call>"
)


def write_tools(out: Writer, schemas: Iterable[str], call: str, gap: str = "\n\n") -> None:
    """Write the tools, and what a call looks like; `gap` separates paragraphs."""
    out += "<|system|>\n# Tools", gap, "You may call one or more functions to assist with the user query.", gap
    out.append("You are provided with function signatures within <tools></tools> XML tags:\n<tools>\n")
    for schema in schemas:
        out += schema, "\n"
    out += "</tools>", gap, "For each function call, output the function name and arguments within the following XML "
    out += "format:\n", call


def write_call(chat: Chat, out: Writer, call: Call, line: str) -> None:
    """Write one call: each argument in a pair of tags, texts as they are and the rest as JSON."""
    out += line, "<tool_call>", call.name, line
    for name, value, where in chat.named_arguments(call):
        text = chat.text(value, *where) if isinstance(value, str) else chat.json(value, *where)
        out += "<arg_key>", name, "</arg_key>", line, "<arg_value>", text, "</arg_value>", line
    out.append("</tool_call>")


def write_result(chat: Chat, out: Writer, message: Message, line: str) -> None:
    """Write the result of a tool.

    Consecutive results share one observation; results in parts have one each.
    """
    if not isinstance(message.raw.get("content"), list | tuple):
        if chat.begins_run(message):
            out.append("<|observation|>")
        out += line, "<tool_response>", line, message.content, line, "</tool_response>"
        return
    out.append("<|observation|>")
    for part in message.parts:
        output = part.raw.get("output", part.raw)
        shown = chat.text(output, *part.path, "output") if isinstance(output, str) else chat.printed(output, *part.path)
        out += line, "<tool_response>", line, shown, line, "</tool_response>"


def last_question(chat: Chat) -> int:
    """Return the index of the last user message; -1 where there is none."""
    return max((message.index for message in chat.messages if message.role == "user"), default=-1)


def thinks(chat: Chat) -> bool:
    """Return whether thinking is on."""
    return bool(chat.option("enable_thinking", True))


def glm4_5(chat: Chat, out: Writer) -> None:
    """Write GLM-4.5 and 4.6: everything is on its own line; thoughts are kept only after the last question."""
    out.append("[gMASK]<sop>")
    if chat.tools:
        write_tools(out, [chat.json(tool, "tools", index) for index, tool in enumerate(chat.tools)], ON_LINES)
    question = last_question(chat)
    for message in out.turns(chat.messages):
        if message.role == "user":
            out += "<|user|>\n", message.content
            if not thinks(chat) and not message.content.endswith("/nothink"):
                out.append("/nothink")
        elif message.role == "assistant":
            thought, content = thought_and_answer(message)
            if message.index > question and thought:
                out += "<|assistant|>\n<think>", thought.strip(), "</think>"
            else:
                out.append("<|assistant|>\n<think></think>")
                out.by_rule(message.reasoning)
            if content.strip():
                out += "\n", content.strip()
            for call in message.tool_calls:
                write_call(chat, out, call, "\n")
        elif message.role == "tool":
            write_result(chat, out, message, "\n")
        elif message.role == "system":
            out += "<|system|>\n", message.content
    if chat.add_generation_prompt:
        out.append("<|assistant|>" if thinks(chat) else "<|assistant|>\n<think></think>")


def write_answer(chat: Chat, out: Writer, message: Message, question: int, thought: str | None, content: str) -> None:
    """Write an answer of GLM-5: its thought, its text and its calls.

    Thoughts of earlier turns are kept only where `clear_thinking` is False.
    """
    keeps = not chat.option("clear_thinking", True) or message.index > question
    if keeps and thought is not None:
        out += "<|assistant|><think>", thought, "</think>"
    else:
        out.append("<|assistant|></think>")
        out.by_rule(message.reasoning)
    if content.strip():
        out.append(content.strip())
    for call in message.tool_calls:
        write_call(chat, out, call, "")


def glm5(chat: Chat, out: Writer) -> None:
    """Write GLM-5 and GLM-4.7: like GLM-4.5, without the line breaks."""
    out.append("[gMASK]<sop>")
    if chat.tools:
        write_tools(out, [chat.json(tool, "tools", index) for index, tool in enumerate(chat.tools)], IN_A_ROW)
    question = last_question(chat)
    for message in out.turns(chat.messages):
        if message.role in ("user", "system"):
            out += "<|", message.role, "|>", message.content
        elif message.role == "assistant":
            thought, content = thought_and_answer(message)
            write_answer(chat, out, message, question, thought.strip() if thought else None, content)
        elif message.role == "tool":
            write_result(chat, out, message, "")
    if chat.add_generation_prompt:
        out.append("<|assistant|><think>" if thinks(chat) else "<|assistant|></think>")


def schema(chat: Chat, index: int) -> str:
    """Return a tool of GLM-5.1 as JSON, without the keys that are only meant for servers."""
    function, _ = chat.function(index)
    shown = {key: value for key, value in function.items() if key not in ("defer_loading", "strict")}
    return chat.json(shown, "tools", index)


def thought_of(chat: Chat, message: Message, question: int, *, thought_before: bool) -> tuple[str | None, str]:
    """Return the reasoning and the answer of GLM-5.1.

    The reasoning is None where no thought is written at all, not even an empty one.
    """
    content = message.content
    if message.reasoning is not None:
        return message.reasoning, content
    if "</think>" in content:
        pieces = content.split("</think>")
        return pieces[0].split("<think>")[-1], pieces[-1]
    empty = thinks(chat) if message.index > question else message.index < question and thought_before
    return ("" if empty else None), content


def write_result_5_1(chat: Chat, out: Writer, message: Message) -> None:
    """Write the result of a tool: text, or the schemas of the tools that it names."""
    if chat.begins_run(message):
        out.append("<|observation|>")
    out.append("<tool_response>")
    if message.parts and message.parts[0].type == "tool_reference":
        out.append("<tools>\n")
        for part in message.parts:
            out.used(*part.path)
            for index in range(len(chat.tools)):
                if chat.function(index)[0].get("name") == part.raw.get("name"):
                    out += schema(chat, index), "\n"
        out.append("</tools>")
    else:
        out.append(message.content)
    out.append("</tool_response>")


def glm5_1(chat: Chat, out: Writer) -> None:
    """Write GLM-5.1: tools can be held back until a result names them.

    Where one answer to a question has a thought, all of them have one, even if it is empty.
    """
    out.append("[gMASK]<sop>")
    if chat.tools:
        at_once = [index for index in range(len(chat.tools)) if not chat.function(index)[0].get("defer_loading")]
        write_tools(out, [schema(chat, index) for index in at_once], IN_A_ROW)
    question = last_question(chat)
    thoughtful: set[int | None] = set()
    asked: int | None = None
    for message in chat.messages:
        if message.role == "user":
            asked = message.index
        elif asked is not None and message.role == "assistant" and message.reasoning is not None:
            thoughtful.add(asked)
    asked = None
    for message in out.turns(chat.messages):
        if message.role == "user":
            asked = message.index
        if message.role in ("user", "system"):
            out += "<|", message.role, "|>", message.content
        elif message.role == "assistant":
            thought, content = thought_of(chat, message, question, thought_before=asked in thoughtful)
            write_answer(chat, out, message, question, thought, content)
        elif message.role == "tool":
            write_result_5_1(chat, out, message)
    if chat.add_generation_prompt:
        out.append("<|assistant|><think>" if thinks(chat) else "<|assistant|></think>")


GLM4_5 = Template(
    "glm-4.5",
    glm4_5,
    roles=["system", "user", "assistant", "tool"],
    capabilities=["system", "tools", "parallel_tools", "reasoning"],
    options={"enable_thinking": bool},
    accepts=["parts"],
    stop=GLM4.stop,
    markers=MARKERS,
    control_tokens=MARKERS,
    reply=GLM4_XML.grammar,
    source="zai-org/GLM-4.5, chat_template.jinja",
)
GLM4_6 = GLM4_5.but(name="glm-4.6", source="zai-org/GLM-4.6, chat_template.jinja")
GLM5 = GLM4_5.but(
    name="glm-5",
    program=glm5,
    options={"enable_thinking": bool, "clear_thinking": bool},
    # GLM-4.7 has the vocabulary of GLM-4.5, GLM-4.7-Flash and GLM-5 have a larger one: no ids are right for all.
    stop=[*GLM4_5.stop],
    markers=MARKERS,
    control_tokens=MARKERS,
    source="zai-org/GLM-5, chat_template.jinja",
)
GLM5_1 = Template(
    "glm-5.1",
    glm5_1,
    roles=["system", "user", "assistant", "tool"],
    capabilities=["system", "tools", "parallel_tools", "reasoning"],
    options={"enable_thinking": bool, "clear_thinking": bool},
    accepts=["parts"],
    stop={"<|endoftext|>": 154820, "<|user|>": 154827, "<|observation|>": 154829},
    markers=MARKERS,
    control_tokens=MARKERS,
    reply=GLM4_XML.grammar,
    source="zai-org/GLM-5.1, chat_template.jinja",
)
