"""The checks of `lect doctor MODEL --ids FILE`: token ids that were trained on, or sent."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from lect.addon import Decoder, commands, encoder_of
from lect.errors import LectError, MessageError, saferepr
from lect.plugin import boundary
from lect_tokens.checks import CHAT, Result, count_leading, encoding_failure, joined, quoted, written_markers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lect import Prompt, Template

QUESTION = CHAT[:1]
BY_LECT = "prompt.encode(tokenizer)"
CONTROL = "\0"
"""Put in the place of control tokens."""


class Sample(NamedTuple):
    """Token ids, and what is known about how they should look."""

    ids: list[int]
    prompt: Prompt
    """The plainest prompt in the format."""
    written: list[str]
    """The markers that every prompt has."""
    known: dict[str, int]
    """The ids of markers and stops."""
    tokenizer: Any
    is_read: bool = False
    """Whether the template writes these very turns so: then nothing that it usually writes is missing."""

    def ordinary(self) -> str:
        """Return the text that ordinary tokens spell."""
        if self.tokenizer is None:
            return ""
        controls, decoder = encoder_of(self.tokenizer).control_ids, Decoder(self.tokenizer)
        runs = (run for is_control, run in groupby(self.ids, controls.__contains__) if not is_control)
        return CONTROL.join(decoder.feed(run) + decoder.rest()[0] for run in runs)


def read_ids(path: str) -> list[int]:
    """Return the token ids in a JSON file, or in standard input."""
    ids = commands.read_json(path)
    if not (isinstance(ids, list) and ids and all(type(each) is int and each >= 0 for each in ids)):
        raise MessageError(
            f"{saferepr(path)} holds {saferepr(ids)}; expected a list of token ids\n"
            "  try: json.dump(encoded.ids, file), or json.dump(row['input_ids'], file)"
        )
    return ids


@boundary
def check_ids(template: Template, ids: list[int], tokenizer: Any) -> list[Result]:
    """Check all that could be wrong with token ids for a template; with their tokenizer, they are read back."""
    try:
        prompt = template.render(QUESTION, add_generation_prompt=True)
        answered = {*written_markers(template.render(CHAT))} - {*template.edges().turn_marks.own}
    except LectError as error:
        return [encoding_failure(error)]
    stated = {**template.markers, **template.stop}
    known = {text: each for text, each in stated.items() if isinstance(each, int)}
    if tokenizer is not None:
        unknown = [each for each in dict.fromkeys(ids) if tokenizer.id_to_token(each) is None]
        if unknown:
            what = f"the tokenizer has no such ids: {joined([str(each) for each in unknown])}"
            return [Result("ids", "wrong", what, "the tokenizer that they were made with")]
        known |= encoder_of(tokenizer).controls
    written = [text for text in written_markers(prompt) if text in answered]
    sample = Sample(ids, prompt, written, known, tokenizer)
    if tokenizer is None:
        return [bos(sample), *markers(sample), stop(sample), UNREAD]
    # Not above: `lect --help` imports this module too.
    from lect_tokens.read_back import turns

    read = turns(template, behind_bos(sample), tokenizer)
    sample = sample._replace(is_read=all(result.status != "wrong" for result in read))
    return [bos(sample), *markers(sample), *read]


def bos(sample: Sample) -> Result:
    """Check that there is exactly one BOS."""
    written = sample.prompt.template.bos
    opening = [] if sample.tokenizer is None else encoder_of(sample.tokenizer).opening
    is_written = bool(written) and sample.prompt.text.startswith(written)
    if is_written and written not in sample.known:
        return Result("BOS", "note", f"the template writes {written!r}, whose id is not known")
    if not is_written and sample.tokenizer is None:
        return Result("BOS", "note", "the template writes none; with --tokenizer, what it adds is checked too")
    if not (is_written or opening):
        return Result("BOS", "ok", "there is none: neither the template nor the tokenizer writes one")
    first, who = (sample.known[written], "template writes") if is_written else (opening[0], "tokenizer adds")
    count = count_leading(sample.ids, first)
    if count > 1:
        what = f"the ids begin with {count} BOS tokens ({first}), but the {who} one"
        return Result("BOS", "wrong", what, f"{BY_LECT}, or add_special_tokens=False where the text is encoded")
    if not count:
        what = f"the ids begin with {sample.ids[0]}, and not with {first}, which the {who}"
        # In transformers, apply_chat_template lets the template decide.
        return Result("BOS", "wrong" if is_written and not sample.is_read else "note", what, BY_LECT)
    return Result("BOS", "ok", f"exactly one ({first})")


def behind_bos(sample: Sample) -> list[int]:
    """Return the ids without what the tokenizer puts before a text; of several BOS only the last, the template's."""
    written, ids = sample.prompt.template.bos, sample.ids
    if written and sample.prompt.text.startswith(written):
        return ids[max(count_leading(ids, sample.known.get(written, -1)) - 1, 0) :]
    opening = [*encoder_of(sample.tokenizer).opening]
    if opening and ids[: len(opening)] == opening:
        return ids[len(opening) :]
    return ids[count_leading(ids, opening[0]) :] if opening else ids


def markers(sample: Sample) -> Iterator[Result]:
    """Look for the markers that every prompt has, and for text that spells one."""
    ordinary = sample.ordinary()
    written = [text for text in sample.written if text in sample.known]
    lost = [text for text in written if sample.known[text] not in sample.ids]
    split = [text for text in lost if text in ordinary]
    absent = [f"{text!r} ({sample.known[text]})" for text in lost if text not in split and not sample.is_read]
    if split:
        advice = f"{BY_LECT}, with a tokenizer in which `lect doctor` finds nothing wrong"
        yield Result("markers", "wrong", f"split into several tokens: {quoted(split)}", advice)
    if absent:
        what = f"not there, though the template writes them in every prompt: {joined(absent)}"
        advice = "--tokenizer, to see what is there" if sample.tokenizer is None else "the model of these ids"
        yield Result("markers", "wrong", what, advice)
    if not split and not absent:
        what = f"one token each: {quoted(written)}" if written else "the format has none with ids"
        yield Result("markers", "ok", what)
    spelled = [text for text in sample.known if text in ordinary and text not in lost]
    if spelled:
        yield Result("text", "note", f"ordinary tokens spell {quoted(spelled)}, as safe encoding writes a user's text")


def stop(sample: Sample) -> Result:
    """Look for a stop, and say what is not known without a tokenizer."""
    stop_ids = list(sample.prompt.template.stop_ids)
    if not sample.prompt.template.stop:
        return Result("stop", "note", "the template lists none")
    if set(stop_ids) & set(sample.ids):
        return Result("stop", "ok", "there is one")
    return Result("stop", "note", f"none of {stop_ids} is there, which is right only if there are no answers")


UNREAD = Result(
    "turns",
    "note",
    "not checked: the roles and their order, what is between turns, a stop after every answer, the generation prompt",
    "--tokenizer, with which the ids are read back",
)
