"""Llama and Code Llama, by Meta."""

from lect.plugin import DEFAULT, Family, Rule
from lect_llama.cogito import COGITO
from lect_llama.llama2 import ALPACA2, CODELLAMA, CODELLAMA_70B, LLAMA2, VIGOGNE
from lect_llama.llama3 import CHINESE_CHAT, LLAMA3, LLAMA3_1, LLAMA3_2, LLAMA3_2_VISION, NEMOTRON_70B
from lect_llama.llama4 import LLAMA4

__lect_api__ = "~=1.0"

NEVER_CHATTED = "a base model: the chat markers were never trained on"
PLAIN_TEXT = "a base model: the chat markers are plain text, so it can be tuned on them, as XTuner's table does"

adapter = Family(
    "llama",
    Rule("BramVanroy/Llama-2-13b-chat-dutch", None, note="it was tuned with its own system text, in Dutch"),
    Rule("llama 2 ?# ?b chat uncensored", None, note="its turns begin with ### HUMAN: and ### RESPONSE:"),
    Rule("chinese alpaca 2 # b ?16|64 ?k .", ALPACA2, note="as HFL's server writes it"),
    *(
        Rule(f"{owner}/Llama3-8B-Chinese-Chat", CHINESE_CHAT, note="by Shenzhi Wang; the other sizes were not seen")
        for owner in ("shenzhi-wang", "LLM-Research")
    ),
    Rule("llama 3 8 b chinese chat", None, note="several people may call a model so; Shenzhi Wang's is known"),
    Rule("vigogne 2 7 b chat .", VIGOGNE),
    Rule("llama 2 chat", LLAMA2),
    Rule("llama 2 # b chat", LLAMA2),
    Rule("codellama 70 b instruct", CODELLAMA_70B),
    Rule("codellama # b instruct", CODELLAMA),
    Rule("?meta llama 3 # b instruct", LLAMA3),
    Rule("?meta llama 3.1 # b instruct", LLAMA3_1),
    Rule("llama 3.1 nemotron 70 b instruct", NEMOTRON_70B, note="the template of 3.1 without the dates"),
    Rule("?meta llama 3.3 # b instruct", LLAMA3_1, note="its repository has exactly the template of 3.1"),
    Rule("cogito v 1 preview llama 3 b", COGITO, note="the other sizes were not seen"),
    Rule("?meta llama 3.2 # b vision instruct", LLAMA3_2_VISION),
    Rule("?meta llama 3.2 vision # b instruct", LLAMA3_2_VISION),
    Rule("?meta llama 3.2 # b instruct", LLAMA3_2),
    Rule("?meta llama 4 scout|maverick # b # e instruct", LLAMA4),
    Rule("llama 2 7 b 32 k", LLAMA2, kind="base", note=PLAIN_TEXT),
    Rule("llama 2 # b ?ms", LLAMA2, kind="base", note=PLAIN_TEXT),
    Rule("llama 2 # b aqlm # bit # x #", LLAMA2, kind="base", note=PLAIN_TEXT),
    *(
        Rule(f"{owner}/chinese-llama-2-{size}", DEFAULT, "base", "a base model, by HFL; Chinese-Alpaca-2 is what chats")
        for owner in ("hfl", "AI-ModelScope")
        for size in ("1.3b", "7b", "7b-16k", "7b-64k", "13b", "13b-16k")
    ),
    Rule("chinese llama 2", None, note="HFL's is a base model, and LinkSoul's chats"),
    Rule("codellama # b ?python", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("llama 7|13|30|33|65 b", DEFAULT, kind="base", note="a base model: its maker gave it no chat format"),
    Rule("?meta llama 3|3.1 # b", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("?meta llama 3.2 # b ?vision", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("?meta llama 4 scout|maverick # b # e", DEFAULT, kind="base", note=NEVER_CHATTED),
)
