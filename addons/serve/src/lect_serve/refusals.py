"""What is refused, and how each API says so."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any, Literal

from lect import LectError

if TYPE_CHECKING:
    from collections.abc import Mapping

Api = Literal["chat", "responses", "messages"]
INVALID, UNAUTHORIZED, FORBIDDEN, MISSING, TOO_LARGE, BUSY, FAILED = 400, 401, 403, 404, 413, 429, 500
ENGINE, OVERLOADED, SILENT, ANTHROPIC_OVERLOADED = 502, 503, 504, 529
MESSAGES = {
    INVALID: "invalid_request_error", UNAUTHORIZED: "authentication_error", FORBIDDEN: "permission_error",
    MISSING: "not_found_error", TOO_LARGE: "request_too_large", BUSY: "rate_limit_error",
    OVERLOADED: "overloaded_error", SILENT: "timeout_error", ANTHROPIC_OVERLOADED: "overloaded_error",
}  # fmt: skip
"""What the Messages API calls an error of a status; any other is an `api_error`."""
OPENAI = {
    UNAUTHORIZED: "authentication_error", FORBIDDEN: "permission_error", BUSY: "rate_limit_error",
}  # fmt: skip
"""What OpenAI's APIs call one; another below 500 is an `invalid_request_error`, from there on a `server_error`."""
NO_DETAILS = "the server failed; its log says why"


class RefusedRequestError(LectError):
    """A request that is not answered."""

    def __init__(
        self, message: str, *, status: int = INVALID, code: str | None = None, retry_after: int | None = None
    ) -> None:
        super().__init__(message)
        self.status, self.code, self.retry_after = status, code, retry_after


def kind_of(api: Api, status: int) -> str:
    """Return what an API calls an error of a status."""
    if api == "messages":
        return MESSAGES.get(status, "api_error")
    return OPENAI.get(status, "invalid_request_error" if status < FAILED else "server_error")


def body_of(api: Api, status: int, message: str, code: str | None = None) -> dict[str, Any]:
    """Return the body of an error, as an API writes it."""
    kind = kind_of(api, status)
    if api == "messages":
        return {"type": "error", "error": {"type": kind, "message": message}, "request_id": f"req_{uuid.uuid4().hex}"}
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def status_of(api: Api, status: int) -> int:
    """Return the status with which an API says it: that of too many requests differs."""
    return ANTHROPIC_OVERLOADED if api == "messages" and status == OVERLOADED else status


def too_long(api: Api, tokens: int, context: int) -> RefusedRequestError:
    """Return the refusal of a prompt that the context has no room for, in the words that clients look for."""
    message = f"prompt is too long: {tokens} tokens > {context} maximum"
    if api != "messages":
        message = f"This model's maximum context length is {context} tokens, and the prompt has {tokens} tokens."
    return RefusedRequestError(message, code="context_length_exceeded")


def headers_of(error: Exception) -> Mapping[str, str]:
    """Return the headers of a refusal."""
    after = getattr(error, "retry_after", None)
    return {} if after is None else {"retry-after": str(after)}
