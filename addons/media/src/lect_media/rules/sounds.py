"""Sounds: from samples to frames of a spectrogram, and from these to tokens."""

from collections.abc import Iterator

from lect.errors import RefusedError
from lect_media.items import Beside, Item
from lect_media.numbers import Numbers
from lect_media.rules.framed import framed
from lect_media.texts import Run

MOST_SECONDS = 30
"""What follows is not heard, where the maker states no other limit."""


def _halved(length: int) -> int:
    """Return the length of what a convolution with a step of two leaves."""
    return (length - 1) // 2 + 1


def padded_sound(item: Item, numbers: Numbers, beside: Beside) -> Iterator[Run]:
    """Return a quarter of the frames of a sound that is padded to a fixed length: Qwen2-Audio, Qwen2.5-Omni."""
    most = numbers.whole("chunk_length") * numbers.whole("sampling_rate")
    heard = _frames(min(item.size[0], most), most, numbers)
    return framed(numbers, max((_halved(heard) - 2) // 2 + 1, 0))


def chunked_sound(item: Item, numbers: Numbers, beside: Beside) -> Iterator[Run]:
    """Return thirteen tokens for every window of frames, and those of what is left: Qwen3-Omni.

    A sound is padded to the longest beside it, which may add a frame.
    """
    if beside.longest <= numbers.whole("n_fft") // 2:
        msg = f"a sound of {beside.longest} samples is refused: it is shorter than half a window"
        raise RefusedError(f"{msg}\n  try: at least {numbers.whole('n_fft') // 2 + 1} samples")
    windows, rest = divmod(_frames(item.size[0], beside.longest, numbers), 2 * numbers.whole("n_window"))
    return framed(numbers, 13 * windows + _halved(_halved(_halved(rest))))


def _frames(samples: int, padded: int, numbers: Numbers) -> int:
    """Return how many frames begin in a sound; the last of all does not count if it is not whole."""
    hop = numbers.whole("hop_length")
    return min(-(-samples // hop), padded // hop)


def whole_frames(item: Item, numbers: Numbers, beside: Beside) -> Iterator[Run]:
    """Return a quarter of the frames that are wholly in the sound, which half a frame of silence precedes: Gemma 4."""
    length, hop = numbers.whole("frame_length"), numbers.whole("hop_length")
    heard = min(item.size[0], MOST_SECONDS * numbers.whole("sampling_rate"))
    found = max((heard + length // 2 - (length + 1)) // hop + 1, 0)
    return framed(numbers, _halved(_halved(found)))


def compressed_sound(item: Item, numbers: Numbers, beside: Beside) -> Iterator[Run]:
    """Return the windows in a sound, some of which become one: Phi-4-multimodal."""
    window = numbers.whole("win_length")
    if beside.longest < window:
        msg = f"a sound of {beside.longest} samples is refused: it is shorter than a window"
        raise RefusedError(f"{msg}\n  try: at least {window} samples")
    found = ((item.size[0] - window) // numbers.whole("hop_length") + 1) * numbers.whole("audio_feat_stride", 1)
    for by in ("audio_compression_rate", "audio_downsample_rate"):
        found = -(-found // numbers.whole(by))
    return framed(numbers, max(found, 0))
