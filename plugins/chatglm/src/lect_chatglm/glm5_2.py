"""GLM-5.2, GLM-5.3 and GLM-5.3-Flash: they are told how hard to think; every answer has a thought, maybe empty."""

from collections.abc import Iterable
from functools import partial

from lect.plugin import Chat, Message, Writer
from lect_chatglm.glm4_5 import GLM5_1, IN_A_ROW, last_question, schema, thinks, write_call, write_tools

MEDIA = {
    "image": "<|begin_of_image|><|image|><|end_of_image|>",
    "video": "<|begin_of_video|><|video|><|end_of_video|>",
    "audio": "<|begin_of_audio|><|end_of_audio|>",
}
"""What the Flash model sees; the others are told that they see nothing."""
TOKENS = (
    "<|endoftext|>", "[MASK]", "[gMASK]", "[sMASK]", "<sop>", "<eop>", "<|system|>", "<|user|>", "<|assistant|>",
    "<|observation|>", "<|begin_of_image|>", "<|end_of_image|>", "<|begin_of_video|>", "<|end_of_video|>",
    "<|begin_of_audio|>", "<|end_of_audio|>", "<|begin_of_transcription|>", "<|end_of_transcription|>",
    "<|code_prefix|>", "<|code_middle|>", "<|code_suffix|>", "<think>", "</think>", "<tool_call>", "</tool_call>",
    "<tool_response>", "</tool_response>", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>", "/nothink",
    "<|begin_of_box|>", "<|end_of_box|>", "<|image|>", "<|video|>",
)  # fmt: skip
"""The tokens from 154820 on, as Thinking Machines' tml-renderers 0.2.1 has them."""


def pieces_of(chat: Chat, out: Writer, message: Message) -> list[str]:
    """Return the content of a message in pieces, in a model that sees nothing with a note for each image or sound."""
    sees = "images" in chat.facts.capabilities
    pieces = [] if message.parts else [message.content]
    for part in message.parts:
        if part.type in MEDIA:
            pieces.append(
                MEDIA[part.type]
                if sees
                else f"<reminder>You are unable to process this {part.type} because you don't have multi-modal input "
                "ability. Try different methods.</reminder>"
            )
            out.used(*part.path)
        elif part.type == "text":
            pieces.append(part.text)
    return pieces


def write_answer(chat: Chat, out: Writer, message: Message, *, keeps: bool) -> None:
    """Write an answer: its thought, if kept, its text and its calls."""
    pieces = pieces_of(chat, out, message)
    content = pieces[0] if len(pieces) == 1 else chat.printed("".join(pieces), "messages", message.index, "content")
    thought = message.reasoning
    if thought is None and "</think>" in content:
        thought, content = content.split("</think>")[0].split("<think>")[-1], content.split("</think>")[-1]
    if keeps and thought is not None:
        out += "<|assistant|><think>", thought, "</think>"
    else:
        out.append("<|assistant|><think></think>")
        out.by_rule(message.reasoning)
    out.append(content.strip())
    for call in message.tool_calls:
        write_call(chat, out, call, "")


def write_results(chat: Chat, out: Writer, message: Message) -> None:
    """Write the result of a tool: text, the schemas of the tools that it names, or several outputs."""
    if message.parts and message.parts[0].type == "tool_reference":
        out.append("<tool_response><tools>\n")
        for part in message.parts:
            out.used(*part.path)
            for index in range(len(chat.tools)):
                if chat.function(index)[0].get("name") == part.raw.get("name"):
                    out += schema(chat, index), "\n"
        out.append("</tools></tool_response>")
    elif message.parts and "output" in message.parts[0].raw:
        for part in message.parts:
            out += "<tool_response>", chat.text(part.raw.get("output", ""), *part.path, "output"), "</tool_response>"
    else:
        out += "<tool_response>", *pieces_of(chat, out, message), "</tool_response>"


def results_in_order(chat: Chat, first: Message) -> Iterable[Message]:
    """Return the results from `first` on, in the order of the calls that they answer.

    They stay in the given order where the ids do not say which result answers which call.
    """
    end = first.index
    while end < len(chat.messages) and chat.messages[end].role == "tool":
        end += 1
    results = chat.messages[first.index : end]
    calls = chat.messages[first.index - 1].tool_calls if first.index else ()
    called = [call.id for call in calls]
    answered = {message.raw.get("tool_call_id") or message.raw.get("id"): message for message in results}
    certain = all(called) and len(set(called)) == len(called) and len(answered) == len(results)
    if not (calls and certain and set(answered) <= set(called)):
        return results
    return [answered[each] for each in called if each in answered]


def glm5_2(chat: Chat, out: Writer, *, version: str) -> None:
    """Write GLM-5.2 and 5.3.

    5.3 always thinks, keeps all thoughts unless `clear_thinking` is True, and sorts the results of tools.
    """
    newer = version == "5.3"
    effort = chat.option("reasoning_effort")
    if newer or thinks(chat):
        known = ("low", "high") if newer else ("high",)
        out += "[gMASK]<sop><|system|>Reasoning Effort: ", effort.capitalize() if effort in known else "Max"
    else:
        out.append("[gMASK]<sop>")
    if chat.tools:
        at_once = [index for index in range(len(chat.tools)) if not chat.function(index)[0].get("defer_loading")]
        write_tools(out, [schema(chat, index) for index in at_once], IN_A_ROW)
    question = last_question(chat)
    keeps_all = not chat.option("clear_thinking", not newer)
    for message in out.turns(chat.messages):
        if message.role in ("user", "system"):
            out += "<|", message.role, "|>", *pieces_of(chat, out, message)
        elif message.role == "assistant":
            write_answer(chat, out, message, keeps=keeps_all or message.index > question)
        elif message.role == "tool" and not newer:
            out.append("<|observation|>" if chat.begins_run(message) else "")
            write_results(chat, out, message)
        elif message.role == "tool" and chat.begins_run(message):
            out.append("<|observation|>")
            for result in results_in_order(chat, message):
                out.turn(result)
                write_results(chat, out, result)
    if chat.add_generation_prompt:
        out += "<|assistant|>", "<think>" if newer or thinks(chat) else "<think></think>"


GLM5_2 = GLM5_1.but(
    name="glm-5.2",
    program=partial(glm5_2, version="5.2"),
    options={"enable_thinking": bool, "clear_thinking": bool, "reasoning_effort": str},
    markers={**GLM5_1.markers, "<reminder>": None, "</reminder>": None},
    source="zai-org/GLM-5.2, chat_template.jinja",
)
GLM5_3 = GLM5_2.but(
    name="glm-5.3",
    program=partial(glm5_2, version="5.3"),
    options={"clear_thinking": bool, "reasoning_effort": str},
    accepts=["parts", "null"],
    source="zai-org/GLM-5.3-BF16, chat_template.jinja",
)
GLM5_3_FLASH = GLM5_2.but(
    name="glm-5.3-flash",
    program=partial(glm5_2, version="5.3"),
    options=GLM5_3.options,
    accepts=["parts", "null"],
    capabilities=[*GLM5_3.capabilities, "images", "video", "audio"],
    markers={token: 154820 + number for number, token in enumerate(TOKENS)},
    source="zai-org/GLM-5.3-Flash, chat_template.py, as sgl-project/sglang 0.5.23 adapts it",
    evidence="second-hand",
)
