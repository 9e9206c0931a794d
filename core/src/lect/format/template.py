"""A template: how prompts for a model are written, and how its replies are read."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import CodeType
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

from lect.apart import function
from lect.errors import MessageError, PluginError, expect_one_of, near_names, saferepr
from lect.facts import Facts
from lect.format.prompt import Prompt
from lect.format.replies import Replies
from lect.objects import plain_messages
from lect.prompt.chat import Chat, read_chat
from lect.prompt.fields import is_list
from lect.prompt.limits import DEFAULT, LONGEST_UNCOUNTED, Limits, is_encodable
from lect.prompt.message import Request
from lect.prompt.program import digest_of, parts_in, run_program
from lect.prompt.segments import from_program
from lect.prompt.writer import TrackingWriter, Writer
from lect.values import ControlPolicy

if TYPE_CHECKING:
    from lect.reply.grammar import Grammar
    from lect.tokens.edges import Edges

FACTS = (Facts.__init__.__kwdefaults__ or {}).keys()
CONTROL_POLICIES: tuple[ControlPolicy, ...] = get_args(ControlPolicy)
CHECKS = frozenset({"continue_final_message", "limits", "on_control", "strict"})
"""The arguments of `render` for which more than the text is needed."""
_make = tuple.__new__


class Template(Replies):
    """The format of one model, or of several that share it. It does not change once created.

    Args:
        name: The name by which people find it.
        program: A function that writes a conversation: `program(chat, out)`, with a `Chat` and a `Writer`.
        reply: The grammar of the model's replies; None if they are plain text.
        facts: The other facts of the format: `roles`, `bos`, `eos`, `stop`, `stop_ids`, `markers`, `control_tokens`,
            `text_separators`, `default_system`, `capabilities`, `options`, `accepts`, `source`, `evidence` and
            `revisions`.
    """

    __slots__ = ("__weakref__", "_edges", "_leaks", "_made_at", "_stamp", "program", "reply")

    program: Callable[[Chat, Writer], None]
    reply: Grammar | None

    def __init__(
        self, name: str, program: Callable[[Chat, Writer], None], *, reply: Grammar | None = None, **facts: Any
    ):
        for fact in facts:
            if fact not in FACTS:
                meant = near_names(fact, FACTS) or ["one of " + ", ".join(FACTS)]
                raise PluginError(f"template {name!r}: there is no fact {fact!r}\n  try: {meant[0]}")
        if reply is not None and not hasattr(reply, "sections"):
            msg = f"template {name!r}: reply is {saferepr(reply)}; expected a Grammar\n  try: reply=SOME_FORMAT.grammar"
            raise PluginError(msg)
        super().__init__(name, **facts)
        self.program, self.reply = program, reply
        self._edges: dict[bytes, Edges] = {}
        self._leaks: bool | None = None
        self._stamp: tuple[str, Callable[[str, Template], tuple[Any, ...] | None]] | None = None
        self._made_at = _caller()
        self._frozen = True

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"

    def __copy__(self, *memo: object) -> Self:
        return self

    __deepcopy__ = __copy__

    def __reduce__(self) -> tuple[Any, ...]:
        # The registry has stamped the templates of installed packages with how to find them again by name.
        if self._stamp is not None:
            name, found_by = self._stamp
            if (reduced := found_by(name, self)) is not None:
                return reduced
        return remade, (type(self), self.stated())

    @property
    def label(self) -> str:
        return self.name if self._stamp is None else self._stamp[0]

    def stated(self) -> dict[str, Any]:
        return super().stated() | {"program": self.program, "reply": self.reply}

    def but(self, **changes: Any) -> Self:
        """Return a copy of the template in which some of the constructor's arguments are replaced.

        Raises:
            PluginError: If the constructor has no such argument.
        """
        return type(self)(**(self.stated() | changes))

    @property
    def table(self) -> Template | None:
        """The format as a turn table; None if it cannot be written as one. `lect_convert` starts from it.

        The two write the same prompts if user and assistant take turns, the user first and with a text.
        """
        return None

    @property
    def beyond_table(self) -> str:
        """Why the format cannot be written as a turn table, for people."""
        options = [name for name in self.options if not name.endswith("_token")]
        more = ", ".join([*sorted(set(self.capabilities) - {"system"}), *options])
        return "it is a program, which does more than surround the text of each role" + (more and f": {more}")

    @property
    def written_at(self) -> str:
        """The file and the line in which the format is written: its program, or the table."""
        code: CodeType | None = getattr(getattr(self.program, "func", self.program), "__code__", None)
        return self._made_at if code is None else f"{code.co_filename}:{code.co_firstlineno}"

    def render(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
        add_generation_prompt: bool = False,
        continue_final_message: bool = False,
        strict: bool = False,
        on_control: ControlPolicy = "report",
        limits: Mapping[str, int] | None = None,
        **options: Any,
    ) -> Prompt:
        """Render a conversation.

        Args:
            messages: OpenAI-shaped messages, as mappings or as objects with `model_dump()`.
            tools: OpenAI tool schemas, likewise.
            add_generation_prompt: End the prompt where the assistant begins to speak.
            continue_final_message: End the prompt within the last message, an assistant's, so that the model continues
                its last text, or its reasoning if it has no content. The message is written as in history; with
                `add_generation_prompt`, the text follows the generation prompt, as if the model itself had begun it.
            strict: Raise an error if something given would not reach the prompt, unless by the maker's intention.
            on_control: What to do about control markers in text from outside: `report` them in `.controls`, `raise` an
                error, or `allow` them.
            limits: Limits other than the defaults: the number of `messages` and `tools`, the `depth` of nested values,
                the `bytes` of the prompt, and the number of `controls` that are listed.
            options: The maker's own options, such as `enable_thinking`. `.options` lists those that the template reads.

        Raises:
            MessageError: If the messages have a wrong type or shape, or the model's format does not allow them.
            LimitError: If they, the tools or the prompt are larger than the limits allow.
        """
        policy = expect_one_of(CONTROL_POLICIES, "on_control", on_control, MessageError)
        allowed = DEFAULT
        if limits is not None:
            allowed = Limits(limits)
            allowed.check_counts(messages, tools)
        written, begins_last = messages, False
        if continue_final_message:
            from lect.format.prefill import marked, with_beginning, without_end

            messages = plain_messages(messages)
            begins_last = add_generation_prompt and is_list(messages)
            written = messages[:-1] if begins_last else marked(messages)
        request = _make(Request, (written, tools, options, add_generation_prompt))
        chat, request = read_chat(self, request, tracked=True, limits=allowed)
        out = TrackingWriter()
        run_program(self.program, chat, out)
        # Proven only after it has worked: a hostile template would use up the limits in every run of the proof.
        if self._is_leaky():
            from lect.prompt.proof import mark_unknown

            mark_unknown(self, self.program, request, out)
        source = from_program(chat, out)
        if continue_final_message:
            source = with_beginning(source, messages) if begins_last else without_end(self.name, source, messages)
            request = request._replace(messages=messages, add_generation_prompt=True)
        allowed.check_prompt(source.text)
        prompt = Prompt(self, source, request, most_controls=0 if policy == "allow" else allowed.controls)
        if strict or policy == "raise" or not (prompt.text.isascii() or is_encodable(prompt.text)):
            from lect.format.refusals import check

            check(prompt, strict=strict, policy=policy)
        return prompt

    def _is_leaky(self) -> bool:
        """Return whether the caller's text loses its origin."""
        if self._leaks is None:
            from lect.prompt.proof import leak_of

            self._leaks = leak_of(self, self.program, self._sought()) is not None
        return self._leaks

    @property
    def digest(self) -> str:
        """The digest of what writes its prompts: while it stays the same, so do they."""
        return digest_of(self.program)

    def _sought(self) -> Iterable[str]:
        """Return the words that the program may look for in texts."""
        return [part for part in parts_in(self.program) if isinstance(part, str)]

    def text(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
        add_generation_prompt: bool = False,
        **arguments: Any,
    ) -> str:
        """Return only the text of the prompt, often in half the time: `render(...).text`, with the same arguments."""
        if not CHECKS.isdisjoint(arguments):
            return self.render(messages, tools=tools, add_generation_prompt=add_generation_prompt, **arguments).text
        return self._written(_make(Request, (messages, tools, arguments, add_generation_prompt)))

    def fit(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] | None = None,
        *,
        late_system: Literal["user", "first", "refuse"] = "user",
        split_text: bool = False,
        invent: bool = False,
        strict: bool = False,
        **options: Any,
    ) -> Any:
        """Return a request, changed as little as possible so that the format carries it: a `lect_fit.Fitted`.

        It is in the package `lect-fit`; `lect_fit.fit` says more of each argument.

        Args:
            messages: OpenAI-shaped messages.
            tools: OpenAI tool schemas.
            late_system: Who says instructions after other turns: the `user`, the `first` system message, or `refuse`.
            split_text: Whether to make an answer of a text beside a call, where the format writes only one of them.
            invent: Whether to add what nobody said, where the format demands it: a turn of the user, or a result.
            strict: Whether to refuse what cannot be carried; otherwise `left` lists it.
            options: The other arguments of `render`.

        Raises:
            PluginError: If the package is not installed.
            RefusedError: With `strict`, if the format refuses the request nevertheless; or for a late system message.
            UnusedInputError: With `strict`, if something would be lost.
        """
        wishes = {"late_system": late_system, "split_text": split_text, "invent": invent, "strict": strict}
        return function("fit")(self, messages, tools, **wishes, **options)

    def effort(self, level: Literal["off", "low", "medium", "high"]) -> dict[str, Any]:
        """Return the options by which the format says how hard the model is to think; empty if it cannot say it.

        Where it has no such level, it is the nearest: `off` is the least there is. It is in the package `lect-fit`.

        Raises:
            PluginError: If the package is not installed.
        """
        options: dict[str, Any] = function("effort")(self, level)
        return options

    def _written(self, request: Request) -> str:
        """Return the prompt as the program writes it."""
        chat, request = read_chat(self, request, tracked=False)
        out = Writer()
        try:
            run_program(self.program, chat, out)
            text = out.joined()
            if len(text) > LONGEST_UNCOUNTED:
                DEFAULT.check_prompt(text)
            if text.isascii() or is_encodable(text):
                return text
        except PluginError:
            pass
        # This fails too, and can name the message or field.
        messages, tools, options, add_generation_prompt = request
        return self.render(messages, tools=tools, add_generation_prompt=add_generation_prompt, **options).text


def remade(kind: type[Template], stated: dict[str, Any]) -> Template:
    """Rebuild a template from what it states; unpickling calls this."""
    return kind(**stated)


def _caller() -> str:
    """Return the file and line that creates a template, even through a subclass, `but`, or unpickling."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_name in ("__init__", "but", "checked", "remade"):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
