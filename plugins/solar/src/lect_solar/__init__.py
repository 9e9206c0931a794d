"""Solar, by Upstage."""

from lect.plugin import DEFAULT, Family, Rule, Turn, TurnTemplate
from lect_solar.solar_open import SOLAR_OPEN

__lect_api__ = "~=1.0"

SOLAR = TurnTemplate(
    "solar",
    system=Turn("### System:\n", "\n\n", bare=""),
    user=Turn("### User:\n", "\n\n"),
    assistant=Turn("### Assistant:\n"),
    empty="nothing",
    stop={"</s>": 2},
    markers=["### System:", "### User:", "### Assistant:", "<unk>", "<s>", "</s>"],
    control_tokens=["<unk>", "<s>"],
    text_separators=True,
    source="upstage/SOLAR-10.7B-Instruct-v1.0, tokenizer_config.json",
)

adapter = Family(
    "solar",
    Rule("solar 10.7 b instruct", SOLAR),
    Rule("solar open 100 b .", SOLAR_OPEN),
    Rule("solar 10.7 b v 1.0", DEFAULT, kind="base", note="a base model: its maker gave it no chat format"),
)
