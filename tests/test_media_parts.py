"""A picture, a sound or a film is one thing, however a client spells the part: for every template that is installed,
and for makers' templates, which get the spelling that they read."""

import differential
import goldens
import pytest
from installed_templates import installed
from sampling import in_turn
from together import together

import lect
from lect import LectError

pytestmark = pytest.mark.filterwarnings("ignore:invalid escape sequence")  # in a maker's template
URL = "data:image/png;base64,AAAA"
SPELLINGS = {
    "image": [
        {"type": "image", "image": URL},
        {"type": "image_url", "image_url": {"url": URL}},
        {"type": "image_url", "image_url": URL},
        {"type": "input_image", "image_url": URL},
    ],
    "audio": [
        {"type": "audio", "audio": URL},
        {"type": "audio_url", "audio_url": {"url": URL}},
        {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}},
    ],
    "video": [{"type": "video", "video": URL}, {"type": "video_url", "video_url": {"url": URL}}],
}
TEMPLATES = installed()
MAKERS = goldens.native_models()


def asking(part):
    return [{"role": "user", "content": [part, {"type": "text", "text": "What?"}]}]


def written(template, part):
    """Return the prompt and whether the part is lost; None if it is refused."""
    try:
        prompt = template.render(asking(part))
    except LectError:
        return None
    return prompt.text, any(unused.path == ("messages", 0, "content", 0) for unused in prompt.unused)


@together("name", TEMPLATES)
def test_every_spelling_of_a_kind_that_is_read_gives_the_same_prompt(name):
    for usual, *others in SPELLINGS.values():
        expected = written(TEMPLATES[name], usual)
        if expected is None or expected[1] or URL in expected[0]:
            continue  # It is refused, not read, or shown as it was given.
        for part in others:
            assert written(TEMPLATES[name], part) == expected


@pytest.mark.parametrize("slug", in_turn(MAKERS, 4))
def test_a_family_writes_each_as_the_maker_writes_its_own_spelling(slug):
    compare(slug, lect.resolve(MAKERS[slug]).template)


@together("slug", in_turn(differential.entries(), 24))
def test_a_template_of_ones_own_gets_the_spelling_that_it_reads(slug):
    compare(slug, differential.own_template(slug))


def compare(slug, template):
    for spellings in SPELLINGS.values():
        for part in spellings:
            differential.compare(slug, template, asking(part))
