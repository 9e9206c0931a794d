"""Where a reply ends and where a prompt begins: the makers' facts, checked against real tokenizers."""

import gzip
import json
from functools import cache

import goldens
import pytest
from goldens import REPOSITORY
from revisions import default
from shared import SHARED
from together import together

import lect
from lect.errors import LectError
from lect.plugin import CHATML, DEFAULT

FACTS = json.loads((REPOSITORY / "tests/data/stops.json").read_text("utf-8"))["templates"]
TOKENIZERS = SHARED / "tokenizers"
# The maker's template omits the bos before a role that it does not know.
WITHOUT_BOS = {
    (name, case) for name in ("zephyr-gemma", "hunyuan-a13b") for case in ("developer_role", "developer_role+gen")
}
# The maker's template begins with eight spaces for each system text.
SPACES_BEFORE_BOS = {"deepseek-v2.5"}
# The tokenizer files lack tokens that the maker's own code adds (see `doctor`): <|observation|> follows <|assistant|>.
NOT_IN_THE_FILES = {("chatglm3", "<|observation|>")}

every_template = together("name", FACTS)


@cache
def templates():
    """Return the templates of all families by name; FastChat's are checked against FastChat."""
    found = {}
    for plugin in lect.plugins(load=True):
        if not plugin.fallback and plugin.package:
            listed = lect._registry.find(f"{plugin.package}:{plugin.name}").list_templates()
            found |= {name: template for name, template in listed.items() if template not in (CHATML, DEFAULT)}
    return found


@cache
def vocabulary(name):
    """Return the ids of a real tokenizer: of its vocabulary, its added tokens, and what its configuration adds."""
    tokenizer = json.loads(gzip.decompress((TOKENIZERS / name / "tokenizer.json.gz").read_bytes()))
    config = json.loads((TOKENIZERS / name / "tokenizer_config.json").read_text("utf-8"))
    vocab = tokenizer["model"]["vocab"]
    ids = dict(vocab) if isinstance(vocab, dict) else {token: index for index, (token, _) in enumerate(vocab)}
    ids |= {token["content"]: token["id"] for token in tokenizer["added_tokens"]}
    return ids | {token["content"]: int(index) for index, token in config.get("added_tokens_decoder", {}).items()}


def texts(template):
    """Yield `(case, text)` for all of the battery that a template accepts."""
    for case in goldens.battery().values():
        options = {"date": goldens.THE_DAY} if "date" in template.options else {}
        try:
            text = template.text(
                case["messages"],
                tools=case.get("tools"),
                add_generation_prompt=case["add_generation_prompt"],
                **options,
            )
        except LectError:
            continue
        yield case["id"], text


def test_there_are_facts_for_every_template_and_no_other():
    assert set(FACTS) == {default(template) for template in templates().values()}


def test_an_earlier_revision_ends_and_begins_as_the_latest():
    for template in templates().values():
        latest = templates()[default(template)]
        assert (template.stop, template.stop_ids, template.bos) == (latest.stop, latest.stop_ids, latest.bos)


@every_template
def test_a_reply_ends_where_the_maker_ends_it(name):
    template, facts = templates()[name], FACTS[name]
    assert template.stop == facts["stop"]
    # In the order of the strings; two names of one token are one id.
    assert template.stop_ids == tuple(dict.fromkeys(index for index in facts["stop"].values() if index is not None))


@every_template
def test_every_fact_has_evidence_and_every_omission_a_reason(name):
    facts = FACTS[name]
    assert facts["evidence"]
    assert None not in facts["stop"].values() or facts["left_out"]


@pytest.mark.parametrize("name", [name for name, facts in FACTS.items() if "tokenizer" in facts])
def test_a_stop_string_is_one_token_of_the_real_tokenizer(name):
    if not TOKENIZERS.exists():
        pytest.skip("the tokenizers are not here: ../shared is missing")
    facts = FACTS[name]
    for stop, index in facts["stop"].items():
        if (facts["tokenizer"], stop) in NOT_IN_THE_FILES:
            assert vocabulary(facts["tokenizer"])["<|assistant|>"] + 1 == index
        else:
            assert vocabulary(facts["tokenizer"])[stop] == index


@every_template
def test_a_prompt_begins_with_the_bos_once_or_never(name):
    template, token = templates()[name], FACTS[name]["bos_token"]
    assert template.bos in ("", token)
    seen = 0
    for case, text in texts(template):
        if (name, case) not in WITHOUT_BOS:
            seen += 1
            text = text.lstrip(" ") if name in SPACES_BEFORE_BOS else text
            assert text.startswith(token or "\0") == bool(template.bos), case
            assert not text.startswith((token or "\0") * 2), case
    assert seen >= 20
