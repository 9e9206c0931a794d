"""Makers' own templates that write calls: which format reads their replies, found by asking the template.

LECT_STRESS=1 asks all; other runs ask those named here and every twelfth of the others.
"""

import json

import pytest
from differential import reference
from sampling import STRESS, in_turn
from shared import SHARED

import lect
from lect_jinja.replies.choice import suggested

if not SHARED.exists():
    pytest.skip("the makers' templates are not available: ../shared is missing", allow_module_level=True)

FOUND = {
    "LiquidAI--LFM2-8B-A1B": "lfm2_pythonic",
    "LiquidAI--LFM2.5-VL-450M": "lfm2_pythonic",
    "MiniMaxAI--MiniMax-M2": "minimax_m2_xml",
    "MiniMaxAI--MiniMax-M3": "minimax_m3",
    "Salesforce--Llama-xLAM-2-8b-fc-r--tool_use": "xlam",
    "Salesforce--xLAM-2-3b-fc-r--tool_use": "xlam",
    "ai-sage--GigaChat3-10B-A1.8B": "gigachat3",
    "ai-sage--GigaChat3.1-10B-A1.8B": "gigachat3",
    "deepseek-ai--DeepSeek-V3.2": "deepseek_v32_dsml",
    "deepseek-ai--DeepSeek-V4": "deepseek_v4_dsml",
    "ibm-granite--granite-20b-functioncalling--tool_use": "granite20b_fc",
    "meta-models--Muse-Glimmer-30B--tool_use": "muse_glimmer",
    "moonshotai--Kimi-K3": "kimi_k3",
    "openai--gpt-oss-20b": "harmony",
    "openbmb--MiniCPM5-1B": "minicpm5_xml",
    "openbmb--MiniCPM5-2B": "minicpm5_xml",
    "tencent--Hy3": "hunyuan_v3_xml",
    "meetkai--functionary-medium-v3.2": "functionary_v32",
    "tiiuae--Falcon3-3B-Instruct": "xlam",
    "unsloth--Apriel-1.5-15b-Thinker": "apriel",
}
UNPROVEN = {
    # They write what nobody could read back: JSON that is broken, texts without quotes.
    "MiniMaxAI--MiniMax-M1-80k": "",
    "Qwen--Qwen1.5-0.5B-Chat": "hermes_json",
    "Team-ACE--ToolACE-8B--tool_use": "llama3_json",
    "google--gemma-3-4b-it--tool_use": "",
    "meta-llama--Llama-3.2-3B-Instruct--tool_use--a4958a09": "llama3_json",
    "meta-llama--Llama-4-Scout-17B-16E-Instruct--tool_use--2def37d4": "",
    "meta-llama--Llama-4-Scout-17B-16E-Instruct--tool_use--3fe95079": "",
    "microsoft--Phi-4-mini-instruct--tool_use": "phi4mini_functools",
    # Other white space in the history than in the prompt.
    "deepseek-ai--DeepSeek-V3.1--tool_use": "deepseek_v31",
    "deepseek-ai--DeepSeek-V3.1--tool_use--07b65954": "deepseek_v31",
    "deepseek-ai--DeepSeek-V3.2--b22a3f6d": "deepseek_v31",
    "deepseek-ai--DeepSeek-V3.2--tool_use": "deepseek_v31",
}
SLUGS = sorted(reference().INDEX)
READS_BACK, IS_UNPROVEN = "it reads back what the template writes", "unproven: no installed format reads back"


def load(slug):
    text = (SHARED / f"oracles/jinja/{slug}.jinja").read_text("utf-8")
    tokens = {name: text for name, text in (reference().INDEX[slug]["special_tokens"] or {}).items() if text}
    return lect.load_template(json.loads(json.dumps({"chat_template": text, **tokens})))


@pytest.mark.parametrize("slug", in_turn(FOUND, 3))
def test_a_format_is_found_by_what_the_template_writes(slug):
    assert load(slug).reply.name == FOUND[slug]


# A few templates have `'\\s'` in them.
@pytest.mark.filterwarnings("ignore:invalid escape sequence:DeprecationWarning")
@pytest.mark.parametrize("slug", SLUGS if STRESS else in_turn(sorted({*SLUGS[::12], *UNPROVEN}), 3))
def test_a_guess_is_kept_or_replaced_by_what_reads_the_template_back(slug):
    own = load(slug)
    first, name = suggested(own), own.reply.name if own.reply else ""
    guessed = first.format
    if IS_UNPROVEN in own.reply_reason:
        # A mark that occurs by chance decides nothing.
        assert UNPROVEN[slug] == name == (guessed if first.certain else "")
    elif READS_BACK in own.reply_reason:
        assert name == FOUND.get(slug, guessed) or slug in SIBLINGS
    else:
        assert name == guessed


SIBLINGS = {
    "MiniMaxAI--MiniMax-M2--55beae30", "MiniMaxAI--MiniMax-M2.5", "MiniMaxAI--MiniMax-M2.7",
    "deepseek-ai--DeepSeek-V4-Flash-0731", "meta-llama--Llama-4-Scout-17B-16E-Instruct--tool_use",
}  # fmt: skip
"""Later versions of templates that are named above, and one whose calls two formats of its family read."""
