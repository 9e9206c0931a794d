"""`idiolect families`, `plugins` and `templates`."""

import json

import pytest
from installs import install, registry_of

import idiolect
from idiolect.cli import main
from idiolect.plugin import Family, Rule, Turn, TurnTemplate
from idiolect.registry.known import FAMILIES

ACME = TurnTemplate("acme", user=Turn("<user>"), assistant=Turn("<bot>"))
QWEN = """
from idiolect.plugin import Family, Rule, Turn, TurnTemplate
adapter = Family("qwen", Rule("qwen", TurnTemplate("qwen-x", user=Turn("U"), assistant=Turn("A"))))
"""
pytestmark = pytest.mark.usefixtures("registry")


def installed(monkeypatch, *dists, **environ):
    monkeypatch.setattr(idiolect, "_registry", registry_of(*dists, environ=environ))


def printed(capsys, *words):
    assert main(list(words)) == 0
    return capsys.readouterr().out


# families


def test_every_family_that_is_not_installed_has_its_command(capsys):
    out = printed(capsys, "families")
    assert out.startswith("installed\n  none\n\nnot installed\n")
    assert all(f"pip install idiolect-{family} " in out for family in FAMILIES)
    assert "qwen, qwq, codeqwen" in out
    assert "from a checkout: pip install ./plugins/" in out


def test_an_installed_family_is_not_offered_again(site, monkeypatch, capsys):
    install(site, "idiolect-qwen", "qwen", "raise SystemExit", version="3.2", hints=["qwen"])
    installed(monkeypatch, "idiolect-qwen")
    out = printed(capsys, "families")
    assert out.startswith("installed\n  family  package        version  status\n  qwen    idiolect-qwen  3.2      lazy\n")
    assert "pip install idiolect-qwen" not in out


def test_families_as_json(site, monkeypatch, capsys):
    install(site, "idiolect-qwen", "qwen", "raise SystemExit", hints=["qwen"])
    installed(monkeypatch, "idiolect-qwen")
    data = json.loads(printed(capsys, "families", "--json"))
    assert data["installed"] == [{"family": "qwen", "package": "idiolect-qwen", "version": "0.1.0", "status": "lazy"}]
    assert {each["family"] for each in data["available"]} == set(FAMILIES) - {"qwen"}
    assert data["available"][0] == {
        "family": "llama",
        "package": "idiolect-llama",
        "models": ["llama", "codellama"],
        "install": "pip install idiolect-llama",
        "install_from_checkout": "pip install ./plugins/llama",
    }


# plugins


def test_no_plugin_is_said_with_what_to_type(capsys):
    assert printed(capsys, "plugins") == "no plugin is installed\n  try: idiolect families\n"


def test_plugins_are_listed_without_importing_them(site, monkeypatch, capsys):
    install(site, "list-lazy", "lazy", "raise SystemExit", hints=["sloth", "idle"])
    install(site, "list-eager", "eager", "raise SystemExit", group="idiolect.fallback")
    installed(monkeypatch, "list-lazy", "list-eager")
    undo = idiolect.register(Family("acme", Rule("acme", ACME)))
    assert printed(capsys, "plugins") == (
        "name   package         version  words        status\n"
        "eager  list-eager      0.1.0                 eager, a fallback\n"
        "lazy   list-lazy       0.1.0    idle, sloth  lazy\n"
        "acme   (this process)                        loaded\n"
    )
    undo()


def test_loading_shows_what_fails_in_one_line(site, monkeypatch, capsys):
    install(site, "list-broken", "broken", "raise RuntimeError('first\\nsecond\\x1b[2J')", hints=["x"])
    install(site, "list-kept-out", "kept", QWEN)
    installed(monkeypatch, "list-broken", "list-kept-out", IDIOLECT_DISABLE_PLUGINS="kept")
    assert main(["plugins", "--load"]) == 0
    out, err = capsys.readouterr()
    assert not err
    assert out.splitlines()[1:] == [
        "broken  list-broken    0.1.0    x      failed: load: RuntimeError: first\\nsecond\\x1b[2J",
        "kept    list-kept-out  0.1.0           blocked: IDIOLECT_DISABLE_PLUGINS",
    ]


def test_plugins_as_json(site, monkeypatch, capsys):
    install(site, "list-one", "one", QWEN, hints=["qwen"])
    installed(monkeypatch, "list-one")
    assert json.loads(printed(capsys, "plugins", "--load", "--json")) == [
        {"name": "one", "package": "list-one", "version": "0.1.0", "hints": ["qwen"], "status": "loaded", "fallback": False}
    ]


# templates


def test_templates_are_listed_by_owner(capsys):
    undo = idiolect.register(Family("acme", Rule("acme", ACME)))
    assert printed(capsys, "templates") == "owner     templates\nidiolect  chatml, default\nacme      acme\n"
    undo()


def test_loading_shows_templates_that_were_not_declared(site, monkeypatch, capsys):
    install(site, "list-shy", "shy", QWEN)
    installed(monkeypatch, "list-shy")
    assert json.loads(printed(capsys, "templates", "--json")) == {"idiolect": ["chatml", "default"], "shy": []}
    assert json.loads(printed(capsys, "templates", "--load", "--json")) == {"idiolect": ["chatml", "default"], "shy": ["qwen-x"]}
