"""Which template a name resolves to: ids on hubs, their files, caches and packages, and names that must be unknown."""

import importlib
import itertools
import json
import re
import tomllib
from functools import cache

import differential
import goldens
import pytest
from goldens import REPOSITORY
from repository import FOLDERS, folder
from sampling import in_turn
from together import together

import lect
from lect.cli import main
from lect.errors import InvalidModelPathError, LectError, UnknownModelError
from lect.plugin import Family, LazyTemplate, Template
from lect.registry.advice import package_for
from lect.registry.discover import distributions
from lect.registry.packages import PACKAGES
from lect.registry.patterns import ANYTHING, NUMBER, WHOLE_NAME
from lect.registry.refs import parse_ref, words_of
from lect.registry.registry import Registry
from lect.registry.words import meaning
from lect_kit.samples import sample_names

DATA = REPOSITORY / "tests/data"
RESOLUTION = json.loads((DATA / "resolution.json").read_text("utf-8"))["models"]
NAMES = json.loads((DATA / "names.json").read_text("utf-8"))
XTUNER = json.loads((DATA / "xtuner_table.json").read_text("utf-8"))["rows"]

# XTuner's names for the makers' formats. Where it gives several models one template, the makers have more.
XTUNERS_NAMES = {
    "baichuan_chat": {"baichuan-chat"},
    "baichuan2_chat": {"baichuan2-chat"},
    "chatglm2": {"chatglm2-6b"},
    "chatglm3": {"chatglm3-6b"},
    "deepseek_coder": {"deepseek-coder"},
    "deepseek_moe": {"deepseek-llm-chat"},
    "default": {"default"},
    "gemma": {"gemma"},
    "internlm_chat": {"internlm-chat", "internlm-chat-20b"},
    "internlm2_chat": {"internlm2-chat"},
    "llama2_chat": {"llama-2-chat"},
    "mistral": {"mistral-v1"},
    "mixtral": {"mistral-v1"},
    "qwen_chat": {"qwen-7b-chat", "qwen1.5", "qwen1.5-72b"},
    "vicuna": {"vicuna_v1.1"},
    "zephyr": {"zephyr"},
}
# The only row whose maker has no chat model, and which therefore no family knows: only XTuner's own table has it.
WITHOUT_FAMILY = {"bigcode/starcoder"}
SAYS_THAT_IT_CHATS = ("chat", "instruct", "-it", "vicuna", "zephyr", "chatglm2-6b", "chatglm3-6b")


def claim(path):
    """Return a family's resolution of a path; None if at most a fallback has one."""
    try:
        return lect.resolve(path, fallback=False)
    except UnknownModelError:
        return None


# The makers' ids


@cache
def expected(slug):
    (golden,) = (REPOSITORY / "plugins").glob(f"*/tests/golden/{slug}.json")
    deviations = goldens.deviations(golden.parents[2].name)
    return [case for case in goldens.cases(golden) if (slug, case[0]) not in deviations]


def test_the_corpus_is_complete():
    assert (len(RESOLUTION), len(set(RESOLUTION.values()))) == (91, 66)


@together(("model", "slug"), RESOLUTION.items(), ids=list(RESOLUTION))
def test_a_model_speaks_as_its_makers_template_does(model, slug):
    template = claim(model).template
    for _, arguments, text in expected(slug):
        goldens.check(template, arguments, text)


# Names in the wild


def named(kind):
    return [(path, template) for template, paths in NAMES[kind].items() for path in paths]


@together(("path", "template"), named("chat"), ids=ascii)
def test_a_chat_model_is_known_under_every_name_it_goes_by(path, template):
    found = claim(path)
    assert (found.template.name, found.kind) == (template, "chat")


@pytest.mark.parametrize(("path", "template"), named("base"), ids=ascii)
def test_a_base_model_is_known_as_one(path, template):
    found = claim(path)
    assert (found.template.name, found.kind) == (template, "base")


@together(("path", "why"), [(path, why) for why, paths in NAMES["unknown"].items() for path in paths], ids=ascii)
def test_no_family_claims_what_it_does_not_know(path, why):
    assert claim(path) is None, why


@pytest.mark.parametrize("path", NAMES["invalid"], ids=ascii)
def test_a_path_that_cannot_name_a_model_is_refused(path):
    with pytest.raises(InvalidModelPathError):
        lect.resolve(path)


def test_no_name_is_listed_twice():
    paths = [path for kind in ("chat", "base", "unknown") for listed in NAMES[kind].values() for path in listed]
    assert len(paths) > 300
    assert len(set(paths)) == len(paths)


# Base models


SIZE = re.compile(r"a?[0-9]+([._][0-9]+)?[bmet]|[0-9]+x[0-9]+b", re.IGNORECASE)
SAYS_SO = re.compile(r"base|pretrain|bloom", re.IGNORECASE)
"""Words of base models; BLOOM's full name has no size."""


def test_a_name_without_its_size_is_that_of_no_base_model():
    models = json.loads((REPOSITORY / "tests/data/models.json").read_text("utf-8"))["models"]
    answered = set()
    for model in models:
        owner, _, name = model.rpartition("/")
        short = "-".join(word for word in name.split("-") if not SIZE.fullmatch(word))
        if short not in ("", name) and not SAYS_SO.search(short) and (found := claim(f"{owner}/{short}")):
            answered |= {model} if (found.kind, claim(model).kind) == ("base", "base") else set()
    assert answered == set()


@pytest.mark.parametrize(("model", "template", "starred"), XTUNER, ids=[row[0] for row in XTUNER])
def test_a_model_of_xtuners_table_has_the_makers_kind_and_the_format_that_the_table_means(model, template, starred):
    if model in WITHOUT_FAMILY:
        assert claim(model) is None
        return
    found = claim(model)
    assert found.template.name in XTUNERS_NAMES[template]
    chats = any(word in model.lower() for word in SAYS_THAT_IT_CHATS) and not model.endswith("-base")
    assert found.kind == ("chat" if chats else "base")
    # The two stars on chat models are mistakes in the table, which a later edition corrected.
    assert not starred or found.template.name == "default" or found.kind == "chat"


@pytest.mark.parametrize(
    ("path", "template", "why"),
    [
        ("Qwen/Qwen1.5-7B", "default", "a base model: the chat markers were never trained on"),
        ("huggyllama/llama-7b", "default", "a base model: its maker gave it no chat format"),
        ("meta-llama/Llama-2-7b-hf", "llama-2-chat", "the chat markers are plain text"),
        ("THUDM/chatglm3-6b-base", "chatglm3-6b", "a base model that was trained on the chat format too"),
    ],
)
def test_why_says_that_a_model_is_a_base_model_and_where_its_template_comes_from(path, template, why, capsys):
    assert main(["why", path]) == 0
    out = capsys.readouterr().out
    assert next(line for line in out.splitlines() if line.startswith("  template")).split() == ["template", template]
    assert why in next(line for line in out.splitlines() if line.startswith("  because"))
    assert "base: not trained to chat" in out


def test_every_rule_for_a_base_model_says_why():
    for family in families().values():
        for rule in family.rules:
            assert rule.kind == "chat" or "a base model" in rule.note or "a pretrained model" in rule.note, rule


# What a rule may rest on


def rules_with_names():
    """Yield every rule that gives a template, its family, and made-up names that its pattern fits."""
    for family in families().values():
        for rule in family.rules:
            if isinstance(rule.template, Template | LazyTemplate):
                yield family, rule, sample_names(rule.pattern)


def without_numbers(name):
    """Return a name without its owner, its sizes and its versions: all numbers, and the words that belong to them."""
    words = words_of(name.rpartition("/")[2].lower())
    units = {"v"} | {after for before, after in itertools.pairwise(words) if before[0].isdigit()} & UNITS
    return "-".join(word for word in words if not word[0].isdigit() and word not in units)


def is_the_name_of_one_model(rule):
    """Return whether a pattern is more than a family's word, and nothing but packaging may follow."""
    words = [word for word in rule.pattern.removesuffix(WHOLE_NAME).split() if word[0] not in (ANYTHING, "?", NUMBER)]
    return len(words) > 1 and (rule.kind == "base" or rule.pattern.endswith(WHOLE_NAME))


UNITS = {"b", "e", "k", "m", "t", "x"}


def test_a_familys_bare_word_is_no_claim():
    given, wrong = {rule for _, rule, _ in rules_with_names()}, {}
    for family, _, names in rules_with_names():
        for name in filter(None, map(without_numbers, names)):
            decides, _ = family._fitting(parse_ref(name))
            if decides in given and not is_the_name_of_one_model(decides):
                wrong[family.name, decides.pattern] = name
    assert wrong == {}, "ask for a size or a version, name the owner, or let nothing follow the name"


def test_a_rule_that_says_who_made_a_model_asks_for_the_owner():
    rules = [each for each in rules_with_names() if re.search(r"\bby [A-Z]", each[1].note)]
    assert rules
    for family, rule, names in rules:
        for name in names:
            assert family._fitting(parse_ref(name))[0] is rule
            assert family._fitting(parse_ref(f"somebody/{name.rpartition('/')[2]}"))[0] is not rule, name


@pytest.mark.parametrize("length", ["4k", "16K", "128k", "8192", "32768", "131072-GGUF", "Q4_K_M-8192"])
def test_a_context_length_makes_no_base_model_of_a_name(length):
    wrong = []
    for _, rule, names in rules_with_names():
        if rule.kind == "base":
            silent = [name for name in names if meaning("base").isdisjoint(words_of(name.lower()))]
            wrong += [name for name in silent if rule.fit(parse_ref(f"{name}-{length}"))]
    assert wrong == []


def test_packaging_is_no_context_length():
    for packed in ("Q4_K_M.gguf", "GGUF-Q3_K_L", "gptq-4bit-128g", "bnb-4bit", "AWQ-w4a16"):
        assert claim(f"meta-llama/Llama-3.1-8B-{packed}").kind == "base"
    assert claim("ibm-granite/granite-8b-code-base-128k").kind == "base"


@pytest.mark.parametrize("path", ["vicuna-7b", "jeffwan/vicuna-13b", "mistral-7b-instruct"])
def test_where_a_name_may_mean_several_formats_the_error_and_why_name_their_templates(path, capsys):
    with pytest.raises(UnknownModelError) as caught:
        lect.resolve(path)
    named = set(re.findall(r"'(\w+:[\w.-]+)'", str(caught.value)))
    assert len({lect.template(name).name for name in named}) > 1
    assert main(["why", path]) == 1
    why = capsys.readouterr().out
    assert all(name in why for name in named)


# The order of plugins


def test_the_order_in_which_plugins_are_found_changes_nothing():
    packages = ["lect-deepseek", "lect-gemma", "lect-llama", "lect-qwen", "lect-zephyr"]
    found = [each for each in distributions() if each.name in packages]
    paths = [
        "deepseek-ai/DeepSeek-R1-Distill-Llama-8B",
        "deepseek-ai/DeepSeek-R1-Distill-Qwen-7B",
        "HuggingFaceH4/zephyr-7b-gemma-v0.1",
        "meta-llama/Meta-Llama-3.1-8B-Instruct",
        "NousResearch/Hermes-3-Llama-3.1-8B",
        "qwen-llama-gemma-merge",
    ]
    answers = set()
    for order in itertools.permutations(found):
        registry = Registry({}, lambda order=order: list(order))
        answers.add(tuple(spoken(registry, path) for path in paths))
    assert answers == {
        (
            ("lect-deepseek", "deepseek-r1-distill"),
            ("lect-deepseek", "deepseek-r1-distill"),
            ("lect-zephyr", "zephyr-gemma"),
            ("lect-llama", "llama-3.1"),
            "UnknownModelError",
            "UnknownModelError",
        )
    }


def spoken(registry, path):
    try:
        resolution = registry.resolve(path)
    except LectError as error:
        return type(error).__name__
    return resolution.package, resolution.template.name


# Whether the rules, the hints and the advice in messages agree


@cache
def families():
    """Return the families of this repository by name."""
    found = {name: getattr(importlib.import_module(f"lect_{name}"), "adapter", None) for name in FOLDERS}
    # A user who wants a prompt must not be told to install a package that knows only replies, or a fallback.
    return {
        name: adapter
        for name, adapter in found.items()
        if isinstance(adapter, Family) and adapter.templates and "lect" in entry_points(name)
    }


def entry_points(name):
    return tomllib.loads((folder(name) / "pyproject.toml").read_text("utf-8"))["project"].get("entry-points", {})


def hints(name):
    return set(entry_points(name).get("lect.hints", {}))


def test_core_knows_every_family_and_no_other():
    assert {f"lect-{name}" for name in families()} <= set(PACKAGES)
    assert {package.removeprefix("lect-") for package in PACKAGES} <= set(FOLDERS)


def test_the_words_of_a_family_agree_with_its_hints():
    for name in families():
        assert all(any(hint in word for hint in hints(name)) for word in PACKAGES[f"lect-{name}"]), name
        assert hints(name) <= set(PACKAGES[f"lect-{name}"]), name


def test_the_advice_for_a_missing_family_is_to_install_it():
    for name, family in families().items():
        for rule in family.rules:
            if not isinstance(rule.template, Template) or "/" in rule.pattern:
                continue
            needed = [
                word
                for word in rule.pattern.split()
                if not word.startswith("?") and word not in (ANYTHING, NUMBER, WHOLE_NAME)
            ]
            for words in itertools.product(*(word.split("|") for word in needed)):
                assert package_for(words) == f"lect-{name}", rule


def test_with_the_family_installed_the_advice_is_the_fallback_that_knows_the_word():
    assert package_for(("wizardlm", "13", "b")) == "lect-wizardlm"
    assert package_for(("wizardlm", "13", "b"), {"lect-wizardlm"}) == "lect-fastchat"
    assert package_for(("wizardlm", "13", "b"), {"lect-wizardlm", "lect-fastchat"}) == "lect-wizardlm"


# Templates that other projects keep

# Copies that differ from what the table of resolution asks for: older or newer revisions of a repository, and changes
# made by fine-tuners.
OTHER_REVISIONS = {
    "01-ai/Yi-6B-Chat": "a republisher's ChatML, which knows fewer roles",
    "LiquidAI/LFM2.5-1.2B-Instruct": "its first revision, which writes no calls",
    "OpenGVLab/InternVL3-1B": "that of Qwen2.5, in its tokenizer; the maker's code has another system text",
    "Qwen/QwQ-32B-Preview": "a republisher's, with the default system text of Qwen2.5",
    "Qwen/Qwen3-235B-A22B-Instruct-2507": "a republisher's, which differs where a thought stands inside an answer",
    "THUDM/glm-edge-1.5b-chat": "an early revision, which opens an answer unasked",
    "TheBloke/Mistral-7B-Instruct-v0.1-GPTQ": "an early revision, without the blank before [INST]",
    "TheBloke/Mixtral-8x7B-Instruct-v0.1-GPTQ": "an early revision, without the blank before [INST]",
    "TheBloke/deepseek-coder-33B-instruct-AWQ": "an early revision, without the bos",
    "TheBloke/deepseek-coder-33B-instruct-GPTQ": "an early revision, without the bos",
    "casperhansen/llama-3-70b-instruct-awq": "an early revision, which opens an answer unasked",
    "deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B": "that of DeepSeek-R1, which writes calls without content",
    "deepseek-ai/DeepSeek-R1-Distill-Qwen-32B": "its keeper made it close the thought that it opens",
    "deepseek-ai/DeepSeek-V3-0324": "a trainer's, which is that of DeepSeek-R1",
    "google/gemma-4-31B-it": "a revision before that of 2026-07-09",
    "openbmb/MiniCPM-V-2_6": "that of Qwen2, in its tokenizer, which takes texts alone; the maker's code writes images",
    "vibhorag101/llama-2-13b-chat-hf-phr_mental_therapy": "a revision that strips no white space",
}


def kept_templates():
    """Yield `(model, slug, tokens)` for every template that a public project keeps as a model's own; not those that
    it wrote itself or changed for training. A model may share the template of another, with its own tokens."""
    for entry in differential.reference().INDEX.values():
        if entry["confidence"].split()[0] in ("high", "medium") and entry["variant"] is None:
            yield entry["id"], entry["slug"], {}
            for alias in entry["aliases"]:
                if alias["variant"] is None and alias["tier"] != "custom":
                    tokens = {name: alias[name] for name in ("bos_token", "eos_token") if alias[name]}
                    yield alias["id"], entry["slug"], tokens


def renders_alike(slug, template, tokens):
    """Return whether our template gives what a kept one gives, wherever that one does not fail."""
    for case in goldens.battery().values():
        arguments = {"tools": case.get("tools"), "add_generation_prompt": case["add_generation_prompt"]}
        try:
            messages = differential.normalize(slug, case["messages"])
            kept = differential.reference().render(slug, messages, **arguments, **tokens)
        # A template may crash in any way.
        except Exception:
            continue
        if "date" in template.options:
            arguments["date"] = goldens.THE_DAY
        try:
            if template.text(case["messages"], **arguments) != kept:
                return False
        except LectError:
            return False
    return True


def test_no_chat_model_is_given_a_format_that_every_kept_copy_of_its_template_contradicts():
    slugs = {}
    for model, slug, tokens in kept_templates():
        found = claim(model)
        if found is not None and found.kind == "chat" and model not in RESOLUTION:
            slugs.setdefault(model, (found.template, []))[1].append((slug, tokens))
    assert len(slugs) > 20
    slugs = dict(in_turn(slugs.items(), 3))
    wrong = {
        model
        for model, (template, kept) in slugs.items()
        if not any(renders_alike(slug, template, tokens) for slug, tokens in kept)
    }
    assert wrong == set(OTHER_REVISIONS) & set(slugs)
