"""A fixed number, whatever the size."""

from collections.abc import Iterator

from lect_media.items import Beside, Item
from lect_media.numbers import Numbers
from lect_media.rules.framed import framed
from lect_media.texts import Run

COUNTS = ("image_seq_length", "num_image_tokens", "audio_seq_length")
"""What makers call the number."""


def fixed(item: Item, numbers: Numbers, beside: Beside) -> Iterator[Run]:
    """Return the pads that the maker states: Gemma 3n, PaliGemma, DeepSeek-VL, Llama 3.2 Vision."""
    name = next((each for each in COUNTS if each in numbers), COUNTS[0])
    return framed(numbers, numbers.whole(name))


def square(item: Item, numbers: Numbers, beside: Beside) -> Iterator[Run]:
    """Return the patches of a square to which every image is cut: LLaVA 1.5."""
    side = numbers.whole("crop_size" if "crop_size" in numbers else "size") // numbers.whole("patch_size")
    return framed(numbers, selected(numbers, side * side + numbers.whole("num_additional_image_tokens", 0, least=0)))


def selected(numbers: Numbers, features: int) -> int:
    """Return how many features are used: by default, the first is that of the class, and is not."""
    return features - (numbers.text("vision_feature_select_strategy", "default") == "default")
