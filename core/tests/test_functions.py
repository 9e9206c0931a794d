"""Functions of lect that are in packages of their own: the group `lect.functions`."""

import json

import pytest
from installs import install, registry_of

import lect
from lect.cli import main
from lect.errors import PluginWarning

BEGIN = "def adapter(template, messages, tokenizer, **options): return template.name, messages, tokenizer, options"


@pytest.fixture
def only(site, monkeypatch):
    """Install distributions with the function `rollout`, and let lect see only these."""

    def see(sources, **environ):
        for name, source in sources.items():
            install(site, name, "rollout", source, group="lect.functions")
        monkeypatch.setattr(lect, "_registry", registry_of(*sources, environ=environ))

    return see


def begin():
    return lect.rollout("a/model", [], "tokenizer", adapter="chatml", tools=[], day=1)


def test_an_installed_package_brings_a_function(only):
    only({"function-good": BEGIN})
    assert begin() == ("chatml", [], "tokenizer", {"tools": [], "day": 1})


def test_a_function_whose_package_is_not_installed_says_what_to_install(only):
    only({})
    with pytest.raises(lect.LectError) as caught:
        begin()
    assert str(caught.value) == (
        "lect.rollout is in lect-rollout, which is not installed\n  try: pip install lect-rollout"
    )


@pytest.mark.parametrize("name", ["messages", "row"])
def test_rows_are_read_by_the_functions_of_a_package(only, site, monkeypatch, name):
    only({})
    with pytest.raises(lect.PluginError, match=rf"^lect\.{name} is in lect-rows, which is not installed\n  try: pip "):
        getattr(lect, name)({})
    install(
        site, f"function-{name}", name, "def adapter(data, **options): return data, options", group="lect.functions"
    )
    monkeypatch.setattr(lect, "_registry", registry_of(f"function-{name}"))
    options = {"format": "openai", "row": 3, "parse_assistant": True}
    assert getattr(lect, name)([], **options) == ([], options)


def test_a_function_whose_package_is_blocked_says_so(only):
    only({"lect-rollout": BEGIN}, LECT_DISABLE_PLUGINS="lect-rollout")
    with pytest.raises(lect.PluginError, match=r"lect-rollout, which is blocked\n  try: lect plugins lect-rollout"):
        begin()


@pytest.mark.parametrize(("dist", "source"), [("function-number", "adapter = 1"), ("function-bad", "import nowhere")])
def test_a_function_that_cannot_be_loaded_is_reported(only, capsys, dist, source):
    only({dist: source})
    with pytest.warns(PluginWarning), pytest.raises(lect.PluginError, match=f"lect.rollout of {dist} cannot be loaded"):
        begin()
    assert main(["doctor"]) == 1
    assert f"rollout ({dist} 0.1.0): load: " in capsys.readouterr().out


def test_two_packages_with_the_same_function_are_named(only):
    only({"function-one": BEGIN, "function-two": BEGIN})
    with pytest.raises(lect.PluginError, match="both function-one and function-two have a function 'rollout'"):
        begin()


def test_a_function_that_was_used_is_blocked_after_a_rescan(only):
    only({"function-good": BEGIN})
    begin()
    lect._registry.adapters.environ["LECT_DISABLE_PLUGINS"] = "function-good"
    lect.rescan()
    with pytest.raises(lect.PluginError, match=r"^lect\.rollout is in lect-rollout"):
        begin()


def test_functions_are_listed(only, capsys):
    only({"function-good": BEGIN})
    assert main(["plugins", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["functions"] == ["rollout"]


def test_a_notebook_shows_what_a_package_draws(site, monkeypatch):
    values = (
        lect.template("chatml").render([]),
        lect.parse(None, "Hi", format="think"),
        lect.resolve("a/model", adapter="chatml"),
    )
    monkeypatch.setattr(lect, "_registry", registry_of())
    assert [value._repr_html_() for value in values] == [None, None, None]
    source = "def adapter(value): return f'<b>{type(value).__name__}</b>'"
    install(site, "function-picture", "picture", source, group="lect.functions")
    monkeypatch.setattr(lect, "_registry", registry_of("function-picture"))
    assert [value._repr_html_() for value in values] == ["<b>Prompt</b>", "<b>Reply</b>", "<b>Resolution</b>"]
