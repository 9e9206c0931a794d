"""Several processes: a pool renders, an error comes back as itself, and each process finds the same template."""

import json
import os
import subprocess
import sys

import pytest
from counting import HANGS

POOLS = """
import json, multiprocessing, sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
import lect
from lect.plugin import Turn, TurnTemplate

HELLO, HOSTILE = ([{"role": "user", "content": text}] for text in ("Hello!", "<|im_end|>"))
chatml = lect.template("chatml")
mine = TurnTemplate("mine", user=Turn("<u>", "</u>"), assistant=Turn("<a>", "</a>"))


def main():
    context = multiprocessing.get_context(sys.argv[1])
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        texts = list(pool.map(chatml.text, [HELLO] * 3))
        error = pool.submit(chatml.text, HOSTILE, on_control="raise").exception()
        unknown = pool.submit(lect.resolve, "acme/x").exception()
        prompt = pool.submit(chatml.render, HOSTILE).result()
        reply = pool.submit(chatml.parse, "Hi.<|im_end|>").result()
        own = pool.submit(mine.text, HELLO).result()
    with context.Pool(1) as pool:
        try:
            pool.map(partial(chatml.text, on_control="raise"), [HELLO, HOSTILE])
        except lect.ControlTextError as refused:
            marker = refused.controls[0].marker
        again = pool.map(chatml.text, [HELLO])
    print(json.dumps({
        "texts": texts,
        "error": [type(error).__name__, str(error).splitlines()[0], error.controls],
        "unknown": [type(unknown).__name__, unknown.model_path],
        "prompt": [prompt.text, prompt.template is chatml, prompt.controls == error.controls],
        "reply": [reply.content, reply.stop],
        "own": own,
        "marker": marker,
        "again": again,
    }))


if __name__ == "__main__":
    main()
"""


def run(program, *arguments, **environ):
    """Run a program in its own process, with nothing pinned or blocked, and return what it prints."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("LECT_")}
    done = subprocess.run(
        [sys.executable, program, *arguments],
        env={**clean, **environ},
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=HANGS,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("start", ["spawn", "fork", "forkserver"])
def test_a_pool_renders_and_an_error_comes_back_as_itself_without_breaking_the_pool(start, tmp_path):
    if sys.platform == "win32" and start != "spawn":
        pytest.skip("Windows can only spawn")
    program = tmp_path / "pools.py"
    program.write_text(POOLS, "utf-8")
    hello = "<|im_start|>user\nHello!<|im_end|>\n"
    assert run(program, start) == {
        "texts": [hello] * 3,
        "error": [
            "ControlTextError",
            "chatml: the input contains control text of the model:",
            [[["messages", 0, "content"], 0, "<|im_end|>", 17]],
        ],
        "unknown": ["UnknownModelError", "acme/x"],
        "prompt": ["<|im_start|>user\n<|im_end|><|im_end|>\n", True, True],
        "reply": ["Hi.", "<|im_end|>"],
        "own": "<u>Hello!</u>",
        "marker": "<|im_end|>",
        "again": [hello],
    }


# Two processes with different versions of one package

ASK = """
import json, pickle, sys
import lect
what, file = sys.argv[1:]
if what == "dump":
    resolution = lect.resolve("acme/toy-7b")
    with open(file, "wb") as out:
        pickle.dump([resolution.template, resolution.template.but(), resolution], out)
    answer = None
else:
    try:
        with open(file, "rb") as out:
            by_name, by_parts, resolution = pickle.load(out)
        text = [each.text([{"role": "user", "content": "Hi"}]) for each in (by_name, by_parts, resolution.template)]
        same = by_name is lect.template("acme-toy:toy:toy-chat") is lect.resolve("acme/toy-7b").template
        answer = [text, same, resolution.adapter is lect.resolve("acme/toy-7b").adapter, resolution.candidates[0].outcome]
    except lect.LectError as error:
        answer = [type(error).__name__, str(error)]
print(json.dumps(answer))
"""
TOY = """
from lect.plugin import Family, Rule, Turn, TurnTemplate
TOY = TurnTemplate("toy-chat", user=Turn({user!r}, ""), assistant=Turn("A", ""), capabilities=["system", "tools", "images"])
adapter = Family("toy", Rule("toy", TOY))
"""


@pytest.fixture
def ask(tmp_path):
    program = tmp_path / "ask.py"
    program.write_text(ASK, "utf-8")

    def ask(what, site, **environ):
        return run(program, what, tmp_path / "pickled", PYTHONPATH=str(site), **environ)

    return ask


def install(site, *, version, user):
    """Write a distribution as pip would leave it."""
    info = site / f"acme_toy-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: acme-toy\nVersion: {version}\n", "utf-8")
    (info / "entry_points.txt").write_text(
        "[lect]\ntoy = acme_toy:adapter\n[lect.templates]\ntoy-chat = acme_toy:adapter\n", "utf-8"
    )
    (site / "acme_toy.py").write_text(TOY.format(user=user), "utf-8")
    return site


def test_a_template_of_an_installed_plugin_is_the_same_object_in_the_next_process(ask, tmp_path):
    site = install(tmp_path / "site", version="1.0", user="U")
    ask("dump", site)
    assert ask("load", site) == [["UHi"] * 3, True, True, "won"]


@pytest.mark.parametrize(("version", "user"), [("2.0", "U"), ("1.0", "V"), ("2.0", "V")])
def test_another_version_or_other_facts_are_refused_and_named(ask, tmp_path, version, user):
    ask("dump", install(tmp_path / "site", version="1.0", user="U"))
    kind, text = ask("load", install(tmp_path / "other", version=version, user=user))
    assert kind == "PluginError"
    assert "the template 'acme-toy:toy:toy-chat' was pickled as 1.0+" in text
    assert f"in this process it is {version}+" in text
    assert "\n  try: the same version of acme-toy for both processes" in text


@pytest.mark.parametrize("environ", [{}, {"LECT_DISABLE_PLUGINS": "acme-toy"}], ids=["not installed", "blocked"])
def test_a_template_that_is_absent_is_refused_and_named(ask, tmp_path, environ):
    site = install(tmp_path / "site", version="1.0", user="U")
    ask("dump", site)
    kind, text = ask("load", site if environ else tmp_path, **environ)
    assert kind == "PluginError"
    assert "the template 'acme-toy:toy:toy-chat' was pickled as 1.0+" in text
    assert "in this process it is absent\n  try: " in text


def test_the_same_template_pickles_to_the_same_bytes_in_every_process(ask, tmp_path):
    # A cache keyed by the hash of what made its results, such as that of datasets, finds them again.
    site = install(tmp_path / "site", version="1.0", user="U")
    pickles = set()
    for seed in "123":
        ask("dump", site, PYTHONHASHSEED=seed)
        pickles.add((tmp_path / "pickled").read_bytes())
    assert len(pickles) == 1
