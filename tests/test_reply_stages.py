"""Replies that are read in two stages, as vLLM and SGLang do it, mean the same."""

import staged
from sampling import in_turn
from together import together

from lect_apis import Stages, add_up


@together("vector", in_turn(staged.VECTORS, 8), ids=lambda vector: vector["id"])
@together("takes_over", [True, False], ids=["vllm", "sglang"])
def test_two_stages_read_what_one_reads(vector, takes_over):
    """In vLLM the second stage takes over where the first has found content; in SGLang both read to the end."""
    stages = Stages(staged.template_for(vector))
    for size in (1, 7, 10_000):
        first, second = stages.reasoning_stream(), stages.tool_stream(staged.tools_of(vector), reasoning=takes_over)
        deltas, began = [], False
        for chunk in staged.cut(vector["input"], size):
            if not began:
                delta = add_up(first.feed(chunk))
                began = takes_over and bool(delta.content)
                rest = add_up(first.finish()) if began else add_up([])
                deltas += [delta._replace(content=""), rest._replace(content="")]
                chunk = delta.content + rest.content
            deltas.append(add_up(second.feed(chunk)))
        rest = add_up(first.finish())
        deltas += [rest._replace(content=""), add_up(second.feed(rest.content) + second.finish())]
        calls = {}
        for call in (call for delta in deltas for call in delta.calls):
            whole = calls.setdefault(call["index"], ["", ""])
            whole[0] += call.get("name", "")
            whole[1] += call["arguments"]
        texts = ["".join(getattr(delta, kind) for delta in deltas) for kind in ("reasoning", "content")]
        assert (*texts, list(calls.values())) == staged.as_read(vector), size
