"""Adapters as data: a table of names and templates, for the many families that need no more."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from lect.errors import PluginError
from lect.format.template import Template
from lect.registry.hookspecs import hookimpl
from lect.values import Kind, Match, Specificity

if TYPE_CHECKING:
    from lect.registry.refs import ModelRef

ANYTHING = "*"
NUMBER = "#"
END = "."

PACKAGING = frozenset({
    "b", "e", "v", "base", "pt", "hf", "original", "safetensors", "unsloth", "mlx", "mlc", "onnx", "ov", "gguf", "ggml",
    "gptq", "awq", "exl", "bnb", "hqq", "quantized", "dynamic", "ud", "fp", "nvfp", "mxfp", "bf", "nf", "f", "int",
    "bit", "bits", "bpw", "iq", "i", "q", "k", "xxs", "xs", "s", "m", "l", "xl", "nl", "h", "w", "a", "g",
})  # fmt: skip
"""What may follow the name of a base model that was only packed anew. A model that somebody tuned keeps the name of its
base and adds a word of its own: then nobody knows what it speaks."""

ADAPTERS = frozenset({"adapter", "dora", "lora", "peft", "qlora"})
"""What may follow the name of a chat model too: a small adapter seldom changes the format."""

NO_TALKERS = frozenset({
    "accelerator", "cls", "dflash", "draft", "dspark", "eagle", "embed", "embedding", "embeddings", "guard", "medusa",
    "mtp", "orm", "peagle", "prm", "rerank", "reranker", "reward", "rm", "speculator", "speculators",
})  # fmt: skip
"""What only a model is called that gives vectors, scores or drafts. It may have the name of a chat model for the rest,
but nobody talks to it."""


class Rule(NamedTuple):
    """Which names speak which template.

    Attributes:
        pattern: Words with which the name begins, `|` between alternatives, `?` before a word that may be absent, `#`
            for any number, `*` for any words between: `llama 2 # b chat`, `?meta llama 3.1|3.3`. A `.` at the end means
            that only numbers, packaging and adapters may follow: `phi 4 .`. A pattern that begins with `*` may stand
            anywhere in the name, which is a weaker claim; one with a `/` is a whole `owner/name`, the strongest. Words
            are those of `ModelRef.words`, so no word is ever found inside another.
        template: The template; None for names that look like the family's but speak another format.
        kind: `chat`, or `base` for a model that was not trained to chat; after a base model's name only sizes and
            packaging (`-hf-AWQ`) may follow.
        note: Why, for people.
    """

    pattern: str
    template: Template | None
    kind: Kind = "chat"
    note: str = ""


class Family:
    """An adapter made from rules; the first that fits a name decides.

    ```python
    adapter = Family("acme", Rule("acme * chat", ACME_CHAT), Rule("acme", DEFAULT, kind="base"))
    ```

    Args:
        name: The family.
        rules: From the special to the general.
        templates: Templates that no rule names but people may ask for.
    """

    def __init__(self, name: str, *rules: Rule, templates: Iterable[Template] = ()):
        self.name = name
        self.rules = rules
        self.templates = {
            template.name: template
            for template in (*(rule.template for rule in rules), *templates)
            if template is not None
        }

    def __repr__(self) -> str:
        return f"<Family {self.name!r}: {len(self.rules)} rules, {len(self.templates)} templates>"

    @hookimpl
    def match(self, ref: "ModelRef") -> Match | None:
        """Return the claim of the first rule that fits."""
        for rule in self.rules:
            fit = matched_words(rule.pattern, ref)
            if fit is None or (rule.kind == "base" and not _only(PACKAGING, fit.rest)):
                continue
            reason = f"the name fits {rule.pattern!r}" + (f": {rule.note}" if rule.note else "")
            if rule.template is None:
                return Match(_specificity(rule.pattern), fit.literal, "", "none", reason)
            if _is_no_talker(rule, fit, ref):
                return Match(
                    _specificity(rule.pattern),
                    fit.literal,
                    "",
                    "none",
                    "it gives vectors, scores or drafts; nobody talks to it",
                )
            return Match(_specificity(rule.pattern), fit.literal, rule.template.name, rule.kind, reason)
        return None

    @hookimpl
    def get_template(self, model_path: str, match: Match) -> Template:
        """Return the template that the claim names.

        Raises:
            PluginError: If no rule has fitted and the family has several templates.
        """
        if match.template:
            return self.templates[match.template]
        if len(self.templates) == 1:
            return next(iter(self.templates.values()))
        names = ", ".join(f"{self.name}:{name}" for name in self.templates)
        msg = f"{self.name} does not know {model_path!r} and has several templates\n  try: one of {names}"
        raise PluginError(msg)

    @hookimpl
    def list_templates(self) -> Iterable[Template]:
        """Return all templates of the family."""
        return self.templates.values()


def _is_no_talker(rule: Rule, fit: "Fit", ref: "ModelRef") -> bool:
    """Return whether a name has a word of `NO_TALKERS` that the rule does not ask for itself."""
    return "/" not in rule.pattern and not NO_TALKERS.intersection(ref.words).issubset(fit.literal.split("-"))


def _only(allowed: frozenset[str], words: Iterable[str]) -> bool:
    return all(word in allowed or _is_number(word) for word in words)


def _is_number(word: str) -> bool:
    # Not isdigit(), which takes the digits of every script.
    return "0" <= word[0] <= "9"


def _specificity(pattern: str) -> Specificity:
    if "/" in pattern:
        return Specificity.REPO
    return Specificity.TOKEN if pattern.startswith(ANYTHING) else Specificity.NAME


class Fit(NamedTuple):
    """How a pattern fits a name: the words that it rests on, joined, and the words that follow them."""

    literal: str
    rest: tuple[str, ...]


def matched_words(pattern: str, ref: "ModelRef") -> Fit | None:
    """Return how a rule's pattern fits a name, or None where it does not."""
    if "/" in pattern:
        return Fit(ref.path.lower(), ()) if ref.path.lower() == pattern.lower() else None
    matched: list[str] = []
    position = 0
    anywhere = False
    for run in _runs(pattern.removesuffix(END)):
        if not run:
            anywhere = True
            continue
        # The earliest place will do: what follows a `*` may stand anywhere after it.
        last = len(ref.words) if anywhere else position
        found = next((fit for start in range(position, last + 1) for fit in _fits(run, ref.words, start)), None)
        if found is None:
            return None
        position, words = found
        matched += words
        anywhere = False
    rest = ref.words[position:]
    if pattern.endswith(END) and not _only(PACKAGING | ADAPTERS, rest):
        return None
    return Fit("-".join(matched), rest)


def _runs(pattern: str) -> Iterator[list[str]]:
    """Cut a pattern at its stars: runs of words that stand side by side, with an empty run for each star."""
    run: list[str] = []
    for word in pattern.split():
        if word == ANYTHING:
            if run:
                yield run
            yield []
            run = []
        else:
            run.append(word)
    if run:
        yield run


def _fits(run: list[str], words: tuple[str, ...], position: int) -> Iterator[tuple[int, list[str]]]:
    """Yield every way in which a run fits from `position` on: where it ends, and the words that it takes.

    That which takes the most comes first.
    """
    if not run:
        yield position, []
        return
    wanted = run[0].removeprefix("?")
    word = words[position] if position < len(words) else ""
    if word and (_is_number(word) if wanted == NUMBER else word in wanted.split("|")):
        for end, taken in _fits(run[1:], words, position + 1):
            yield end, [word, *taken]
    if run[0].startswith("?"):
        yield from _fits(run[1:], words, position)
