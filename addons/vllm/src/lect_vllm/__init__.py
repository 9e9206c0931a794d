"""Tool and reasoning parsers for vLLM, for every model that lect knows: one pair, called `lect`."""

from typing import Any

__all__ = ["register"]


def register(model: Any = None, *, name: str = "lect") -> None:
    """Register the two parsers with vLLM.

    vLLM calls this itself in every process if the package is installed. Call it in the file of `--tool-parser-plugin`
    and `--reasoning-parser-plugin` to name a model, or to register further pairs.

    Args:
        model: The model, template or path whose format is read; by default the model that is served.
        name: What `--tool-call-parser` and `--reasoning-parser` call them.
    """
    from vllm.reasoning import ReasoningParserManager
    from vllm.tool_parsers import ToolParserManager

    if model is None:
        # Their modules are imported where they are used: vLLM calls this in its workers too.
        ToolParserManager.register_lazy_module(name, "lect_vllm.parsers", "LectToolParser")
        ReasoningParserManager.register_lazy_module(name, "lect_vllm.parsers", "LectReasoningParser")
        return
    from lect_vllm.parsers import LectReasoningParser, LectToolParser

    tool_parser = type("NamedToolParser", (LectToolParser,), {"model": model})
    reasoning_parser = type("NamedReasoningParser", (LectReasoningParser,), {"model": model})
    ToolParserManager.register_module(name, module=tool_parser)
    ReasoningParserManager.register_module(name, module=reasoning_parser)
