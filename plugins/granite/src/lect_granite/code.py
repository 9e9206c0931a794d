"""Granite Code: plain words before each text."""

from lect.plugin import Turn, TurnTemplate

STARCODER = [
    "<|endoftext|>", "<fim_prefix>", "<fim_middle>", "<fim_suffix>", "<fim_pad>", "<filename>", "<gh_stars>",
    "<issue_start>", "<issue_comment>", "<issue_closed>", "<jupyter_start>", "<jupyter_text>", "<jupyter_code>",
    "<jupyter_output>", "<empty_output>", "<commit_before>", "<commit_msg>", "<commit_after>", "<reponame>",
]  # fmt: skip
"""The special tokens of bigcode/starcoder."""

GRANITE_CODE = TurnTemplate(
    "granite-code",
    system=Turn("System:\n", "\n\n"),
    user=Turn("Question:\n", "\n\n"),
    assistant=Turn("Answer:\n", "\n\n"),
    empty="nothing",
    stop={"<|endoftext|>": 0},
    markers=STARCODER,
    control_tokens=STARCODER,
    text_separators=True,
    source="ibm-granite/granite-8b-code-instruct, tokenizer_config.json",
)
