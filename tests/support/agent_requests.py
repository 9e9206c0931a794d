"""Requests as clients send them: forty that were made up, each with one thing that some formats do not carry, and, where
`../shared` is, twelve of four coding agents, with their keys and structure as sent and every text made up.

Each is `(name, api, body)`; the APIs are `chat` (chat completions), `responses` and `messages`.
"""

import json

from shared import SHARED

RECORDED = SHARED / "clients/requests.jsonl"
PNG = "iVBORw0KGgo="
ADDRESS = f"data:image/png;base64,{PNG}"
WORD = {"type": "object", "properties": {"q": {"type": "string", "description": "a word"}}, "required": ["q"]}
PLACE = {"type": "object", "description": "a place on earth", "properties": {"lat": {"type": "number"}}}
REFERRING = {"type": "object", "properties": {"place": {"$ref": "#/$defs/Place"}}, "$defs": {"Place": PLACE}}
LONG_NAME = "mcp__" + "very_long_server_name_" * 3 + "tool_x_y_z"


def tool(name="look", parameters=None):
    function = {"name": name, "description": "Look up a word.", "parameters": parameters or WORD}
    return {"type": "function", "function": function}


def user(content="How is the weather?"):
    return {"role": "user", "content": content}


def answer(content="It rains.", **more):
    return {"role": "assistant", "content": content, **more}


def told(content="Be brief.", role="system"):
    return {"role": role, "content": content}


def call(name="look", content=None, ids=("call_1",), **more):
    calls = [{"id": each, "type": "function", "function": {"name": name, "arguments": '{"q": "rain"}'}} for each in ids]
    return {"role": "assistant", "content": content, "tool_calls": calls, **more}


def result(of="call_1", content="wet"):
    return {"role": "tool", "tool_call_id": of, "content": content}


def chat(*messages, tools=None):
    return {"model": "m", "messages": list(messages), **({"tools": tools} if tools else {})}


def responses(*items, tools=()):
    return {"model": "m", "input": list(items), "tools": list(tools)}


def anthropic(*messages, **more):
    return {"model": "m", "max_tokens": 9, "messages": list(messages), **more}


def item(*parts):
    return {"type": "message", "role": "user", "content": list(parts) or [{"type": "input_text", "text": "hi there"}]}


QUERY = {"type": "object", "properties": {"q": {"type": "string"}}}
FLAT = {"type": "function", "name": "look", "description": "Look.", "parameters": QUERY}
BLOCK = {"name": "look", "description": "Look.", "input_schema": QUERY}
USE = {"type": "tool_use", "id": "t1", "name": "look", "input": {"q": "x"}}
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}
GRAMMAR = {"type": "grammar", "syntax": "lark", "definition": "start: /x+/"}
PATCH = {"type": "custom", "name": "apply_patch", "description": "Edit.", "format": GRAMMAR}
GO = {"type": "function", "name": "go", "description": "Go.", "parameters": {"type": "object", "properties": {}}}


def text(value):
    return {"type": "text", "text": value}


def shown(*parts):
    return user([*parts, text("What?")])


MADE_UP = [
    ("developer first", "chat", chat(told("Rules.", "developer"), user())),
    ("developer first, tools", "chat", chat(told("Rules.", "developer"), user(), tools=[tool()])),
    ("developer late", "chat", chat(told(), user(), answer(), told("New rule.", "developer"), user("And now?"))),
    ("developer several", "chat", chat(*(told(each, "developer") for each in ("R1.", "R2.", "R3.")), user())),
    ("system then developer", "chat", chat(told(), told("R2.", "developer"), user())),
    ("system late after user", "chat", chat(told(), user(), told("Late."))),
    ("system late after answer", "chat", chat(told(), user(), answer(), told("Late."), user("More?"))),
    ("system late after result", "chat", chat(told(), user(), call(), result(), told("Late."), tools=[tool()])),
    ("system late, no first", "chat", chat(user(), answer(), told("Late."), user("More?"))),
    ("two systems first", "chat", chat(told("S1."), told("S2."), user())),
    ("two users", "chat", chat(user("One."), user("Two."))),
    ("two users later", "chat", chat(told(), user(), answer(), user("One."), user("Two."))),
    ("two assistants", "chat", chat(user(), answer("One."), answer("Two."), user("Go on."))),
    ("assistant then call", "chat", chat(user(), answer("I look."), call(), result(), tools=[tool()])),
    ("assistant first", "chat", chat(answer("Hello, what?"), user())),
    ("system, assistant first", "chat", chat(told(), answer("Hello, what?"), user())),
    ("result without call", "chat", chat(user(), answer(), result(), user("And?"), tools=[tool()])),
    ("result first", "chat", chat(result(), user("And?"), tools=[tool()])),
    ("user after result", "chat", chat(user(), call(), result(), user("Stop that."), tools=[tool()])),
    ("call without result", "chat", chat(user(), call(), user("Never mind."), tools=[tool()])),
    ("parallel calls", "chat",
     chat(user(), call(ids=("call_1", "call_2")), result(), result("call_2", "cold"), tools=[tool()])),
    ("text beside a call", "chat", chat(user(), call(content="I look it up."), result(), tools=[tool()])),
    ("reasoning beside a call", "chat",
     chat(user(), call(reasoning_content="I should look."), result(), tools=[tool()])),
    ("reasoning in an old answer", "chat", chat(user(), answer(reasoning_content="Hm."), user("And?"))),
    ("image_url", "chat", chat(shown({"type": "image_url", "image_url": {"url": ADDRESS}}))),
    ("input_image", "responses",
     responses(item({"type": "input_image", "image_url": ADDRESS}, {"type": "input_text", "text": "What?"}))),
    ("image block", "messages", anthropic(shown(IMAGE))),
    ("image raw part", "chat", chat(shown({"type": "image", "image": ADDRESS}))),
    ("image in a result", "messages", anthropic(
        user(), answer([USE]), user([{"type": "tool_result", "tool_use_id": "t1", "content": [text("see"), IMAGE]}]),
        tools=[BLOCK])),
    ("parts in system", "messages",
     anthropic(user(), system=[text("S1."), {**text("S2."), "cache_control": {"type": "ephemeral"}}])),
    ("parts in result", "messages", anthropic(
        user(), answer([text("I look."), USE]),
        user([{"type": "tool_result", "tool_use_id": "t1", "content": [text("one"), text("two")]}, text("go on")]),
        tools=[BLOCK])),
    ("empty user", "chat", chat(user(""), answer(), user("And?"))),
    ("empty answer", "chat", chat(user(), answer(""), user("And?"))),
    ("custom tool", "responses", responses(
        item(), {"type": "custom_tool_call", "call_id": "c1", "name": "apply_patch", "input": "*** Begin"},
        {"type": "custom_tool_call_output", "call_id": "c1", "output": "done"}, tools=[PATCH])),
    ("namespace tool", "responses", responses(
        item(), {"type": "function_call", "call_id": "c1", "namespace": "multi", "name": "go", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "ok"},
        tools=[{"type": "namespace", "name": "multi", "tools": [GO]}])),
    ("dotted name", "chat", chat(user(), call("repo.files.read"), result(), tools=[tool("repo.files.read")])),
    ("name of 80 characters", "chat", chat(user(), call(LONG_NAME), result(), tools=[tool(LONG_NAME)])),
    ("$ref in a schema", "chat", chat(user(), tools=[tool("go", REFERRING)])),
    ("reasoning item", "responses", responses(
        item(), {"type": "reasoning", "id": "r", "summary": [], "content": [{"type": "reasoning_text", "text": "Ask."}]},
        {"type": "function_call", "call_id": "c1", "name": "look", "arguments": '{"q": "x"}'},
        {"type": "function_call_output", "call_id": "c1", "output": "ok"}, tools=[FLAT])),
    ("reasoning summary, developer, two users", "responses", responses(
        {"type": "message", "role": "developer",
         "content": [{"type": "input_text", "text": "R1."}, {"type": "input_text", "text": "R2."}]},
        item(), item({"type": "input_text", "text": "second"}),
        {"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": "Sum."}]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "yo"}]},
        item(), tools=[FLAT])),
]  # fmt: skip


def recorded():
    """Return the requests of coding agents; none where they are not available."""
    if not RECORDED.exists():
        return []
    lines = [json.loads(line) for line in RECORDED.read_text("utf-8").splitlines()]
    return [(f"{each['client']} {at}", each["api"], each["asked"]) for at, each in enumerate(lines)]
