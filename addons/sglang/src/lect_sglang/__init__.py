"""Tool and reasoning parsers for SGLang, for every model that lect knows: one pair, called `lect`."""

from typing import Any

__all__ = ["register"]


def register(model: Any = None, *, name: str = "lect") -> None:
    """Register the two parsers with SGLang, which calls this itself in every process if the package is installed.

    Args:
        model: The model, template or path whose format is read; by default the model that is served.
        name: What `--tool-call-parser` and `--reasoning-parser` call them.
    """
    from sglang.srt.function_call.function_call_parser import FunctionCallParser
    from sglang.srt.parser.reasoning_parser import ReasoningParser

    from lect_sglang.detectors import LectReasoningDetector, LectToolDetector

    own = {"model": model} if model is not None else {}
    # The tables are how SGLang's plug-ins register parsers: the choices of the command line are read from them.
    FunctionCallParser.ToolCallParserEnum[name] = type("NamedToolDetector", (LectToolDetector,), own)
    ReasoningParser.DetectorMap[name] = type("NamedReasoningDetector", (LectReasoningDetector,), own)
