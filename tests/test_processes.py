"""Every installed template can be pickled: by name it stays the same object, by parts it writes the same."""

import datetime
import multiprocessing
import pickle
import warnings
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from operator import methodcaller

import pytest
from sampling import one_a_style
from together import together

import lect

TEMPLATES = {
    f"{owner}:{name}": lect.template(f"{owner}:{name}")
    for owner, names in lect.templates(load=True).items()
    for name in names
}
QUESTION = {"role": "user", "content": "What is 6 times 7? \N{WAVING HAND SIGN}"}
TOOL = {"type": "function", "function": {"name": "multiply", "parameters": {"type": "object", "properties": {}}}}
CALL = {"id": "call00001", "type": "function", "function": {"name": "multiply", "arguments": {"a": 6, "b": 7}}}
TALKS = [
    {"messages": [QUESTION], "add_generation_prompt": True},
    {"messages": [{"role": "system", "content": "Be brief."}, QUESTION, {"role": "assistant", "content": "42"}]},
    {
        "messages": [
            QUESTION,
            {"role": "assistant", "content": None, "tool_calls": [CALL]},
            {"role": "tool", "tool_call_id": "call00001", "name": "multiply", "content": "42"},
        ],
        "tools": [TOOL],
    },
]
every_template = together("name", one_a_style(TEMPLATES))


def picklers():
    """Return the pickle modules in use: `multiprocess` and datasets use dill, Ray and Spark cloudpickle."""
    return pickle, pytest.importorskip("dill"), pytest.importorskip("cloudpickle")


def written(template):
    """Return what a template writes for some conversations, or the errors that it raises."""
    return [said(partial(template.text, date=datetime.date(2024, 7, 26)), talk) for talk in TALKS]


def said(text, talk):
    try:
        return text(**talk)
    except lect.LectError as error:
        return type(error), str(error)


@every_template
def test_a_template_pickled_by_name_is_the_same_object(name):
    # Looked up now: other tests may have registered others in its place, and removed them again.
    template = lect.template(name)
    for pickler in picklers():
        assert pickler.loads(pickler.dumps(template)) is template


@every_template
def test_a_template_pickled_by_parts_writes_the_same(name):
    variant = TEMPLATES[name].but(name="x")
    expected = written(variant)
    assert any(isinstance(text, str) for text in expected)
    for pickler in picklers():
        again = pickler.loads(pickler.dumps(variant))
        assert again is not variant
        # A partial equals only itself.
        assert again.stated() | {"program": None} == variant.stated() | {"program": None}
        assert written(again) == expected


def test_a_spawned_process_writes_the_same_with_every_template():
    ours = {
        name: text for name, template in TEMPLATES.items() if isinstance(text := said(template.text, TALKS[0]), str)
    }
    ask = methodcaller("text", TALKS[0]["messages"], add_generation_prompt=True)
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        theirs = pool.map(ask, [TEMPLATES[name] for name in ours], chunksize=len(ours))
        assert dict(zip(ours, theirs, strict=True)) == ours


@pytest.mark.parametrize(
    "path", ["Qwen/Qwen3-8B", "lmsys/vicuna-7b-v1.5", "TheBloke/koala-7B-HF", "meta-llama/Llama-2-7b-hf"]
)
def test_a_pickled_resolution_keeps_all_its_facts(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lect.FallbackWarning)
        resolution = lect.resolve(path)
    again = pickle.loads(pickle.dumps(resolution))
    assert again.template is resolution.template
    assert again.adapter is resolution.adapter
    for fact in ("ref", "kind", "reason", "specificity", "fallback", "package", "warnings", "candidates", "remarks"):
        assert getattr(again, fact) == getattr(resolution, fact)
    output = "<think>\nHm.\n</think>\n\nHi.<|im_end|>"
    assert again.parse(output) == resolution.parse(output)


def test_every_reply_format_survives_pickling():
    for name in lect.reply_formats():
        reply_format = lect._registry.formats.get(name)
        again = pickle.loads(pickle.dumps(reply_format))
        assert again == reply_format
        reply = lect.parse(None, reply_format.example, format=again)
        assert reply == pickle.loads(pickle.dumps(reply)) == lect.parse(None, reply_format.example, format=name)


def every_error(kind=lect.LectError):
    return {kind}.union(*map(every_error, kind.__subclasses__()))


def test_the_errors_of_plugins_survive_pickling():
    assert len(every_error()) > len([name for name in vars(lect.errors) if name.endswith("Error")])
    for kind in every_error():
        error = kind.__new__(kind, "what happened\n  try: this")
        error.place = ("messages", 0)
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), again.args, str(again), vars(again)) == (kind, error.args, str(error), vars(error))
