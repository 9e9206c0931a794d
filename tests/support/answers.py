"""Answers that templates write, to be read back."""

# Where the makers' templates write a finished answer differently from the model.
NOT_AS_THE_MODEL = {
    ("gpt-oss", "text and call"): "text beside a call is written as reasoning",
    ("chatglm-6b", None): "the first round is numbered only once it is history",
    ("nemotron-nano-v2", None): "a final answer is written entirely as reasoning",
    ("falcon-instruct", None): "it removes empty lines from an answer",
    ("minimax-m3", None): "null values in the arguments of a call are left out",
    **dict.fromkeys(
        (
            (name, case)
            for name in ("minicpm5", "minicpm5-2b")
            for case in (None, "call", "reasoning", "text and call", "everything")
        ),
        "the line end before a call belongs to the text",
    ),
    ("codellama-70b-instruct", None): "an answer names its destination only while it is asked for",
}


def call(name, arguments, number=0):
    return {"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": arguments}}


def says(content, reasoning=None, *calls):
    message = {"role": "assistant", "content": content}
    if reasoning is not None:
        message["reasoning_content"] = reasoning
    if calls:
        message["tool_calls"] = list(calls)
    return message


MESSAGES = {
    "text": says("Hello!\n\nHow are you?"),
    "reasoning": says("Four.", "Two and two.\n\nSo."),
    "call": says("", None, call("get_weather", {"city": "Paris"})),
    "calls": says(
        "",
        None,
        call(
            "get_weather",
            {"city": 'Köln "x" </b>', "days": 3, "deep": {"a": [1, {"b": None}]}, "tags": ["x", "y"], "flag": True},
        ),
        call("get_time", {}, 1),
    ),
    "text and call": says("Let me look.", None, call("get_weather", {"city": "Paris"})),
    "everything": says("Let me look.", "Look.", call("get_weather", {"city": "Paris", "days": -2})),
}
