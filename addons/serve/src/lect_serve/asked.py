"""Requests of three APIs as one: messages, tools, and what is asked of the engine."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, NoReturn

import lect_apis
from lect.errors import saferepr
from lect_serve.refusals import Api, RefusedRequestError

Level = Literal["off", "low", "medium", "high"]
SAMPLING = {
    "temperature": (0.0, 100.0), "top_p": (0.0, 1.0), "top_k": (-1, 1 << 31), "min_p": (0.0, 1.0),
    "presence_penalty": (-100.0, 100.0), "frequency_penalty": (-100.0, 100.0), "repetition_penalty": (0.0, 100.0),
    "seed": (-(1 << 63), (1 << 63) - 1),
}  # fmt: skip
"""What is handed on to the engine, and between what it is."""
WHOLE = frozenset({"top_k", "seed"})
MOST_STOPS = 64
LOGPROBS = "message.output_text.logprobs"
"""What a request to Responses includes if it wants log probabilities."""
READ = frozenset({
    *SAMPLING, "max_tokens", "stop", "stream", "stream_options", "model", "tool_choice", "parallel_tool_calls",
    "response_format", "text", "output_config", "reasoning", "reasoning_effort", "thinking", "chat_template_kwargs",
    "add_generation_prompt", "continue_final_message", "unread", "metadata", "user", "store", "prompt_cache_key",
    "session_id", "n", "logprobs", "top_logprobs", "include", "truncation", "safety_identifier",
})  # fmt: skip
"""The fields that are read, or that say nothing to an engine; any other is named in the log, once."""
SESSION_HEADERS = (
    "x-session-id", "session-id", "session_id", "x-claude-code-session-id", "x-opencode-session", "x-session-affinity",
)  # fmt: skip
EFFORTS: dict[str, Level] = {
    "none": "off", "minimal": "low", "low": "low", "medium": "medium", "high": "high", "xhigh": "high", "max": "high",
}  # fmt: skip
BUDGETS: tuple[tuple[int, Level], ...] = ((4_096, "low"), (16_384, "medium"))
"""Up to how many tokens of thought a level is meant; beyond, it is high."""
SERVER_SIDE = {
    "background": "answers in the background",
    "conversation": "stored conversations",
    "prompt": "stored prompts",
}


class Asked(NamedTuple):
    """A request."""

    api: Api
    body: Mapping[str, Any]
    """As it was sent, after what `previous_response_id` stands for."""
    messages: list[Mapping[str, Any]]
    tools: list[Mapping[str, Any]] | None
    rest: Mapping[str, Any]
    """All other fields, as chat completions call them."""
    is_streamed: bool = False

    @property
    def choice(self) -> Any:
        """Which tools are to be called."""
        return self.rest.get("tool_choice", "auto")

    @property
    def parallel(self) -> bool:
        """Whether there may be several calls."""
        return not self.tools or self.rest.get("parallel_tool_calls") is not False

    @property
    def logprobs(self) -> bool:
        """Whether the client wants the log probabilities of what it reads."""
        return self.rest.get("logprobs") is True or (
            self.api == "responses" and LOGPROBS in self.rest.get("include", ())
        )

    @property
    def continues(self) -> bool:
        """Whether the last message is the beginning of the answer."""
        last = self.messages[-1]
        if last.get("role") != "assistant" or last.get("tool_calls"):
            return False
        return self.api == "messages" or self.rest.get("continue_final_message") is True

    @property
    def unknown(self) -> list[str]:
        """The fields that nothing here reads."""
        return sorted(str(name) for name in self.rest if name not in READ)

    def sampling(self) -> dict[str, float]:
        """Return how to sample, by the names of chat completions."""
        return {name: self.rest[name] for name in SAMPLING if name in self.rest}


def read(api: Api, body: Mapping[str, Any]) -> Asked:
    """Read a request.

    Raises:
        MessageError: If it is none.
        RefusedRequestError: If it asks for what no engine of this server can do.
    """
    for name, what in SERVER_SIDE.items():
        if body.get(name):
            raise RefusedRequestError(f"{name} is not served: there are no {what}\n  try: without {name}")
    row = lect_apis.request(body, format=api)
    if not row.messages:
        raise RefusedRequestError(f"{'input' if api == 'responses' else 'messages'} is empty; expected a message")
    rest = {str(name): value for name, value in row.rest.items()}
    _check(api, rest)
    return Asked(api, body, [*row.messages], [*row.tools] if row.tools else None, rest, rest.get("stream") is True)


def _check(api: Api, rest: Mapping[str, Any]) -> None:
    """Refuse options of a wrong type: what an engine says of them would be no help."""
    for name, (least, most) in SAMPLING.items():
        if name not in rest:
            continue
        value = rest[name]
        kinds = (int,) if name in WHOLE else (int, float)
        if isinstance(value, bool) or not isinstance(value, kinds) or not least <= value <= most:
            _wrong(name, value, f"{'an integer' if name in WHOLE else 'a number'} from {least} to {most}")
    most_tokens = rest.get("max_tokens", 1)
    if isinstance(most_tokens, bool) or not isinstance(most_tokens, int) or not 0 < most_tokens < 1 << 31:
        _wrong("max_tokens", most_tokens, "a positive integer")
    stop = rest.get("stop", [])
    if not isinstance(stop, list) or len(stop) > MOST_STOPS or not all(isinstance(each, str) and each for each in stop):
        _wrong("stop", stop, f"a list of at most {MOST_STOPS} texts")
    for name in ("stream", "parallel_tool_calls", "store"):
        if not isinstance(rest.get(name, False), bool):
            _wrong(name, rest[name], "true or false")
    named = ("stream_options", "chat_template_kwargs", "response_format", "output_config", "reasoning", "thinking")
    for name in (*named, "text", "metadata"):
        if not isinstance(rest.get(name, {}), Mapping):
            _wrong(name, rest[name], "an object")
    if not isinstance(rest.get("model", ""), str):
        _wrong("model", rest["model"], "a text")
    if rest.get("n", 1) != 1:
        raise RefusedRequestError(
            f"n is {saferepr(rest['n'])}: one answer a request is served\n  try: several requests"
        )
    if not isinstance(rest.get("include", []), list):
        _wrong("include", rest["include"], "a list of texts")
    if not isinstance(rest.get("logprobs", False), bool):
        _wrong("logprobs", rest["logprobs"], "true or false")
    if rest.get("logprobs") and api != "chat":
        remedy = f"include: [{LOGPROBS!r}]" if api == "responses" else "Chat Completions, or Responses"
        raise RefusedRequestError(f"logprobs is no field of this API\n  try: {remedy}")
    if rest.get("top_logprobs"):
        msg = f"top_logprobs is {saferepr(rest['top_logprobs'])}: of a token that was not sampled nothing is known here"
        raise RefusedRequestError(f"{msg}\n  try: without top_logprobs")


def _wrong(name: str, value: Any, expected: str) -> NoReturn:
    raise RefusedRequestError(f"{name} is {saferepr(value)}; expected {expected}")


def level_of(rest: Mapping[str, Any]) -> Level | None:
    """Return how hard the model is to think; None if the request leaves it to the format.

    Raises:
        RefusedRequestError: If it says what no API knows.
    """
    given = rest.get("reasoning_effort")
    for name in ("reasoning", "output_config"):
        given = given or rest.get(name, {}).get("effort")
    thinking = rest.get("thinking", {})
    if thinking.get("type") == "disabled":
        return "off"
    if given is not None:
        if not isinstance(given, str) or given not in EFFORTS:
            _wrong("the effort", given, f"one of {', '.join(EFFORTS)}")
        return EFFORTS[given]
    if thinking.get("type") not in ("enabled", "adaptive"):
        return None
    budget = thinking.get("budget_tokens")
    if not isinstance(budget, int):
        return "medium"
    return next((level for most, level in BUDGETS if budget <= most), "high")


def schema_of(rest: Mapping[str, Any]) -> Any:
    """Return the JSON Schema of the content; None if it is free.

    Raises:
        RefusedRequestError: If it is asked for in a way that is not known.
    """
    inside = (rest.get(name, {}).get("format") for name in ("text", "output_config"))
    wanted = rest.get("response_format") or next(filter(None, inside), None)
    if wanted is None:
        return None
    kind = wanted.get("type") if isinstance(wanted, Mapping) else None
    if kind == "text":
        return None
    if kind == "json_object":
        return {"type": "object"}
    if kind == "json_schema":
        # Chat completions have the schema one field deeper than the other two.
        inner = wanted.get("json_schema", wanted)
        schema = inner.get("schema") if isinstance(inner, Mapping) else None
        if isinstance(schema, Mapping | bool):
            return schema
    _wrong("the format of the answer", wanted, "text, json_object, or json_schema with a schema")


def is_strict(rest: Mapping[str, Any]) -> bool:
    """Return whether a tool is strict: its calls must follow its schema."""
    unread = rest.get("unread", {})
    return any(place.startswith("tools[") and place.endswith(".strict") for place in unread)


def session_of(body: Mapping[str, Any], headers: Mapping[str, str]) -> str | None:
    """Return the key by which a client names its session; None if it does not."""
    for name in SESSION_HEADERS:
        if headers.get(name):
            return headers[name]
    metadata = body.get("metadata")
    metadata = metadata if isinstance(metadata, Mapping) else {}
    user = metadata.get("user_id")
    if isinstance(user, str) and user.startswith("{"):
        # Claude Code puts an object into this text.
        try:
            told = json.loads(user)
        except (ValueError, RecursionError):
            told = None
        user = told.get("session_id") if isinstance(told, Mapping) else None
    else:
        user = None
    found = (body.get("prompt_cache_key"), user, metadata.get("session_id"), body.get("session_id"))
    return next((each for each in found if isinstance(each, str) and each), None)
