"""What each separator style writes, as a table.

A turn is a role, a colon of some kind, the text and an end; a role with no text yet is followed by something shorter.
Most styles are no more than that, with a rule for the system text. In FastChat the *position* of a message determines
its end, not its role: the first, third, ... have one, the second, fourth, ... the other. The few styles that need more
have a function here.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from lect_fastchat.separators import IMAGE_PLACEHOLDER_STR, SeparatorStyle

NOTHING, SEP, SEP2 = 0, 1, 2

# When the system text is written: always, if the filled-in system template is not empty, if the text itself is not
# empty, or never.
ALWAYS, IF_FORMATTED, IF_GIVEN, NEVER = range(4)

Pairs = Iterable[Sequence[Any]]
End = tuple[int, str]
"""How something ends: with one of the two separators or none, then a text."""


class Style:
    """One separator style. Not a named tuple: creating that class takes longer than the rest of this module.

    Attributes:
        colon: What is written between a role and its text.
        bare: What follows a role that has no text.
        end: What follows the text of the first, third, ... message.
        odd_end: What follows the text of the others; None where it is the same.
        opening: What every prompt begins with.
        when: When the system text is written.
        after_system: What follows the system text.
        without_system: What is written instead of it.
        images: What is written before a text for each of its images; None where the style has no place for images.
        clean: A function applied to every text.
        last: How many of the last messages are written; None for all.
        write: A function that writes the turns, where this table is not enough.
        marks: The markers that `write` adds.
    """

    when: int = ALWAYS
    opening: str = ""
    after_system: End = (SEP, "")
    without_system: str = ""
    images: str | None = None
    clean: "Callable[[Any], str] | None" = None
    last: int | None = None
    write: "Callable[[list[str], Any, Pairs], None] | None" = None
    marks: tuple[str, ...] = ()

    def __init__(self, colon: str, bare: str, end: End, odd_end: End | None = None, **rest: Any):
        self.colon = colon
        self.bare = bare
        self.end = end
        self.odd_end = odd_end
        self.__dict__.update(rest)

    @property
    def by_table(self) -> bool:
        """Whether the table describes the turns completely."""
        return self.write is None and self.clean is None and self.last is None


def rounds(out: list[str], fields: Any, pairs: Pairs) -> None:
    """Write the numbered rounds of ChatGLM; FastChat counts from 1 in a template called `chatglm2`, else from 0."""
    sep = fields.sep
    number = 1 if fields.name == "chatglm2" else 0
    even = True
    for role, text in pairs:
        if even:
            out += "[Round ", str(number), "]", sep
            number += 1
        even = not even
        if text:
            # Anything but text is converted with str(): FastChat does so with images.
            out += role, "：", text if isinstance(text, str) else str(text), sep
        else:
            out += role, "："


def opened_rounds(out: list[str], fields: Any, pairs: Pairs) -> None:
    """Write the rounds of InternLM, each opened by `<s>`."""
    end, other = fields.sep, fields.sep2
    even = True
    for role, text in pairs:
        if even:
            out.append("<s>")
        even = not even
        if text:
            out += role, ":", text, end, "\n"
        else:
            out += role, ":"
        end, other = other, end


def instructions(out: list[str], fields: Any, pairs: Pairs) -> None:
    """Write the instructions of Llama 2.

    The first one's tag has been written already, and the position determines the tag, whatever the role is called.
    """
    end, other = fields.sep, fields.sep2
    tag, other_tag = fields.roles[:2]
    first = True
    for _, text in pairs:
        if not text:
            out.append(tag)
        elif first:
            out += text, " "
        else:
            out += tag, " ", text, end
        end, other = other, end
        tag, other_tag = other_tag, tag
        first = False


def headed_turns(out: list[str], fields: Any, pairs: Pairs) -> None:
    """Write the turns of Llama 3, each under a header."""
    for role, text in pairs:
        out += "<|start_header_id|>", role, "<|end_header_id|>\n\n"
        if text:
            out += text.strip(), "<|eot_id|>"


def opened_turns(out: list[str], fields: Any, pairs: Pairs) -> None:
    """Write the turns of Gemma."""
    sep = fields.sep
    for role, text in pairs:
        if text:
            out += "<start_of_turn>", role, "\n", text, sep
        else:
            out += "<start_of_turn>", role, "\n"


def steps(out: list[str], fields: Any, pairs: Pairs) -> None:
    """Write the turns of MetaMath: the second separator precedes an answer, and nothing follows it."""
    even = True
    for role, text in pairs:
        if even:
            out += role, ":\n"
            if text:
                out += text, fields.sep
        else:
            out += role, ": ", fields.sep2
            if text:
                out.append(text)
        even = not even


def unnamed_turns(out: list[str], fields: Any, pairs: Pairs) -> None:
    """Write the turns of Yuan 2, which has no roles: the texts, `<n>` between them.

    FastChat strips the `<n>` after the last text together with every `<`, `n` and `>` before it: the last letter of
    `addition` too.
    """
    for _, text in pairs:
        if text:
            out += text, "<n>"
    last = len(out) - 1
    while last >= 0:
        out[last] = out[last].rstrip("<n>")
        if out[last]:
            break
        # Emptied, not removed: the pieces may have been counted already.
        out[last] = ""
        last -= 1
    out.append(fields.sep)


def single_line_breaks(text: Any) -> str:
    """Convert line breaks to Unix style, and two in a row to one."""
    result: str = text.replace("\r\n", "\n").replace("\n\n", "\n")
    return result


_S = SeparatorStyle
BARELY, WITH_SEP, WITH_SEP2 = (NOTHING, ""), (SEP, ""), (SEP2, "")
STYLES: dict[int, Style] = {
    _S.ADD_COLON_SINGLE: Style(": ", ":", WITH_SEP, images=IMAGE_PLACEHOLDER_STR),
    _S.ADD_COLON_TWO: Style(": ", ":", WITH_SEP, WITH_SEP2, images=IMAGE_PLACEHOLDER_STR),
    _S.ADD_COLON_SPACE_SINGLE: Style(": ", ": ", WITH_SEP),
    _S.NO_COLON_SINGLE: Style("", "", WITH_SEP, after_system=BARELY),
    _S.NO_COLON_TWO: Style("", "", WITH_SEP, WITH_SEP2, after_system=BARELY),
    _S.ADD_NEW_LINE_SINGLE: Style("\n", "\n", WITH_SEP, when=IF_FORMATTED),
    _S.LLAMA2: Style(
        " ", "", WITH_SEP, WITH_SEP2, when=IF_GIVEN, after_system=BARELY, without_system="[INST] ", write=instructions
    ),
    _S.LLAMA3: Style(
        "",
        "",
        BARELY,
        opening="<|begin_of_text|>",
        when=IF_GIVEN,
        after_system=BARELY,
        write=headed_turns,
        marks=("<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"),
    ),
    _S.CHATGLM: Style("：", "：", WITH_SEP, when=IF_FORMATTED, write=rounds),
    _S.CHATML: Style(
        "\n", "\n", (SEP, "\n"), when=IF_FORMATTED, after_system=(SEP, "\n"), images=IMAGE_PLACEHOLDER_STR
    ),
    _S.CHATINTERN: Style(":", ":", (SEP, "\n"), (SEP2, "\n"), after_system=BARELY, write=opened_rounds, marks=("<s>",)),
    _S.DOLLY: Style(":\n", ":\n", WITH_SEP, (SEP2, "\n\n"), after_system=BARELY),
    _S.RWKV: Style(": ", ":", (NOTHING, "\n\n"), after_system=BARELY, clean=single_line_breaks),
    _S.PHOENIX: Style(": <s>", ": <s>", (NOTHING, "</s>"), after_system=BARELY),
    _S.ROBIN: Style(":\n", ":\n", WITH_SEP),
    _S.FALCON_CHAT: Style(": ", ":", WITH_SEP, when=IF_GIVEN),
    _S.CHATGLM3: Style("\n", "", BARELY, when=IF_GIVEN, after_system=BARELY),
    _S.DEEPSEEK_CHAT: Style(": ", ":", WITH_SEP, WITH_SEP2, after_system=BARELY),
    _S.METAMATH: Style(":\n", ":\n", WITH_SEP, BARELY, when=IF_FORMATTED, write=steps),
    _S.YUAN2: Style("", "", (NOTHING, "<n>"), when=IF_GIVEN, after_system=WITH_SEP2, write=unnamed_turns),
    _S.GEMMA: Style("\n", "\n", WITH_SEP, opening="<bos>", when=NEVER, write=opened_turns, marks=("<start_of_turn>",)),
    _S.CLLM: Style(": ", ":", WITH_SEP, WITH_SEP2, images=IMAGE_PLACEHOLDER_STR, last=2),
    _S.DEFAULT: Style(": ", ":", (NOTHING, "\n"), after_system=(NOTHING, "\n"), images=""),
}
