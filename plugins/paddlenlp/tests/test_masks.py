"""Which parts of PaddleNLP's templates carry loss in lect, compared to PaddleNLP itself."""

import json
from pathlib import Path

import pytest

import lect

GOLDEN = json.loads((Path(__file__).parent / "golden/paddlenlp.json").read_text("utf-8"))
CONVERSATIONS = {
    "single": [["a", "b"]],
    "multi3": [["1+1=", "1+1=2"], ["Add one more", "3"], ["again", "4"]],
    "chinese": [["你好", "您好"], ["今天吃啥", "面条🎉"]],
}
QUERY_IS_ANOTHER = ("reconstructed_chatglm_6b_v1.1", "conversation_only")
"""Templates whose conversations do not continue the prompt for a question: there, only the answer itself is certain."""
CASES = [
    case
    for case in GOLDEN["encode_chat_inputs"]
    if "spans" in case and case["context"] == "none" and case["conversation"] in CONVERSATIONS
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['template']}-{case['conversation']}")
def test_loss_is_where_paddlenlp_has_it_except_for_the_generation_prompt_and_separators(case):
    template = lect.load_template(json.dumps(GOLDEN["templates"][case["template"]]))
    messages = [
        {"role": role, "content": text}
        for pair in CONVERSATIONS[case["conversation"]]
        for role, text in zip(("user", "assistant"), pair, strict=True)
    ]
    prompt = template.render(messages)
    assert prompt.text == "".join(text for text, _ in case["spans"])
    expected = [text for text, loss in case["spans"] if loss]
    policy = lect.LossPolicy(train_separator=True)
    for index, part in enumerate(expected):
        answer = 2 * index + 1
        spans = [span for span in prompt.loss_spans(policy) if span.message == answer]
        trained = prompt.text[spans[0].start : spans[-1].end]
        # G3: by default, white space after an answer is a separator; PaddleNLP trains on it.
        assert part.endswith(trained)
        # G1: what the generation prompt supplies carries no loss; PaddleNLP trains on its whole `bot` part.
        supplied = part.removesuffix(trained)
        if case["template"] not in QUERY_IS_ANOTHER:
            assert template.text(messages[:answer], add_generation_prompt=True).endswith(supplied)
        by_default = [span for span in prompt.loss_spans() if span.message == answer]
        assert prompt.text[by_default[0].start : by_default[-1].end] == trained.rstrip() or template.stop
