"""The two tables that belong to no family."""

from lect.format.turns import Turn, TurnTemplate

CHATML = TurnTemplate(
    "chatml",
    system=Turn("<|im_start|>system\n", "<|im_end|>\n"),
    user=Turn("<|im_start|>user\n", "<|im_end|>\n"),
    assistant=Turn("<|im_start|>assistant\n", "<|im_end|>\n"),
    tool=Turn("<|im_start|>tool\n", "<|im_end|>\n"),
    stop=["<|im_end|>"],
    markers=["<|im_start|>", "<|im_end|>"],
    source="OpenAI's ChatML as open models use it",
)
"""The template `chatml`, which many open models share."""

DEFAULT = TurnTemplate(
    "default",
    system=Turn("<|System|>:", "\n"),
    user=Turn("<|User|>:", "\n"),
    assistant=Turn("<|Bot|>:", "\n"),
    markers=["<|System|>:", "<|User|>:", "<|Bot|>:"],
    text_separators=True,
    source="XTuner, xtuner/utils/templates.py, `default`",
)
"""The template `default`: XTuner's, for models that were never trained on a chat format."""

BUILTIN = (DEFAULT, CHATML)
