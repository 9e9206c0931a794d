"""Which names are base models, and which are left alone because they chat."""

from lect_kit import AdapterSuite


class TestPretrained(AdapterSuite):
    plugin = "pretrained"
    goldens = {}
    examples = {
        "IndexTeam/Index-1.9B-Pure": "default",
        "bigscience/bloom-7b1": "default",
        "bigscience/bloomz-7b1-mt": "default",
        "openai-community/gpt2-xl": "default",
        "EleutherAI/pythia-1.4b": "default",
        "EleutherAI/gpt-j-6b": "default",
        "EleutherAI/gpt-neox-20b": "default",
        "facebook/opt-125m": "default",
        "mosaicml/mpt-7b": "default",
        "state-spaces/mamba-2.8b-hf": "default",
        "bigcode/starcoder2-15b": "default",
        "damo/nlp_polylm_13b_text_generation": "default",
    }
    base = list(examples)
    others = [
        "bigcode/starcoder2-15b-instruct-v0.1",
        "OpenAssistant/oasst-sft-4-pythia-12b-epoch-3.5",
        "tiiuae/falcon-mamba-7b-instruct",
        "mistralai/Mamba-Codestral-7B-v0.1",
        "Snowflake/snowflake-arctic-instruct",
        "IndexTeam/Index-1.9B-Chat",
        "IndexTeam/Index-1.9B-32K",
        "MediaTek-Research/Breeze-7B-Instruct-v1_0",
        "openai/gpt-oss-20b",
        "mosaicml/mpt-7b-chat",
        "facebook/opt-iml-max-1.3b",
        "Salesforce/blip2-opt-2.7b",
    ]
