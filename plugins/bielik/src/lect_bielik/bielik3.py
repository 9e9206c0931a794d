"""Bielik 3: ChatML with tools and thoughts, both explained in Polish."""

from lect.plugin import Chat, Message, Template, Writer
from lect.plugin.grammar import HERMES_JSON

TOOLS = (
    "\n\nMasz dostęp do następujących narzędzi. Definicje narzędzi znajdują się poniżej wewnątrz znaczników "
    "<|function_list|>:\n<|function_list|>\n["
)
HOW_TO_CALL = (
    "]\n<|function_list|>\n\nAby wywołać narzędzie, użyj formatu "
    '<tool_call>{"name": "nazwa_narzędzia", "arguments": {"argument": "wartość"}}</tool_call>. '
    "Wyniki działania narzędzi zostaną przekazane z markerem <|function_output|>.\n"
)
HOW_TO_THINK = (
    "\n\nZanim odpowiesz na pytanie, najpierw przemyśl swoje kroki i umieść swoje myśli wewnątrz tagów "
    "<think>...</think>. Musisz najpierw pomyśleć, zanim udzielisz odpowiedzi. "
    "WAŻNE: Powinieneś myśleć w tym samym języku, co pytanie użytkownika. Jeśli pytanie jest zadane po polsku, "
    "powinieneś również myśleć po polsku. Jeśli pytanie jest po angielsku, myślisz również po angielsku itd. "
    "** PAMIĘTAJ! ** Pytanie po polsku -> myślenie po polsku -> odpowiedź po polsku!"
    "*** BARDZO WAŻNE!!! *** Jesteś Bielikiem, polskim modelem językowym. Twoją główną cechą jest umiejętność pisania "
    "po polsku. Jeśli użytkownik zadaje Ci pytania po polsku, ZAWSZE odpowiadaj po polsku. "
    "Nawet, jeśli korzystasz z narzędzia, którego większość instrukcji jest po angielsku, powinieneś przede wszystkim "
    "odpowiadać po polsku, jeśli użytkownik zadaje pytanie w tym języku. "
)


def write_system(chat: Chat, out: Writer, *, thinking: bool) -> None:
    """Write the system turn where there is a system text or a tool."""
    system = chat.system
    text = system.content if system else ""
    if not (text or chat.tools):
        return
    out.turn(system)
    out += "<|im_start|>system\n", text
    if chat.tools:
        out.append(TOOLS)
        for index, tool in enumerate(chat.tools):
            out += ",\n" if index else "", chat.json(tool, "tools", index)
        out.append(HOW_TO_CALL)
    out += HOW_TO_THINK if thinking else "", "<|im_end|>\n"
    out.turn(None)


def write_answer(chat: Chat, out: Writer, message: Message) -> None:
    """Write an answer: its thought, its text and its calls."""
    thought, content = message.reasoning, message.content
    if not thought and "<think>" in content and "</think>" in content:
        before, _, content = content.partition("</think>")
        thought = before.split("<think>")[-1]
    out.append("<|im_start|>assistant\n")
    if thought:
        out += "<think>\n", thought.strip(), "\n</think>\n"
    out.append(content.lstrip())
    for call in message.tool_calls:
        out += '\n<tool_call>\n{"name": "', call.name, '", "arguments": ', chat.arguments_as_given(call)
        out.append("}\n</tool_call>")
    out.append("<|im_end|>\n")


def bielik3(chat: Chat, out: Writer) -> None:
    """Write Bielik 3; it thinks where `enable_thinking` is true."""
    thinking = bool(chat.option("enable_thinking"))
    out.append(chat.bos)
    write_system(chat, out, thinking=thinking)
    messages = chat.messages
    for position, message in enumerate(out.turns(chat.without_system)):
        if message.role == "user":
            out += "<|im_start|>user\n", message.content, "<|im_end|>\n"
        elif message.role == "assistant":
            write_answer(chat, out, message)
        elif message.role == "tool":
            # The maker counts without the system message but indexes all messages, so with one it is off by one.
            if position == 0 or messages[position - 1].role != "tool":
                out.append("<|im_start|>user\n")
            out += "<|function_output|>", message.content
            if message is messages[-1] or messages[position + 1].role != "tool":
                out.append("<|im_end|>\n")
    if chat.add_generation_prompt:
        out += "<|im_start|>assistant\n", "<think>\n" if thinking else ""


BIELIK3 = Template(
    "bielik-v3",
    bielik3,
    roles=["system", "user", "assistant", "tool"],
    capabilities=["system", "tools", "parallel_tools", "reasoning"],
    options={"enable_thinking": bool},
    bos="<s>",
    stop=["<|im_end|>", "</s>"],
    markers=[
        "<unk>", "<s>", "</s>", "<|im_start|>", "<|im_end|>", "<|function_list|>", "<|function_output|>", "<think>",
        "</think>", "<tool_call>", "</tool_call>",
    ],
    control_tokens=["<unk>"],
    reply=HERMES_JSON,
    source="speakleash/Bielik-11B-v3.0-Instruct, chat_template.jinja",
)  # fmt: skip
