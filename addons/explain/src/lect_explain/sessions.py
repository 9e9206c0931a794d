"""Requests of a session: each is compared with the one before it of which it shares most."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import lect
from lect import MessageError, Template
from lect.plugin import boundary
from lect_apis import request
from lect_explain.compared import explained, text_of
from lect_explain.fields import common
from lect_explain.step import Sent

if TYPE_CHECKING:
    from lect import Reply
    from lect_explain.step import Step

OWN_OPTIONS = "chat_template_kwargs"
"""The field of a request with options of the template, as vLLM and SGLang call it."""
ENDING = ("add_generation_prompt", "continue_final_message")
"""Fields of a request that say how its prompt ends, as there."""


@boundary
def read_request(template: Template, data: Any, *, fit: bool = False, **options: Any) -> Sent:
    """Return a request as the prompt that a server sends.

    Args:
        template: The template.
        data: The body of a request of OpenAI's chat completions or Responses API, or of Anthropic's Messages API; or a
            list of OpenAI-shaped messages.
        fit: Whether the request is fitted to the format, by `lect-fit`.
        options: Options of the template; those in the request, in `chat_template_kwargs`, win.

    Raises:
        MessageError: If it is no request, or the format refuses it.
        PluginError: If it is to be fitted, and `lect-fit` is not installed.
    """
    row = request({"messages": data} if isinstance(data, list) else data)
    own = row.rest.get(OWN_OPTIONS)
    given = {**options, **(own if isinstance(own, Mapping) else {})}
    ending = {name: row.rest[name] for name in ENDING if isinstance(row.rest.get(name), bool)}
    ending.setdefault("add_generation_prompt", not ending.get("continue_final_message", False))
    if not fit:
        return Sent(template.render(row.messages, tools=row.tools, **ending, **given), given)
    fitted = template.fit(row.messages, row.tools, invent=True, **ending, **given)
    return Sent(fitted.prompt, given, fitted.path_of)


@boundary
def explain_requests(
    model: str | Template,
    requests: Iterable[Any],
    *,
    sampled: Sequence[str | Reply | None] = (),
    tokenizer: Any = None,
    fit: bool = False,
    **options: Any,
) -> list[Step]:
    """Return for each request of a session but the first how its prompt follows from an earlier one; needs no server.

    It is compared with the earlier one with which it shares the longest beginning: requests for a title or a summary
    come in between, and belong to other conversations.

    Args:
        model: The model, as a path, or its template.
        requests: The requests in order, each as `read_request` takes it.
        sampled: What the model wrote after each request, as far as it is known, as in `explain`.
        tokenizer: What counts tokens; without, characters are counted.
        fit: Whether requests are fitted to the format, by `lect-fit`.
        options: Options of the template.

    Raises:
        MessageError: If something is no request, or the format refuses it; the error says which.
        UnknownModelError: If no adapter knows the model.
    """
    template = model if isinstance(model, Template) else lect.get_template(model)
    sent: list[Sent] = []
    for index, data in enumerate(requests):
        try:
            sent.append(read_request(template, data, fit=fit, **options))
        except MessageError as error:
            raise MessageError(f"request {index + 1}: {error}") from error
    texts = [*map(text_of, sampled), *[""] * len(sent)]
    wholes = [each.prompt.text + text for each, text in zip(sent, texts, strict=False)]
    steps = []
    for index, each in enumerate(sent[1:], 1):
        shared = [common(whole, each.prompt.text) for whole in wholes[:index]]
        # The last of those that share as much: it has more of the conversation.
        earlier = max(range(index), key=lambda at: (shared[at], at))
        steps.append(explained(sent[earlier], each, texts[earlier], tokenizer)._replace(earlier=earlier))
    return steps
