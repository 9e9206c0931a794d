"""Write a conversation in a separator style: quickly as text, or piece by piece, so that each can keep its origin."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NoReturn

from lect.errors import MessageError
from lect.plugin import plain_str, unknown
from lect_fastchat.separators import SeparatorStyle
from lect_fastchat.styles import ALWAYS, IF_FORMATTED, IF_GIVEN, NOTHING, SEP, STYLES, End, Pairs, Style

PLACEHOLDER = "{system_message}"


class StyleFields:
    """A style with its separators and its system template filled in.

    Attributes:
        style: The style.
        head: What precedes the system text; None where the system template is not simply a placeholder between two
            texts.
        tail: The part of the system template after the system text.
        after_system: What follows that.
        end: What follows a text. None only where a separator is None, which is an error once it has to be written.
        odd_end: What follows every other text.
        quick: The same for the quick way; None where the table does not describe the turns completely.
    """

    __slots__ = ("after_system", "end", "head", "odd_end", "quick", "style", "tail")

    def __init__(self, style: Style, head: str | None, tail: str, after_system: Any, end: Any, odd_end: Any):
        self.style = style
        self.head = head
        self.tail = tail
        self.after_system = after_system
        self.end = end
        self.odd_end = odd_end
        self.quick: Quick | None = None

    def prompt(self, fields: Any, system: Any, pairs: Sequence[Sequence[Any]]) -> str:
        """Return the prompt for `(role, text)` pairs.

        Raises:
            MessageError: If the style cannot write them.
        """
        if self.quick is not None:
            try:
                return _quick_prompt(self.quick, system, pairs)
            except (TypeError, ValueError):
                # Something in them is not plain text, perhaps an image.
                pass
        style = self.style
        out = [style.opening]
        try:
            write_system(out, self, fields, system)
            write_turns(out, self, fields, pairs if style.last is None else pairs[-style.last :])
            return "".join(out)
        except (TypeError, ValueError, AttributeError) as error:
            if isinstance(error, MessageError):
                raise
            _refuse(fields, style, pairs)


Quick = tuple[str | None, str, bool, str, str, str, str, str]


@lru_cache(maxsize=1024)
def _filled_style(sep_style: Any, sep: Any, sep2: Any, system_template: str) -> StyleFields:
    """Return how a conversation with these fields is written.

    Raises:
        MessageError: If there is no such style.
    """
    style = STYLES.get(sep_style)
    if style is None:
        raise MessageError(
            f"sep_style is {sep_style!r}, which is not a separator style\n"
            f"  try: one of {', '.join(SeparatorStyle.__members__)}"
        )

    def filled(end: End) -> Any:
        separator, text = end
        mark = "" if separator == NOTHING else sep if separator == SEP else sep2
        return mark if mark is None or not text else mark + text

    end, after_system = filled(style.end), filled(style.after_system)
    odd_end = end if style.odd_end is None else filled(style.odd_end)
    head, found, tail = system_template.partition(PLACEHOLDER)
    simple = found and not any(brace in head + tail for brace in "{}")
    made = StyleFields(style, head if simple else None, tail, after_system, end, odd_end)
    if (
        not style.by_table
        or None in (after_system, end, odd_end)
        or (not simple and (found or any(brace in head for brace in "{}")))
    ):
        return made
    without = style.opening + style.without_system
    before, after = style.opening + head, tail + after_system
    always = style.when == ALWAYS or (style.when == IF_FORMATTED and head + tail != "")
    if not found:
        # A system template without a place for the system text: FastChat drops the text silently.
        if style.when == IF_GIVEN:
            return made
        without = before + after if always else without
    made.quick = (before if found else None, after, always, without, style.colon, style.bare, end, odd_end)
    return made


def fill_style(fields: Any) -> StyleFields:
    """Return how a conversation is written.

    Raises:
        MessageError: If it has no separator style, or a field has the wrong type.
    """
    try:
        return _filled_style(fields.sep_style, fields.sep, fields.sep2, fields.system_template)
    except (TypeError, AttributeError):
        for field in ("sep", "sep2", "system_template"):
            value = getattr(fields, field)
            if not isinstance(value, str) and (value is not None or field == "system_template"):
                raise MessageError(f"{field} is {value!r} ({type(value).__name__}); expected text") from None
        raise


def formatted(system_template: str, system: Any) -> str:
    """Return the system template with the system text in it.

    Raises:
        MessageError: If the template has a place for something else.
    """
    try:
        return system_template.format(system_message=system)
    except (LookupError, ValueError, AttributeError) as error:
        raise MessageError(
            f"system_template is {system_template!r}, which cannot be filled in: {type(error).__name__}: {error}\n"
            f"  try: {PLACEHOLDER} alone"
        ) from None


def _quick_prompt(quick: Quick, system: str, pairs: Sequence[Sequence[Any]]) -> str:
    """Return the prompt in a style that the table describes completely."""
    before, after, always, without, colon, bare, end, odd_end = quick
    out = [without if before is None or not (system or always) else before + system + after]
    if not colon and odd_end is end:
        # Adding so few strings is faster than appending them to a list.
        out += [role + text + end if text else role + bare for role, text in pairs]
        return "".join(out)
    for role, text in pairs:
        if text:
            out += role, colon, text, end
        else:
            out += role, bare
        end, odd_end = odd_end, end
    return "".join(out)


def write_system(out: list[str], filled: StyleFields, fields: Any, system: str) -> None:
    """Write the system text by the style's rule, piece by piece."""
    when = filled.style.when
    if filled.head is not None and isinstance(system, str):
        pieces = [filled.head, system, filled.tail]
    else:
        text = formatted(fields.system_template, plain_str(system) if isinstance(system, str) else system)
        is_in_it = type(system) is not str and text != formatted(fields.system_template, "")
        pieces = [unknown(text) if is_in_it else text]
    if when == ALWAYS or (when == IF_FORMATTED and any(pieces)) or (when == IF_GIVEN and system):
        out += pieces
        out.append(filled.after_system)
    else:
        out.append(filled.style.without_system)


def write_turns(out: list[str], filled: StyleFields, fields: Any, pairs: Pairs) -> None:
    """Write the turns piece by piece. A text with images is a tuple `(text, images)`."""
    style = filled.style
    if style.write is not None:
        style.write(out, fields, pairs)
        return
    colon, bare, end, odd_end = style.colon, style.bare, filled.end, filled.odd_end
    images, clean = style.images, style.clean
    for role, text in pairs:
        if not text:
            out += role, bare
        elif type(text) is tuple and images is not None:
            words, pictures = text
            out += role, colon, *([images] * len(pictures)), words, end
        elif clean is not None:
            out += role, colon, clean(text), end
        else:
            out += role, colon, text, end
        end, odd_end = odd_end, end


def _refuse(fields: Any, style: Style, pairs: Sequence[Any]) -> NoReturn:
    """Raise an error that says why a conversation cannot be written."""
    name = SeparatorStyle(fields.sep_style).name
    for index, pair in enumerate(pairs):
        where = f"messages[{index}]"
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise MessageError(f"{where} is {pair!r}; expected a role and a text")
        role, text = pair
        if not isinstance(role, str):
            raise MessageError(f"the role of {where} is {role!r} ({type(role).__name__}); expected text")
        if isinstance(text, tuple) and style.images is None:
            able = ", ".join(SeparatorStyle(value).name for value, each in STYLES.items() if each.images)
            msg = f"{where} has images, for which {name} has no place\n  try: the text alone, or one of {able}"
            raise MessageError(msg)
        if text and not isinstance(text, str) and not _is_illustrated(text):
            msg = f"the text of {where} is {text!r} ({type(text).__name__}); expected text, or (text, [images])"
            raise MessageError(msg)
    raise MessageError(
        f"{name} cannot write this conversation with sep={fields.sep!r} and sep2={fields.sep2!r}\n"
        "  try: a text for each"
    )


def _is_illustrated(text: Any) -> bool:
    return isinstance(text, tuple) and len(text) == 2 and isinstance(text[0], str) and isinstance(text[1], list | tuple)
