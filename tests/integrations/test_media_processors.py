"""Images in the makers' own processors, as transformers has them: the same ids, in the same places.

The processors are made of the numbers of recorded rows. Their tokenizers are makers' own, with the tokens of images
where they lack them.
"""

import json
import random

import pytest
import real_tokenizers
from repository import REPOSITORY

import lect

pytest.importorskip("torchvision", reason="the processors need torch and torchvision: nox -s media")
transformers = pytest.importorskip("transformers")
image = pytest.importorskip("PIL.Image")
if not real_tokenizers.names():
    pytest.skip(real_tokenizers.ABSENT, allow_module_level=True)

ROWS = json.loads((REPOSITORY / "addons/media/tests/data/recorded.json").read_text("utf-8"))["rows"]
CONVERSATIONS = 40
LONGEST, NARROWEST = 1600, 100
"""Of a side, in pixels; and how many times as long as the other one may be: processors refuse 200."""
TEXTS = ("placeholder", "pad", "start", "end", "row_end", "last_end", "tile", "whole", "column", "row")
"""What a rule writes."""
CALL = {"type": "function", "function": {"name": "screenshot", "arguments": {"window": 1}}}
TOOL = {"type": "function", "function": {"name": "screenshot", "description": "See.", "parameters": {"type": "object"}}}


def square(side):
    return {"height": side, "width": side}


def qwen2_5_vl(tokenizer, numbers):
    seen = transformers.Qwen2VLImageProcessor(**numbers)
    return transformers.Qwen2_5_VLProcessor(seen, tokenizer, transformers.Qwen2VLVideoProcessor())


def qwen3_vl(tokenizer, numbers):
    seen = transformers.Qwen2VLImageProcessor(**numbers)
    return transformers.Qwen3VLProcessor(seen, tokenizer, transformers.Qwen3VLVideoProcessor())


def glm4v(tokenizer, numbers):
    seen = transformers.Glm4vImageProcessor(**numbers)
    return transformers.Glm4vProcessor(seen, tokenizer, transformers.Glm4vVideoProcessor())


def gemma3(tokenizer, numbers):
    numbers = {**numbers, "size": square(numbers["size"])}
    count = numbers.pop("image_seq_length")
    return transformers.Gemma3Processor(transformers.Gemma3ImageProcessor(**numbers), tokenizer, image_seq_length=count)


def pixtral(tokenizer, numbers):
    patch, longest = numbers["patch_size"], {"longest_edge": numbers["longest_edge"]}
    seen = transformers.PixtralImageProcessor(size=longest, patch_size=patch)
    merge = numbers["spatial_merge_size"]
    return transformers.PixtralProcessor(seen, tokenizer, patch_size=patch, spatial_merge_size=merge)


def internvl(tokenizer, numbers):
    numbers = {**numbers, "size": square(numbers["size"])}
    count = numbers.pop("image_seq_length")
    seen, video = transformers.GotOcr2ImageProcessor(**numbers), transformers.InternVLVideoProcessor()
    return transformers.InternVLProcessor(seen, tokenizer, video, image_seq_length=count)


def llama4(tokenizer, numbers):
    numbers = {**numbers, "size": square(numbers["size"])}
    patch, ratio = numbers.pop("patch_size"), numbers.pop("pixel_shuffle_ratio")
    seen = transformers.Llama4ImageProcessor(**numbers)
    return transformers.Llama4Processor(seen, tokenizer, patch_size=patch, pixel_shuffle_ratio=ratio)


GEMMA = {"boi_token": "<start_of_image>", "eoi_token": "<end_of_image>", "image_token": "<image_soft_token>"}
INTERNVL = {
    "start_image_token": "<img>", "end_image_token": "</img>", "context_image_token": "<IMG_CONTEXT>",
    "video_token": "<video>",
}  # fmt: skip
FAMILIES = {
    "qwen2.5-vl": ("qwen2-vl", "qwen2_5", qwen2_5_vl, {}),
    "qwen3-vl": ("qwen3-vl", "qwen3", qwen3_vl, {}),
    "glm4v": ("glm-4.1v", "qwen2_5", glm4v, {}),
    "gemma3": ("gemma-3", "qwen2_5", gemma3, GEMMA),
    "pixtral": ("pixtral", "mistral_nemo", pixtral, {}),
    "mistral3": ("mistral-small-3.1", "mistral_nemo", pixtral, {}),
    "internvl": ("internvl-hf", "qwen2_5", internvl, INTERNVL),
    "llama4": ("llama-4", "llama3", llama4, {}),
}
"""By the name of what was recorded: the template, the tokenizer, the processor, and names that it asks the tokenizer."""
VARIANTS = list(dict.fromkeys(row["variant"] for row in ROWS if row["family"] in FAMILIES and row["kind"] == "image"))
SEE_RESULTS = {"internvl", "qwen2.5-vl", "qwen3-vl"}
"""The formats of these that write images in the results of calls."""


def tokenizer_for(name, template, named):
    """Return a maker's tokenizer, which also has the tokens of images."""
    made = transformers.PreTrainedTokenizerFast(tokenizer_object=real_tokenizers.tokenizer(name))
    written = [each for rule in template.media.values() for name, each in rule.items() if name in TEXTS]
    own = [each for each in template.control_tokens if "{" not in each]
    made.add_special_tokens({"additional_special_tokens": list(dict.fromkeys([*own, *written, *named.values()]))})
    for attribute, text in named.items():
        setattr(made, attribute, text)
        setattr(made, f"{attribute}_id", made.convert_tokens_to_ids(text))
    return made


def size(rng):
    """Return a height and a width: as often small as large, and sometimes narrow."""
    height, width = (int(LONGEST ** rng.random()) for _ in range(2))
    least = max(height, width) // NARROWEST + 1
    return max(height, least), max(width, least)


def parts(rng):
    """Return texts and images in any order."""
    kinds = [rng.choice(["image", "text"]) for _ in range(rng.randint(1, 5))]
    texts = (real_tokenizers.text(rng) or "and" for _ in kinds)
    return [{"type": "image"} if kind == "image" else {"type": "text", "text": next(texts)} for kind in kinds]


def conversation(rng, family):
    """Return messages and tools; the results of calls are images where the format writes them."""
    calls = family in SEE_RESULTS and rng.random() < 0.5
    messages = [{"role": "user", "content": parts(rng)}]
    for at in range(rng.randint(0, 3)):
        if calls and rng.random() < 0.7:
            call = {**CALL, "id": f"call_{at}"}
            messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": parts(rng)})
        else:
            messages.append({"role": "assistant", "content": real_tokenizers.text(rng) or "Yes."})
            messages.append({"role": "user", "content": parts(rng)})
    return messages, [TOOL] if calls else None


@pytest.mark.parametrize("variant", VARIANTS)
def test_ids_and_places_are_those_of_the_processor(variant):
    family, numbers = next((row["family"], row["numbers"]) for row in ROWS if row["variant"] == variant)
    name, vocabulary, make, named = FAMILIES[family]
    template = lect.template(name)
    media = {"image": {**template.stated()["media"]["image"], **numbers}}
    template, tokenizer = template.but(media=media), tokenizer_for(vocabulary, template, named)
    processor, rng = make(tokenizer, numbers), random.Random(variant)
    # Gemma's processor takes these from its caller, whatever its file says.
    options = {option: value for option, value in numbers.items() if "pan_and_scan" in option}
    images = results = 0
    for _ in range(CONVERSATIONS):
        messages, tools = conversation(rng, family)
        prompt = template.render(messages, tools=tools, add_generation_prompt=True)
        sizes = [size(rng) for _ in prompt.media]
        shown = [image.new("RGB", (width, height)) for height, width in sizes]
        # One prompt, whose images are a list of their own.
        given = processor(text=[prompt.text], images=[shown] if shown else None, add_special_tokens=False, **options)
        expected = [int(each) for each in given["input_ids"][0]]
        encoded = prompt.encode(tokenizer, media=sizes)
        assert encoded.ids == expected
        pad = tokenizer.convert_tokens_to_ids(media["image"].get("pad", media["image"]["placeholder"]))
        places = {at for place in encoded.media for at in range(place.start, place.end)}
        assert {at for at, each in enumerate(expected) if each == pad} <= places
        assert [encoded.field[place.start] for place in encoded.media] == [
            f"messages[{at}].content[{place}]"
            for at, message in enumerate(messages)
            for place, part in enumerate(message["content"])
            if isinstance(part, dict) and part["type"] == "image"
        ]
        images += len(shown)
        results += sum(messages[place.path[1]]["role"] == "tool" for place in prompt.media)
    assert images > CONVERSATIONS
    assert (results > 0) == (family in SEE_RESULTS)
