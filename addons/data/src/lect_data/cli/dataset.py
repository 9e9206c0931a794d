"""`lect dataset`: files of conversations to a file of sequences to train on."""

from __future__ import annotations

import os
import re
import sys
from argparse import ArgumentError
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator, Mapping, Sequence

    from lect import Resolution
    from lect_data import Formatter
    from lect_data.files import Chunk, Source
    from lect_data.packing import Packs
    from lect_data.staging import Staging
    from lect_data.tally import Tally

HELP = "make files of conversations into a file of token ids and labels"
EPILOG = """\
The result has a row for each sequence: row (the number of the input row), part, input_ids, labels, weights, length
and turns. With --pack it has one for each pack, with position_ids and seq_lengths; row, part and turns are lists then.
With --preference it has prompt_ids, chosen_ids and rejected_ids instead of ids and labels, with --prompts prompt_ids.
The exit code is 1 if a row cannot be used, unless --allow-errors is given: the result has all others.
It is 1 too if an answer is trained otherwise than a server makes the model write it, as with --unroll never, unless
--allow-deviations is given: the result has it all the same.
The output gets its name when it is whole. Until then it is beside that, in OUT.partial; --resume goes on with it.
Neither a result nor a part of one is replaced unless --restart is given.

examples:
  lect dataset chats.jsonl -o train.parquet --model Qwen/Qwen2.5-7B-Instruct --tokenizer ./Qwen2.5-7B-Instruct
  lect dataset chats/ -o train.parquet --model ./checkpoint-500 --tokenizer ./checkpoint-500 --max-length 4096
  lect dataset chats/ -o packed.parquet --model Qwen/Qwen3-8B --tokenizer ./Qwen3-8B --pack 4096 --truncate turns
  lect dataset questions.jsonl -o prompts.parquet --model Qwen/Qwen3-8B --tokenizer ./Qwen3-8B --prompts --keep answer
  lect dataset chats.jsonl.zst --stats --model Qwen/Qwen2.5-7B-Instruct --tokenizer ./Qwen2.5-7B-Instruct
"""
DEFAULT = "default"
"""The template of core that stands in for that of a base model."""
SHOWN = 5
"""How many errors are shown."""
PHRASES = {
    r"Formatter\(\.\.\., preference=True\)": "--preference",
    r"\b(truncate|unroll|media)='(\w+)'": r"--\1 \2",
    r"lect\.messages\(row.*columns=\{'messages': '([^']*)'\} for a whole data set": r"--column messages=\1",
    r"one row, or format= one of .*": "--column messages=NAME, if the turns are called something else",
    r", another policy, or LossPolicy\(allow_uniform=True\)": "",
}
"""Patterns of what errors of rows suggest to a Python program, and the words for it here."""


def configure(parser: ArgumentParser) -> None:
    """Describe the command and its arguments."""
    from lect.addon import commands

    parser.description = (
        "Make conversations into sequences to train on, in the format of a model: token ids with labels, or, without\n"
        "a tokenizer, texts. Reads .jsonl and .json, also with .gz or .zst, .parquet, .arrow, and directories of\n"
        "them. A .json file may be one list of rows."
    )
    parser.epilog = EPILOG
    add = parser.add_argument
    add("inputs", metavar="IN", nargs="+", help="a file, or a directory of files")
    add("-o", "--output", metavar="OUT", help="the file to write: .parquet, .arrow or .jsonl")
    add("--model", metavar="MODEL", required=True, help="owner/name, a name, a local path, or plugin:template")
    add("--tokenizer", metavar="DIR", help="a directory with a tokenizer.json, or that file; without it: texts")
    add("--max-length", metavar="NUMBER", type=int, help="how many tokens a sequence may have")
    longer = (
        "what becomes of a longer one: it is an error (drop, the default), as many turns as fit are kept (turns), or "
        "it is split into several sequences (window)"
    )
    add("--truncate", choices=("drop", "turns", "window"), default="drop", help=longer)
    packed = "put whole sequences side by side, at most so many tokens; a longer one is treated as by --max-length"
    add("--pack", metavar="NUMBER", type=int, help=packed)
    unroll = (
        "whether a conversation may become several sequences, so that each answer follows the prompt of a server: as "
        "few as that takes (auto, the default), one for each answer (always), or one, whatever is in it (never)"
    )
    add("--unroll", choices=("never", "auto", "always"), default="auto", help=unroll)
    media = (
        "what an image, a video or a sound is in ids: as many tokens as the model gets (parts, the default), or one "
        "placeholder, if what trains the model expects that (one)"
    )
    add("--media", choices=("parts", "one"), default="parts", help=media)
    add("--preference", action="store_true", help="the rows have two answers each: prompt, chosen and rejected")
    prompts = "write only prompts, as a server is sent them; an answer at the end of a row is left out"
    add("--prompts", action="store_true", help=prompts)
    keep = "a column, or key, to copy to the result, as text or JSON, such as answer; may be given several times"
    add("--keep", metavar="NAME", action="append", default=[], help=keep)
    columns = "the column, or key, that holds a field of a row, such as messages=dialog; may be given several times"
    add("--column", metavar="FIELD=NAME", action="append", default=[], type=_column, dest="columns", help=columns)
    options = "an option that the model's format reads, such as enable_thinking=false; may be given several times"
    add(
        "--option",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        type=commands.option,
        dest="options",
        help=options,
    )
    add("--errors", metavar="FILE", help="write the rows that cannot be used to this file, as JSON lines")
    add("--allow-errors", action="store_true", help="exit with 0 also if rows cannot be used")
    add("--allow-deviations", action="store_true", help="exit with 0 also if answers are not trained as served")
    begun = parser.add_mutually_exclusive_group()
    begun.add_argument("--resume", action="store_true", help="go on with a run that was interrupted")
    begun.add_argument("--restart", action="store_true", help="begin anew, and replace a result that is there")
    add("--stats", action="store_true", help="write no file, and print only the summary")


def _column(argument: str) -> tuple[str, str]:
    from argparse import ArgumentTypeError

    field, _, name = argument.partition("=")
    if not field or not name:
        raise ArgumentTypeError(f"{argument!r} is not of the form FIELD=NAME, such as messages=dialog")
    return field, name


def run(arguments: Namespace) -> int:
    """Write the sequences, and print the summary; return 1 if a row cannot be used, or is not trained as served."""
    if (arguments.output is None) != arguments.stats:
        raise ArgumentError(None, "give either -o OUT or --stats")
    from lect.plugin import owned

    outputs = [] if arguments.stats else [each for each in (arguments.output, arguments.errors) if each is not None]
    if len({*map(os.path.realpath, outputs)}) < len(outputs):
        raise ArgumentError(None, "-o and --errors name the same file")
    with ExitStack() as owner:
        for output in outputs:
            owner.enter_context(owned(output))
        return _run(arguments)


def _run(arguments: Namespace) -> int:
    from lect.addon import Screen, commands
    from lect_data.files import find
    from lect_data.formatter import Formatter
    from lect_data.staging import Staging
    from lect_data.tally import Tally

    sources = find(arguments.inputs)
    _check_model(arguments.model)
    packs = _packs(arguments)
    formatter = Formatter(
        arguments.model,
        arguments.tokenizer,
        max_length=arguments.pack if arguments.max_length is None else arguments.max_length,
        truncate=arguments.truncate,
        unroll=arguments.unroll,
        preference=arguments.preference,
        prompts=arguments.prompts,
        media=arguments.media,
        keep=arguments.keep,
        columns=dict(arguments.columns),
        **_options(arguments),
    )
    _check_tokenizer(formatter, arguments)
    staging: Staging | None = None
    if not arguments.stats:
        errors = None if arguments.errors is None else Path(arguments.errors)
        made_of = _made_of(arguments, sources)
        resume, restart = arguments.resume, arguments.restart
        staging = Staging(Path(arguments.output), errors, made_of, resume=resume, restart=restart)
    tally = Tally(staging.tally if staging else None)
    shown = _format_all(formatter, sources, tally, staging, packs, arguments.keep)
    if not tally.rows:
        from lect.errors import SourceError

        raise SourceError(f"there is no row in {', '.join(arguments.inputs)}")
    with commands.Progress(Screen(sys.stderr)) as progress:
        if packs:
            packs.seen = lambda done: progress.show(
                f"packing: {done:,} of {tally.sequences:,} sequences", done, tally.sequences
            )
        if staging:
            staging.finish(tally.sequences, packs)
        elif packs:
            packs.rest()
    screen = Screen(sys.stdout)
    if packs:
        tally.trained = packs.trained
    lines = tally.lines("characters" if arguments.tokenizer is None else "tokens")
    screen.table([*lines, *(packs.lines() if packs else ())], indent=0)
    if shown:
        screen.section(
            f"the first {len(shown)} rows that cannot be used" if len(shown) > 1 else "a row that cannot be used"
        )
        for each in shown:
            first, *_ = each["error"].splitlines()
            screen.line(f"{each['file']}:{each['line']}: {first}")
        for advice in dict.fromkeys(line for each in shown for line in each["error"].splitlines()[1:]):
            screen.line(_reworded(advice))
    is_otherwise = bool(tally.deviations["differs"].counts) and not arguments.allow_deviations
    if is_otherwise:
        written = "" if staging is None else f"; {arguments.output} has them all the same"
        screen.section(f"answers are trained otherwise than a server makes the model write them{written}")
        instead = (
            "" if arguments.unroll == "auto" else "--unroll auto, in which each follows the prompt of a server; or "
        )
        screen.line(f"  try: {instead}--allow-deviations, if that is meant")
    return 1 if is_otherwise or (tally.failed and not arguments.allow_errors) else 0


def _reworded(advice: str) -> str:
    """Return what is advised to a Python program in the words of this command."""
    for phrase, here in PHRASES.items():
        advice = re.sub(phrase, here, advice)
    return advice


def _check_model(model: str) -> None:
    """Refuse a base model: whoever trains it to chat chooses the format."""
    import lect

    resolution = lect.resolve(model)
    if resolution.kind == "base":
        named = " or ".join(f"--model {each}" for each in (*_formats_of(resolution), "lect:chatml"))
        msg = f"{model} is a base model, which has no chat format; name the one that it is to learn\n  try: {named}"
        raise lect.LectError(msg)


def _formats_of(resolution: Resolution) -> Iterator[str]:
    """Yield the template that a base model's family has for it, or for its version that was trained to chat."""
    import lect

    family = resolution.adapter
    if family is None:
        return
    if resolution.template.name != DEFAULT:
        yield f"{family.name}:{resolution.template.name}"
        return
    stem = re.sub("-(base|pt|pretrained)$", "", resolution.ref.path, flags=re.IGNORECASE)
    for name in (stem, f"{stem}-Instruct", f"{stem}-Chat", f"{stem}-it"):
        with suppress(lect.LectError):
            chat = lect.resolve(name)
            if chat.kind == "chat" and chat.adapter == family:
                yield f"{family.name}:{chat.template.name}"
                return


def _check_tokenizer(formatter: Formatter, arguments: Namespace) -> None:
    from lect.errors import TokenizerError
    from lect_tokens import check_tokenizer

    if arguments.tokenizer is None:
        return
    wrong = [check for check in check_tokenizer(formatter.template, formatter.encoder) if check.status == "wrong"]
    if wrong:
        listed = "".join(f"\n  {check.name}: {check.what}" for check in wrong)
        advice = f"lect doctor {arguments.model} --tokenizer {arguments.tokenizer}"
        raise TokenizerError(f"the tokenizer does not belong to the model:{listed}\n  try: {advice}")


def _options(arguments: Namespace) -> dict[str, Any]:
    """Return the options of the model's format; what is an option of this command is none."""
    from lect.errors import MessageError

    given = dict(arguments.options)
    for name in given.keys() & vars(arguments).keys():
        option = f"--{name.replace('_', '-')}"
        raise MessageError(f"--option: {name!r} is not an option of a template\n  try: {option}")
    return given


def _packs(arguments: Namespace) -> Packs | None:
    """Return the packs that are asked for, if any are."""
    from lect.errors import MaskError
    from lect_data.packing import Packs

    length, most = arguments.pack, arguments.max_length
    if length is None:
        return None
    packs = Packs(length)
    if arguments.tokenizer is None:
        msg = "--pack is a number of tokens, and there is no tokenizer\n  try: --tokenizer path/to/the/model"
    elif arguments.preference:
        msg = "two answers to one prompt cannot be packed\n  try: --preference without --pack"
    elif arguments.prompts:
        msg = "prompts cannot be packed\n  try: --prompts without --pack"
    elif most is not None and most > length:
        msg = f"--max-length is {most}, and a pack has {length} tokens\n  try: --pack {length} alone"
    else:
        return packs
    raise MaskError(msg)


def _made_of(arguments: Namespace, sources: Sequence[Source]) -> Mapping[str, Any]:
    """Return what decides about the result: a run that goes on must have the same."""
    import lect

    names = (
        "model", "tokenizer", "max_length", "truncate", "pack", "unroll", "preference", "prompts", "media", "keep",
        "columns", "options", "errors",
    )  # fmt: skip
    files = [[str(source.path), source.size, source.changed] for source in sources]
    return {name: getattr(arguments, name) for name in names} | {"input": files, "version": lect.__version__}


def _format_all(
    formatter: Formatter,
    sources: Sequence[Source],
    tally: Tally,
    staging: Staging | None,
    packs: Packs | None,
    keep: Sequence[str],
) -> list[dict[str, Any]]:
    """Format all chunks that are not done yet, and return the first errors."""
    from lect.addon import Screen
    from lect_data.files import read
    from lect_data.progress import Progress

    screen = Screen(sys.stderr)
    shown: list[dict[str, Any]] = []
    done = staging.steps if staging else 0
    try:
        with Progress(screen, sum(source.size for source in sources)) as progress:
            for step, chunk in enumerate(read(sources)):
                if step < done:
                    continue
                progress.show(tally.rows, chunk.done)
                good, errors = _formatted(formatter, chunk, tally, keep)
                shown += errors[: SHOWN - len(shown)]
                if staging:
                    staging.write(good, errors, tally.stored())
                elif packs:
                    packs.add(good)
    except BaseException as error:
        if staging:
            staging.close()
            if isinstance(error, KeyboardInterrupt):
                rows = f"{tally.rows:,} row{'s' * (tally.rows != 1)}"
                screen.line(f"stopped after {rows}; with --resume, the same command goes on")
        raise
    return shown


def _formatted(
    formatter: Formatter, chunk: Chunk, tally: Tally, keep: Sequence[str]
) -> tuple[Any, list[dict[str, Any]]]:
    """Return the sequences of a chunk, and the errors."""
    from lect_data.kept import with_texts

    first = tally.rows
    numbers = range(first, first + len(chunk.lines))
    made = formatter.format_rows(chunk.rows, numbers, tally)
    tally.add_deviations(made, lambda row: f"{chunk.path}:{chunk.lines[row - first]}")
    good, bad = formatter.split(made)
    errors = [
        {"row": row, "file": str(chunk.path), "line": chunk.lines[row - first], "error": error}
        for row, error in _pairs(bad)
    ]
    tally.add(len(chunk.lines), good, [error["error"] for error in errors])
    return with_texts(good, keep), errors


def _pairs(bad: Any) -> Iterator[tuple[int, str]]:
    return zip(bad.column("row").to_pylist(), bad.column("error").to_pylist(), strict=True)
