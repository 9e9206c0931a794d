"""A plugin may raise anything, anywhere: it is left out and shown, and the others keep working."""

import json
import pickle
import subprocess
import sys
import warnings

import pytest
from installs import install, registry_of

import lect
from lect.cli import main
from lect.errors import PluginError, PluginWarning, UnknownModelError
from lect.plugin import CHATML, Family, Match, Rule, Specificity, Template, Turn, TurnTemplate, hookimpl

OTHER = TurnTemplate("other", user=Turn("[u]"), assistant=Turn("[a]"))
GOOD = Family("good", Rule("* acme", OTHER))
HEALTHY = """
from lect.plugin import Family, Rule, Turn, TurnTemplate
adapter = Family("healthy", Rule("acme", TurnTemplate("healthy", user=Turn("U"), assistant=Turn("A"))))
"""


class SilentError(BaseException):
    """An exception that cannot even say what it is."""

    def __str__(self):
        raise SystemExit


RAISED = [SystemExit(1), GeneratorExit(), KeyboardInterrupt(), SilentError(), ZeroDivisionError(), MemoryError()]
everything = pytest.mark.parametrize("raised", RAISED, ids=[type(each).__name__ for each in RAISED])


def adapter(**functions):
    """Return an adapter called `bad` with these hooks."""
    hooks = {"match": lambda: None, "get_template": lambda: CHATML} | functions
    return type("Bad", (), {"name": "bad"} | {name: staticmethod(hookimpl(each)) for name, each in hooks.items()})()


def raising(error):
    def hook():
        raise error

    return hook


def status(name="bad"):
    return next(info.status for info in lect.plugins() if info.name == name)


pytestmark = pytest.mark.usefixtures("registry")


@everything
def test_whatever_a_program_raises_is_the_fault_of_its_template(raised):
    template = Template("bad", lambda chat, out: raising(raised)())
    for way in (template.text, template.render):
        with pytest.raises(PluginError, match=f"template 'bad' failed: {type(raised).__name__}"):
            way([{"role": "user", "content": "Hi"}])


@everything
def test_whatever_match_raises_the_others_are_asked(raised):
    with lect.register(adapter(match=raising(raised))), lect.register(GOOD):
        with pytest.warns(PluginWarning, match=f"bad: match: {type(raised).__name__}"):
            assert lect.get_template("acme-7b") is OTHER
        assert status().startswith(f"failed: match: {type(raised).__name__}: ")


@everything
def test_whatever_get_template_raises_becomes_a_plugin_error(raised):
    with (
        lect.register(adapter(match=lambda: True, get_template=raising(raised))),
        pytest.warns(PluginWarning),
        pytest.raises(PluginError, match=f"cannot provide its template: {type(raised).__name__}: ") as caught,
    ):
        lect.resolve("acme-7b")
    assert caught.value.__cause__ is raised


@everything
def test_whatever_the_other_hooks_raise_the_answer_stands(raised):
    def listing():
        yield OTHER
        raise raised

    hooks = {
        "match": lambda model_path: "seven" in model_path,
        "list_templates": listing,
        "remarks": raising(raised),
        "near_miss": raising(raised),
        "postprocess": raising(raised),
    }
    with lect.register(adapter(**hooks)), warnings.catch_warnings():
        warnings.simplefilter("ignore", PluginWarning)
        assert lect.resolve("seven").remarks == ()
        assert lect.parse("seven", "42<|im_end|>").content == "42"
        assert lect.templates()["bad"] == []
        with pytest.raises(UnknownModelError):
            lect.resolve("eight")
        assert [each.stage for each in lect.plugins()[0].failures] == ["remarks", "list_templates", "near_miss"]


@pytest.mark.parametrize(
    "line",
    ["raise SystemExit", "raise GeneratorExit", "raise KeyboardInterrupt", "class E(BaseException): pass\nraise E"],
)
def test_whatever_importing_a_plugin_raises_the_others_are_asked(site, monkeypatch, line):
    install(site, "con-bad", "bad", line)
    install(site, "con-good", "good", HEALTHY.replace("healthy", f"good{len(line)}"))
    monkeypatch.setattr(lect, "_registry", registry_of("con-bad", "con-good"))
    sys.modules.pop("con_good", None)
    with pytest.warns(PluginWarning, match="bad .con-bad 0.1.0.: load: "):
        assert lect.resolve("acme-7b").package == "con-good"


def test_a_plugin_that_raises_when_it_is_looked_at_cannot_be_registered():
    class Shy:
        def __getattr__(self, name):
            raise SystemExit(name)

    with pytest.raises(PluginError, match=r"'Shy' cannot be an adapter: SystemExit: name"):
        lect.register(Shy())


def test_an_exception_that_cannot_be_read_is_shown_and_pickled(capsys):
    with lect.register(adapter(match=raising(SilentError()))), warnings.catch_warnings():
        warnings.simplefilter("ignore", PluginWarning)
        with pytest.raises(UnknownModelError, match=r"failed: bad: match: SilentError: \(its __str__ raises\)"):
            lect.resolve("acme-7b")
        (failure,) = lect.plugins()[0].failures
        assert str(pickle.loads(pickle.dumps(failure))).endswith("SilentError: (its __str__ raises)")
        assert main(["why", "acme-7b", "--json"]) == 1
        assert json.loads(capsys.readouterr().out)["failures"][0]["error"] == "SilentError: (its __str__ raises)"


def test_the_message_of_a_plugin_is_cut_short():
    with (
        lect.register(adapter(match=raising(ValueError("x" * 10**6)))),
        pytest.warns(PluginWarning) as caught,
        pytest.raises(UnknownModelError),
    ):
        lect.resolve("acme-7b")
    assert len(str(caught[0].message)) < 2000


# Where warnings are errors


def test_where_warnings_are_errors_a_bad_plugin_is_shown_and_the_others_keep_working():
    shown = []
    with (
        lect.register(adapter(match=raising(ValueError("closed")), postprocess=lambda: 7)),
        lect.register(GOOD),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("error")
        # As outside of pytest, which captures what is shown.
        warnings.showwarning = lambda message, category, file, line: shown.append((file, str(message)))
        assert lect.get_template("acme-7b") is OTHER
        assert lect.parse("acme-7b", "42", adapter="bad").content == "42"
    (file, failed), (_, unrefined) = shown
    assert file == __file__
    assert failed.startswith("a lect plugin failed and is left out: bad: match: ValueError: closed\n")
    assert unrefined.startswith(
        "bad (registered in this process) failed in postprocess: PluginError: postprocess() returned 7; "
    )


# A user's own Ctrl-C

INTERRUPTED = """
import functools, signal, sys, warnings
import lect
from lect.plugin import CHATML, Template, hookimpl
warnings.simplefilter("ignore")
def function(number, frame):
    raise KeyboardInterrupt
class Server:
    def method(self, number, frame):
        sys.exit(3)
    def __call__(self, number, frame):
        raise TimeoutError
HANDLERS = [
    signal.default_int_handler, function, functools.partial(Server.method, Server()), Server().method, Server(),
]
class Slow:
    name = "slow"
    @hookimpl
    def match(self):
        signal.raise_signal(signal.SIGINT)
    @hookimpl
    def get_template(self):
        return CHATML
with lect.register(Slow()):
    for handler in HANDLERS:
        signal.signal(signal.SIGINT, handler)
        try:
            lect.resolve("acme-7b")
        except lect.UnknownModelError:
            print("contained")
        except BaseException as error:
            print(type(error).__name__)
def slow(chat, out):
    signal.raise_signal(signal.SIGINT)
try:
    Template("slow", slow).text([{"role": "user", "content": "Hello"}])
except BaseException as error:
    print(type(error).__name__)
print(lect.plugins(), len(lect._registry.adapters.failures))
"""


def test_what_a_signal_raises_ends_the_program_and_is_not_blamed_on_a_plugin():
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, check=True, env={"LECT_LOAD_PLUGINS": ""}
    )
    *ends, last = done.stdout.splitlines()
    assert ends == [
        "KeyboardInterrupt",
        "KeyboardInterrupt",
        "SystemExit",
        "SystemExit",
        "TimeoutError",
        "TimeoutError",
    ]
    assert last.endswith(" 0")


# Claims


@pytest.mark.parametrize(
    ("claim", "why"),
    [
        (Match(Specificity.REPO, ""), "REPO rests on the whole of 'acme/big-acme-2.5-chat'"),
        (Match(Specificity.REPO, "acme"), "REPO rests on the whole of"),
        (Match(Specificity.NAME, ""), "NAME rests on a part of the path"),
        (Match(Specificity.TOKEN, ""), "TOKEN rests on a part of the path"),
        (Match(Specificity.NAME, "x" * 4000), "is not in the path"),
        (Match(Specificity.TOKEN, "chat-acme"), "'chat-acme' is not in the path"),
        (Match(Specificity.FAMILY, "llama"), "'llama' is not in the path"),
        (Match(Specificity.NAME, "***"), "is not in the path"),
        (Match(Specificity.NAME, "acme", kind=7), "the kind is 7; expected one of 'chat', 'base', 'none'"),
        (Match(Specificity.NAME, "acme", kind=[]), "the kind is \\[\\]; expected one of"),
        (Match(Specificity.NAME, "acme", template=5), "expected texts for template and reason"),
        (Match(Specificity.NAME, "acme", reason=None), "expected texts for template and reason"),
        (Match(99, "acme"), "expected a Specificity and a text"),
    ],
)
def test_a_claim_that_rests_on_nothing_is_refused_and_recorded(claim, why):
    with lect.register(adapter(match=lambda: claim)), lect.register(GOOD):
        with pytest.warns(PluginWarning, match=f"bad: match: PluginError: match.. returned .*; .*{why}"):
            assert lect.get_template("acme/big-acme-2.5-chat") is OTHER
        assert status().startswith("failed: match: PluginError: ")


@pytest.mark.parametrize(
    "claim",
    [
        Match(Specificity.REPO, "Acme/Big-Acme-2.5-chat"),
        Match(Specificity.NAME, "big-acme"),
        Match(Specificity.NAME, "BIG"),
        Match(Specificity.TOKEN, "acme-chat"),
        Match(Specificity.TOKEN, "2.5-chat"),
        Match(Specificity.MODEL_TYPE, ""),
        Match(Specificity.FAMILY, ""),
    ],
    ids=str,
)
def test_a_claim_that_rests_on_the_path_counts(claim):
    with lect.register(adapter(match=lambda: claim)):
        assert lect.get_template("acme/big-acme-2.5-chat") is CHATML


@pytest.mark.parametrize("name", [5, None, "", b"acme", ["acme"]], ids=repr)
def test_a_template_without_a_name_is_refused(name):
    with pytest.raises(PluginError, match=r"the name of a template is .*; expected a text"):
        Template(name, lambda chat, out: None)
