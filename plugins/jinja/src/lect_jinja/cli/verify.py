"""`lect verify`: whether what is sent is what the maker meant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lect_jinja.check import MOST, MOST_OF_A_SERVER, SEED

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from lect_jinja.check.report import Report

HELP = "check whether a directory, a GGUF file or a server sends what the maker's format says"
GOOD, DIFFERS = 0, 1
MOST_SHOWN = 10
"""Of the branches that were never taken."""
BOUNDED = True
EPILOG = """\
The exit code is 0 if nothing differs, and 1 if something does, or if it cannot be checked. A template is *identical* if
it is known to be the maker's, whatever its layout. Any other is asked: the requests are composed of what it compares,
searches and strips, of its options with their values, and of the roles, options and markers of the maker's format. Then
the report says in how many requests there was no difference, and which of its branches none of them took.

examples:
  lect verify ./Qwen3-4B --model Qwen/Qwen3-4B
  lect verify hf:unsloth/Qwen3-4B --model Qwen/Qwen3-4B
  lect verify ./model.gguf --model meta-llama/Llama-3.1-8B-Instruct --json
  lect verify --server http://127.0.0.1:8000 --model Qwen/Qwen3-4B
  lect verify ./Qwen3-4B --requests 20000 --seed tonight
  lect verify --lock lect.lock
"""


def configure(parser: ArgumentParser) -> None:
    """Describe the command and its arguments."""
    parser.description = (
        "Compare what a model's files or a running server send with the format of the model's maker, and say what\n"
        "each difference means. A server is asked to render requests, never to generate."
    )
    parser.epilog = EPILOG
    parser.add_argument(
        "source", metavar="SOURCE", nargs="?", help="a model directory, a GGUF file, or hf:owner/name with lect-hub"
    )
    parser.add_argument("--model", metavar="MODEL", default="", help="the model; by default, what the source is called")
    number = f"how many requests to compare (default: {MOST}; of a server, {MOST_OF_A_SERVER})"
    parser.add_argument("--requests", metavar="N", type=_count, help=number)
    parser.add_argument("--seed", metavar="TEXT", default=SEED, help="compose other requests: each text gives its own")
    parser.add_argument("--server", metavar="URL", help="ask this server instead: llama.cpp, vLLM or SGLang")
    parser.add_argument("--key-from", metavar="NAME", help="the environment variable with the API key of the server")
    parser.add_argument("--lock", metavar="FILE", help="check instead that nothing has changed since `lect lock`")
    only = "with --lock: a template that changed is no failure, as long as no prompt did"
    parser.add_argument("--prompts-only", action="store_true", help=only)
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(arguments: Namespace) -> int:
    """Print what was found; return 1 if something differs."""
    # Not above: `lect --help` imports this module too, for HELP.
    import os
    import sys

    from lect.addon import Screen, commands
    from lect.errors import SourceError
    from lect_jinja.check.files import verified_files
    from lect_jinja.check.server import Server, verified_server

    given = [each for each in (arguments.source, arguments.server, arguments.lock) if each]
    if len(given) != 1:
        msg = "nothing to verify" if not given else "only one can be verified at a time"
        msg += "\n  try: a directory or GGUF file, --server URL, or --lock FILE"
        raise SourceError(msg)
    if arguments.lock:
        return _run_lock(arguments)
    with commands.Progress(Screen(sys.stderr)) as progress:
        most = arguments.requests or (MOST_OF_A_SERVER if arguments.server else MOST)

        def seen(count: int) -> None:
            progress.show(f"{count:,} of {most:,} requests", count, most)

        if arguments.server:
            if arguments.key_from and not os.environ.get(arguments.key_from):
                name = arguments.key_from
                raise SourceError(f"the variable {name!r} is not set\n  try: {name}=... before the command")
            key = os.environ.get(arguments.key_from or "", "")
            server = Server(arguments.server, key=key, timeout=arguments.timeout / 2)
            report = verified_server(server, arguments.model, most=most, seed=arguments.seed, seen=seen)
        else:
            report = verified_files(arguments.source, arguments.model, most=most, seed=arguments.seed, seen=seen)
    _print(report.as_data() if arguments.json else _as_text(report))
    return GOOD if report.is_good else DIFFERS


def _run_lock(arguments: Namespace) -> int:
    from lect_jinja.check.lock import changes, read_lock

    lock = read_lock(arguments.lock)
    found = changes(lock)
    lines = found.sent + ([] if arguments.prompts_only else found.templates)
    if arguments.json:
        _print(found._asdict())
    elif lines:
        _print("\n".join(lines))
    else:
        count = (
            f"{found.compared} prompts of {len(lock['models'])} model{'s' * (len(lock['models']) > 1)} were compared"
        )
        what = "no prompt has changed" if arguments.prompts_only else "nothing has changed"
        _print(f"{what}: {count}, with {'' if arguments.prompts_only else 'templates, '}stops and markers")
    return DIFFERS if lines else GOOD


def _print(what: Any) -> None:
    import json

    print(what if isinstance(what, str) else json.dumps(what, indent=2, ensure_ascii=False, default=str))


def _count(argument: str) -> int:
    from argparse import ArgumentTypeError

    if argument.isdecimal() and int(argument):
        return int(argument)
    msg = f"{argument!r} is not a number of requests, such as 5000"
    raise ArgumentTypeError(msg)


def _as_text(report: Report) -> str:
    from lect_jinja.check.meaning import shown

    lines = [f"{report.verdict}: {_verdict(report)}"]
    if report.by_name:
        lines.append(f"  by its name it is taken for {report.model}; --model NAME compares it with another")
    if report.known and report.verdict != "identical":
        lines.append(f"  it is {report.known}")
    for says, theirs, makers, case in ((*each.meaning, each.case) for each in report.differences):
        lines += ["", says + (f" ({case})" if case else "")]
        lines += [f"  sent    {shown(theirs)}"] if theirs else []
        lines += [f"  maker's {shown(makers)}"] if makers else []
    if report.verdict == "no difference" and report.outcomes[1]:
        taken, possible = report.outcomes
        lines.append(f"  {taken} of {possible} outcomes of its conditions were seen{':' if report.never else ''}")
        lines += [f"    {each}" for each in report.never[:MOST_SHOWN]]
        lines += [f"    and {len(report.never) - MOST_SHOWN} more"] if len(report.never) > MOST_SHOWN else []
    lines += [f"warning: {each}" for each in report.warnings]
    return "\n".join(lines)


def _verdict(report: Report) -> str:
    format_of = f"{report.template}, the format of {report.model}"
    if report.verdict == "identical":
        return f"the template is {format_of}" + (f"; it is {report.known}" if report.known else "")
    if report.verdict == "no difference":
        return f"in {report.compared} requests, with {format_of}"
    return f"{report.differing} of {report.compared} requests give other prompts than {format_of}"
