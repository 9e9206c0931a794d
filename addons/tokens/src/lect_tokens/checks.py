"""The checks of `lect doctor MODEL --tokenizer DIR`: whether a template and a tokenizer belong together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from lect import LossPolicy, Origin
from lect.addon import alike, encoder_of
from lect.errors import LectError
from lect.plugin import boundary

if TYPE_CHECKING:
    from lect import Encoded, Prompt, Segment, Template
    from lect.addon import Encoder

CHAT = [
    {"role": "user", "content": "What is one?"},
    {"role": "assistant", "content": "One."},
    {"role": "user", "content": "And two?"},
    {"role": "assistant", "content": "Two."},
]
OTHER_TOKENIZER = "the tokenizer.json of the model's own repository; this one is another model's, or lacks tokens"
MOST_LISTED = 8


class Result(NamedTuple):
    """The result of a check."""

    name: str
    """What was checked."""
    status: Literal["ok", "note", "wrong"]
    """Whether it is right."""
    what: str
    """What was found."""
    advice: str = ""
    """What to do about it."""


class Fixture(NamedTuple):
    """A template and a tokenizer, with a conversation of two rounds as they render and encode it."""

    template: Template
    tokenizer: Any
    encoder: Encoder
    prompt: Prompt
    encoded: Encoded


@boundary
def check_tokenizer(template: Template, tokenizer: Any) -> list[Result]:
    """Check all that could be wrong with a tokenizer for a template."""
    try:
        prompt = template.render(CHAT)
        encoded = prompt.encode(tokenizer, policy=LossPolicy(), strict=False)
    except LectError as error:
        return [encoding_failure(error)]
    fixture = Fixture(template, tokenizer, encoder_of(tokenizer), prompt, encoded)
    checks = (bos, markers, ids, stop, generation_prompt, history, safety)
    return [check(fixture) for check in checks]


def encoding_failure(error: LectError) -> Result:
    """Report that nothing could be checked."""
    what, _, advice = str(error).partition("\n  try: ")
    return Result("conversation", "wrong", f"the plainest one cannot be encoded: {what}", advice)


def bos(fixture: Fixture) -> Result:
    """Check that there is exactly one BOS."""
    written = fixture.template.bos if fixture.prompt.text.startswith(fixture.template.bos) else ""
    opening = fixture.encoder.opening
    if written and written not in fixture.encoder.controls:
        return Result("BOS", "wrong", f"the template writes {written!r}, which is not a token here", OTHER_TOKENIZER)
    if not (written or opening):
        return Result("BOS", "ok", "there is none: neither the template nor the tokenizer writes one")
    first = fixture.encoder.controls[written] if written else opening[0]
    count = count_leading(fixture.encoded.ids, first)
    if count != 1:
        return Result("BOS", "wrong", f"a prompt begins with {count} BOS tokens", "template.but(bos='')")
    if not written:
        texts = quoted(fixture.encoder.control_ids.get(each, str(each)) for each in opening)
        what = f"exactly one: the tokenizer adds {texts}, the template writes none"
        return Result("BOS", "ok", what, "prompt.encode(tokenizer), or encode prompt.text with special tokens added")
    what = f"exactly one: the template writes {written!r}"
    if not opening:
        return Result("BOS", "ok", what)
    what += ", and the tokenizer would add another to the text"
    return Result("BOS", "ok", what, "prompt.encode(tokenizer), or encode prompt.text with add_special_tokens=False")


def count_leading(ids: Sequence[int], first: int) -> int:
    """Return how often an id is repeated at the beginning of a list."""
    return next((index for index, each in enumerate(ids) if each != first), len(ids))


def markers(fixture: Fixture) -> Result:
    """Check that each marker that the template writes is one token."""
    written = written_markers(fixture.prompt)
    missing = [text for text in written if text not in fixture.encoder.controls]
    stated = [text for text in missing if fixture.template.markers[text] is not None]
    if not written:
        return Result("markers", "ok", "the template writes none")
    if stated or (len(missing) == len(written) and not fixture.template.text_separators):
        what = f"split into several tokens: {quoted(stated or missing)}"
        return Result("markers", "wrong", what, OTHER_TOKENIZER)
    if missing:
        return Result("markers", "ok", f"one token each, except for plain text: {quoted(missing)}")
    return Result("markers", "ok", f"one token each: {quoted(written)}")


def written_markers(prompt: Prompt) -> list[str]:
    """Return the markers that the template itself writes in a prompt."""
    pattern = prompt.template.markers.pattern
    if pattern is None:
        return []
    own = "".join(segment.text if is_own(segment) else "\0" for segment in prompt.segments)
    return list(dict.fromkeys(match[0] for match in pattern.finditer(own)))


def is_own(segment: Segment) -> bool:
    """Return whether a segment is the template's own; it knows the roles, which may be part of a marker."""
    return segment.origin is Origin.TEMPLATE or (segment.path[:1] == ("messages",) and segment.path[2:] == ("role",))


def ids(fixture: Fixture) -> Result:
    """Compare the ids that the family states with the tokenizer's."""
    stated = stated_ids(fixture.template)
    there = fixture.encoder.control_ids
    other = [
        f"{each} is {there[each]!r}, not {quoted(dict.fromkeys(texts))}"
        for each, texts in stated.items()
        if each in there and there[each] not in texts
    ]
    if other:
        return Result("ids", "wrong", f"other than the model's: {joined(other)}", OTHER_TOKENIZER)
    lost = [text for text, each in fixture.template.stop.items() if each is not None and each not in there]
    if lost:
        what = f"a reply may end with a token that is not there: {quoted(lost)}"
        return Result("ids", "wrong", what, OTHER_TOKENIZER)
    absent = [text for text, each in fixture.template.markers.items() if isinstance(each, int) and each not in there]
    if absent:
        what = f"the tokenizer lacks markers of the model that a plain conversation does not need: {quoted(absent)}"
        return Result("ids", "note", what, OTHER_TOKENIZER)
    if not stated:
        return Result("ids", "note", "the template lists none, so there is nothing to compare")
    return Result("ids", "ok", f"the tokenizer has every id that the template states ({len(stated)})")


def stated_ids(template: Template) -> dict[int, list[str]]:
    """Return the ids that a template states with their texts; one token may have two texts."""
    known: dict[int, list[str]] = {}
    for text, each in [*template.markers.items(), *template.stop.items()]:
        numbers = enumerate(each) if isinstance(each, Sequence) else [(None, each)]
        for number, one in numbers:
            if one is not None:
                known.setdefault(one, []).append(text if number is None else text.replace("{}", str(number), 1))
    return known


def stop(fixture: Fixture) -> Result:
    """Check that every answer ends with one token that is trained."""
    template, text = fixture.template, fixture.prompt.text
    answers = [turn for turn in fixture.prompt.turns if CHAT[turn.message]["role"] == "assistant"]
    ends = [_end_of(text, turn.begin, turn.stop, turn.end, CHAT[turn.message]["content"]) for turn in answers]
    without_stop = [start == end for start, end in ends]
    if without_stop[-1] and not any(without_stop[:-1]):
        what = "the last answer has none, because the format writes it with the next turn"
        return Result("stop", "note", what, "prompt.encode with a LossPolicy, or unroll='auto', which add it")
    if any(without_stop):
        what = "answers end without one, so a model never learns to stop"
        advice = "unroll='always', which adds it" if template.stop_ids else "another template"
        return Result("stop", "wrong", what, advice)
    for start, end in ends:
        weights = [
            weight
            for (begin, behind), weight in zip(fixture.encoded.offsets, fixture.encoded.weights, strict=True)
            if begin < end and behind > start
        ]
        if not all(weights):
            return Result("stop", "wrong", f"{text[start:end]!r} carries no loss, so a model never learns to stop")
        if len(weights) > 1 or text[start:end] not in fixture.encoder.controls:
            is_plain = template.text_separators and template.stop.get(text[start:end]) is None
            what = f"{text[start:end]!r} is not a token of its own"
            return Result("stop", "note" if is_plain else "wrong", what, "" if is_plain else OTHER_TOKENIZER)
    texts = dict.fromkeys(text[start:end] for start, end in ends)
    if text[slice(*ends[-1])] not in template.stop:
        what = f"one token with loss after every answer, {quoted(texts)}, but the template does not list it as a stop"
        return Result("stop", "note", what, f"give it to your engine too, or template.but(stop={list(texts)})")
    return Result("stop", "ok", f"one token with loss after every answer: {quoted(texts)}")


def _end_of(text: str, begin: int, stop: int, end: int, answer: str) -> tuple[int, int]:
    """Return the span of the text that ends an answer: a stop of the template, or what else it writes."""
    if stop < end:
        return stop, end
    behind = text[text.rfind(answer, begin, end) + len(answer) : end]
    end -= len(behind) - len(behind.rstrip())
    return end - len(behind.strip()), end


def generation_prompt(fixture: Fixture) -> Result:
    """Check that what is trained begins with what a server sends."""
    name, template = "generation prompt", fixture.template
    served = template.render(CHAT[:1], add_generation_prompt=True)
    trained = template.render(CHAT[:2])
    if not trained.text.startswith(served.text):
        at = alike(served.text, trained.text)
        writes, expected = trained.text[at : at + 24], served.text[at : at + 24]
        what = f"an answer begins with {writes!r} where the prompt has {expected!r}"
        what += ", so one sequence for all answers is not what a server sends"
        return Result(name, "note", what, "unroll='auto', which trains what the model writes after the prompt")
    sent = served.encode(fixture.tokenizer).ids
    if trained.encode(fixture.tokenizer, policy=LossPolicy(), strict=False).ids[: len(sent)] != sent:
        return Result(name, "wrong", "the ids that are trained do not begin with those that a server sends")
    return Result(name, "ok", "what is trained begins with it, in text and in ids")


def history(fixture: Fixture) -> Result:
    """Check that a conversation that goes on only adds to its prompt."""
    if fixture.template.prefix_stable:
        return Result("history", "ok", "another turn only adds to the prompt")
    what = "it does not show an answer as the model writes it"
    return Result("history", "note", what, "template.unroll(messages), which trains each answer as the model writes it")


def safety(fixture: Fixture) -> Result:
    """Check whether a user could write what separates the turns."""
    if fixture.template.text_separators:
        what = "turns are separated by plain text, so a user's cannot be told from the template's"
        return Result("safety", "note", what, "on_control='raise', which refuses such text")
    plain = [text for text in written_markers(fixture.prompt) if text not in fixture.encoder.controls]
    if plain:
        return Result("safety", "note", f"plain text, which a user can write too: {quoted(plain)}")
    return Result("safety", "ok", "only the template can write control tokens, with prompt.encode")


def quoted(texts: Iterable[str]) -> str:
    """Return texts for a message; only the first ones if there are many."""
    return joined([repr(text) for text in texts])


def joined(words: list[str]) -> str:
    """Return words for a message; only the first ones if there are many."""
    more = len(words) - MOST_LISTED
    return ", ".join(words[:MOST_LISTED]) + (f" and {more} more" if more > 0 else "")
