"""SmolVLM and SmolVLM2: the name of a role, a colon and the parts of a message, as Idefics has it."""

from lect.plugin import Chat, Template, Writer

SPLITS: dict[str, object] = {
    "rule": "splits",
    "placeholder": "<image>",
    "around": "<fake_token_around_image>",
    "whole": "<global-img>",
    "do_image_splitting": True,
}


def smolvlm(chat: Chat, out: Writer) -> None:
    """Write SmolVLM: nothing stands between the colon and an image that comes first."""
    out.append("<|im_start|>")
    for message in out.turns(chat.messages):
        parts = message.parts
        out += message.role.capitalize(), ":" if parts and parts[0].type == "image" else ": "
        if not parts:
            out.append(message.content)
        for part in parts:
            if part.type == "text":
                out.append(part.text)
            elif part.type == "image":
                out.append("<image>")
                out.used(*part.path)
        out.append("<end_of_utterance>\n")
    if chat.add_generation_prompt:
        out.append("Assistant:")


MOST_SQUARES = 6
"""Rows and columns of an image that is split: the tokenizer has a token for each place."""
PLACES = range(1, MOST_SQUARES + 1)
SQUARES = [f"<row_{row}_col_{column}>" for row in PLACES for column in PLACES]
OF_IMAGES = ["<fake_token_around_image>", "<image>", "<global-img>", *SQUARES]
SMOLVLM = Template(
    "smolvlm",
    smolvlm,
    capabilities=["system", "images"],
    accepts=["parts"],
    stop=["<end_of_utterance>"],
    markers=["<|im_start|>", "<|im_end|>", "<|endoftext|>", "<end_of_utterance>", *OF_IMAGES, "User:", "Assistant:"],
    control_tokens=["<|im_start|>", "<|im_end|>", "<|endoftext|>", "<end_of_utterance>", *OF_IMAGES],
    text_separators=True,
    media={"image": {**SPLITS, "size": {"longest_edge": 1536}, "max_image_size": 384, "image_seq_len": 81}},
    source=(
        "HuggingFaceTB/SmolVLM-Instruct, chat_template.json, as huggingface/trl 1.16.0 has it, which says that that "
        "of SmolVLM2 is the same: trl/chat_templates/smolvlm.jinja, smolvlm_training.jinja"
    ),
    evidence="second-hand",
)
# Those with the smaller encoder see larger squares.
SMOLVLM_500M = SMOLVLM.but(
    name="smolvlm-500m",
    media={"image": {**SPLITS, "size": {"longest_edge": 2048}, "max_image_size": 512, "image_seq_len": 64}},
)
