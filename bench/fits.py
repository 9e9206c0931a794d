"""Fitting a request of a coding agent to a format that carries it as it is, beside rendering it.

In processor time, as in `tokens.py`.
"""

import sys
from functools import partial
from pathlib import Path

from rollouts import best
from timing import Line, micro

sys.path.append(str(Path(__file__).parents[1] / "tests/support"))

FORMAT = "deepseek-v4"
TIMES = 20
RENDER, LONG = (
    "fit: a request of 19,000 tokens that is carried as it is, beside its render",
    "fit: 1,000 messages that are carried as they are, beside their text",
)
BOUNDS = {RENDER: 0.15, LONG: 2}


def lines():
    """Yield the lines about fit."""
    try:
        from agent_requests import recorded

        import lect
        import lect_apis
    except ImportError as error:
        yield from (Line(what, None, bound, least=False, note=str(error)) for what, bound in BOUNDS.items())
        return
    template = lect.get_template("some/model", adapter=FORMAT)
    asked = [lect_apis.request(body, format=api) for _, api, body in recorded() if api == "messages"]
    turns = [{"role": role, "content": f"What is {at}?"} for at in range(500) for role in ("user", "assistant")]
    sent = {RENDER: (max(asked, key=lambda row: len(str(row))), True) if asked else None, LONG: (None, False)}
    for what, bound in BOUNDS.items():
        if sent[what] is None:
            yield Line(what, None, bound, least=False, note="../shared/clients is missing")
            continue
        row, tracked = sent[what]
        messages, tools = (row.messages, row.tools) if row else (turns, None)
        assert template.fit(messages, tools).messages is messages
        write = template.render if tracked else template.text
        ours, theirs = best(
            partial(repeated, template.fit, messages, tools=tools),
            partial(repeated, write, messages, tools=tools, add_generation_prompt=True),
        )
        note = f"{micro(ours / TIMES)}, beside {micro(theirs / TIMES)}"
        yield Line(what, ours / theirs, bound, least=False, note=note)


def repeated(function, *arguments, **named):
    for _ in range(TIMES):
        function(*arguments, **named)
