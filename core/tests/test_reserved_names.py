"""Names that belong to packages of this project, in a third-party package."""

import warnings

import pytest
from installs import install, registry_of

from lect.errors import ModelPathWarning
from lect.registry.cautions import reserved_names
from lect.registry.discover import Record

SHOP = """
from lect.plugin import Family, Rule, Turn, TurnTemplate
adapter = Family("shop", Rule("shop", TurnTemplate("shop", user=Turn("U"), assistant=Turn("A"))))
"""


@pytest.mark.parametrize(
    ("plugin", "hints", "templates", "names"),
    [
        ("qwen", ["shop"], ["shop"], "the name 'qwen' (lect-qwen)"),
        ("shop", ["shop", "llama"], ["shop"], "the name 'llama' (lect-llama)"),
        ("shop", ["shop"], ["shop", "qwen2.5"], "the name 'qwen2.5' (lect-qwen)"),
        ("jinja", ["shop", "yi"], ["shop"], "the names 'jinja' (lect-jinja), 'yi' (lect-yi)"),
    ],
)
def test_a_plugin_that_uses_them_is_warned_about_when_it_answers(site, plugin, hints, templates, names):
    install(site, "thief-shop", plugin, SHOP, hints=hints, templates=templates)
    registry = registry_of("thief-shop")
    with pytest.warns(ModelPathWarning) as caught:
        resolution = registry.resolve("shop-7b")
    expected = (
        f"thief-shop:{plugin} uses {names} of another package; LECT_DISABLE_PLUGINS=thief-shop:{plugin} blocks it"
    )
    assert [str(each.message) for each in caught] == [expected]
    assert resolution.warnings == (expected,)


def test_the_package_itself_may_use_its_names():
    record = Record("lect-qwen", "0.1.0", "qwen", "lect_qwen:adapter", ("qwen",), ("qwen2.5",))
    assert reserved_names(record) == ""
    assert reserved_names(record._replace(package="lect-qwen-chat"))


def test_other_names_and_those_that_a_fallback_knows_are_free(site):
    # FastChat's plugin has a template 'mpt-7b-chat', but its maker may have a better one.
    install(site, "thief-honest", "shop", SHOP, hints=["shop", "my-llama", "mpt"], templates=["shop", "mpt-7b-chat"])
    assert registry_of("thief-honest").resolve("shop-7b").warnings == ()


def test_an_explicit_choice_of_such_a_plugin_comes_without_a_warning(site):
    install(site, "thief-pinned", "qwen", SHOP, hints=["shop"])
    registry = registry_of("thief-pinned", environ={"LECT_PINS": "shop*=thief-pinned:qwen"})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert registry.resolve("shop-7b").warnings == ()
        assert registry.resolve("store-7b", adapter="qwen").warnings == ()


def test_the_warning_is_shown_once_for_each_line_of_a_program(site):
    install(site, "thief-often", "qwen", SHOP, hints=["shop"])
    registry = registry_of("thief-often")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for size in range(10):
            registry.resolve(f"shop-{size}b")
    assert len(caught) == 1
