"""Random conversations with images, and what FastChat's methods make of them, in one notation for FastChat and lect.

plugins/fastchat/tests/make_image_results.py runs them through FastChat itself.
"""

import base64
import hashlib
import io
import json
import random

SCRIPTS = 2000
TEMPLATES = (
    "vicuna_v1.1", "chatgpt", "gemini-1.5-pro", "claude-3-5-sonnet-20240620", "one_shot", "raw", "meta-llama-3.1",
    "deepseek-chat", "chatglm", "Yi-34b-chat",
)  # fmt: skip
TEXTS = ("Hello!", "", "What is this?", " <image>\nCompare. ", "{x} 谢谢 🎉", "<image>\n")
# Images of one and of two pixels.
PIXELS = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC",
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAIAAAB7QOjdAAAAD0lEQVR4nGP4z8DAwPAfAAcAAf9+CLHQAAAAAElFTkSuQmCC",
)
METHODS = (
    "get_prompt", "to_gradio_chatbot", "to_openai_vision_api_messages", "to_openai_vision_api_messages(is_mistral)",
    "to_openai_api_messages", "to_gemini_api_messages", "to_vertex_api_messages", "to_anthropic_vision_api_messages",
    "to_reka_api_messages", "to_metagen_api_messages", "get_images", "extract_text_and_image_hashes_from_messages",
)  # fmt: skip
# FastChat takes the first or the last image of a list without looking whether there is one.
NEED_AN_IMAGE = ("to_gradio_chatbot", "to_metagen_api_messages")


def conversation_of(number, package, image, image_format):
    """Return a conversation, the same for every number, and the methods to call."""
    chance = random.Random(f"images {number}")
    conversation = package.get_conv_template(chance.choice(TEMPLATES))
    if chance.random() < 0.3:
        conversation.set_system_message(chance.choice(("", "Be brief.")))
    methods = METHODS
    for place in range(chance.randrange(6)):
        text = chance.choice(TEXTS)
        if chance.random() < (0.2 if place % 2 else 0.7):
            images = [_image(chance, image, image_format) for _ in range(chance.choice((0, 1, 1, 2, 3)))]
            if not images:
                methods = [method for method in methods if method not in NEED_AN_IMAGE]
            text = (text, images)
        elif chance.random() < 0.15:
            text = None
        conversation.append_message(conversation.roles[place % 2], text)
    return conversation, methods


def _image(chance, image, image_format):
    kind, pixels = chance.choice(("png", "jpeg", "webp")), chance.choice(PIXELS)
    if chance.random() < 0.6:
        return image(filetype=kind, image_format=image_format.BYTES, base64_str=pixels)
    known = pixels if chance.random() < 0.3 else ""
    url = f"https://example.com/{chance.randrange(9)}.{kind}"
    return image(url=url, filetype=kind, image_format=image_format.URL, base64_str=known)


def results(conversation, methods, errors):
    """Return what the methods return; a failure is a result too."""
    found = {}
    for method in methods:
        name, _, flag = method.rstrip(")").partition("(")
        try:
            found[method] = plain(getattr(conversation, name)(**({flag: True} if flag else {})))
        except errors:
            found[method] = "an error"
    return found


def shortened(found):
    """Return a short hash of the results."""
    return hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()[:10]


def plain(value):
    """Return a result as JSON: images as their pixels, other packages' classes as lect's plain data."""
    if hasattr(value, "image_format"):
        return ["image", value.url, value.filetype, int(value.image_format), value.base64_str]
    if hasattr(value, "tobytes"):
        return ["pixels", base64.b64encode(value.tobytes()).decode()]
    if isinstance(value, dict):
        if "data" in value and isinstance(value["data"], bytes):
            from PIL import Image

            return plain(Image.open(io.BytesIO(value["data"])))
        # Vertex AI's class for an image does not tell its type.
        return {key: plain(each) for key, each in value.items() if not (key == "mime_type" and "file_uri" in value)}
    return [plain(each) for each in value] if isinstance(value, list | tuple) else value
