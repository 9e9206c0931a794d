"""OpenAI's Responses API and Anthropic's Messages API: their requests as messages, and replies as their answers."""

from lect_apis.read import request
from lect_apis.write import sse
from lect_apis.write_messages import MessageEvents, message
from lect_apis.write_responses import ResponseEvents, response

__all__ = ["MessageEvents", "ResponseEvents", "message", "request", "response", "sse"]
