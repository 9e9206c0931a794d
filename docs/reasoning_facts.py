"""Which formats cannot write reasoning as their model does, and why nobody could say how it does."""

from contextlib import suppress

import lect
from lect_kit.conversations import dated

NO_REPLY = "no reply was found"
ANSWER_TAGS = "the model puts its answer in tags, which the maker's template does not write"
UNKNOWN = {
    "chatglm:glm-4.1v": f"{ANSWER_TAGS}: `<answer>`",
    "deepseek:deepseek-r1-0528": "only the beginning of replies was found",
    "exaone:exaone-deep": "the maker says how a thought is opened and closed, but not what follows it",
    "granite:granite-3.3": f"{ANSWER_TAGS}: `<response>`",
    "llama:cogito-v1-llama": NO_REPLY,
    "mimo:mimo-vl": "only empty reasoning was found",
    "olmo:olmo-3-think": "the maker's examples and the only reply that was found differ",
    "olmo:olmo-3-think-7b": "the maker's examples and the only reply that was found differ",
    "olmo:olmo-3.1-think": "the maker's examples and the only reply that was found differ",
    "phi:phi-4-reasoning": NO_REPLY,
    "qwen:cogito-v1-qwen": NO_REPLY,
    "qwen:qwq": "only the beginning of the content was found",
    "solar:solar-open": "the maker's template writes reasoning that is given as `reasoning`, and no other",
}
"""What is not known, with the reason. Whoever finds a complete reply of such a model can state it."""
HEADING = """\
## Reasoning that cannot be trained

`template.reply_text`, and with it `unroll`, writes an answer as the model does. Where no rendering shows how a model
writes its reasoning, the grammar states it, from replies that were published: `Reasoning.written`. Of these formats it
is not known, so an answer with reasoning is refused; `template.but(reply=...)` takes what you know.
"""
QUESTION = {"role": "user", "content": "What is two and two?"}
THOUGHT = {"role": "assistant", "content": "Four.", "reasoning_content": "Two and two."}


def thinking(template):
    """Yield the options with which a template may let its model reason: none, and each that is called so."""
    yield dated(template)
    for name in template.options:
        if name in ("thinking", "enable_thinking", "reasoning", "reasoning_effort"):
            yield {**dated(template), name: "high" if name == "reasoning_effort" else True}


def written(template):
    """Return the options with which a template writes reasoning as its model does, and what that is; None if it
    cannot."""
    for options in thinking(template):
        with suppress(lect.MessageError):
            return options, template.reply_text([QUESTION, THOUGHT], **options).text
    return None


def section():
    """Return what the gallery says about them."""
    rows = "".join(f"| `{name}` | {why} |\n" for name, why in sorted(UNKNOWN.items()))
    return f"{HEADING}\n| format | what is known |\n|---|---|\n{rows}"
