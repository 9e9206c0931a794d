"""`lect families`, `plugins` and `templates`."""

import json

import pytest
from installs import install, registry_of

import lect
from lect.cli import main
from lect.plugin import Family, Rule, Turn, TurnTemplate
from lect.registry.packages import FORMATS, PACKAGES

ACME = TurnTemplate("acme", user=Turn("<user>"), assistant=Turn("<bot>"))
QWEN = """
from lect.plugin import Family, Rule, Turn, TurnTemplate
adapter = Family("qwen", Rule("qwen", TurnTemplate("qwen-x", user=Turn("U"), assistant=Turn("A"))))
"""
pytestmark = pytest.mark.usefixtures("registry")


def installed(monkeypatch, *dists, **environ):
    monkeypatch.setattr(lect, "_registry", registry_of(*dists, environ=environ))


def printed(capsys, *words):
    assert main(list(words)) == 0
    return capsys.readouterr().out


# families


def test_every_family_that_is_not_installed_has_its_install_command(capsys):
    out = printed(capsys, "families")
    assert out.startswith("installed\n  none\n\nnot installed\n")
    assert all(f"pip install {package} " in out for package in PACKAGES)
    assert "qwen, qwq, qvq, codeqwen" in out


def test_an_installed_family_is_not_offered_again(site, monkeypatch, capsys):
    install(site, "lect-qwen", "qwen", "raise SystemExit", version="3.2", hints=["qwen"])
    installed(monkeypatch, "lect-qwen")
    monkeypatch.setitem(FORMATS, "lect-qwen", (17, 2))
    out = printed(capsys, "families")
    assert out.startswith(
        "installed\n"
        "  family  package    version  formats         status\n"
        "  qwen    lect-qwen  3.2      17, 2 attested  lazy\n"
    )
    assert "pip install lect-qwen" not in out


def test_families_as_json(site, monkeypatch, capsys):
    install(site, "lect-qwen", "qwen", "raise SystemExit", hints=["qwen"])
    installed(monkeypatch, "lect-qwen")
    monkeypatch.setitem(FORMATS, "lect-qwen", (17, 2))
    monkeypatch.setitem(FORMATS, "lect-llama", (12, 0))
    data = json.loads(printed(capsys, "families", "--json"))
    assert data["installed"] == [
        {
            "family": "qwen",
            "package": "lect-qwen",
            "version": "0.1.0",
            "formats": 17,
            "attested": 2,
            "status": "lazy",
        }
    ]
    assert {each["package"] for each in data["available"]} == set(PACKAGES) - {"lect-qwen"}
    (llama,) = [each for each in data["available"] if each["family"] == "llama"]
    assert llama == {
        "family": "llama",
        "package": "lect-llama",
        "models": ["llama", "codellama", "alpaca", "vigogne"],
        "formats": 12,
        "attested": 0,
        "install": "pip install lect-llama",
    }


# plugins


def test_without_plugins_the_listing_says_what_to_type(capsys):
    assert printed(capsys, "plugins") == "no plugin is installed\n  try: lect families\n"


def test_plugins_are_listed_without_importing_them(site, monkeypatch, capsys):
    install(
        site, "list-lazy", "lazy", "raise SystemExit", hints=["sloth", "idle"], templates=["a", "b"], replies=["slow"]
    )
    install(site, "list-eager", "eager", "raise SystemExit", group="lect.fallback")
    install(site, "list-parts", "", "raise SystemExit", replies=["shout", "mumble"])
    installed(monkeypatch, "list-lazy", "list-eager", "list-parts")
    undo = lect.register(Family("acme", Rule("acme", ACME)))
    assert printed(capsys, "plugins") == (
        "package         version  plugin  status             claims\n"
        "list-eager      0.1.0    eager   eager, a fallback\n"
        "list-lazy       0.1.0    lazy    lazy               idle, sloth; 2 templates, 1 reply format\n"
        "list-parts      0.1.0    -       lazy               2 reply formats\n"
        "(this process)           acme    loaded\n"
    )
    undo()


def test_a_package_is_shown_with_everything_that_it_claims_and_its_place(site, monkeypatch, capsys):
    install(site, "list-lazy", "lazy", "raise SystemExit", hints=["sloth"], templates=["a", "b"], replies=["slow"])
    install(site, "list-other", "other", "raise SystemExit")
    installed(monkeypatch, "list-lazy", "list-other")
    shown = (
        "list-lazy 0.1.0\n"
        f"  place          {site / 'list_lazy.py'}\n"
        "  adapter        lazy\n"
        "  status         lazy\n"
        "  hints          sloth\n"
        "  templates      a, b\n"
        "  reply formats  slow\n"
    )
    for name in ("list-lazy", "List_Lazy", "lazy", "list-lazy:lazy"):
        assert printed(capsys, "plugins", name) == shown
    assert main(["plugins", "laizy"]) == 1
    assert capsys.readouterr().err == "lect: no installed package or plugin is called 'laizy'; did you mean 'lazy'?\n"


def test_a_plugin_with_the_name_of_one_of_our_packages_is_warned_about(site, monkeypatch, capsys):
    install(site, "list-thief", "qwen", QWEN, hints=["qwen", "thief"], templates=["qwen-x"])
    install(site, "lect-qwen", "qwen", QWEN, hints=["qwen"])
    installed(monkeypatch, "list-thief", "lect-qwen")
    warning = "list-thief:qwen uses the name 'qwen' (lect-qwen) of another package; "
    out = printed(capsys, "plugins")
    assert out.count("warning: ") == 1
    assert f"\nwarning: {warning}LECT_DISABLE_PLUGINS=list-thief:qwen blocks it\n" in out
    (thief,) = json.loads(printed(capsys, "plugins", "list-thief", "--json"))
    assert thief["warnings"][0].startswith(warning)


def test_loading_shows_what_fails_in_one_line(site, monkeypatch, capsys):
    install(site, "list-broken", "broken", "raise RuntimeError('first\\nsecond\\x1b[2J')", hints=["x"])
    install(site, "list-kept-out", "kept", QWEN)
    installed(monkeypatch, "list-broken", "list-kept-out", LECT_DISABLE_PLUGINS="kept")
    assert main(["plugins", "--load"]) == 0
    out, err = capsys.readouterr()
    assert not err
    assert out.splitlines()[1:] == [
        "list-broken    0.1.0    broken  failed: load: RuntimeError: first\\nsecond\\x1b[2J  x",
        "list-kept-out  0.1.0    kept    blocked: LECT_DISABLE_PLUGINS",
    ]


def test_plugins_as_json(site, monkeypatch, capsys):
    install(site, "list-one", "one", QWEN, hints=["shop"])
    installed(monkeypatch, "list-one")
    assert json.loads(printed(capsys, "plugins", "--load", "--json")) == [
        {
            "package": "list-one",
            "version": "0.1.0",
            "place": str(site / "list_one.py"),
            "status": "loaded",
            "adapters": [
                {
                    "name": "one",
                    "status": "loaded",
                    "fallback": False,
                    "hints": ["shop"],
                    "templates": [],
                    "failures": [],
                }
            ],
            "reply_formats": [],
            "notations": [],
            "commands": [],
            "functions": [],
            "warnings": [],
        }
    ]


# templates


def test_templates_are_listed_by_owner(capsys):
    undo = lect.register(Family("acme", Rule("acme", ACME)))
    assert printed(capsys, "templates") == "owner  templates\nlect   chatml, default\nacme   acme\n"
    undo()


def test_loading_shows_templates_that_were_not_declared(site, monkeypatch, capsys):
    install(site, "list-shy", "shy", QWEN)
    installed(monkeypatch, "list-shy")
    assert json.loads(printed(capsys, "templates", "--json")) == {"lect": ["chatml", "default"], "shy": []}
    assert json.loads(printed(capsys, "templates", "--load", "--json")) == {
        "lect": ["chatml", "default"],
        "shy": ["qwen-x"],
    }


def test_formats_are_listed_with_an_example(capsys):
    assert main(["formats"]) == 0
    assert "think\n" in capsys.readouterr().out
    assert main(["formats", "think", "--json"]) == 0
    (data,) = json.loads(capsys.readouterr().out)
    assert data["name"] == "think"
    assert "</think>" in data["example"]


def test_an_unknown_format_is_named(capsys):
    assert main(["formats", "thnik"]) == 1
    assert capsys.readouterr().err == "lect: no installed package has a reply format 'thnik'; did you mean 'think'?\n"
