"""GLM-4.1V, which sees and thinks."""

from lect.plugin import Chat, Writer
from lect_chatglm.glm4 import GLM4
from lect_chatglm.glm4_5 import GLM4_XML


def glm4_1v(chat: Chat, out: Writer) -> None:
    """Write GLM-4.1V: what an answer is about (`metadata`) stands beside its role; only users show something."""
    out.append("[gMASK]<sop>")
    for message in out.turns(chat.messages):
        if message.role == "user":
            out += "<|user|>\n", "" if message.parts else message.content
            for part in message.parts:
                if part.type == "video" or "video" in part.raw:
                    out.append("<|begin_of_video|><|video|><|end_of_video|>")
                    out.used(*part.path)
                elif part.type == "image" or "image" in part.raw:
                    out.append("<|begin_of_image|><|image|><|end_of_image|>")
                    out.used(*part.path)
                elif part.type == "text":
                    out.append(part.text)
        elif message.role == "system":
            out += "<|system|>\n", chat.content(message)
        elif message.role == "assistant":
            metadata = chat.text(message.raw.get("metadata") or "", "messages", message.index, "metadata")
            out += "<|assistant|>", metadata, "\n", chat.content(message)
    if chat.add_generation_prompt:
        out.append("<|assistant|>\n")


GLM4_1V = GLM4.but(
    name="glm-4.1v",
    program=glm4_1v,
    roles=["system", "user", "assistant"],
    capabilities=["system", "images", "video", "reasoning"],
    takes=["parts"],
    markers=[
        *GLM4.markers, "<|image|>", "<|video|>", "<think>", "</think>", "<answer>", "</answer>", "<|begin_of_box|>",
        "<|end_of_box|>",
    ],
    reply=GLM4_XML.grammar,
    source="zai-org/GLM-4.1V-9B-Thinking, chat_template.jinja",
)  # fmt: skip
