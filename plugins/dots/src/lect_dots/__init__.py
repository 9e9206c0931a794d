"""dots.llm1, by rednote-hilab."""

from lect.plugin import DEFAULT, Family, Rule, Turn, TurnTemplate

__lect_api__ = "~=1.0"

DOTS1 = TurnTemplate(
    "dots.llm1",
    system=Turn("<|system|>", "<|endofsystem|>"),
    user=Turn("<|userprompt|>", "<|endofuserprompt|>"),
    assistant=Turn("<|response|>", "<|endofresponse|>"),
    default_system="You are a helpful assistant.",
    system_first=True,
    stop=["<|endofresponse|>"],
    markers=[
        *("<|system|>", "<|endofsystem|>", "<|userprompt|>", "<|endofuserprompt|>", "<|response|>"),
        "<|endofresponse|>",
    ],
    evidence="attested",
    source=(
        "modelscope/ms-swift at 3602360, swift/template/templates/llm.py, and turboderp-org/exllamav3 at 4f8ad01, "
        "examples/chat_templates.py"
    ),
)

adapter = Family(
    "dots",
    Rule("dots llm 1 inst", DOTS1),
    Rule("dots llm 1 base", DEFAULT, kind="base", note="a base model: the chat markers were never trained on"),
)
