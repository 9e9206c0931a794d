"""Compile templates, once each, and run them; every failure is raised as a `LectError`."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import accumulate
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from jinja2 import nodes
from jinja2.exceptions import SecurityError, TemplateSyntaxError, UndefinedError

from lect.errors import LectError, MessageError, PluginError, RefusedError
from lect.plugin import by_signal
from lect_jinja.engine.codegen import REFUSED, GuardedCode, Guarding, levels
from lect_jinja.engine.context import GuardedContext
from lect_jinja.engine.environment import ENVIRONMENT
from lect_jinja.engine.functions import FUNCTIONS, RaisedError
from lect_jinja.engine.limits import SIZE_PER_CHARACTER, exceeded
from lect_jinja.engine.lookups import names_from_outside
from lect_jinja.engine.reading import Reading, read
from lect_jinja.engine.strings import TEXTS, pieces_of
from lect_jinja.engine.tree import tree_fingerprint

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime
    from types import TracebackType

    from lect_jinja.engine.limits import Limits

DEEPEST_TREE = 100
"""Levels of a syntax tree; none of 472 real templates has more than 29."""
SCOPES = (nodes.For, nodes.Macro, nodes.CallBlock, nodes.Scope)
"""Statements whose whole subtree is read once for each of them."""
SCOPES_PER_NODE = 5
"""How often the nodes of the largest tree may be read in this way; no real tree of any size reads its own twice."""
TOKENS_PER_NODE = 8
"""White space included; no real template has more than this."""
MOST_COMPILED = 128
LARGEST_COMPILED = 1 << 23
"""Characters of all sources whose code is kept."""
LONGEST_MESSAGE = 500
NUMBERS = frozenset({"integer", "float"})
FILE = ""
"""The file name of generated code: Python looks for one, to show the line of an error, and an empty name is nowhere."""


class Compiled(NamedTuple):
    """The code of a template.

    Attributes:
        root: The function that writes a prompt, piece by piece.
        nodes: How many nodes its syntax tree has.
        reading: What the syntax tree tells about it.
        variables: The variables that it reads from outside, on some way through it.
        is_marked: Whether it has generation blocks, and notes where each of them is in the prompt.
        tree: The fingerprint of its normalised syntax tree; empty if it has none.
        lines: Lines of the code, each with its line of the template.
        length: Characters of its source.
    """

    root: Callable[[GuardedContext], Iterator[str]]
    nodes: int
    reading: Reading
    variables: frozenset[str]
    is_marked: bool
    tree: str
    lines: tuple[tuple[int, int], ...]
    length: int


class _Cache:
    """Compiled templates by their text, bounded in entries and in characters."""

    def __init__(self) -> None:
        self._entries: OrderedDict[str, Compiled] = OrderedDict()
        self._size = 0
        self._lock = Lock()

    def get(self, key: str) -> Compiled | None:
        with self._lock:
            if key in self._entries:
                self._entries.move_to_end(key)
            return self._entries.get(key)

    def put(self, key: str, compiled: Compiled) -> None:
        with self._lock:
            if key not in self._entries:
                self._size += compiled.length
            self._entries[key] = compiled
            while len(self._entries) > 1 and (len(self._entries) > MOST_COMPILED or self._size > LARGEST_COMPILED):
                self._size -= self._entries.popitem(last=False)[1].length


_CACHE = _Cache()


def compiled(source: str, name: str, limits: Limits) -> Compiled:
    """Return the code of a template.

    Raises:
        LimitError: If it is too large.
        PluginError: If it is not a template, or uses what no template may use.
    """
    found = _CACHE.get(source)
    if found is None or found.length > limits.source or found.nodes > limits.nodes:
        found = _compile(source, name, limits)
        _CACHE.put(source, found)
    return found


def _compile(source: str, name: str, limits: Limits) -> Compiled:
    if len(source) > limits.source:
        raise exceeded(name, limits, "source", f"its text has {len(source):,} characters")
    with _compiling(name, limits):
        source.encode("utf-16")
        # Lexing takes a third of the time of parsing; no text has more tokens than characters.
        most = limits.nodes * TOKENS_PER_NODE
        for count, (_, kind, text) in enumerate(ENVIRONMENT.lex(source) if len(source) > most else ()):
            if count >= most:
                raise exceeded(name, limits, "nodes", "its syntax tree is too large")
            if kind in NUMBERS and len(text) > limits.bits:
                raise exceeded(name, limits, "bits", f"it has a number of {len(text):,} digits")
        tree = ENVIRONMENT.parse(source)
        found: list[nodes.Node] = []
        for depth, level in enumerate(levels(tree)):
            found += level
            if depth > DEEPEST_TREE:
                raise exceeded(name, limits, "depth", f"it is nested more than {DEEPEST_TREE} deep")
            if len(found) > limits.nodes:
                raise exceeded(name, limits, "nodes", "its syntax tree is too large")
            if any(_bits(node) > limits.bits for node in level):
                raise exceeded(name, limits, "bits", "it has a number of too many digits")
        inside = (len(level) for node in found if isinstance(node, SCOPES) for level in levels(node))
        if any(read > SCOPES_PER_NODE * limits.nodes for read in accumulate(inside)):
            raise exceeded(name, limits, "nodes", "its loops and macros are nested too deeply for their size")
        _refuse_forbidden(found)
        _refuse_jumps([tree], is_loop=False)
        reading = read(found)
        outside = names_from_outside(tree)
        fingerprint = tree_fingerprint(tree)
        root, lines, generator = generated(tree)
    # Jinja2 looks up every name that is set in some branch; a macro is known in the macros before it.
    variables = (generator.looked_up & outside) - FUNCTIONS.keys()
    is_marked = bool(generator.notes_marks) and all(generator.notes_marks)
    return Compiled(root, len(found), reading, frozenset(variables), is_marked, fingerprint, lines, len(source))


def _bits(node: nodes.Node) -> int:
    """Return how many bits a node has if it is an integer."""
    return node.value.bit_length() if isinstance(node, nodes.Const) and isinstance(node.value, int) else 0


def generated(tree: nodes.Template) -> tuple[Callable[..., Iterator[str]], tuple[tuple[int, int], ...], GuardedCode]:
    """Return the function that writes what a tree says, its lines with those of the template, and what generated it."""
    generator = GuardedCode(ENVIRONMENT, FILE)
    generator.visit(Guarding().visit(tree))
    code = compile(generator.stream.getvalue(), FILE, "exec")  # type: ignore[attr-defined]
    namespace: dict[str, Any] = {"environment": ENVIRONMENT}
    exec(code, namespace)  # noqa: S102 - the code is generated by us, and asks the guard
    pairs = (pair.split("=") for pair in namespace["debug_info"].split("&") if pair)
    return namespace["root"], tuple((int(line), int(number)) for number, line in pairs), generator


@contextmanager
def _compiling(name: str, limits: Limits) -> Iterator[None]:
    """Turn whatever an invalid template raises into one of our errors."""
    try:
        yield
    except LectError:
        raise
    except UnicodeEncodeError as error:
        what = f"character {error.start} of its text is half of a surrogate pair"
        msg = f"template {name!r}: {what}\n  try: read it as UTF-8"
        raise PluginError(msg) from None
    except TemplateSyntaxError as error:
        hint = "look at that line of the template"
        msg = f"template {name!r}, line {error.lineno}: {_short(error.message or '')}\n  try: {hint}"
        raise PluginError(msg) from None
    # Python's own compiler raises these for code that is nested too deeply.
    except (RecursionError, MemoryError, SyntaxError):
        raise exceeded(name, limits, "depth", "it is nested too deeply") from None
    except (ValueError, OverflowError) as error:
        msg = f"template {name!r}: {_short(str(error))}\n  try: look at the numbers in the template"
        raise PluginError(msg) from None


def _refuse_forbidden(found: list[nodes.Node]) -> None:
    for node in found:
        what = None
        if isinstance(node, REFUSED):
            what = f"the statement {type(node).__name__.lower()}"
        elif isinstance(node, nodes.Name) and node.name in ("self", "super"):
            what = f"the name {node.name!r}"
        elif isinstance(node, nodes.NSRef) and node.attr[:1] == "_":
            what = f"the name {node.attr!r} on a namespace"
        if what is not None:
            msg = f"{what} is not allowed in a chat template"
            raise TemplateSyntaxError(msg, node.lineno)


def _refuse_jumps(statements: Iterable[nodes.Node], *, is_loop: bool) -> None:
    """Refuse `break` and `continue` outside of loops, which Python would not compile."""
    for node in statements:
        if isinstance(node, nodes.Break | nodes.Continue) and not is_loop:
            msg = f"{type(node).__name__.lower()} is not inside a loop"
            raise TemplateSyntaxError(msg, node.lineno)
        if isinstance(node, nodes.For):
            _refuse_jumps(node.body, is_loop=True)
            _refuse_jumps(node.else_, is_loop=is_loop)
        else:
            # A macro is a function of its own, wherever it is.
            is_function = isinstance(node, nodes.Macro | nodes.CallBlock)
            _refuse_jumps(node.iter_child_nodes(), is_loop=is_loop and not is_function)


class Run:
    """One render of a template.

    Args:
        code: The template's code.
        name: Its name in errors.
        limits: What it may do.
        variables: What it is given.
        moment: What its clock says; None for now.
        tracked: Whether texts carry their origin.
    """

    def __init__(
        self,
        code: Compiled,
        name: str,
        limits: Limits,
        variables: Mapping[str, Any],
        moment: datetime | None,
        *,
        tracked: bool,
    ):
        self.compiled = code
        self.name = name
        self.limits = limits
        self._variables = variables
        self.context = GuardedContext(ENVIRONMENT, {**FUNCTIONS, **variables}, name, {})
        self.context.start(limits, self._size, moment, tracked=tracked)

    def text(self) -> str:
        """Return the prompt."""
        return "".join(list(self._written()))

    def pieces(self) -> Iterator[tuple[int | None, tuple[str, ...]]]:
        """Yield the pieces of the prompt, each with the message in whose turn it is written."""
        for text in self._written():
            yield self.context.turn, pieces_of(text)

    @property
    def marked(self) -> list[tuple[int, int]] | None:
        """Where the text of generation blocks is, once all is written; None if that is not known."""
        return self.context.marks if self.compiled.is_marked else None

    def _written(self) -> Iterator[str]:
        length = 0
        self.context.reached = lambda: length
        allowed = self.limits.output + self.compiled.length
        try:
            for text in self.compiled.root(self.context):
                if type(text) not in TEXTS:
                    # A filter of a whole block may return anything.
                    msg = f"expected text, and a block gives {type(text).__name__}"
                    raise TypeError(msg)
                length += len(text)
                if length > allowed:
                    allowed = self.limits.output + self.compiled.length + SIZE_PER_CHARACTER * self._size()[1]
                    if length > allowed:
                        self.context.refuse("output", "its prompt is too long")
                yield text
        except (LectError, GeneratorExit):
            raise
        except RaisedError as error:
            msg = f"{self.name}: {_short(error.message or '')}"
            raise RefusedError(msg) from None
        except RecursionError:
            raise exceeded(self.name, self.limits, "depth", "it nests too deeply") from None
        except MemoryError as error:
            raise exceeded(self.name, self.limits, "memory", "the system has no more for it") from error
        # A faulty template may raise anything, and so may a signal handler of the caller.
        except Exception as error:
            if by_signal(error):
                raise
            raise self._failure(error) from None
        finally:
            self.context.end()

    def _failure(self, error: Exception) -> MessageError:
        line = self._line(error.__traceback__)
        at = "" if line is None else f" at line {line}"
        if isinstance(error, SecurityError):
            hint = "do not use this template: no chat template needs that"
        elif isinstance(error, UndefinedError):
            hint = "give the field that it asks for"
        else:
            hint = "look at the types of messages, tools and options"
        msg = f"template {self.name!r} fails{at}: {_short(str(error))}\n  try: {hint}"
        return MessageError(msg)

    def _size(self) -> tuple[int, int]:
        """Return how many messages and characters were given."""
        return len(self._variables.get("messages") or ()), sum(map(_characters, self._variables.values()))

    def _line(self, traceback: TracebackType | None) -> int | None:
        """Return the line of the template at which an error was raised."""
        found = None
        while traceback is not None:
            if traceback.tb_frame.f_code.co_filename == FILE:
                number = traceback.tb_lineno
                found = max((line for line in self.compiled.lines if line[0] <= number), default=(0, None))[1]
            traceback = traceback.tb_next
        return found


def _characters(value: Any) -> int:
    """Return how many characters a value contains."""
    found, left = 0, [value]
    for each in left:  # It grows.
        if isinstance(each, str):
            found += len(each)
        elif isinstance(each, dict):
            left += [*dict.keys(each), *dict.values(each)]
        elif isinstance(each, list):
            left += each
    return found


def _short(text: str) -> str:
    """Return a template's text for an error message: shortened, and without anything that a terminal would obey.

    Its lines are indented, so that none of them is taken for one of ours.
    """
    kept = text if len(text) <= LONGEST_MESSAGE else text[: LONGEST_MESSAGE - 3] + "..."
    shown = "".join(each if each.isprintable() or each == "\n" else ascii(each)[1:-1] for each in kept)
    return shown.replace("\n", "\n    ")
