"""How replies of a model are to be read, as far as its template says it."""

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from idiolect.prompt.template import Template

ANSWER = "\ue000"
"""A letter that is in no template, in place of an answer."""


class Setting(NamedTuple):
    """What stands round an answer."""

    prompt: str | None
    """The end of a prompt by the template's own defaults: whether it opens reasoning is seen there; None where the template refuses."""
    lead: str = ""
    """The white space with which every answer begins after the prompt,"""
    tail: str = ""
    """and with which it ends before the stop string. A model that was trained on it writes it too, and it is no part of what it says."""


@lru_cache(maxsize=256)
def setting(template: "Template") -> Setting:
    """Return what stands round the answers of a template."""
    question = {"role": "user", "content": "Hi"}
    try:
        prompt = template.text([question], add_generation_prompt=True)
    except Exception:  # a plugin may raise anything, and a reply must not be lost for it
        return Setting(None)
    try:
        whole = template.text([question, {"role": "assistant", "content": ANSWER}])
    except Exception:
        return Setting(prompt)
    before, _, after = whole.partition(ANSWER)
    lead = before.removeprefix(prompt) if before.startswith(prompt) else ""
    stops = [after.find(stop) for stop in template.stop if stop in after]
    tail = after[: min(stops)] if stops else after
    return Setting(prompt, lead if lead.isspace() else "", tail if tail.isspace() else "")
