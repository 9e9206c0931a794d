"""Base models of makers without a package here.

LLaMA-Factory and ms-swift list them without a template, or the documentation of transformers says what they are.
"""

from lect.plugin import DEFAULT, Family, Rule

__lect_api__ = "~=1.0"

NEVER_CHATTED = "a base model: it was never trained to chat"
TASKS = "a pretrained model that was tuned on tasks, not on conversations: it has no chat format"
PATTERNS = (
    "afm 4.5 b base",
    "bigscience/bloom",
    "bloom # b|m",
    "breeze 7 b base",
    "openai-community/gpt2",
    "openai-community/gpt2-medium",
    "openai-community/gpt2-large",
    "openai-community/gpt2-xl",
    "AI-ModelScope/gpt2",
    "AI-ModelScope/gpt2-medium",
    "AI-ModelScope/gpt2-large",
    "goodbai95/GPT2-xl",
    "EleutherAI/gpt-j-6b",
    "EleutherAI/gpt-neox-20b",
    "IndexTeam/Index-1.9B",
    "IndexTeam/Index-1.9B-Pure",
    "iquest coder v 1 # b base",
    "mamba # b|m",
    "marco mini|nano ?global base",
    "mellum 2 # b a # b base",
    "mengzi 3 13 b base",
    "mobilellm r 1 # m base",
    "mpt # b",
    "opt # b|m",
    "plamo 3 nict # b base",
    "?nlp polylm 13 b ?text ?generation",
    "pythia # b|m",
    "skywork 13 b base",
    "snowflake arctic base",
    "starcoder 2 # b",
    "youtu llm 2 b base",
    "ziya 2 13 b base",
)

adapter = Family(
    "pretrained",
    Rule("bloomz # b|m ?1 ?mt|p", DEFAULT, kind="base", note=TASKS),
    *(Rule(pattern, DEFAULT, kind="base", note=NEVER_CHATTED) for pattern in PATTERNS),
)
