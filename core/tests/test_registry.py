"""The registry in one process: what is registered or pinned takes effect at once and can be taken back; a fault leaves
nothing behind."""

from types import ModuleType

import pytest

import lect
from lect import AmbiguousModelError, PluginError, UnknownModelError
from lect.errors import FallbackWarning, PluginWarning
from lect.plugin import CHATML, DEFAULT, Family, Match, Rule, Specificity, Turn, TurnTemplate, hookimpl
from lect.registry.adapter import Adapter
from lect.registry.hookspecs import HOOKS
from lect.registry.registry import Registry

ACME = TurnTemplate(
    "acme-chat",
    user=Turn("<u>", "</u>"),
    assistant=Turn("<a>", "</a>"),
    stop=["</a>"],
    markers=["<u>", "</u>", "<a>", "</a>"],
)
OTHER = TurnTemplate("other-chat", user=Turn("[u]", "[/u]"), assistant=Turn("[a]", "[/a]"))
FAMILY = Family("acme", Rule("acme", ACME))

pytestmark = pytest.mark.usefixtures("registry")


def hooks(**functions):
    """Return an object with these hooks."""
    made = {name: hookimpl(function) for name, function in functions.items()}
    return type("Hooks", (), {name: staticmethod(function) for name, function in made.items()})()


# What is registered


def test_an_adapter_is_asked_from_its_registration_until_that_is_undone():
    with pytest.raises(UnknownModelError):
        lect.resolve("acme/acme-7b")
    undo = lect.register(FAMILY)
    resolution = lect.resolve("acme/acme-7b")
    assert (resolution.template, resolution.adapter.name, resolution.package, resolution.kind) == (
        ACME,
        "acme",
        "",
        "chat",
    )
    undo()
    with pytest.raises(UnknownModelError):
        lect.resolve("acme/acme-7b")
    undo()


def test_a_better_claim_takes_effect_after_a_look_up():
    lect.register(FAMILY)
    assert lect.get_template("acme/acme-7b") is ACME
    undo = lect.register(Family("narrow", Rule("acme 7 b", OTHER)))
    assert lect.get_template("acme/acme-7b") is OTHER
    undo()
    assert lect.get_template("acme/acme-7b") is ACME


@pytest.mark.parametrize("reverse", [False, True])
def test_the_order_of_registration_decides_nothing(reverse):
    families = [FAMILY, Family("narrow", Rule("acme 7 b", OTHER)), Family("loose", Rule("* 7", CHATML))]
    for family in reversed(families) if reverse else families:
        lect.register(family)
    resolution = lect.resolve("acme-7b")
    assert resolution.template is OTHER
    assert [verdict.adapter for verdict in resolution.candidates] == ["narrow", "acme", "loose"]


def test_a_name_is_taken_once():
    lect.register(FAMILY)
    with pytest.raises(PluginError, match="an adapter 'acme' is already registered\n  try: "):
        lect.register(Family("acme", Rule("other", OTHER)))
    with pytest.raises(UnknownModelError):
        lect.resolve("other")
    lect.register(Family("acme", Rule("other", OTHER)), name="acme2")
    assert lect.get_template("other") is OTHER


@pytest.mark.parametrize(
    ("plugin", "said"),
    [
        (object(), "it has no hooks\n  try: decorate match"),
        (5, "it has no hooks"),
        (hooks(match=lambda ref: True), "it has match\\(\\) but no get_template\\(\\)"),
        (
            hooks(match=lambda ref: True, get_templat=lambda: ACME),
            "there is no hook 'get_templat'; did you mean 'get_template'\\?",
        ),
        (hooks(match=lambda paht: True, get_template=lambda: ACME), "'bad' cannot be an adapter: .*paht"),
    ],
    ids=["no hooks", "a number", "no template", "a misspelt hook", "a misspelt argument"],
)
def test_what_cannot_be_an_adapter_is_refused_and_nothing_of_it_is_kept(plugin, said):
    with pytest.raises(PluginError, match=f"(?s){said}"):
        lect.register(plugin, name="bad")
    assert lect.plugins() == []
    lect.register(FAMILY, name="bad")
    assert lect.get_template("acme") is ACME


@pytest.mark.parametrize("name", sorted(HOOKS))
def test_a_method_with_the_name_of_a_hook_must_be_one(name):
    class Own(Family):
        pass

    setattr(Own, name, lambda self: None)
    said = f"{name}\\(\\) has the name of a hook, and no @hookimpl\n  try: @lect.plugin.hookimpl, or another name"
    with pytest.raises(PluginError, match=said):
        lect.register(Own("acme", Rule("acme", ACME)))


def test_what_a_module_imports_is_no_hook_of_its():
    plugin = ModuleType("acme_plugin")
    exec("from re import match as postprocess\nalias = len", vars(plugin))
    vars(plugin).update(match=FAMILY.match, get_template=FAMILY.get_template)
    lect.register(plugin)
    assert lect.get_template("acme") is ACME
    plugin = ModuleType("acme_plugin")
    exec("def alias(ref):\n    return None", vars(plugin))
    with pytest.raises(PluginError, match=r"alias\(\) has the name of a hook"):
        lect.register(plugin, name="other")


def test_hooks_may_take_fewer_arguments():
    lect.register(hooks(match=lambda model_path: "acme" in model_path, get_template=lambda: ACME), name="short")
    resolution = lect.resolve("my-acme")
    assert (resolution.template, resolution.specificity, resolution.reason) == (
        ACME,
        Specificity.FAMILY,
        "match() returned True",
    )


def test_registered_plugins_are_listed():
    undo = lect.register(FAMILY)
    assert lect.plugins() == [("acme", "", "", (), "loaded", False, (), ())]
    undo()
    assert lect.plugins() == []


def test_what_is_registered_or_pinned_in_a_with_statement_ends_with_it():
    with lect.register(FAMILY):
        assert lect.get_template("acme") is ACME
        with lect.pin("acme", OTHER):
            assert lect.get_template("acme") is OTHER
            assert [pin.pattern for pin in lect.pins()] == ["acme"]
        assert lect.get_template("acme") is ACME
    with pytest.raises(UnknownModelError):
        lect.get_template("acme")
    with pytest.raises(ZeroDivisionError), lect.register(FAMILY):
        1 / 0  # noqa: B018
    assert lect.plugins() == []


def test_adapters_may_have_remarks_about_a_model():
    class Talkative(Family):
        @hookimpl
        def remarks(self, model_path, template):
            yield f"{model_path} speaks {template.name}"

    with lect.register(Talkative("acme", Rule("acme", ACME))):
        assert lect.resolve("acme-7b").remarks == (f"acme-7b speaks {ACME.name}",)
    with lect.register(FAMILY):
        assert lect.resolve("acme-7b").remarks == ()


def test_remarks_that_fail_are_recorded_and_the_verdict_stands():
    class Stuttering(Family):
        @hookimpl
        def remarks(self):
            raise RuntimeError("er")

    with lect.register(Stuttering("acme", Rule("acme", ACME))):
        with pytest.warns(PluginWarning, match="remarks: RuntimeError: er"):
            assert lect.resolve("acme-7b").remarks == ()
        assert lect.plugins()[0].status == "failed: remarks: RuntimeError: er"


def test_a_default_is_taken_only_for_an_unknown_model():
    with lect.register(FAMILY):
        assert lect.get_template("acme", default="chatml") is ACME
        assert lect.get_template("unheard-of", default="chatml") is CHATML
        assert lect.render("unheard-of", [{"role": "user", "content": "Hi"}], default="chatml").template is CHATML


@pytest.mark.parametrize(
    "claim", ["yes", 5, object(), Match("high", None)], ids=["text", "number", "object", "malformed"]
)
def test_a_plugin_with_a_malformed_claim_is_left_out_and_the_others_keep_working(claim):
    lect.register(hooks(match=lambda: claim, get_template=lambda: OTHER), name="odd")
    lect.register(FAMILY)
    with pytest.warns(PluginWarning, match="odd: match: PluginError"):
        assert lect.get_template("acme") is ACME
    # Once for each kind of fault.
    assert lect.get_template("acme-7b") is ACME


def test_the_near_miss_of_an_adapter_without_a_claim_is_its_reason():
    near = hooks(match=lambda: False, get_template=lambda: ACME, near_miss=lambda ref: f"{ref.name} is too new")
    lect.register(near, name="near")
    lect.register(hooks(match=lambda: False, get_template=lambda: ACME), name="silent")
    with pytest.raises(UnknownModelError) as caught:
        lect.resolve("acme-7b")
    told = {verdict.adapter: (verdict.outcome, verdict.why) for verdict in caught.value.candidates}
    assert told == {"near": ("no claim", "acme-7b is too new"), "silent": ("no claim", "")}


def test_an_adapter_that_raises_in_near_miss_is_left_out():
    lect.register(hooks(match=lambda: False, get_template=lambda: ACME, near_miss=lambda: 1 / 0), name="broken")
    with pytest.warns(PluginWarning, match="near_miss: ZeroDivisionError"), pytest.raises(UnknownModelError):
        lect.resolve("acme-7b")


def test_a_plugin_that_raises_in_match_does_not_hide_the_others():
    lect.register(hooks(match=lambda: 1 / 0, get_template=lambda: OTHER), name="broken")
    lect.register(FAMILY)
    with pytest.warns(PluginWarning, match="broken: match: ZeroDivisionError: division by zero"):
        assert lect.get_template("acme") is ACME


@pytest.mark.parametrize("given_back", [None, "acme", 5], ids=repr)
def test_a_plugin_that_gives_no_template_is_named(given_back):
    lect.register(hooks(match=lambda: True, get_template=lambda: given_back), name="empty")
    with pytest.warns(PluginWarning), pytest.raises(PluginError, match=r"empty .*get_template"):
        lect.resolve("anything")


# Ties


def test_equal_claims_to_different_templates_are_an_error_that_names_both():
    lect.register(FAMILY)
    lect.register(Family("rival", Rule("acme", OTHER)))
    with pytest.raises(AmbiguousModelError, match="is claimed equally") as caught:
        lect.resolve("acme-7b")
    assert sorted(caught.value.claimants) == ["acme", "rival"]
    assert "'<u>What is" in str(caught.value)
    assert "lect.pin('acme-7b', " in str(caught.value)


def test_equal_claims_to_equal_templates_are_no_tie():
    same = TurnTemplate(
        "same", user=ACME.turns["user"], assistant=ACME.turns["assistant"], stop=ACME.stop, markers=ACME.markers
    )
    lect.register(FAMILY)
    lect.register(Family("rival", Rule("acme", same)))
    assert lect.resolve("acme-7b").adapter.name == "acme"


# Pins


def test_a_pin_decides_and_can_be_taken_back():
    lect.register(FAMILY)
    lect.register(Family("rival", Rule("acme", OTHER)))
    undo = lect.pin("ACME-*", "rival")
    resolution = lect.resolve("acme-7b")
    assert (resolution.template, resolution.specificity) == (OTHER, None)
    assert resolution.reason == "pinned by ACME-*=rival (lect.pin())"
    undo()
    with pytest.raises(AmbiguousModelError):
        lect.resolve("acme-7b")
    undo()


def test_the_last_pin_wins():
    lect.pin("*", CHATML)
    undo = lect.pin("acme/*", "default")
    assert lect.get_template("acme/x") is DEFAULT
    assert lect.get_template("other/x") is CHATML
    undo()
    assert lect.get_template("acme/x") is CHATML


@pytest.mark.parametrize(
    "adapter", ["acme", "acme:acme-chat", ACME, FAMILY], ids=["plugin", "plugin:template", "template", "adapter"]
)
def test_a_pin_may_name_an_adapter_or_a_template_or_be_one(adapter):
    lect.register(FAMILY)
    lect.pin("strange", adapter)
    assert lect.get_template("strange") is ACME


def test_a_pinned_adapter_need_not_claim_the_model():
    lect.register(hooks(match=lambda: None, get_template=lambda match: ACME), name="shy")
    lect.pin("strange", "shy")
    assert lect.get_template("strange") is ACME


def test_a_pin_that_leads_nowhere_says_so():
    lect.pin("strange", "nobody")
    with pytest.raises(
        PluginError, match=r"(?s)'strange' is pinned by strange=nobody .*no template or adapter is called 'nobody'"
    ):
        lect.resolve("strange")


@pytest.mark.parametrize("pattern", ["", " ", None, 5], ids=repr)
def test_a_pin_needs_a_pattern(pattern):
    with pytest.raises(PluginError, match="a pin needs a pattern such as"):
        lect.pin(pattern, "chatml")


# Caches


def test_the_memory_of_paths_stays_bounded(registry):
    lect.register(FAMILY)
    for number in range(5000):
        registry.resolve(f"acme-{number}.0")
    assert len(registry._remembered) <= 4096


def test_a_name_that_a_family_knows_to_speak_another_format_is_not_left_to_a_fallback():
    registry = Registry(environ={}, find=list)
    registry.adapters.register(
        Family("acme", Rule("acme vision", None, note="those that see speak another format"), Rule("acme", CHATML))
    )
    fallback = Adapter(hooks(match=lambda: True, get_template=lambda: DEFAULT), name="guess", fallback=True)
    registry.adapters.registered += (fallback,)
    with pytest.warns(FallbackWarning):
        assert registry.resolve("other-7b").adapter is fallback
    assert registry.resolve("acme-7b").template is CHATML
    with pytest.raises(UnknownModelError, match="those that see speak another format"):
        registry.resolve("acme-vision-7b")
    assert registry.resolve("acme-vision-7b", adapter="acme").template is CHATML
