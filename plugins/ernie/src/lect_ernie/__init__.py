"""ERNIE 4.5, by Baidu."""

from lect.plugin import DEFAULT, Family, Rule, Turn, TurnTemplate
from lect_ernie.replies import ERNIE45

__lect_api__ = "~=1.0"

ERNIE4_5 = TurnTemplate(
    "ernie-4.5",
    system=Turn("", "\n"),
    user=Turn("User: ", "\n"),
    assistant=Turn("Assistant: ", "<|end_of_sentence|>"),
    opening="<|begin_of_sentence|>",
    stop={"</s>": 2, "<|end_of_sentence|>": None},
    markers=["<|begin_of_sentence|>", "<|end_of_sentence|>", "<s>", "</s>", "<unk>"],
    control_tokens=["<s>", "<unk>"],
    text_separators=True,
    source="baidu/ERNIE-4.5-0.3B-PT, tokenizer_config.json",
)

adapter = Family(
    "ernie",
    Rule("ernie 4.5 * thinking", ERNIE45),
    Rule("ernie 4.5 ?vl # b ?a ?# ?b base", DEFAULT, kind="base", note="a base model: the roles were never trained on"),
    Rule("ernie 4.5 0.3|21|300 b ?a ?# ?b .", ERNIE4_5),
)
