"""Answers of OpenAI's Responses API."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from lect.plugin import boundary
from lect_apis.own_tools import OwnTool, action_of, input_of, own_tools
from lect_apis.partial import partial_value
from lect_apis.write import AnswerEvents, Replay, new_id

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lect import Reply
    from lect_apis.write import Counts

DEFAULTS: dict[str, Any] = {
    "background": False, "frequency_penalty": 0.0, "instructions": None, "max_output_tokens": None,
    "max_tool_calls": None, "metadata": {}, "parallel_tool_calls": True, "presence_penalty": 0.0,
    "previous_response_id": None, "prompt_cache_key": None, "reasoning": None, "safety_identifier": None,
    "service_tier": "default", "store": True, "temperature": 1.0, "text": {"format": {"type": "text"}},
    "tool_choice": "auto", "tools": [], "top_logprobs": 0, "top_p": 1.0, "truncation": "disabled", "user": None,
}  # fmt: skip
"""What a response repeats of the request, and what stands there if the request does not say."""
FUNCTION: dict[str, Any] = {"description": None, "parameters": None, "strict": None}
"""What a function that is repeated has, if the request does not say."""
ITEMS: dict[str, tuple[str, dict[str, Any]]] = {
    "content": ("msg", {"type": "message", "role": "assistant", "content": []}),
    "reasoning": ("rs", {"type": "reasoning", "summary": [], "content": []}),
    "call_start": ("fc", {"type": "function_call", "arguments": ""}),
}
"""For each kind of block, the prefix of its ids and its item."""
PARTS: dict[str, dict[str, Any]] = {
    "content": {"type": "output_text", "annotations": [], "logprobs": []},
    "reasoning": {"type": "reasoning_text"},
}
OWN_CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "custom": ("ctc", {"type": "custom_tool_call", "input": ""}),
    "local_shell": ("lsh", {"type": "local_shell_call", "action": {"type": "exec", "command": [], "env": {}}}),
    "shell": ("sh", {"type": "shell_call", "action": {"commands": []}}),
}
"""For each kind of tool that is no function, the same. They come whole: the model wrote them as JSON."""
CUT = {"length": "max_output_tokens", "content_filter": "content_filter"}
"""Finish reasons of a reply that is not complete, and what this API calls them."""


class ResponseEvents(AnswerEvents):
    """The events of a response of OpenAI's Responses API.

    They are dictionaries that a server sends as they are, each as `sse(event)`. Send what `opening()` returns first,
    then what each `feed(text)` returns, then what `close()` returns, or if the engine failed, `fail()`. After that,
    `response` is the whole response.

    Args:
        stream: The reply that is still arriving: what `lect.stream` or `Template.stream` returned.
        model: The name of the model for the client.
        request: The request, of which a response repeats some fields. Its tools say which calls are of a namespace, of
            a custom tool or of a shell.
        id: The id of the response; a random one by default. The ids of its items are made from it.
        created: When it began, in seconds since 1970; now by default.
        input_tokens: How many tokens the prompt has.
    """

    @boundary
    def __init__(
        self,
        stream: Any,
        model: str,
        *,
        request: Mapping[str, Any] | None = None,
        id: str | None = None,  # noqa: A002  # as in the API
        created: int | None = None,
        input_tokens: int | None = None,
    ):
        import time

        super().__init__(stream, model, request, input_tokens)
        asked = {name: self._request.get(name) for name in DEFAULTS}
        self.response: dict[str, Any] = {
            "id": id or new_id("resp"),
            "object": "response",
            "created_at": int(time.time()) if created is None else created,
            "completed_at": None,
            "status": "in_progress",
            "error": None,
            "incomplete_details": None,
            "model": model,
            "output": [],
            "usage": None,
            **deepcopy({name: DEFAULTS[name] if value is None else value for name, value in asked.items()}),
        }
        """The response: what it has so far, and the whole of it after `close()` or `fail()`."""
        self.response["tools"] = [_repeated(tool) for tool in self.response["tools"]]
        self._own_tools = own_tools(self._request)
        self._own = OwnTool("function", "")
        self._item: dict[str, Any] = {}
        self._sent = 0

    def opening(self) -> list[dict[str, Any]]:
        """Return the events that begin the response."""
        return [self._event("created", response=self.response), self._event("in_progress", response=self.response)]

    def _begin(self, kind: str, name: str, id: str | None) -> Iterator[dict[str, Any]]:  # noqa: A002  # as in events
        prefix, item = ITEMS[kind]
        call: dict[str, Any] = {}
        if kind == "call_start":
            self._own = self._own_tools.get(name) or OwnTool("function", name)
            prefix, item = OWN_CALLS.get(self._own.kind, (prefix, item))
            call = {"call_id": id}
            if self._own.kind in ("function", "custom"):
                call |= {"name": self._own.name, **({"namespace": self._own.namespace} if self._own.namespace else {})}
        own = f"{prefix}_{self.response['id'].removeprefix('resp_')}_{len(self._blocks)}"
        self._item = {"id": own, "status": "in_progress", **deepcopy(item), **call}
        yield self._event("output_item.added", item=self._item, output_index=len(self._blocks))
        if kind in PARTS:
            yield self._event("content_part.added", **self._place(kind), part=_part(kind, ""))

    def _delta(self, kind: str, text: str) -> Iterator[dict[str, Any]]:
        if kind in PARTS or self._own.kind not in OWN_CALLS:
            yield self._event(f"{_name(kind)}.delta", **self._place(kind), **_logprobs(kind), delta=text)

    def _own_done(self, text: str, is_complete: bool, arguments: Any) -> Iterator[dict[str, Any]]:
        """End a call of a tool that is no function."""
        arguments = arguments if is_complete else partial_value(text)
        if self._own.kind == "custom":
            given = input_of(arguments, text)
            name = "custom_tool_call_input"
            yield self._event(f"{name}.delta", **self._place("call_start"), delta=given)
            yield self._event(f"{name}.done", **self._place("call_start"), input=given)
            yield from self._item_done(is_complete, input=given)
        else:
            yield from self._item_done(is_complete, action=action_of(self._own.kind, arguments))

    def _done(self, kind: str, text: str, is_complete: bool, arguments: Any) -> Iterator[dict[str, Any]]:
        if kind == "call_start" and self._own.kind in OWN_CALLS:
            yield from self._own_done(text, is_complete, arguments)
            return
        field = "text" if kind in PARTS else "arguments"
        yield self._event(f"{_name(kind)}.done", **self._place(kind), **_logprobs(kind), **{field: text})
        done: dict[str, Any] = {"arguments": text}
        if kind in PARTS:
            part = _part(kind, text)
            yield self._event("content_part.done", **self._place(kind), part=part)
            done = {"content": [part]}
        yield from self._item_done(is_complete, **done)

    def _item_done(self, is_complete: bool, **done: Any) -> Iterator[dict[str, Any]]:
        item = {**self._item, **done, "status": "completed" if is_complete else "incomplete"}
        yield self._event("output_item.done", item=item, output_index=len(self._blocks))
        self._blocks.append(item)

    def _ending(self, reply: Reply, counts: Counts) -> list[dict[str, Any]]:
        cut = CUT.get(reply.finish or "")
        why = {"incomplete_details": {"reason": cut}} if cut else {}
        usage = self._usage(counts)
        return [self._complete("incomplete" if cut else "completed", usage, **why)]

    def _failure(self, message: str, kind: str | None, counts: Counts) -> dict[str, Any]:
        error = {"code": kind or "server_error", "message": message}
        return self._complete("failed", self._usage(counts), error=error)

    def _complete(self, status: str, usage: dict[str, Any] | None, **why: Any) -> dict[str, Any]:
        import time

        done = {"completed_at": int(time.time())} if status == "completed" else {}
        self.response = {**self.response, "status": status, "output": self._blocks, "usage": usage, **done, **why}
        return self._event(status, response=self.response)

    def _usage(self, counts: Counts) -> dict[str, Any] | None:
        if self._input_tokens is None or counts.output is None:
            return None
        return {
            "input_tokens": self._input_tokens,
            "input_tokens_details": {"cached_tokens": counts.cached, "cache_write_tokens": 0},
            "output_tokens": counts.output,
            "output_tokens_details": {"reasoning_tokens": counts.reasoning},
            "total_tokens": self._input_tokens + counts.output,
        }

    def _place(self, kind: str) -> dict[str, Any]:
        place = {"item_id": self._item["id"], "output_index": len(self._blocks)}
        return {**place, "content_index": 0} if kind in PARTS else place

    def _event(self, name: str, **fields: Any) -> dict[str, Any]:
        self._sent += 1
        return {"type": f"response.{name}", "sequence_number": self._sent - 1, **fields}


@boundary
def response(
    reply: Reply,
    model: str,
    *,
    request: Mapping[str, Any] | None = None,
    id: str | None = None,  # noqa: A002  # as in the API
    created: int | None = None,
    input_tokens: int | None = None,
    output_tokens: int | None = None,
    reasoning_tokens: int = 0,
    cached_tokens: int = 0,
) -> dict[str, Any]:
    """Return a reply as a whole response of OpenAI's Responses API; the arguments are those of `ResponseEvents`."""
    events = ResponseEvents(Replay(reply), model, request=request, id=id, created=created, input_tokens=input_tokens)
    events.close(output_tokens=output_tokens, reasoning_tokens=reasoning_tokens, cached_tokens=cached_tokens)
    return events.response


def _repeated(tool: Any) -> Any:
    is_function = isinstance(tool, dict) and tool.get("type") == "function"
    return {**FUNCTION, **tool} if is_function else tool


def _part(kind: str, text: str) -> dict[str, Any]:
    return {**deepcopy(PARTS[kind]), "text": text}


def _name(kind: str) -> str:
    return str(PARTS[kind]["type"]) if kind in PARTS else "function_call_arguments"


def _logprobs(kind: str) -> dict[str, Any]:
    return {"logprobs": []} if kind == "content" else {}
