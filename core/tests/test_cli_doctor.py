"""`lect doctor`."""

import json
import sys

import pytest
from installs import install, registry_of

import lect
from lect.cli import main
from lect.plugin import CHATML, Family, Rule, Template, Turn, TurnTemplate
from lect.plugin.grammar import Grammar, Section

ACME = TurnTemplate("acme", user=Turn("<user>"), assistant=Turn("<bot>"), bos="<s>")
FAMILY = """
from lect.plugin import Family, Rule, Turn, TurnTemplate
adapter = Family("shop", Rule("shop", TurnTemplate("shop", user=Turn("U"), assistant=Turn("A"))))
"""
pytestmark = pytest.mark.usefixtures("registry")


def examined(capsys, code):
    """Return the report, after checking that the text output says the same."""
    assert main(["doctor", "--json"]) == code
    data = json.loads(capsys.readouterr().out)
    assert data["ok"] is (code == 0)
    assert main(["doctor"]) == code
    out, err = capsys.readouterr()
    assert not err
    for finding in data["findings"]:
        assert all(line in out for line in finding["what"].splitlines())
    return data


def findings(data, *, broken):
    return [finding["what"] for finding in data["findings"] if finding["broken"] is broken]


def test_nothing_is_broken_where_nothing_is_installed(capsys):
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    assert out.endswith("\nnothing is broken\n")
    assert f"  lect                {lect.__version__}\n" in out


def test_versions_are_those_that_run(capsys):
    versions = examined(capsys, 0)["versions"]
    assert list(versions) == ["python", "lect", "pluggy", "importlib-metadata", "packaging"]
    assert all(versions.values())


def test_the_place_of_the_config_file_is_shown(tmp_path, monkeypatch, capsys):
    (tmp_path / "lect.toml").write_text("fallback = false")
    (tmp_path / "below").mkdir()
    assert examined(capsys, 0)["config"] is None
    monkeypatch.chdir(tmp_path / "below")
    monkeypatch.setattr(lect, "_registry", registry_of())
    assert examined(capsys, 0)["config"] == str(tmp_path / "lect.toml")
    assert main(["doctor"]) == 0
    assert f"\nconfig file\n  {tmp_path / 'lect.toml'}\n" in capsys.readouterr().out


def test_a_failure_comes_with_its_traceback(site, monkeypatch, capsys):
    install(site, "doc-broken", "broken", "def load():\n    raise RuntimeError('closed')\nload()\n")
    monkeypatch.setattr(lect, "_registry", registry_of("doc-broken"))
    (finding,) = examined(capsys, 1)["findings"]
    assert finding["broken"]
    assert finding["what"] == (
        "broken (doc-broken 0.1.0): load: RuntimeError: closed\n"
        "  try: pip install --upgrade doc-broken\n"
        "   or: LECT_DISABLE_PLUGINS=doc-broken:broken, to do without it"
    )
    assert finding["traceback"].startswith("Traceback (most recent call last):\n")
    assert "in load\n" in finding["traceback"]
    assert finding["traceback"].endswith("RuntimeError: closed\n")


def test_tracebacks_show_no_control_characters_to_people(site, monkeypatch, capsys):
    install(site, "doc-rude", "rude", "raise RuntimeError('closed\\x1b[2J')")
    monkeypatch.setattr(lect, "_registry", registry_of("doc-rude"))
    assert main(["doctor"]) == 1
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\n    Traceback (most recent call last):\n" in out
    assert "    RuntimeError: closed\\x1b[2J\n" in out
    assert out.endswith("\n1 thing is broken\n")


def test_a_broken_plugin_does_not_hide_the_others(site, monkeypatch, capsys):
    install(site, "doc-bad", "bad", "import no_such_module_anywhere")
    install(site, "doc-good", "good", FAMILY)
    monkeypatch.setattr(lect, "_registry", registry_of("doc-bad", "doc-good"))
    data = examined(capsys, 1)
    assert [(each["name"], each["status"].partition(":")[0]) for each in data["plugins"]] == [
        ("bad", "failed"),
        ("good", "loaded"),
    ]
    assert "good" in {each["owner"] for each in data["templates"]}


@pytest.mark.parametrize(
    ("requires", "shown", "satisfied"),
    [
        (["lect>=0.1,<1"], "lect<1,>=0.1", True),
        (["Lect >= 99"], "Lect>=99", False),
        (["lect[llama]>=0.1; python_version >= '3.11'", "jinja2"], 'lect[llama]>=0.1; python_version >= "3.11"', True),
        (["lect>=99; extra == 'later'"], None, True),
        (["lect>=99; python_version < '3'"], None, True),
        (["lect!"], None, True),
        ([], None, True),
    ],
)
def test_the_version_of_lect_that_a_plugin_requires_is_checked(requires, shown, satisfied, site, monkeypatch, capsys):
    install(site, "doc-asking", "asking", FAMILY, requires=requires)
    monkeypatch.setattr(lect, "_registry", registry_of("doc-asking"))
    data = examined(capsys, 0 if satisfied else 1)
    (plugin,) = data["plugins"]
    assert (plugin["requires"], plugin["satisfied"]) == (shown, satisfied)
    assert findings(data, broken=True) == (
        []
        if satisfied
        else [
            f"doc-asking 0.1.0 requires {shown}; this is {lect.__version__}\n"
            f"  try: pip install --upgrade lect doc-asking"
        ]
    )


def test_importing_another_core_than_the_installed_one_is_broken(monkeypatch, capsys):
    monkeypatch.setattr(lect, "__version__", "0.0.1")
    (what,) = findings(examined(capsys, 1), broken=True)
    assert what.startswith("lect 0.0.1 is imported, but ")


def test_declared_templates_that_do_not_exist_are_broken(site, monkeypatch, capsys):
    install(site, "doc-boast", "boast", FAMILY, templates=["shop", "palace"])
    monkeypatch.setattr(lect, "_registry", registry_of("doc-boast"))
    assert findings(examined(capsys, 1), broken=True) == [
        "doc-boast:boast declares templates that it does not have: palace"
    ]


def test_a_template_that_crashes_is_broken_and_one_that_refuses_is_not(capsys):
    def crash(chat, out):
        raise TypeError("no such thing")

    def refuse(chat, out):
        chat.refuse("nothing is allowed")

    undo = lect.register(
        Family("acme", Rule("acme", Template("crash", crash)), Rule("bcme", Template("refuse", refuse)))
    )
    data = examined(capsys, 1)
    (finding,) = data["findings"]
    assert finding["what"] == (
        "acme:crash cannot render a plain conversation: template 'acme:crash' failed: TypeError: no such thing"
    )
    assert "in crash\n" in finding["traceback"]
    undo()


def test_a_list_of_templates_that_raises_is_broken(site, monkeypatch, capsys):
    source = "from lect.plugin import hookimpl\nclass adapter:\n    @staticmethod\n    @hookimpl\n    def list_templates():\n        return 1 / 0\n"
    install(site, "doc-listless", "listless", source)
    monkeypatch.setattr(lect, "_registry", registry_of("doc-listless"))
    (what,) = findings(examined(capsys, 1), broken=True)
    assert what.startswith("listless (doc-listless 0.1.0): list_templates: ZeroDivisionError: division by zero\n")


def test_pins_that_name_nothing_are_broken(capsys):
    undo = [lect.pin("a/*", "chatml"), lect.pin("b/*", "nonsense")]
    (what,) = findings(examined(capsys, 1), broken=True)
    assert what.startswith(
        "the pin b/*=nonsense (lect.pin()) names nothing that can be used: no template or adapter is called 'nonsense'"
    )
    for each in undo:
        each()


def test_settings_that_cannot_be_read_are_broken(monkeypatch, capsys):
    monkeypatch.setattr(lect, "_registry", registry_of(environ={"LECT_PINS": "nonsense"}))
    (what,) = findings(examined(capsys, 1), broken=True)
    assert what.startswith("LECT_PINS has 'nonsense', which is not a pin")
    assert main(["doctor"]) == 1
    assert "config file" not in capsys.readouterr().out


def test_two_plugins_with_the_same_name_are_worth_knowing(site, monkeypatch, capsys):
    install(site, "doc-one", "shop", FAMILY)
    install(
        site, "doc-two", "shop", FAMILY.replace('Rule("shop", TurnTemplate("shop"', 'Rule("mall", TurnTemplate("mall"')
    )
    monkeypatch.setattr(lect, "_registry", registry_of("doc-one", "doc-two"))
    assert findings(examined(capsys, 0), broken=False) == [
        "2 plugins are called 'shop'; say which you mean: doc-one:shop, doc-two:shop"
    ]


def test_templates_with_the_same_name_are_worth_knowing_unless_they_are_the_same(capsys):
    other = TurnTemplate("acme", user=Turn("U"), assistant=Turn("A"))
    undo = [
        lect.register(Family("one", Rule("one", ACME), Rule("uses", CHATML))),
        lect.register(Family("two", Rule("two", other))),
        lect.register(Family("three", Rule("three", ACME))),
    ]
    assert findings(examined(capsys, 0), broken=False) == [
        "3 templates are called 'acme', of one, two, three; say which you mean, such as 'one:acme'"
    ]
    for each in undo:
        each()


def test_a_template_with_the_name_of_one_of_lects_own_is_worth_knowing(capsys):
    undo = lect.register(Family("acme", Rule("acme", TurnTemplate("chatml", user=Turn("U"), assistant=Turn("A")))))
    assert findings(examined(capsys, 0), broken=False) == [
        "2 templates are called 'chatml', of lect, acme; the bare name means lect's own"
    ]
    undo()


def test_blocked_plugins_are_worth_knowing(site, monkeypatch, capsys):
    install(site, "doc-blocked", "blocked", "raise SystemExit")
    monkeypatch.setattr(lect, "_registry", registry_of("doc-blocked", environ={"LECT_LOAD_PLUGINS": ""}))
    assert findings(examined(capsys, 0), broken=False) == ["doc-blocked:blocked is blocked: LECT_LOAD_PLUGINS"]


def test_the_advice_on_encoding_depends_on_how_the_text_begins(capsys):
    claims = Template("claims", lambda chat, out: out.append("no BOS here"), bos="<s>")
    undo = lect.register(Family("acme", Rule("acme", ACME), templates=[claims]))
    templates = {each["name"]: each for each in examined(capsys, 0)["templates"]}
    assert templates["acme"]["bos_advice"] == "the text begins with '<s>': encode it without adding special tokens"
    for name in ("claims", "chatml"):
        assert templates[name]["bos"] == ""
        assert templates[name]["bos_advice"].startswith("not in the text: let the tokenizer add its special tokens")
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    assert "  acme   '<s>'        acme\n  acme   -            claims\n" in out
    undo()


# Rendering and parsing


def test_a_template_that_fails_only_after_an_answer_is_found(capsys):
    def crash(chat, out):
        for message in out.turns(chat.messages):
            out += {"user": "U"}[message.role], message.content

    lect.register(Family("acme", Rule("acme", Template("late", crash, text_separators=True))))
    (what,) = findings(examined(capsys, 1), broken=True)
    assert what.startswith("acme:late cannot render a plain conversation: ")


def test_a_template_that_cannot_parse_a_reply_is_found(capsys):
    wrong = Grammar("wrong", sections=[Section("reasoning", "", "</think>")])
    lect.register(Family("acme", Rule("acme", ACME.but(name="deaf", reply=wrong))))
    (what,) = findings(examined(capsys, 1), broken=True)
    assert what.startswith("acme:deaf cannot parse a plain reply: the grammar 'wrong' is invalid: ")


def test_a_refused_conversation_is_tried_as_a_single_question(capsys):
    def once(chat, out):
        if len(chat.messages) > 1:
            chat.refuse("more than a question")
        raise TypeError("even so")

    lect.register(Family("acme", Rule("acme", Template("once", once))))
    assert [what.partition(":")[0] for what in findings(examined(capsys, 1), broken=True)] == ["acme"]


# Claims

ASKED = """
from lect.plugin import CHATML, Match, Specificity, hookimpl
class adapter:
    @staticmethod
    @hookimpl
    def match(model_path, ref):
        {}
    @staticmethod
    @hookimpl
    def get_template(model_path, ref, match):
        {}
"""


@pytest.mark.parametrize("hints", [(), ["shop"]])
@pytest.mark.parametrize(
    ("match", "template", "error"),
    [
        ("return ref.words[5]", "", "match('{}'): IndexError: tuple index out of range"),
        ("raise SystemExit(3)", "", "match('{}'): SystemExit: 3"),
        ("return 5", "", "match('{}'): PluginError: match() returned 5; expected a Match, True, False or None"),
        ("return Match(Specificity.NAME, 'x')", "", "match('{}'): PluginError: match() returned Match("),
        ("return True", "return None", "get_template('{}'): PluginError: get_template() returned None"),
        ("return None if len(ref.words) == 1 else 1 / 0", "", "match('{}'): ZeroDivisionError: division by zero"),
    ],
)
def test_an_adapter_that_cannot_be_asked_is_broken(site, monkeypatch, capsys, hints, match, template, error):
    sys.modules.pop("doc_asked", None)
    install(site, "doc-asked", "asked", ASKED.format(match, template or "return CHATML"), hints=hints)
    install(site, "doc-good", "good", FAMILY)
    monkeypatch.setattr(lect, "_registry", registry_of("doc-asked", "doc-good"))
    data = examined(capsys, 1)
    (finding,) = data["findings"]
    name = f"{hints[0] if hints else 'model'}{'-7b-chat' if '1 / 0' in match else ''}"
    assert finding["what"].startswith(f"asked (doc-asked 0.1.0): {error.format(name)}")
    assert finding["what"].endswith(
        "\n  try: pip install --upgrade doc-asked\n   or: LECT_DISABLE_PLUGINS=doc-asked:asked, to do without it"
    )
    assert finding["traceback"].startswith("Traceback (most recent call last):\n")
    statuses = {each["name"]: each["status"].partition(":")[0] for each in data["plugins"]}
    assert statuses == {"asked": "failed", "good": "loaded"}


def rivals(site, monkeypatch, other, **environ):
    """Install two packages for one family, the other with a source of its own."""
    for module in ("doc_one", "doc_two"):
        sys.modules.pop(module, None)
    install(site, "doc-one", "shop", FAMILY, hints=["shop"])
    install(site, "doc-two", "store", other, hints=["shop"])
    monkeypatch.setattr(lect, "_registry", registry_of("doc-one", "doc-two", environ=environ))


DIFFERENT = FAMILY.replace('Turn("U")', 'Turn("Q")').replace('TurnTemplate("shop"', 'TurnTemplate("store"')


def test_two_packages_that_claim_the_same_models_with_different_formats_are_broken(site, monkeypatch, capsys):
    rivals(site, monkeypatch, DIFFERENT)
    (what,) = findings(examined(capsys, 1), broken=True)
    assert what.startswith(
        "shop (doc-one 0.1.0) and store (doc-two 0.1.0) claim the same models with equal right, such as 'shop'; "
        "the templates differ first in "
    )
    assert what.endswith(
        "\n  try: LECT_DISABLE_PLUGINS=doc-two:store, to keep doc-one:shop"
        "\n   or: LECT_DISABLE_PLUGINS=doc-one:shop, to keep doc-two:store"
    )


def test_two_packages_that_claim_the_same_models_with_the_same_format_are_worth_knowing(site, monkeypatch, capsys):
    rivals(site, monkeypatch, FAMILY.replace('TurnTemplate("shop"', 'TurnTemplate("store"'))
    (what,) = findings(examined(capsys, 0), broken=False)
    assert "such as 'shop'; their formats are the same\n" in what


@pytest.mark.parametrize(
    ("other", "environ"),
    [
        (DIFFERENT, {"LECT_DISABLE_PLUGINS": "doc-one"}),
        (DIFFERENT, {"LECT_PINS": "*shop*=doc-two:store"}),
        (DIFFERENT.replace('Rule("shop"', 'Rule("acme/shop-7b"'), {}),
        (DIFFERENT.replace('Rule("shop"', 'Rule("shop 2"'), {}),
    ],
    ids=["blocked", "pinned", "one model", "one version"],
)
def test_packages_between_which_something_decides_are_no_rivals(site, monkeypatch, capsys, other, environ):
    rivals(site, monkeypatch, other, **environ)
    assert not [what for what in findings(examined(capsys, 0), broken=False) if "claim" in what]


# Damaged packages


def test_hints_without_an_adapter_are_broken(site, monkeypatch, capsys):
    install(site, "doc-orphan", "", FAMILY, hints=["shop", "store"], templates=["shop"])
    monkeypatch.setattr(lect, "_registry", registry_of("doc-orphan"))
    hints, templates = findings(examined(capsys, 1), broken=True)
    assert hints == (
        "doc-orphan 0.1.0 has lect.hints for 'doc_orphan:adapter', but no adapter there: shop, store\n"
        '  try: [project.entry-points.lect] with a name for "doc_orphan:adapter" in its pyproject.toml'
    )
    assert templates.startswith(
        "doc-orphan 0.1.0 has lect.templates for 'doc_orphan:adapter', but no adapter there: shop\n"
    )


# Names in settings


def test_unknown_names_in_settings_are_worth_knowing(site, monkeypatch, capsys):
    install(site, "doc-shop", "shop", FAMILY, hints=["shop"])
    environ = {
        "LECT_DISABLE_PLUGIN": "x",
        "LECT_DISABLE_PLUGINS": "doc-shp, lect-zzz",
        "LECT_LOAD_PLUGINS": "shop,shpo",
    }
    monkeypatch.setattr(lect, "_registry", registry_of("doc-shop", environ=environ | {"PATH": "x"}))
    assert findings(examined(capsys, 0), broken=False) == [
        "lect does not read a variable LECT_DISABLE_PLUGIN; did you mean 'LECT_DISABLE_PLUGINS'?",
        "LECT_DISABLE_PLUGINS names 'doc-shp', which is not installed; did you mean 'doc-shop'?",
        "LECT_DISABLE_PLUGINS names 'lect-zzz', which is not installed; `lect plugins` lists what is installed",
        "LECT_LOAD_PLUGINS names 'shpo', which is not installed; did you mean 'shop'?",
    ]


def test_a_reserved_name_is_worth_knowing(site, monkeypatch, capsys):
    install(site, "doc-thief", "qwen", FAMILY, hints=["shop"])
    monkeypatch.setattr(lect, "_registry", registry_of("doc-thief"))
    (what,) = findings(examined(capsys, 0), broken=False)
    assert what.startswith("doc-thief:qwen uses the name 'qwen' (lect-qwen) of another package")


def test_a_reply_format_that_cannot_be_used_names_its_package(site, monkeypatch, capsys):
    install(site, "doc-replies", "", "SHOUT = 3\n", replies=["shout"])
    monkeypatch.setattr(lect, "_registry", registry_of("doc-replies"))
    failed, unusable = sorted(findings(examined(capsys, 1), broken=True))
    assert failed.startswith(
        "shout (doc-replies 0.1.0): load: PluginError: doc_replies:SHOUT is 3; expected a ReplyFormat"
    )
    assert unusable.startswith("the reply format 'shout' of doc-replies cannot be used")
    assert "lect doctor" not in unusable


def test_without_the_package_that_checks_tokenizers_the_command_says_what_to_install(registry, capsys):
    assert main(["doctor", "chatml", "--adapter", "chatml", "--tokenizer", "x"]) == 1
    assert capsys.readouterr().err == (
        "lect: what checks a tokenizer and token ids is in lect-tokens, which is not installed\n"
        "  try: pip install lect-tokens\n"
    )
