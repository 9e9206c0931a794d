"""Fit: the smallest stated change that lets a format carry a request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

from lect.addon import expect_request, objects
from lect.errors import MessageError, expect_one_of
from lect.plugin import boundary
from lect_fit.carried import carried
from lect_fit.fitted import Change, Edit, Fitted
from lect_fit.schemas import inlined, refers
from lect_fit.turns import Turns, Wishes

if TYPE_CHECKING:
    from lect import Template

LateSystem = Literal["user", "first", "refuse"]


@boundary
def fit(
    template: Template,
    messages: Sequence[Mapping[str, Any]],
    tools: Sequence[Mapping[str, Any]] | None = None,
    *,
    late_system: LateSystem = "user",
    split_text: bool = False,
    invent: bool = False,
    strict: bool = False,
    **options: Any,
) -> Fitted:
    """Return a request with the smallest changes that let a format carry it, and with a list of them.

    What the format carries as it is stays as it is. What becomes of a message depends on those before it, never on what
    follows, and nothing moves to the front. The request of the caller is not changed.

    Args:
        template: The template of the format.
        messages: OpenAI-shaped messages.
        tools: OpenAI tool schemas.
        late_system: What becomes of instructions after other turns, where the format has no place for them: the `user`
            says them, in their place; they are added to the `first` system message, which changes the whole prompt; or
            they are an error, `refuse`.
        split_text: Whether to make an answer of a text beside a call, where the format writes only one of them. The
            model did not end its turn there.
        invent: Whether to add what nobody said, where the format demands it: a turn of the user before a first answer,
            a result for a call without one.
        strict: Whether to refuse what cannot be carried; otherwise `left` lists it.
        options: The other arguments of `Template.render`.

    Raises:
        MessageError: If an argument is wrong: a malformed message is left to `render`.
        RefusedError: With `strict`, if the format refuses the request nevertheless; or for a late system message.
        UnusedInputError: With `strict`, if something would be lost.
    """
    expect_one_of(get_args(LateSystem), "late_system", late_system, MessageError)
    plain = objects.plain_messages(messages)
    expect_request(plain, tools)
    lacks = carried(template, options).known
    changes: list[tuple[Change, Edit]] = []
    fitted_tools = _tools(tools, lacks, changes)
    turns = Turns(template, lacks, Wishes(late_system, split_text, invent), has_tools=bool(tools))
    turns.read(plain)
    options.setdefault("add_generation_prompt", not options.get("continue_final_message", False))
    fitted = Fitted(
        template,
        turns.messages if turns.changes else messages,
        fitted_tools if changes else tools,
        [*changes, *turns.changes],
        turns.origins,
        options,
        turns.left,
    )
    if strict:
        fitted.refuse_left()
    return fitted


def _tools(tools: Any, lacks: Mapping[str, str], changes: list[tuple[Change, Edit]]) -> Any:
    """Return tools with their definitions inlined, where the format does not write them."""
    if not tools or not (why := lacks["$ref"]):
        return tools
    tools = objects.plain_tools(tools)
    if not refers(tools):
        return tools
    written = []
    for at, tool in enumerate(tools):
        function = tool.get("function", tool) if isinstance(tool, Mapping) else None
        schema = function.get("parameters") if isinstance(function, Mapping) else None
        if not isinstance(function, Mapping) or not isinstance(schema, Mapping) or not refers(schema):
            written.append(tool)
            continue
        whole, cut = inlined(schema)
        own = {**function, "parameters": whole}
        path = ("tools", at, "function", "parameters") if "function" in tool else ("tools", at, "parameters")
        written.append({**tool, "function": own} if "function" in tool else own)
        changes.append((Change(path, "definitions inlined", why + cut, (tool,)), Edit(at, 1)))
    return written
