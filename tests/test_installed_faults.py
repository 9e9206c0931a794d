"""A faulty plugin, really installed, is contained and shown; everything else keeps working."""

from typing import NamedTuple

import pytest
from sandbox import Plugin, family

GOOD = family("acme-good", "good", ("acme", "acme-good", "U"), ("void", "acme-void", "V"), hints=("acme", "void"))
EMPTY = Plugin(
    "acme-empty",
    """
from lect.plugin import Match, Specificity, hookimpl
@hookimpl
def match():
    return Match(Specificity.NAME, "void-7b")
@hookimpl
def get_template():
    return 7
""",
    "empty",
    ("void",),
    attribute="",
)
CLAIMS = """
from lect.plugin import CHATML, Match, Specificity, hookimpl
@hookimpl
def get_template():
    return CHATML
"""


class Fault(NamedTuple):
    """A plugin that does something wrong, and what a user should read about it."""

    dist: str
    source: str
    said: str
    attribute: str = ""

    @property
    def plugin(self):
        return Plugin(self.dist, self.source, "bad", ("acme",), ("lost",), attribute=self.attribute)


FAULTS = [
    Fault("raises-on-import", "raise RuntimeError('the shop is closed')", "load: RuntimeError: the shop is closed"),
    Fault(
        "lacks-its-object", "", "load: AttributeError: module 'lacks_its_object' has no attribute 'adapter'", ":adapter"
    ),
    Fault(
        "raises-in-match",
        f"{CLAIMS}\n@hookimpl\ndef match():\n    return 1 / 0",
        "match: ZeroDivisionError: division by zero",
    ),
    Fault(
        "matches-with-a-word",
        f"{CLAIMS}\n@hookimpl\ndef match():\n    return 'yes'",
        "match: PluginError: match() returned 'yes'; expected a Match, True, False or None",
    ),
    Fault(
        "claims-in-its-own-words",
        f"{CLAIMS}\n@hookimpl\ndef match():\n    return Match('high', None)",
        "match: PluginError: match() returned Match(specificity='high', literal=None, template='', kind='chat', "
        "reason=''); "
        "expected a Specificity and a text",
    ),
    Fault(
        "claims-a-kind-of-its-own",
        f"{CLAIMS}\n@hookimpl\ndef match():\n    return Match(Specificity.NAME, 'acme', kind=7)",
        "match: PluginError: match() returned Match(specificity=<Specificity.NAME: 80>, literal='acme', template='', "
        "kind=7, reason=''); the kind is 7; expected one of 'chat', 'base', 'none'",
    ),
    Fault(
        "claims-everything",
        f"{CLAIMS}\n@hookimpl\ndef match():\n    return Match(Specificity.REPO, '')",
        "match: PluginError: match() returned Match(specificity=<Specificity.REPO: 100>, literal='', template='', "
        "kind='chat', reason=''); REPO rests on the whole of 'acme/",
    ),
    Fault("exits-on-import", "raise SystemExit(3)", "load: SystemExit: 3"),
    Fault("interrupts-on-import", "raise KeyboardInterrupt", "load: KeyboardInterrupt: "),
    Fault(
        "exits-in-match",
        f"import sys\n{CLAIMS}\n@hookimpl\ndef match():\n    sys.exit('bye')",
        "match: SystemExit: bye",
    ),
    Fault(
        "cannot-say-what",
        "class Silent(BaseException):\n    def __str__(self):\n        raise SystemExit\nraise Silent",
        "load: Silent: (its __str__ raises)",
    ),
    Fault(
        "names-by-numbers",
        "from lect.plugin import Turn, TurnTemplate\nTurnTemplate(5, user=Turn(), assistant=Turn())",
        "load: PluginError: the name of a template is 5; expected a text",
    ),
    Fault(
        "wants-another-api",
        f"__lect_api__ = '~=2.0'\n{CLAIMS}\n@hookimpl\ndef match():\n    return True",
        "api: PluginError: it was written for version ~=2.0 of the adapter hooks; this lect has 1.0",
    ),
    Fault(
        "wants-a-malformed-api",
        f"__lect_api__ = 'one or so'\n{CLAIMS}\n@hookimpl\ndef match():\n    return True",
        "api: PluginError: __lect_api__ is 'one or so'; expected a version specifier such as '~=1.0'",
    ),
    Fault(
        "raises-when-looked-at",
        "class Odd:\n    def __getattr__(self, name):\n        raise OSError('do not touch')\nadapter = Odd()",
        "load: OSError: do not touch",
        ":adapter",
    ),
    Fault(
        "misspells-a-hook",
        "from lect.plugin import CHATML, hookimpl\n@hookimpl\ndef match():\n    return True\n@hookimpl\ndef get_templates():\n    return CHATML",
        "register: PluginError: there is no hook 'get_templates'; did you mean 'get_template'?",
    ),
    Fault("has-no-hooks", "def matches(model_path):\n    return True", "register: PluginError: it has no hooks"),
    Fault(
        "has-an-unmarked-hook",
        "def match(model_path):\n    return True",
        "register: PluginError: match() has the name of a hook, and no @",
    ),
]


@pytest.fixture(scope="session")
def environment(sandbox):
    """All plugins in one environment; a test enables the good one and a faulty one."""
    return sandbox.environment(GOOD, EMPTY, *(fault.plugin for fault in FAULTS))


@pytest.fixture(params=FAULTS, ids=[fault.dist for fault in FAULTS])
def fault(request):
    return request.param


def beside_the_good(fault):
    return {"LECT_LOAD_PLUGINS": f"acme-good, {fault.dist}"}


def test_a_faulty_plugin_does_not_hide_the_others(environment, fault):
    assert (
        environment.ask("answer = lect.resolve('acme/acme-7b').adapter.id", **beside_the_good(fault))
        == "acme-good:good"
    )


def test_a_faulty_plugin_is_warned_about_once_and_shown_in_the_listing(environment, fault):
    code = """
for size in range(5):
    lect.resolve(f"acme/acme-{size}b")
answer = {info.package: info.status for info in lect.plugins(load=True)}
"""
    answer, stderr = environment.run(code, **beside_the_good(fault))
    assert answer["acme-good"] == "loaded"
    assert answer[fault.dist].startswith(f"failed: {fault.said}")
    assert stderr.count("PluginWarning") == 1
    assert f"a lect plugin failed and is left out: bad ({fault.dist} 0.1.0): {fault.said}" in stderr


def test_the_error_for_an_unknown_model_lists_what_failed(environment, fault):
    error = environment.ask("answer = raised(lect.resolve, 'acme/other-7b')", **beside_the_good(fault))
    assert error["type"] == "UnknownModelError"
    assert f"\n  failed: bad ({fault.dist} 0.1.0): {fault.said}" in error["text"]
    assert "\n  considered: good (acme-good 0.1.0)" in error["text"]


def test_a_faulty_plugin_that_is_asked_for_by_name_says_what_is_wrong(environment, fault):
    code = "answer = raised(lect.resolve, 'acme/acme-7b', adapter='bad') or lect.resolve('acme/acme-7b', adapter='bad').template.name"
    answer = environment.ask(code, **beside_the_good(fault))
    if fault.said.startswith("match:"):
        assert answer == "chatml", "a plugin that the user names need not claim the model"
    else:
        assert answer["type"] == "PluginError"
        assert f"{fault.dist}:bad cannot be used: bad ({fault.dist} 0.1.0): {fault.said}" in answer["text"]


def test_a_template_of_a_faulty_plugin_is_unknown_and_the_error_says_why(environment):
    error = environment.ask("answer = raised(lect.get_conv_template, 'lost')", LECT_LOAD_PLUGINS="raises-on-import")
    assert error["type"] == "UnknownTemplateError"
    assert "\n  failed: bad (raises-on-import 0.1.0): load: RuntimeError: the shop is closed\n" in error["text"]


def test_a_registered_adapter_that_fails_is_shown_until_it_is_fixed(environment):
    code = """
from lect.plugin import CHATML, Family, Rule, hookimpl
class Bad(Family):
    @hookimpl
    def match(self):
        raise KeyError("words")
undo = lect.register(Bad("mine"))
raised(lect.resolve, "mine-7b")
answer = [status("mine")]
undo()
lect.register(Family("mine", Rule("mine", CHATML)))
answer += [lect.resolve("mine-7b").adapter.id, status("mine")]
"""
    assert environment.ask(code, LECT_LOAD_PLUGINS="") == ["failed: match: KeyError: 'words'", "mine", "loaded"]


def test_many_faulty_plugins_at_once_are_all_shown(environment):
    answer = environment.ask("""
answer = [lect.resolve("acme/acme-7b").adapter.id, [info.status[:6] for info in lect.plugins(load=True) if info.name == "bad"]]
""")
    assert answer == ["acme-good:good", ["failed"] * len(FAULTS)]


def test_a_claim_without_a_template_is_an_error_and_not_another_familys_prompt(environment):
    only = {"LECT_LOAD_PLUGINS": "good, empty"}
    error = environment.ask("answer = raised(lect.resolve, 'acme/void-7b')", **only)
    assert error["type"] == "PluginError"
    assert error["text"].startswith(
        "empty (acme-empty 0.1.0) claims 'acme/void-7b' but cannot provide its template: PluginError: get_template() "
        "returned 7; expected a Template"
    )
    setting = error["text"].partition("try: LECT_DISABLE_PLUGINS=")[2]
    assert (
        environment.ask("answer = lect.resolve('acme/void-7b').adapter.id", LECT_DISABLE_PLUGINS=setting, **only)
        == "acme-good:good"
    )
