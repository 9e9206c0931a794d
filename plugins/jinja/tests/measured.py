"""Run templates given as lines of JSON, each in a process of its own that may crash, and print what each of them used.

Each line of output is the outcome, what was said, the CPU seconds, and the bytes beyond those of a plain template.
"""

import json
import os
import resource
import sys
import traceback

from lect import LectError, LimitError, RefusedError
from lect_jinja import load

MESSAGES = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}]
PLAIN = "{% for m in messages %}{{ m.content }}{% endfor %}"
HANGS = 20
"""CPU seconds after which a process is ended."""
LONGEST = 2000
UNIT = 1 if sys.platform == "darwin" else 1024
"""Bytes in which the system states the memory of a process."""


def outcome(source, way):
    """Return what a template does, and what it says."""
    try:
        written = getattr(load(source), way)(MESSAGES, add_generation_prompt=True)
        return "ok", written if way == "text" else "".join(segment.text for segment in written.segments)
    except LimitError as error:
        return "limit", str(error)
    except RefusedError as error:
        return "ok-error", str(error)
    except LectError as error:
        return "reject", str(error)
    except BaseException:
        return "foreign", traceback.format_exc()


def used(source, way):
    """Run a template in a process of its own; return its outcome, what it said, its CPU seconds and its memory."""
    reads, writes = os.pipe()
    process = os.fork()
    if not process:
        resource.setrlimit(resource.RLIMIT_CPU, (HANGS, HANGS))
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        name, said = outcome(source, way)
        os.write(writes, json.dumps([name, said[:LONGEST], memory]).encode())
        os._exit(0)
    os.close(writes)
    with os.fdopen(reads, "rb") as file:
        said = file.read()
    _, status, usage = os.wait4(process, 0)
    name, text, before = json.loads(said) if said else ("foreign", f"the process ended with status {status}", 0)
    return name, text, usage.ru_utime + usage.ru_stime, (usage.ru_maxrss - before) * UNIT


def main():
    """Run all templates of the standard input."""
    # What a plain template needs is there before any other begins.
    outcome(PLAIN, "render")
    for line in sys.stdin:
        source = json.loads(line)
        for way in ("text", "render"):
            sys.stdout.write(json.dumps(used(source, way)) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
