"""Turn tables: formats that are a prefix and a suffix for each role, stated as data."""

# Annotations are not postponed: a named tuple with string annotations takes twice as long to create.
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, Self

from lect.boundaries import boundary
from lect.format.template import Template
from lect.prompt.chat import Chat
from lect.prompt.limits import DEFAULT, LONGEST_UNCOUNTED, is_encodable
from lect.prompt.message import Message, Request
from lect.prompt.writer import Writer

ROUND = "{round}"
"""The placeholder for the number of the round in a `Turn`."""
ROLE = "{role}"
"""The placeholder for the role as it was given, in the turn of other roles."""
EOS = "{eos}"
"""The placeholder for the text that closes an answer, which may be the tokenizer's."""
ROLE_AND_TEXT = itemgetter("role", "content")

FIELDS = (
    "other", "user_after_system", "opening", "without_system", "generation", "closing", "examples", "first_round",
    "trim", "empty", "system_first", "refuses",
)  # fmt: skip
"""What a table states besides its turns and the facts of every template."""

Entry = tuple[str, str, str | None, bool]
"""Prefix, suffix, bare, and whether it takes more than writing them."""


class Turn(NamedTuple):
    """The prefix and the suffix of a turn.

    `{round}` is the number of the round, `{role}` the role as it was given, `{eos}` the text that closes an answer.
    """

    prefix: str = ""
    """What is written before the text."""
    suffix: str = ""
    """What is written after it."""
    bare: str | None = None
    """What is written instead if the text is empty; None if that makes no difference."""


class TurnTemplate(Template):
    """A format that needs no program: a prefix and a suffix for each role.

    Args:
        name: The name by which people find it.
        system: The turn of a system text; None if the format has no place for one.
        user: The turn of a user.
        assistant: The turn of an assistant.
        tool: The turn of a tool's result; None if the format has no place for one.
        other: The turn of any other role; None if the format has no place for one.
        user_after_system: The turn of the user that follows the system text, if the two share a turn.
        opening: What is written before all turns, apart from the BOS.
        without_system: What is written instead of the system's turn if there is none.
        generation: The generation prompt; by default the prefix of an answer.
        closing: The end of a prompt without a generation prompt.
        examples: Turns that the format writes before every conversation, as `(role, text)`.
        first_round: The number of the first round.
        trim: Whether text is stripped of white space at both ends.
        empty: What is written if there are no messages: `all`, the `generation` prompt alone, or `nothing`.
        system_first: Whether a system text that does not come first is left out.
        refuses: Whether roles without a turn are refused instead of left out.
        program: What writes all that the table cannot, such as tools and calls, as in `Template`; the table then holds
            for ordinary chats: messages of a role and a text, a user first or after the system text, then users and
            assistants, and with an answer at the end or a generation prompt. Both must write the same.
        facts: What `Template` takes: bos, stop, markers, default_system, reply, ...
    """

    __slots__ = ("_ends", "_head", "_is_table", "_later_table", "_static", "_table", "_tracked_table", "turns", *FIELDS)

    turns: Mapping[str, Turn]

    @boundary
    def __init__(
        self,
        name: str,
        *,
        system: Turn | None = None,
        user: Turn,
        assistant: Turn,
        tool: Turn | None = None,
        other: Turn | None = None,
        user_after_system: Turn | None = None,
        opening: str = "",
        without_system: str = "",
        generation: str | None = None,
        closing: str = "",
        examples: Iterable[tuple[str, str]] = (),
        first_round: int = 1,
        trim: bool = False,
        empty: Literal["all", "generation", "nothing"] = "all",
        system_first: bool = False,
        refuses: bool = False,
        program: Callable[[Chat, Writer], None] | None = None,
        **facts: Any,
    ):
        turns = {"system": system, "user": user, "assistant": assistant, "tool": tool}
        self.turns = MappingProxyType({role: turn for role, turn in turns.items() if turn is not None})
        self.other, self.user_after_system = other, user_after_system
        self.opening, self.without_system, self.closing = opening, without_system, closing
        self.generation = assistant.prefix if generation is None else generation
        self.examples, self.first_round = tuple(examples), first_round
        self.trim, self.empty, self.system_first, self.refuses = trim, empty, system_first, refuses
        facts.setdefault("roles", tuple(self.turns))
        # A turn for results does not make a format with tools: a table has no place for schemas and calls.
        facts.setdefault("capabilities", ["system"] if system is not None else [])
        self._is_table = program is None
        super().__init__(name, program or self._write, **facts)
        self._tracked_table = self._entries(filled=False)
        has_places = any(each[3] for each in self._tracked_table.values())
        self._table = self._entries(filled=True) if has_places else self._tracked_table
        special = has_places and any(each[3] for each in self._table.values())
        self._static = not (special or ROUND in self.generation + closing)
        ends = (self.generation, closing)
        self._ends = tuple(end.replace(EOS, self.eos).replace(ROLE, "assistant") for end in ends)
        self._later_table = self._table
        if system_first:
            self._later_table = {role: entry for role, entry in self._table.items() if role != "system"}
        if program is not None:
            self._later_table = {role: self._table[role] for role in ("user", "assistant")}
            self._table = {role: self._table[role] for role in ("system", "user") if role in self._table}
        self._head: str | None = None
        if self._is_table:
            # It writes each text as a piece of its own.
            self._leaks = False

    def stated(self) -> dict[str, Any]:
        return super().stated() | {
            "program": None if self._is_table else self.program,
            **{role: self.turns.get(role) for role in ("system", "user", "assistant", "tool")},
            **{field: getattr(self, field) for field in FIELDS},
            # If it came from the assistant's turn, it follows changes of that turn.
            "generation": None if self.generation == self.turns["assistant"].prefix else self.generation,
        }

    @property
    def table(self) -> Self | None:
        return self if self._is_table else None

    @property
    def written_at(self) -> str:
        return self._made_at

    def _entries(self, *, filled: bool) -> dict[str, Entry]:
        """Return what surrounds the text of every role, with or without the role and the eos filled in.

        For segments they are not: a role is the caller's, and so is an eos that is given as an option.
        """
        numbered = any(ROUND in f"{turn.prefix}{turn.suffix}{turn.bare}" for turn in self.turns.values())
        entries = {}
        for role in self.accepted_roles:
            if (turn := self.turns.get(role, self.other)) is None:
                continue
            texts = [turn.prefix, turn.suffix, "" if turn.bare is None else turn.bare]
            if filled:
                texts = [text.replace(EOS, self.eos).replace(ROLE, role) for text in texts]
            has_place = any(place in text for place in (ROUND, ROLE, EOS) for text in texts)
            special = has_place or bool(self.user_after_system) or (numbered and role == "user")
            entries[role] = (texts[0], texts[1], None if turn.bare is None else texts[2], special)
        return entries

    def _write(self, chat: Chat, out: Writer) -> None:
        table = self._tracked_table if chat.tracked or chat.options else self._table
        system, rounds, after_system = chat.system, self.first_round - 1, False

        def filled(text: str, role: str) -> list[str]:
            """Return a text in pieces, with its placeholders filled in."""
            if "{" not in text:
                return [text]
            values = {ROUND: str(rounds), ROLE: role, EOS: chat.eos}
            return [values.get(piece, piece) for piece in re.split(r"(\{(?:round|role|eos)\})", text)]

        def write_special(role: str, text: str) -> None:
            """Write a turn that depends on what came before: on the round, or on the system text."""
            nonlocal rounds, after_system
            prefix, suffix, bare, _ = table[role]
            if after_system and role == "user" and self.user_after_system is not None:
                prefix, suffix, bare = self.user_after_system
            after_system = role == "system"
            rounds += role == "user"
            if bare is None or text:
                out.extend((*filled(prefix, role), text, *filled(suffix, role)))
            else:
                out.extend((*filled(bare, role), text))

        if chat.messages or self.empty == "all":
            out += chat.bos, self.opening
            if system is not None and "system" in self.turns:
                out.turn(system)
                write_turns(out, [(system.role, self._text_of(system))], table, write_special)
                out.turn(None)
            elif system is None and (default := self._default_system()):
                write_turns(out, default, table, write_special)
            else:
                out.append(self.without_system)
            write_turns(out, self.examples, table, write_special)
        write_turns(out, self._pairs(chat, out.turns(chat.without_system)), table, write_special)
        if chat.messages or self.empty != "nothing":
            out += filled(self.generation if chat.add_generation_prompt else self.closing, "assistant")

    def _default_system(self) -> list[tuple[str, str]]:
        return [("system", self.default_system)] if self.default_system and "system" in self.turns else []

    def _pairs(self, chat: Chat, messages: Iterable[Message]) -> Iterator[tuple[str, str]]:
        for message in messages:
            role = message.role
            if role in self._table and not (self.system_first and role == "system"):
                yield role, self._text_of(message)
            elif self.refuses:
                chat.refuse(f"there is no turn for the role {role!r}", instead=", ".join(self.turns))

    def _text_of(self, message: Message) -> str:
        return message.content.strip() if self.trim else message.content

    def _pairs_text(self, system: str | None, pairs: Sequence[Sequence[Any]], generate: bool) -> str | None:
        """Return the prompt for `(role, text)` pairs, all that a `Conversation` holds; None where `_joined` does."""
        given = pairs if system is None else [("system", system), *pairs]
        return self._joined(iter(given), generate) if self._is_table and len(given) <= DEFAULT.messages else None

    def _written(self, request: Request) -> str:
        messages, tools, options, add_generation_prompt = request
        text = None
        if self._static and type(messages) is list and len(messages) <= DEFAULT.messages and not (tools or options):
            try:
                is_ordinary = self._is_table or bool(add_generation_prompt) is (messages[-1]["role"] != "assistant")
                # A message with another field may say more than its text.
                if is_ordinary and sum(map(len, messages)) == 2 * len(messages):
                    text = self._joined(map(ROLE_AND_TEXT, messages), add_generation_prompt)
            except (LookupError, TypeError, ValueError, AttributeError):
                pass
        return super()._written(request) if text is None else text

    def _joined(self, pairs: Iterator[Sequence[Any]], add_generation_prompt: bool) -> str | None:
        """Return the prompt for pairs of role and text; None where a turn depends on others, or one is not plain."""
        if not self._static:
            return None
        try:
            if self.trim:
                pairs = ((role, text.strip()) for role, text in pairs)
            first = next(pairs)
            if first[0] != "system":
                if self._head is None:
                    self._head = "".join(self._opened(self._default_system()))
                out = [self._head]
                write_turns(out, [first], self._table)
            elif "system" in self.turns:
                # It replaces the default, and the examples follow it.
                out = self._opened([first])
            elif self._is_table and isinstance(first[1], str):
                # There is no place for it, nor for the default.
                out = self._opened([])
            else:
                return None
            write_turns(out, pairs, self._later_table)
            generation, closing = self._ends
            out.append(generation if add_generation_prompt else closing)
            text = "".join(out)
        except (LookupError, TypeError, ValueError, AttributeError, StopIteration):
            # There are none, or something in them is not just a text for a role that has a turn.
            return None
        return text if len(text) <= LONGEST_UNCOUNTED and (text.isascii() or is_encodable(text)) else None

    def _opened(self, system: Sequence[Sequence[str]]) -> list[str]:
        out = [self.bos, self.opening, "" if system else self.without_system]
        write_turns(out, system, self._table)
        write_turns(out, self.examples, self._table)
        return out


def write_turns(
    out: list[str],
    pairs: Iterable[Sequence[str]],
    table: Mapping[str, Entry],
    special: Callable[[str, str], None] | None = None,
) -> None:
    """Write turns, one after the other: the loop that writes all prompts of a table."""
    for role, text in pairs:
        prefix, suffix, bare, is_special = table[role]
        if is_special and special is not None:
            special(role, text)
        elif bare is None or text:
            out += prefix, text, suffix
        else:
            # An empty text changes nothing, but a value that is not text, such as None, is found when all is joined.
            out += bare, text
