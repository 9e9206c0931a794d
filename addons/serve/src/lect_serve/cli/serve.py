"""`lect serve`: three APIs over any engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from lect_serve.settings import Settings

HELP = "serve a model to clients of OpenAI's and Anthropic's APIs, over any engine"
EPILOG = """\
The API key may be in the environment instead, as LECT_SERVE_KEY: a command line can be read by others.

examples:
  lect serve Qwen/Qwen3-8B --engine echo
  lect serve ./Qwen3-8B --engine http://127.0.0.1:8001
  lect serve Qwen/Qwen3-8B --tokenizer ./Qwen3-8B --engine http://10.0.0.1:8001 --engine http://10.0.0.2:8001
  lect serve ./Qwen3-8B --engine http://127.0.0.1:8001 --record sessions

Then, for example:

  ANTHROPIC_BASE_URL=http://127.0.0.1:8000 ANTHROPIC_API_KEY=none ANTHROPIC_MODEL=local claude
"""
KEY, ENGINE_KEY = "LECT_SERVE_KEY", "LECT_SERVE_ENGINE_KEY"
BACKLOG = 4096
"""How many connections may wait to be accepted."""


def configure(parser: ArgumentParser) -> None:
    """Describe the command and its arguments."""
    from lect.addon import commands

    parser.description = (
        "Serve a model to clients of Chat Completions, Responses and Messages, such as coding agents. Prompts go to\n"
        "the engine as token ids, and replies are read from the ids that come back. `--engine echo` needs no engine."
    )
    parser.epilog = EPILOG
    add = parser.add_argument
    add("model", metavar="MODEL", type=commands.utf8, help=f"{commands.MODEL}; its tokenizer is read too")
    engine = "the address of an engine, or echo, the scripted model inside; may be given several times"
    add("--engine", metavar="URL", action="append", dest="engines", default=[], help=engine)
    add("--kind", metavar="KIND", help="what the engines are, such as vllm; by default they are asked")
    add("--engine-model", metavar="NAME", help="what an engine that has several models calls this one")
    key = "the API key of the engines, or LECT_SERVE_ENGINE_KEY in the environment"
    add("--engine-key", metavar="KEY", help=key)
    add("--name", metavar="NAME", type=commands.utf8, help="what clients call the model (default: MODEL)")
    add("--tokenizer", metavar="DIR", help="a directory with a tokenizer.json, or that file (default: MODEL's)")
    add("--adapter", metavar="NAME", help="the adapter or template to use, as in lect prompt")
    add("--default", metavar="NAME", help="the template for a model that no adapter knows, such as chatml")
    options = "an option of the format for all requests that do not say otherwise, such as enable_thinking=false"
    add(
        "--option",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        type=commands.option,
        dest="options",
        help=options,
    )
    add("--context", metavar="TOKENS", type=int, help="how long prompt and answer may be (default: what engines say)")
    add("--exact", action="store_true", help="render requests as they are: what the format lacks is refused")
    _add_network(parser)
    _add_load(parser)
    _add_sessions(parser)


def _add_network(parser: ArgumentParser) -> None:
    from lect_serve.settings import MEGABYTE, Settings

    add = parser.add_argument_group("who may ask").add_argument
    add("--host", default=Settings.host, help="the address to listen at (default: %(default)s); another needs a key")
    add("--port", type=int, default=Settings.port, help="the port (default: %(default)s)")
    add("--key", metavar="KEY", action="append", default=[], dest="keys", help="an API key that clients must send")
    hosts = "a further name by which clients may call the server"
    add("--allow-host", metavar="NAME", action="append", default=[], dest="hosts", help=hosts)
    origins = "a web page that may ask, such as http://localhost:3000"
    add("--allow-origin", metavar="ORIGIN", action="append", default=[], dest="origins", help=origins)
    most = Settings.most_bytes // MEGABYTE
    add("--body", metavar="MIB", type=int, default=most, help="how large a request may be (default: %(default)s MiB)")


def _add_load(parser: ArgumentParser) -> None:
    from lect_serve.settings import Settings

    add = parser.add_argument_group("load").add_argument
    add("--slots", metavar="N", type=int, help="how many requests an engine gets at once (default: what it says)")
    waiting = "how many may wait for a slot of an engine; the next is refused (default: %(default)s)"
    add("--waiting", metavar="N", type=int, default=Settings.waiting, help=waiting)
    first = "how long an engine may be silent before its first token (default: %(default)g)"
    add("--first", metavar="SECONDS", type=float, default=Settings.first, help=first)
    between = "how long between two tokens (default: %(default)g)"
    add("--between", metavar="SECONDS", type=float, default=Settings.between, help=between)
    grace = "how long answers may go on when the server is told to stop (default: %(default)s)"
    add("--grace", metavar="SECONDS", type=int, default=Settings.grace, help=grace)
    workers = "how many processes serve; then nothing can be recorded or stored (default: %(default)s)"
    add("--workers", metavar="N", type=int, default=Settings.workers, help=workers)


def _add_sessions(parser: ArgumentParser) -> None:
    from lect_serve.settings import Settings

    add = parser.add_argument_group("sessions").add_argument
    add("--record", metavar="DIR", help="write each session as a rollout: ids, what was sampled, log probabilities")
    history = (
        "whether the history of a session is in the ids that were sampled, as by default with --record, or in the "
        "words of the client"
    )
    add("--history", choices=("sampled", "client"), help=history)
    keep = "keep reasoning that the format drops at a new question, with --history sampled"
    add("--keep-reasoning", action="store_true", help=keep)
    idle = "after how long an idle session is written and forgotten (default: %(default)g)"
    add("--idle", metavar="SECONDS", type=float, default=Settings.idle, help=idle)
    lines = "how many lines of sessions are kept in memory (default: %(default)s)"
    add("--lines", metavar="N", type=int, default=Settings.lines, help=lines)
    inspect = "show sessions as pictures at /inspect, to this machine only: they hold what was said"
    add("--inspect", action="store_true", help=inspect)


def run(arguments: Namespace) -> None:
    """Serve until Ctrl-C."""
    import asyncio
    import logging

    import uvicorn

    from lect_serve import application
    from lect_serve.server import Server

    settings = settings_of(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(levelname)s %(message)s")
    for other in ("httpx", "httpcore"):
        logging.getLogger(other).setLevel(logging.WARNING)
    _raise_file_limit()
    how: dict[str, Any] = {
        "host": settings.host,
        "port": settings.port,
        "log_level": "warning",
        "timeout_graceful_shutdown": settings.grace,
        "backlog": BACKLOG,
        "server_header": False,
    }
    logging.disable(logging.WARNING)  # The server that stays says it.
    try:
        server = Server(settings)
        # What is wrong with the engines is better said before the start than from inside of it.
        asyncio.run(_try(server))
    finally:
        logging.disable(logging.NOTSET)
    _check_address(settings)
    print(f"http://{settings.host}:{settings.port} serves {server.model.name} (Ctrl-C ends it)", flush=True)
    if settings.workers == 1:
        uvicorn.run(application.app(settings, model=server.model), **how)
        return
    from lect_serve.worker import pass_on

    pass_on(settings)
    uvicorn.run("lect_serve.worker:made", factory=True, workers=settings.workers, **how)


def _check_address(settings: Settings) -> None:
    """Refuse an address that cannot be listened at: uvicorn ends the process, after it was said that it serves."""
    import os
    import socket

    from lect.errors import LectError

    try:
        with socket.socket(socket.AF_INET6 if ":" in settings.host else socket.AF_INET) as place:
            if os.name == "posix":  # elsewhere it would allow what is taken
                place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            place.bind((settings.host, settings.port))
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or error
        msg = f"cannot listen at {settings.host}, port {settings.port}: {why}\n  try: --port with another number"
        raise LectError(msg) from None


async def _try(server: Any) -> None:
    try:
        await server.start()
    finally:
        await server.stop()


def settings_of(arguments: Namespace) -> Settings:
    """Return the arguments as settings.

    Raises:
        ArgumentError: If they contradict each other.
    """
    import os
    from argparse import ArgumentError

    from lect_serve.settings import MEGABYTE, Settings

    keys = (*arguments.keys, *filter(None, [os.environ.get(KEY)]))
    if not arguments.engines:
        raise ArgumentError(None, "--engine is missing: give the address of an engine, or --engine echo")
    settings = Settings(
        model=arguments.model,
        engines=tuple(arguments.engines),
        kind=arguments.kind,
        engine_model=arguments.engine_model,
        engine_key=arguments.engine_key or os.environ.get(ENGINE_KEY),
        name=arguments.name,
        tokenizer=arguments.tokenizer,
        adapter=arguments.adapter,
        default=arguments.default,
        options=dict(arguments.options),
        context=arguments.context,
        exact=arguments.exact,
        host=arguments.host,
        port=arguments.port,
        keys=keys,
        hosts=tuple(arguments.hosts),
        origins=tuple(arguments.origins),
        most_bytes=arguments.body * MEGABYTE,
        workers=arguments.workers,
        slots=arguments.slots,
        waiting=arguments.waiting,
        first=arguments.first,
        between=arguments.between,
        grace=arguments.grace,
        record=arguments.record,
        history=arguments.history,
        keep_reasoning=arguments.keep_reasoning,
        idle=arguments.idle,
        lines=arguments.lines,
        inspect=arguments.inspect,
    )
    if not settings.is_local and not keys:
        raise ArgumentError(None, f"--host {settings.host} lets others ask: give a --key, or {KEY} in the environment")
    if not settings.is_local and settings.inspect:
        raise ArgumentError(None, "--inspect shows what was said, so it is for --host 127.0.0.1 alone")
    told = {
        "--record": settings.record,
        "--history sampled": settings.words == "sampled",
        "--inspect": settings.inspect,
    }
    for name in (name for name, given in told.items() if given and settings.workers > 1):
        why = f"{name} needs all requests of a session in one process"
        raise ArgumentError(None, f"{why}: leave out --workers, or start several servers")
    return settings


def _raise_file_limit() -> None:
    """Let this process have as many files as the system allows: a stream takes two."""
    from contextlib import suppress

    with suppress(ImportError, OSError, ValueError):
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
