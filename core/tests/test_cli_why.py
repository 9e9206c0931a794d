"""`lect why`."""

import json

import pytest
from installs import install, registry_of

import lect
from lect.cli import main
from lect.plugin import CHATML, DEFAULT, Family, Match, Rule, Specificity, Template, Turn, TurnTemplate, hookimpl
from lect.plugin.grammar import Grammar

ACME = TurnTemplate(
    "acme",
    user=Turn("<user>", "</user>"),
    assistant=Turn("<bot>", "</bot>"),
    bos="<s>",
    stop={"</bot>": 7},
    source="acme.example/format",
)
FAMILY = """
from lect.plugin import Family, Rule, Turn, TurnTemplate
adapter = Family("shop", Rule("shop", TurnTemplate("shop", user=Turn("U"), assistant=Turn("A"))))
"""


@pytest.fixture(autouse=True)
def acme(registry):
    lect.register(Family("acme", Rule("acme", ACME)))


def why(*words):
    return main(["why", *words])


def why_json(capsys, *words, code=0):
    assert main(["why", *words, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def results(data):
    return {
        each["adapter"]: (each["outcome"], each["why"]) for each in data["candidates"] if each["outcome"] != "not asked"
    }


def not_asked(data):
    return [(each["adapter"], each["why"]) for each in data["candidates"] if each["outcome"] == "not asked"]


def test_the_decision_is_shown_with_its_reason(capsys):
    assert why("acme/acme-7b") == 0
    assert capsys.readouterr() == (
        "acme/acme-7b\n"
        "  adapter     acme (registered in this process)\n"
        "  template    acme\n"
        "  because     the name fits 'acme'\n"
        "  kind        chat\n"
        "  source      acme.example/format\n"
        f"  written at  {ACME.written_at}\n"
        "  stop        '</bot>' (7)\n"
        "  BOS         the text begins with '<s>': encode it without adding special tokens\n"
        "  options     bos_token\n"
        "\n"
        "considered\n"
        "  adapter                            claim        result  why\n"
        "  acme (registered in this process)  NAME 'acme'  won     the name fits 'acme'\n",
        "",
    )


def test_a_template_knows_where_it_is_written():
    file, _, line = ACME.written_at.rpartition(":")
    assert file == __file__
    with open(file, encoding="utf-8") as source:
        assert source.readlines()[int(line) - 1] == "ACME = TurnTemplate(\n"
    assert ACME.but(name="other").written_at.startswith(f"{__file__}:")


def test_json_says_the_same(capsys):
    data = why_json(capsys, "acme/acme-7b")
    assert (data["adapter"], data["kind"], data["reason"], data["error"]) == (
        "acme",
        "chat",
        "the name fits 'acme'",
        None,
    )
    assert (data["template"]["name"], data["template"]["bos"], data["template"]["stop"]) == (
        "acme",
        "<s>",
        {"</bot>": 7},
    )
    assert data["candidates"][0]["claim"] == {
        "specificity": "NAME", "literal": "acme", "template": "acme", "kind": "chat", "reason": "the name fits 'acme'"
    }  # fmt: skip


def test_losers_are_shown_with_what_was_stronger(capsys):
    undo = [
        lect.register(Family("by-word", Rule("* 7", CHATML))),
        lect.register(Family("longer", Rule("acme 7", CHATML))),
        lect.register(Family("silent", Rule("other", CHATML))),
    ]
    assert results(why_json(capsys, "acme-7b")) == {
        "longer": ("won", "the name fits 'acme 7'"),
        "acme": ("lost", "'acme-7' is longer than 'acme'"),
        "by-word": ("lost", "NAME is stronger than TOKEN"),
        "silent": ("no claim", ""),
    }
    for each in undo:
        each()


def test_an_equal_claim_with_the_same_format_is_shown_as_equal(capsys):
    undo = lect.register(Family("twin", Rule("acme", ACME)))
    assert results(why_json(capsys, "acme-7b"))["twin"] == ("equal", "as strong, and the same format")
    undo()


def test_a_tie_is_shown_before_the_error(capsys):
    undo = lect.register(Family("rival", Rule("acme", CHATML)))
    assert why("acme-7b") == 1
    out, err = capsys.readouterr()
    assert "acme (registered in this process)   NAME 'acme'  tied" in out
    assert "rival (registered in this process)  NAME 'acme'  tied" in out
    assert err.startswith("lect: 'acme-7b' is claimed equally (NAME, 4 characters) by acme and rival\n")
    undo()


def test_an_unknown_model_is_shown_with_everything_considered_before_the_error(capsys):
    assert why("nobody/knows-it") == 1
    out, err = capsys.readouterr()
    assert out == (
        "nobody/knows-it\n  words  knows it\n\nconsidered\n  adapter                            claim  result    why\n"
        "  acme (registered in this process)  -      no claim\n"
    )
    assert err.startswith("lect: no installed adapter recognises 'nobody/knows-it'\n")


def test_json_of_an_unknown_model_carries_the_error_and_what_to_install(capsys):
    data = why_json(capsys, "qwen-7b", code=1)
    assert (data["adapter"], data["template"]) == (None, None)
    assert (data["error"]["type"], data["error"]["install"]) == ("UnknownModelError", "lect-qwen")


def test_a_path_that_names_no_model_is_only_an_error(capsys):
    assert why("https://example.com/model") == 1
    assert capsys.readouterr().out == ""


def test_an_argument_overrules_every_claim(capsys):
    data = why_json(capsys, "acme-7b", "--adapter", "chatml")
    assert data["template"]["name"] == "chatml"
    assert results(data) == {"acme": ("overruled", "by the adapter argument")}


def test_an_argument_that_names_nothing_is_only_an_error(capsys):
    assert why("acme-7b", "--adapter", "nonsense") == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("lect: no template or adapter is called 'nonsense'")


def test_pins_are_shown_and_the_one_that_decides_is_marked(capsys):
    undo = [lect.pin("other/*", "acme"), lect.pin("acme/*", "chatml")]
    assert why("acme/acme-7b") == 0
    out = capsys.readouterr().out
    assert out.endswith("\npins\n  acme/*=chatml (lect.pin())  decides\n  other/*=acme (lect.pin())\n")
    assert "overruled  by the pin acme/*=chatml (lect.pin())" in out
    for each in undo:
        each()


def test_a_pinned_adapter_wins_by_the_pin(capsys):
    undo = lect.pin("acme/*", "acme")
    assert results(why_json(capsys, "acme/acme-7b")) == {"acme": ("won", "by the pin acme/*=acme (lect.pin())")}
    undo()


def test_a_base_model_is_shown_as_one(capsys):
    undo = lect.register(Family("base", Rule("base", DEFAULT, kind="base")))
    assert why("base-7b") == 0
    out = capsys.readouterr().out
    assert "kind        base: not trained to chat\n" in out
    assert "separators  plain text: nothing can protect a prompt against a user who writes them\n" in out
    undo()


def test_the_reply_format_is_shown(capsys):
    for name, reply in (("shop", Grammar("shop-words")), ("own", Grammar("own-words"))):
        lect.register(
            Family(name, Rule(name, TurnTemplate(name, user=Turn("<user>"), assistant=Turn("<bot>"), reply=reply)))
        )
    assert why("shop-7b") == 0
    assert "  replies     shop-words\n" in capsys.readouterr().out
    assert why_json(capsys, "own-7b")["template"]["reply"] == "own-words"
    assert why_json(capsys, "acme-7b")["template"]["reply"] == ""


@pytest.mark.usefixtures("broken")
def test_a_failure_is_shown_in_its_place_and_not_as_a_warning(capsys):
    assert why("acme-7b") == 0
    assert capsys.readouterr().out.endswith("\nfailed\n  broken: match: RuntimeError: closed\\x1b[2J\n")


def test_the_warning_about_an_imitated_owner_is_among_the_facts(capsys):
    assert why("meta-Ilama/acme-7b") == 0
    out, err = capsys.readouterr()
    assert "  warning     the owner 'meta-Ilama' looks like 'meta-llama' but differs" in out
    assert not err


def test_adapters_that_were_not_asked_are_shown_with_the_reason(site, monkeypatch, capsys):
    install(site, "why-hinted", "hinted", FAMILY, hints=["shop", "store"])
    install(site, "why-fallback", "fallback", FAMILY, group="lect.fallback")
    install(site, "why-blocked", "blocked", FAMILY)
    registry = registry_of("why-hinted", "why-fallback", "why-blocked", environ={"LECT_DISABLE_PLUGINS": "blocked"})
    monkeypatch.setattr(lect, "_registry", registry)
    undo = lect.register(Family("acme", Rule("acme", ACME)))
    assert why("acme-7b") == 0
    short = capsys.readouterr().out
    assert short.endswith("won     the name fits 'acme'\n  3 not asked; --all shows why\n")
    assert "why-hinted" not in short
    assert why("acme-7b", "--all") == 0
    assert capsys.readouterr().out.endswith(
        "\nnot asked\n"
        "  blocked (why-blocked 0.1.0)    blocked: LECT_DISABLE_PLUGINS\n"
        "  fallback (why-fallback 0.1.0)  a fallback, asked only where no other adapter claims a model\n"
        "  hinted (why-hinted 0.1.0)      none of its hints occurs in the path: shop, store\n"
    )
    undo()


def test_a_fallback_that_was_asked_is_listed_as_considered(site, monkeypatch, capsys):
    install(site, "why-last", "last", FAMILY, group="lect.fallback")
    monkeypatch.setattr(lect, "_registry", registry_of("why-last"))
    data = why_json(capsys, "shop-7b")
    assert results(data) == {"last": ("won", "the name fits 'shop'")}
    assert not_asked(data) == []


def test_a_plugin_that_cannot_be_loaded_was_not_asked_because_it_failed(site, monkeypatch, capsys):
    install(site, "why-failing", "failing", "raise RuntimeError('closed')")
    monkeypatch.setattr(lect, "_registry", registry_of("why-failing"))
    data = why_json(capsys, "shop-7b", code=1)
    assert not_asked(data) == [("failing", "it failed")]
    assert data["failures"][0]["error"] == "RuntimeError: closed"


def test_a_claim_of_any_strength_is_shown(capsys):
    class Vague:
        name = "vague"

        @hookimpl
        def match(self):
            return Match(Specificity.MODEL_TYPE, "", reason="config.json says so")

        @hookimpl
        def get_template(self):
            return ACME

    undo = lect.register(Vague())
    assert why("something") == 0
    assert (
        "vague (registered in this process)  MODEL_TYPE ''  won       config.json says so\n" in capsys.readouterr().out
    )
    undo()


def test_a_history_that_changes_is_noted(capsys):
    def forgetful(chat, out):
        for index, message in enumerate(out.turns(chat.messages), start=1):
            out += "> ", message.content, "!\n" if index == len(chat.messages) else "?\n"

    lect.register(Family("forgetful", Rule("forgetful", Template("forgetful", forgetful, text_separators=True))))
    assert why("forgetful-7b") == 0
    assert "history     history does not show an answer as the model writes it" in capsys.readouterr().out
    assert why_json(capsys, "forgetful-7b")["template"]["prefix_stable"] is False
    assert why_json(capsys, "acme-7b")["template"]["prefix_stable"] is True


def test_the_revisions_of_a_template_are_listed(capsys):
    revisions = {"acme-2025": "2025-03-01", "acme": "2026-03-01"}
    lect.register(Family("revised", Rule("revised", ACME.but(revisions=revisions))))
    assert why("acme/revised-7b") == 0
    listed = "2 of 2, of 2026-03-01; --adapter takes another: acme-2025 (2025-03-01)"
    assert f"  revision    {listed}\n" in capsys.readouterr().out
    assert why_json(capsys, "acme/revised-7b")["template"]["revisions"] == revisions
