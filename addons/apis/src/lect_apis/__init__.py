"""Chat completions, OpenAI's Responses API and Anthropic's Messages API: requests as messages, replies as answers."""

from lect_apis.read import request
from lect_apis.stages import Delta, Stages, add_up
from lect_apis.write import sse
from lect_apis.write_completions import ChatChunks, completion, usage
from lect_apis.write_messages import MessageEvents, message
from lect_apis.write_responses import ResponseEvents, response

__all__ = [
    "ChatChunks", "Delta", "MessageEvents", "ResponseEvents", "Stages", "add_up", "completion", "message", "request",
    "response", "sse", "usage",
]  # fmt: skip
