"""A template: how one model wants to be spoken to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NoReturn

from lect.errors import ControlTextError, MessageError, PluginError, UnusedInputError
from lect.prompt.chat import Chat
from lect.prompt.messages import STANDARD_ROLES, spell
from lect.prompt.segments import Rendered, Written
from lect.prompt.shapes import Filled, Shapes, is_encodable
from lect.prompt.unused import DROPPED
from lect.prompt.writer import TrackingWriter, Writer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from lect.prompt.segments import Source

CONTROL_POLICIES = ("report", "raise", "allow")


class Template:
    """The format of one model, or of several that share it. It does not change once made.

    Args:
        name: Under what name people find it.
        program: A function that writes a conversation: `program(chat, out)`, with `Chat` and `Writer`.
        roles: The roles that the format has words for.
        bos: The text that opens every prompt, where the maker's template writes one.
        eos: The text that closes an answer, where the maker's template names it so.
        stop: The strings at which a reply ends.
        stop_token_ids: Their token ids, from the maker's generation config.
        markers: The control markers, which text from outside should not contain.
        text_separators: Whether turns are separated by plain text, which no tokenizer can tell from a user's: then
            nothing can protect a prompt.
        default_system: The system text that the maker's template adds where none is given.
        capabilities: What the format has words for: system, tools, parallel_tools, reasoning, images, ...
        options: The options that it reads.
        looks_for: The words in a text on which the program's way may depend, apart from its being empty; None where it
            may depend on anything. With words, or with none at all, `text` and `render` are several times faster for
            plain conversations, with tools or without (see `prompt/shapes.py`).
        reply: How the model's replies are written: the name of a reply format, or a `Grammar`; empty where they are
            plain text.
        source: Where the format is written down, with its revision.
    """

    __slots__ = (
        "__weakref__", "_asking", "_complete", "_frozen", "_marker_pattern", "_shapes", "accepted_roles", "bos",
        "capabilities", "default_system", "eos", "markers", "name", "options", "program", "reply", "roles", "source",
        "stop", "stop_token_ids", "text_separators",
    )  # fmt: skip

    # Declared, because the assignments below go through a loop.
    name: str
    program: Callable[[Chat, Writer], None]
    roles: tuple[str, ...]
    bos: str
    eos: str
    stop: tuple[str, ...]
    stop_token_ids: tuple[int, ...]
    markers: tuple[str, ...]
    text_separators: bool
    default_system: str
    capabilities: frozenset[str]
    options: tuple[str, ...]
    reply: Any
    source: str
    accepted_roles: frozenset[str]

    def __init__(
        self,
        name: str,
        program: Callable[[Chat, Writer], None],
        *,
        roles: Iterable[str] = ("system", "user", "assistant"),
        bos: str = "",
        eos: str = "",
        stop: Iterable[str] = (),
        stop_token_ids: Iterable[int] = (),
        markers: Iterable[str] = (),
        text_separators: bool = False,
        default_system: str = "",
        capabilities: Iterable[str] = ("system",),
        options: Iterable[str] = (),
        looks_for: Iterable[str] | None = None,
        reply: Any = "",
        source: str = "",
    ):
        self.name = name
        self.program = program
        self.roles = _listed(name, "roles", roles)
        self.bos = bos
        self.eos = eos
        self.stop = _listed(name, "stop", stop)
        self.stop_token_ids = tuple(stop_token_ids)
        self.markers = _listed(name, "markers", markers)
        self.text_separators = text_separators
        self.default_system = default_system
        self.capabilities = frozenset(_listed(name, "capabilities", capabilities))
        self.options = (
            *_listed(name, "options", options),
            *(["bos_token"] if bos else []),
            *(["eos_token"] if eos else []),
        )
        self.reply = reply
        self.source = source
        self.accepted_roles = STANDARD_ROLES.union(self.roles)
        self._shapes = None if looks_for is None else Shapes(self, _listed(name, "looks_for", looks_for))
        self._complete = {} if self._shapes is None else self._shapes.complete
        self._asking = {} if self._shapes is None else self._shapes.asking
        self._marker_pattern: re.Pattern[str] | None = None
        self._frozen = True

    def __setattr__(self, name: str, value: object) -> None:
        # The one thing that may change is the pattern, which is compiled when it is first needed.
        if getattr(self, "_frozen", False) and name != "_marker_pattern":
            msg = f"a template does not change: cannot set {name!r} of {self.name!r}; make another one"
            raise AttributeError(msg)
        object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"

    def __copy__(self) -> Template:
        return self

    def __deepcopy__(self, memo: object) -> Template:
        return self

    @property
    def marker_pattern(self) -> re.Pattern[str] | None:
        """One pattern for all markers, the longest first; None where there are none."""
        if self._marker_pattern is None and self.markers:
            self._marker_pattern = re.compile("|".join(map(re.escape, sorted(self.markers, key=len, reverse=True))))
        return self._marker_pattern

    def render(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
        add_generation_prompt: bool = False,
        strict: bool = False,
        on_control: str = "report",
        **options: Any,
    ) -> Rendered:
        """Render a conversation.

        Args:
            messages: OpenAI-shaped messages.
            tools: OpenAI tool schemas.
            add_generation_prompt: End where the assistant begins to speak.
            strict: Raise where something that was given would not reach the prompt, other than by the maker's own rule.
            on_control: What to do about control markers in text from outside: `report` them in `.controls`, `raise`, or
                `allow` without looking.
            options: The maker's own options, such as `enable_thinking`; `.options` names what this template reads.

        Raises:
            MessageError: If the messages have a wrong type or shape, or the model's format does not allow them.
        """
        if on_control not in CONTROL_POLICIES:
            msg = f"on_control is {on_control!r}; expected one of {', '.join(map(repr, CONTROL_POLICIES))}"
            raise MessageError(msg)
        source: Source
        filled = None if self._shapes is None or options else self._shapes.fill(messages, tools, add_generation_prompt)
        if filled is not None:
            source = Filled(*filled)
        else:
            chat = Chat(self, messages, tools, options, add_generation_prompt=add_generation_prompt, tracked=True)
            out = TrackingWriter()
            self.program(chat, out)
            source = Written(chat, out)
        rendered = Rendered(self, source, look_for_controls=on_control != "allow")
        if filled is None and not rendered.text.isascii() and not is_encodable(rendered.text):
            _refuse_surrogate(rendered)
        if strict:
            _refuse_unused(rendered)
        if on_control == "raise" and rendered.controls:
            _refuse_controls(rendered)
        return rendered

    def text(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
        add_generation_prompt: bool = False,
        strict: bool = False,
        on_control: str = "report",
        **options: Any,
    ) -> str:
        """Return the prompt alone: the same bytes as `render(...).text`, several times faster."""
        if not (tools or options or strict) and on_control == "report" and type(messages) is list:
            # Nearly every call; it stands here because a method of its own would cost a tenth of all this.
            write = (self._asking if add_generation_prompt else self._complete).get(len(messages))
            if write is not None:
                try:
                    written = write(messages)
                except (LookupError, TypeError, ValueError, AttributeError):
                    # Something is of another type; the long way reads or refuses it.
                    written = None
                if written is not None:
                    return written
        if strict or on_control not in ("report", "allow"):
            return self.render(
                messages,
                tools=tools,
                add_generation_prompt=add_generation_prompt,
                strict=strict,
                on_control=on_control,
                **options,
            ).text
        filled = None if self._shapes is None or options else self._shapes.fill(messages, tools, add_generation_prompt)
        if filled is not None:
            return filled[2]
        chat = Chat(self, messages, tools, options, add_generation_prompt=add_generation_prompt, tracked=False)
        out = Writer()
        self.program(chat, out)
        text = out.joined()
        if not text.isascii() and not is_encodable(text):
            # This refuses it too, and can say in which field it is.
            return self.render(messages, tools=tools, add_generation_prompt=add_generation_prompt, **options).text
        return text


def _listed(template: str, field: str, value: Iterable[str]) -> tuple[str, ...]:
    """Return `value` as a tuple. To Python a text is a list too, of its letters; nobody means that."""
    values = tuple(value)
    if isinstance(value, str) or "" in values:
        msg = f"template {template!r}: {field} is {value!r}; expected a list of texts\n  try: {field}=['...']"
        raise PluginError(msg)
    return values


def _refuse_surrogate(rendered: Rendered) -> NoReturn:
    """Refuse half of a surrogate pair here, where the field can be named, and not later in somebody's encoder."""
    where = next(index for index, letter in enumerate(rendered.text) if "\ud800" <= letter <= "\udfff")
    field = f"character {where} of the prompt"
    position = 0
    for segment in rendered.segments:
        if position <= where < position + len(segment.text) and segment.path:
            field = f"{spell(segment.path)}, at character {where - position + max(segment.start, 0)}"
        position += len(segment.text)
    msg = (
        f"{field}: {rendered.text[where]!r} is half of a surrogate pair and no character\n"
        "  try: decode the text with errors='replace'"
    )
    raise MessageError(msg)


def _refuse_unused(rendered: Rendered) -> None:
    dropped = [unused for unused in rendered.unused if unused.why == DROPPED]
    if dropped:
        fields = ", ".join(spell(unused.path) for unused in dropped)
        msg = (
            f"{rendered.template.name}: the format has no place for {fields}\n"
            "  try: leave it out, or strict=False to render without it"
        )
        raise UnusedInputError(msg, unused=dropped)


def _refuse_controls(rendered: Rendered) -> NoReturn:
    lines = [
        f"{rendered.template.name}: control text of the model in what was given:",
        *(
            f"  {spell(path) if path else 'unknown'}, at {start}: {marker!r}"
            for path, start, marker, _ in rendered.controls[:10]
        ),
    ]
    if len(rendered.controls) > 10:
        lines.append(f"  and {len(rendered.controls) - 10} more")
    lines.append("  try: refuse the text to whoever sent it, or on_control='report' to render and list them")
    raise ControlTextError("\n".join(lines), controls=rendered.controls)


def first_difference(one: Template, other: Template) -> tuple[int, str, str] | None:
    """Return where two templates first differ on a few plain conversations, and what each writes there.

    None where they do not.
    """
    system = {"role": "system", "content": "S"}
    turns = [{"role": "user", "content": "U"}, {"role": "assistant", "content": "A"}, {"role": "user", "content": "V"}]
    for messages in (turns, [system, *turns]):
        texts = [_text_or_error(template, messages) for template in (one, other)]
        if texts[0] != texts[1]:
            at = next(
                (i for i, pair in enumerate(zip(*texts, strict=False)) if pair[0] != pair[1]), min(map(len, texts))
            )
            return at, texts[0][at : at + 24], texts[1][at : at + 24]
    for field in ("stop", "markers"):
        facts = getattr(one, field), getattr(other, field)
        if facts[0] != facts[1]:
            return 0, f"{field} {facts[0]}", f"{field} {facts[1]}"
    return None


def _text_or_error(template: Template, messages: Sequence[Mapping[str, Any]]) -> str:
    try:
        return template.text(messages, add_generation_prompt=True)
    # A program may raise anything; two templates are only compared here.
    except Exception as error:
        return f"(refuses: {error})"
