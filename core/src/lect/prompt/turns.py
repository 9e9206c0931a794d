"""Turn tables: a format that is a prefix and a suffix for each role, said as data."""

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from lect.prompt.messages import messages_of_pairs
from lect.prompt.shapes import is_encodable
from lect.prompt.template import Template

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lect.prompt.chat import Chat
    from lect.prompt.messages import Message
    from lect.prompt.writer import Writer

ROUND = "{round}"


class Turn(NamedTuple):
    """What stands round the text of one turn."""

    prefix: str = ""
    suffix: str = ""
    bare: str | None = None
    """What is written instead of all that where the text is empty; None where emptiness makes no difference."""


class TurnTemplate(Template):
    """A format that needs no program: what stands round each role's text.

    Args:
        name: Under what name people find it.
        system: Round the system text; None where the format has no place for one.
        user: Round a user's text. `{round}` in a prefix is the number of the round.
        assistant: Round an answer.
        tool: Round a tool's result; None where the format has no place for one.
        user_after_system: Round the user text that follows the system text, where the two share a turn.
        generation: What the prompt ends with where the assistant shall speak; the prefix of an answer, if not given.
        examples: Turns that the format writes before every conversation, as `(role, text)`.
        first_round: The number of the first round.
        trim: Whether text is stripped of white space at both ends.
        facts: What `Template` takes: bos, stop, markers, default_system, ...
    """

    __slots__ = ("_around", "_pairwise", "examples", "first_round", "generation", "trim", "turns", "user_after_system")

    turns: "Mapping[str, Turn]"
    user_after_system: Turn | None
    generation: str
    examples: tuple[tuple[str, str], ...]
    first_round: int
    trim: bool

    def __init__(
        self,
        name: str,
        *,
        system: Turn | None = None,
        user: Turn,
        assistant: Turn,
        tool: Turn | None = None,
        user_after_system: Turn | None = None,
        generation: str | None = None,
        examples: "Iterable[tuple[str, str]]" = (),
        first_round: int = 1,
        trim: bool = False,
        **facts: Any,
    ):
        turns = {"system": system, "user": user, "assistant": assistant, "tool": tool}
        self.turns = MappingProxyType({role: turn for role, turn in turns.items() if turn is not None})
        self.user_after_system = user_after_system
        self.generation = assistant.prefix if generation is None else generation
        self.examples = tuple(examples)
        self.first_round = first_round
        self.trim = trim
        numbered = ROUND in self.generation or any(
            ROUND in turn.prefix + (turn.bare or "") for turn in self.turns.values()
        )
        self._pairwise = not (numbered or trim or user_after_system or self.examples)
        self._around = {
            role: (turn.prefix, turn.suffix, turn.bare) for role, turn in self.turns.items() if role != "system"
        }
        facts.setdefault("roles", tuple(self.turns))
        # A turn for results makes no format with tools: a table has no words for schemas and calls.
        facts.setdefault("capabilities", ["system"] if system is not None else [])
        super().__init__(name, self._write, looks_for=(), **facts)

    def _write(self, chat: "Chat", out: "Writer") -> None:
        messages = chat.messages
        system = chat.system
        if chat.bos:
            out.append(chat.bos)
        after_system = False
        if "system" in self.turns and (system is not None or self.default_system):
            out.turn(system)
            self._write_turn(
                out, self.turns["system"], self.default_system if system is None else self._text_of(system), 0
            )
            out.turn(None)
            after_system = True
        rounds = self.first_round - 1
        for example_role, text in self.examples:
            rounds += example_role == "user"
            self._write_turn(out, self._turn_of(example_role, after_system=after_system), text, rounds)
            after_system = False
        for message in out.turns(messages[1:] if system else messages):
            role = message.role
            if role in self.turns:
                rounds += role == "user"
                self._write_turn(out, self._turn_of(role, after_system=after_system), self._text_of(message), rounds)
                after_system = role == "system"
        if chat.add_generation_prompt:
            out.append(self.generation.replace(ROUND, str(rounds)))

    def _turn_of(self, role: str, *, after_system: bool) -> Turn:
        shared = self.user_after_system if after_system and role == "user" else None
        return self.turns[role] if shared is None else shared

    def _text_of(self, message: "Message") -> str:
        return message.content.strip() if self.trim else message.content

    def _write_turn(self, out: "Writer", turn: Turn, text: str, rounds: int) -> None:
        prefix, suffix, bare = turn
        if not text and bare is not None:
            out.append(bare.replace(ROUND, str(rounds)))
        elif ROUND in prefix:
            out += prefix.replace(ROUND, str(rounds)), text, suffix
        else:
            out += prefix, text, suffix

    def pairs_text(self, system: str | None, pairs: "Sequence[Sequence[Any]]", *, add_generation_prompt: bool) -> str:
        """Return the prompt for `(role, text)` pairs: the way of a `Conversation`, which holds nothing else.

        Raises:
            MessageError: If a role is none of the format's, or a text is no text.
        """
        result = self._joined(system, pairs, add_generation_prompt=add_generation_prompt) if self._pairwise else None
        if result is None or not (result.isascii() or is_encodable(result)):
            # The long way: it reads what is not plain text, and says clearly what is wrong.
            return self.text(
                messages_of_pairs(system, pairs, self.accepted_roles), add_generation_prompt=add_generation_prompt
            )
        return result

    def _joined(
        self, system: str | None, pairs: "Sequence[Sequence[Any]]", *, add_generation_prompt: bool
    ) -> str | None:
        """Return the prompt for pairs of which each is a plain text of a role of the format; None where one is not."""
        around = self._around
        pieces = [self.bos] if self.bos else []
        if system is None:
            system = self.default_system or None
        try:
            if system is not None and "system" in self.turns:
                prefix, suffix, bare = self.turns["system"]
                pieces.append(prefix + system + suffix if system or bare is None else bare + system)
            for role, text in pairs:
                prefix, suffix, bare = around[role]
                # To add an empty text changes nothing, but lets no None and no zero pass for one.
                pieces.append(prefix + text + suffix if text or bare is None else bare + text)
        except (KeyError, TypeError, ValueError):
            return None
        if add_generation_prompt:
            pieces.append(self.generation)
        return "".join(pieces)
