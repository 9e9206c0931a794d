"""Ollama's names: every row of the table with its evidence, and names that were answered wrongly once."""

import json

import pytest
from shared import SHARED
from together import together

import lect
from lect.errors import UnknownModelError
from lect_ollama.names import table

FACTS = [SHARED / "names/ollama.json", SHARED / "names/ollama-autumn.json"]
EVIDENCE = {"README", "llmfit", "GGUF", "models.dev", "card", "one-format", "tag"}
ROWS = [(name, tag, row) for name, tags in table().items() for tag, row in tags.items()]
SETTLED = {f"{name}:{tag}".removesuffix(":latest"): row for name, tag, row in ROWS if row.hub}


def answer(path):
    """Return what is known of a name: the template and the kind; None if it is unknown."""
    try:
        found = lect.resolve(path, fallback=False)
    except UnknownModelError:
        return None
    return found.template.name, found.kind


# The table


@together(("name", "tag", "row"), ROWS, ids=[f"{name}:{tag}" for name, tag, _ in ROWS])
def test_every_row_has_its_evidence_and_answers_as_the_model_of_the_hub_does(name, tag, row):
    path = f"{name}:{tag.replace('*', 'q4_K_M')}"
    if not row.hub:
        assert "disagree" in row.said or "sources name both" in row.said
        assert answer(path) is None
        return
    assert set(row.said.split()) <= EVIDENCE
    assert row.said
    assert answer(path) == answer(row.hub)


def facts():
    if not SHARED.exists():
        pytest.skip("the facts about names are not available: ../shared is missing")
    return [fact for file in FACTS if file.exists() for fact in json.loads(file.read_text("utf-8"))["names"]]


# The template in the file behind the tag is not that of the model that the name was taken for.
CONTRADICTED = {"devstral", "granite4", "llava", "llava:7b", "qwen:0.5b"}
# Rows that the collection's own list of conflicts is about.
IN_CONFLICT = {"deepseek-r1", "deepseek-r1:8b", "mistral", "mistral:7b", "yi", "yi:6b"}


def test_what_is_stated_or_shown_by_a_file_is_in_the_table_and_nothing_else_passes_for_it():
    for fact in facts():
        name, row = fact["name"], SETTLED.get(fact["name"].replace("q4_K_M", "*"))
        certain = fact["status"] in ("stated", "template only") and fact.get("sure") != "unsure"
        if name in CONTRADICTED | IN_CONFLICT:
            assert row is None or row.hub != fact["hub"], name
        elif certain:
            assert row is not None, name
            assert row.hub == fact["hub"], name
        elif row is not None:
            assert row.hub == fact["hub"], name
            assert {"one-format", "GGUF"} & set(row.said.split()), name
            assert fact["hub"] is not None, name


def test_every_source_of_a_row_is_one_that_the_facts_name():
    sources = {"README": "ollama/ollama README.md", "llmfit": "AlexsJones/llmfit", "GGUF": "huggingface/huggingface.js"}
    sources |= {"models.dev": "anomalyco/models.dev"}
    for fact in facts():
        row = SETTLED.get(fact["name"])
        said = row.said.split() if row else []
        for evidence in set(said) & set(sources):
            latest = [fact["sources"] for fact in facts() if (SETTLED.get(fact["name"]) or row) is row]
            assert any(
                source.removeprefix("github:").startswith(sources[evidence]) for each in latest for source in each
            ), fact["name"]


# Names


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("qwen3:latest", ("qwen3", "chat")),
        ("qwen3", ("qwen3", "chat")),
        ("qwen3:4b", None),
        ("qwen3:30b", None),
        ("qwen3:235b", None),
        ("qwen3-coder:latest", ("qwen3-coder", "chat")),
        ("deepseek-r1", None),
        ("deepseek-r1:latest", None),
        ("deepseek-r1:8b", None),
        ("deepseek-r1:671b", None),
        ("codellama:7b-code", ("default", "base")),
        ("codellama:34b-python", ("default", "base")),
        ("codegemma:2b", ("default", "base")),
        ("codegemma:7b-code", ("default", "base")),
        ("llama2-uncensored:7b", None),
        ("yi:6b-v1.5", None),
        ("llama3.1", ("llama-3.1", "chat")),
        ("mistral", None),
        ("gemma3", ("gemma-3", "chat")),
        ("phi3", ("phi-3-mini", "chat")),
        ("llama3:70b", ("llama-3", "chat")),
        ("gpt-oss:120b", ("gpt-oss", "chat")),
        ("gpt-oss:120b-cloud", ("gpt-oss", "chat")),
        ("llama4:scout", ("llama-4", "chat")),
        ("minimax-m2:cloud", None),
        ("granite4:micro", None),
        ("qwen3.8", ("qwen3.8", "chat")),
        ("qwen3.8:27b", ("qwen3.8", "chat")),
        ("qwen3.8:9b", None),
        ("qwen3.8-flash-next:125b-a6b-q4_K_M", ("qwen3.8", "chat")),
        ("muse-glimmer", ("muse-glimmer", "chat")),
        ("glm-5.3:cloud", ("glm-5.3", "chat")),
        ("nemotron-3-nano:30b", ("nemotron-3", "chat")),
        ("nemotron-3-nano", None),
        ("granite4.2", None),
        ("ornith:9b", None),
        ("ornith-1.5", None),
        ("llama3.1:8b-instruct-q4_K_M", ("llama-3.1", "chat")),
        ("mistral:7b-instruct-fp16", ("mistral-v1", "chat")),
        ("mistral:7b-instruct-q4_0", None),
        ("llama3.1:8b-instruct-nonsense", None),
        ("llama3.1:8b-q4_K_M", None),
    ],
)
def test_a_name_is_right_or_unknown(path, expected):
    assert answer(path) == expected


@pytest.mark.parametrize("before", ["", "ollama/", "ollama_chat/", "ollama/library/", "ollama.com/library/"])
def test_a_name_may_follow_the_registry_or_the_provider(before):
    assert lect.resolve(f"{before}llama3.1:8b").ref.path == "meta-llama/Llama-3.1-8B-Instruct"
    assert lect.resolve(f"{before}llama3.1").ref.path == "meta-llama/Llama-3.1-8B-Instruct"


@pytest.mark.parametrize("path", ["somebody/llama3.1:8b", "hf.co/somebody/mistral:8b"])
def test_anybody_elses_name_is_not_of_the_library(path):
    assert answer(path) is None


@pytest.mark.parametrize("tag", ["Q4_K_M", "latest"])
def test_a_model_of_a_hub_keeps_its_name(tag):
    assert answer(f"hf.co/unsloth/Qwen3-8B-GGUF:{tag}") == ("qwen3", "chat")


def test_a_hubs_name_without_an_owner_is_not_taken_for_ollamas():
    assert answer("DeepSeek-R1") == ("deepseek-r1", "chat")


def test_an_unknown_tag_is_an_error_with_the_nearest_tags():
    with pytest.raises(UnknownModelError, match=r"no such tag; the nearest of llama3\.1 are 8b, "):
        lect.resolve("llama3.1:80b")
    with pytest.raises(UnknownModelError, match="Ollama's tag is not settled: it was v"):
        lect.resolve("mistral:7b")


def test_the_adapter_has_no_template_to_choose():
    with pytest.raises(lect.PluginError, match="lect-ollama has no templates"):
        lect.resolve("strange", adapter="ollama")
