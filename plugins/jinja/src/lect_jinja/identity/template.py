"""A template of core whose program is a model's own Jinja text."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from hashlib import sha256
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import lect
from lect.errors import LectError, MessageError, ReplyFormatWarning, UnknownTemplateError, saferepr, warn_caller
from lect.plugin import Chat, Template, boundary, given
from lect_jinja.engine.limits import Limits, read_limits
from lect_jinja.engine.reading import REASONING
from lect_jinja.engine.run import Run, compiled
from lect_jinja.engine.values import marked, plain
from lect_jinja.identity.knowledge import named_by_text, named_by_tree
from lect_jinja.identity.parts import in_parts, respelled, thing
from lect_jinja.replies.choice import NOTHING_SAYS, Choice, Guess, choose

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lect.plugin import Message, Writer
    from lect.plugin.grammar import Grammar
    from lect_jinja.engine.isolation import IsolatedRun

GIVEN = frozenset({"messages", "tools", "add_generation_prompt"})
"""Variables that are not options."""
STAND_IN = "Xsystemx"
DAYS = (datetime.date(2025, 2, 3), datetime.date(2026, 11, 24))
"""Two days on which a template that asks for the date writes different texts."""
_CALL = {"id": "call00001", "type": "function", "function": {"name": "f", "arguments": {"a": 1}}}
_TOOL = {
    "type": "function",
    "function": {
        "name": "f",
        "description": "d",
        "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}},
    },
}


class JinjaTemplate(Template):
    """A format that a model's own chat template writes.

    Facts that are not stated are read off its text: the roles, the options, what it takes as given, the markers.

    Args:
        name: The name under which it is found.
        jinja: The template's text.
        tokens: The special tokens by the names under which templates read them, such as `bos_token`.
        limits: What it may do: see `Limits`.
        isolate: Whether it runs in a process of its own, which can be killed.
        facts: What `Template` takes: stop, markers, reply, ... Where `reply` is a `Guess`, the template is asked once a
            reply comes.
    """

    __slots__ = (
        "_choice", "_code", "_default_system", "_only_parts", "_stated", "_text_separators", "isolate", "jinja",
        "limits", "tokens",
    )  # fmt: skip

    jinja: str
    tokens: Mapping[str, str]
    limits: Limits
    isolate: bool
    _choice: Choice | None
    _default_system: str | None
    _text_separators: bool | None

    @boundary
    def __init__(
        self,
        name: str,
        jinja: Any,
        *,
        tokens: Mapping[str, str] | None = None,
        limits: Limits | Mapping[str, float] | None = None,
        isolate: bool = False,
        **facts: Any,
    ):
        if not isinstance(jinja, str):
            msg = f"template {name!r}: jinja is {saferepr(jinja)}; expected the template's text"
            raise LectError(msg)
        self._stated = {"name": name, "jinja": jinja, "tokens": dict(tokens or {}), "isolate": isolate, **facts}
        self.jinja = jinja
        self.tokens = MappingProxyType(dict(tokens or {}))
        self.limits = read_limits(limits)
        self.isolate = isolate
        self._code = compiled(jinja, name, self.limits)
        facts = {**self._read_off(), **facts}
        if "accepts" not in self._stated and "arguments" in self._code.reading.fields and self._wants_text():
            facts["accepts"] = [*facts["accepts"], "argument_text"]
        self._only_parts = "parts" in facts["accepts"] and not self._code.reading.tells_texts and self._loses_texts()
        guessed = facts.pop("reply", None)
        super().__init__(name, self._write, reply=None if isinstance(guessed, Guess) else guessed, **facts)

    def _read_off(self) -> dict[str, Any]:
        """Return the facts that the template's text reveals."""
        code = self._code
        bos, eos = self.tokens.get("bos_token", ""), self.tokens.get("eos_token", "")
        return {
            "roles": code.reading.roles,
            "options": {name: code.reading.types.get(name) for name in sorted(code.variables - GIVEN)}
            | ({"date": None} if code.reading.reads_clock else {}),
            "capabilities": code.reading.capabilities,
            "accepts": code.reading.accepts,
            "markers": [*code.reading.markers, *filter(None, self.tokens.values())],
            "control_tokens": list(filter(None, self.tokens.values())),
            "bos": bos if "bos_token" in code.variables else "",
            "eos": eos if "eos_token" in code.variables else "",
            "stop": [eos] if eos else [],
        }

    def stated(self) -> dict[str, Any]:
        # Facts read off the text are left out: a new text is read again.
        return {**self._stated, "limits": self.limits}

    @property
    def reply(self) -> Grammar | None:
        """The grammar of replies: the one that is stated, or else one that reads back what the template writes."""
        return self._chosen.grammar

    @reply.setter
    def reply(self, grammar: Grammar | None) -> None:
        # Asked on demand: the template has to run for it, and packages with other formats are imported.
        is_asked = isinstance(self._stated.get("reply"), Guess)
        self._choice = None if is_asked else Choice(grammar, "as stated" if grammar else f"plain text: {NOTHING_SAYS}")

    @property
    def reply_reason(self) -> str:
        """How the format of replies was chosen, in one line."""
        return self._chosen.how

    @property
    def _chosen(self) -> Choice:
        if self._choice is None:
            self._choice = choose(self, self._stated["reply"])
        return self._choice

    def stream(self, *, grammar: Grammar | None = None, **options: Any) -> Any:
        if grammar is None and self._chosen.problem:
            msg = f"{self.label!r} {self._chosen.problem}\n  try: format=, with one of lect.reply_formats()"
            warn_caller(msg, ReplyFormatWarning)
        return super().stream(grammar=grammar, **options)

    @property
    def table(self) -> Template | None:
        """The table of the family whose template this is proven to be; None if there is none."""
        name = named_by_text(self.jinja, self.tokens) or named_by_tree(self.tree, self.jinja, self.tokens)
        try:
            table = lect.template(name).table if name else None
        except UnknownTemplateError:
            return None
        if table is None:
            return None
        return table.but(name=self.name, stop=self.stop, stop_ids=self.stop_ids, source=self.source)

    @property
    def digest(self) -> str:
        """The digest of its text."""
        return sha256(self.jinja.encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def tree(self) -> str:
        """The fingerprint of its syntax tree; empty if it has none."""
        return self._code.tree

    def _sought(self) -> Iterable[str]:
        return self._code.reading.words

    @property
    def own_fields(self) -> frozenset[str]:
        """The fields of messages that its text reads."""
        return self._code.reading.message_fields

    @property
    def default_system(self) -> str:
        """The system text that the template adds if none is given, as far as that can be seen from outside."""
        if self._default_system is None:
            self._default_system = self._seen_default_system()
        return self._default_system

    @default_system.setter
    def default_system(self, text: str) -> None:
        # Looked for on demand: the template has to run for it, and most callers never ask.
        self._default_system = text if "default_system" in self._stated else None

    @property
    def text_separators(self) -> bool:
        """Whether turns are separated by plain text, as far as that can be seen from outside."""
        if self._text_separators is None:
            self._text_separators = self._is_separated_by_text()
        return self._text_separators

    @text_separators.setter
    def text_separators(self, is_text: bool) -> None:
        self._text_separators = is_text if "text_separators" in self._stated else None

    def _is_separated_by_text(self) -> bool:
        """Return whether no marker is written between a question and its answer."""
        pattern = self.markers.pattern
        question, answer = ({"role": role, "content": STAND_IN * 2} for role in ("user", "assistant"))
        try:
            between = self.text([question, answer]).split(question["content"])[1]
        except (LectError, IndexError):
            return pattern is None
        return pattern is None or pattern.search(between) is None

    def _seen_default_system(self) -> str:
        """Return what is written in place of a missing system text, if giving it makes no difference."""
        if "system" not in self.capabilities:
            return ""
        try:
            alone, (before, _, after) = self._asked(DAYS[0]), self._asked(DAYS[0], STAND_IN).partition(STAND_IN)
            text = alone[len(before) : len(alone) - len(after)]
            is_default = text.strip() and before + text + after == alone
            return text if is_default and self._asked(DAYS[1], text) == self._asked(DAYS[1]) else ""
        except LectError:
            return ""

    def _asked(self, day: datetime.date, *system: str) -> str:
        messages = [{"role": "system", "content": text} for text in system] + [{"role": "user", "content": "Question"}]
        options: dict[str, Any] = {"date": day} if "date" in self.options else {}
        return self.text(messages, **options)

    @property
    def written_at(self) -> str:
        return self.source or self._made_at

    def _write(self, chat: Chat, out: Writer) -> None:
        run = self._run(self._variables(chat), chat, tracked=chat.tracked)
        if not chat.tracked:
            out.append(run.text())
            return
        turn: int | None = None
        for writing, pieces in run.pieces():
            if writing != turn:
                turn = writing
                out.turn(None if turn is None else chat.messages[turn])
            out.extend(pieces)
        out.turn(None)
        if run.marked is not None:
            out.marked(run.marked)
        if self._code.reading.fields.intersection(REASONING):
            for message in chat.messages:
                out.by_rule(message.reasoning)
        self._note_media(chat, out)

    def _run(self, variables: dict[str, Any], chat: Chat, *, tracked: bool) -> Run | IsolatedRun:
        clock = chat.options.get("date") if self._code.reading.reads_clock else None
        if clock is not None and not isinstance(clock, datetime.date):
            msg = f"option date is {saferepr(clock)} ({type(clock).__name__}); expected a date or a datetime"
            raise MessageError(msg)
        return self._started(variables, _moment(clock), tracked=tracked)

    def _started(
        self, variables: dict[str, Any], moment: datetime.datetime | None, *, tracked: bool
    ) -> Run | IsolatedRun:
        label = self._stated["name"]
        if self.isolate:
            from lect_jinja.engine.isolation import IsolatedRun

            return IsolatedRun(self.jinja, label, self.limits, variables, moment, tracked=tracked)
        return Run(self._code, label, self.limits, variables, moment, tracked=tracked)

    def _variables(self, chat: Chat) -> dict[str, Any]:
        """Return the template's variables, as transformers gives them."""
        messages = [self._as_read(chat, message) for message in chat.messages]
        values = {
            ("messages",): messages,
            ("tools",): list(chat.tools) or None,
            **{_option_path(name): value for name, value in chat.options.items() if name in self.options},
        }
        variables: dict[str, Any] = {"documents": None, **self.tokens}
        for path, value in values.items():
            name = path[-1]
            if name == "date" and isinstance(value, datetime.date):
                continue
            value = plain(value, path)
            # The template's token is its own even if the caller gives it.
            own = isinstance(value, str) and value == self.tokens.get(name)
            variables[name] = marked(value, path) if chat.tracked and not own else value
        variables["add_generation_prompt"] = chat.add_generation_prompt
        return variables

    def _as_read(self, chat: Chat, message: Message) -> Mapping[str, Any]:
        """Return a message in the spelling that the template reads."""
        raw = respelled(self._with_argument_text(chat, message), self._code.reading.parts)
        if self._only_parts:
            raw = in_parts(raw, ("messages", message.index) if chat.tracked else ())
        return _shared_reasoning(raw, message.index, tracked=chat.tracked)

    def _with_argument_text(self, chat: Chat, message: Message) -> Mapping[str, Any]:
        """Return a message with the arguments of its calls as JSON text, where the template takes nothing else."""
        if not message.tool_calls or "argument_text" not in self.accepts:
            return message.raw
        return {
            **message.raw,
            "tool_calls": [_with_text(call.raw, chat.arguments_as_given(call)) for call in message.tool_calls],
        }

    def _note_media(self, chat: Chat, out: Writer) -> None:
        """Note which non-text parts have reached the prompt: those without which it would differ."""
        kinds: dict[tuple[str, str], list[tuple[str | int, ...]]] = {}
        for message in chat.messages:
            for part in message.parts:
                if part.type != "text":
                    kinds.setdefault((message.role, part.type), []).append(part.path)
        if not kinds or "parts" not in self.accepts:
            return
        whole = "".join(out)
        for kind, paths in kinds.items():
            if self._without(chat, *kind) != whole:
                for path in paths:
                    out.used(*path)

    def _without(self, chat: Chat, role: str, kind: str) -> str | None:
        """Return the prompt without the parts of one kind; None if the template fails."""
        variables = self._variables(chat)
        variables["messages"] = [_without_parts(raw, role, kind) for raw in plain(variables["messages"], ())]
        try:
            return self._run(variables, chat, tracked=False).text()
        except LectError:
            return None

    def _loses_texts(self) -> bool:
        """Return whether the template writes a text only where it is a part: servers then make it one."""
        asked = {"role": "user", "content": STAND_IN}
        return STAND_IN not in self._tried([asked]) and STAND_IN in self._tried([in_parts(asked)])

    def _wants_text(self) -> bool:
        """Return whether the template takes the arguments of calls as JSON text, and fails on a mapping.

        Some templates write calls only where the content is null, others fail there: both are tried.
        """
        return any(self._calls('{"a": 1}', content) and not self._calls({"a": 1}, content) for content in ("", None))

    def _calls(self, arguments: Any, content: str | None) -> str:
        call = {**_CALL, "function": {"name": "f", "arguments": arguments}}
        messages: list[Mapping[str, Any]] = [
            {"role": "user", "content": "q"},
            {"role": "assistant", "content": content, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "call00001", "name": "f", "content": "r"},
        ]
        return self._tried(messages, [_TOOL])

    def _tried(self, messages: Sequence[Mapping[str, Any]], tools: list[Any] | None = None) -> str:
        """Return what the template's text makes of messages as they are; nothing if it fails."""
        variables = {
            "documents": None,
            **self.tokens,
            "messages": messages,
            "tools": tools,
            "add_generation_prompt": True,
        }
        try:
            return self._started(variables, None, tracked=False).text()
        except LectError:
            return ""


def _option_path(name: str) -> tuple[str, ...]:
    return (name,) if name == "documents" else ("options", name)


def _moment(day: datetime.date | None) -> datetime.datetime | None:
    """Return the moment that a caller has given as a date or a datetime."""
    if day is None:
        return None
    moment = datetime.datetime(day.year, day.month, day.day)
    return moment if not isinstance(day, datetime.datetime) else moment.combine(moment, day.time())


def _shared_reasoning(raw: Mapping[str, Any], index: int, *, tracked: bool) -> Mapping[str, Any]:
    """Return a message with its reasoning under both names that templates read."""
    for name in REASONING:
        text = raw.get(name)
        if text is not None:
            if tracked and isinstance(text, str):
                text = given(text, ("messages", index, name))
            return {"thinking": text, **raw, "reasoning_content": text}
    return raw


def _with_text(call: Mapping[str, Any], arguments: str) -> Mapping[str, Any]:
    function = call.get("function")
    return {**call, "function": {**function, "arguments": arguments}} if isinstance(function, Mapping) else call


def _without_parts(raw: Any, role: str, kind: str) -> Any:
    content = raw.get("content")
    if raw.get("role") != role or not isinstance(content, list):
        return raw
    return {**raw, "content": [part for part in content if thing(part) != kind]}
