"""Nanbeige 4.2: ChatML with a thought, even if empty, before every answer, and calls in tags or as JSON."""

from lect.plugin import Call, Chat, Message, Template, Writer, thought_and_answer
from lect.plugin.grammar import FUNCTION_TAGS, JSON_OBJECT, THINK, Grammar, Section

EXPERT = (
    "你是一位工具函数调用专家，你会得到一个问题和一组可能的工具函数。根据问题，你需要进行一个或多个函数/工具调用以实现目的，请尽量尝试探索通过工具解决问题。\n"
    "如果没有一个函数可以使用，请直接使用自然语言回复用户。\n"
    "如果给定的问题缺少函数所需的参数，请使用自然语言进行提问，向用户询问必要信息。\n"
    "如果调用结果已经足够回答用户问题，请对历史结果进行总结，使用自然语言回复用户。"
)
CALL_IN_TAGS = (
    "\n</tools>\n\nFor each function call, output the function name and arguments within the following XML format:\n"
    "<tool_call>\n<function=example_function_name>\n<parameter=example_parameter_1>\nvalue_1\n</parameter>\n"
    "<parameter=example_parameter_2>\nThis is the value for the second parameter\nthat can span\nmultiple lines\n"
    "</parameter>\n</function>\n</tool_call><|im_end|>\n"
)
CALL_AS_JSON = (
    "\n</tools>\n\nFor each function call, return a json object with function name and arguments within "
    "<tool_call></tool_call> XML tags:\n"
    '<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call><|im_end|>\n'
)
MEDIA = ("image", "video", "audio")


def visible(chat: Chat, out: Writer, message: Message) -> str:
    """Return the content of a message; for an image, a video or a sound the model is told that it cannot see it."""
    if not message.parts:
        return message.content
    pieces = []
    for part in message.parts:
        if part.type in MEDIA:
            pieces.append(
                f"<reminder>You are unable to process this {part.type} because you don't have multi-modal input "
                "ability. Try different methods.</reminder>"
            )
            out.used(*part.path)
        elif part.type == "text":
            pieces.append(str(part.text))
    return chat.printed("".join(pieces), "messages", message.index, "content")


def write_system(chat: Chat, out: Writer, *, as_json: bool) -> None:
    """Write the system turn: the caller's text, or the maker's, and the tools, one JSON object a line."""
    system = chat.system
    out.append("<|im_start|>system\n")
    if system:
        out.turn(system)
        out += visible(chat, out, system), "\n\n" if chat.tools else ""
        out.turn(None)
    else:
        out.append(EXPERT if chat.tools else chat.default_system)
    if not chat.tools:
        out.append("<|im_end|>\n")
        return
    out.append(
        "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
        "You are provided with function signatures within <tools></tools> XML tags:\n<tools>"
    )
    for index, tool in enumerate(chat.tools):
        out += "\n", chat.json(tool, "tools", index)
    out.append(CALL_AS_JSON if as_json else CALL_IN_TAGS)


def write_call(chat: Chat, out: Writer, call: Call) -> None:
    """Write a call with each argument in its own tag: texts as they are, the rest as JSON.

    Raises:
        RefusedError: If the arguments are not a mapping.
    """
    out += "<tool_call>\n<function=", call.name, ">\n"
    for name, value, where in chat.named_arguments(call):
        text = chat.text(value, *where) if isinstance(value, str) else chat.json(value, *where)
        out += "<parameter=", name, ">\n", text, "\n</parameter>\n"
    out.append("</function>\n</tool_call>")


def write_answer(chat: Chat, out: Writer, message: Message, content: str, *, keeps: bool, as_json: bool) -> None:
    """Write an answer: its thought, unless it is not to be kept, its text and its calls."""
    thought, answer = thought_and_answer(message, content)
    if message.reasoning is None and "</think>" in content:
        answer = answer.rstrip("\n")
    out += "<|im_start|>", message.role, "\n<think>\n"
    if keeps:
        out.append(thought.strip())
    else:
        out.by_rule(message.reasoning)
    out += "\n</think>\n\n", answer
    for index, call in enumerate(message.tool_calls):
        if as_json:
            out += "\n" if index or answer else "", '<tool_call>\n{"name": "', call.name, '", "arguments": '
            out += chat.arguments_as_given(call), "}\n</tool_call>"
        else:
            out.append("\n" if index else "\n\n" if answer.strip() else "")
            write_call(chat, out, call)
    out.append("<|im_end|>\n")


def nanbeige4_2(chat: Chat, out: Writer) -> None:
    """Write Nanbeige 4.2: thinking unless `enable_thinking` is False; consecutive tool results share one user turn.

    Raises:
        RefusedError: If a system text does not come first.
    """
    as_json = chat.option("tool_call_format", "xml") == "json"
    write_system(chat, out, as_json=as_json)
    messages = chat.messages
    texts = [visible(chat, out, message) for message in messages]
    questions = [
        message.index for message in messages if message.role == "user" and not is_result(texts[message.index])
    ]
    question = questions[-1] if questions else len(messages) - 1
    forgets = chat.option("preserve_thinking") is False
    for position, message in enumerate(out.turns(messages)):
        role, text = message.role, texts[position]
        if role == "assistant":
            write_answer(chat, out, message, text, keeps=not forgets or position >= question, as_json=as_json)
        elif role == "tool":
            if position and chat.begins_run(message):
                out.append("<|im_start|>user")
            out += "\n<tool_response>\n", text, "\n</tool_response>"
            if chat.ends_run(message):
                out.append("<|im_end|>\n")
        elif role != "system":
            out += "<|im_start|>", role, "\n", text, "<|im_end|>\n"
        elif position:
            chat.refuse("a system text does not come first", instead="put it first")
    if chat.add_generation_prompt:
        out.append("<|im_start|>assistant\n<think>\n")
        out.append("\n</think>\n\n" if chat.option("enable_thinking") is False else "")


def is_result(text: str) -> bool:
    """Return whether a user's text is the result of a tool."""
    return text.startswith("<tool_response>") and text.endswith("</tool_response>")


NANBEIGE4_2 = Template(
    "nanbeige-4.2",
    nanbeige4_2,
    roles=["system", "user", "assistant", "tool"],
    default_system="你是南北阁，一款由BOSS直聘自主研发并训练的专业大语言模型。",
    capabilities=["system", "tools", "parallel_tools", "reasoning"],
    options={"enable_thinking": bool, "preserve_thinking": bool, "tool_call_format": str},
    accepts=["parts"],
    stop=["<|im_end|>"],
    markers=[
        *("<|im_start|>", "<|im_end|>", "<think>", "</think>", "<tool_call>", "</tool_call>", "<tool_response>"),
        "</tool_response>",
    ],
    reply=Grammar(
        "nanbeige",
        reasoning=THINK,
        sections=(Section((FUNCTION_TAGS, JSON_OBJECT), ("<tool_call>",), ("</tool_call>",), before=("\n\n", "\n")),),
    ),
    source="Nanbeige/Nanbeige4.2-3B, chat_template.jinja, as ggml-org/llama.cpp at aa2f2f4 has it",
    evidence="second-hand",
)
