"""The page on what images, videos and sounds are is what the formats state."""

import make_media

import lect


def test_the_page_is_what_the_formats_state():
    assert make_media.PAGE.read_text("utf-8") == make_media.page(), "run: python docs/make_media.py"


def test_a_format_that_writes_media_is_in_one_of_the_tables():
    named = make_media.PAGE.read_text("utf-8")
    lacking = [
        name
        for name, template in make_media.templates().items()
        if template.capabilities & set(make_media.CAPABILITIES.values()) and f"`{name}`" not in named
    ]
    assert lacking == []


def test_what_is_stated_without_a_comparison_has_a_source():
    compared, _ = make_media.recorded()
    unsourced = [
        (name, kind)
        for name, template in make_media.templates().items()
        for kind, stated in template.media.items()
        if (kind, make_media.key(stated)) not in compared and "source" not in stated
    ]
    assert unsourced == []
    assert lect.template("kimi-vl").media["image"]["source"]
