"""From a request to a prompt in tokens: all that needs the processor before an engine is asked."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any, NamedTuple

from lect import LectError
from lect.plugin import SPELLINGS
from lect_constrain import constrain
from lect_serve.asked import is_strict, level_of, schema_of
from lect_serve.engines.base import Ask
from lect_serve.one_call import OneCall
from lect_serve.refusals import RefusedRequestError, too_long

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lect import Prompt
    from lect.addon import ReplyStream
    from lect_fit import Fitted
    from lect_serve.asked import Asked
    from lect_serve.model import Model
    from lect_serve.refusals import Api
    from lect_serve.settings import Settings

LONG = 20_000
"""From how many characters on the work is done in a thread; below, a thread would take longer than the work."""
MOST_TOKENS = 32_768
"""How many tokens are asked for where neither the request nor the engine bounds them."""
NOT_OPTIONS = frozenset({"bos_token", "eos_token"})
"""Options of templates that are the tokenizer's to say, not a client's."""
CALL_IDS = {"chat": "call", "responses": "call", "messages": "toolu"}


class Can(NamedTuple):
    """What the engines can do, all of them."""

    takes_ids: bool
    constrains: bool
    context: int | None


class Rendered(NamedTuple):
    """A request as a prompt."""

    asked: Asked
    prompt: Prompt
    messages: Sequence[Mapping[str, Any]]
    """The messages as the format carries them."""
    tools: Sequence[Mapping[str, Any]] | None
    options: Mapping[str, Any]
    fitted: Fitted | None

    @property
    def lost(self) -> list[str]:
        """What the format leaves out, by kind."""
        return [] if self.fitted is None else [*dict.fromkeys(each.kind for each in self.fitted.left)]

    @property
    def changes(self) -> list[str]:
        """What was changed for the format, and what it leaves out, for people."""
        if self.fitted is None:
            return []
        return [*dict.fromkeys([*self.fitted.steps, *(f"left out: {kind}" for kind in self.lost)])]


def is_long(value: Any, most: int = LONG) -> bool:
    """Return whether there are more characters in a value than are handled at once."""
    counted, values = 0, [value]
    while values and counted < most:
        each = values.pop()
        if isinstance(each, str):
            counted += len(each)
        elif isinstance(each, dict):
            values += each.values()
        elif isinstance(each, list):
            values += each
    return counted >= most


def render(model: Model, settings: Settings, asked: Asked, can: Can, pinned: Mapping[str, Any]) -> Rendered:
    """Return a request as a prompt.

    Args:
        model: The model.
        settings: How the server was started.
        asked: The request.
        can: What the engines can do.
        pinned: Options that stay what they were in a session.

    Raises:
        MessageError: If the format refuses it.
        RefusedRequestError: If something in it cannot reach the model.
    """
    refuse_media(asked)
    options = {**settings.options, **pinned, **_options(model, asked)}
    # A model that does not see its tools does not call them: for engines that cannot forbid it.
    tools = None if asked.choice == "none" and not can.constrains else asked.tools
    ending: dict[str, Any] = {"continue_final_message": True} if asked.continues else {"add_generation_prompt": True}
    if settings.exact:
        prompt = model.template.render(asked.messages, tools=tools, **ending, **options)
        return Rendered(asked, prompt, asked.messages, tools, options, None)
    fitted = model.template.fit(asked.messages, tools, invent=True, **ending, **options)
    return Rendered(asked, fitted.prompt, fitted.messages, fitted.tools, options, fitted)


def refuse_media(asked: Asked) -> None:
    """Refuse images, sounds and videos: engines get token ids."""
    for at, message in enumerate(asked.messages):
        content = message.get("content")
        for place, part in enumerate(content if isinstance(content, list) else ()):
            kind = SPELLINGS.get(str(part.get("type")), str(part.get("type")))
            if kind != "text":
                msg = (
                    f"messages[{at}].content[{place}] is of the type {kind!r}, and the engine gets tokens of text alone"
                )
                raise RefusedRequestError(f"{msg}\n  try: a text that says what is in it")


def _options(model: Model, asked: Asked) -> dict[str, Any]:
    """Return the options of the format that a request asks for."""
    level = level_of(asked.rest)
    options = {} if level is None else model.template.effort(level)
    known = model.template.options
    own = asked.rest.get("chat_template_kwargs", {})
    return {**options, **{name: own[name] for name in own if name in known and name not in NOT_OPTIONS}}


def constraint_of(model: Model, rendered: Rendered, can: Can) -> Any:
    """Return what the engine must force; None if the model is free.

    Raises:
        RefusedRequestError: If engines cannot force it.
        MessageError: If the format cannot write such a reply.
    """
    asked = rendered.asked
    schema = schema_of(asked.rest)
    choice = asked.choice if rendered.tools else "none"
    is_free = choice in ("auto", "none") and not (choice == "auto" and is_strict(asked.rest))
    if schema is None and is_free and not (choice == "none" and rendered.tools):
        if not asked.tools and asked.choice not in ("auto", "none"):
            raise RefusedRequestError("tool_choice asks for a call, and there are no tools")
        return None
    if not can.constrains:
        what = "an answer in JSON" if schema is not None else "a call, as tool_choice or a strict tool asks for it"
        raise RefusedRequestError(f"the engine cannot force {what}\n  try: vLLM, SGLang or llama.cpp as the engine")
    return constrain(
        model.template,
        rendered.tools,
        tool_choice=choice,
        parallel=asked.parallel,
        content_schema=schema,
        prompt=rendered.prompt,
        tokenizer=model.tokenizer,
        **rendered.options,
    )


def stream_of(model: Model, rendered: Rendered) -> ReplyStream | OneCall:
    """Return the reply that is to arrive."""
    # Clients take a call whose id they have seen for one that is done.
    unique, prefix = uuid.uuid4().hex[:16], CALL_IDS[rendered.asked.api]

    def made() -> ReplyStream:
        return model.template.stream(
            tools=rendered.tools,
            prompt=rendered.prompt,
            stop=rendered.asked.rest.get("stop", ()),
            tokenizer=model.tokenizer,
            call_id=lambda number: f"{prefix}_{unique}{number}",
        )

    if rendered.asked.parallel:
        return made()
    return OneCall(made, next(iter(model.template.stop), ""))


def most_tokens(api: Api, given: int | None, size: int, context: int | None) -> int:
    """Return how many tokens may be sampled.

    Raises:
        RefusedRequestError: If the context has no room for any.
    """
    if context is None:
        return given or MOST_TOKENS
    if size >= context:
        raise too_long(api, size, context)
    return min(given or context, context - size)


def ask_of(
    model: Model,
    rendered: Rendered,
    ids: Sequence[int],
    can: Can,
    *,
    logprobs: bool = False,
    session: str | None = None,
) -> Ask:
    """Return what an engine is asked.

    Raises:
        RefusedRequestError: If engines cannot do it.
        MessageError: If a constraint cannot be made.
    """
    rest, prompt = rendered.asked.rest, rendered.prompt
    if not can.takes_ids and prompt.controls:
        field = prompt.controls[0]
        msg = f"the engine takes text, and a message has control text of the model: {field.marker!r}"
        raise RefusedRequestError(f"{msg}\n  try: vLLM, SGLang or llama.cpp, which take token ids")
    if rendered.asked.logprobs and not can.takes_ids:
        msg = "logprobs are not in what the engine sends, which is text"
        raise RefusedRequestError(f"{msg}\n  try: vLLM, SGLang or llama.cpp as the engine")
    return Ask(
        ids=ids,
        # Engines that take text put the BOS before it themselves.
        text=prompt.text.removeprefix(model.template.bos),
        max_tokens=most_tokens(rendered.asked.api, rest.get("max_tokens"), len(ids), can.context),
        sampling={**model.sampling, **rendered.asked.sampling()},
        stop=(*rest.get("stop", ()), *model.stop_texts),
        stop_ids=model.stop_ids,
        stop_texts=tuple(model.template.stop),
        constraint=constraint_of(model, rendered, can),
        logprobs=logprobs or rendered.asked.logprobs,
        session=session,
        request=rendered.asked,
    )


def encoded(model: Model, prompt: Prompt) -> list[int]:
    """Return a prompt as token ids, in which what looks like a control token in a message is text.

    Raises:
        RefusedRequestError: If the tokenizer cannot write it.
    """
    try:
        return list(prompt.encode(model.tokenizer).ids)
    except LectError as error:
        raise RefusedRequestError(str(error)) from error
