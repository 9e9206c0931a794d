"""`lect why`: what a model path resolves to, and why."""

import sys
import warnings
from argparse import ArgumentParser, Namespace
from typing import Any

import lect
from lect.cli.description import bos_advice, reply_format, stops_text, template_data
from lect.cli.inputs import ADAPTER, MODEL, utf8
from lect.cli.screen import Painted, Screen, write_json
from lect.cli.wording import reword
from lect.errors import FallbackWarning, ModelPathWarning, PluginWarning
from lect.facts import EVIDENCE
from lect.registry.refs import parse_ref
from lect.registry.resolve import fallback_note
from lect.reports import Verdict

BOUNDED = True
EPILOG = """\
A claim rests on REPO (the whole owner/name), NAME (the beginning of the name), TOKEN (a word in it), MODEL_TYPE (a
config file) or FAMILY (nothing more); the strongest wins, and of two equal ones the longer. --adapter and pins decide
without regard to claims.

examples:
  lect why lmsys/vicuna-7b-v1.5
  lect why lmsys/vicuna-7b-v1.5 --all
  lect why Qwen/Qwen2.5-7B-Instruct --adapter chatml
  LECT_PINS='acme/*=lect-qwen:qwen' lect why acme/qwen2.5-7b-instruct
"""
STYLES = {"won": "green", "tied": "red"}
HISTORY = "history does not show an answer as the model writes it: to train, unroll it"
SEPARATORS = "plain text: nothing can protect a prompt against a user who writes them"

Found = lect.Resolution | lect.UnknownModelError | lect.AmbiguousModelError


def configure(parser: ArgumentParser) -> None:
    """Describe the command and its arguments."""
    parser.description = (
        "Show what a model path resolves to: who claims it and how strongly, and which pins are in force."
    )
    parser.add_argument("model", metavar="MODEL", type=utf8, help=MODEL)
    parser.add_argument("--adapter", metavar="NAME", help=ADAPTER)
    parser.add_argument("--all", action="store_true", help="also show the adapters that were not asked, and why not")
    carries = "also ask the format what it carries of a request, such as late system messages; needs lect-fit"
    parser.add_argument("--carries", action="store_true", help=carries)
    parser.add_argument("--json", action="store_true", help="print all of it as JSON")


def run(arguments: Namespace) -> None:
    """Print the whole verdict; raise what the resolution raised."""
    # Warnings are printed anyway, in their place.
    for category in (FallbackWarning, PluginWarning, ModelPathWarning):
        warnings.simplefilter("ignore", category)
    found: Found
    try:
        found = lect.resolve(arguments.model, adapter=arguments.adapter)
    except (lect.UnknownModelError, lect.AmbiguousModelError) as error:
        if isinstance(error, lect.AmbiguousModelError) and not error.candidates:
            # Several templates have the name that was given; no adapter was asked about a path.
            raise
        found = error
    carried = _carried(found) if arguments.carries else None
    if arguments.json:
        write_json(_as_data(arguments.model, found) | ({} if carried is None else {"carries": carried}))
    else:
        screen = Screen(sys.stdout)
        _show(arguments.model, found, screen, show_all=arguments.all)
        if carried:
            screen.section("carries")
            screen.table((name, why or Painted("yes", "green")) for name, why in carried.items())
    if isinstance(found, lect.LectError):
        raise found


def _carried(found: Found) -> dict[str, str]:
    """Return what a format carries, by name: empty if it does, else why not; nothing if there is no format."""
    if not isinstance(found, lect.Resolution):
        return {}
    return dict(lect._registry.function("carried", "lect why --carries")(found.template))


def _show(model: str, found: Found, screen: Screen, *, show_all: bool) -> None:
    resolution, verdicts = found if isinstance(found, lect.Resolution) else None, found.candidates
    screen.line(model, style="bold")
    facts = _facts(resolution) if resolution else [("words", " ".join(parse_ref(model).words))]
    screen.table([(Painted(fact, "dim"), text) for fact, text in facts])
    if resolution is not None and resolution.remarks:
        screen.section("remarks")
        for remark in resolution.remarks:
            screen.block(remark, indent=2)
    considered = [verdict for verdict in verdicts if verdict.outcome != "not asked"]
    screen.section("considered")
    if considered:
        screen.table(map(_row, considered), header=("adapter", "claim", "result", "why"))
    else:
        screen.line("  none")
    passed_over = [verdict for verdict in verdicts if verdict.outcome == "not asked"]
    if passed_over and not show_all:
        screen.line(f"  {len(passed_over)} not asked; --all shows why", style="dim")
    elif passed_over:
        screen.section("not asked")
        screen.table((str(verdict), verdict.why) for verdict in passed_over)
    if pins := lect.pins():
        screen.section("pins")
        decided = resolution.pin if resolution else None
        screen.table((f"{pin}", Painted("decides", "green") if pin == decided else "") for pin in pins)
    if failures := [failure for plugin in lect.plugins() for failure in plugin.failures]:
        screen.section("failed")
        for failure in failures:
            screen.block(str(failure), indent=2, style="red")


def _facts(resolution: lect.Resolution) -> list[tuple[str, str]]:
    template = resolution.template
    facts = [
        ("adapter", str(resolution.adapter) if resolution.adapter else "none: the template was named"),
        ("template", template.name),
        ("because", reword(resolution.reason, "why")),
        ("kind", resolution.kind + ("" if resolution.kind == "chat" else ": not trained to chat")),
        ("source", template.source or "not given"),
        ("evidence", EVIDENCE.get(template.evidence, template.evidence)),
        ("revision", _revisions(template)),
        ("written at", template.written_at),
        ("stop", stops_text(template)),
        ("BOS", bos_advice(template)),
        ("default system", repr(template.default_system) if template.default_system else ""),
        ("supports", ", ".join(sorted(template.capabilities))),
        ("options", ", ".join(template.options)),
        ("replies", reply_format(template)),
        ("history", "" if template.prefix_stable else HISTORY),
        ("separators", SEPARATORS if template.text_separators else ""),
        ("note", fallback_note(resolution).partition("\n")[0] if resolution.fallback else ""),
        *(("warning", text) for text in resolution.warnings),
    ]
    return [(fact, text) for fact, text in facts if text]


def _revisions(template: lect.Template) -> str:
    others = (f"{name} ({date})" for name, date in template.revisions.items() if name != template.name)
    mine = template.revision().removeprefix("revision ")
    return f"{mine}; --adapter takes another: {', '.join(others)}" if mine else ""


def _row(verdict: Verdict) -> tuple[str, str, Painted, str]:
    claim = f"{verdict.claim.specificity.name} {verdict.claim.literal!r}" if verdict.claim else "-"
    return str(verdict), claim, Painted(verdict.outcome, STYLES.get(verdict.outcome, "dim")), reword(verdict.why, "why")


def _as_data(model: str, found: Found) -> dict[str, Any]:
    resolution = found if isinstance(found, lect.Resolution) else None
    decided = resolution.pin if resolution else None
    error: dict[str, Any] = {"type": type(found).__name__, "message": reword(str(found), "why")}
    error["install"] = getattr(found, "install", None)
    return {
        "model": model,
        "path": resolution.ref.path if resolution else None,
        "words": list((resolution.ref if resolution else parse_ref(model)).words),
        "adapter": resolution.adapter.name if resolution and resolution.adapter else None,
        "package": (resolution.package if resolution else "") or None,
        **{name: getattr(resolution, name, None) for name in ("kind", "fallback", "reason")},
        "template": template_data(resolution.template) if resolution else None,
        **{name: list(getattr(resolution, name, ())) for name in ("warnings", "remarks")},
        "candidates": [_verdict_data(verdict) for verdict in found.candidates],
        "pins": [
            {"pattern": pin.pattern, "adapter": str(pin.adapter), "source": pin.source, "decides": pin == decided}
            for pin in lect.pins()
        ],
        "failures": [
            failure._asdict() | {"error": failure.description}
            for plugin in lect.plugins()
            for failure in plugin.failures
        ],
        "error": None if resolution else error,
    }


def _verdict_data(verdict: Verdict) -> dict[str, Any]:
    claim = verdict.claim
    said = claim._asdict() | {"specificity": claim.specificity.name} if claim else None
    return verdict._asdict() | {"package": verdict.package or None, "version": verdict.version or None, "claim": said}
