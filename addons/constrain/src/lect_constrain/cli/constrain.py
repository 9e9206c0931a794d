"""`lect constrain`: what a model may write, for engines that constrain decoding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

BOUNDED = True
HELP = "force valid tool calls: write a grammar for xgrammar, llguidance or llama.cpp"
EPILOG = """\
examples:
  lect constrain Qwen/Qwen3-8B --tools tools.json --to xgrammar
  lect constrain Qwen/Qwen3-8B --tools tools.json --to gbnf --tool-choice required
  lect constrain - --format glm4_xml --tools tools.json --to lark --tool-choice get_weather
"""
CHOICES = ("auto", "none", "required")


def configure(parser: ArgumentParser) -> None:
    """Describe the command and its arguments."""
    # Not above: `lect --help` imports this module too, for HELP.
    from argparse import SUPPRESS, BooleanOptionalAction

    from lect.addon import commands

    parser.description = (
        "Write what a model may answer, from the grammar that reads its replies and from its own template:\n"
        "a structural tag for xgrammar (vLLM, SGLang), Lark for llguidance, or GBNF for llama.cpp."
    )
    parser.epilog = EPILOG
    add = parser.add_argument
    add("model", metavar="MODEL", type=commands.utf8, help=f"{commands.MODEL}; - if --format alone decides")
    add("--to", required=True, choices=("xgrammar", "lark", "gbnf"), help="the notation")
    add("--tools", metavar="FILE", help="a JSON file of OpenAI tool schemas")
    choice = "auto, none, required, or the name of the one tool to call"
    add("--tool-choice", metavar="CHOICE", default="auto", type=commands.utf8, help=f"{choice}; auto if not given")
    add("--parallel", action=BooleanOptionalAction, default=True, help="whether there may be several calls")
    reasons = "whether the reply must begin with reasoning, or must not; if not given, as the prompt leaves it"
    add("--reasoning", action=BooleanOptionalAction, default=SUPPRESS, help=reasons)
    add("--prompt", metavar="FILE", help="the prompt that the reply follows: its end tells what is already said")
    add("--content-schema", metavar="FILE", help="a JSON Schema for the content, where it is not free")
    order = "let the keys of objects come in any order, up to four of them; otherwise in that of the schema"
    add("--any-order", action="store_true", help=order)
    add("--strict", action="store_true", help="refuse what the notation cannot honour exactly")
    add("--format", metavar="NAME", help="a reply format, without a model: a name from `lect formats`")
    add("--adapter", metavar="NAME", help="the adapter or template to use, as in lect prompt")
    options = "an option with which the prompt is rendered, such as enable_thinking=false; may be given several times"
    add(
        "--option",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        type=commands.option,
        dest="options",
        help=options,
    )


def run(arguments: Namespace) -> None:
    """Print the constraint; what it does not honour goes to standard error."""
    import sys
    from functools import partial

    from lect.addon import Screen, commands
    from lect.errors import LectError

    if arguments.model == commands.STDIN and arguments.format is None:
        msg = "neither a model nor a format is named\n  try: the name of a model in place of -, or --format hermes_json"
        raise LectError(msg)
    files = {"--tools": arguments.tools, "--prompt": arguments.prompt, "--content-schema": arguments.content_schema}
    commands.only_one_from_stdin(files)
    with commands.Progress(Screen(sys.stderr)) as progress:

        def seen(what: str, done: int, tools: int) -> None:
            progress.show(f"{what} tool {done + 1:,} of {tools:,}", done, tools)

        found = _built(arguments, partial(seen, "reading"))
        write = {"xgrammar": found.structural_tag, "lark": found.lark, "gbnf": found.gbnf}[arguments.to]
        written = write(seen=partial(seen, "writing"))
    if arguments.to == "xgrammar":
        commands.write_json(written)
    else:
        commands.write_exactly(written)
    lost = found.lost(arguments.to)
    for words, paths in (("not honoured", lost.every("loose")), ("allows less", lost.every("tight"))):
        for path in paths:
            Screen(sys.stderr).line(f"{words}: {path}", style="yellow")


def _built(arguments: Namespace, seen: Any) -> Any:
    """Return the constraint."""
    from lect.addon import commands
    from lect_constrain import constrain

    choice: Any = arguments.tool_choice
    return constrain(
        None if arguments.model == commands.STDIN else arguments.model,
        None if arguments.tools is None else commands.read_json(arguments.tools),
        tool_choice=choice if choice in CHOICES else {"name": choice},
        parallel=arguments.parallel,
        reasoning=getattr(arguments, "reasoning", None),
        prompt=None if arguments.prompt is None else commands.read_text(arguments.prompt),
        content_schema=None if arguments.content_schema is None else commands.read_json(arguments.content_schema),
        any_order=arguments.any_order,
        strict=arguments.strict,
        format=arguments.format,
        adapter=arguments.adapter,
        seen=seen,
        **dict(arguments.options),
    )
