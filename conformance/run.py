"""Run a command on the lines of this pack, and print what it got right: `python run.py -- COMMAND ...`.

The command reads one JSON object a line from its standard input, and writes one JSON object a line to its standard
output; README.md describes both. Nothing but Python's standard library is needed.
"""

import argparse
import json
import queue
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

HERE = Path(__file__).parent
TASKS = {"prompts": "prompt", "masks": "mask", "replies": "reply"}
GROUPED_BY = {"prompts": "model", "masks": "model", "replies": "format"}
CHECKS = {"prompts": ("prompt",), "masks": ("mask",), "replies": ("reading", "stream", "problems")}
FIELDS = ("content", "reasoning", "calls")
IN_A_ROW = 3
"""After so many lines on which the command fails to answer, one after the other, it is given up."""


class NoAnswerError(Exception):
    """The command did not answer a line as it should."""


class Command:
    """A command that answers lines; it is started again after it ends or hangs."""

    def __init__(self, words, timeout):
        self.words = words
        self.timeout = timeout
        self.process = None

    def ask(self, request):
        """Return the answer to a request."""
        line, why = self._exchange(json.dumps(request).encode() + b"\n")
        answer = as_object(line)
        if not why and answer.get("id") != request["id"]:
            why = f"its answer is not a JSON object with the id of the line: {line[:80]!r}"
        if why:
            # What state the process is in is unknown.
            code = self.stop()
            raise NoAnswerError(why + (f" (exit code {code})" if line is None else ""))
        return answer

    def _exchange(self, request):
        """Return the line that follows a request, or why there is none."""
        if self.process is None:
            self._start()
        try:
            self.process.stdin.write(request)
            self.process.stdin.flush()
            line = self.lines.get(timeout=self.timeout)
        except OSError:
            line = None
        except queue.Empty:
            return "", f"it hung: no answer in {self.timeout:g} seconds"
        return line, "it ended without an answer" if line is None else ""

    def _start(self):
        self.process = subprocess.Popen(self.words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.lines = queue.Queue()
        threading.Thread(target=self._read, args=(self.process, self.lines), daemon=True).start()

    @staticmethod
    def _read(process, lines):
        for line in process.stdout:
            lines.put(line.decode("utf-8", "replace"))
        lines.put(None)

    def stop(self):
        """End the process, if there is one; return its exit code."""
        process, self.process = self.process, None
        if process is None:
            return None
        with suppress(OSError):
            process.stdin.close()
        try:
            return process.wait(1)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()


def as_object(line):
    """Return the JSON object of a line; an empty one if it has none."""
    with suppress(TypeError, ValueError, RecursionError):
        found = json.loads(line)
        return found if isinstance(found, dict) else {}
    return {}


def verdicts(kind, expected, answer):
    """Return, for each check that can be made, why the answer fails it; empty if it passes."""
    if kind == "prompts":
        return {"prompt": prompt_fault(expected, answer)}
    if kind == "masks":
        same = answer["trained"] == expected["trained"]
        return {"mask": "" if same else differs("trained", expected["trained"], answer["trained"])}
    found = {"reading": reading_fault(expected, answer)}
    if "streams" in answer:
        found["stream"] = stream_fault(expected, answer["streams"])
    if "problems" in answer and "problems" in expected:
        same = sorted(answer["problems"]) == sorted(expected["problems"])
        found["problems"] = "" if same else differs("problems", expected["problems"], answer["problems"])
    return found


def prompt_fault(expected, answer):
    if "refused" in answer:
        return "" if "refused" in expected else f"refused: {answer['refused']}"
    if "refused" in expected:
        return f"the maker's template refuses this: {expected['refused']}"
    text, wanted = answer.get("text"), expected["text"]
    if not isinstance(text, str):
        return f"no text: {answer!r:.80}"
    pairs = enumerate(zip(text, wanted, strict=False))
    at = next((at for at, (one, other) in pairs if one != other), min(len(text), len(wanted)))
    return "" if text == wanted else differs(f"text at character {at}", wanted[at : at + 40], text[at : at + 40])


def reading_fault(expected, answer):
    """Return why an answer fits none of the readings that are right; empty if it fits one."""
    if missing := [field for field in FIELDS if field not in answer]:
        return f"no {' and no '.join(missing)}: {answer!r:.200}"
    readings = [expected["reading"], *expected.get("or", [])]
    faults = [misread(reading, answer, expected.get("trim", False)) for reading in readings]
    return "" if "" in faults else faults[0]


def misread(reading, answer, trim):
    for field, wanted in reading.items():
        found = answer.get(field) or ([] if field == "calls" else "")
        wanted = wanted or found.__class__()
        if field == "calls":
            found = [{"name": call.get("name"), "arguments": call.get("arguments")} for call in found]
        elif trim:
            wanted, found = wanted.strip(), found.strip()
        if as_json(wanted) != as_json(found):
            return differs(field, wanted, found)
    return ""


def stream_fault(expected, streams):
    for sizes, deltas in zip([each["sizes"] for each in expected["streams"]], streams, strict=True):
        if fault := reading_fault(expected, joined(deltas)):
            return f"in chunks of {sizes}: {fault}"
    return ""


def joined(deltas):
    """Return the reading that OpenAI's deltas add up to; a call whose arguments are no JSON has broken off."""
    reading = {"content": "", "reasoning": ""}
    calls = {}
    for delta in deltas:
        reading["content"] += delta.get("content") or ""
        reading["reasoning"] += delta.get("reasoning_content") or delta.get("reasoning") or ""
        for piece in delta.get("tool_calls") or ():
            call = calls.setdefault(piece["index"], {"name": None, "arguments": ""})
            function = piece.get("function") or {}
            call["name"] = call["name"] or function.get("name")
            call["arguments"] += function.get("arguments") or ""
    reading["calls"] = []
    for _, call in sorted(calls.items()):
        try:
            reading["calls"].append({"name": call["name"], "arguments": json.loads(call["arguments"])})
        except ValueError:
            continue
    return reading


def as_json(value):
    """Return a value as text: 1, 1.0 and true differ, and the order of keys does not matter."""
    return json.dumps(value, sort_keys=True)


def differs(what, wanted, found):
    return f"{what}: expected {as_json(wanted)}, got {as_json(found)}"


def run(command, kind, lines):
    """Return the results of all lines: `(line, answer's verdicts or None where it is skipped)`."""
    results, in_a_row = [], 0
    for line in lines:
        request = {"id": line["id"], "task": TASKS[kind], **line["given"]}
        try:
            answer = command.ask(request)
            found = None if "skip" in answer else verdicts(kind, line["expected"], answer)
            in_a_row = 0
        except NoAnswerError as error:
            found = {CHECKS[kind][0]: str(error)}
            in_a_row += 1
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            found = {CHECKS[kind][0]: f"its answer has another shape than README.md says: {error!r}"}
        results.append((line, found))
        if in_a_row == IN_A_ROW:
            why = found[CHECKS[kind][0]]
            sys.exit(
                f"run.py: given up after {IN_A_ROW} lines in a row without an answer; the last is {line['id']}: {why}"
            )
    return results


def report(kind, results):
    """Return the results as data: counts for each group and in all, and every failure."""
    groups = {}
    for line, found in results:
        name = line["given"][GROUPED_BY[kind]] or "-"
        for counts in (groups.setdefault(name, empty(kind)), groups.setdefault("", empty(kind))):
            counts["lines"] += 1
            counts["skipped"] += found is None
            for check, why in (found or {}).items():
                counts[check]["failed" if why else "passed"] += 1
    total = groups.pop("", empty(kind))
    failures = [
        {"id": line["id"], "check": check, "why": why}
        for line, found in results
        for check, why in (found or {}).items()
        if why
    ]
    return {"total": total, "groups": dict(sorted(groups.items())), "failures": failures}


def empty(kind):
    return {"lines": 0, "skipped": 0, **{check: {"passed": 0, "failed": 0} for check in CHECKS[kind]}}


def table(kind, data):
    """Yield the lines of a table: for each check, how many passed of those that were judged."""
    rows = [(GROUPED_BY[kind], "lines", "skipped", *CHECKS[kind])]
    for name, counts in [*data["groups"].items(), ("all", data["total"])]:
        judged = [counts[check] for check in CHECKS[kind]]
        cells = [f"{each['passed']}/{sum(each.values())}" if sum(each.values()) else "-" for each in judged]
        rows.append((name, str(counts["lines"]), str(counts["skipped"]), *cells))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for name, *cells in rows:
        numbers = (cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True))
        yield "  ".join([name.ljust(widths[0]), *numbers])


def main(words=None):
    """Run the command; return 1 if it failed a line."""
    parser = argparse.ArgumentParser(
        description="Run a command on the lines of this pack. README.md says how it talks."
    )
    parser.add_argument("--only", choices=TASKS, help="only the prompts, only the masks, or only the replies")
    parser.add_argument("--match", default="", metavar="TEXT", help="only lines with this in their model or format")
    parser.add_argument("--timeout", type=float, default=30, metavar="SECONDS", help="for one answer (default: 30)")
    parser.add_argument("--show", type=int, default=10, metavar="N", help="show so many failures (default: 10)")
    parser.add_argument("--json", action="store_true", help="print counts and all failures as JSON")
    parser.add_argument("command", nargs="+", metavar="COMMAND", help="the command and its arguments, after --")
    arguments = parser.parse_args(words)
    reports = {}
    command = Command(arguments.command, arguments.timeout)
    try:
        for kind in [arguments.only] if arguments.only else TASKS:
            with (HERE / f"{kind}.jsonl").open(encoding="utf-8") as file:
                lines = [line for line in map(json.loads, file) if matches(line["given"], arguments.match)]
            reports[kind] = report(kind, run(command, kind, lines))
    except OSError as error:
        parser.exit(2, f"run.py: {error}\n")
    finally:
        command.stop()
    if arguments.json:
        print(json.dumps(reports, indent=1))
    for kind, data in {} if arguments.json else reports.items():
        print(*table(kind, data), "", sep="\n")
        for failure in data["failures"][: arguments.show]:
            print(f"{failure['id']}, {failure['check']}: {failure['why']}"[:500])
        left = len(data["failures"]) - arguments.show
        print(*([f"... and {left} more: --show or --json\n"] if left > 0 else []), end="")
    return int(any(data["failures"] for data in reports.values()))


def matches(given, text):
    return any(text.lower() in str(given.get(key) or "").lower() for key in ("model", "format"))


if __name__ == "__main__":
    sys.exit(main())
