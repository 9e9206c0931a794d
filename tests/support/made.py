"""Templates made for the tests of core, and conversations to try them on. No family is needed."""

from datetime import date

from hypothesis import strategies as st

from lect.plugin import CHATML, Template, Turn, TurnTemplate

MARKERS = ("<|im_start|>", "<|im_end|>", "</think>")
IMAGE = "<image>"
PRIVATE = "".join(map(chr, range(0xE000, 0xE100)))
"""Characters that no template writes: wherever one is in a prompt, the text is the caller's."""

# Turn tables, each with features of its own, and one with all of them.

WHOLE = TurnTemplate(
    "whole",
    system=Turn("[SYS]", "[/SYS]", bare="[NO-SYS]"),
    user=Turn("[Round {round}]U:", "\n", bare="[U{round}]"),
    assistant=Turn("A{round}:", "</s>", bare="[A]"),
    tool=Turn("T:", "\n"),
    user_after_system=Turn("+U:", "\n"),
    generation="A{round}:",
    examples=[("user", "example question"), ("assistant", "example answer")],
    first_round=0,
    trim=True,
    bos="<s>",
    default_system="Be kind.",
    markers=["<s>", "</s>", "[SYS]"],
)
ROUNDS = TurnTemplate(
    "rounds", user=Turn("[Round {round}]\n\nQ: ", "\n\n"), assistant=Turn("A: ", "\n\n"), markers=["Q:", "A:"]
)
SHARED = TurnTemplate(
    "shared",
    system=Turn("[INST] <<SYS>>\n", "\n<</SYS>>\n\n", bare="[INST] "),
    user=Turn("[INST] ", " [/INST]"),
    user_after_system=Turn("", " [/INST]"),
    assistant=Turn(" ", " </s>"),
    generation="",
    bos="<s>",
    trim=True,
    markers=["[INST]", "[/INST]", "<<SYS>>", "</s>"],
)
BARE = TurnTemplate(
    "bare",
    system=Turn("", " ", bare=""),
    user=Turn("USER: ", " ", bare="USER:"),
    assistant=Turn("ASSISTANT: ", "</s>", bare="ASSISTANT:"),
    generation="ASSISTANT:",
    default_system="A chat.",
    markers=["USER:", "ASSISTANT:", "</s>"],
    text_separators=True,
)
TABLES = [CHATML, WHOLE, ROUNDS, SHARED, BARE]


# Programs.


def full(chat, out):
    """Write all that a conversation can hold: tools, calls, images, reasoning of the last answer; drop names and
    developer messages."""
    out.append(chat.bos)
    if chat.tools:
        out.append("<tools>")
        for index, tool in enumerate(chat.tools):
            out += "\n", chat.json(tool, "tools", index)
        out.append("</tools>\n")
    answers = [message.index for message in chat.messages if message.role == "assistant"]
    for message in out.turns(chat.messages):
        if message.role == "developer":
            continue
        out += "<|im_start|>", message.role, "\n"
        if message.reasoning and message.index in answers[-1:]:
            out += "<think>", message.reasoning, "</think>"
        elif message.reasoning:
            out.by_rule(message.reasoning)
        if message.parts:
            for part in message.parts:
                if part.type == "text":
                    out.append(part.text)
                elif part.type == "image":
                    out.append(IMAGE)
                    out.used(*part.path)
        else:
            out.append(message.content)
        for call in message.tool_calls:
            out += "<call>", call.name, "(", chat.json(call.arguments, *call.path, "arguments"), ")</call>"
        out.append("<|im_end|>\n")
    if chat.option("mood"):
        out += "Mood: ", chat.option("mood"), "\n"
    if chat.add_generation_prompt:
        out.append("<|im_start|>assistant\n")


def thinking(chat, out):
    """Write only what follows `</think>` in an answer."""
    for message in out.turns(chat.messages):
        text = message.content
        if message.role == "assistant" and "</think>" in text:
            text = text.split("</think>")[-1].lstrip("\n")
        out += "<|im_start|>", message.role, "\n", text, "<|im_end|>\n"
    if chat.add_generation_prompt:
        out.append("<|im_start|>assistant\n<think>\n")


def folding(chat, out):
    """Put the system text into the first user turn, after the user's own text; refuse whatever does not alternate."""
    system = chat.system
    messages = chat.messages[1:] if system else chat.messages
    for position, message in enumerate(out.turns(messages)):
        if message.role != ("user", "assistant")[position % 2]:
            chat.refuse("roles must alternate", instead="user, assistant, user, ...")
        if message.role == "user":
            out += "[INST] ", message.content.strip()
            if system and position == 0:
                out += "\n(", system.content, ")"
            out.append(" [/INST]")
        else:
            out += message.content, "</s>"


def dated(chat, out):
    """Write the day before everything else."""
    out += "Today is ", chat.date().isoformat(), ".\n"
    for message in out.turns(chat.messages):
        out += "<|im_start|>", message.role, "\n", message.content, "<|im_end|>\n"


FULL = Template(
    "full",
    full,
    roles=["system", "user", "assistant", "tool"],
    bos="<s>",
    options=["mood"],
    markers=[*MARKERS, "<tools>", IMAGE],
    capabilities=["system", "tools", "images", "reasoning"],
    accepts=["parts"],
)
THINKING = Template("thinking", thinking, markers=MARKERS)
FOLDING = Template("folding", folding, markers=["[INST]", "[/INST]", "</s>"])
DATED = Template("dated", dated, markers=MARKERS, options=["date"])
PROGRAMS = [FULL, THINKING, FOLDING, DATED]
TEMPLATES = [*TABLES, *PROGRAMS]
THE_DAY = date(2024, 7, 26)


def by_program(template):
    """Return the same format as a program alone: a table without the loop that writes plain chats."""
    return Template(
        template.name,
        template.program,
        roles=template.roles,
        bos=template.bos,
        markers=template.markers,
        options=[name for name in template.options if name != "bos_token"],
        default_system=template.default_system,
        accepts=template.accepts,
    )


# Conversations.

ODD = (
    "", " ", "\n", "\t\n ", "\0", "\x1c", "\u3000", "\u200b", "\ufeff", "é", "中文", "👩‍🚀", "{round}", "{content}", "%s",
    "{0.__class__}", "{{ 7*7 }}", "\\u0041", "<|im_end|>", "<|im_", "end|>", "<", "|>", "</think>", "</thi", "nk>",
    "[INST]", "[/INST", "USER:", "</s>", "text 0", "\n text 0 \n", "<image>", "<s",
)  # fmt: skip
letters = st.characters(exclude_categories=["Cs"])
texts = st.one_of(
    st.sampled_from(ODD),
    st.text(letters, max_size=12),
    st.lists(st.one_of(st.sampled_from(ODD), st.text(letters, max_size=4)), max_size=5).map("".join),
)
roles = st.sampled_from(["system", "developer", "user", "assistant", "tool", "function"])


def plain_chats(text=texts, role=roles):
    """Return a strategy for conversations of roles and texts only."""
    return st.lists(st.fixed_dictionaries({"role": role, "content": text}), max_size=6)


def alternating(text=texts):
    """Return a strategy for conversations that every format allows."""
    turns = st.lists(text, min_size=1, max_size=5).map(
        lambda said: [{"role": ("user", "assistant")[index % 2], "content": each} for index, each in enumerate(said)]
    )
    return st.one_of(turns, st.tuples(text, turns).map(lambda pair: [{"role": "system", "content": pair[0]}, *pair[1]]))


def parts(text=texts):
    """Return a strategy for lists of parts."""
    return st.lists(
        st.one_of(
            text.map(lambda said: {"type": "text", "text": said}),
            st.just({"type": "image", "image": "a.png"}),
            st.just({"type": "audio", "audio": "a.wav"}),
        ),
        max_size=3,
    )


def calls(text=texts):
    """Return a strategy for lists of tool calls, their arguments as mappings or as text."""
    arguments = st.one_of(st.dictionaries(text, text, max_size=2), text)
    function = st.fixed_dictionaries({"name": text, "arguments": arguments})
    return st.lists(function.map(lambda made: {"type": "function", "function": made}), max_size=2)


def rich_chats(text=texts):
    """Return a strategy for conversations with all that messages can hold."""
    message = st.fixed_dictionaries(
        {"role": roles, "content": st.one_of(text, parts(text), st.none())},
        optional={
            "name": text | st.none(),
            "reasoning_content": text | st.none(),
            "tool_calls": calls(text) | st.none(),
            # The openai client gives an answer every field that it knows.
            "refusal": st.none(),
            "function_call": st.none(),
        },
    )
    return st.lists(message, max_size=5)


def chats(text=texts):
    """Return a strategy for conversations of every kind."""
    return st.one_of(plain_chats(text), alternating(text), rich_chats(text))


def field(arguments, path):
    """Return the value at the `path` of a segment in the arguments of `render`."""
    value = arguments
    for step in path:
        value = value[step]
    return value
