"""What families say of the model ids in public registries, compared with what those registries and the makers say."""

import importlib
import json
from collections import Counter
from functools import cache

import make_metadata
import pytest
from goldens import REPOSITORY

import lect
from lect.errors import UnknownModelError
from lect.plugin import Family
from lect.registry.refs import parse_ref

DATA = REPOSITORY / "tests/data"
MODELS = json.loads((DATA / "models.json").read_text("utf-8"))["models"]
TRUTH = json.loads((DATA / "truth.json").read_text("utf-8"))
TRAPS = json.loads((DATA / "traps.json").read_text("utf-8"))["traps"]
TRAPPED = r"knows it, and has no format for it: (?:the name fits '.+'|Ollama's tag is not settled): \w"
REASONED = ("awaited", "unknown", "not for chat")
WITH_BASE = frozenset(TRUTH["with base models"])

SAY_CHAT = {"chat", "instruct", "it", "inst", "sft", "dpo", "rl", "mpo", "thinking", "think", "reasoning", "distill"}
SAY_BASE = {"base", "pretrain", "pretrained"}

# Families whose models an owner only repackages, besides publishing its own.
PACKED = {"lmsys": {"gptoss"}, "cognitivecomputations": {"deepseek", "qwen"}}


@cache
def sections():
    """Return the section of the truth that each registry name, or whole id, is in."""
    found = dict.fromkeys(TRUTH["templates"], "templates")
    for section in REASONED:
        for names in TRUTH[section].values():
            found.update(dict.fromkeys(names, section))
    return found


def rows(model):
    """Return what counts for a model: its own row, or those of the names that registries have for its template."""
    return [model] if model in sections() else MODELS[model]


def kind(model):
    """Return what a model is: `base`, `not for chat`, or a chat model that is `known`, `awaited` or `unknown`."""
    found = {sections()[row] for row in rows(model)}
    if "not for chat" in found:
        return "not for chat"
    if is_base(model):
        return "base"
    return "known" if "templates" in found else "awaited" if "awaited" in found else "unknown"


def is_base(model):
    """Return whether a model is a base model; LLaMA-Factory, too, goes by the words of the name."""
    if model in TRUTH["base"]:
        return True
    if model in TRUTH["chat"] or model in sections():
        return False
    words = set(parse_ref(model).words)
    return bool(words & SAY_BASE) or not (WITH_BASE.isdisjoint(MODELS[model]) or words & SAY_CHAT)


def meant(model):
    """Return our templates that all registry names for the model's template may mean."""
    named = [set(TRUTH["templates"][row]) for row in rows(model) if sections()[row] == "templates"]
    return set.intersection(*named) if named else set()


@cache
def answers():
    """Return what families answer, by id: the name of a template, `base`, or None."""
    return {model: answer(model) for model in MODELS}


def answer(model):
    try:
        found = lect.resolve(model, fallback=False)
    except UnknownModelError:
        return None
    return found.template.name if found.kind == "chat" else "base"


# The table


def test_the_table_has_a_row_for_every_name_that_the_registries_have():
    assert len(MODELS) == 1683
    assert {name for names in MODELS.values() for name in names} <= sections().keys()


def test_every_row_is_a_registry_name_or_an_id_and_occurs_once():
    known = MODELS.keys() | {name for names in MODELS.values() for name in names}
    listed = Counter([*TRUTH["templates"], *(n for s in REASONED for names in TRUTH[s].values() for n in names)])
    assert listed.keys() <= known
    assert listed.most_common(1)[0][1] == 1
    assert {*TRUTH["with base models"], *TRUTH["base"], *TRUTH["chat"]} <= known


def test_every_template_of_the_table_is_ours():
    ours = {name for names in lect.templates().values() for name in names}
    assert {name for names in TRUTH["templates"].values() for name in names} <= ours


# What families say


def test_no_family_gives_a_model_a_format_that_it_does_not_speak():
    wrong = {}
    for model, given in answers().items():
        right = {"base"} if kind(model) == "base" else meant(model)
        if given is not None and given not in right:
            wrong[model] = (given, kind(model), sorted(right))
    assert wrong == {}, "correct the family's rule, or the row of tests/data/truth.json if it is wrong or behind"


def test_most_chat_models_with_evidence_get_a_format():
    counted = Counter((kind(model), given is not None) for model, given in answers().items())
    evident = counted["known", True], counted["known", False] + counted["awaited", False]
    shares = {
        "chat models for which there is evidence": share(*evident),
        "all chat models": share(evident[0], evident[1] + counted["unknown", False]),
        "base models": share(counted["base", True], counted["base", False]),
    }
    assert shares["chat models for which there is evidence"] >= 0.75, shares


def share(part, rest):
    return part / (part + rest)


@cache
def owners():
    """Return the families that each owner publishes, by lower-case owner."""
    found = {}
    for name in make_metadata.PLUGINS:
        for owner in make_metadata.stated(name).get("owners", ()):
            found.setdefault(owner, set()).add(name)
    return found


@cache
def families():
    """Return the families of this repository by name."""
    modules = {name: importlib.import_module(f"lect_{name}") for name in make_metadata.PLUGINS}
    found = {name: getattr(module, "adapter", None) for name, module in modules.items()}
    return {name: adapter for name, adapter in found.items() if isinstance(adapter, Family) and adapter.templates}


def test_no_family_claims_what_another_makes():
    claimed = {}
    for model in MODELS:
        ref = parse_ref(model)
        claims = {name for name, family in families().items() if (claim := family.match(ref)) and claim.template}
        owner = ref.owner.lower()
        makers = owners().get(owner)
        if len(claims) > 1 or (makers and not claims <= makers | PACKED.get(owner, set())):
            claimed[model] = claims
    assert claimed == {}


# Names that look like a family's


@pytest.mark.parametrize(("name", "trap"), TRAPS.items(), ids=list(TRAPS))
def test_a_trap_is_unknown_with_its_reason(name, trap):
    assert trap["evidence"]
    assert trap["why"]
    with pytest.raises(UnknownModelError, match=TRAPPED):
        lect.resolve(name)


@pytest.mark.parametrize(
    ("name", "template"),
    [
        ("deepseek-r1:1.5b", "deepseek-r1-distill"),
        ("deepseek-r1:7b", "deepseek-r1-distill"),
        ("deepseek-r1:14b", "deepseek-r1-distill"),
        ("deepseek-r1:32b", "deepseek-r1-distill"),
        ("ollama/deepseek-r1:70b", "deepseek-r1-distill"),
        ("deepseek-r1:8b-llama-distill-q4_K_M", "deepseek-r1-distill"),
        ("deepseek-r1:8b-0528-qwen3-q4_K_M", "deepseek-r1-0528-qwen3"),
        ("deepseek-r1:671b-0528-q4_K_M", "deepseek-r1-0528"),
        ("mistral:7b-instruct-v0.2-q4_0", "mistral-v1"),
        ("mistral:7b-instruct-v0.3-q4_0", "mistral-v3"),
    ],
)
def test_a_tag_that_never_moved_means_one_model(name, template):
    assert answer(name) == template
