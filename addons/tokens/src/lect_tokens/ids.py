"""The checks of `lect doctor MODEL --ids FILE`: token ids that were trained on, or sent."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from lect.cli.inputs import read_json
from lect.errors import LectError, MessageError, saferepr
from lect.tokens.tokenizer import encoder_of
from lect_tokens.checks import CHAT, Result, count_leading, encoding_failure, joined, quoted, written_markers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lect import Prompt, Template

QUESTION = CHAT[:1]
BY_LECT = "prompt.encode(tokenizer)"
CONTROL = "\0"
"""Put on both sides of a control token, to tell it from ordinary tokens that spell the same."""


class Sample(NamedTuple):
    """Token ids, and what is known about how they should look."""

    ids: list[int]
    prompt: Prompt
    """The plainest prompt in the format."""
    known: dict[str, int]
    """The ids of markers and stops."""
    tokenizer: Any

    @property
    def controls(self) -> dict[int, str]:
        """The control tokens of the tokenizer."""
        return encoder_of(self.tokenizer).control_ids

    def spelled(self, ids: list[int]) -> str:
        """Return ids as text, with control tokens marked."""
        controls = self.controls
        text = ""
        for is_control, run in groupby(ids, controls.__contains__):
            if is_control:
                text += "".join(f"{CONTROL}{controls[each]}{CONTROL}" for each in run)
            else:
                text += self.tokenizer.decode(list(run), skip_special_tokens=False).replace(CONTROL, "")
        return text


def read_ids(path: str) -> list[int]:
    """Return the token ids in a JSON file, or in standard input."""
    ids = read_json(path)
    if not (isinstance(ids, list) and ids and all(type(each) is int and each >= 0 for each in ids)):
        msg = (
            f"{saferepr(path)} holds {saferepr(ids)}; expected a list of token ids\n"
            "  try: json.dump(encoded.ids, file), or json.dump(row['input_ids'], file)"
        )
        raise MessageError(msg)
    return ids


def check_ids(template: Template, ids: list[int], tokenizer: Any) -> list[Result]:
    """Check all that could be wrong with token ids for a template; with their tokenizer, more is checked."""
    try:
        prompt = template.render(QUESTION, add_generation_prompt=True)
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
    sample = Sample(ids, prompt, known, tokenizer)
    return [bos(sample), *markers(sample), stop(sample)]


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
        return Result("BOS", "wrong", what, BY_LECT)
    return Result("BOS", "ok", f"exactly one ({first})")


def markers(sample: Sample) -> Iterator[Result]:
    """Look for the markers that every prompt has, and for text that spells one."""
    # The text that ordinary tokens spell.
    ordinary = "" if sample.tokenizer is None else CONTROL.join(sample.spelled(sample.ids).split(CONTROL)[::2])
    written = [text for text in written_markers(sample.prompt) if text in sample.known]
    lost = [text for text in written if sample.known[text] not in sample.ids]
    split = [text for text in lost if text in ordinary]
    absent = [f"{text!r} ({sample.known[text]})" for text in lost if text not in split]
    if split:
        advice = f"{BY_LECT}, with a tokenizer in which `lect doctor` finds nothing wrong"
        yield Result("markers", "wrong", f"split into several tokens: {quoted(split)}", advice)
    if absent:
        what = f"not there, though the template writes them in every prompt: {joined(absent)}"
        advice = "--tokenizer, to see what is there" if sample.tokenizer is None else "the model of these ids"
        yield Result("markers", "wrong", what, advice)
    if not lost:
        what = f"one token each: {quoted(written)}" if written else "the format has none with ids"
        yield Result("markers", "ok", what)
    spelled = [text for text in sample.known if text in ordinary and text not in lost]
    if spelled:
        yield Result("text", "note", f"ordinary tokens spell {quoted(spelled)}, as safe encoding writes a user's text")


def stop(sample: Sample) -> Result:
    """Check that there is a stop after every answer."""
    stop_ids = list(sample.prompt.template.stop_ids)
    if not sample.prompt.template.stop:
        return Result("stop", "note", "the template lists none")
    if sample.tokenizer is None:
        if set(stop_ids) & set(sample.ids):
            return Result("stop", "ok", "there is one; with --tokenizer, every answer is checked")
        return Result("stop", "note", f"none of {stop_ids} is there, which is right only if there are no answers")
    question = QUESTION[0]["content"]
    # The text between a question and its answer, stripped of white space, in which decoders differ.
    begins = sample.spelled(sample.prompt.encode(sample.tokenizer).ids).rpartition(question)[2].strip()
    _, *answers = sample.spelled(sample.ids).split(begins) if begins else [""]
    if not answers:
        return Result("stop", "note", "no place was found where the assistant begins to speak")
    controls = sample.controls.values()
    stops = [f"{CONTROL}{text}{CONTROL}" if text in controls else text for text in sample.prompt.template.stop]
    answered = answers if answers[-1].strip() else answers[:-1]
    unterminated = [answer for answer in answered if not any(text in answer for text in stops)]
    if not answered:
        return Result("stop", "ok", "there is no answer yet")
    if not unterminated:
        return Result("stop", "ok", f"after every answer ({len(answered)})")
    what = f"none after {saferepr(unterminated[0].replace(CONTROL, '').strip(), 40)}"
    what += f" and {len(unterminated) - 1} more" if len(unterminated) > 1 else ""
    advice = f"end every answer with one of {stop_ids}, unless the model is to continue it"
    return Result("stop", "wrong", f"{what}: a model that is trained on this never learns to stop", advice)
