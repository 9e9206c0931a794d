"""Checks of what templates write."""

from __future__ import annotations

import pickle
import warnings
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

import lect
from lect.errors import ControlTextError, LectError, MessageError, PluginError, TemplateWarning
from lect_kit.base import SuiteBase, check
from lect_kit.conversations import QUESTION, ROUNDS, chat_message, conversations, dated
from lect_kit.fields import counted_fields, is_written, origin_problem
from lect_kit.raised import explained

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lect.format.prompt import Prompt
    from lect.format.template import Template


class PromptChecks(SuiteBase):
    """Each template writes what it is given, says what it left out, and changes nothing."""

    @check(
        "state `source`, the file and revision the format is from; `markers`, or `text_separators=True`; and `roles`"
    )
    def test_templates_state_their_facts(self) -> Iterator[str]:
        """A template says where its format is written down, which markers it has, and which roles."""
        for name, template in self.templates.items():
            if not template.source:
                yield f"{name} states no source"
            if not template.markers and not template.text_separators:
                yield f"{name} states neither markers nor text_separators"
            if not {"user", "assistant"} <= set(template.roles):
                yield f"{name} has the roles {template.roles}; expected 'user' and 'assistant' among them"

    @check("refuse what the format does not allow with `chat.refuse`; look before you take something out of a message")
    def test_templates_render(self) -> Iterator[str]:
        """Every template writes a question, and writes or clearly refuses whatever else it is given."""
        for name, template in self.templates.items():
            for case, arguments in conversations().items():
                try:
                    template.render(**arguments, **dated(template))
                except MessageError as error:
                    if case == "a question":
                        yield f"{name} refuses a plain question: {error}"
                except PluginError as error:
                    yield f"{name} crashes on {case}: {explained(error.__cause__ or error, self.subject.packages)}"

    @check("write the caller's text in pieces of its own, `out += a, b`, and keep nothing between two calls")
    def test_segments_join_to_the_text(self) -> Iterator[str]:
        """The segments are the prompt and name the field that each text is from; `text` gives the same bytes."""
        for name, case, template, arguments, prompt in self._prompts():
            if "".join(segment.text for segment in prompt.segments) != prompt.text:
                yield f"{name}: the segments of {case} are not its text"
            with warnings.catch_warnings():
                warnings.simplefilter("error", TemplateWarning)
                try:
                    again = {template.text(**arguments, **dated(template)) for _ in range(3)}
                except TemplateWarning as warning:
                    yield f"{name}: {warning}"
                    continue
            if again != {prompt.text}:
                yield f"{name}: text() gives {min(again - {prompt.text})!r} for {case}; render() gave {prompt.text!r}"
            for path, text in counted_fields(arguments):
                if problem := origin_problem(prompt, path, text):
                    yield f"{name}: {case}: {problem}"

    @check("do not change what you are given: copy it first")
    def test_nothing_is_mutated(self) -> Iterator[str]:
        """Rendering changes neither messages, tools and options, nor the template."""
        for name, template in self.templates.items():
            for case, arguments in conversations().items():
                stated = template.stated()
                with suppress(LectError):
                    template.render(**arguments, **dated(template))
                    template.text(**arguments, **dated(template))
                if arguments != conversations()[case]:
                    yield f"{name} changes what it is given: {case}"
                if template.stated() != stated:
                    yield f"{name} changes itself: {case}"

    @check("use `out.used` only for what is in the prompt in another form, and `out.by_rule` for what is left out")
    def test_unused_is_truthful(self) -> Iterator[str]:
        """Each field that is given is either in the prompt or in `unused`, and never in both."""
        for name, case, _, arguments, prompt in self._prompts():
            unused = [each.path for each in prompt.unused]
            for path, text in counted_fields(arguments):
                where = f"{name}: {case}: {'.'.join(map(str, path))} ({text!r})"
                is_listed = any(each in (path, path[: len(each)]) for each in unused)
                if is_listed and text in prompt.text:
                    yield f"{where} is in the prompt, and in `unused` too"
                elif not is_listed and not is_written(prompt, path, text):
                    yield f"{where} is neither in the prompt nor in `unused`"

    @check("write earlier turns as they were; say with `out.by_rule` what the maker drops of earlier answers")
    def test_a_new_turn_extends_the_prompt(self) -> Iterator[str]:
        """A conversation that goes on only adds to its prompt, unless `prefix_stable` says that it does not.

        Servers keep what they have computed for the beginning of a prompt, and training relies on it.
        """
        for name, template in self.templates.items():
            if not template.prefix_stable:
                continue
            with suppress(LectError):
                whole = template.text(ROUNDS, **dated(template))
                for count in (2, 4):
                    last = ROUNDS[count - 1]["content"]
                    shorter = template.text(ROUNDS[:count], **dated(template))
                    begun = "".join(shorter.rpartition(last)[:2])
                    if not whole.startswith(begun):
                        yield f"{name}: {count} messages give {begun!r}, and with more it is {whole[: len(begun)]!r}"

    @check(
        "name all control tokens in `markers`; where turns are separated by plain text, state `text_separators=True`"
    )
    def test_forged_turns_are_seen(self) -> Iterator[str]:
        """What a user types to imitate a turn is found as a control marker, or the template says that it cannot be."""
        for name, template in self.templates.items():
            with suppress(MessageError):
                prompt = template.render(ROUNDS[:4], **dated(template))
                if prompt.controls:
                    yield f"{name}: {prompt.controls[0].marker!r} is a marker, and occurs in {prompt.text!r}"
                between = [_between(prompt.text, index) for index in range(3)]
                if not template.text_separators and _is_unseen(template, "yes".join(["no", *between, "obey"])):
                    yield f"{name}: {between[0]!r} goes unnoticed when a user types it"

    @check("list the template in `list_templates`, and write its program as a function of a module")
    def test_resolutions_pickle(self) -> Iterator[str]:
        """What an example resolves to can be sent to another process."""
        if not self.examples:
            pytest.skip("the suite names no examples")
        for path in self.examples:
            try:
                resolution = lect.resolve(path, adapter=self.subject.adapter)
                again = pickle.loads(pickle.dumps(resolution))  # noqa: S301  # pickled on this line
            except Exception as error:  # pickle raises whatever the object does
                yield f"what {path!r} resolves to cannot be pickled: {type(error).__name__}: {error}"
                continue
            options = dated(resolution.template)
            if again.template.text([QUESTION], **options) != resolution.template.text([QUESTION], **options):
                yield f"what {path!r} resolves to writes something else after pickling"

    @check("give the constructor of the subclass all that `stated()` returns")
    def test_variants_write_the_same(self) -> Iterator[str]:
        """`template.but(name=..., stop=...)` differs in these and in nothing else."""
        for name, template in self.templates.items():
            variant = template.but(name="variant", stop=["<over>"])
            if (variant.name, list(variant.stop)) != ("variant", ["<over>"]):
                yield f"{name}: but(name='variant', stop=['<over>']) gives {variant.name!r}, {list(variant.stop)}"
            with suppress(LectError):
                texts = [each.text(ROUNDS[:2], **dated(template)) for each in (template, variant)]
                if texts[0] != texts[1]:
                    yield f"{name}: but() writes {texts[1]!r}; expected {texts[0]!r}"

    def _prompts(self) -> Iterator[tuple[str, str, Template, dict[str, Any], Prompt]]:
        """Yield each template's prompt for each conversation that it does not refuse."""
        for name, template in self.templates.items():
            for case, arguments in conversations().items():
                with suppress(LectError):
                    yield name, case, template, arguments, template.render(**arguments, **dated(template))


def _between(text: str, index: int) -> str:
    """Return what is between the texts of two messages; empty if the format drops one of them."""
    before, after = ROUNDS[index]["content"], ROUNDS[index + 1]["content"]
    return text.partition(before)[2].partition(after)[0] if before in text and after in text else ""


def _is_unseen(template: Template, typed: str) -> bool:
    """Return whether a template takes what a user types for ordinary text."""
    try:
        template.render([chat_message("user", typed)], on_control="raise", **dated(template))
    except ControlTextError:
        return False
    return True
