"""`lect explain`: why a request's prompt does not extend the one before it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from lect_explain.step import Step

HELP = "say why a prompt does not extend the one before it, and what a cache loses"
BOUNDED = True
EPILOG = """\
The exit code is 0 if each request extends an earlier one, 1 if one does not, and 2 if that cannot be said.

examples:
  lect explain before.json after.json
  lect explain Qwen/Qwen3-8B before.json after.json
  lect explain Qwen/Qwen3-8B before.json after.json --reply reply.txt --tokenizer ./Qwen3-8B
  lect explain Qwen/Qwen3-8B session.jsonl --fit
"""
REQUESTS = (".json", ".jsonl")
"""What the names of files with requests end in: the first of them is no model."""
TROUBLE = 2
"""The exit code where nothing can be said, as that of diff: 1 says that a prompt forks."""


def configure(parser: ArgumentParser) -> None:
    """Describe the command and its arguments."""
    from lect.addon import commands

    parser.description = (
        "Say why the prompt of a request does not extend that of the one before it: the first character that differs,\n"
        "the field on both sides, the rule, and what is lost of a server's cache of prefixes. No server is needed."
    )
    parser.epilog = EPILOG
    add = parser.add_argument
    model = f"{commands.MODEL}; nothing is fetched. Without it, what the first request says"
    add("model", metavar="MODEL", type=commands.utf8, nargs="?", help=model)
    files = (
        "a JSON file of a request, or of a list of messages; or JSON Lines, a request of a session in each, or "
        '{"request": ..., "reply": TEXT}; or -'
    )
    add("files", metavar="FILE", type=commands.utf8, nargs="+", help=files)
    reply = "what the model wrote after the first request, with its special tokens; given again, after the next"
    add("--reply", metavar="FILE", action="append", default=[], type=commands.utf8, dest="replies", help=reply)
    tokenizer = "count tokens instead of characters: a directory with a tokenizer.json, or that file"
    add("--tokenizer", metavar="DIR", help=tokenizer)
    fits = "change each request as little as possible so that the format carries it; needs lect-fit"
    add("--fit", action="store_true", help=fits)
    options = "an option with which prompts are rendered, such as enable_thinking=false; may be given several times"
    add(
        "--option",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        type=commands.option,
        dest="options",
        help=options,
    )
    add("--adapter", metavar="NAME", help="the adapter or template to use, as in lect prompt")
    add("--default", metavar="NAME", help="the template for a model that no adapter knows, such as chatml")
    add("--json", action="store_true", help="print all that is known as JSON")


def run(arguments: Namespace) -> int:
    """Print how each request follows; return 1 if one does not extend an earlier one."""
    from typing import cast

    from lect.addon import commands
    from lect.errors import LectError

    try:
        steps = _steps(arguments)
    except LectError as error:
        cast("Any", error).exit_code = TROUBLE
        raise
    if arguments.json:
        commands.write_json([_as_data(at, step) for at, step in enumerate(steps, 1)])
    elif len(steps) == 1:
        _print_step(steps[0])
    else:
        _print_session(steps)
    return int(not all(step.extends for step in steps))


def _steps(arguments: Namespace) -> list[Step]:
    from argparse import ArgumentError

    from lect.addon import commands
    from lect_explain import explain_requests
    from lect_tokens import load_tokenizer

    if arguments.model is not None and arguments.model.endswith(REQUESTS):
        arguments.files.insert(0, arguments.model)
        arguments.model = None
    commands.only_one_from_stdin({f"FILE {at}": path for at, path in enumerate([*arguments.files, *arguments.replies])})
    sent = [each for path in arguments.files for each in _requests(path)]
    if arguments.model is None:
        arguments.model = _model_of(sent[0][0])
    template = commands.resolve(arguments).template
    requests, replies = [request for request, _ in sent], [reply for _, reply in sent]
    if len(requests) < 2:  # a request and the next
        raise ArgumentError(None, "there is one request, and none before it: give two files, or JSON Lines")
    if len(arguments.replies) > len(requests):
        raise ArgumentError(None, f"there are {len(arguments.replies)} replies for {len(requests)} requests")
    for at, path in enumerate(arguments.replies):
        replies[at] = commands.read_text(path)
    tokenizer = None if arguments.tokenizer is None else load_tokenizer(arguments.tokenizer)
    options = dict(arguments.options)
    return explain_requests(template, requests, sampled=replies, tokenizer=tokenizer, fit=arguments.fit, **options)


def _model_of(request: Any) -> str:
    """Return the model that a request names."""
    from lect.errors import MessageError, saferepr

    model = request.get("model") if isinstance(request, dict) else None
    if not isinstance(model, str) or not model:
        advice = "the model that the server has before the files, such as Qwen/Qwen3-8B"
        raise MessageError(f"the first request names no model: {saferepr(request)}\n  try: {advice}")
    return model


def _requests(path: str) -> Iterator[tuple[Any, str | None]]:
    """Yield the requests in a file, each with what the model wrote after it, if the file says so."""
    import json

    from lect.addon import commands
    from lect.errors import MessageError, saferepr

    text = commands.read_text(path).removeprefix("\ufeff")
    try:
        values = [json.loads(text)]
    except (ValueError, RecursionError) as error:
        lines = [line for line in text.splitlines() if line.strip()]
        try:
            values = [json.loads(line) for line in lines if len(lines) > 1]
        except (ValueError, RecursionError):
            values = []
        if not values:
            msg = f"{saferepr(path)} is neither JSON nor JSON Lines: {error}\n  try: a file with the body of a request"
            raise MessageError(msg) from error
    if isinstance(values[0], list) and not all(isinstance(each, dict) and "role" in each for each in values[0]):
        values = values[0]
    for value in values:
        is_pair = isinstance(value, dict) and "request" in value
        yield (value["request"], value.get("reply")) if is_pair else (value, None)


def _print_step(step: Step) -> None:
    import sys

    from lect.addon import Painted, Screen

    screen = Screen(sys.stdout)
    screen.line(_counted(step), style="bold")
    if step.extends:
        return
    rows = [
        ("because", Painted(step.reason, "yellow")),
        ("rule", step.rule),
        ("character", str(step.at)),
        ("field before", _field(step.was)),
        ("field now", _field(step.now)),
        ("text before", repr(step.before)),
        ("text now", repr(step.after)),
    ]
    screen.table(rows)


def _print_session(steps: list[Step]) -> None:
    import sys

    from lect.addon import Painted, Screen

    styles = {"fork": "yellow", "other": "dim", "extension": "green"}
    rows = [
        (
            str(at + 1),
            str(step.earlier + 1),
            Painted(step.kind, styles[step.kind]),
            str(step.kept),
            str(step.lost),
            "" if step.extends else step.reason,
        )
        for at, step in enumerate(steps, 1)
    ]
    Screen(sys.stdout).table(rows, header=("request", "after", "is", "kept", "lost", "because"), indent=0, wrap=True)


def _counted(step: Step) -> str:
    return str(step).removesuffix(f": {step.reason}")


def _field(path: tuple[str | int, ...]) -> str:
    from lect_explain.step import spelled

    return spelled(path)


def _as_data(at: int, step: Step) -> dict[str, Any]:
    return {"request": at, "kind": step.kind, **step._asdict()}
