"""Which family a model's own template belongs to: one that is proven to write the same prompts, or none."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import lect
from lect.errors import LectError, UnknownTemplateError, saferepr
from lect.plugin import install_command
from lect_jinja.files.found import DEFAULT, ModelFiles
from lect_jinja.files.tokens import markers_of
from lect_jinja.files.untrusted import ModelFileError
from lect_jinja.identity.knowledge import named_by_text, named_by_tree
from lect_jinja.replies.choice import Guess, guess
from lect_jinja.replies.formats import first_prompts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lect.plugin import Difference, Template
    from lect_jinja.identity.compare import Behaviour
    from lect_jinja.identity.template import JinjaTemplate


_MARKER = re.compile(r"<\|[^|<>\s]{1,40}\|>|<｜[^｜<>\s]{1,40}｜>|\[/?[A-Z_]{2,20}\]|<</?[A-Z]{2,10}>>")
"""What looks like a special token in a template. Some are not, but still separate turns: `[INST]`."""
_TAG = re.compile(rf"{_MARKER.pattern}|<[^<>\s]{{1,40}}>")
"""The same, or a word in angle brackets, which is one where it ends an answer: `<end_of_turn>`."""
_SET = re.compile(r"\{%[-+]?\s*(?:set|macro)\s+(\w+)")


class Neighbour(NamedTuple):
    """One of our templates beside a model's own: where they first differ, None if no difference was found."""

    name: str
    difference: Difference | None

    def __str__(self) -> str:
        if self.difference is None:
            return f"{self.name}; no difference was found in the conversations tried, but the template is another"
        return f"{self.name}; first difference in {self.difference}"


class Identity(NamedTuple):
    """What is known about a model's own template.

    Attributes:
        template: How to talk to the model: a family's template, or its own.
        how: How that was found, in one line.
        family: The name of the family's template that is the same; empty if none is.
        reply: How the format of replies was chosen; empty where the template is asked when the first reply comes.
    """

    template: Template
    how: str
    family: str = ""
    reply: str = ""


def identify(found: ModelFiles, name: str) -> Identity:
    """Return which family the template of a model belongs to, if any.

    Only equal texts and equal syntax trees are proof. Conversations on which two templates agree are not: they decide
    which family is named as the nearest, and who else knows what the template's text does not say.

    Args:
        found: What the model's files say.
        name: What the template is called if it belongs to no family.
    """
    known = named_by_text(found.source, found.tokens)
    template = _installed(known) if known else None
    if template is not None:
        return _of_a_family(found, known, template, "is exactly a template of {}")
    own, reply = own_template(found, name), ""
    known = known or named_by_tree(own.tree, found.source, found.tokens)
    template = _installed(known) if known else None
    if template is not None:
        return _of_a_family(found, known, template, "is a template of {}, with another layout")
    if alike := _alike(own):
        own, reply = _with_shared(own, found, alike)
    how = f"{found.origin} is a template of its own"
    if known:
        package = f"lect-{known.partition(':')[0]}"
        how = f"{found.origin} is a template of {known}, which is not installed\n  try: {install_command(package)}"
    return Identity(own, how, reply=reply)


def nearest(own: Template) -> Neighbour | None:
    """Return the template of ours that is nearest to a model's own; None if none begins as it does.

    Every template that may be it is loaded for that.
    """
    from lect_jinja.identity.compare import depth

    behaviour, known = _behaviour(own), _known_prompts()
    templates = ((name, _installed(name)) for name in behaviour.nearest_of(known))
    neighbours = [Neighbour(name, behaviour.difference(each)) for name, each in templates if each is not None]
    return max(neighbours, key=lambda each: depth(each.difference), default=None)


def _alike(own: JinjaTemplate) -> dict[str, Template]:
    """Return the templates of ours that no conversation tells from a model's own.

    Those whose first prompts are known to be others are not even loaded.
    """
    behaviour, known = _behaviour(own), _known_prompts()
    names = [name for name in known if behaviour.may_equal(known[name])]
    templates = {name: template for name in names if (template := _installed(name)) is not None}
    return {name: template for name, template in templates.items() if behaviour.difference(template) is None}


def _known_prompts() -> dict[str, list[str]]:
    """Return what is known of the first prompts of those of our templates that are installed."""
    declared = {f"{family}:{name}" for family, names in lect.templates().items() for name in names}
    return {name: prints for name, prints in first_prompts().items() if name in declared}


def _with_shared(own: JinjaTemplate, found: ModelFiles, alike: dict[str, Template]) -> tuple[JinjaTemplate, str]:
    """Return a model's own template with what all that are alike state, and how the format of replies was chosen.

    No byte of a prompt depends on that: stops, markers, the format of replies, what images are. Where the model lists
    its tokens, no others are added.
    """
    first, *others = alike.values()

    def joined(fact: str) -> dict[str, Any]:
        mine, theirs, *more = (getattr(each, fact) for each in (own, first, *others))
        shared = (text for text in theirs if text not in mine and all(text in each for each in more))
        return dict(mine) | {text: found.added.get(text) for text in shared if not found.added or text in found.added}

    changes: dict[str, Any] = {"stop": joined("stop"), "markers": joined("markers")}
    if all(each.media == first.media for each in others):
        changes["media"] = first.stated()["media"]
    reply = ""
    if first.reply is not None and all(each.reply == first.reply for each in others):
        changes["reply"] = first.reply
        reply = f"{first.reply.name!r}, as those of {next(iter(alike))}, which wrote the same prompts"
    return own.but(**changes), reply


def _of_a_family(found: ModelFiles, name: str, template: Template, how: str) -> Identity:
    reason = f"{found.origin} {how.format(name)}"
    return Identity(_with_facts(template, found), reason, name, reply="as the family defines them")


def _installed(name: str) -> Template | None:
    try:
        return lect.template(name)
    except UnknownTemplateError:
        return None


def _behaviour(own: Template) -> Behaviour:
    """Return what a model's own template does, with its options."""
    from lect_jinja.identity.compare import Behaviour

    return Behaviour(own, given_options(own))


def given_options(own: Template) -> list[str]:
    """Return the options that a model's own template reads and never sets itself, in any branch."""
    is_set = set(_SET.findall(getattr(own, "jinja", "")))
    return [option for option in own.options if option not in is_set]


# What the files say about tokens


def _with_facts(template: Template, found: ModelFiles) -> Template:
    """Return a family's template with the token ids and the stops that this model has, if they differ."""
    ids: Mapping[str, Any] = found.added if any(number is not None for number in found.added.values()) else {}
    stop = {text: ids.get(text) if ids else number for text, number in template.stop.items()}
    stop |= {text: number for text, number in found.stop.items() if text not in stop or number is not None}
    markers = {text: ids.get(text, number) for text, number in template.markers.items()}
    stop_ids = [*template.stated()["stop_ids"], *(each for each in found.stop_ids if each not in template.stop_ids)]
    control_tokens = [*template.control_tokens, *found.added]
    changed = template.but(stop=stop, stop_ids=stop_ids, markers=markers, control_tokens=control_tokens)
    return template if changed.stated() == template.stated() else changed


def own_template(found: ModelFiles, name: str, **stated: Any) -> JinjaTemplate:
    """Return a model's own template.

    Args:
        found: What the model's files say.
        name: What the template is called.
        stated: Facts that override those of the files, and other arguments of `JinjaTemplate`.

    Raises:
        ModelFileError: If it is not a template, or not one that may be run.
    """
    from lect_jinja.identity.template import JinjaTemplate

    guessed = guess(found)
    facts: dict[str, Any] = {"stop": found.stop, "stop_ids": found.stop_ids, "reply": guessed}
    if found.added:
        facts["markers"] = dict.fromkeys(_MARKER.findall(found.source)) | markers_of(found.added)
        facts["control_tokens"] = [*found.tokens.values(), *found.added]
    facts |= {"tokens": found.tokens, "source": os.path.join(found.path, found.origin), **stated}
    try:
        template = JinjaTemplate(name, found.source, **facts)
    except LectError as error:
        msg = f"{found.origin} in {saferepr(found.path, 200)} cannot be used: {error}"
        raise ModelFileError(msg, file=found.path) from error
    end = {} if "stop" in stated else _turn_end(template, guessed)
    return template.but(stop=found.stop | end) if end else template


def with_replies(template: JinjaTemplate, response_template: Any = None) -> JinjaTemplate:
    """Return a template that was read without a model's files, with what is known about its replies."""
    markers = dict.fromkeys(template.markers)
    found = ModelFiles("", {DEFAULT: template.jinja}, added=markers, response_template=response_template)
    guessed = guess(found)
    return template.but(reply=guessed, stop=dict(template.stop) | _turn_end(template, guessed))


def _turn_end(template: Template, guessed: Guess) -> dict[str, Any]:
    """Return the marker with which a template ends an answer: a model that was trained with it ends its reply there.

    A response template names more of them, and the marks that only close a part of a reply.
    """
    pattern, after = template.markers.pattern, template.edges().around_answer[1].lstrip()
    end = (pattern and pattern.match(after)) or _TAG.match(after)
    ends, closes = ([end[0]] if end else []), frozenset[str]()
    if isinstance(guessed.response, tuple):
        ends, closes = [*ends, *guessed.response.ends], guessed.response.closes
    return {each: template.markers.get(each) for each in ends if each not in closes and each not in template.stop}
