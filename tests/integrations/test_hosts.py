"""The recipes of docs/how-to/use-in-other-tools.md, each in its real host."""

import asyncio
import re
import warnings

import pages
import pytest

PAGE = (pages.DOCS / "how-to" / "use-in-other-tools.md").read_text("utf-8")
SHARED = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)[1].partition("\n\n\nprint(")[0]
RECIPES = {found[1]: found[0] for found in re.finditer(r"(?<=```py\n)# (\w+)\n.*?(?=```)", PAGE, re.DOTALL)}
REPLY = "<think>\nSix sevens.\n</think>\n\n42<|im_end|>"
CALL = '<tool_call>\n{"name": "get_time", "arguments": {"zone": "UTC"}}\n</tool_call><|im_end|>'
ASKED = [{"role": "user", "content": "6 times 7?"}]


@pytest.fixture
def host(request):
    """The names of a recipe, with an engine that notes its prompt and replies what the test wants."""
    name = request.param
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # What a host does when it is imported is not ours.
        pytest.importorskip(name)
        names = {"prompts": [], "replies": [REPLY]}
        names["generate"] = lambda prompt: names["prompts"].append(prompt) or names["replies"][-1]
        exec(SHARED + "\n" + RECIPES[name], names)
        yield names


def in_host(name):
    return pytest.mark.parametrize("host", [name], indirect=True, ids=[name])


def test_recipes_are_short():
    assert set(RECIPES) == {"langchain_core", "litellm", "lm_eval", "inspect_ai"}
    assert all(len(recipe.splitlines()) <= 40 for recipe in RECIPES.values())


@in_host("langchain_core")
def test_a_chain_of_langchain(host):
    message = host["chain"].invoke([("user", "6 times 7?")])
    assert (message.content, message.additional_kwargs["reasoning_content"]) == ("42", "Six sevens.")
    assert host["prompts"][0].endswith("<|im_start|>user\n6 times 7?<|im_end|>\n<|im_start|>assistant\n")
    host["replies"].append(CALL)
    call = host["chain"].invoke([("user", "Time?")]).tool_calls[0]
    assert (call["name"], call["args"]) == ("get_time", {"zone": "UTC"})


@in_host("litellm")
def test_a_provider_of_litellm(host):
    answer = host["litellm"].completion("lect/Qwen/Qwen3-8B", messages=ASKED)
    assert answer.choices[0].message.content == "42"
    assert answer.choices[0].message.reasoning_content == "Six sevens."


@in_host("lm_eval")
def test_a_task_of_the_harness(host, tmp_path):
    import lm_eval
    from lm_eval.api.model import LM

    class Engine(LM):
        def generate_until(self, requests):
            return [host["generate"](request.args[0]) for request in requests]

        loglikelihood = loglikelihood_rolling = None

    class Model(host["WithLect"], Engine):
        pass

    questions = tmp_path / "questions.jsonl"
    questions.write_text('{"question": "6 times 7?", "answer": "42"}\n', "utf-8")
    task = {
        "task": "sevens",
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": str(questions)}, "cache_dir": str(tmp_path / "cache")},
        "test_split": "test",
        "output_type": "generate_until",
        "doc_to_text": "{{question}}",
        "doc_to_target": "{{answer}}",
        "metric_list": [{"metric": "exact_match"}],
        "filter_list": [{"name": "answer", "filter": [{"function": "final_answer"}, {"function": "take_first"}]}],
    }
    found = lm_eval.simple_evaluate(model=Model(), tasks=[task], apply_chat_template=True, bootstrap_iters=0)
    assert found["results"]["sevens"]["exact_match,answer"] == 1
    assert found["config"]["lect"] == host["fingerprint"](host["MODEL"])
    assert host["prompts"] == ["<|im_start|>user\n6 times 7?<|im_end|>\n<|im_start|>assistant\n"]


@in_host("inspect_ai")
def test_a_model_of_inspect(host):
    from inspect_ai.model import get_model

    output = asyncio.run(get_model("lect/Qwen/Qwen3-8B").generate("6 times 7?"))
    assert output.completion == "42"
    assert output.model == host["fingerprint"](host["MODEL"])
    assert host["prompts"][0].endswith("<|im_start|>assistant\n")
