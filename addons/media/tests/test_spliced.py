"""Ids in which images were put into their places are those of the expanded prompt."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_tokenizer import Bytes

import lect
from lect.errors import LectError
from lect_media import Spliced, expand, item_of, spliced

POLICY = lect.LossPolicy(roles=("user", "assistant"), allow_uniform=True)
SEEING = {
    f"{owner}:{name}": template
    for owner, names in lect.templates(load=True).items()
    for name in names
    if owner not in ("default", "chatml") and "image" in (template := lect.template(f"{owner}:{name}")).media
}
QUICK = {"qwen:qwen2-vl", "qwen:qwen3-vl", "gemma:gemma-4", "internvl:internvl-hf", "llama:llama-4", "mistral:pixtral"}
"""Some of those whose images need no second encoding; in Gemma 3, for one, an image begins with line ends."""
PARTS = st.lists(
    st.one_of(
        st.sampled_from(["a", " b ", "\n", "<image>", "<|image_pad|>", "é"]).map(
            lambda text: {"type": "text", "text": text}
        ),
        st.tuples(st.integers(1, 500), st.integers(1, 500)).map(
            lambda size: {"type": "image", "height": size[0], "width": size[1]}
        ),
    ),
    min_size=1,
    max_size=5,
)


def tokenizer_of(template):
    """Return a tokenizer with the control tokens of a template, and all that its rules write."""
    written = [each for rule in template.media.values() for each in rule.values() if isinstance(each, str)]
    tokens = [each for each in (*template.markers, *written) if "{" not in each and each.startswith(("<", "["))]
    return Bytes(*dict.fromkeys(tokens))


def both(template, parts, **policy):
    """Return the ids of a conversation in which images were put, or why not, and those of the expanded prompt."""
    messages = [{"role": "user", "content": parts}, {"role": "assistant", "content": "ok"}]
    prompt, tokenizer = template.render(messages), tokenizer_of(template)
    items = [item_of(place, messages) for place in prompt.media]
    encoded = prompt.encode(tokenizer, strict=False if policy else None, **policy)
    quick = spliced(encoded, expand(template.media, items), tokenizer)
    return quick, prompt.expand("parts").encode(tokenizer, strict=False if policy else None, **policy)


@pytest.mark.parametrize("name", SEEING)
@settings(max_examples=8)
@given(parts=PARTS)
def test_images_are_put_into_ids_as_the_expanded_prompt_has_them(name, parts):
    with suppress(LectError):
        quick, whole = both(SEEING[name], parts, policy=POLICY)
        if quick is not None:
            assert (quick.ids, quick.media) == (whole.ids, whole.media)
            assert quick.weights == whole.weights


@pytest.mark.parametrize("name", sorted(QUICK))
def test_most_formats_need_no_second_encoding(name):
    image = {"type": "image", "height": 600, "width": 800}
    quick, whole = both(SEEING[name], [image, {"type": "text", "text": "and"}, image])
    assert isinstance(quick, Spliced)
    assert quick.ids == whole.ids


def test_what_was_cut_off_is_encoded_again():
    template = SEEING["qwen:qwen2-vl"]
    messages = [{"role": "user", "content": [{"type": "image", "height": 600, "width": 800}]}]
    prompt, tokenizer = template.render(messages), tokenizer_of(template)
    made = expand(template.media, [item_of(place, messages) for place in prompt.media])
    assert spliced(prompt.encode(tokenizer), made, tokenizer) is not None
    assert spliced(prompt.encode(tokenizer, max_length=5), made, tokenizer) is None
    assert spliced(prompt.encode(tokenizer), [], tokenizer) is None
