"""Images in a page: where they stand, how many tokens they are, and themselves, where that is safe."""

import base64
import re
from html import unescape

import pytest
import small_images
from character_tokenizer import CharacterTokenizer
from html_pages import HOSTILE, Page

import lect_view
from lect.plugin import Template

PAD = "<|image_pad|>"
GRID = {"rule": "grid", "patch_size": 14, "merge_size": 2, "size": {"shortest_edge": 784, "longest_edge": 784_000}}
PNG = small_images.png(84, 56)


def write(chat, out):
    for message in out.turns(chat.messages):
        out += "<|", message.role, "|>"
        for part in message.parts:
            if part.type == "text":
                out.append(part.text)
            else:
                out.append(PAD)
                out.used(*part.path)
        out += message.content if not message.parts else "", "\n"


SEEING = Template(
    "seeing", write, markers=[PAD], accepts=["parts"], capabilities=["images"],
    media={"image": {**GRID, "placeholder": PAD}},
)  # fmt: skip


def url(data, kind="image/png"):
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"


def prompt_of(*parts):
    return SEEING.render([{"role": "user", "content": [*parts]}, {"role": "assistant", "content": "ok"}])


def image(given):
    return {"type": "image", "image": given}


def embedded(page):
    """Return the addresses of the images of a page."""
    return [unescape(each) for each in re.findall(r'<img [^>]*src="([^"]*)"', page)]


def policy(page):
    return re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', page)[1]


def test_an_image_is_shown_where_it_stands_with_its_tokens(tmp_path):
    path = tmp_path / "cat.gif"
    path.write_bytes(small_images.gif(28, 28))
    prompt = prompt_of({"type": "text", "text": "See: "}, image(url(PNG)), image(str(path)), image(PNG))
    page = lect_view.html(prompt)
    assert embedded(page) == [url(PNG), url(path.read_bytes(), "image/gif"), url(PNG)]
    assert re.findall(r'data-media="([^"]*)"', page) == ["6 tokens", "1 token", "6 tokens"]
    assert "image messages[0].content[1] · 6 tokens · 84 × 56" in "".join(Page(page).abouts)
    assert ", 3 images</p>" in page
    assert policy(page).endswith("; img-src data:")
    assert Page(page).text.replace("\n", "") == prompt.text.replace("\n", "")


def test_tokens_are_those_of_the_ids():
    tokenizer = CharacterTokenizer({PAD: 2_000_001})
    encoded = prompt_of(image(url(PNG))).encode(tokenizer, media=lambda items: [3])
    page = lect_view.html(encoded)
    assert set(re.findall(r'data-media="([^"]*)"', page)) == {"3 tokens"}
    assert embedded(page) == [url(PNG)]
    expanded = lect_view.html(prompt_of(image(url(PNG))).expand(lambda items: [3]))
    assert set(re.findall(r'data-media="([^"]*)"', expanded)) == {"3 tokens"}


def test_two_prompts_and_a_notebook_have_their_images():
    prompt = prompt_of(image(url(PNG)))
    page = lect_view.html(prompt, against=prompt_of(image(url(small_images.png(28, 28)))))
    assert len(embedded(page)) == 2
    assert policy(page).endswith("; img-src data:")
    assert embedded(prompt._repr_html_()) == [url(PNG)]


@pytest.mark.parametrize(
    "given",
    [
        "https://example.com/cat.png",
        "//example.com/cat.png",
        "file:///etc/passwd",
        "/etc/passwd",
        "javascript:alert(1)",
        'x" onerror="alert(1)',
        "data:text/html;base64," + base64.b64encode(b"<script>alert(1)</script>").decode(),
        "data:image/svg+xml;base64," + base64.b64encode(b"<svg onload='alert(1)'/>").decode(),
        "data:image/svg+xml,<svg onload='alert(1)'/>",
        'data:image/png;base64,"><script>alert(1)</script>',
        url(PNG[:20]),
        url(b"\x89PNG\r\n\x1a\n" + b"<script>alert(1)</script>" * 10),
        url(small_images.png(100_000, 100_000)),
        url(PNG + bytes(5_000_000)),
        "data:" + "x" * 1_000_000,
        {"url": "https://example.com/cat.png"},
        {"path": "missing.png", "bytes": None},
        {"bytes": b"GIF89a"},
        7,
        [PNG],
    ],
    ids=lambda given: str(given)[:30],
)
@pytest.mark.parametrize("size", [{}, {"height": 56, "width": 84}], ids=["", "sized"])
def test_what_is_no_small_image_is_not_in_a_page(given, size):
    page = lect_view.html(prompt_of({**image(given), **size}))
    assert embedded(page) == []
    assert "img-src" not in policy(page)
    assert "http:" not in page
    assert Page(page).tags == Page(lect_view.html(prompt_of({"type": "image"}))).tags
    assert len(page) < 100_000


def test_no_address_becomes_markup():
    plain = Page(lect_view.html(prompt_of(image("missing.png"))))
    for content in HOSTILE:
        page = Page(
            lect_view.html(prompt_of(image(content[:10_000]), {"type": "image_url", "image_url": content[:10_000]}))
        )
        assert (page.tags, page.attributes) == (plain.tags, plain.attributes), content[:50]


def test_what_is_written_into_the_page_is_the_file_and_not_the_address():
    written = base64.urlsafe_b64encode(PNG).decode().rstrip("=")
    odd = f"DATA:text/html;x=\"'<b>;base64,{written[:20]}\n {written[20:]}"
    assert embedded(lect_view.html(prompt_of(image(odd)))) == [url(PNG)]


def test_the_images_of_a_page_are_bounded():
    noise = small_images.png(84, 56) + bytes(4_000_000)
    page = lect_view.html(prompt_of(*[image(noise)] * 12))
    assert len(embedded(page)) == 8
    assert embedded(prompt_of(image(noise))._repr_html_()) == []
