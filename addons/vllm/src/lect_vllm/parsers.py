"""vLLM's two parsers, as of vLLM 0.32."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from vllm.entrypoints.generate.base.protocol import (
    DeltaFunctionCall,
    DeltaMessage,
    DeltaToolCall,
    ExtractedToolCallInformation,
    FunctionCall,
    ToolCall,
)
from vllm.reasoning import ReasoningParser
from vllm.sampling_params import StructuredOutputsParams
from vllm.tool_parsers import ToolParser

from lect_apis import Stages, add_up, usage
from lect_constrain import constrain

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MARK_TOKENS = 16
"""How many tokens the mark that ends reasoning has at most."""


class LectReasoningParser(ReasoningParser):  # type: ignore[misc]
    """Takes the reasoning out of replies; what it calls content contains calls as they are written."""

    model: Any = None
    engine_based_streaming = True
    """vLLM then passes only what is new, waits until this parser says that reasoning is over, and asks for the rest."""

    def __init__(self, tokenizer: Any, *args: Any, **kwargs: Any):
        super().__init__(tokenizer, *args, **kwargs)
        self._stages = Stages(self.model or tokenizer.name_or_path)
        self._options = kwargs.get("chat_template_kwargs") or {}
        self._stream: Any = None
        self._has_content = False

    @property
    def reasoning_start_str(self) -> str | None:
        return next(iter(self._stages.opens), None)

    @property
    def reasoning_end_str(self) -> str | None:
        return next(iter(self._stages.closes), None)

    def adjust_request(self, request: Any) -> Any:
        request.skip_special_tokens = False
        return request

    def adjust_initial_state_from_prompt(self, prompt_token_ids: Sequence[int]) -> None:
        self._stream = self._stages.reasoning_stream(prompt=self._text(prompt_token_ids))

    def is_reasoning_end(self, input_ids: Sequence[int]) -> bool:
        return self._stages.ended(self._text(input_ids))

    def is_reasoning_end_streaming(self, input_ids: Sequence[int], delta_ids: Iterable[int]) -> bool:
        new = len(list(delta_ids)) + MARK_TOKENS
        return self._stages.ends_within(self._text(input_ids[-new:])) and self.is_reasoning_end(input_ids)

    def has_engine_confirmed_reasoning_end(self) -> bool:
        # Not before there is content: white space after reasoning belongs to neither.
        return self._has_content

    def extract_content_ids(self, input_ids: list[int]) -> list[int]:
        stream = self._stages.reasoning_stream(tokenizer=self.model_tokenizer, starts_in_reasoning=True)
        events = stream.feed_ids(input_ids) + stream.finish()
        starts = [event.start for event in events if event.kind == "content" and event.start is not None]
        return input_ids[stream.tokens(starts[0], starts[0]).start :] if starts else []

    def count_reasoning_tokens(self, token_ids: Sequence[int]) -> int:
        prompt = self._stages.prompt(self._options)
        stream = self._stages.reasoning_stream(tokenizer=self.model_tokenizer, prompt=prompt)
        stream.feed_ids(token_ids)
        counted: int = usage(stream, 0, len(token_ids))["completion_tokens_details"]["reasoning_tokens"]
        return counted

    def extract_reasoning(self, model_output: str, request: Any) -> tuple[str | None, str | None]:
        stream = self._stages.reasoning_stream(prompt=self._stages.prompt(self._options))
        stream.feed(model_output)
        reply = stream.close()
        return reply.reasoning, reply.content or None

    def extract_reasoning_streaming(
        self,
        previous_text: str,
        current_text: str,
        delta_text: str,
        previous_token_ids: Sequence[int],
        current_token_ids: Sequence[int],
        delta_token_ids: Sequence[int],
    ) -> Any:
        if self._stream is None:
            self._stream = self._stages.reasoning_stream(prompt=self._stages.prompt(self._options))
        return self._message(self._stream.feed(delta_text))

    def finish_streaming(self) -> Any:
        return self._message(self._stream.finish()) if self._stream else None

    def _message(self, events: list[Any]) -> Any:
        delta = add_up(events)
        self._has_content = self._has_content or bool(delta.content)
        if not (delta.reasoning or delta.content):
            return None
        return DeltaMessage(reasoning=delta.reasoning or None, content=delta.content or None)

    def _text(self, ids: Sequence[int]) -> str:
        text: str = self.model_tokenizer.decode(list(ids), skip_special_tokens=False)
        return text


class LectToolParser(ToolParser):  # type: ignore[misc]
    """Reads the calls in replies from which reasoning has been taken away."""

    model: Any = None
    engine_based_streaming = True
    # Calls that must be made are written as the model writes them, and read like all others.
    supports_required_and_named = False
    skip_reasoning_parsing = False
    """vLLM sets this if there is no reasoning parser: reasoning is then content."""

    def __init__(self, tokenizer: Any, tools: list[Any] | None = None):
        super().__init__(tokenizer, tools)
        self._stages = Stages(self.model or tokenizer.name_or_path)
        self._stream: Any = None

    def adjust_request(self, request: Any) -> Any:
        request.skip_special_tokens = False
        tools, choice = _tools(request.tools), _choice(request.tool_choice)
        if not tools or choice in ("auto", "none"):
            return request
        # vLLM applies it after the reasoning that a reasoning parser recognises.
        place = {"prompt": self._stages.prompt({})} if self.skip_reasoning_parsing else self._stages.after_reasoning()
        parallel = request.parallel_tool_calls is not False
        found = constrain(
            self._stages.template,
            tools,
            tool_choice=choice,
            parallel=parallel,
            tokenizer=self.model_tokenizer,
            **place,
        )
        request.structured_outputs = StructuredOutputsParams(structural_tag=json.dumps(found.structural_tag()))
        return request

    def extract_tool_calls(self, model_output: str, request: Any) -> Any:
        stream = self._new_stream(request)
        delta = add_up(stream.feed(model_output) + stream.finish())
        calls = [
            ToolCall(id=call["id"], function=FunctionCall(name=call["name"], arguments=call["arguments"]))
            for call in delta.calls
        ]
        return ExtractedToolCallInformation(tools_called=bool(calls), tool_calls=calls, content=delta.content or None)

    def extract_tool_calls_streaming(
        self,
        previous_text: str,
        current_text: str,
        delta_text: str,
        previous_token_ids: Sequence[int],
        current_token_ids: Sequence[int],
        delta_token_ids: Sequence[int],
        request: Any,
    ) -> Any:
        if self._stream is None:
            self._stream = self._new_stream(request)
        return _message(self._stream.feed(delta_text))

    def finish_streaming(self) -> Any:
        return _message(self._stream.finish()) if self._stream else None

    def _new_stream(self, request: Any) -> Any:
        tools = _tools(self.tools or getattr(request, "tools", None))
        return self._stages.tool_stream(tools, reasoning=not self.skip_reasoning_parsing)


def _message(events: list[Any]) -> Any:
    delta = add_up(events)
    if not any(delta):
        return None
    calls = [
        DeltaToolCall(
            index=call["index"],
            id=call.get("id"),
            type="function" if "id" in call else None,
            function=DeltaFunctionCall(name=call.get("name"), arguments=call["arguments"]),
        )
        for call in delta.calls
    ]
    return DeltaMessage(reasoning=delta.reasoning or None, content=delta.content or None, tool_calls=calls)


def _tools(tools: Sequence[Any] | None) -> list[dict[str, Any]]:
    """Return tools as in the API of chat completions; those of the Responses API have no function of their own."""
    listed = [tool if isinstance(tool, dict) else tool.model_dump(exclude_none=True) for tool in tools or ()]
    functions = [each.get("function") or {key: each[key] for key in each if key != "type"} for each in listed]
    return [{"type": "function", "function": function} for function in functions if "name" in function]


def _choice(choice: Any) -> Any:
    """Return a tool choice as `constrain` takes it."""
    if choice is None or isinstance(choice, str):
        return choice or "auto"
    return {"name": getattr(choice, "function", choice).name}
