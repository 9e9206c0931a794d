"""Draw the rooms of this repository and the arrows between them, from imports: `python docs/make_architecture.py`.

The picture is committed, so that it can be read without a build; a test compares it with what this writes.
"""

import ast
from functools import cache
from itertools import chain
from pathlib import Path
from textwrap import wrap
from xml.sax.saxutils import escape

REPOSITORY = Path(__file__).parents[1]
CORE = REPOSITORY / "core/src/lect"
PICTURE = Path(__file__).parent / "_static" / "architecture.svg"

FACES = ("lect", "lect.plugin", "lect.addon")
"""What packages import, besides `lect.errors`."""
STREETS = {"addons": "what stands on top of templates", "plugins": "what answers for models"}
GROUND = "ground"
"""The modules of core that stand below all folders."""
ASIDE = "__main__"
"""The module that only begins `python -m lect`."""

BOX, HIGH, ACROSS, DOWN, MARGIN, LINE = 236, 58, 28, 44, 16, 17
LETTERS = 38
"""How many letters of a description fit into a line of a box."""
STYLE = """\
text { font: 12px system-ui, sans-serif; fill: #1b1b1b; text-anchor: middle }
.name { font: 600 14px ui-monospace, monospace }
rect { rx: 6px; fill: #cddcf0 }
.face { fill: #cfe3c4 }
.street { fill: #f4d9b0 }
line { stroke: #808080; stroke-width: 1.5px; marker-end: url(#tip) }
#tip path { fill: #808080 }
"""
"""Boxes have a colour of their own, so that both themes can have the same picture."""


def tree(path):
    """Return the syntax tree of a file."""
    return ast.parse(path.read_text("utf-8"))


def imported(path):
    """Yield the modules of lect that a file imports, those for types and those inside functions too."""
    for node in ast.walk(tree(path)):
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        yield from (name for name in names if name.partition(".")[0] == "lect")


@cache
def parts():
    """Return the files of every part of core: of a folder, of a face, or of a module that is neither."""
    found = {}
    for path in sorted(CORE.rglob("*.py")):
        name = ".".join(path.relative_to(CORE).with_suffix("").parts)
        found.setdefault(part_of(f"lect.{name}".removesuffix(".__init__")), []).append(path)
    del found[ASIDE]
    return found


def part_of(module):
    """Return the part of core in which a module is."""
    part = ".".join(module.split(".")[:2])
    return part if part in FACES else part.removeprefix("lect.")


def arrows():
    """Return for each part of core, and for each street of packages, those of which it imports anything."""
    files = dict(parts()) | {street: sorted((REPOSITORY / street).glob("*/src/**/*.py")) for street in STREETS}
    return {
        name: set(map(part_of, chain.from_iterable(map(imported, paths)))) - {name} for name, paths in files.items()
    }


def rooms():
    """Return the rooms and the arrows between them: the modules below all folders share one, the ground."""
    into = arrows()
    ground = {name for name in into if not ({name} | reached(name, into)) & ({*FACES, *STREETS} | folders())}
    above = {room: to for room, to in into.items() if room not in ground}
    merged = {room: {GROUND if each in ground else each for each in to} for room, to in above.items()}
    return {GROUND: set(), **merged}, sorted(ground)


def folders():
    """Return the folders of core."""
    return {path.name for path in CORE.iterdir() if path.is_dir()}


def reached(room, into):
    """Return all rooms to which the arrows of one lead."""
    found, ahead = set(), [*into[room]]
    while ahead:
        if (each := ahead.pop()) not in found:
            found.add(each)
            ahead += into[each]
    return found


def needed(into):
    """Return the arrows that no others imply, so that the picture can be read."""
    return {
        room: {each for each in to if not any(each in reached(other, into) for other in to - {each})}
        for room, to in into.items()
    }


def floors(into):
    """Return the rooms by floor, the ground first: each stands above all to which its arrows lead."""

    @cache
    def floor(room):
        return max((floor(each) + 1 for each in into[room]), default=0)

    levels = {}
    for room in into:
        levels.setdefault(floor(room), []).append(room)
    return [sorted(levels[level]) for level in sorted(levels)]


def description(room, ground):
    """Return what a room is for, by the first line of its docstring."""
    if room == GROUND:
        return ", ".join(ground)
    if room in STREETS:
        return STREETS[room]
    path = CORE / room.removeprefix("lect.").removeprefix("lect")
    file = next(each for each in (path / "__init__.py", path.with_suffix(".py")) if each.is_file())
    return (ast.get_docstring(tree(file)) or "").partition("\n")[0].rstrip(".").partition(":")[0]


def picture():
    """Return the picture."""
    into, ground = rooms()
    levels = floors(into)[::-1]
    width = 2 * MARGIN + max(map(len, levels)) * (BOX + ACROSS) - ACROSS
    texts = {room: wrap(description(room, ground), LETTERS) for room in into}
    places, boxes, top = {}, [], MARGIN
    for level in levels:
        left = (width - len(level) * (BOX + ACROSS) + ACROSS) / 2
        height = HIGH + LINE * (max(len(texts[room]) for room in level) - 1)
        for room in level:
            places[room] = left + BOX / 2, top, top + height
            boxes += box(room, texts[room], left, top, height)
            left += BOX + ACROSS
        top += height + DOWN
    lines = [line(places[room], places[each]) for room, to in needed(into).items() for each in sorted(to)]
    tip = '<path d="M0 0 8 4 0 8Z"/>'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {top - DOWN + MARGIN:g}" role="img">',
            "<title>The rooms of lect, and what each imports</title>",
            f"<style>\n{STYLE}</style>",
            f'<marker id="tip" markerWidth="8" markerHeight="8" refX="4" refY="4" orient="auto">{tip}</marker>',
            *lines,
            *boxes,
            "</svg>\n",
        ]
    )


def box(room, text, left, top, height):
    """Yield the shapes of a room."""
    kind = "face" if room in FACES else "street" if room in STREETS else "room"
    yield f'<rect class="{kind}" x="{left:g}" y="{top:g}" width="{BOX}" height="{height}"/>'
    name = f"{room}/" if room in {*STREETS, *folders()} else room
    for number, (words, style) in enumerate([(name, "name"), *((each, "") for each in text)]):
        at = f'x="{left + BOX / 2:g}" y="{top + 22 + LINE * number:g}"'
        yield f'<text class="{style}" {at}>{escape(words)}</text>'


def line(one, other):
    """Return the arrow from the foot of a room to the head of another."""
    return f'<line x1="{one[0]:g}" y1="{one[2]:g}" x2="{other[0]:g}" y2="{other[1] - 6:g}"/>'


if __name__ == "__main__":
    PICTURE.write_text(picture(), "utf-8")
