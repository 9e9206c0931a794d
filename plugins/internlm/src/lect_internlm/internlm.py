"""The first InternLM: speakers are named in plain text, and an answer is closed by its own token."""

from lect.plugin import Turn, TurnTemplate

# The maker's code has three revisions. The first writes `<s>` before every past round; the second leaves the one BOS to
# the tokenizer; the third drops `<eoh>` and has a system text. The 7B was released with the first two; this is the
# second, with the system text of the third.
INTERNLM = TurnTemplate(
    "internlm-chat",
    system=Turn("<|System|>:", "\n"),
    user=Turn("<|User|>:", "<eoh>\n"),
    assistant=Turn("<|Bot|>:", "<eoa>\n"),
    stop={"<eoa>": 103028, "</s>": 2},
    markers=["<|System|>:", "<|User|>:", "<|Bot|>:", "<eoh>", "<eoa>", "<s>", "</s>"],
    control_tokens=["<eoh>", "<s>"],
    text_separators=True,
    source=(
        "InternLM/InternLM @ 6c0ff48, tools/transformers/internlm_model/modeling_internlm.py: build_inputs; XTuner, "
        "`internlm_chat`"
    ),
)
INTERNLM_20B = INTERNLM.but(
    name="internlm-chat-20b",
    user=Turn("<|User|>:", "\n"),
    source=(
        "internlm/internlm-chat-7b @ 739d369, modeling_internlm.py: build_inputs; InternLM/lagent, meta_template.py; "
        "LMDeploy, `internlm`"
    ),
)
