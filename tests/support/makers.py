"""The packages with which makers write prompts, each as a function of messages, tools and options.

They take what an OpenAI client sends, as a server would hand it over: the arguments of calls as JSON text.
"""

import importlib.metadata
import importlib.util
import json
from functools import cache
from itertools import takewhile

MARK = "stands-in-for-a-part:"


class RefusedByMakerError(Exception):
    """A maker's package does not take a conversation."""


def on_the_wire(messages):
    """Return messages as clients send them: without fields that are null, arguments as text, images by their address.

    No parts are an empty text, as for every template.
    """
    return [
        {name: SENT.get(name, lambda value: value)(value) for name, value in message.items() if value is not None}
        for message in messages
    ]


def _sent_calls(calls):
    return [
        {
            **call,
            "type": "function",
            "function": call["function"] | {"arguments": as_text(call["function"]["arguments"])},
        }
        for call in calls
    ]


def _sent_content(content):
    address = {"type": "image_url", "image_url": {"url": "http://example.com/a.jpg"}}
    if isinstance(content, str) or not content:
        return content or ""
    return [address if "image" in part["type"] else part for part in content]


SENT = {"tool_calls": _sent_calls, "content": _sent_content}


def as_text(arguments):
    """Return arguments as JSON text."""
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


def deepseek(version):
    """Return what writes a prompt by deepseek-recipe, for `V4` or `V41`."""
    import deepseek_recipe as recipe

    model = {"V4": "DeepSeek-V4-Pro", "V41": "DeepSeek-V4.1-Flash"}[version]
    encoding = getattr(recipe, f"Deepseek{version}Encoding")()

    def write(messages, tools, options):
        given = dict(options)
        body = {"model": model, "messages": on_the_wire(messages)} | ({"tools": tools} if tools else {})
        if "thinking" in given:
            body["thinking"] = {"type": "enabled" if given.pop("thinking") else "disabled"}
        try:
            converted = recipe.ChatCompletionRequest(body | given).convert(recipe.ConversionOptions())
        except (ValueError, recipe.ConversionError) as error:
            raise RefusedByMakerError(str(error)) from None
        return encoding.render_conversation(converted.conversation).prompt

    return write


@cache
def glm_file():
    """Return the adapted reference of GLM-5.3 in SGLang, loaded alone: the rest of it needs a GPU."""
    file = importlib.metadata.distribution("sglang").locate_file("sglang/srt/parser/glm53_chat_template.py")
    spec = importlib.util.spec_from_file_location("glm53_chat_template", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def glm(messages, tools, options):
    """Return the prompt of GLM-5.3-Flash."""
    read = [
        {**each, "tool_calls": [_read_call(call) for call in each["tool_calls"]]} if each.get("tool_calls") else each
        for each in on_the_wire(messages)
    ]
    return glm_file().render_glm53_flash(read, tools, True, **options)


def _read_call(call):
    return {**call, "function": call["function"] | {"arguments": json.loads(call["function"]["arguments"])}}


@cache
def tml():
    """Return the parts of tml-renderers, its tokenizer and its renderer; it finds libtorch only where torch is."""
    import torch  # noqa: F401
    from tml_renderers import chat, tokenizers, v0

    tokenizer = tokenizers.O200kBaseChatTokenizer()
    return chat, tokenizer, v0.Renderer(tokenizer)


def inkling(messages, tools, options):
    """Return the ids of a prompt of Inkling, its rows in the order in which SGLang gives them; images as their token."""
    chat, _, renderer = tml()
    names = {call["id"]: call["function"]["name"] for each in messages for call in each.get("tool_calls") or ()}
    rows = [_row(each, names) for each in on_the_wire(messages)]
    if tools:
        place = len([*takewhile(lambda row: row["role"] == "system", rows)])
        rows.insert(place, {"role": "tool_declare", "content": json.dumps(tools, ensure_ascii=False)})
    try:
        native = [each for row in chat.OpenAIMessage.from_oss_messages(rows) for each in row.to_messages()]
    except ValueError as error:
        raise RefusedByMakerError(str(error)) from None
    native = [
        each.copy(content=chat.ImagePointer("image", chat.ImageFormat.Png, 1, 1))
        if isinstance(each.content, chat.Text) and each.content.text == MARK
        else each
        for each in native
    ]
    spans, _ = renderer.render_for_completion_with_effort(native, options.get("reasoning_effort", 0.9))
    image = renderer.tokenizer.encode_special("unused_200054")
    return [each for span in spans for each in getattr(span.span, "tokens", [image])]


def _row(message, names):
    row = message | {"role": "system" if message["role"] == "developer" else message["role"]}
    if not isinstance(row.get("content", ""), str):
        row["content"] = [part if part["type"] == "text" else {"type": "text", "text": MARK} for part in row["content"]]
    thought = row.pop("reasoning_content", None)
    if thought and row["role"] == "assistant":
        said = row.get("content") or []
        said = [{"type": "text", "text": said}] if isinstance(said, str) else said
        row["content"] = [{"type": "thinking", "thinking": thought}, *said]
    if row["role"] == "tool" and "name" not in row and row.get("tool_call_id") in names:
        row["name"] = names[row["tool_call_id"]]
    return row


def inkling_text(ids):
    """Return ids as text, control tokens by their names."""
    _, tokenizer, _ = tml()
    pieces, run = [], []
    for each in [*ids, None]:
        if each is not None and not tokenizer.is_special_token(each):
            run.append(each)
            continue
        pieces += tokenizer.decode(run), "" if each is None else f"<|{tokenizer.decode_special(each)}|>"
        run = []
    return "".join(pieces)
