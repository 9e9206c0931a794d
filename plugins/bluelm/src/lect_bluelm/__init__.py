"""BlueLM, by vivo."""

from lect.plugin import DEFAULT, Family, Rule, Turn, TurnTemplate

__lect_api__ = "~=1.0"

BLUELM = TurnTemplate(
    "bluelm",
    user=Turn("[|Human|]:"),
    assistant=Turn("[|AI|]:", "</s>"),
    stop=["</s>", "[|Human|]:"],
    markers=["<s>", "</s>", "[|Human|]:", "[|AI|]:"],
    control_tokens=["<s>"],
    source="vivo-ai-lab/BlueLM at afd48ca, cli_demo.py",
)
BLUELM_32K = BLUELM.but(
    name="bluelm-32k",
    capabilities=["system"],
    system=Turn("[|SYSTEM|]:"),
    markers=[*BLUELM.markers, "[|SYSTEM|]:", "[|Function|]:"],
    source="vivo-ai-lab/BlueLM at afd48ca, openai_api_demo/api_server.py",
)

adapter = Family(
    "bluelm",
    Rule("bluelm 7 b chat 32 k .", BLUELM_32K),
    Rule("bluelm 7 b chat .", BLUELM),
    Rule("bluelm 7 b base", DEFAULT, kind="base", note="a base model: the chat markers were never trained on"),
)
