"""Measure lect beside its peers and print the ratios.

python bench/run.py            print the tables
python bench/run.py --check    and fail if a ratio is over its bound
"""

import argparse
import sys

import conversation
import import_cost
import jinja
import rendering
import replies
import tokens


def main():
    parser = argparse.ArgumentParser(description="Measure lect beside its peers and print the ratios.")
    parser.add_argument("--check", action="store_true", help="exit with 1 where a ratio is over its bound")
    check = parser.parse_args().check
    not_compiled = import_cost.missing_bytecode()
    if not_compiled:
        print(
            f"warning: {len(not_compiled)} modules of lect have no bytecode ({not_compiled[0]}, ...), so that every "
            f"import compiles them anew\n"
            "  try: pip install ./core ./plugins/vicuna ./plugins/qwen, not editable",
            file=sys.stderr,
        )
    lines = [line for part in (import_cost, conversation, rendering, jinja, replies, tokens) for line in part.lines()]
    print(table(("what", "ratio", "bound", "", "measured"), [line.cells() for line in lines]))
    rows = list(rendering.rows())
    print()
    if rows:
        print(rendering.HEADING)
        print(
            table(("template", "model", *(heading(line) for line in rows[0].lines), ""), [cells(row) for row in rows])
        )
    else:
        print(f"each family beside its maker's template: skipped: {rendering.ABSENT}")
    lines += [line for row in rows for line in row.lines]
    over = sum(line.verdict == "over" for line in lines)
    print(f"\n{len(lines)} lines, {over} over")
    return 1 if check and over else 0


def heading(line):
    return f"{line.what} {'>=' if line.least else '<='} {line.bound:g}"


def cells(row):
    over = "; ".join(f"{line.what}: {line.note}" for line in row.lines if line.verdict == "over")
    ratios = ("-" if line.ratio is None else f"{line.ratio:.2f}" for line in row.lines)
    return (row.template, row.model, *ratios, f"over: {over}" if over else "ok")


def table(headings, rows):
    """Return rows as aligned text."""
    rows = [headings, *rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(headings))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


if __name__ == "__main__":
    sys.exit(main())
