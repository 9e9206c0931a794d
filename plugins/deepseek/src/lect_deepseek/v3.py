"""DeepSeek-V2.5, V3, R1 and the models distilled from R1."""

from functools import partial

from lect.plugin import Call, Chat, Template, Writer
from lect.plugin.grammar import SPACE, THINK, CallSyntax, Grammar, Head, NamedJson, ReplyFormat, Section
from lect_deepseek.plain import BOS, EOS

SPECIAL = {
    "<｜fim▁hole｜>": 128800, "<｜fim▁begin｜>": 128801, "<｜fim▁end｜>": 128802, "<｜User｜>": 128803,
    "<｜Assistant｜>": 128804, "<|EOT|>": 128805, "<｜tool▁calls▁begin｜>": 128806, "<｜tool▁calls▁end｜>": 128807,
    "<｜tool▁call▁begin｜>": 128808, "<｜tool▁call▁end｜>": 128809, "<｜tool▁outputs▁begin｜>": 128810,
    "<｜tool▁outputs▁end｜>": 128811, "<｜tool▁output▁begin｜>": 128812, "<｜tool▁output▁end｜>": 128813,
    "<｜tool▁sep｜>": 128814,
}  # fmt: skip
"""The tokens with which all vocabularies since V3 end; those before them were placeholders at first."""
NAMES = [BOS, EOS, "<｜▁pad▁｜>", *SPECIAL, "<think>", "</think>"]
"""The same, and the tags of a thought, for vocabularies that have other ids."""

OPEN, SEPARATOR, CLOSE = "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>"
FENCED = CallSyntax(
    NamedJson(), ((OPEN, "function", SEPARATOR),), Head(("\n```json\n", "\n```json")), (("```", CLOSE),)
)
# That of V3.1, which has no fence. Each falls back on the other's.
PLAIN = CallSyntax(NamedJson(), (OPEN,), Head((SEPARATOR,)), (CLOSE,))


def calls(*syntaxes: CallSyntax) -> Section:
    """Return the section of calls."""
    return Section(syntaxes, ("<｜tool▁calls▁begin｜>",), ("<｜tool▁calls▁end｜>",), special=True)


INVENTED = (
    "<｜tool▁outputs▁begin｜>", "<｜tool▁outputs▁end｜>", "<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>",
)  # fmt: skip
DEEPSEEK_V3 = ReplyFormat(
    Grammar(
        "deepseek_v3",
        reasoning=THINK.but(after=SPACE),
        sections=(calls(FENCED, PLAIN.but(foreign=True)),),
        # A model that goes on after its call invents the result.
        tokens=INVENTED,
    ),
    stop=(EOS,),
    names="DeepSeek-V3",
    example=(
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n"
        '```json\n{"city": "Paris"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>'
    ),
)
DEEPSEEK_R1 = ReplyFormat(
    DEEPSEEK_V3.grammar.but(name="deepseek_r1"),
    stop=(EOS,),
    names="DeepSeek-R1 and the models distilled from it",
    example="Two and two.\n</think>\n\nFour.",
)


def write_systems(chat: Chat, out: Writer) -> None:
    """Write all system texts before everything else, wherever they are."""
    systems = [message for message in chat.messages if message.role == "system"]
    for index, message in enumerate(systems):
        out.turn(message)
        if index:
            out.append("\n\n")
        out.append(message.content)
    out.turn(None)


def write_last_system(chat: Chat, out: Writer) -> None:
    """Write the last system text before everything else; the others are dropped."""
    systems = [message for message in chat.messages if message.role == "system"]
    if systems:
        out.turn(systems[-1])
        out.append(systems[-1].content)
        out.turn(None)


def write_call(chat: Chat, out: Writer, call: Call) -> None:
    """Write one call: its type, its name, and its arguments as fenced JSON."""
    where = call.path[:-1] if call.path[-1] == "function" else call.path
    kind = chat.input(call.raw["type"], *where, "type") if "type" in call.raw else "function"
    out += "<｜tool▁call▁begin｜>", kind, "<｜tool▁sep｜>", call.name
    out += "\n```json\n", chat.arguments_as_given(call), "\n```<｜tool▁call▁end｜>"


def v2_5(chat: Chat, out: Writer) -> None:
    """Write V2.5: like V3, but with the last system text alone, and eight leading spaces for each system text."""
    # The spaces are the maker's: they are outside any tag in its template.
    out.append(" " * 8 * sum(message.role == "system" for message in chat.messages))
    v3(chat, out, last_system=True)


def v3(chat: Chat, out: Writer, *, r1: bool = False, distilled: bool = False, last_system: bool = False) -> None:
    """Write V3, R1, which thinks before it answers, and the models distilled from R1, which do so in the turns of V3.

    The first call and the first result of the whole conversation open a list, later ones do not. V3 closes the list of
    calls after each call but the first, R1 after each message.
    """
    thinks = r1 or distilled
    out.append(chat.bos)
    (write_last_system if distilled or last_system else write_systems)(chat, out)
    called = answered = after_tool = False
    for message in out.turns(chat.messages):
        if message.role == "user":
            out += "<｜User｜>", message.content
            after_tool = False
        elif message.role == "tool":
            if not answered:
                out.append("<｜tool▁outputs▁begin｜>")
            elif not r1:
                out.append("\n")
            out += "<｜tool▁output▁begin｜>", message.content, "<｜tool▁output▁end｜>"
            answered = after_tool = True
        elif message.role == "assistant":
            # R1 writes calls wherever there are some, the others only where there is no content.
            if message.tool_calls if r1 else message.raw.get("content") is None:
                for call in message.tool_calls:
                    if called:
                        out.append("\n")
                    else:
                        out += "<｜Assistant｜>", message.content, "<｜tool▁calls▁begin｜>"
                    write_call(chat, out, call)
                    if called and not r1:
                        out += "<｜tool▁calls▁end｜>", EOS
                    called = True
                if r1:
                    out += "<｜tool▁calls▁end｜>", EOS
            elif after_tool:
                out += "<｜tool▁outputs▁end｜>", message.content, EOS
            else:
                out += "<｜Assistant｜>", message.content.split("</think>")[-1] if thinks else message.content, EOS
            if thinks:
                out.by_rule(message.reasoning)
            after_tool = False
    if after_tool:
        out.append("<｜tool▁outputs▁end｜>")
    elif chat.add_generation_prompt:
        out.append("<｜Assistant｜><think>\n" if thinks else "<｜Assistant｜>")


def v3_0324(chat: Chat, out: Writer, *, thinks: bool = False) -> None:
    """Write V3 of March 2025, and R1 of May 2025, which `thinks`: a question opens its answer at once.

    Every message with calls opens its own list, and so does the first result after it.
    """
    out.append(chat.bos)
    write_systems(chat, out)
    answered = after_user = after_tool = False
    for message in out.turns(chat.messages):
        if message.role == "user":
            out += "<｜User｜>", message.content, "<｜Assistant｜>"
            after_user, after_tool = True, False
        elif message.role == "tool":
            out.append("\n" if answered else "<｜tool▁outputs▁begin｜>")
            out += "<｜tool▁output▁begin｜>", message.content, "<｜tool▁output▁end｜>"
            answered = after_tool = True
            after_user = False
        elif message.role == "assistant":
            out.append("<｜tool▁outputs▁end｜>" if after_tool else "")
            out.append(message.content.split("</think>")[-1] if thinks else message.content)
            if message.tool_calls:
                out.append("<｜tool▁calls▁begin｜>")
                for index, call in enumerate(message.tool_calls):
                    out.append("\n" if index else "")
                    write_call(chat, out, call)
                out.append("<｜tool▁calls▁end｜>")
                answered = False
            out.append(EOS)
            if thinks:
                out.by_rule(message.reasoning)
            after_user = after_tool = False
    if after_tool:
        out.append("<｜tool▁outputs▁end｜>")
    elif chat.add_generation_prompt and not after_user:
        out.append("<｜Assistant｜>")


V3 = Template(
    "deepseek-v3",
    v3,
    roles=["system", "user", "assistant", "tool"],
    bos=BOS,
    capabilities=["system", "parallel_tools"],
    accepts=["null", "argument_text"],
    stop={EOS: 1},
    markers={
        BOS: 0,
        EOS: 1,
        "<｜▁pad▁｜>": 2,
        "<｜place▁holder▁no▁{}｜>": range(128000, 128800),
        **SPECIAL,
        "<think>": None,
        "</think>": None,
    },
    reply=DEEPSEEK_V3.grammar,
    source="deepseek-ai/DeepSeek-V3, tokenizer_config.json",
)
V2_5 = V3.but(
    name="deepseek-v2.5",
    program=v2_5,
    # The vocabulary of V2, which is smaller.
    stop={EOS: 100001},
    markers=NAMES,
    source="deepseek-ai/DeepSeek-V2.5, tokenizer_config.json",
)
V3_0324 = V3.but(
    name="deepseek-v3-0324",
    program=v3_0324,
    source="deepseek-ai/DeepSeek-V3-0324, tokenizer_config.json",
)
R1 = V3.but(
    name="deepseek-r1",
    program=partial(v3, r1=True),
    capabilities=["system", "parallel_tools", "reasoning"],
    # The last placeholders have been given a meaning.
    markers={
        BOS: 0,
        EOS: 1,
        "<｜▁pad▁｜>": 2,
        "<｜place▁holder▁no▁{}｜>": range(128000, 128798),
        **SPECIAL,
        "<think>": 128798,
        "</think>": 128799,
    },
    # Replies of R1 in ollama/ollama#8837 and ikawrakow/ik_llama.cpp#690; of a distilled model in DeepSeek-R1#352.
    reply=DEEPSEEK_R1.grammar.but(reasoning=THINK.but(after=SPACE, written=("\n", "\n</think>\n\n"))),
    source="deepseek-ai/DeepSeek-R1, tokenizer_config.json",
)
R1_DISTILL = R1.but(
    name="deepseek-r1-distill",
    program=partial(v3, distilled=True),
    # A distilled model has the vocabulary of the model it is based on, Llama's or Qwen's: no id is right for all.
    stop=[EOS],
    # Perhaps more than the vocabularies have: a marker too many is harmless, one too few is a hole.
    markers=[*R1.markers],
    source="deepseek-ai/DeepSeek-R1-Distill-Llama-8B, tokenizer_config.json",
)
R1_0528 = R1.but(
    name="deepseek-r1-0528",
    program=partial(v3_0324, thinks=True),
    # What it writes after a thought was not found.
    reply=DEEPSEEK_R1.grammar,
    source="deepseek-ai/DeepSeek-R1-0528, tokenizer_config.json",
)
R1_0528_QWEN3 = R1.but(
    name="deepseek-r1-0528-qwen3",
    program=R1_0528.program,
    # Replies in ollama/ollama#18044 and in datawhalechina/self-llm, models/DeepSeek-R1-Distill-Qwen.
    reply=DEEPSEEK_R1.grammar.but(reasoning=THINK.but(after=SPACE, written=("\n", "\n</think>\n"))),
    # The vocabulary of Qwen3.
    stop={EOS: 151645},
    markers=[*R1.markers],
    source="deepseek-ai/DeepSeek-R1-0528-Qwen3-8B, tokenizer_config.json",
)
