"""What the replies of several families have in common. The blocks have no names; the grammar that uses them has one."""

from lect.boundaries import boundary
from lect.reply.grammar import (
    KEY,
    QUOTED_KEY,
    QUOTED_NAME,
    CallSyntax,
    Head,
    Json,
    Literals,
    NamedJson,
    Params,
    Reasoning,
    Section,
    Wrapper,
)

NO_REASONING = Reasoning((), ())
"""Nothing marks reasoning."""

THINK = Reasoning(("<think>",), ("</think>",), lead="\n", trail="\n", after="\n")
"""Reasoning in tags: templates put a line end after the opening, one before the close and two after it."""

JSON_OBJECT = CallSyntax(Json())
"""A call that is a JSON object with a name and arguments in it."""

JSON_IN_TAGS = Section((JSON_OBJECT,), ("<tool_call>",), ("</tool_call>",), before=("\n",))
"""A JSON object in `<tool_call>` tags, on its own line."""

JSON_IN_A_FENCE = Section((JSON_OBJECT.but(known=True, foreign=True),), ("```json",), ("```",), start=True)
"""A call of a known tool that is the whole reply: a JSON object in a Markdown fence."""

PYTHON_CALL = CallSyntax(Literals(), head=Head(("(",), r"\s*(?P<name>[^\W\d](?:[\w.\-]|[^\x00-\x7f])*)\s*"))
"""A call as in Python: `name(key=value)`."""

PYTHON_LIST = Section((PYTHON_CALL,), ("[",), ("]",), between=",")
"""Calls as in Python, in a list."""

NAMED_JSON_IN_TAGS = CallSyntax(NamedJson(), ("<function=",), Head((">",)), ("</function>",))
"""A call in a tag that holds the name, with JSON in it: `<function=name>{"key": "value"}</function>`."""

FUNCTION_TAGS = CallSyntax(
    Params("<parameter=", Head((">",), KEY), "</parameter>", trim="\n"),
    ("<function=",),
    Head((">", "\n")),
    ("</function>",),
)
"""A call in tags that hold the names: `<function=name><parameter=key>value</parameter></function>`."""

ATTRIBUTE_TAGS = CallSyntax(
    Params("<parameter", Head((">",), QUOTED_KEY), "</parameter>", trim="\n"),
    ("<function",),
    Head((">",), QUOTED_NAME),
    ("</function>",),
)
"""A call in tags with name attributes: `<function name="name"><parameter name="key">value</parameter></function>`."""

KEY_VALUE_TAGS = Params("<arg_key>", Head(("</arg_key>",), KEY), "</arg_value>", value="<arg_value>")
"""Arguments as pairs of tags, the key in one and the value in the other."""

KEY_VALUE_CALL = CallSyntax(
    KEY_VALUE_TAGS,
    ("<tool_call>",),
    Head(("<arg_key>", "</tool_call>", "{"), r"\s*(?P<name>[\w.:/-]+)(?:\s|\\n)*", keep=True),
    ("</tool_call>",),
)
"""A call in tags: `<tool_call>name<arg_key>key</arg_key><arg_value>value</arg_value></tool_call>`."""

CALL_IN_WORDS = CallSyntax(
    NamedJson("input"),
    ("\nAction:", "\nAction：", "Action:", "Action："),
    Head(("\nAction Input:", "\nActionInput:", "\nAction Input：", "\nActionInput：")),
    ("\nObservation:", "\nThought:"),
)
"""A call as in ReAct: `Action: name`, and on the next line `Action Input:` with JSON or plain text."""


@boundary
def in_tags(tag: str) -> Wrapper:
    """Return the wrapper for a pair of tags, each on its own line or not."""
    return Wrapper((f"<{tag}>\n", f"<{tag}>"), (f"\n</{tag}>", f"</{tag}>"))
