"""The sizes of images are read from the first bytes of their files, whatever these claim."""

import base64
import io
import struct
from urllib.parse import quote_from_bytes

import pytest
import small_images as make
from counting import cpu_seconds
from hypothesis import given
from hypothesis import strategies as st

from lect.errors import LectError, SourceError
from lect_media import image_size

IMAGES = {
    "png": make.png(31, 17),
    "interlaced png": make.png(31, 17, interlaced=True),
    "jpeg": make.jpeg(31, 17),
    "progressive jpeg without exif": make.jpeg(31, 17, frame=0xC2),
    "arithmetic jpeg": make.jpeg(31, 17, frame=0xC9),
    "webp": make.riff(make.vp8(31, 17)),
    "lossless webp": make.riff(make.vp8l(31, 17)),
    "extended webp": make.riff(make.vp8x(31, 17, 0x10), (b"ALPH", b"\0"), make.vp8(31, 17)),
    "animated webp": make.riff(make.vp8x(31, 17, 0x02), (b"ANIM", bytes(6)), (b"ANMF", bytes(16))),
    "gif": make.gif(31, 17),
    "animated gif": make.gif(31, 17, frames=100),
}


def measured(image):
    """Return the size of an image, or that it is refused."""
    try:
        return image_size(image)
    except SourceError:
        return "refused"


@pytest.fixture(params=IMAGES)
def image(request):
    return IMAGES[request.param]


def test_bytes_paths_and_data_urls_have_the_same_size(image, tmp_path):
    path = tmp_path / "image"
    path.write_bytes(image)
    written = base64.b64encode(image).decode()
    urls = [
        f"data:image/png;base64,{written}",
        f"DATA:;Base64,{written.rstrip('=')}",
        f"data:image/png;base64,{written[:20]}\n{written[20:]}",
        f"data:image/png;base64,{base64.urlsafe_b64encode(image).decode()}",
        f"data:image/png,{quote_from_bytes(image)}",
    ]
    for given_as in (image, bytearray(image), memoryview(image), path, str(path), *urls):
        assert image_size(given_as) == (17, 31)


@pytest.mark.parametrize("orientation", range(9))
@pytest.mark.parametrize(
    "image",
    [
        lambda turned: make.png(31, 17, orientation=turned),
        lambda turned: make.jpeg(31, 17, orientation=turned),
        lambda turned: make.riff(make.vp8x(31, 17, 0x08), make.vp8(31, 17), (b"EXIF", make.exif(turned))),
    ],
    ids=["png", "jpeg", "webp"],
)
def test_an_image_that_a_camera_held_sideways_has_its_sides_exchanged(image, orientation):
    assert image_size(image(orientation)) == ((31, 17) if orientation in (5, 6, 7, 8) else (17, 31))


def test_every_truncated_image_is_refused_or_has_its_size(image):
    for length in range(len(image)):
        assert measured(image[:length]) in ((17, 31), "refused")


@pytest.mark.parametrize(
    "image",
    [
        b"",
        b"no image at all",
        make.png(0, 17),
        make.png(31, 17).replace(b"\0\0\0\x1f", b"\0\0\0\x20", 1),
        make.jpeg(0, 17),
        b"\xff\xd8" + b"\xff" * 30_000,
        b"\xff\xd8" + make.segment(0xE0, b"") * 20_000,
        b"\xff\xd8" + bytes(100),
        make.riff((b"VP8 ", bytes(10))),
        make.riff((b"VP8L", bytes(5))),
        make.riff((b"JUNK", bytes(5))),
        make.gif(0, 0),
    ],
    ids=lambda image: image[:12].hex(),
)
def test_headers_that_lie_are_refused(image):
    with pytest.raises(SourceError, match="\n  try: "):
        image_size(image)


@pytest.mark.parametrize("side", [1, 65_535])
def test_the_smallest_and_the_largest_side(side):
    assert image_size(make.gif(side, 1)) == (1, side)
    assert image_size(make.png(100_000, side)) == (side, 100_000)


@given(st.binary(max_size=200), st.sampled_from(sorted(IMAGES)), st.integers(0, 60))
def test_damage_gives_a_size_or_an_error_of_lect(damage, name, at):
    image = IMAGES[name]
    try:
        height, width = image_size(image[:at] + damage + image[at + len(damage) :])
        assert min(height, width) > 0
    except LectError:
        pass


def test_an_exif_table_without_end_is_no_work():
    table = b"II*\0" + struct.pack("<IH", 8, 0xFFFF) + bytes(60_000)
    image = make.jpeg(31, 17, before=make.segment(0xE1, b"Exif\0\0" + table))
    assert image_size(image) == (17, 31)


def test_a_data_url_of_50_megabytes_is_read_at_its_beginning():
    image = make.png(31, 17) + bytes(50_000_000)
    url = "data:image/png;base64," + base64.b64encode(image).decode()
    assert cpu_seconds(image_size, url) < 2
    with pytest.raises(SourceError, match="is no base64"):
        image_size("data:image/png;base64," + "!" * 50_000_000)
    with pytest.raises(SourceError, match="no comma"):
        image_size("data:" + "x" * 50_000_000)
    with pytest.raises(SourceError, match="is no path"):
        image_size("x" * 50_000_000)


def test_nothing_is_fetched():
    for url in ("https://example.com/cat.png", "HTTP://example.com", "s3://bucket/cat.png", "file:///cat.png"):
        with pytest.raises(SourceError, match="nothing is fetched\n  try: "):
            image_size(url)


def test_what_is_no_file_is_refused(tmp_path):
    for path in (tmp_path, tmp_path / "missing.png", "/dev/zero"):
        with pytest.raises(SourceError, match="cannot read"):
            image_size(path)


def test_other_formats_are_read_by_pillow():
    image = pytest.importorskip("PIL.Image", reason="Pillow reads other formats")
    file = io.BytesIO()
    image.new("RGB", (31, 17)).save(file, "BMP")
    assert image_size(file.getvalue()) == (17, 31)


def bitmap(width, height):
    head = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, 0, 0, 0, 0, 0)
    return b"BM" + struct.pack("<IHHI", 54, 0, 0, 54) + head


@pytest.mark.parametrize(("side", "found"), [(1, (1, 1)), (5_000, (5_000, 5_000)), (100_000, "states too many")])
def test_other_formats_that_state_many_pixels_are_not_decoded(side, found):
    pytest.importorskip("PIL.Image", reason="Pillow reads other formats")
    if isinstance(found, tuple):
        assert image_size(bitmap(side, side)) == found
    else:
        with pytest.raises(SourceError, match=found):
            image_size(bitmap(side, side))


def test_a_gif_of_many_frames_is_read_at_its_beginning():
    bomb = make.gif(65_535, 65_535, frames=100_000)
    assert cpu_seconds(image_size, bomb) < 2
    assert image_size(bomb) == (65_535, 65_535)


def test_without_pillow_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "PIL", None)
    with pytest.raises(SourceError, match="needs Pillow\n  try: pip install pillow"):
        image_size(b"BM" + bytes(60))
