"""A loaded plugin, ready to be queried.

Each has its own pluggy manager, so that one plugin's faults never affect another.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import TYPE_CHECKING, Any, get_args

from pluggy import PluginManager

from lect.contain import Contained, StageError, format_error
from lect.errors import PluginError, PluginWarning, did_you_mean, near_names, saferepr, warn_caller
from lect.format.template import Template
from lect.registry import hookspecs
from lect.registry.refs import ModelRef, parse_ref, words_of
from lect.values import Kind, Match, Specificity, adapter_label

if TYPE_CHECKING:
    from lect.reply.grammar import ReplyFormat
    from lect.reply.reply import Reply

LONGEST_CLAIM = 300
"""How much of a claim a message shows."""


class Adapter:
    """A plugin that speaks for a family of models.

    Its hooks may raise or return anything: what is wrong becomes a `StageError` here; `postprocess` never raises.

    One that was registered in this process has no `package` and no `version`; `find` finds any other by its id.
    """

    def __init__(
        self,
        plugin: Any,
        name: str,
        package: str = "",
        version: str = "",
        fallback: bool = False,
        find: Callable[[str], Adapter] | None = None,
    ):
        self.name, self.package, self.version, self.fallback = name, package, version, fallback
        self.plugin, self._find = plugin, find
        manager = PluginManager(hookspecs.PROJECT)
        manager.add_hookspecs(hookspecs)
        manager.register(plugin, "plugin")
        for problem in _hook_problems(plugin, {caller.name for caller in manager.get_hookcallers(plugin) or ()}):
            raise PluginError(problem)
        self._hooks = manager.hook

    @property
    def id(self) -> str:
        """The adapter's unique name: `lect-acme:acme`; just the name for one registered in this process."""
        return f"{self.package}:{self.name}" if self.package else self.name

    def __reduce__(self) -> tuple[Any, ...]:
        # An installed adapter is pickled by its id; a registered one with its plugin.
        return (Adapter, (self.plugin, self.name)) if self._find is None else (self._find, (self.id,))

    def __str__(self) -> str:
        return adapter_label(self.name, self.package, self.version)

    def __repr__(self) -> str:
        return f"<Adapter {self.id}>"

    def alias(self, ref: ModelRef) -> ModelRef | None:
        """Return the model of a hub that a name stands for, if the adapter knows it."""
        with Contained("alias"):
            meant = self._hooks.alias(model_path=ref.model_path, ref=ref)
            named = None if meant is None else parse_ref(meant)
            if named is not None and (named.owner is None or named.path != meant):
                raise _unexpected("alias", meant, "'owner/name' or None")
            return named and named._replace(original=ref.original, alias=self.id)

    def locate(self, ref: ModelRef) -> str:
        """Return the place on disk of a model whose path has the adapter's scheme."""
        with Contained("alias"):
            place = self._hooks.alias(model_path=ref.original, ref=ref)
            if not isinstance(place, str) or not os.path.isabs(place):
                raise _unexpected("alias", place, "a directory")
            return place

    def match(self, ref: ModelRef) -> Match | None:
        """Return the adapter's claim to a model."""
        with Contained("match"):
            return _read_claim(next(iter(self._hooks.match(model_path=ref.model_path, ref=ref)), None), ref)

    def get_template(self, ref: ModelRef, match: Match) -> Template:
        """Return the adapter's template for a model."""
        with Contained("get_template"):
            if not self._hooks.get_template.get_hookimpls():
                raise PluginError("it knows what other names stand for, and has no templates\n  try: lect templates")
            template = self._hooks.get_template(model_path=ref.model_path, ref=ref, match=match)
            if not isinstance(template, Template):
                raise _unexpected("get_template", template, "a Template")
            return template

    def list_templates(self) -> dict[str, Template]:
        """Return the adapter's templates by name."""
        templates: dict[str, Template] = {}
        with Contained("list_templates"):
            for template in (template for listed in self._hooks.list_templates() for template in listed):
                if not isinstance(template, Template) or templates.setdefault(template.name, template) is not template:
                    raise _unexpected("list_templates", template, "templates, each with its own name")
        return templates

    def remarks(self, ref: ModelRef, template: Template) -> list[str]:
        """Return the adapter's remarks on a model and the template that it got."""
        with Contained("remarks"):
            lists = self._hooks.remarks(model_path=ref.model_path, ref=ref, template=template)
            return [str(remark) for remarks in lists for remark in remarks]

    def near_miss(self, ref: ModelRef) -> str:
        """Return how close the adapter came to claiming a model; empty if it does not say."""
        with Contained("near_miss"):
            return str(self._hooks.near_miss(model_path=ref.model_path, ref=ref) or "")

    def reply_format(self, ref: ModelRef) -> ReplyFormat | None:
        """Return how a model writes its replies, if the adapter knows."""
        from lect.reply.grammar import ReplyFormat

        with Contained("get_reply_format"):
            found = self._hooks.get_reply_format(model_path=ref.model_path, ref=ref)
            if found is not None and not isinstance(found, ReplyFormat):
                raise _unexpected("get_reply_format", found, "a ReplyFormat or None")
            return found

    def postprocess(self, reply: Reply, template: Template, ref: ModelRef) -> Reply:
        """Return a reply as refined by the plugin's own hook; unchanged if there is none or it fails."""
        try:
            with Contained("postprocess"):
                refined = self._hooks.postprocess(text=reply.raw, template=template, ref=ref, reply=reply)
                if isinstance(refined, str):
                    return reply._replace(content=refined)
                if refined is not None and not isinstance(refined, type(reply)):
                    raise _unexpected("postprocess", refined, "a Reply, a text or None")
                return refined or reply
        except StageError as failed:  # the model's output must not be lost over it
            what = f"{self} failed in postprocess: {format_error(failed.error)}"
            warn_caller(f"{what}\n  try: lect doctor", PluginWarning)
            return reply


def _hook_problems(plugin: Any, hooks: set[str]) -> Iterator[str]:
    known = hookspecs.HOOKS
    for hook in sorted(hooks - known):
        hint = did_you_mean(near_names(hook, known), f"the hooks are {', '.join(sorted(known))}")
        yield f"there is no hook {hook!r}; {hint}"
    for name in sorted((known - hooks).intersection(dir(plugin))):
        found = getattr(plugin, name)
        # A module may import a function of that name, such as `re.match`.
        if callable(found) and (not isinstance(plugin, ModuleType) or found.__module__ == plugin.__name__):
            yield f"{name}() has the name of a hook, and no @hookimpl\n  try: @lect.plugin.hookimpl, or another name"
    if not hooks:
        yield "it has no hooks\n  try: decorate match() and get_template() with @lect.plugin.hookimpl"
    if "match" in hooks and "get_template" not in hooks:
        yield "it has match() but no get_template()"


def _unexpected(hook: str, returned: object, expected: str) -> PluginError:
    return PluginError(f"{hook}() returned {saferepr(returned)}; expected {expected}")


def _read_claim(returned: object, ref: ModelRef) -> Match | None:
    """Return the claim that an adapter made, which must rest on something in the path; None if it made none."""
    if returned is None or returned is False:
        return None
    if returned is True:
        return Match(Specificity.FAMILY, "", reason="match() returned True")
    if not isinstance(returned, Match):
        raise _unexpected("match", returned, "a Match, True, False or None")
    if problem := _problem_of(returned, ref):
        raise PluginError(f"match() returned {saferepr(returned, LONGEST_CLAIM)}; {problem}")
    return returned


def _problem_of(claim: Match, ref: ModelRef) -> str:
    """Return which field of a claim has the wrong type, or why it is unfounded; empty if nothing is wrong.

    Without this a plugin could claim every model as strongly as a family claims its own.
    """
    specificity, literal, template, kind, reason = tuple[object, ...](claim)
    if not isinstance(specificity, Specificity) or not isinstance(literal, str):
        return "expected a Specificity and a text"
    if not isinstance(template, str) or not isinstance(reason, str):
        return "expected texts for template and reason"
    if kind not in get_args(Kind):
        return f"the kind is {saferepr(kind)}; expected one of {', '.join(map(repr, get_args(Kind)))}"
    literal, path = claim.literal.lower(), ref.path.lower()
    if claim.specificity is Specificity.REPO and literal != path:
        return f"REPO rests on the whole of {saferepr(ref.path)}"
    if not literal and claim.specificity in (Specificity.NAME, Specificity.TOKEN):
        return f"{claim.specificity.name} rests on a part of the path"
    if literal in path:
        return ""
    # The words that a rule's pattern matched are in the name in this order, perhaps with others between them.
    wanted, rest = words_of(literal), iter(ref.words)
    is_there = wanted and all(word in rest for word in wanted)
    return "" if is_there else f"{saferepr(claim.literal)} is not in the path"
