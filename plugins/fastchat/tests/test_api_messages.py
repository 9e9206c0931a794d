"""Conversations for other APIs, against FastChat's own."""

import image_scripts
import pytest
from fastchat_goldens import golden, image
from together import together

import lect_fastchat
from lect import LectError
from lect_fastchat import conversation as fastchat_conversation
from lect_fastchat.images import Image, ImageFormat

GOLDEN = golden("api_messages")
CALLS = [
    (name, system, script)
    for name, systems in GOLDEN["results"].items()
    for system, scripts in systems.items()
    for script in scripts
]


def conversation_of(name, system, script):
    conversation = lect_fastchat.get_conv_template(name)
    if system == "empty":
        conversation.set_system_message("")
    for who, message in GOLDEN["scripts"][script]:
        if isinstance(message, list):
            message = (message[0], [image(kind) for kind in message[1]])
        conversation.append_message(conversation.roles[who == "a"], message)
    return conversation


def called(conversation, call):
    """Return the result of a method, called as the goldens write it: `name`, or `name(argument=True)`."""
    name, _, argument = call.rstrip(")").partition("(")
    arguments = {argument.partition("=")[0]: True} if argument else {}
    try:
        return getattr(conversation, name)(**arguments)
    except LectError:
        return {"error": "an error"}


def ours(value, conversation):
    """Return our result in the notation of the goldens."""
    if isinstance(value, Image):
        return {"_Image": {"url": value.url, "format": value.image_format.name}}
    if isinstance(value, dict):
        if value.keys() == {"mime_type", "data"}:
            return {"bytes": len(value["data"]), "type": value["mime_type"]}
        return {key: ours(item, conversation) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [ours(item, conversation) for item in value]
    if value and value == conversation.system_message_vision:
        return "$SYSTEM VISION$"
    if value and value == conversation.system_message:
        return "$SYSTEM$"
    return value.replace(GOLDEN["image"], "$B64$") if isinstance(value, str) else value


def theirs(value):
    """Return FastChat's result, with plain data in place of other packages' classes."""
    if isinstance(value, dict):
        if "_pil" in value or "_vertex_image_bytes" in value:
            return {"bytes": value.get("_vertex_image_bytes", 70), "type": "image/png"}
        if "error" in value:
            return {"error": "an error"}
        return {key: theirs(item) for key, item in value.items() if key != "_class"}
    return [theirs(item) for item in value] if isinstance(value, list) else value


@together(("name", "system", "script"), CALLS)
def test_every_conversion_is_fastchats(name, system, script):
    pytest.importorskip("PIL", reason="the hash of an image is that of its pixels")
    expected = {call: theirs(value) for call, value in GOLDEN["results"][name][system][script].items()}
    conversation = conversation_of(name, system, script)
    found = {call: ours(called(conversation, call), conversation) for call in expected}
    # It has all other fields too, so that a conversation can be rebuilt from it.
    found["dict"] = {field: found["dict"][field] for field in expected["dict"]}
    assert found == expected


def test_there_are_1162_conversions():
    assert sum(len(GOLDEN["results"][name][system][script]) for name, system, script in CALLS) == 1162


def test_2000_random_scripts_with_images_give_what_fastchat_gives():
    pytest.importorskip("PIL", reason="the hash of an image is that of its pixels")
    expected = golden("images")["results"]
    assert len(expected) == image_scripts.SCRIPTS
    different = {}
    for number, theirs_ in enumerate(expected):
        conversation, methods = image_scripts.conversation_of(number, fastchat_conversation, Image, ImageFormat)
        found = image_scripts.results(conversation, methods, LectError)
        if image_scripts.shortened(found) != theirs_:
            different[number] = found
    assert different == {}


def test_a_text_with_an_empty_list_of_images_is_a_list_of_one_part():
    conversation = lect_fastchat.get_conv_template("vicuna_v1.1")
    conversation.set_system_message("")
    conversation.append_message("USER", ("Hello!", []))
    part = {"type": "text", "text": "Hello!"}
    assert conversation.to_openai_vision_api_messages() == [{"role": "user", "content": [part]}]
    # FastChat fails here.
    assert conversation.to_gradio_chatbot() == [["Hello!", None]]


def test_text_alone_is_extracted_too():
    conversation = conversation_of("vicuna_v1.1", "default", "image_two")
    texts = ["Compare.", "Same.", "Sure?", None]
    assert conversation.extract_text_from_messages() == [
        (("USER", "ASSISTANT")[place % 2], text) for place, text in enumerate(texts)
    ]
