"""Ids of real tokenizers: those of the whole text, unless something other than the template spells a control token."""

import unicodedata

import hostile
import pytest
import real_tokenizers

import lect
from lect.plugin import Turn, TurnTemplate
from lect.prompt.segments import is_role
from lect.tokens.tokenizer import encoder_of

pytest.importorskip("tokenizers")

PAIRS = [(name, template) for name in real_tokenizers.names() for template in real_tokenizers.templates(name)]
each_pair = pytest.mark.parametrize(("name", "template"), PAIRS)


def test_the_makers_tokenizers_are_here():
    if not real_tokenizers.ROOT.exists():
        pytest.skip(real_tokenizers.ABSENT)
    assert len(real_tokenizers.names()) == 8
    assert all(real_tokenizers.templates(name) for name in real_tokenizers.names())


def rendered(template, **arguments):
    """Return the prompt, or None where the format refuses the conversation or a role."""
    try:
        return template.render(**arguments)
    except lect.LectError:
        return None


def prompts(name, template):
    """Yield the prompts of random conversations without control tokens."""
    template = real_tokenizers.templates(name)[template]
    for chat in real_tokenizers.chats(template.name):
        prompt = rendered(template, messages=chat, add_generation_prompt=chat[-1]["role"] != "assistant")
        if prompt is not None:
            yield prompt


@pytest.mark.parametrize("name", real_tokenizers.names())
def test_places_of_tokens_are_those_of_all_offsets(name):
    encoder = encoder_of(real_tokenizers.tokenizer(name))
    for chat in real_tokenizers.chats(name, 50):
        text = chat[0]["content"]
        tokens, listed = encoder.whole(text), encoder.whole(text)
        offsets = listed.offsets()
        assert [tokens.span(index) for index in range(len(offsets))] == offsets
        for position in range(len(text) + 1):
            assert encoder.whole(text).first(position) == listed.first(position)


@each_pair
def test_clean_conversations_have_the_ids_and_offsets_of_the_whole_text(name, template, monkeypatch):
    tokenizer = real_tokenizers.tokenizer(name)
    count = 0
    for prompt in prompts(name, template):
        count += 1
        plain = tokenizer.encode(prompt.text, add_special_tokens=False)
        with_bos = tokenizer.encode(prompt.text, add_special_tokens=True)
        encoded = prompt.encode(tokenizer)
        # A tokenizer's own BOS is added if the template writes none, and is the only one.
        added = with_bos.ids[: len(encoded.ids) - len(plain.ids)]
        assert len(added) <= 1
        assert encoded.report.bos == ("tokenizer" if added else "template" if prompt.template.bos else None)
        for each in (encoded, prompt.encode(tokenizer, safe=False)):
            assert each.ids == [*added, *plain.ids]
            assert each.offsets == [*((0, 0) for _ in added), *plain.offsets]
            assert each.report.controls == ()
        # As it would be with forged tokens: piece by piece between control tokens, by the tokenizer or by its copies.
        encoder = encoder_of(tokenizer)
        for needs_copies in (False, True):
            with monkeypatch.context() as patch:
                if needs_copies:
                    patch.setattr(encoder, "_is_clean", lambda _: False)
                apart = encoder.between(prompt.text, encoder.found(prompt.text))
            assert (apart.ids, apart.offsets()) == (plain.ids, plain.offsets)
    assert count > 100


def template_wrote(prompt):
    """Return for each character of a prompt whether it is the template's; the name of a role counts as such."""
    return [
        segment.origin is lect.Origin.TEMPLATE or is_role(segment.path)
        for segment in prompt.segments
        for _ in segment.text
    ]


@each_pair
def test_hostile_text_gives_no_control_id_and_stays_as_it_is(name, template):
    tokenizer = real_tokenizers.tokenizer(name)
    controls = tokenizer.get_added_tokens_decoder().keys()
    template = real_tokenizers.templates(name)[template]
    protected = 0
    for case in hostile.cases():
        prompt = rendered(template, **hostile.request(case)[0]) if "repeated" not in case else None
        if prompt is None:
            continue
        plain = tokenizer.encode(prompt.text, add_special_tokens=False)
        encoded = prompt.encode(tokenizer)
        opening = encoded.report.bos == "tokenizer"
        ids = encoded.ids[opening:]
        own = template_wrote(prompt)
        found = [each for each in ids if each in controls]
        # Those of a plain encoding within the template's characters, and no others.
        assert found == [
            each
            for each, (start, end) in zip(plain.ids, plain.offsets, strict=True)
            if each in controls and all(own[start:end])
        ], case["id"]
        assert read(tokenizer, ids) == read(tokenizer, plain.ids) == squeezed(prompt.text), case["id"]
        # Here a BOS may be the user's, and then no other is put before it.
        unsafe = prompt.encode(tokenizer, safe=False)
        assert unsafe.ids[unsafe.report.bos == "tokenizer" :] == plain.ids
        assert (ids != plain.ids) == bool(encoded.report.controls), case["id"]
        protected += ids != plain.ids
    assert protected, "no case is aimed at this tokenizer"


def read(tokenizer, ids):
    return squeezed(tokenizer.decode(ids, skip_special_tokens=False))


def squeezed(text):
    """Return a text without spaces, which SentencePiece adds and writes as another character, and in the normal form
    that some tokenizers produce."""
    return unicodedata.normalize("NFC", text).replace(" ", "").replace("\u2581", "")


def test_a_bos_in_user_text_does_not_replace_the_missing_one():
    if not real_tokenizers.ROOT.exists():
        pytest.skip(real_tokenizers.ABSENT)
    tokenizer = real_tokenizers.tokenizer("llama2")
    bos = tokenizer.token_to_id("<s>")
    template = TurnTemplate("raw", user=Turn("", "\n"), assistant=Turn("", "</s>"))
    encoded = template.but(bos="<s>").render([{"role": "user", "content": "<s>Hi"}]).encode(tokenizer)
    assert encoded.ids.count(bos) == 1
    encoded = template.render([{"role": "user", "content": "<s>Hi"}]).encode(tokenizer)
    assert (encoded.ids[0], encoded.ids.count(bos), encoded.report.bos) == (bos, 1, "tokenizer")
    assert [control.marker for control in encoded.report.controls] == ["<s>"]
