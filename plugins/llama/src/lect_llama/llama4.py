"""The format of Llama 4: that of 3.2 Vision with other markers, no dates, and several calls in one turn."""

from lect.plugin import Chat, Message, Template, Writer, stripped
from lect.plugin.grammar import JSON_OBJECT, PYTHON_CALL, PYTHON_LIST, Grammar, ReplyFormat, Section, Wrapper
from lect_llama.tools import call_json, result_json, tool_texts, write_parts

HEADER, END_HEADER, EOT = "<|header_start|>", "<|header_end|>\n\n", "<|eot|>"

# The model often writes JSON anyway; the maker's template puts it after the markers, and text between them.
LLAMA4_PYTHONIC = ReplyFormat(
    Grammar(
        "llama4_pythonic",
        wrappers=(Wrapper(("<|python_start|>",), ("<|python_end|>",), special=True),),
        sections=(
            Section((PYTHON_CALL,), (("<|python_start|>", "["),), (("]", "<|python_end|>"),), between=","),
            PYTHON_LIST,
            Section((JSON_OBJECT,), ("<|python_start|>",), ("<|python_end|>",), between=";"),
            Section((JSON_OBJECT,), ("<|python_end|>",)),
            Section((JSON_OBJECT,), between=";", start=True),
        ),
    ),
    stop=("<|eot|>", "<|eom|>"),
    names="Llama 4",
    example='<|python_start|>[get_weather(city="Paris")]<|python_end|>',
    model_types=("llama4",),
)


def llama4(chat: Chat, out: Writer) -> None:
    """Write Llama 4: a system turn is written only for a system text."""
    for_system, for_user = tool_texts(chat)
    system, messages = chat.system, chat.without_system
    out.append(chat.bos)
    if system is not None:
        out.turn(system)
        out += HEADER, "system", END_HEADER
        if for_system or for_user:
            out.append("Environment: ipython\n")
        out += *for_system, *joined(chat, system), EOT
        out.turn(None)
    if for_user:
        # The maker's template treats the first message as the user's, whatever its role.
        first, *messages = messages
        out.turn(first)
        out += HEADER, "user", END_HEADER, *for_user, *joined(chat, first), EOT
    for message in out.turns(messages):
        if message.tool_calls:
            # The text before the calls goes between Python markers.
            out += HEADER, "assistant", END_HEADER, "<|python_start|>"
            write_parts(out, message)
            out.append("<|python_end|>")
            for call in message.tool_calls:
                out += call_json(chat, call)
            out.append(EOT)
        elif message.role in ("tool", "ipython"):
            out += HEADER, "ipython", END_HEADER, result_json(chat, message), EOT
        else:
            out += HEADER, message.role, END_HEADER
            write_parts(out, message)
            out.append(EOT)
    if chat.add_generation_prompt:
        out += HEADER, "assistant", END_HEADER


def joined(chat: Chat, message: Message) -> list[str]:
    """Return all texts of the content, stripped at both ends; images are left out."""
    if not message.parts:
        return [message.content.strip()]
    texts = [(part.raw.get("text"), part.path) for part in message.parts]
    return stripped(chat.text(text, *path, "text") for text, path in texts if isinstance(text, str))


COUNTED: dict[str, dict[str, object]] = {
    "image": {
        "rule": "separated_tiles",
        "placeholder": "<|image|>",
        "pad": "<|patch|>",
        "start": "<|image_start|>",
        "end": "<|image_end|>",
        "whole": "<|image|>",
        "column": "<|tile_x_separator|>",
        "row": "<|tile_y_separator|>",
        "size": 336,
        "max_patches": 16,
        "resize_to_max_canvas": False,
        "patch_size": 14,
        "pixel_shuffle_ratio": 0.5,
    }
}
LLAMA4 = Template(
    "llama-4",
    llama4,
    roles=["system", "user", "assistant", "tool", "ipython"],
    bos="<|begin_of_text|>",
    stop={EOT: 200008, "<|eom|>": 200007, "<|end_of_text|>": 200001},
    markers=[
        "<|begin_of_text|>",
        "<|end_of_text|>",
        HEADER,
        "<|header_end|>",
        EOT,
        "<|eom|>",
        "<|step|>",
        "<|python_start|>",
        "<|python_end|>",
        "<|image_start|>",
        "<|image_end|>",
        "<|image|>",
        "<|patch|>",
        "<|tile_x_separator|>",
        "<|tile_y_separator|>",
        "<|reasoning_thinking_start|>",
        "<|reasoning_thinking_end|>",
        "<|fim_prefix|>",
        "<|fim_middle|>",
        "<|fim_suffix|>",
        "<|finetune_right_pad|>",
        "<|text_post_train_reserved_special_token_{}|>",
        "<|vision_reserved_special_token_{}|>",
        "<|reasoning_reserved_special_token_{}|>",
        "<|reserved_special_token_{}|>",
    ],
    capabilities=["system", "tools", "parallel_tools", "images"],
    options={"custom_tools": None, "tools_in_user_message": bool},
    accepts=["parts"],
    reply=LLAMA4_PYTHONIC.grammar,
    media=COUNTED,
    source="meta-llama/Llama-4-Scout-17B-16E-Instruct, chat_template.json, as axolotl 0.19 has it",
    evidence="second-hand",
)
