"""`lect why`: what a model path resolves to, and why."""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING, Any

import lect
from lect.cli.considered import EQUAL, LOST, NO_CLAIM, OVERRULED, TIED, WON, consider
from lect.cli.facts import bos_advice, reply_format, stops, template_facts
from lect.cli.screen import Painted, Screen, write_json
from lect.errors import ModelPathWarning, PluginWarning
from lect.registry.refs import parse_ref

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from lect.cli.considered import Considered, Verdict
    from lect.registry.load import Failure
    from lect.registry.resolve import Resolution

EPILOG = """\
A claim rests on REPO (the whole owner/name), NAME (the beginning of the name), TOKEN (a word in it), MODEL_TYPE (a
config file) or FAMILY (nothing more); the strongest wins, and of two equal ones the longer. --adapter and pins decide
without regard to claims.

examples:
  lect why lmsys/vicuna-7b-v1.5
  lect why Qwen/Qwen2.5-7B-Instruct --adapter chatml
  LECT_PINS='acme/*=lect-qwen:qwen' lect why acme/qwen2.5-7b-instruct
"""
STYLES = {WON: "green", TIED: "red", EQUAL: "dim", LOST: "dim", OVERRULED: "dim", NO_CLAIM: "dim"}


def configure(parser: ArgumentParser) -> None:
    """Describe the command and its arguments."""
    parser.description = (
        "Show what a model path resolves to: who claims it and how strongly, who was not asked, and which pins are in "
        "force."
    )
    parser.epilog = EPILOG
    parser.add_argument("model", metavar="MODEL", help="owner/name, a name, or a local path")
    parser.add_argument(
        "--adapter",
        metavar="NAME",
        help="who shall decide: an adapter or a template, such as qwen, qwen:qwen2.5 or chatml",
    )
    parser.add_argument("--json", action="store_true", help="print all of it as JSON")


def run(arguments: Namespace) -> int:
    """Print all that was considered; raise what the resolution raised."""
    # What is warned about is printed anyway, in its place.
    for category in (PluginWarning, ModelPathWarning):
        warnings.simplefilter("ignore", category)
    considered = consider(lect._registry, parse_ref(arguments.model), arguments.adapter)
    if arguments.json:
        write_json(_as_data(considered))
    else:
        _show(considered, Screen(sys.stdout))
    if considered.error is not None:
        raise considered.error
    return 0


def _show(considered: Considered, screen: Screen) -> None:
    screen.line(considered.ref.given, style="bold")
    if considered.resolution is not None:
        screen.table([(Painted(fact, "dim"), text) for fact, text in _facts(considered.resolution)])
    told = _differences(considered)
    if told:
        screen.line()
        screen.line("FastChat and the maker", style="bold")
        for difference in told:
            screen.block(str(difference), indent=2)
    screen.line()
    screen.line("considered", style="bold")
    if considered.verdicts:
        screen.table(map(_row, considered.verdicts), header=("adapter", "claim", "result", "why"))
    else:
        screen.line("  none")
    if considered.not_asked:
        screen.line()
        screen.line("not asked", style="bold")
        screen.table(
            (f"{record.name} ({record.package} {record.version})", why) for record, why in considered.not_asked
        )
    pins = lect._registry.pins()
    if pins:
        screen.line()
        screen.line("pins", style="bold")
        screen.table((f"{pin}", Painted("decides", "green") if pin is considered.pin else "") for pin in pins)
    failures = lect._registry.failures
    if failures:
        screen.line()
        screen.line("failed", style="bold")
        for failure in failures:
            screen.block(str(failure), indent=2, style="red")


def _differences(considered: Considered) -> list[Any]:
    """Return what installed fallbacks tell of how they differ from the model's maker.

    Those that have a method `differences`.
    """
    registry = lect._registry
    adapters = [registry.adapter(record) for record in registry.usable() if record.fallback]
    tellers = [getattr(adapter.plugin, "differences", None) for adapter in adapters if adapter is not None]
    return [difference for tell in tellers if tell is not None for difference in tell(considered.ref.given)]


def _facts(resolution: Resolution) -> list[tuple[str, str]]:
    template = resolution.template
    base = "" if resolution.kind == "chat" else ": not trained to chat"
    facts = [
        ("adapter", str(resolution.adapter) if resolution.adapter else "none: the template was named"),
        ("template", template.name),
        ("because", resolution.reason),
        ("kind", resolution.kind + base),
        ("source", template.source or "not given"),
        ("stop", stops(template)),
        ("BOS", bos_advice(template)),
    ]
    if template.default_system:
        facts.append(("default system", repr(template.default_system)))
    if template.capabilities:
        facts.append(("has words for", ", ".join(sorted(template.capabilities))))
    if template.options:
        facts.append(("options", ", ".join(template.options)))
    if template.reply:
        facts.append(("replies", reply_format(template)))
    if template.text_separators:
        facts.append(("separators", "plain text: nothing can protect a prompt against a user who writes them"))
    facts += [("warning", text) for text in resolution.warnings]
    return facts


def _row(verdict: Verdict) -> tuple[str, str, Painted, str]:
    adapter, match = verdict.candidate
    claim = f"{match.specificity.name} {match.literal!r}" if match else "-"
    return str(adapter), claim, Painted(verdict.result, STYLES[verdict.result]), verdict.why


def _as_data(considered: Considered) -> dict[str, Any]:
    resolution, error = considered.resolution, considered.error
    return {
        "model": considered.ref.given,
        "path": considered.ref.path,
        "adapter": resolution.adapter.name if resolution and resolution.adapter else None,
        "package": (resolution.package if resolution else "") or None,
        "kind": resolution.kind if resolution else None,
        "reason": resolution.reason if resolution else None,
        "template": template_facts(resolution.template) if resolution else None,
        "warnings": list(resolution.warnings) if resolution else [],
        "differences": [difference._asdict() for difference in _differences(considered)],
        "candidates": [_candidate_data(verdict) for verdict in considered.verdicts],
        "not_asked": [
            {
                "adapter": record.name,
                "package": record.package,
                "version": record.version,
                "hints": record.hints,
                "why": why,
            }
            for record, why in considered.not_asked
        ],
        "pins": [
            {
                "pattern": pin.pattern,
                "adapter": str(pin.adapter),
                "source": pin.source,
                "decides": pin is considered.pin,
            }
            for pin in lect._registry.pins()
        ],
        "failures": [_failure_data(failure) for failure in lect._registry.failures],
        "error": {"type": type(error).__name__, "message": str(error), "install": getattr(error, "install", None)}
        if error
        else None,
    }


def _candidate_data(verdict: Verdict) -> dict[str, Any]:
    adapter, match = verdict.candidate
    return {
        "adapter": adapter.name,
        "package": adapter.package or None,
        "version": adapter.version or None,
        "claim": match._asdict() | {"specificity": match.specificity.name} if match else None,
        "result": verdict.result,
        "why": verdict.why,
    }


def _failure_data(failure: Failure) -> dict[str, Any]:
    return failure._asdict() | {"error": f"{type(failure.error).__name__}: {failure.error}"}
