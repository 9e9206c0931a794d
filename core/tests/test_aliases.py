"""The hook `alias`: names that stand for a model of a hub, and names with a tag."""

import pytest
from installs import install, registry_of

import lect
from lect import AmbiguousModelError, UnknownModelError
from lect.errors import PluginWarning
from lect.plugin import CHATML, DEFAULT, Family, Match, Rule, Specificity, hookimpl

FAMILY = Family("acme", Rule("acme 2 # b instruct", CHATML), Rule("acme 2 # b", DEFAULT, kind="base"))
TABLE = """
from lect.plugin import hookimpl
class Table:
    @hookimpl
    def alias(self, ref):
        return "acme/Acme-2-7B-Instruct" if (ref.name, ref.tag) == ("acme2", None) else None
adapter = Table()
"""

pytestmark = pytest.mark.usefixtures("registry")


class Table:
    """An adapter that has names alone."""

    def __init__(self, **names):
        self.names = names

    @hookimpl
    def alias(self, ref):
        return self.names.get(ref.name if ref.tag is None else f"{ref.name}_{ref.tag}")


def register(*adapters):
    for index, adapter in enumerate(adapters):
        lect.register(adapter, name=f"adapter{index}")


def test_a_name_stands_for_the_model_that_its_alias_says():
    register(FAMILY, Table(acme2_7b="acme/Acme-2-7B-Instruct", acme2_text="acme/Acme-2-7B"))
    found = lect.resolve("acme2:7b")
    assert (found.template, found.kind, found.adapter.name) == (CHATML, "chat", "adapter0")
    assert (found.ref.original, found.ref.path, found.ref.alias) == ("acme2:7b", "acme/Acme-2-7B-Instruct", "adapter1")
    assert found.reason.endswith("adapter1 says that it is acme/Acme-2-7B-Instruct")
    assert lect.resolve("acme2:text").kind == "base"
    assert lect.resolve("acme2:7b", adapter="adapter0").template is CHATML


def test_without_an_alias_a_name_with_a_tag_is_unknown_and_the_error_names_the_package():
    register(FAMILY)
    with pytest.raises(UnknownModelError, match="pip install lect-ollama") as caught:
        lect.resolve("acme2:7b")
    assert caught.value.install == "lect-ollama"


def test_an_alias_of_a_model_that_nobody_knows_is_an_error_that_says_which_it_is():
    register(Table(acme2_7b="strange/model"))
    with pytest.raises(UnknownModelError, match=r"'acme2:7b'\n  it is strange/model, says adapter0"):
        lect.resolve("acme2:7b")


def test_a_pin_of_the_model_or_of_the_name_decides():
    register(Table(acme2="acme/Acme-2-7B-Instruct"))
    with lect.pin("acme/*", "chatml"):
        assert lect.resolve("acme2").template is CHATML
    with lect.pin("acme2", "default"):
        assert lect.resolve("acme2").template is DEFAULT


@pytest.mark.parametrize("wrong", ["acme2", "acme/Acme-2-7B:7b", "./acme", "hf.co/acme/Acme-2-7B", "", 5, True])
def test_an_alias_that_is_no_model_of_a_hub_is_a_failure_of_its_adapter(wrong):
    register(FAMILY, Table(acme2=wrong))
    with pytest.warns(PluginWarning, match="adapter1"), pytest.raises(UnknownModelError, match="failed: adapter1"):
        lect.resolve("acme2")


def test_two_adapters_that_disagree_are_an_error_whatever_their_order():
    one, other = Table(acme2="acme/Acme-2-7B-Instruct"), Table(acme2="acme/Acme-2-7B")
    register(FAMILY, one, other)
    with pytest.raises(AmbiguousModelError, match="'acme2' is the name of several: acme/Acme-2-7B") as caught:
        lect.resolve("acme2")
    assert sorted(caught.value.claimants) == ["acme/Acme-2-7B", "acme/Acme-2-7B-Instruct"]


def test_an_adapter_may_claim_a_name_by_its_tag():
    class Tagged:
        @hookimpl
        def match(self, ref):
            return Match(Specificity.NAME, "mine") if (ref.name, ref.tag) == ("mine", "7b") else None

        @hookimpl
        def get_template(self):
            return CHATML

    register(Tagged())
    assert lect.resolve("mine:7b").template is CHATML


def test_a_stronger_claim_that_there_is_no_format_decides():
    class Unsettled:
        @hookimpl
        def match(self, ref):
            return Match(Specificity.REPO, ref.path, "", "none", "nobody can tell")

        @hookimpl
        def get_template(self):
            raise NotImplementedError

    register(FAMILY, Unsettled())
    with pytest.raises(UnknownModelError, match="has no format for it: nobody can tell") as caught:
        lect.resolve("acme-2-7b-instruct")
    assert {each.adapter: each.outcome for each in caught.value.candidates} == {
        "adapter1": "no format",
        "adapter0": "lost",
    }


def test_an_adapter_with_the_hint_of_names_is_not_imported_for_the_model_of_a_hub(site):
    install(site, "lect-table", "table", TABLE, hints=[":"])
    registry = registry_of("lect-table")
    statuses = []
    for path in ("acme/acme2", "/models/acme2", "acme/acme2:7b"):
        with pytest.raises(UnknownModelError):
            registry.resolve(path)
        statuses.append(registry.adapters.plugins()[0].status)
    assert statuses == ["lazy", "lazy", "loaded"]
    with pytest.raises(UnknownModelError, match="it is acme/Acme-2-7B-Instruct, says lect-table:table"):
        registry.resolve("acme2")
