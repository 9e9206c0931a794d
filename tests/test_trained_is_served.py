"""What is trained is what the model writes on a server: after the same prompt, in one piece, up to its one stop, and
read back as it was meant. An answer of which that is not true is reported."""

import json
import random
from itertools import pairwise

import differential
import hostile
import pytest
from sampling import STRESS, in_turn
from sessions import bare, heard, inside_markers, meant, options_of, random_session, tools_for
from shared import SHARED
from together import together

import lect
from lect import LossPolicy
from lect.format.call_ids import respelled

TEMPLATES = hostile.installed()
ORACLES = SHARED / "oracles"
INDEX = differential.reference().INDEX if ORACLES.exists() else {}
SEEDS = range(12 if STRESS else 4)
REPORTED = ("left_out", "no_stop", "differs")


def faults(template, messages, tools, options):
    """Yield what is trained in silence otherwise than it is served."""
    prompts = template.unroll(messages, tools=tools, **options)
    reported = {each.message for prompt in prompts for each in prompt.deviations if each.kind in REPORTED}
    trained = set()
    for prompt in prompts:
        spans = {}
        for span in prompt.loss_spans(LossPolicy()):
            spans.setdefault(span.message, []).append(span)
        for turn in prompt.turns:
            if turn.message not in spans:
                continue
            trained.add(turn.message)
            if turn.message in reported:
                continue
            found = spans[turn.message]
            if not template.text_separators and {edge for span in found for edge in span[:2]} & inside_markers(prompt):
                yield turn.message, "it begins or ends inside a marker", prompt.text
            start, end = found[0].start, found[-1].end
            if any(one.end != other.start for one, other in pairwise(found)):
                yield turn.message, "it is not in one piece", prompt.text[start:end]
            if prompt.text[:start] != template.text(
                messages[: turn.message], tools=tools, add_generation_prompt=True, **options
            ):
                yield turn.message, "a server sends another prompt", prompt.text[:end][-80:]
            said = prompt.text[start:end]
            stops = [stop for stop in template.edges().turn_marks.stops if stop in said]
            if found[-1].kind != "stop" or any(stop in prompt.text[start : found[-1].start] for stop in stops):
                yield turn.message, "it has not one stop, at its end", said
            reply = template.parse(said, prompt=prompt.text[:start], tools=tools)
            if bare(heard(reply)) != bare(meant(messages[turn.message])):
                yield turn.message, "it is read otherwise than it was meant", said
    answers = {index for index, message in enumerate(messages) if message["role"] == "assistant"}
    for index in answers - trained - reported:
        yield index, "it is not trained, and not reported", ""


def check(template, seed):
    for number in SEEDS:
        messages = respelled(random_session(random.Random(f"{seed}{number}")), template.reply)
        for options in options_of(template):
            try:
                found = list(faults(template, messages, tools_for(messages), options))
            except lect.MessageError:
                continue  # The format refuses the session.
            assert found == []


@together("name", in_turn(sorted(TEMPLATES), 3))
def test_a_format_trains_what_is_served(name):
    check(TEMPLATES[name], name)


@together("name", sorted(name for name, template in TEMPLATES.items() if template.edges().marks.close))
def test_no_reasoning_that_is_stored_in_the_content_is_lost_in_silence(name):
    template = TEMPLATES[name]
    marks = template.edges().marks
    content = f"{marks.open[0]}\nTwo and two.\n{marks.close[0]}\n\nFour."
    messages = [{"role": "user", "content": "2 + 2?"}, {"role": "assistant", "content": content}]
    for options in options_of(template):
        try:
            prompts = template.unroll(messages, **options)
        except lect.MessageError:
            continue  # The format refuses it.
        reported = any(each.kind in REPORTED for prompt in prompts for each in prompt.deviations)
        trained = "".join(prompt.text[span.start : span.end] for prompt in prompts for span in prompt.loss_spans())
        assert reported or ("Two and two." in trained and "Four." in trained)


def test_reasoning_that_is_stored_in_the_content_is_trained_as_the_model_wrote_it():
    answer = {"role": "assistant", "content": "<think>\nTwo and two.\n</think>\n\nFour."}
    (prompt,) = lect.get_template("Qwen/Qwen3-8B").unroll([{"role": "user", "content": "2 + 2?"}, answer])
    assert prompt.deviations == ()
    trained = "".join(prompt.text[span.start : span.end] for span in prompt.loss_spans())
    assert trained == f"{answer['content']}<|im_end|>"


# A few templates have `'\\s'` in them, or write calls that no format reads.
@pytest.mark.filterwarnings("ignore:invalid escape sequence", "ignore::lect.errors.ReplyFormatWarning")
@pytest.mark.parametrize("slug", in_turn(sorted(INDEX), 12) or [None])
def test_a_makers_own_template_trains_what_is_served(slug, tmp_path):
    if slug is None:
        pytest.skip("the makers' templates are not available: ../shared is missing")
    tokens = {name: text for name, text in (INDEX[slug]["special_tokens"] or {}).items() if isinstance(text, str)}
    configuration = {"chat_template": differential.maker_source(slug), **tokens}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(configuration), "utf-8")
    check(lect.load_template(tmp_path), slug)
