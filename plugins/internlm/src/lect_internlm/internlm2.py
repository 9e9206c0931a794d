"""InternLM2, 2.5 and 3: ChatML with an environment that answers, tools and a code interpreter."""

from collections.abc import Mapping
from functools import cached_property, partial
from typing import Any, NamedTuple

from lect.errors import MessageError, saferepr
from lect.plugin import Call, Chat, Message, Turn, TurnTemplate, Writer
from lect.plugin.grammar import CALL_IN_WORDS, JSON_OBJECT, THINK, CallSyntax, Code, Grammar, ReplyFormat, Section

# The document says that the model also makes calls in the form of ReAct if a prompt asks it to. No token marks such a
# call, so it must be at the start of a line and name one of the caller's tools.
REACT_CALLS = Section((CALL_IN_WORDS.but(open=(), known=True),), ("\nAction:", "\nAction："), after="\n")
# The interpreter gets code in a Markdown fence; `python_interpreter` is our name for the function called.
INTERNLM2_ACTION = ReplyFormat(
    Grammar(
        "internlm2_action",
        reasoning=THINK,
        sections=(
            Section(
                (JSON_OBJECT,),
                (("<|action_start|>", "<|plugin|>"), ("[UNUSED_TOKEN_144]", "[UNUSED_TOKEN_141]")),
                ("<|action_end|>", "[UNUSED_TOKEN_143]"),
                before=("\n",),
                special=True,
            ),
            Section(
                (CallSyntax(Code("python_interpreter")),),
                (("<|action_start|>", "<|interpreter|>"), ("[UNUSED_TOKEN_144]", "[UNUSED_TOKEN_142]")),
                ("<|action_end|>", "[UNUSED_TOKEN_143]"),
                special=True,
            ),
            REACT_CALLS,
            REACT_CALLS.but(open=("Action:", "Action："), start=True),
        ),
    ),
    stop=("<|im_end|>", "[UNUSED_TOKEN_145]", "</s>"),
    names="InternLM2 and 2.5, Intern-S1",
    example='Look:<|action_start|><|plugin|>\n{"name": "get_weather", "parameters": {"city": "Paris"}}<|action_end|>',
)

# The text of the maker's document; it is written for a tool of the type `code_interpreter`.
INTERPRETER = (
    "You now have access to a Jupyter notebook environment supporting Python code execution. Just send code to python "
    "to run in this stateful environment. This feature is suitable for:\n"
    "- Data analysis or processing (such as data manipulation and graphic creation)\n"
    "- Complex calculations (such as math and physics problems)\n"
    "- Programming examples (for understanding programming concepts or language features)\n"
    "- Text processing and analysis (including text analysis and natural language processing)\n"
    "- Machine learning and data science (model training and data visualization)\n"
    "- File operations and data import (handling CSV, JSON, etc. formats)"
)
INTERPRETER_NAMES = ("interpreter", "code_interpreter", "python_interpreter")
"""The names by which the interpreter is called, unless a function of that name is offered."""
PLAIN_ROLES = frozenset({"system", "user", "assistant"})


class Tokens(NamedTuple):
    """The control tokens in one spelling."""

    start: str
    end: str
    action_start: str
    action_end: str
    interpreter: str
    plugin: str


NAMED = Tokens("<|im_start|>", "<|im_end|>", "<|action_start|>", "<|action_end|>", "<|interpreter|>", "<|plugin|>")
# The same ids, 92543 down to 92538, as the vocabulary of January 2024 spells them.
NUMBERED = Tokens(*(f"[UNUSED_TOKEN_{number}]" for number in range(146, 140, -1)))
SPELLINGS = {"named": NAMED, "numbered": NUMBERED}


def function_of(tool: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the function of a tool, which may also be given bare; in other tools, `function` may be anything."""
    function: Mapping[str, Any] = tool["function"] if isinstance(tool.get("function"), Mapping) else tool
    return function


class Environment:
    """What answers the model: the tools, and the interpreter under its names."""

    def __init__(self, chat: Chat):
        offered = [function_of(tool).get("name") for tool in chat.tools]
        self.names = [name for name in INTERPRETER_NAMES if name not in offered]
        self._messages = chat.messages

    @cached_property
    def ids(self) -> list[str]:
        """The ids of the calls of the interpreter."""
        return [call.id for message in self._messages for call in message.tool_calls if call.id and self.runs(call)]

    def runs(self, call: Call) -> bool:
        """Return whether a call is for the interpreter, and is code: text, or nothing but `{"code": text}`."""
        if call.name not in self.names:
            return False
        return isinstance(call.arguments, str) or (
            list(call.arguments) == ["code"] and isinstance(call.arguments["code"], str)
        )

    def ran(self, message: Message) -> bool:
        """Return whether a result is the interpreter's, judging by its name or by the call that it answers."""
        return message.name in self.names or message.raw.get("tool_call_id") in self.ids


def write_tools(chat: Chat, out: Writer, tokens: Tokens) -> None:
    """Write what the model may use: the interpreter, then the functions.

    The functions are on one line, as LMDeploy and vLLM write them: the document's own list, with its trailing commas,
    is not JSON.
    """
    functions = []
    for index, tool in enumerate(chat.tools):
        if tool.get("type") == "code_interpreter":
            out += tokens.start, "system name=", tokens.interpreter, "\n", INTERPRETER, tokens.end, "\n"
            out.used("tools", index)
        else:
            functions.append(index)
    if not functions:
        return
    out += tokens.start, "system name=", tokens.plugin, "\n["
    for index in functions:
        tool = chat.tools[index]
        function = function_of(tool)
        path = ("tools", index) if function is tool else ("tools", index, "function")
        out += "" if index == functions[0] else ", ", chat.json(function, *path)
    out += "]", tokens.end, "\n"


def code_of(chat: Chat, call: Call) -> str:
    """Return the code that the interpreter is called with."""
    if isinstance(call.arguments, str):
        return call.arguments
    return chat.text(call.arguments["code"], *call.path, "arguments", "code")


def write_call(chat: Chat, out: Writer, tokens: Tokens, environment: Environment, call: Call) -> None:
    """Write one call: fenced code for the interpreter, JSON for a function."""
    if environment.runs(call):
        code = code_of(chat, call)
        fenced = code.lstrip().startswith("```")
        # After code the document has a line break, as the maker's training code always does; after JSON it has none.
        before, after = ("", "") if fenced else ("```python\n", "\n```")
        out += tokens.action_start, tokens.interpreter, "\n", before, code, after, tokens.action_end, "\n"
        out.used(*call.path, "name")
        return
    # The document says `parameters`, and so does LMDeploy; vLLM's example says `arguments`, which the model was not
    # trained on. Arguments that are not a JSON object are kept as the model wrote them.
    parameters = chat.arguments_as_given(call)
    out += tokens.action_start, tokens.plugin, '\n{"name": ', chat.json(call.name, *call.path, "name")
    out += ', "parameters": ', parameters, "}", tokens.action_end


def write_name(out: Writer, tokens: Tokens, message: Message) -> None:
    """Write who speaks within a role.

    Tools and the interpreter are given by their tokens, anything else, such as `file`, by its name.
    """
    if not message.name:
        return
    if message.name in ("plugin", "interpreter"):
        out += " name=", tokens.plugin if message.name == "plugin" else tokens.interpreter
        out.used("messages", message.index, "name")
    else:
        out += " name=", message.name


def write_turn(chat: Chat, out: Writer, tokens: Tokens, environment: Environment, message: Message) -> None:
    """Write one message."""
    out.append(tokens.start)
    if message.role in ("tool", "function"):
        # The document names every answer of the environment after its source; LMDeploy does so only where the message
        # itself is called `plugin` or `interpreter`. Neither says which function it was.
        out += "environment name=", tokens.interpreter if environment.ran(message) else tokens.plugin
        out.by_rule(message.name)
    else:
        out.append(message.role)
        write_name(out, tokens, message)
    out += "\n", message.content
    if message.role == "assistant":
        for call in message.tool_calls:
            write_call(chat, out, tokens, environment, call)
    out += tokens.end, "\n"


def write_chat(chat: Chat, out: Writer, tokens: Tokens) -> None:
    """Write a conversation in one spelling of the tokens."""
    environment = Environment(chat)
    messages = chat.messages
    # In the document the tools follow all system texts; LMDeploy puts them after the first, which is the same if there
    # is only one.
    opening = next((message.index for message in messages if message.role != "system"), len(messages))
    out.append(chat.bos)
    for message in out.turns(messages[:opening]):
        write_turn(chat, out, tokens, environment, message)
    if chat.tools:
        write_tools(chat, out, tokens)
    start, end = tokens.start, f"{tokens.end}\n"
    for message in out.turns(messages[opening:]):
        # Nearly all messages are a role and a text.
        if len(message.raw) == 2 and message.role in PLAIN_ROLES:
            out += start, message.role, "\n", message.content, end
        else:
            write_turn(chat, out, tokens, environment, message)
    if chat.add_generation_prompt:
        out += tokens.start, "assistant\n"


def internlm2(chat: Chat, out: Writer) -> None:
    """Write InternLM2 and 2.5, whose vocabulary was published in two spellings.

    Raises:
        MessageError: If the option `spelling` is not one of them.
    """
    spelling = chat.option("spelling", "named")
    if not isinstance(spelling, str) or spelling not in SPELLINGS:
        raise MessageError(
            f"option spelling is {saferepr(spelling)}; "
            "expected 'named' (<|im_start|>) or 'numbered' ([UNUSED_TOKEN_146])\n"
            "  try: spelling='numbered'"
        )
    write_chat(chat, out, SPELLINGS[spelling])


INTERNLM2 = TurnTemplate(
    "internlm2-chat",
    system=Turn("<|im_start|>{role}\n", "<|im_end|>\n"),
    user=Turn("<|im_start|>{role}\n", "<|im_end|>\n"),
    assistant=Turn("<|im_start|>{role}\n", "<|im_end|>\n"),
    program=internlm2,
    roles=["system", "user", "assistant", "environment"],
    bos="<s>",
    capabilities=["system", "tools", "parallel_tools", "code_interpreter"],
    options={"spelling": str},
    stop={NAMED.end: 92542, NUMBERED.end: 92542, "</s>": 2},
    markers={
        "<unk>": 0, "<s>": 1, "</s>": 2, "<|plugin|>": 92538, "<|interpreter|>": 92539, "<|action_end|>": 92540,
        "<|action_start|>": 92541, "<|im_end|>": 92542, "<|im_start|>": 92543,
        "[UNUSED_TOKEN_{}]": range(92397, 92544),
    },
    reply=INTERNLM2_ACTION.grammar,
    source="InternLM/InternLM, chat/chat_format.md; internlm/internlm2-chat-7b, tokenizer_config.json",
)  # fmt: skip
# The format is InternLM2's, but the vocabulary is different: `<|im_end|>` is 128131.
INTERNLM3 = INTERNLM2.but(
    name="internlm3-instruct",
    program=partial(write_chat, tokens=NAMED),
    options=[],
    stop={NAMED.end: 128131, "</s>": 2},
    markers=[*NAMED, "<s>", "</s>"],
    source="internlm/internlm3-8b-instruct, tokenizer_config.json and generation_config.json",
)
