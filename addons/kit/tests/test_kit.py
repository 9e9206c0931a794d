"""The conformance kit, tested by what it must reject: for each check, an adapter that is broken in one way."""

import json
import os
import sys
from pathlib import Path

import pytest
from broken_adapters import GOOD, HOOKS
from installs import install
from sampling import in_turn

import lect
import lect_kit
from lect.cli import main
from lect.errors import PluginError
from lect_kit import AdapterSuite
from lect_kit.corpus import owners

RULES = "adapter = Family("
TURN = 'out += "<|", message.role, "|>"'
NO_JINJA = pytest.mark.skipif(
    not any(plugin.package == "lect-jinja" for plugin in lect.plugins()), reason="lect-jinja is not installed"
)
CHECKS = {name for name in dir(AdapterSuite) if name.startswith("test_")}
number = iter(range(1000))


class Kit:
    """Installs adapters, and runs the suite on them."""

    def __init__(self, site):
        self.site = site

    def install(self, old="", new="", *, hooks=False, **metadata):
        """Install the good adapter with something in its source replaced; return the name of the plugin."""
        name = f"kit-{next(number)}"
        source = GOOD.partition("adapter = ")[0] + HOOKS if hooks else GOOD
        assert old in source
        usual = {"requires": ["lect>=0.1,<1"], "hints": ["model"], "templates": ["model-chat"], "typed": True}
        replies = ["model_replies"]
        install(self.site, name, name, source.replace(old, new), **{**usual, "replies": replies, **metadata})
        lect.rescan()
        return name

    def failing(self, name, *, light=False, **facts):
        """Return the checks that fail for an installed adapter, each with what it says.

        With `light`, also the check that starts a process.
        """
        usual = {"plugin": name, "examples": {"Model-7B-Chat": "model-chat"}, "base": ["owner/Model-7B"]}
        suite = type("TestModel", (AdapterSuite,), {"__module__": __name__, **usual, **facts})()
        tests = [test for test in sorted(CHECKS) if light or test != "test_it_is_light_to_import"]
        return {test: said for test in tests if (said := self.said(getattr(suite, test)))}

    @staticmethod
    def said(test):
        try:
            test()
        except pytest.fail.Exception as failed:
            return str(failed)
        except pytest.skip.Exception:
            return ""
        return ""


@pytest.fixture
def kit(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    yield Kit(tmp_path)
    sys.path.remove(str(tmp_path))
    lect.rescan()


class TestItself(AdapterSuite):
    plugin = "kit"
    examples = {}


def test_the_public_names():
    assert lect_kit.__all__ == ["AdapterSuite"]


def test_a_good_adapter_passes(kit):
    assert kit.failing(kit.install(), light=True, others=["remodel-7b-chat"]) == {}


def test_a_good_adapter_written_with_hooks_passes(kit):
    assert kit.failing(kit.install(hooks=True), light=True, base=()) == {}


BROKEN = {
    "test_hooks_are_valid": ("def match(self, ref)", "def match(self, path)"),
    "test_rules_can_match": ('kind="base"))', 'kind="base"), Rule("model 7 b chat", CHAT))'),
    "test_match_is_total": ('ref.words[:1] == ("model",)', 'ref.words[:1] == ("model",) or ref.words[3] == "model"'),
    "test_match_is_pure": ('"model") if', '"model", reason=str(next(COUNT))) if'),
    "test_match_is_quick": ('ref.words[:1] == ("model",)', 'ref.words[:1] == ("model",) and not time.sleep(0.005)'),
    "test_templates_state_their_facts": ('source="its maker"', 'source=""'),
    "test_templates_render": (TURN, f'{TURN}\n        {{"system": 1, "user": 1, "assistant": 1, "tool": 1}}[message.role]'),
    "test_segments_join_to_the_text": (TURN, f'{TURN}\n        out.append(str(next(COUNT)) if message.role == "developer" else "")'),
    "test_nothing_is_mutated": ("for index, tool in", 'chat.tools and chat.tools[0]["function"].update(used=True)\n    for index, tool in'),
    "test_unused_is_truthful": (TURN, f'{TURN}\n        out.used("messages", message.index, "name")'),
    "test_a_new_turn_extends_the_prompt": ("out.turns(chat.messages)", "out.turns(chat.messages[-4:])"),
    "test_forged_turns_are_seen": ('markers=["<|end|>", "<|user|>", "<|assistant|>", "<|system|>"]', 'markers=["<|other|>"], text_separators=False'),
    "test_capabilities_reach_the_prompt": ("in enumerate(chat.tools)", "in ()"),
    "test_written_tags_are_markers": ('"<|assistant|>", ', ""),
    "test_options_are_declared": (TURN, f'chat.option("style")\n        {TURN}'),
    "test_resolutions_pickle": ("return CHAT\n\n", "return Template('model-chat', lambda chat, out: write(chat, out))\n\n"),
    "test_replies_round_trip": ("reply=MODEL_REPLIES.grammar,", ""),
    "test_replies_end_at_the_stops": ('stop=["<|end|>"],', 'stop=["<|end|>", "<over>"],'),
    "test_replies_arrive_in_any_chunks": ("    @hookimpl\n    def get_template", "    @hookimpl\n    def postprocess(self, reply):\n        return reply._replace(finish=str(next(COUNT)))\n\n    @hookimpl\n    def get_template"),
    "test_reply_formats_read_their_examples": ("Four.<|end|>", '<tool_call>\\n{\\"name\\": \\"f\\", \\"arguments\\": {'),
}  # fmt: skip
"""For each check, what is replaced in a good adapter so that it, and no other check, rejects it."""
WITH_HOOKS = {
    "test_hooks_are_valid", "test_match_is_total", "test_match_is_pure", "test_match_is_quick", "test_resolutions_pickle",
    "test_replies_arrive_in_any_chunks",
}  # fmt: skip
ALSO = {
    "test_forged_turns_are_seen": {"test_replies_end_at_the_stops", "test_written_tags_are_markers"},
    "test_nothing_is_mutated": {"test_segments_join_to_the_text"},
}
"""Checks that must fail too: what is not a marker can be typed by a user unnoticed; a tool is written as it was given,
and only the next time as a program has changed it."""


@pytest.mark.parametrize("check", in_turn(BROKEN, 3))
def test_a_broken_adapter_is_rejected_by_one_check(kit, check):
    hooks = check in WITH_HOOKS
    name = kit.install(*BROKEN[check], hooks=hooks)
    failing = kit.failing(name, base=() if hooks else ["owner/Model-7B"])
    assert set(failing) == {check} | ALSO.get(check, set()), failing
    assert all("\n  try: " in said for said in failing.values())


SLOW = {
    "files": "open(__file__).close()",
    "calls": "sum(len('x') for _ in range(10_000)) == 0",
    "patterns": "__import__('re').search('x*y', 'x' * 10_000)",
}


@pytest.mark.parametrize("why", in_turn(SLOW, 3))
def test_an_adapter_whose_match_takes_long_is_rejected(kit, why):
    slow = f'ref.words[:1] == ("model",) and not {SLOW[why]}'
    name = kit.install('ref.words[:1] == ("model",)', slow, hooks=True)
    assert set(kit.failing(name, base=())) == {"test_match_is_quick"}


PACKAGES = {
    "test_entry_points_belong_together": {"hints": ["model", "Model Chat"], "hooks": True},
    "test_templates_are_declared": {"templates": ["model-chat", "model-pro"]},
    "test_the_version_of_lect_is_bounded": {"requires": ["lect>=0.1"]},
    "test_it_is_typed": {"typed": False},
    "test_hints_cover_every_example": {"hints": ["model-7b-chat"], "hooks": True},
    "test_rules_can_match": {"hints": ["model", "modell"]},
    "test_parts_can_be_loaded": {"replies": ["missing"]},
}


@pytest.mark.parametrize("check", in_turn(PACKAGES, 3))
def test_a_wrongly_built_package_is_rejected_by_one_check(kit, check):
    hooks = PACKAGES[check].get("hooks", False)
    examples = {"Model-7B-Chat": "model-chat", "Model-8x7B": "model-chat"} if hooks else {"Model-7B-Chat": "model-chat"}
    failing = kit.failing(kit.install(**PACKAGES[check]), examples=examples, base=())
    assert set(failing) == {check}, failing


def test_a_reply_format_is_called_as_its_grammar_is(kit):
    name = kit.install('Grammar("model', 'Grammar("other')
    said = kit.failing(name, base=())["test_parts_can_be_loaded"]
    assert "is a format whose grammar is called 'other" in said
    assert said.endswith("\n  try: correct the entry point in pyproject.toml, and run `pip install` again")


def test_templates_that_are_not_listed_are_tested_by_way_of_the_examples(kit):
    unlisted = HOOKS.replace("    @hookimpl\n    def list_templates(self):\n        return [CHAT]\n", "")
    name = kit.install(HOOKS, unlisted.replace("return CHAT", "return PLAIN"), hooks=True, templates=[])
    failing = kit.failing(name, base=(), examples={"Model-7B": "model-plain"})
    assert set(failing) == {"test_replies_round_trip"}
    assert failing["test_replies_round_trip"].startswith("model-plain: reasoning: ")


def test_a_suite_that_names_nothing_says_what_to_name():
    class Nothing(AdapterSuite):
        pass

    with pytest.raises(pytest.fail.Exception, match="Nothing names no plugin\n  try: plugin = 'acme' and examples = "):
        Nothing().test_templates_render()


def test_a_heavy_import_is_rejected(kit):
    (kit.site / "torch.py").write_text("")
    failing = kit.failing(kit.install("import time", "import time\nimport torch"), light=True)
    assert set(failing) == {"test_it_is_light_to_import"}
    assert " imports torch\n  try: " in failing["test_it_is_light_to_import"]
    sys.modules.pop("torch")


SUITES = {
    "test_examples_are_claimed": {"examples": {"Model-7B-Chat": "model-plain"}},
    "test_other_models_are_left_alone": {"others": ["model-7b-chat-of-somebody-else"]},
    "test_no_standard_test_is_overridden": {"test_templates_render": lambda self: None},
}


@pytest.mark.parametrize("check", SUITES)
def test_the_adapter_is_checked_against_what_the_suite_says(kit, check):
    assert set(kit.failing(kit.install(), **SUITES[check])) == {check}


def test_an_expected_failure_may_replace_a_check(kit):
    @pytest.mark.xfail(reason="the maker does so")
    def expected(self):
        pass

    @pytest.mark.xfail
    def unreasoned(self):
        pass

    name = kit.install()
    assert kit.failing(name, test_templates_render=expected) == {}
    assert set(kit.failing(name, test_templates_render=unreasoned)) == {"test_no_standard_test_is_overridden"}


def test_a_model_of_a_family_is_claimed_only_if_the_suite_says_so(kit):
    path = next(path for path in owners() if path.startswith("mistralai/"))
    name = kit.install(
        RULES, f'{RULES}"model", Rule("{path}", CHAT), Rule("model # b chat", CHAT)) or (', hints=["model", "mistral"]
    )
    failing = kit.failing(name, base=())
    assert set(failing) == {"test_first_party_models_are_left_alone"}
    assert f"{path!r} belongs to lect-mistral, and is claimed" in failing["test_first_party_models_are_left_alone"]
    assert kit.failing(name, base=(), overrides=[path]) == {}


def test_a_tie_is_rejected(kit):
    kit.install('"<|assistant|>")', '"<|assistant|> ")')
    failing = kit.failing(kit.install())
    assert set(failing) == {"test_examples_resolve_to_it"}
    assert "is claimed equally" in failing["test_examples_resolve_to_it"]


def test_a_variant_that_forgets_something_is_rejected(kit):
    subclass = """
import functools


def write_louder(program, chat, out):
    out.append("<|end|>")
    program(chat, out)


class Louder(Template):
    def __init__(self, name, program, **facts):
        super().__init__(name, functools.partial(write_louder, program), **facts)


CHAT = Louder(**CHAT.stated())
PLAIN = """
    assert set(kit.failing(kit.install("PLAIN = ", subclass))) == {"test_variants_write_the_same"}


# Reference prompts


CASES = {"cases": {"a question": {"messages": [{"role": "user", "content": "Hi"}], "text": "<|user|>Hi<|end|>"}}}


def test_golden_files_are_compared(kit, tmp_path):
    golden, name = tmp_path / "golden.json", kit.install()
    golden.write_text(json.dumps(CASES))
    assert kit.failing(name, goldens={str(golden): "model-chat"}) == {}
    golden.write_text(json.dumps(CASES).replace("<|user|>Hi", "<|user|> Hi"))
    failing = kit.failing(name, goldens={str(golden): "model-chat"})
    assert set(failing) == {"test_golden_prompts_are_given"}
    deviations = tmp_path / "deviations.json"
    deviations.write_text(json.dumps([{"slug": "golden", "case": "a question", "reason": "the maker's is wrong"}]))
    assert kit.failing(name, goldens={str(golden): "model-chat"}, deviations=deviations) == {}
    golden.write_text(json.dumps(CASES))
    failing = kit.failing(name, goldens={str(golden): "model-chat"}, deviations=deviations)
    assert "no longer deviates" in failing["test_golden_prompts_are_given"]


def test_a_folder_of_golden_files_names_the_templates_itself(kit, tmp_path):
    folder, name = tmp_path / "golden", kit.install()
    folder.mkdir()
    (folder / "one.json").write_text(json.dumps(CASES | {"template": "model-chat"}))
    assert kit.failing(name, goldens=folder) == {}


ORACLE = """{% for message in messages %}<|{{ message.role }}|>{% if message.reasoning_content %}<think>
{{ message.reasoning_content }}
</think>

{% endif %}{{ message.content }}<|end|>{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"""


@NO_JINJA
def test_the_makers_template_is_compared(kit, tmp_path):
    name = kit.install('"system", "tools", "reasoning"', '"system", "reasoning"')
    (tmp_path / "chat_template.jinja").write_text(ORACLE)
    facts = {"oracles": {"model-chat": tmp_path / "chat_template.jinja"}}
    assert kit.failing(name, **facts) == {}
    (tmp_path / "chat_template.jinja").write_text(
        ORACLE.replace("{{ message.content }}", "{{ message.content | trim }}")
    )
    failing = kit.failing(name, **facts)
    assert set(failing) == {"test_the_makers_template_gives_the_same"}
    # Only if pytest has rewritten the assertions of the kit.
    assert "\n  - <|" in failing["test_the_makers_template_gives_the_same"]


def test_every_check_has_an_adapter_that_it_rejects():
    elsewhere = {
        "test_it_is_light_to_import", "test_first_party_models_are_left_alone", "test_examples_resolve_to_it",
        "test_variants_write_the_same", "test_golden_prompts_are_given", "test_the_makers_template_gives_the_same",
    }  # fmt: skip
    assert {*BROKEN, *PACKAGES, *SUITES, *elsewhere} == CHECKS


# `lect check`


def test_check_says_what_holds_and_what_does_not(kit, capsys):
    name = kit.install('source="its maker"', 'source=""')
    assert main(["check", name]) == 1
    out = capsys.readouterr().out
    assert out.startswith(f"{name} ({name} 0.1.0)\n")
    assert "  ok       hooks are valid\n" in out
    assert "  FAILED   templates state their facts\n" in out
    assert "model-chat states no source\n  try: state `source`" in out.replace("\n    ", "\n  ")
    assert "1 check failed" in out


def test_check_gives_json(kit, capsys):
    assert main(["check", kit.install(), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["ok"]
    assert {check["name"] for check in report["checks"]} == CHECKS
    assert {check["status"] for check in report["checks"]} == {"ok", "skipped"}


def test_check_does_not_look_through_the_folders_above(kit, monkeypatch):
    seen, scandir = [], os.scandir
    monkeypatch.setattr(os, "scandir", lambda path=".": (seen.append(os.fspath(path)), scandir(path))[1])
    assert main(["check", kit.install()]) == 0
    assert str(Path(lect_kit.__file__).parents[-2]) not in seen


def test_a_hint_that_is_no_name_is_not_tried_as_one(kit, capsys):
    assert main(["check", kit.install(hints=["model", ":"], hooks=True)]) == 0
    assert "no check failed" in capsys.readouterr().out


def test_an_unknown_plugin_is_an_error_with_near_names(kit, capsys):
    name = kit.install()
    assert main(["check", f"{name}x"]) == 1
    assert f"no plugin '{name}x' is installed\n  did you mean " in capsys.readouterr().err
    with pytest.raises(PluginError, match="no plugin 'nothing-like-it' is installed"):
        AdapterSuite.subject.fget(type("Suite", (AdapterSuite,), {"plugin": "nothing-like-it", "examples": {}})())
