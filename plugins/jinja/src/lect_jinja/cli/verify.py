"""`lect verify`: whether what is sent is what the maker meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from lect_jinja.verify.report import Report

HELP = "check whether a directory, a GGUF file or a server sends what the maker's format says"
GOOD, DIFFERS = 0, 1
PATHS = ("source",)
EPILOG = """\
The exit code is 0 if nothing differs, and 1 if something does, or if it cannot be checked. A template is *identical* if
it is known to be the maker's, whatever its layout; *equal* if it writes the same prompts for all requests that were
tried: with and without a system text, tools, calls, reasoning, and the switches of the format.

examples:
  lect verify ./Qwen3-4B --model Qwen/Qwen3-4B
  lect verify hf:unsloth/Qwen3-4B --model Qwen/Qwen3-4B
  lect verify ./model.gguf --model meta-llama/Llama-3.1-8B-Instruct --json
  lect verify --server http://127.0.0.1:8000 --model Qwen/Qwen3-4B
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
    parser.add_argument("--server", metavar="URL", help="ask this server instead: llama.cpp, vLLM or SGLang")
    parser.add_argument("--key-from", metavar="NAME", help="the environment variable with the API key of the server")
    parser.add_argument("--lock", metavar="FILE", help="check instead that no prompt has changed since `lect lock`")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(arguments: Namespace) -> int:
    """Print what was found; return 1 if something differs."""
    # Not above: `lect --help` imports this module too, for HELP.
    import json
    import os

    from lect.errors import SourceError
    from lect_jinja.verify.lock import changes, read_lock
    from lect_jinja.verify.report import verified_files
    from lect_jinja.verify.server import Server, verified_server

    given = [each for each in (arguments.source, arguments.server, arguments.lock) if each]
    if len(given) != 1:
        msg = "nothing to verify" if not given else "only one can be verified at a time"
        msg += "\n  try: a directory or GGUF file, --server URL, or --lock FILE"
        raise SourceError(msg)
    if arguments.lock:
        found = changes(read_lock(arguments.lock))
        print(json.dumps(found, indent=2) if arguments.json else "\n".join(found) or "no prompt has changed")
        return DIFFERS if found else GOOD
    if arguments.server:
        if arguments.key_from and not os.environ.get(arguments.key_from):
            msg = f"the variable {arguments.key_from!r} is not set\n  try: {arguments.key_from}=... before the command"
            raise SourceError(msg)
        key = os.environ.get(arguments.key_from or "", "")
        report = verified_server(Server(arguments.server, key=key, timeout=arguments.timeout / 2), arguments.model)
    else:
        report = verified_files(arguments.source, arguments.model)
    print(json.dumps(report.as_data(), indent=2, ensure_ascii=False) if arguments.json else _as_text(report))
    return GOOD if report.is_good else DIFFERS


def _as_text(report: Report) -> str:
    from lect_jinja.verify.meaning import shown

    lines = [f"{report.verdict}: {_verdict(report)}"]
    if report.known and report.verdict != "identical":
        lines.append(f"  it is {report.known}")
    for difference in report.differences:
        meaning = difference.meaning
        others = difference.seen - 1
        more = f", and {others} other request{'s' * (others > 1)}" if others else ""
        lines += ["", f"{meaning.says} ({difference.what}{more})"]
        lines += [f"  sent    {shown(meaning.theirs)}"] if meaning.theirs else []
        lines += [f"  maker's {shown(meaning.makers)}"] if meaning.makers else []
    lines += [f"warning: {each}" for each in report.warnings]
    return "\n".join(lines)


def _verdict(report: Report) -> str:
    format_of = f"{report.template}, the format of {report.model}"
    if report.verdict == "identical":
        return f"the template is {format_of}" + (f"; it is {report.known}" if report.known else "")
    one = report.compared == 1
    if report.verdict == "equal":
        return f"{report.compared} {'request gives' if one else 'requests give'} the prompts of {format_of}"
    return f"{report.compared} {'request was' if one else 'requests were'} compared with {format_of}"
