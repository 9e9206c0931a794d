"""What is on disk takes precedence over names: the group `lect.paths`."""

from pathlib import Path

import pytest
from installs import install, registry_of

import lect
from lect import SourceError, UnknownModelError
from lect.errors import ModelPathWarning
from lect.registry.refs import parse_ref

READER = """
import os
from lect import SourceError
from lect.plugin import CHATML, Match, Specificity, hookimpl

class Reader:
    @hookimpl
    def match(self, ref):
        if os.path.isfile(os.path.join(ref.place, "own")):
            return Match(Specificity.REPO, ref.path, reason="it has its own")

    @hookimpl
    def near_miss(self, ref):
        return "it has no file called own"

    @hookimpl
    def get_template(self, ref):
        with open(os.path.join(ref.place, "own")) as file:
            text = file.read()
        if not text:
            raise SourceError("own is empty")
        return CHATML.but(name=text)

adapter = Reader()
"""
FAMILY = """
from lect.plugin import Family, Rule, Turn, TurnTemplate
adapter = Family("acme", Rule("acme", TurnTemplate("by-name", user=Turn("U", ""), assistant=Turn("A", ""))))
"""


@pytest.fixture
def model(site, monkeypatch):
    """The directory of a model whose name a family knows."""
    install(site, "places-reader", "reader", READER, group="lect.paths")
    install(site, "places-acme", "acme", FAMILY)
    monkeypatch.setattr(lect, "_registry", registry_of("places-reader", "places-acme"))
    directory = site / "acme"
    directory.mkdir()
    monkeypatch.chdir(site)
    return directory


def test_the_error_says_what_is_wrong_with_a_path(model):
    with pytest.raises(UnknownModelError, match=r"\n  reader: it has no file called own\n"):
        lect.resolve("./nothing")
    with pytest.raises(UnknownModelError) as caught:
        lect.resolve("nothing")
    assert "called own" not in str(caught.value)


def test_the_contents_of_a_directory_take_precedence_over_its_name(model):
    assert lect.resolve(model).template.name == "by-name"
    (model / "own").write_text("first")
    resolution = lect.resolve(model)
    assert (resolution.template.name, resolution.reason) == ("first", "it has its own")
    for path in (str(model), "./acme", f"../{model.parent.name}/acme", Path("acme")):
        assert lect.resolve(path).template.name == "first"


def test_what_is_on_disk_may_change(model):
    for text in ("first", "second"):
        (model / "own").write_text(text)
        assert lect.resolve("./acme").template.name == text


def test_an_owner_and_a_name_never_touch_the_disk(model):
    (model / "own").write_text("first")
    assert lect.resolve("acme").template.name == "by-name"
    assert lect.resolve("x/acme").template.name == "by-name"


def test_an_adapter_that_reads_the_disk_is_not_asked_about_names_and_the_verdict_says_so(model):
    verdicts = {verdict.adapter: verdict for verdict in lect.resolve("x/acme").candidates}
    assert (verdicts["reader"].outcome, verdicts["reader"].why) == (
        "not asked",
        "asked only about a directory or a file",
    )


def test_a_pin_and_an_argument_take_precedence_over_the_disk(model):
    (model / "own").write_text("first")
    assert lect.resolve("./acme", adapter="acme").template.name == "by-name"
    with lect.pin("acme", "chatml"):
        assert lect.resolve("./acme").template.name == "chatml"


def test_what_is_wrong_with_a_directory_is_not_blamed_on_the_plugin(model):
    (model / "own").write_text("")
    with pytest.raises(SourceError, match="own is empty"):
        lect.resolve("./acme")
    assert not any(plugin.failures for plugin in lect.plugins())


@pytest.mark.parametrize("name", ["chat_template.jinja", "tokenizer_config.json"])
@pytest.mark.parametrize("template", ["", "#tool_use"])
def test_a_template_that_nothing_reads_is_an_error_that_says_what_to_install(registry, tmp_path, name, template):
    (tmp_path / name).write_text("x")
    with pytest.raises(UnknownModelError, match="may hold the model's own template") as raised:
        lect.resolve(f"{tmp_path}{template}")
    assert raised.value.install == "lect-jinja"
    assert "try: pip install lect-jinja" in str(raised.value)


def test_a_name_that_a_family_knows_is_resolved_with_a_warning(site, monkeypatch):
    install(site, "places-alone", "acme", FAMILY)
    monkeypatch.setattr(lect, "_registry", registry_of("places-alone"))
    (site / "acme").mkdir()
    assert lect.resolve(site / "acme").warnings == ()
    (site / "acme" / "chat_template.jinja").write_text("x")
    with pytest.warns(ModelPathWarning, match=r"chat_template\.jinja' may hold the model's own template"):
        assert lect.resolve(site / "acme").template.name == "by-name"


def test_the_error_for_an_unknown_bare_name_suggests_a_directory(registry):
    with pytest.raises(UnknownModelError, match=r"'\./checkpoint-500', if it is a directory or a file"):
        lect.resolve("checkpoint-500")


@pytest.mark.parametrize(
    "path", ["/m/x", "./x", "../x", "~/x", "C:\\m\\x", "c:/x", ".\\x", Path("x"), Path("a/x")], ids=str
)
def test_an_obvious_path_has_a_place(path):
    assert parse_ref(path).place


@pytest.mark.parametrize("path", ["x", "a/x", "a/b/x", "~x", ".x", "\\\\server\\x", "a/x@main"])
def test_any_other_path_has_no_place(path):
    assert parse_ref(path).place is None


@pytest.mark.parametrize("share", ["//host/share/acme", "/\\host\\acme", "\\\\host\\share\\acme", "\\/host/acme"])
def test_a_network_share_is_never_looked_at(model, share):
    assert parse_ref(share).place is None
    assert lect.resolve(share).template.name == "by-name"
