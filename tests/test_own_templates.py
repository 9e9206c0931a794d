"""Makers' own templates, in a directory as users have them: the family that is found for each, and the bytes.

LECT_STRESS=1 tries all; LECT_FULL=1 those that our families were made from and every twelfth of the others, those of
`oracles/more` included; other runs one in four of those, whose turn it is at this commit.
"""

import json
from datetime import datetime, time
from functools import cache

import differential
import goldens
import pytest
from differential import normalize, reference
from sampling import STRESS, in_turn
from shared import SHARED

import lect
from lect_jinja.check.audit import audited
from lect_jinja.engine.environment import ENVIRONMENT
from lect_jinja.engine.tree import tree_fingerprint
from lect_jinja.identity.knowledge import fingerprint, fingerprints
from lect_jinja.identity.template import JinjaTemplate

if not SHARED.exists():
    pytest.skip("the makers' templates are not available: ../shared is missing", allow_module_level=True)

NATIVE = goldens.native_models()
INDEXES = [json.loads((SHARED / f"oracles/{each}index.json").read_text("utf-8")) for each in ("", "more/")]
OTHERS = [each["slug"] for index in INDEXES for each in index if each["slug"] not in NATIVE]
if not STRESS:
    OTHERS = OTHERS[::12]
TWO_NAMES = {
    "NousResearch--Nous-Hermes-2-Mixtral-8x7B-DPO", "google--gemma-3-1b-it", "teknium--OpenHermes-2.5-Mistral-7B",
}  # fmt: skip
"""Templates whose tree and tokens are those of another family or version, with other stops or replies."""


@cache
def source(slug):
    folder = "oracles" if slug in reference().INDEX else "oracles/more"
    return (SHARED / f"{folder}/jinja/{slug}.jinja").read_text("utf-8")


DIFFERS = [slug for slug in NATIVE if fingerprints()[fingerprint(source(slug))].get("differs")]
"""Templates from which their families differ on purpose, in tools or in late instructions (see their deviations)."""


def tokens(slug):
    entry = reference().INDEX.get(slug) or reference().MORE[slug]
    return {name: text for name, text in (entry["special_tokens"] or {}).items() if text}


def written(directory, slug, text):
    directory.mkdir(exist_ok=True)
    (directory / "tokenizer_config.json").write_text(json.dumps({"chat_template": text, **tokens(slug)}), "utf-8")
    return lect.resolve(directory)


@pytest.mark.parametrize("slug", in_turn([slug for slug in NATIVE if slug not in DIFFERS], 4))
def test_a_makers_template_in_a_directory_with_an_uninformative_name_resolves_to_its_family(slug, tmp_path):
    by_name = lect.resolve(NATIVE[slug])
    resolution = written(tmp_path / "checkpoint-500", slug, source(slug))
    assert resolution.template.name == by_name.template.name
    assert resolution.template.program is by_name.template.program
    assert resolution.template.reply == by_name.template.reply
    assert any("is exactly a template of" in remark for remark in resolution.remarks)


@pytest.mark.parametrize("slug", in_turn([slug for slug in NATIVE if slug not in DIFFERS], 4))
def test_a_makers_template_with_another_comment_is_recognised_by_its_tree(slug, tmp_path):
    resolution = written(tmp_path / "checkpoint-500", slug, source(slug) + "{# saved again #}")
    by_name = lect.resolve(NATIVE[slug])
    assert (resolution.template.program is by_name.template.program) == (slug not in TWO_NAMES)
    assert any("with another layout" in remark for remark in resolution.remarks) == (slug not in TWO_NAMES)


def test_a_template_that_could_be_two_of_ours_names_one(tmp_path):
    slug = "google--gemma-3-1b-it"
    resolution = written(tmp_path / "checkpoint-500", slug, source(slug) + "{# saved again #}")
    assert isinstance(resolution.template, JinjaTemplate)
    assert any("no difference was found in the conversations tried" in remark for remark in resolution.remarks)


@pytest.mark.parametrize("slug", DIFFERS)
def test_a_family_that_differs_from_a_template_does_not_replace_it(slug, tmp_path):
    resolution = written(tmp_path / "checkpoint-500", slug, source(slug))
    assert isinstance(resolution.template, JinjaTemplate)


# A few templates have `'\\s'` in them.
@pytest.mark.filterwarnings("ignore:invalid escape sequence:DeprecationWarning")
@pytest.mark.parametrize("slug", in_turn([*NATIVE, *OTHERS], 4))
def test_a_directory_gives_what_its_makers_template_gives(slug, tmp_path):
    from jinja2.exceptions import TemplateError

    template = written(tmp_path / "checkpoint-500", slug, source(slug)).template
    # The reference's clock is set to noon of the day on which the goldens were made.
    dated = {"date": datetime.combine(goldens.THE_DAY, time(12))} if "date" in template.options else {}
    for case in list(goldens.battery().values())[:: 1 if STRESS else 5]:
        arguments = {"tools": case.get("tools"), "add_generation_prompt": case["add_generation_prompt"]}
        try:
            expected = reference().render(slug, normalize(slug, case["messages"]), **arguments)
        except Exception as error:
            # A template may crash in any way; ours may do better.
            if type(error) is TemplateError:
                with pytest.raises(lect.LectError):
                    template.text(case["messages"], **arguments, **dated)
            continue
        assert template.text(case["messages"], **arguments, **dated) == expected, case["id"]


def test_other_special_tokens_make_it_another_template(tmp_path):
    slug = "meta-llama--Meta-Llama-3-8B-Instruct"
    directory = tmp_path / "checkpoint-500"
    directory.mkdir()
    config = {"chat_template": source(slug), **tokens(slug), "bos_token": "<|start|>"}
    (directory / "tokenizer_config.json").write_text(json.dumps(config), "utf-8")
    template = lect.resolve(directory).template
    assert template.text([{"role": "user", "content": "Hi"}]).startswith("<|start|><|start_header_id|>")


def test_a_family_gets_the_ids_and_stops_of_the_model(tmp_path):
    slug = "Qwen--Qwen2.5-3B-Instruct"
    directory = tmp_path / "checkpoint-500"
    directory.mkdir()
    added = {"900": {"content": "<|im_end|>"}, "901": {"content": "<|im_start|>"}, "902": {"content": "<|done|>"}}
    config = {"chat_template": source(slug), **tokens(slug), "added_tokens_decoder": added}
    (directory / "tokenizer_config.json").write_text(json.dumps(config), "utf-8")
    (directory / "generation_config.json").write_text(json.dumps({"eos_token_id": [900, 902]}), "utf-8")
    template = lect.resolve(directory).template
    assert template.program is lect.template("qwen:qwen2.5").program
    assert (template.stop["<|im_end|>"], template.stop["<|done|>"]) == (900, 902)
    assert template.markers["<|im_start|>"] == 901


def test_every_fingerprint_leads_to_an_existing_template():
    for row in fingerprints().values():
        assert "template" not in row or lect.template(row["template"])


def test_the_fingerprints_are_those_of_the_makers_texts():
    known = fingerprints()
    rows = {slug: known.get(fingerprint(source(slug)), {}) for slug in NATIVE}
    assert {
        slug for slug, row in rows.items() if row.get("tree") != tree_fingerprint(ENVIRONMENT.parse(source(slug)))
    } == set()


WARNED_OF = {
    "microsoft--Phi-3-medium-128k-instruct": {"drops-role"},
    "microsoft--Phi-4-reasoning": {"drops-role"},
    "OrionStarAI--Orion-14B-Chat": {"drops-role"},
    "nvidia--Llama3-ChatQA-1.5-8B": {"drops-role"},
    "allenai--OLMo-7B-Instruct": {"drops-role"},
    "allenai--tulu-2-7b": {"drops-role"},
    # It tells the model, after every system text, that there are no functions.
    "allenai--Olmo-3-7B-Think--open-instruct-olmo_thinker": {"literal-inside-turn"},
    # They look for /think and /no_think in texts, and remove them.
    "nvidia--NVIDIA-Nemotron-Nano-9B-v2": {"content-conditional", "content-rewrite"},
    "HuggingFaceTB--SmolLM3-3B": {"content-conditional", "content-rewrite", "hidden-instruction"},
}
"""Makers' templates that really do what an audit warns about."""


@pytest.mark.parametrize("slug", NATIVE if STRESS else list({**dict.fromkeys(list(NATIVE)[::8]), **WARNED_OF}))
def test_an_audit_warns_about_nothing_else_in_makers_templates(slug, tmp_path):
    written(tmp_path, slug, source(slug))
    found = {finding.rule for finding in audited(str(tmp_path)) if finding.level == "warning"}
    assert found == WARNED_OF.get(slug, set())


ONLY_TEXT = [slug for slug in NATIVE if slug.startswith("deepseek-ai--DeepSeek-") and ("V3" in slug or "R1" in slug)]
"""Templates of which some fail where arguments are not text."""


@pytest.mark.parametrize("slug", [*ONLY_TEXT, *in_turn((slug for slug in NATIVE if slug not in ONLY_TEXT), 8)])
def test_a_file_that_takes_arguments_only_as_text_gets_a_mapping_as_its_name_does(slug):
    own = differential.own_template(slug)
    if "argument_text" not in own.accepts:
        pytest.skip("it takes mappings too")
    function = {"name": "f", "arguments": {"ü": 1, "b": [True, None]}}
    call = {"id": "c", "type": "function", "function": function}
    for content in (None, "", "One moment."):
        messages = [
            {"role": "user", "content": "q"},
            {"role": "assistant", "content": content, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c", "content": "r"},
        ]
        assert own.render(messages).text == own.text(messages) == lect.get_template(NATIVE[slug]).text(messages)


def test_a_template_that_writes_the_same_states_the_same_of_images(tmp_path):
    slug = "Qwen--Qwen2.5-VL-7B-Instruct"
    written(tmp_path, slug, "{% if true %}" + source(slug) + "{% endif %}")
    own = lect.get_template(str(tmp_path))
    assert isinstance(own, JinjaTemplate)
    assert own.media == lect.get_template("Qwen/Qwen2.5-VL-7B-Instruct").media
