"""Images as FastChat's class has them: its fields, its enumeration and its methods."""

import base64
import io
from enum import IntEnum

import pytest

from lect import MessageError
from lect_fastchat.images import Image, ImageFormat

PILLOW_NEEDED = "the methods read pixels"


def saved(folder, size, name="image.png"):
    pillow = pytest.importorskip("PIL.Image", reason=PILLOW_NEEDED)
    path = folder / name
    # Noise, so that PNG cannot compress it.
    pillow.effect_noise(size, 90).save(path)
    return str(path)


def size_of(text):
    from PIL import Image as Pillow

    return Pillow.open(io.BytesIO(base64.b64decode(text))).size


def test_formats_are_numbers():
    assert issubclass(ImageFormat, IntEnum)
    assert [(each.name, int(each)) for each in ImageFormat] == [
        ("URL", 1), ("LOCAL_FILEPATH", 2), ("PIL_IMAGE", 3), ("BYTES", 4), ("DEFAULT", 5),
    ]  # fmt: skip


def test_an_image_is_shown_as_fastchats_is():
    # FastChat's style for ChatGLM writes this into the prompt.
    assert repr(Image("https://example.com/a.png", "png", ImageFormat.URL)) == (
        "Image(url='https://example.com/a.png', filetype='png', image_format=<ImageFormat.URL: 1>, base64_str='')"
    )


# Sizes from FastChat's own class at 0e6d3e4.
@pytest.mark.parametrize(
    ("size", "most", "expected"),
    [
        ((40, 30), None, (40, 30)),
        ((2048, 1024), None, (1024, 512)),
        ((600, 1500), None, (409, 1022)),
        ((1024, 1024), 5 / 1.5, (1024, 1024)),
    ],
)
def test_a_local_file_becomes_bytes_of_a_bounded_size(size, most, expected, tmp_path):
    image = Image(saved(tmp_path, size))
    assert image.to_conversation_format(most) is image
    assert (image.filetype, image.image_format, size_of(image.base64_str)) == ("png", ImageFormat.BYTES, expected)
    assert image.to_openai_image_format() == f"data:image/png;base64,{image.base64_str}"
    assert image.convert_image_to_base64() == image.base64_str


def test_an_image_of_too_many_bytes_is_made_smaller_once_more(tmp_path):
    kind, text = Image(saved(tmp_path, (400, 200))).convert_url_to_image_bytes(0.02)
    width, height = size_of(text)
    assert kind == "png"
    assert width < 400
    assert abs(width - 2 * height) <= 2


def test_the_bytes_are_returned_from_their_beginning_where_there_is_a_limit(tmp_path):
    path = saved(tmp_path, (9, 9))
    from PIL import Image as Pillow

    image = Pillow.open(path)
    kind, written = Image().resize_image_and_return_image_in_bytes(image, 1)
    assert (kind, written.tell()) == ("png", 0)


def test_a_local_file_has_an_address_for_openai(tmp_path):
    image = Image(saved(tmp_path, (3, 2)), "png", ImageFormat.LOCAL_FILEPATH)
    kind, _, data = image.to_openai_image_format().partition(",")
    assert (kind, size_of(data), image.base64_str) == ("data:image/png;base64", (3, 2), data)


def test_an_address_is_its_own_and_is_not_fetched():
    image = Image("https://example.com/a.png", "png", ImageFormat.URL)
    assert image.to_openai_image_format() == "https://example.com/a.png"
    with pytest.raises(MessageError, match="only the address of an image is known"):
        image.convert_image_to_base64()


@pytest.mark.parametrize("kind", [ImageFormat.PIL_IMAGE, ImageFormat.DEFAULT])
def test_a_format_without_an_address_is_refused(kind):
    with pytest.raises(ValueError, match="of an image has no address"):
        Image(image_format=kind).to_openai_image_format()
