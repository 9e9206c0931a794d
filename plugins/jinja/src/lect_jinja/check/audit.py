"""Find what a chat template should not do, in its text and in how it renders a conversation.

A template that renders without an error may still work against its user. No sandbox notices that, but a careful reader
does; the audit looks for the same things.
"""

from __future__ import annotations

import base64
import binascii
import os
import re
import unicodedata
from typing import TYPE_CHECKING, Any, NamedTuple

from jinja2 import nodes

from lect import Origin
from lect.errors import LectError, LimitError, saferepr
from lect_jinja.engine.environment import ENVIRONMENT
from lect_jinja.engine.reading import literals_in
from lect_jinja.identity.family import identify, nearest, own_template
from lect_jinja.identity.paths import read_files
from lect_jinja.identity.revisions import revision

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from lect.plugin import Template
    from lect_jinja.files.found import ModelFiles
    from lect_jinja.identity.family import Identity

WARNING, NOTE = "warning", "note"
BYTE_ORDER_MARK = "\ufeff"
SHOWN = 160
_URL = re.compile(r"(?:https?:)?//[\w-]+(?:\.[\w-]+)+")
_ENCODED = re.compile(r"[A-Za-z0-9+/]{16,}={0,2}")
_INVISIBLE = ("Cf", "Cc", "Co")
_WORD = re.compile(r"[^\W\d_]{2,}")
_MARK = re.compile(r"[<\[|{｜]")
_MARKER = re.compile(r"<[^<>]*>|\[[^\[\]]*\]")
FEWEST_WORDS = 4
"""A text of fewer words is a label such as `Assistant:`, and says nothing to the model."""
PART_KEYS = frozenset({"text", "image", "image_url", "video", "audio", "audio_url", "parts", "blocks"})
ADDS = "stays as it is: a further turn only adds to the prompt, so that a prefix cache hits"
CHANGES = "is rewritten when the conversation goes on: a prefix cache misses from there, and training needs `unroll`"
SEARCHES = ("startswith", "endswith", "find", "rfind", "index", "count", "split")


class Finding(NamedTuple):
    """Something about a template that deserves a look.

    Attributes:
        level: `warning`, or `note` for something usual.
        rule: What was looked for.
        what: What was found.
        line: The line of the template, if there is one.
    """

    level: str
    rule: str
    what: str
    line: int | None = None


def audited(path: str) -> list[Finding]:
    """Return the findings about the template of a model on disk, warnings first.

    Raises:
        ModelFileError: If there is no template, or none that can be read and run.
    """
    files = read_files(path)
    name = os.path.basename(os.path.normpath(files.path))
    own = own_template(files, name)
    identity = identify(files, name)
    findings = [
        *(
            Finding(WARNING, "files", f"{each} has a different template from {files.origin}")
            for each in files.conflicts
        ),
        *(Finding(NOTE, "files", note) for note in files.notes),
        *text_findings(files.source),
        *_behaviour(own, is_known=bool(identity.family)),
        *_family(identity, files),
        Finding(NOTE, "replies", identity.reply or own.reply_reason),
        Finding(NOTE, "history", ADDS if own.prefix_stable else CHANGES),
    ]
    return sorted(dict.fromkeys(findings), key=lambda finding: (finding.level != WARNING, finding.line or 0))


def _family(identity: Identity, files: ModelFiles) -> Iterator[Finding]:
    if identity.family:
        yield Finding(NOTE, "family", identity.how)
        if said := revision(identity.family):
            yield Finding(NOTE, "revision", said)
    elif neighbour := nearest(identity.template):
        yield Finding(NOTE, "differs-from-family", f"nearest is {neighbour}")


# What is in its text


def text_findings(source: str) -> Iterator[Finding]:
    """Yield what is found in the text of a template, without running it."""
    tree = ENVIRONMENT.parse(source)
    yield from _invisible(source)
    yield from _literals(tree)
    yield from _conditions(tree)
    yield from _rewrites(tree)


def _invisible(source: str) -> Iterator[Finding]:
    if source.startswith(BYTE_ORDER_MARK):
        yield Finding(WARNING, "byte-order-mark", "the template begins with U+FEFF, and so does every prompt", 1)
    for number, line in enumerate(source.removeprefix(BYTE_ORDER_MARK).split("\n"), 1):
        hidden = sorted({each for each in line if each not in "\t\r" and unicodedata.category(each) in _INVISIBLE})
        if hidden:
            named = ", ".join(f"U+{ord(each):04X} {unicodedata.name(each, 'unnamed')}" for each in hidden[:4])
            yield Finding(WARNING, "invisible-characters", named, number)


def _literals(tree: nodes.Template) -> Iterator[Finding]:
    for text, node in literals_in(tree):
        for url in _URL.findall(text):
            yield Finding(WARNING, "url-literal", saferepr(url), node.lineno)
        for encoded in _ENCODED.findall(text):
            hidden = _decoded(encoded)
            if hidden:
                what = f"{saferepr(encoded)} decodes to {saferepr(hidden)}"
                yield Finding(WARNING, "encoded-text", what, node.lineno)


def _decoded(text: str) -> str:
    """Return the text that base64 encodes; empty if it is not base64, or the text is not readable."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return ""
    return data.decode("ascii") if data.isascii() and data.decode("ascii").isprintable() else ""


# Conditions and rewrites


def _conditions(tree: nodes.Template) -> Iterator[Finding]:
    """Find conditions on what people say, and on the time."""
    is_content, is_time = _followed(tree, _reads_content), _followed(tree, _reads_the_clock)
    uses_the_clock = False
    for node in tree.find_all((nodes.If, nodes.CondExpr, nodes.For)):
        test = getattr(node, "test", None)
        if test is None:
            continue
        wanted = [text for text in _compared(test, is_content) if _is_said(text)]
        if wanted:
            yield Finding(
                WARNING, "content-conditional", f"checks whether a message contains {saferepr(wanted[0])}", node.lineno
            )
        at_times = any(is_time(each) for compare in test.find_all(nodes.Compare) for each in _operands(compare))
        at_times = at_times or any(is_time(each) for each in _operands(test))
        if at_times:
            uses_the_clock = True
            yield Finding(WARNING, "time-conditional", "behaves differently depending on the time", node.lineno)
        if (wanted or at_times) and not isinstance(node, nodes.For):
            yield from _said_then(node)
    if not uses_the_clock and any(map(_reads_the_clock, tree.find_all(nodes.Call))):
        yield Finding(NOTE, "date", "writes the current date into the prompt")


def _said_then(node: nodes.Node) -> Iterator[Finding]:
    """Find what is said to the model only under a suspicious condition."""
    for text, literal in literals_in(node):
        if _words(text) >= FEWEST_WORDS:
            yield Finding(WARNING, "hidden-instruction", saferepr(text, SHOWN), literal.lineno)


def _compared(test: nodes.Node, is_content: Callable[[nodes.Node], bool]) -> Iterator[str]:
    """Yield the constant texts that message content is compared with or searched for."""
    for node in _with_itself(test, (nodes.Compare, nodes.Call)):
        operands = list(_operands(node))
        if any(map(is_content, operands)):
            yield from _constant_texts(operands)


def _constant_texts(expressions: Iterable[nodes.Node]) -> Iterator[str]:
    for each in expressions:
        if isinstance(each, nodes.Const) and isinstance(each.value, str):
            yield each.value


def _operands(node: nodes.Node) -> Iterator[nodes.Expr]:
    if isinstance(node, nodes.Compare):
        yield node.expr
        yield from (operand.expr for operand in node.ops)
    elif isinstance(node, nodes.Call) and isinstance(node.node, nodes.Getattr) and node.node.attr in SEARCHES:
        yield node.node.node
        yield from node.args


def _with_itself(node: nodes.Node, kinds: Any) -> Iterator[Any]:
    if isinstance(node, kinds):
        yield node
    yield from node.find_all(kinds)


def _is_said(text: str) -> bool:
    """Return whether a text is something people would say: not a marker, and not a key of a content part."""
    return text not in PART_KEYS and bool(_WORD.search(text)) and not _MARK.search(text)


def _words(text: str) -> int:
    """Return how many words a text has besides its markers."""
    return len(_WORD.findall(_MARKER.sub(" ", text)))


def _reads_content(node: nodes.Node) -> bool:
    if isinstance(node, nodes.Getattr):
        return node.attr == "content"
    return isinstance(node, nodes.Getitem) and isinstance(node.arg, nodes.Const) and node.arg.value == "content"


def _reads_the_clock(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Call) and isinstance(node.node, nodes.Name) and node.node.name == "strftime_now"


def _followed(tree: nodes.Template, reads: Callable[[nodes.Node], bool]) -> Callable[[nodes.Node], bool]:
    """Return a predicate for what `reads` looks for: directly, through filters or methods, or through a variable."""
    names: set[str] = set()

    def fits(node: nodes.Node) -> bool:
        if reads(node):
            return True
        if isinstance(node, nodes.Name):
            return node.name in names
        if isinstance(node, nodes.Filter):
            return node.node is not None and fits(node.node)
        if isinstance(node, nodes.Call):
            return isinstance(node.node, nodes.Getattr) and fits(node.node.node)
        return isinstance(node, nodes.Or | nodes.And) and (fits(node.left) or fits(node.right))

    for assign in tree.find_all(nodes.Assign):
        if isinstance(assign.target, nodes.Name) and fits(assign.node):
            names.add(assign.target.name)
    return fits


def _rewrites(tree: nodes.Template) -> Iterator[Finding]:
    """Find replacements of words in what people say."""
    is_content = _followed(tree, _reads_content)
    for node in tree.find_all((nodes.Filter, nodes.Call)):
        if isinstance(node, nodes.Filter):
            subject, name, arguments = node.node, node.name, node.args
        elif isinstance(node, nodes.Call) and isinstance(node.node, nodes.Getattr):
            subject, name, arguments = node.node.node, node.node.attr, node.args
        else:
            continue
        if name != "replace" or subject is None or not is_content(subject):
            continue
        texts = list(_constant_texts(arguments))
        if any(map(_is_said, texts)):
            yield Finding(WARNING, "content-rewrite", f"replaces {' with '.join(map(saferepr, texts))}", node.lineno)


# What it does

_SYSTEM, _QUESTION, _ANSWER, _AGAIN = "Xsystemx", "Xquestionx", "Xanswerx", "Xagainx"
_TURNS = [
    {"role": "user", "content": _QUESTION},
    {"role": "assistant", "content": _ANSWER},
    {"role": "user", "content": _AGAIN},
]


def _behaviour(template: Template, *, is_known: bool) -> Iterator[Finding]:
    """Render plain conversations, and look at what is lost and what is added."""
    for messages in ([{"role": "system", "content": _SYSTEM}, *_TURNS], _TURNS, _TURNS[:1]):
        try:
            prompt = template.render(messages, add_generation_prompt=True)
        except LimitError as error:
            yield Finding(WARNING, "exceeds-limits", str(error).partition("\n")[0])
            continue
        except LectError:
            continue
        for unused in prompt.unused:
            if unused.path[0] == "messages" and unused.path[2:] == ("content",):
                yield Finding(
                    WARNING, "drops-role", f"leaves out messages of the role {messages[int(unused.path[1])]['role']!r}"
                )
        yield from map(_inside_turn, _added_inside_turns(prompt.segments))
        if not is_known:
            yield from _added_texts(prompt.segments, with_system=messages[0]["role"] == "system")


def _inside_turn(text: str) -> Finding:
    return Finding(WARNING, "literal-inside-turn", f"adds text to a message: {saferepr(text, SHOWN)}")


def _added_inside_turns(segments: Iterable[Any]) -> Iterator[str]:
    """Yield template text that follows the content of a message before anything ends the turn."""
    before = None
    for segment in segments:
        if segment.origin is Origin.TEMPLATE and before is not None:
            added = re.split(r"[<\[|\n]", segment.text, maxsplit=1)[0].strip()
            if _WORD.search(added) and not added.endswith(":"):
                yield added
        before = segment if segment.origin is not Origin.TEMPLATE and segment.path[2:] == ("content",) else None


def _added_texts(segments: Iterable[Any], *, with_system: bool) -> Iterator[Finding]:
    """Find what a template says to the model on its own."""
    for segment in segments:
        if segment.origin is Origin.TEMPLATE and _words(segment.text) >= 2 * FEWEST_WORDS:
            if with_system:
                yield Finding(
                    WARNING, "hidden-instruction", f"besides the system text: {saferepr(segment.text, SHOWN)}"
                )
            else:
                yield Finding(NOTE, "default-system", saferepr(segment.text, SHOWN))
