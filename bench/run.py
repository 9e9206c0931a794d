"""Measure lect beside its peers and print the ratios.

python bench/run.py                          print the tables
python bench/run.py --check                  and fail if a ratio is over its bound
python bench/run.py agents --only Qwen3      one part, for the formats with `Qwen3` in the path of their model
python bench/run.py --record bench/recorded.json    and write the run down, for the page of benchmarks
"""

import argparse
import sys

import agents
import chats
import constraints
import conversation
import fits
import import_cost
import jinja
import labels
import makers
import record
import rendering
import replies
import rollouts
import serving
import sets
import timing
import tokens
import views

LINES = (
    import_cost,
    conversation,
    rendering,
    jinja,
    replies,
    tokens,
    rollouts,
    fits,
    serving,
    sets,
    constraints,
    views,
)
TABLES = (rendering, agents, chats, labels)
"""The parts that have a row for each template."""
PARTS = list(dict.fromkeys(part.__name__ for part in (*LINES, *TABLES)))


def main():
    parser = argparse.ArgumentParser(description="Measure lect beside its peers and print the ratios.")
    parser.add_argument("parts", nargs="*", metavar="part", help=f"only these of {', '.join(PARTS)}")
    parser.add_argument("--only", default="", metavar="TEXT", help="in tables, only models whose path contains this")
    parser.add_argument("--check", action="store_true", help="exit with 1 where a ratio is over its bound")
    parser.add_argument("--rounds", type=int, default=timing.ROUNDS, metavar="N", help="how often calls take turns")
    parser.add_argument("--record", metavar="FILE", help="write the run, and what it was made with, as JSON")
    arguments = parser.parse_args()
    timing.ROUNDS = arguments.rounds
    replies.MOST_ROUNDS = min(replies.MOST_ROUNDS, arguments.rounds)
    unknown = set(arguments.parts).difference(PARTS)
    if unknown:
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    wanted = arguments.parts or PARTS
    if import_cost.__name__ in wanted:
        warn_of_missing_bytecode()
    found = {part.__name__: list(part.lines()) for part in LINES if part.__name__ in wanted}
    if any(found.values()):
        print_lines([line for lines in found.values() for line in lines])
    for part in TABLES:
        if part.__name__ in wanted:
            rows, medians = measured(part, arguments.only)
            found.setdefault(part.__name__, []).extend(medians)
            found[f"{part.__name__} of each template"] = rows
    if arguments.record:
        whole = {name: lines for name, lines in found.items() if not name.endswith(" of each template")}
        record.written(arguments.record, whole, arguments.rounds)
    lines = [line for each in found.values() for line in each]
    over = sum(line.verdict == "over" for line in lines)
    print(f"\n{len(lines)} lines, {over} over")
    return 1 if arguments.check and over else 0


def warn_of_missing_bytecode():
    not_compiled = import_cost.missing_bytecode()
    if not_compiled:
        print(
            f"warning: {len(not_compiled)} modules of lect have no bytecode ({not_compiled[0]}, ...), so that every "
            f"import compiles them anew\n"
            "  try: pip install ./core ./plugins/vicuna ./plugins/qwen, not editable",
            file=sys.stderr,
        )


def measured(part, only):
    """Print the table of a part, a row for each template; return the lines of these, and of all together."""
    print(f"\n{part.HEADING}")
    rows = list(part.rows(only))
    if not rows:
        print("skipped: " + (f"no model has {only!r} in its path" if only else makers.ABSENT))
        return [], []
    print(table(("template", "model", *(heading(line) for line in rows[0].lines), ""), [cells(row) for row in rows]))
    medians = list(part.medians(rows))
    if medians:
        print_lines(medians)
    return [line for row in rows for line in row.lines], medians


def print_lines(lines):
    print(table(("what", "ratio", "bound", "", "measured"), [line.cells() for line in lines]))


def heading(line):
    return f"{line.what} {'>=' if line.least else '<='} {line.bound:g}"


def cells(row):
    over = "; ".join(f"{line.what}: {line.note}" for line in row.lines if line.verdict == "over")
    ratios = ("-" if line.ratio is None else f"{line.ratio:.2f}" for line in row.lines)
    return (row.template, row.model, *ratios, "; ".join(filter(None, (f"over: {over}" if over else "ok", row.note))))


def table(headings, rows):
    """Return rows as aligned text."""
    rows = [headings, *rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(headings))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


if __name__ == "__main__":
    sys.exit(main())
