"""SGLang's two parsers, which it calls detectors, as of SGLang 0.5.23."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from sglang.srt.function_call.base_format_detector import BaseFormatDetector
from sglang.srt.function_call.core_types import StreamingParseResult as ToolResult
from sglang.srt.function_call.core_types import ToolCallItem
from sglang.srt.parser.reasoning_parser import BaseReasoningFormatDetector
from sglang.srt.parser.reasoning_parser import StreamingParseResult as ReasoningResult
from xgrammar import StructuralTag

from lect_apis import Stages, add_up
from lect_constrain import constrain

if TYPE_CHECKING:
    from collections.abc import Sequence


SWITCHES = ("enable_thinking", "thinking")
"""The options by which templates turn reasoning on and off."""


class LectReasoningDetector(BaseReasoningFormatDetector):  # type: ignore[misc]
    """Takes the reasoning out of replies; what it calls normal text contains calls as they are written."""

    model: Any = None

    def __init__(
        self,
        stream_reasoning: bool = True,
        force_reasoning: bool | None = None,
        continue_final_message: bool = False,
        previous_content: str = "",
        force_nonempty_content: bool = False,
        tokenizer: Any = None,
    ):
        self._stages = Stages(self.model or tokenizer.name_or_path)
        super().__init__(
            next(iter(self._stages.opens), ""),
            next(iter(self._stages.closes), ""),
            force_reasoning=bool(force_reasoning),
            stream_reasoning=stream_reasoning,
            force_nonempty_content=force_nonempty_content,
        )
        # What the prompt has opened is read from the prompt that the template writes: SGLang says only whether
        # reasoning is on.
        options = {} if force_reasoning is None else dict.fromkeys(SWITCHES, force_reasoning)
        self._prompt = self._stages.prompt(options)
        if continue_final_message and previous_content and self._prompt is not None:
            self._prompt += previous_content
        self._held = ""
        self._said = False

    @cached_property
    def _stream(self) -> Any:
        return self._stages.reasoning_stream(prompt=self._prompt)

    def detect_and_parse(self, text: str) -> Any:
        stream = self._stages.reasoning_stream(prompt=self._prompt)
        stream.feed(text)
        reply = stream.close()
        result = ReasoningResult(normal_text=reply.content, reasoning_text=reply.reasoning)
        return self._maybe_apply_force_nonempty_content(result)

    def parse_streaming_increment(self, new_text: str) -> Any:
        return self._result(self._stream.feed(new_text), is_last=False)

    def finish(self) -> Any:
        return self._result(self._stream.finish(), is_last=True)

    def _result(self, events: list[Any], *, is_last: bool) -> Any:
        delta = add_up(events)
        self._held += delta.reasoning
        self._said = self._said or bool(delta.content)
        if not (self.stream_reasoning or self._said or is_last):
            return ReasoningResult()
        reasoning = self._held if not self.stream_reasoning else delta.reasoning
        if is_last and self._force_nonempty_content and not self._said:
            # A reply that is all reasoning is content, too.
            return ReasoningResult(normal_text=self._held)
        if not self.stream_reasoning:
            self._held = ""
        return ReasoningResult(normal_text=delta.content, reasoning_text=reasoning)


class LectToolDetector(BaseFormatDetector):  # type: ignore[misc]
    """Reads the calls in replies from which reasoning has been taken away."""

    model: Any = None

    def __init__(self, tokenizer: Any = None):
        super().__init__()
        self._tokenizer = tokenizer
        self._stream: Any = None

    @cached_property
    def _stages(self) -> Stages:
        return Stages(self.model or self._tokenizer.name_or_path)

    def has_tool_call(self, text: str) -> bool:
        return bool(self.detect_and_parse(text, []).calls)

    def detect_and_parse(self, text: str, tools: Sequence[Any]) -> Any:
        stream = self._stages.tool_stream(_tools(tools))
        return _result(stream.feed(text) + stream.finish())

    def parse_streaming_increment(self, new_text: str, tools: Sequence[Any]) -> Any:
        if self._stream is None:
            self._stream = self._stages.tool_stream(_tools(tools))
        return _result(self._stream.feed(new_text))

    def finish(self, tools: Sequence[Any]) -> Any:
        return _result(self._stream.finish()) if self._stream else ToolResult()

    def structure_info(self) -> Any:
        raise NotImplementedError("the whole structural tag is in get_structural_tag")

    def get_structural_tag(
        self,
        tools: Sequence[Any] | None = None,
        tool_choice: Any = "auto",
        thinking_mode: bool = False,
        parallel_tool_calls: bool = True,
    ) -> Any:
        choice = tool_choice if isinstance(tool_choice, str) else {"name": tool_choice.function.name}
        # With a reasoning parser, SGLang applies it after the reasoning.
        place = {"prompt": self._stages.prompt({})} if thinking_mode else self._stages.after_reasoning()
        found = constrain(
            self._stages.template,
            _tools(tools),
            tool_choice=choice,
            parallel=parallel_tool_calls,
            tokenizer=self._tokenizer,
            **place,
        )
        return StructuralTag.from_json(found.structural_tag())


def _result(events: list[Any]) -> Any:
    delta = add_up(events)
    calls = [
        ToolCallItem(tool_index=call["index"], name=call.get("name"), parameters=call["arguments"])
        for call in delta.calls
    ]
    return ToolResult(normal_text=delta.content, calls=calls)


def _tools(tools: Sequence[Any] | None) -> list[dict[str, Any]]:
    return [tool if isinstance(tool, dict) else tool.model_dump(exclude_none=True) for tool in tools or ()]
