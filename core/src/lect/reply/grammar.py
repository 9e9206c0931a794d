"""How a family writes its replies, as data.

A grammar is a handful of facts: what opens and closes reasoning, what opens a section of tool calls, how one call is
written. The engine does the rest, whole or streamed; no family has a parser. A reply ends at its template's stops.

Wherever a mark is expected, a string is one mark; a tuple in its place is several marks in a row, with optional white
space between them. If alternatives begin the same way, the longer one comes first.

A fact that serves one format is an exception in the guise of data: everybody who reads a grammar has to know it. It
needs a reason beside it, `# Only <format>: <why nothing else says this>`, and goes when its format does. Before you add
one, ask whether it would harm the other formats if it always held.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any, Self, dataclass_transform

from lect.boundaries import boundary
from lect.values import MadeId

SPACE = " \t\r\n"
"""The characters that count as white space."""
NAME = r"\s*(?P<name>[^\s<{(][^\n<{(]*?)\s*"
"""The name of a function, bare."""
QUOTED_NAME = r"""\s*name=\\?["']?(?P<name>[^"'<>\\]+?)\\?["']?\s*(?P<empty>/)?"""
"""The name of a function as an attribute, escaped or not; a slash at the end means that the call has no arguments."""
KEY = r"\s*(?P<key>[^\n<]*?)\s*"
"""The name of a parameter, bare."""
QUOTED_KEY = r"""\s*name=\\?["']?(?P<key>[^"'<>\\]*?)\\?["']?\s*"""
"""The name of a parameter as an attribute."""

Mark = str | tuple[str, ...]
Marks = tuple[Mark, ...]


class _Signature:
    """The signature of a part of a grammar, which `help` shows and editors complete."""

    def __get__(self, part: object, kind: type[GrammarPart]) -> Signature:
        how, empty, facts = Parameter.POSITIONAL_OR_KEYWORD, Parameter.empty, kind.kinds.items()
        defaults = {fact: kind.defaults.get(fact, empty) for fact in kind.kinds}
        return Signature([Parameter(fact, how, annotation=each, default=defaults[fact]) for fact, each in facts])


@dataclass_transform(frozen_default=True)
class GrammarPart:
    """A part of a grammar: immutable facts. Parts with equal facts are equal."""

    kinds, defaults = dict[str, str](), dict[str, Any]()
    __signature__ = _Signature()

    def __init_subclass__(cls) -> None:
        # This takes a tenth of the time of a named tuple or a dataclass, and every first prompt pays for these classes.
        cls.kinds = cls.__annotations__
        cls.defaults = {fact: vars(cls)[fact] for fact in cls.kinds if fact in vars(cls)}

    def __init__(self, *given: Any, **named: Any):
        kind = type(self)
        facts = {**kind.defaults, **dict(zip(kind.kinds, given, strict=False)), **named}
        if len(given) > len(kind.kinds) or facts.keys() != kind.kinds.keys():
            odd = ", ".join(sorted(facts.keys() ^ kind.kinds.keys())) or f"{len(given)} facts"
            raise TypeError(f"{kind.__name__}() takes {', '.join(kind.kinds)}; check {odd}")
        self.__dict__.update(facts)

    def __setattr__(self, fact: str, value: object) -> None:
        msg = f"a grammar is immutable: cannot set {fact!r} of {type(self).__name__}\n  try: but({fact}=...)"
        raise AttributeError(msg)

    def facts(self) -> dict[str, Any]:
        """Return the facts by name."""
        return {fact: getattr(self, fact) for fact in type(self).kinds}

    def but(self, **changes: Any) -> Self:
        """Return a copy with some facts changed."""
        return type(self)(**(self.facts() | changes))

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and isinstance(other, GrammarPart) and self.facts() == other.facts()

    def __hash__(self) -> int:
        return hash((type(self), *self.facts().values()))

    def __repr__(self) -> str:
        shown = ", ".join(f"{fact}={value!r}" for fact, value in self.facts().items() if value)
        return f"{type(self).__name__}({shown})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(self.facts().values())


class Reasoning(GrammarPart):
    """Reasoning, and what marks it."""

    open: tuple[str, ...]
    """What opens it."""
    close: tuple[str, ...]
    """What closes it."""
    until: tuple[str, ...] = ()
    """Marks that end it without being its close; they keep their usual meaning."""
    lead: str = ""
    """Characters that are dropped after its opening."""
    trail: str = ""
    """Characters that are dropped before its close."""
    after: str = ""
    """Characters that are dropped after its close."""
    special: bool = False
    """Whether its marks are special tokens. Then it may open anywhere, and a surplus close is dropped; otherwise it
    opens only at the start of a reply, and a later mark is text."""
    starts: bool = False
    """Whether a reply begins inside it if the prompt is not known."""
    written: tuple[str, str] | None = None
    """What the model itself writes between the mark that opens reasoning and its text, and from the end of the text to
    the content, the close included, such as `("\\n", "\\n</think>\\n\\n")`; None where a rendering of the template
    shows it, or where there is no evidence: a wrong guess would be trained, and nothing would notice."""


class Wrapper(GrammarPart):
    """Marks around the content that are not part of it."""

    open: tuple[str, ...]
    """What opens it."""
    close: tuple[str, ...]
    """What closes it."""
    special: bool = False
    """Whether its marks are special tokens. Otherwise it opens only at the start of the content."""
    # Only cohere_action: a citation ends in its sources, as in `</co: 0:[1]>`, which differ each time.
    tail: str = ""
    """What ends a close that contains more than its mark, such as the sources of a citation."""


class Head(GrammarPart):
    """What is between the opening of a call, or of a parameter, and what follows."""

    end: tuple[str, ...]
    """What ends it."""
    fields: str = NAME
    """A pattern with those of the groups `name`, `id`, `key`, `type`, `string` and `empty` that apply."""
    keep: bool = False
    """Whether its end belongs to what follows."""
    within: tuple[str, ...] = ()
    """Marks between its fields; any other `<` means that there is no head."""


class Json(GrammarPart):
    """A call that is one JSON object with a name and arguments in it, in any order."""


class JsonMap(GrammarPart):
    """A call that is a JSON object with one pair: the name and the arguments."""

    # Only apertus: the name is a key. `Json` cannot read this as well, since a function may be called `name`.


class NamedJson(GrammarPart):
    """A call whose name comes before its JSON arguments."""

    text: str = ""
    """The parameter for arguments that are plain text instead of JSON; empty if they must be JSON."""


class Params(GrammarPart):
    """A call with a mark for each parameter, whose value is text."""

    open: str
    """What opens a parameter."""
    head: Head
    """What follows the opening, with the key in it."""
    close: str
    """What closes a value; `{key}` in it is the name of the parameter."""
    value: str = ""
    """What opens a value, if the key has its own close."""
    trim: str = ""
    """A character that is dropped once at each end of a value, if present."""
    # Only minimax_m2_xml: servers that run the model give clients "5" for 5 where no schema says that it is a number.
    untyped: str = "json"
    """What a value without a schema is: `json` (text if it cannot be read as JSON) or always a `string`."""
    # Only minimax_m3: objects and lists are written as parameters again, where the others write JSON.
    nested: bool = False
    """Whether a value may itself consist of parameters; a list then consists of parameters called `item`."""
    # Only minicpm5_xml: its prompt asks for it. In the values of any other format these are characters like others.
    cdata: bool = False
    """Whether a value may be in `<![CDATA[...]]>`."""


class Literals(GrammarPart):
    """A call as in Python, `name(key=literal, ...)`, or in a notation like it."""

    assign: str = "="
    """What separates a key from its value."""
    close: str = ")"
    """What ends the call."""
    quotes: tuple[str, ...] = ()
    """Marks around strings, instead of Python's quotes."""
    bare: bool = False
    """Whether strings may be unquoted; other values are then JSON."""


class Code(GrammarPart):
    """A call that is plain text up to the close of its section: code for an interpreter, in a Markdown fence or not."""

    name: str
    """The name of the function."""


Arguments = Json | JsonMap | NamedJson | Params | Literals | Code


class CallSyntax(GrammarPart):
    """One call."""

    arguments: Arguments
    """How the arguments are written."""
    open: Marks = ()
    """What opens it."""
    head: Head | None = None
    """What is between the opening and the arguments, with the name in it."""
    close: Marks = ()
    """What may follow it; required with `Params`. `{name}` in it is the name of the function."""
    rename: str = ""
    """A pattern whose first group is the actual name."""
    # Only kimi_k2: it numbers its calls, and at times writes the number without the name.
    counter: str = ""
    """A pattern for numbers that a model writes instead of a name; the tool is then the one that the arguments fit."""
    known: bool = False
    """Whether it counts as a call only if the caller has passed a tool of that name."""
    foreign: bool = False
    """Whether it is another format's notation, on which models fall back: then to read it is a repair."""


class Section(GrammarPart):
    """Where calls are written."""

    calls: tuple[CallSyntax, ...]
    """How calls are written; the first that fits counts."""
    open: Marks = ()
    """What opens it; if empty, calls are in the text itself, where calls with their own marks are always allowed."""
    close: Marks = ()
    """What closes it."""
    between: str = ""
    """What separates calls, white space aside."""
    before: tuple[str, ...] = ()
    """The exact white space that a template writes before it, which is not content; alternatives, longest first."""
    after: str = ""
    """Characters that are dropped after it when content follows."""
    gap: str = SPACE
    """Characters that are not content between two calls, or after the last."""
    start: bool = False
    """Whether it can occur only at the start of a reply."""
    special: bool = False
    """Whether its marks are special tokens: then it may be empty."""


class Channels(GrammarPart):
    """Messages with headers that say what each is, or whom it is for."""

    start: tuple[str, ...]
    """What starts a header. The first one of a reply is usually in the prompt."""
    bodies: tuple[tuple[str, str], ...]
    """What starts a body, and its kind: `content`, `reasoning` or `call`; empty if the header says which."""
    end: tuple[str, ...] = ()
    """What ends a body."""
    stop: tuple[str, ...] = ()
    """Ends at which a model stops."""
    shape: str = r"[^\n]*"
    """A pattern for a whole header."""
    characters: str = r"[^\n]"
    """A pattern for the characters that a header may contain."""
    to: str = ""
    """A pattern whose first group is a recipient."""
    channel: str = ""
    """A pattern whose first group is a channel."""
    opening: tuple[str, ...] = ()
    """What a header can begin with if no mark starts it; if empty, anything of its shape at the start of a reply."""
    reasoning: tuple[str, ...] = ()
    """The channels, or recipients, that are reasoning."""
    content: tuple[str, ...] = ()
    """The channels, or recipients, that are content."""
    # Only harmony: it writes `to=assistant` and the like in headers of messages that call nothing.
    everyone: tuple[str, ...] = ()
    """The recipients that have no meaning. Any other recipient is a function."""
    call: CallSyntax | None = None
    """How a call is written in a body; None: as in the sections of the grammar."""
    # Only inkling: it is joined by nothing, as its response template says; those of other models say it too.
    joint: str = "\n"
    """What is put between two messages of one kind."""
    restart: bool = False
    """Whether the start of a header ends a body that is still open."""
    # Only harmony: where reasoning stays in the content, nothing but its marks tells where it ends.
    keep: bool = False
    """Whether reasoning that is not extracted keeps its marks."""


class Grammar(GrammarPart):
    """How replies are written.

    Attributes:
        name: The name that people ask for.
        reasoning: How reasoning is marked.
        wrappers: Marks around the content.
        sections: Where calls are, and how they are written; the first that fits counts.
        channels: Messages with headers, if replies consist of them.
        prefix: Text at the end of the prompt that the content repeats.
        ids: The id of a call by its number in the conversation, `{index}`, or with its function's name, `{name}`. Any
            other than the default says which ids the templates can write: those with the name in them, or those of as
            many letters and digits.
        stripped: A pattern for the beginning of a call that has lost its control tokens, if it is not a JSON object.
        tokens: Control tokens that are never text, besides the special marks.
    """

    name: str
    reasoning: Reasoning | None = None
    wrappers: tuple[Wrapper, ...] = ()
    sections: tuple[Section, ...] = ()
    channels: Channels | None = None
    # Only minimax_append_think: its clients expect the `<think>` that the prompt has already opened.
    prefix: str = ""
    # Only mistral, whose templates refuse ids other than nine letters and digits, and kimi_k2, where it is the name.
    ids: str = "call_{index}"
    stripped: str = ""
    tokens: tuple[str, ...] = ()

    def __hash__(self) -> int:
        # Every stream looks up its grammar; equal grammars have equal names.
        return hash(self.name)

    @boundary
    def id_of(self, name: str, index: int) -> str:
        """Return the id of a call to which nobody gave one, by its number in a conversation."""
        return self.ids.format(name=name, index=index)

    def new_ids(self) -> Callable[[int, str], str]:
        """Return a function that makes the ids of one reply, from a call's number in it and its function's name.

        No other reply has them: clients and templates find the call of a result by its id.
        """
        if "{name}" in self.ids:
            return lambda index, name: self.id_of(name, index)
        key = os.urandom(12).hex()
        if self.ids == Grammar.defaults["ids"]:
            return lambda index, _: MadeId(f"call_{key}_{index}")
        length = len(self.id_of("", 0))
        return lambda index, _: MadeId(f"{key}{index}"[-length:])


class ReplyFormat(GrammarPart):
    """A grammar that people can ask for by name, without a template.

    Attributes:
        grammar: How replies are written.
        stop: The strings at which a reply ends if no template is given; otherwise the template's own apply.
        names: The models that write this way, for people.
        example: A reply in this format, for people and for tests.
        model_types: The values of `model_type` in a model's `config.json` that mean it, whatever the template.
        signs: Texts by which a model's own template shows that replies are written this way even if it writes no call,
            such as the mark before a list of tools; the marks of the grammar are signs anyway.
    """

    grammar: Grammar
    stop: tuple[str, ...] = ()
    names: str = ""
    example: str = ""
    model_types: tuple[str, ...] = ()
    signs: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the grammar."""
        return self.grammar.name
