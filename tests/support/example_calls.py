"""Every public callable that is installed, each with a call of it that works."""

import enum
import importlib
import inspect
import sys
from collections.abc import Callable
from copy import copy
from functools import partial
from importlib.metadata import distributions
from importlib.util import find_spec
from typing import Any

from tiny_tokenizer import Bytes

import lect
from lect.plugin import CHATML, Chat, Family, Match, Rule, Specificity, Turn, TurnTemplate
from lect.plugin.grammar import JSON_IN_TAGS, THINK, Grammar, Head
from lect.prompt.limits import DEFAULT
from lect.registry.refs import parse_ref

TALK = [
    {"role": "user", "content": [{"type": "text", "text": "2+2?"}]},
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "a", "type": "function", "function": {"name": "add", "arguments": {"a": 2, "b": [2]}}}],
    },
    {"role": "tool", "tool_call_id": "a", "content": "4"},
    {"role": "assistant", "content": "4", "reasoning_content": "So."},
]
TOOLS = [{"type": "function", "function": {"name": "add", "parameters": {"type": "object", "properties": {"a": {}}}}}]
CHAT = [{"role": "user", "content": "2+2?"}, {"role": "assistant", "content": "4"}]
REPLIES = Grammar("acme", reasoning=THINK, sections=(JSON_IN_TAGS,))
ACME = TurnTemplate(
    "acme",
    user=Turn("<u>", "\n"),
    assistant=Turn("<a>", "</a>\n"),
    stop=["</a>"],
    reply=REPLIES,
    control_tokens=["</a>"],
)
OUTPUT = '<think>So.</think>4<tool_call>{"name": "add", "arguments": {"a": 2}}</tool_call></a>'
JINJA = "{% for m in messages %}<u>{{ m.content }}</u>{% endfor %}"


QWEN_VL = "Qwen/Qwen2.5-VL-7B-Instruct"
GIF = b"GIF89a\x38\x00\x38\x00\x00\x00\x00;"


SEEN = [{"role": "user", "content": [{"type": "image", "image": GIF}]}]


def place():
    return resolved("lect_media.Place")("image", ("messages", 0, "content", 0), 0, 1)


def served():
    return resolved("lect_serve.Settings")("Qwen/Qwen3-8B", engines=("echo",))


def item():
    return resolved("lect_media.Item")("image", (56, 56))


def written(chat, out):
    for message in chat.messages:
        out += message.role, message.content


def chat():
    return Chat(ACME, CHAT, TOOLS, {}, add_generation_prompt=True, tracked=True, limits=DEFAULT)


def prompt():
    return ACME.render(CHAT)


def reply():
    return ACME.parse(OUTPUT, tools=TOOLS)


def events():
    stream = ACME.stream(tools=TOOLS)
    return [*stream.feed(OUTPUT), *stream.finish()]


def encoded():
    return prompt().encode(Bytes("</a>"))


def tokens():
    import pyarrow

    return [pyarrow.RecordBatch.from_pydict({"input_ids": [[1, 2]], "labels": [[1, 2]], "row": [0], "part": [0]})]


def table():
    import pyarrow

    return pyarrow.RecordBatch.from_pylist([{"messages": CHAT}])


# By the name of a parameter, in every callable that has no other value for it below.
VALUES: dict[str, Callable[[], Any]] = {
    "accepts": lambda: ["parts"], "adapter": lambda: ACME, "against": prompt, "arguments": lambda: JSON_IN_TAGS.calls[0].arguments,
    "batches": tokens, "bos": lambda: True, "bot_name": lambda: "BOT", "calls": lambda: JSON_IN_TAGS.calls, "chat": chat,
    "chunk": lambda: "a", "chunks": lambda: ["a", "b"], "close": lambda: ("</think>",), "cls": lambda: type("A", (), {}),
    "columns": lambda: {"input": "a"}, "content": lambda: "4", "conv": lambda: lect.Conversation(ACME, name="acme"), "conversation": lambda: CHAT,
    "created": lambda: 1, "data": lambda: {"messages": CHAT}, "deviations": lambda: (), "documents": list, "end": lambda: ("x",),
    "error": lambda: ValueError("x"), "event": lambda: {"type": "a", "text": ["b"]}, "events": events, "extract": lambda: ["reasoning", "tools"],
    "facts": lambda: ACME, "finish": lambda: "stop", "grammar": lambda: REPLIES, "ids": lambda: [1, 2], "input_tokens": lambda: 1,
    "index": lambda: 0, "keep": lambda: (), "length": lambda: 8, "limits": lambda: None, "literal": lambda: "acme", "make": lambda: lambda: ACME,
    "max_length": lambda: 100, "message": lambda: {"role": "user", "content": "x"}, "messages": lambda: CHAT, "model": lambda: ACME, "model_id": lambda: "internlm/internlm2-chat-7b",
    "model_path": lambda: "lmsys/vicuna-7b-v1.5", "most": lambda: 1000, "most_controls": lambda: 10, "name": lambda: "acme",
    "notation": lambda: "jinja", "one": lambda: "a b", "open": lambda: ("<think>",), "options": dict, "original": lambda: "acme", "origin": lambda: lect.Origin.INPUT,
    "other": lambda: "a c", "output": lambda: OUTPUT, "output_tokens": lambda: 1, "owner": lambda: "acme", "package": lambda: "lect-qwen", "path": lambda: ("messages", 0, "content"), "pattern": lambda: "acme/*",
    "pieces": lambda: ["a", " b"], "policy": lect.LossPolicy, "prefix": lambda: "<u>", "problem": lambda: "", "program": lambda: written, "prompt": prompt,
    "prompt_tokens": lambda: 1, "completion_tokens": lambda: 1, "reasoning_tokens": lambda: 0, "raw": dict, "reason": lambda: "x", "reply": reply, "request": lambda: {"model": "x", "temperature": 0.5}, "response": reply,
    "revision": lambda: None, "roles": lambda: ("user", "assistant"), "segments": lambda: list(prompt().segments), "shown": prompt, "source": lambda: JINJA, "specificity": lambda: lect.plugin.Specificity.NAME,
    "start": lambda: 0, "stop": lambda: ["x"], "stream": lambda: ACME.stream(tools=TOOLS), "system_message": lambda: "s", "template": lambda: ACME, "text": lambda: "text", "tokenizer": lambda: Bytes("</a>"),
    "token": lambda: 0, "tools": lambda: TOOLS, "turn": lambda: 0, "turns": lambda: prompt().turns, "ref": lambda: parse_ref("acme/chat"), "known": lambda: ["a"], "query": lambda: "a", "conversations": lambda: [["a", "b"]], "unroll": lambda: "auto", "value": lambda: {"type": "object", "properties": {"a": {}}}, "weights": lambda: [1.0], "what": lambda: "internlm2_chat", "why": lambda: "dropped", "words": lambda: ("acme",),
}  # fmt: skip


def words(count):
    return lambda: " ".join(["x"] * count)


# By the callable: what the same name means elsewhere.
OTHERS: dict[str, dict[str, Callable[[], Any]]] = {
    "lect.Control": {"marker": words(1), "position": lambda: 0},
    "lect.LossSpan": {"end": lambda: 1, "weight": lambda: 1.0, "message": lambda: 0, "kind": words(1)},
    "lect.LossPolicy": {"stop": lambda: "turn", "content": lambda: 1.0, "patterns": lambda: {"a+": 0.5}, "spans": lambda: {0: [(0, 1, 0.5)]}},
    "lect.LossPolicy.kind_weight": {"kind": lambda: "content"},
    "lect.Reply": {"stop": lambda: "</a>", "tool_calls": lambda: reply().tool_calls},
    "lect.Row": {"chosen": lambda: None, "rejected": lambda: None, "rest": dict},
    "lect.encode": {"messages": lambda: CHAT, "max_length": lambda: 10_000, "unroll": lambda: "auto", "model_path": lambda: "lmsys/vicuna-7b-v1.5"},
    "lect.Conversation.append_message": {"role": lambda: "user", "message": words(2)},
    "lect.Conversation.set_system_message": {"system_message": words(1)},
    "lect.Conversation.update_last_message": {"message": words(1)},
    "lect.Conversation": {"messages": lambda: [["user", "a"]], "name": lambda: "acme"},
    "lect.Prompt.fault_in": {"turn": lambda: prompt().turns[1]},
    "lect.Template.effort": {"level": lambda: "low"},
    "lect_fit.effort": {"level": lambda: "low"},
    "lect_fit.Fitted": {"messages": list, "tools": lambda: None, "changes": list, "origins": list, "options": dict},
    "lect_fit.Fitted.path_of": {"path": lambda: ("messages", 0)},
    "lect_fit.Change": {"path": lambda: ("messages", 0), "step": words(1), "why": words(1), "before": tuple},
    "lect_fit.Left": {"path": lambda: ("messages", 0), "kind": words(1), "why": words(1)},
    "lect_completion.script": {"shell": lambda: "bash"},
    "lect_explain.explain": {"before": prompt, "after": prompt, "sampled": words(1)},
    "lect_explain.explain_requests": {"model": lambda: "lmsys/vicuna-7b-v1.5", "requests": lambda: [{"messages": CHAT}] * 2, "sampled": lambda: ["4"]},
    "lect_explain.read_request": {"data": lambda: {"messages": CHAT}},
    "lect_explain.Step": {"rule": words(1), "by_tokens": bool, "earlier": int, "at": lambda: 1, "kept": lambda: 1, "lost": lambda: 1, "was": tuple, "now": tuple, "before": words(1), "after": words(1)},
    "lect.Template.edges": {"options": lambda: {"a": [1]}},
    "lect.Template.reply_text": {"messages": lambda: CHAT},
    "lect.get_conv_template": {"name": lambda: "chatml"},
    "lect.load_template": {"notation": lambda: "jinja"},
    "lect.messages": {"row": lambda: 1},
    "lect.row": {"row": lambda: 1},
    "lect.parse": {"finish": lambda: "stop", "tools": lambda: TOOLS},
    "lect.register": {"adapter": lambda: Family("acme", Rule("acme", ACME)), "name": lambda: None},
    "lect.register_conv_template": {"override": lambda: True},
    "lect.template": {"name": lambda: "chatml"},
    "lect.plugin.Call": {"arguments": dict, "id": lambda: "a"},
    "lect.plugin.Difference": {"kind": words(1)},
    "lect.plugin.Part": {"type": lambda: "text"},
    "lect.plugin.ToolCall": {"arguments": dict},
    "lect.plugin.Match": {"template": words(1), "kind": lambda: "chat"},
    "lect.plugin.ModelRef": {"path": lambda: "acme/acme"},
    "lect.plugin.Source": {"path": lambda: "a.json", "data": dict},
    "lect.plugin.boundary": {"function": lambda: written},
    "lect.plugin.locate": {"path": lambda: "acme"},
    "lect.plugin.open_file": {"path": lambda: __file__},
    "lect.plugin.read_file": {"path": lambda: __file__, "most": lambda: 1 << 20},
    "lect.plugin.parse_json": {"text": lambda: "[1]"},
    "lect.plugin.TurnTemplate": {"user": lambda: Turn("a", "b"), "assistant": lambda: Turn("c", "d"), "opening": words(1), "reply": lambda: REPLIES},
    "lect.plugin.Rule": {"pattern": lambda: "acme chat"},
    "lect.plugin.Rule.fit": {"ref": lambda: parse_ref("acme/chat")},
    "lect.plugin.Family": {"templates": lambda: [ACME]},
    "lect.plugin.Family.get_template": {"match": lambda: Match(Specificity.NAME, "acme", "acme")},
    "lect.plugin.Source.fields": {"tool": words(1)},
    "lect.plugin.plain_str": {"self": words(1)},
    "lect.plugin.grammar.Channels": {"start": lambda: ("<c>",), "bodies": lambda: (("a", "b"),)},
    "lect.plugin.grammar.Params": {"open": words(1), "close": words(1), "head": lambda: Head(("x",))},
    "lect_apis.ChatChunks": {"stream": lambda: ACME.stream(tokenizer=Bytes("</a>"))},
    "lect.dump_template": {"lossy": lambda: True},
    "lect_convert.expressible": {"table": lambda: ACME, "says": lambda: ["system"]},
    "lect_convert.table_of": {"template": lambda: CHATML},
    "lect_data.Formatter": {"tokenizer": lambda: Bytes("</a>"), "max_length": lambda: 100},
    "lect_data.Formatter.format": {"batch": lambda: table()},
    "lect_data.Formatter.format_rows": {"values": lambda: [{"messages": CHAT}], "rows": lambda: [0]},
    "lect_fastchat.get_conv_template": {"name": lambda: "vicuna_v1.1"},
    "lect_fastchat.register_conv_template": {"template": lambda: resolved("lect_fastchat.get_conv_template")("vicuna_v1.1"), "override": lambda: True},
    "lect_fastchat.register_model_adapter": {"cls": lambda: type("A", (resolved("lect_fastchat.BaseModelAdapter"),), {})},
    "lect_fastchat.BaseModelAdapter.load_model": {"from_pretrained_kwargs": dict},
    "lect.Prompt.expand": {"media": list},
    "lect.media_tokens": {"model": lambda: QWEN_VL, "height": lambda: 56, "width": lambda: 56},
    "lect_media.Expansion": {"tokens": lambda: 1, "pads": lambda: 1, "runs": tuple, "rule": words(1), "item": lambda: item()},
    "lect_media.Item": {"kind": lambda: "image", "size": lambda: (56, 56)},
    "lect_media.Place": {"kind": lambda: "image"},
    "lect_media.spliced": {"encoded": encoded, "expansions": tuple},
    "lect_media.Size": {"height": lambda: 56, "width": lambda: 56},
    "lect_media.expand": {"media": lambda: lect.get_template(QWEN_VL).media, "items": lambda: [item()]},
    "lect_media.expansions": {"model": lambda: QWEN_VL, "items": lambda: [item()]},
    "lect_media.ids_instead": {"placeholder": words(1), "expansion": lambda: resolved("lect_media.expand")(lect.get_template(QWEN_VL).media, [item()])[0]},
    "lect_media.image_bytes": {"image": lambda: GIF, "most": lambda: 1 << 20},
    "lect_media.image_of": {"place": lambda: place(), "messages": lambda: SEEN},
    "lect_media.image_size": {"image": lambda: GIF},
    "lect_media.item_of": {"place": lambda: place(), "messages": lambda: SEEN},
    "lect_media.media_tokens": {"model": lambda: QWEN_VL, "height": lambda: 56, "width": lambda: 56},
    "lect_paddlenlp.Span": {"loss": lambda: True},
    "lect_rollout.Rollout": {"messages": lambda: CHAT[:1]},
    "lect_rollout.Rollout.add": {"messages": lambda: CHAT[:1]},
    "lect_rollout.Trajectory": {"weights": lambda: [1.0, 0.5], "logprobs": lambda: [0.5, None], "spans": list},
    "lect_xtuner.Span": {"kind": words(1), "loss": lambda: True},
    "lect.plugin.grammar.in_tags": {"tag": lambda: "a"},
    "lect.plugin.grammar.reply_format": {"name": lambda: "think"},
    "lect_apis.request": {"data": lambda: {"messages": CHAT, "system": "x", "tools": [{"name": "a", "input_schema": {}}]}},
    "lect_apis.Delta": {"reasoning": words(1), "calls": list},
    "lect_apis.Stages.prompt": {"options": dict},
    "lect_fastchat.Conversation": {"what": lambda: ACME, "messages": list},
    "lect_jinja.load": {"name": lambda: "acme"},
    "lect_jinja.JinjaTemplate": {"jinja": lambda: JINJA},
    "lect_rows.messages": {"row": lambda: 1},
    "lect_rows.row": {"row": lambda: 1},
    "lect_serve.app": {"settings": lambda: served(), "model": lambda: None, "engines": lambda: None},
    "lect_serve.serving": {"settings": lambda: served()},
    "lect_serve.Settings": {"model": lambda: "Qwen/Qwen3-8B"},
    "lect_tokens.Result": {"status": lambda: "ok", "what": words(1)},
    "lect_tokens.check_tokens": {"tokenizer": lambda: None, "ids": lambda: None},
    "lect_view.Recorded": {"steps": tuple},
    "lect_view.Step": {"events": tuple},
    "lect_xtuner.chat_template": {"what": lambda: "internlm2_chat", "name": words(1), "bos": words(1)},
    "lect_constrain.constrain": {"prompt": lambda: None, "adapter": lambda: None, "model": lambda: ACME},
}  # fmt: skip
MADE_BY_LECT = ("lect.prompt.",)
"""Where the classes are whose methods only the program of a template calls, which contains whatever is raised there."""


def faces():
    """Return the modules that have public names."""
    installed = sorted({each.name.replace("-", "_") for each in distributions() if each.name.startswith("lect-")})
    for name in ("lect", "lect.plugin", "lect.plugin.grammar", *installed):
        needs = name.removeprefix("lect_")
        if needs in ("vllm", "sglang", "kit") and (needs == "kit" or not find_spec(needs)):
            continue  # The kit's names are tests.
        module = importlib.import_module(name)
        if hasattr(module, "__all__"):
            yield module


def calls():
    """Return all public callables with their arguments; those for whose arguments there are no examples have none."""
    found, seen = {}, set()
    for module in faces():
        for name in module.__all__:
            each = getattr(module, name)
            owner = str(getattr(each, "__module__", ""))  # `hookimpl` is pluggy's, `plain_str` Python's.
            is_made = inspect.isclass(each) and owner.startswith(MADE_BY_LECT)
            is_ours = owner.startswith("lect") and not is_made
            if id(each) in seen or not callable(each) or not is_ours:
                continue
            seen.add(id(each))
            if not inspect.isclass(each):
                found[f"{module.__name__}.{name}"] = each
            elif not issubclass(each, BaseException | enum.Enum) and not getattr(each, "_is_protocol", False):
                is_pythons = issubclass(each, list | dict) and "__init__" not in vars(each)
                if not is_pythons and (name not in INSTANCES or f"{module.__name__}.{name}" in OTHERS):
                    found[f"{module.__name__}.{name}"] = each
                for base in reversed(each.__mro__):
                    own = base.__module__.split(".")[0].split("_")[0] == "lect"
                    for method, value in vars(base).items() if own else ():
                        if not method.startswith("_") and inspect.isfunction(value) and value not in seen:
                            found[f"{module.__name__}.{name}.{method}"] = value
                            seen.add(value)
    return found


INSTANCES: dict[str, Callable[[], Any]] = {
    "Conversation": lambda: lect.Conversation(ACME, messages=[["user", "a"]]), "Encoded": encoded, "Prompt": prompt, "Reply": reply,
    "Resolution": lambda: lect.resolve("lmsys/vicuna-7b-v1.5"), "Template": lambda: ACME,
    "JinjaTemplate": lambda: importlib.import_module("lect_jinja").JinjaTemplate("acme", JINJA),
    "Constraint": lambda: importlib.import_module("lect_constrain").constrain(ACME, TOOLS),
}  # fmt: skip


def example(name, function):
    """Return a function that makes a working call: the callable and its arguments."""
    if inspect.isfunction(function) and function.__qualname__.count(".") == 1:
        owner, _, method = name.rpartition(".")
        kind = owner.rpartition(".")[2]

        def bound():
            if kind in INSTANCES and not owner.startswith("lect_fastchat"):
                return getattr(INSTANCES[kind](), method)
            made, arguments = example(owner, resolved(owner))
            return getattr(called(made(), {key: value() for key, value in arguments.items()}), method)

        return bound, arguments_of(name, function, skip=1)
    return (lambda: function), arguments_of(name, function)


def called(function, arguments):
    """Call a function with arguments that all have names."""
    parameters = inspect.signature(function).parameters.values()
    first = [each.name for each in parameters if each.kind is each.POSITIONAL_ONLY and each.name in arguments]
    rest = {name: value for name, value in arguments.items() if name not in first}
    return function(*(arguments[name] for name in first), **rest)


def resolved(name):
    parts = name.split(".")
    at = next(at for at in range(len(parts), 0, -1) if ".".join(parts[:at]) in sys.modules)
    value = sys.modules[".".join(parts[:at])]
    for part in parts[at:]:
        value = getattr(value, part)
    return value


def arguments_of(name, function, skip=0):
    """Return examples for the parameters; a KeyError names the one that has none."""
    others, found = OTHERS.get(name, {}), {}
    parameters = list(inspect.signature(function).parameters.values())[skip:]
    for each in parameters:
        if each.name in others:
            found[each.name] = others[each.name]
        elif each.default is not each.empty:
            found[each.name] = VALUES[each.name] if each.name in COMMON else partial(copy, each.default)
        elif each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD):
            found[each.name] = VALUES[each.name]
    return found


COMMON = ("tools", "policy", "max_length", "request", "input_tokens", "output_tokens", "completion_tokens")
