"""Which parts of XTuner's templates carry loss in lect, compared to XTuner itself."""

import json
from pathlib import Path

from together import together

import lect

GOLDEN = json.loads((Path(__file__).parent / "golden/xtuner.json").read_text("utf-8"))
PUT_TOGETHER_OTHERWISE = {
    "empty_system": "XTuner drops a system text that is empty",
    "late_system": "XTuner puts a late system text before its round",
    "two_systems": "XTuner keeps the last system text",
    "consecutive_users": "XTuner joins questions",
    "leading_assistant": "XTuner drops an answer to nothing",
    "trailing_user": "XTuner drops a question without an answer",
    "consecutive_assistants": "XTuner puts an empty question between answers",
    "only_user": "XTuner drops a question without an answer",
}
"""Conversations that XTuner writes differently for training than for chat, so that nothing can be compared."""
CASES = [case for case in GOLDEN["training"] if isinstance(case[2], list) and case[1] not in PUT_TOGETHER_OTHERWISE]


@together(("name", "conversation", "spans"), CASES, ids=["-".join(case[:2]) for case in CASES])
def test_loss_is_where_xtuner_has_it(name, conversation, spans):
    # XTuner also accepts the text "false", which lect refuses.
    messages = [
        {**message, "loss": message["loss"] not in (False, "false")} if "loss" in message else message
        for message in GOLDEN["conversations"][conversation]
    ]
    prompt = lect.template(f"xtuner:{name}").render(messages)
    # Ids that XTuner inserts have no text.
    expected = [(text, loss) for kind, text, loss in spans if text]
    assert prompt.text == "".join(text for text, _ in expected)
    assert carries(prompt) == "".join(("x" if loss else "-") * len(text) for text, loss in expected)


def carries(prompt):
    """Return an x for each character that carries loss, and a - for each that does not."""
    marks = ["-"] * len(prompt.text)
    for span in prompt.loss_spans():
        marks[span.start : span.end] = "x" * (span.end - span.start)
    return "".join(marks)
