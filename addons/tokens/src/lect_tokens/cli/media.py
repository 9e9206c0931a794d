"""How many tokens images, videos and sounds are for a model, in `lect tokens`."""

import re
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from typing import Any

import lect
from lect.addon import Screen, commands

SIZE = re.compile(r"([0-9]{1,9})[x×]([0-9]{1,9})")
MOST_RUNS = 6
"""How many pieces of a text are shown; --json has them all."""


def add_media(parser: ArgumentParser) -> None:
    """Add the arguments that name images, videos and sounds. They are counted as one request, in this order."""
    group = parser.add_argument_group(
        "images, videos and sounds", "All that are given are counted as one request, in their order."
    )
    add = group.add_argument
    image = "an image: a path or a data URL, of which only the header is read; may be given several times"
    add("--image", metavar="FILE", action="append", dest="media", type=_image, default=[], help=image)
    size = "the size of an image instead; may be given several times"
    add("--size", metavar="WIDTHxHEIGHT", action="append", dest="media", type=_size, help=size)
    add("--frames", metavar="NUMBER", type=int, help="each --size is that of a video, of which the model gets so many")
    add("--fps", metavar="NUMBER", type=float, help="how many of these frames make up a second")
    samples = "a sound of so many samples; may be given several times"
    add("--samples", metavar="NUMBER", action="append", dest="media", type=_samples, help=samples)
    add("--sampling-rate", metavar="NUMBER", type=int, help="the samples of a second, if not what the model takes")
    numbers = "the directory of a checkpoint, whose preprocessor_config.json decides; by default MODEL, if it is one"
    add("--numbers", metavar="DIR", type=commands.utf8, help=numbers)


def are_media_asked(arguments: Namespace) -> bool:
    """Return whether the arguments ask for images, videos and sounds, and not for a prompt."""
    return bool(arguments.media)


def print_media(arguments: Namespace) -> None:
    """Print how many tokens each is, and all of them."""
    for name in ("text", "messages", "tokenizer"):
        if getattr(arguments, name) is not None:
            said = "a text" if name == "text" else f"--{name}"
            msg = f"images, videos and sounds are counted by themselves, without {said}"
            raise lect.MessageError(f"{msg}\n  try: lect tokens MODEL --image FILE")
    counted = lect.media_tokens(
        arguments.model,
        request=[_stated(arguments, each) for each in arguments.media],
        numbers=True if arguments.numbers is None else arguments.numbers,
        adapter=arguments.adapter,
        default=arguments.default,
    )
    total = sum(each.tokens for each in counted)
    if arguments.json:
        commands.write_json({"items": [_as_data(each) for each in counted], "tokens": total})
        return
    screen = Screen(sys.stdout)
    rows = ((each.item.kind, _measured(each.item), str(each.tokens), str(each.pads), _shown(each)) for each in counted)
    screen.table(rows, header=("kind", "size", "tokens", "features", "text"), indent=0)
    screen.line(f"{total} token{'s' * (total != 1)}", style="bold")
    if any(not run.is_control for each in counted for run in each.runs):
        commands.print_notes(["plain text between the tokens, such as times, is not counted: it is the tokenizer's"])


def _stated(arguments: Namespace, item: dict[str, Any]) -> dict[str, Any]:
    if "samples" in item:
        return {**item, "sampling_rate": arguments.sampling_rate}
    return item if "image" in item else {**item, "frames": arguments.frames, "fps": arguments.fps}


def _image(argument: str) -> dict[str, Any]:
    return {"image": commands.utf8(argument)}


def _size(argument: str) -> dict[str, Any]:
    found = SIZE.fullmatch(argument)
    if found is None:
        raise ArgumentTypeError(f"{argument!r} is not of the form WIDTHxHEIGHT, such as 640x480")
    return {"width": int(found[1]), "height": int(found[2])}


def _samples(argument: str) -> dict[str, Any]:
    if not (argument.isascii() and argument.isdecimal() and len(argument) < 16):
        raise ArgumentTypeError(f"{argument!r} is no number of samples, such as 160000")
    return {"samples": int(argument)}


def _measured(item: Any) -> str:
    """Return a size as people say it: the width first."""
    if item.kind == "audio":
        return f"{item.size[0]} samples"
    return " × ".join(map(str, (*item.size[:-2], item.width, item.height)))


def _shown(counted: Any) -> str:
    shown = [repr(run.text) + f" × {run.times}" * (run.times > 1) for run in counted.runs[:MOST_RUNS]]
    return " ".join([*shown, *["..."] * (len(counted.runs) > MOST_RUNS)])


def _as_data(counted: Any) -> dict[str, Any]:
    return {
        "kind": counted.item.kind,
        "size": list(counted.item.size),
        "tokens": counted.tokens,
        "pads": counted.pads,
        "rule": counted.rule,
        "runs": [list(run) for run in counted.runs],
    }
