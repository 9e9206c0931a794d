"""The output of FastChat itself, kept as data with its provenance, and conversations built from its scripts."""

import json
from functools import cache
from pathlib import Path

import lect_fastchat
from lect_fastchat.images import Image, ImageFormat

GOLDEN = Path(__file__).parents[2] / "plugins/fastchat/tests/golden"


class Opaque:
    """An image of which nothing is known."""

    def __repr__(self):
        return "<IMG>"


@cache
def golden(name):
    return json.loads((GOLDEN / f"{name}.json").read_text("utf-8"))


CASES = golden("templates")["cases"]


def filled(name, script):
    """Return a conversation in a template, filled from a script of the goldens."""
    conversation = lect_fastchat.get_conv_template(name)
    if "system" in script:
        conversation.set_system_message(script["system"])
    for who, text in script["msgs"]:
        if isinstance(text, list):
            text = (text[2], [Opaque() for _ in range(text[1])])
        conversation.append_message(conversation.roles[who == "a"], text)
    return conversation


def image(kind):
    """Return an image as the scripts name it."""
    if kind == "png":
        return Image(filetype="png", base64_str=golden("api_messages")["image"])
    return Image("https://example.com/a.jpg", "jpeg", ImageFormat.URL)
