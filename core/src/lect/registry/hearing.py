"""How replies of a model are to be read, as far as its template says it."""

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from lect.prompt.template import Template

QUESTION, ANSWER = "\ue001", "\ue000"
"""Letters that are in no template, in place of a question and of an answer."""


class Setting(NamedTuple):
    """What stands round an answer."""

    prompt: str | None
    """The end of a prompt by the template's own defaults: whether it opens reasoning is seen there; None where the
    template refuses."""
    before: str = ""
    """What stands between a question and its answer once both are history,"""
    tail: str = ""
    """and the white space with which every answer ends before the stop string. A model that was trained on it writes it
    too, and it is no part of what it says."""

    def lead(self, prompt: str) -> str:
        """Return the white space with which every answer to a prompt begins.

        What history has and the prompt has not.
        """
        for end in range(len(self.before), len(self.before.rstrip()) - 1, -1):
            if prompt.endswith(self.before[:end]):
                return self.before[end:]
        return ""


@lru_cache(maxsize=256)
def setting(template: "Template") -> Setting:
    """Return what stands round the answers of a template."""
    question = {"role": "user", "content": QUESTION}
    try:
        prompt = template.text([question], add_generation_prompt=True)
    except Exception:  # a plugin may raise anything, and a reply must not be lost for it
        return Setting(None)
    try:
        whole = template.text([question, {"role": "assistant", "content": ANSWER}])
    except Exception:
        return Setting(prompt)
    before, _, after = whole.partition(ANSWER)
    stops = [after.find(stop) for stop in template.stop if stop in after]
    tail = after[: min(stops)] if stops else after
    return Setting(prompt, before.rpartition(QUESTION)[2], tail if tail.isspace() else "")
