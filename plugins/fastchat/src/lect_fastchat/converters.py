"""Convert a conversation to the message formats of other APIs.

Where FastChat returns another package's class, this returns plain data with the same content: a mapping for a Reka
message, type and bytes for an image of Gemini or Vertex AI.

The two kinds of conversation differ in one thing, which `_said` decides. With a separator style all is as in FastChat:
the *position* of a message says who speaks, whatever its role is called, and an answer with images is passed on as a
tuple. With a template the role says who speaks, and images are kept as parts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lect_fastchat.images import address, as_image, blob, fingerprint, is_address

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lect.plugin import Template

USER, ASSISTANT = "user", "assistant"

Raw = dict[str, Any]


class Converters:
    """The methods of a conversation that convert it to other formats."""

    name: str
    system_message: str
    roles: Any
    messages: list[list[Any]]
    offset: int
    _template: Template | None

    def _said(self) -> Iterator[tuple[str, Any, list[Any] | None]]:
        """Yield speaker, text and images of each message after the examples; None for a text alone."""
        by_role = self._template is not None
        speaker = ASSISTANT
        for role, message in self.messages[self.offset :]:
            speaker = role if by_role else ASSISTANT if speaker == USER else USER
            if type(message) is tuple and (by_role or speaker == USER):
                yield speaker, message[0], list(message[1])
            else:
                yield speaker, message, None

    def _asked_and_said(self) -> Iterator[tuple[str, Any, list[Any] | None]]:
        """Yield what `_said` does, without answers that are still to come."""
        return (
            (speaker, text, images) for speaker, text, images in self._said() if text is not None or speaker == USER
        )

    def to_gradio_chatbot(self) -> list[list[Any]]:
        """Return `[question, answer]` pairs for a Gradio chat box; of several images only the first is shown."""
        pairs: list[list[Any]] = []
        for speaker, text, images in self._said():
            if images:
                # A Gradio chat box shows HTML.
                text = (
                    f'<img src="{address(images[0])}" alt="user upload image" />'
                    + text.replace("<image>\n", "").strip()
                )
            if speaker == ASSISTANT and pairs:
                pairs[-1][1] = text
            else:
                pairs.append([text, None])
        return pairs

    def to_openai_api_messages(self) -> list[Raw]:
        """Return OpenAI-shaped messages, without a last one that only requests an answer."""
        if self._template is not None:
            return self.to_openai_vision_api_messages()
        messages = [{"role": "system", "content": self.system_message}] if self.system_message != "" else []
        for index, (_, message) in enumerate(self.messages[self.offset :]):
            if index % 2 == 0 or message is not None:
                messages.append({"role": ASSISTANT if index % 2 else USER, "content": message})
        return messages

    def to_openai_vision_api_messages(self, is_mistral: bool = False) -> list[Raw]:
        """Return OpenAI-shaped messages with images as parts.

        With `is_mistral`, an address is not wrapped in a mapping.
        """
        messages: list[Raw] = [{"role": "system", "content": self.system_message}] if self.system_message != "" else []
        for speaker, text, images in self._asked_and_said():
            content = text if images is None else with_images(text, images, bare_address=is_mistral)
            messages.append({"role": speaker, "content": content})
        return messages

    def to_gemini_api_messages(self) -> list[Raw]:
        """Return messages for Gemini; an image is `{"mime_type": ..., "data": bytes}`.

        Raises:
            MessageError: If only the address of an image is known.
        """
        messages: list[Raw] = [{"role": "system", "content": self.system_message}] if self.system_message != "" else []
        for speaker, text, images in self._asked_and_said():
            content = text if images is None else [text, *map(blob, images)]
            messages.append({"role": "model" if speaker == ASSISTANT else speaker, "content": content})
        return messages

    def to_vertex_api_messages(self) -> list[Any]:
        """Return texts and images in order for Vertex AI, which has no roles.

        An image is `{"mime_type": ..., "data": bytes}`, or `{"mime_type": ..., "file_uri": ...}` where only its address
        is known.
        """
        contents: list[Any] = [self.system_message] if self.system_message != "" else []
        for _, message in self.messages[self.offset :]:
            text, images = message if type(message) is tuple else (message, [])
            contents += map(_vertex_image, images)
            if text is not None:
                contents.append(text)
        return contents

    def to_anthropic_vision_api_messages(self) -> list[Raw]:
        """Return messages for Anthropic, the system text first."""
        messages: list[Raw] = []
        if self._template is None or self.system_message:
            messages.append({"role": "system", "content": [{"type": "text", "text": self.system_message}]})
        for speaker, text, images in self._asked_and_said():
            sources = [{"type": "image", "source": self._anthropic_source(as_image(image))} for image in images or ()]
            messages.append({"role": speaker, "content": [{"type": "text", "text": text}, *sources]})
        return messages

    def _anthropic_source(self, image: Any) -> Raw:
        if self._template is not None and is_address(image):
            return {"type": "url", "url": image.url}
        return {"type": "base64", "media_type": f"image/{image.filetype}", "data": image.base64_str}

    def to_reka_api_messages(self) -> list[Raw]:
        """Return messages for Reka, without the system text.

        With a separator style, as in FastChat, each image is a separate message that repeats the text, an image given
        by its address is lost, and so is a text with an empty list of images.
        """
        messages: list[Raw] = []
        for speaker, text, images in self._asked_and_said():
            text_part = {"type": "text", "text": text}
            if images is not None and self._template is None:
                shown = [image for image in images if not is_address(image)]
                contents = [[text_part, {"type": "image_url", "image_url": address(image)}] for image in shown]
            else:
                contents = [
                    [text_part, *({"type": "image_url", "image_url": address(image)} for image in images or ())]
                ]
            messages += ({"content": content, "role": speaker} for content in contents)
        return messages

    def to_metagen_api_messages(self) -> list[Raw]:
        """Return messages for MetaGen; of several images only the last is kept."""
        messages: list[Raw] = [{"role": "system", "text": self.system_message}] if self.system_message != "" else []
        for speaker, text, images in self._asked_and_said():
            message = {"role": "ai" if speaker == ASSISTANT else speaker, "text": text}
            if images:
                message["attachment"] = {
                    "type": "base64_image",
                    "mime": "image/jpeg",
                    "data": as_image(images[-1]).base64_str,
                }
            messages.append(message)
        return messages

    def get_images(self) -> list[str]:
        """Return the images of the user's messages as Base64; an image given by its address is an empty string."""
        return [
            as_image(image).base64_str
            for speaker, _, images in self._said()
            if speaker == USER
            for image in images or ()
        ]

    def extract_text_from_messages(self) -> list[tuple[str, Any]]:
        """Return `(role, text)` pairs, including the examples, without images."""
        return [(role, text[0] if type(text) is tuple else text) for role, text in self.messages]

    def extract_text_and_image_hashes_from_messages(self) -> list[tuple[str, Any]]:
        """Return `(role, text)` pairs, including the examples; a text with images is paired with their MD5 hashes.

        Raises:
            MessageError: If there are images and Pillow is not installed.
        """
        return [
            (role, (text[0], [fingerprint(image) for image in text[1]]) if type(text) is tuple else text)
            for role, text in self.messages
        ]


def _vertex_image(image: Any) -> Raw:
    picture = as_image(image)
    return {"mime_type": f"image/{picture.filetype}", "file_uri": picture.url} if is_address(picture) else blob(picture)


def with_images(text: Any, images: list[Any], *, bare_address: bool = False) -> list[Raw]:
    """Return a text with images as OpenAI's list of parts."""
    parts: list[Raw] = [{"type": "text", "text": text}]
    for image in images:
        where = address(image)
        parts.append({"type": "image_url", "image_url": where if bare_address else {"url": where}})
    return parts
