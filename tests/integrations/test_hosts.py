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
def test_chats_and_a_filter_of_the_harness(host):
    prompt = host["WithLect"]().apply_chat_template(ASKED)
    assert prompt.endswith("<|im_start|>assistant\n")
    from lm_eval.api.registry import get_filter

    assert get_filter("final_answer")().apply([[REPLY]], [{}]) == [["42"]]
    assert host["WithLect"]().tokenizer_name == host["fingerprint"](host["MODEL"])


@in_host("inspect_ai")
def test_a_model_of_inspect(host):
    from inspect_ai.model import get_model

    output = asyncio.run(get_model("lect/Qwen/Qwen3-8B").generate("6 times 7?"))
    assert output.completion == "42"
    assert output.model == host["fingerprint"](host["MODEL"])
    assert host["prompts"][0].endswith("<|im_start|>assistant\n")
