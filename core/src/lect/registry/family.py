"""Adapters as data: a table of names and templates, for the many families that need no more."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple, Self

from lect.boundaries import boundary
from lect.computed import computed
from lect.errors import PluginError, saferepr
from lect.format.template import Template
from lect.registry.hookspecs import hookimpl
from lect.registry.patterns import ANYTHING, Fit, added_words, matched_words, missed, problem_of
from lect.registry.refs import ModelRef
from lect.registry.words import meaning
from lect.values import Kind, Match, Specificity

if TYPE_CHECKING:
    from lect.reply.grammar import ReplyFormat


class LazyTemplate:
    """A template that is built on first use, because building it is slow.

    In a rule it stands for the template: `Rule("acme * chat", LazyTemplate("acme-chat", read_acme_chat))`.

    Args:
        name: The name of the template.
        make: A function that returns the template.
    """

    def __init__(self, name: str, make: Callable[[], Template]):
        self.name, self.make = name, make

    @computed
    def template(self) -> Template:
        """The template.

        Raises:
            PluginError: If the function returns something else.
        """
        made = self.make()
        if not isinstance(made, Template) or made.name != self.name:
            what = f"LazyTemplate({self.name!r}, ...) makes {saferepr(made)}"
            raise PluginError(f"{what}\n  try: return a Template called {self.name!r}")
        return made


_TEMPLATES = (Template, LazyTemplate)


class _Fields(NamedTuple):
    pattern: str
    template: "Template | LazyTemplate | ReplyFormat | None"
    kind: Kind
    note: str


class Rule(_Fields):
    """A rule of a family: which names get which template.

    Attributes:
        pattern: Words with which the name begins, `|` between alternatives, `?` before a word that may be absent, `#`
            for any number, `*` for any words between: `llama 2 # b chat`, `?meta llama 3.1|3.3`. A `.` at the end means
            that only numbers, packaging and adapters may follow: `phi 4 .`. A pattern that begins with `*` may fit
            anywhere in the name, which is a weaker claim; one with a `/` is a whole `owner/name`, the strongest. Words
            are those of `ModelRef.words`, so no word is ever found inside another.
        template: The template, or a `LazyTemplate`; a `ReplyFormat` for models of which only that is known; None for
            names that look like the family's but use another format.
        kind: `chat`, or `base` for a model that was not trained to chat; after a base model's name only sizes and
            packaging (`-hf-AWQ`) may follow, and a context length (`-8192`) only if the name says `base`.
        note: The reason, for people.

    Raises:
        PluginError: If the pattern cannot fit any name, or there is no such kind.
    """

    @boundary
    def __new__(
        cls, pattern: str, template: "Template | LazyTemplate | ReplyFormat | None", kind: Kind = "chat", note: str = ""
    ) -> Self:
        if problem := problem_of(pattern):
            raise PluginError(f"the rule {saferepr(pattern)} can never fit: {problem}")
        if kind not in ("chat", "base"):
            raise PluginError(
                f"the rule {saferepr(pattern)} has the kind {saferepr(kind)}; expected 'chat' or 'base'\n"
                "  try: 'chat' for every model that was trained to chat"
            )
        return super().__new__(cls, pattern, template, kind, note)

    @boundary
    def fit(self, ref: "ModelRef") -> Fit | None:
        """Return how the rule fits a name; None if it does not, or if what follows says that it is another model."""
        fit = matched_words(self.pattern, ref, self.kind)
        return None if fit is not None and fit.another and isinstance(self.template, _TEMPLATES) else fit


class Family:
    """An adapter built from rules; the first rule that fits a name decides.

    ```python
    from lect.plugin import CHATML, DEFAULT, Family, Rule

    adapter = Family("acme", Rule("acme * chat", CHATML), Rule("acme", DEFAULT, kind="base"))
    ```

    Args:
        name: The family.
        rules: The rules, from specific to general.
        templates: Further templates, which no rule names but users may ask for.
    """

    @boundary
    def __init__(self, name: str, *rules: Rule, templates: "Iterable[Template | LazyTemplate]" = ()):
        self.name, self.rules = name, rules
        every = (*(rule.template for rule in rules), *templates)
        self._templates = {each.name: each for each in every if isinstance(each, _TEMPLATES)}

    def __repr__(self) -> str:
        return f"<Family {self.name!r}: {len(self.rules)} rules, {len(self._templates)} templates>"

    @property
    def templates(self) -> dict[str, Template]:
        """All templates of the family by name."""
        return {name: _made(template) for name, template in self._templates.items()}

    @hookimpl
    def match(self, ref: "ModelRef") -> Match | None:
        """Return the claim of the first rule that fits."""
        rule, fit = self._fitting(ref)
        return None if rule is None or fit is None else _claim(rule, fit, ref)

    def _fitting(self, ref: "ModelRef") -> tuple[Rule, Fit] | tuple[None, None]:
        """Return the first rule that fits a name."""
        return next(((rule, fit) for rule in self.rules if (fit := rule.fit(ref)) is not None), (None, None))

    @hookimpl
    @boundary
    def get_template(self, model_path: str, match: Match) -> Template:
        """Return the template that the claim names.

        Raises:
            PluginError: If no rule fits and the family has several templates.
        """
        known = [match.template] if match.template else list(self._templates)
        if len(known) == 1:
            return _made(self._templates[known[0]])
        names = ", ".join(f"{self.name}:{name}" for name in known)
        raise PluginError(f"{self.name} does not know {model_path!r} and has several templates\n  try: one of {names}")

    @hookimpl
    def list_templates(self) -> Iterable[Template]:
        """Return all templates of the family."""
        return self.templates.values()

    @hookimpl
    def get_reply_format(self, ref: "ModelRef") -> "ReplyFormat | None":
        """Return the reply format of the first rule that fits, if the rule has no template."""
        rule, _ = self._fitting(ref)
        if rule is None or rule.template is None or isinstance(rule.template, _TEMPLATES):
            return None
        return rule.template if meaning("base", "no chat").isdisjoint(ref.words) else None

    @hookimpl
    def near_miss(self, ref: "ModelRef") -> str | None:
        """Return how far the nearest rule got with a name that no rule fits."""
        misses = [missed(rule.pattern, ref, rule.kind) for rule in self.rules]
        return max(filter(None, misses), key=lambda miss: miss[0], default=(0, None))[1]


def _made(template: Template | LazyTemplate) -> Template:
    return template.template if isinstance(template, LazyTemplate) else template


def _claim(rule: Rule, fit: Fit, ref: "ModelRef") -> Match | None:
    """Return the claim of a rule that fits; None if the rule only knows how such models reply."""
    template, reason = rule.template, f"the name fits {rule.pattern!r}" + (f": {rule.note}" if rule.note else "")
    if template is not None and not isinstance(template, _TEMPLATES):
        return None
    specificity = Specificity.TOKEN if rule.pattern.startswith(ANYTHING) else Specificity.NAME
    if "/" in rule.pattern:
        specificity = Specificity.REPO
    # A word that the rule does not ask for itself may say that the model does not chat.
    elif template is not None and not meaning("no chat").intersection(ref.words).issubset(fit.literal.split("-")):
        template, reason = None, "it returns vectors, scores or drafts, and does not chat"
    elif added := added_words(fit.rest):
        reason += f"; {' '.join(added)!r} follows: if somebody tuned the model, its own files may say otherwise"
    if template is None:
        return Match(specificity, fit.literal, "", "none", reason)
    return Match(specificity, fit.literal, template.name, rule.kind, reason)
