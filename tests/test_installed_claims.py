"""Which plugin speaks for a path, among those that are really installed."""

import re
import shlex

import pytest
from sandbox import Plugin, family

# Both claim `acme` equally with templates that differ, and `twin` with templates that do not.
ONE = family("acme-one", "one", ("acme", "acme-one", "<one>"), ("twin", "twin", "<same>"), hints=("acme", "twin"))
TWO = family("acme-two", "two", ("acme", "acme-two", "<two>"), ("twin", "twin", "<same>"), hints=("acme", "twin"))
EAST = family("acme-east", "acme", ("acme", "east", "<east>"), hints=("acme",))
WEST = family("acme-west", "acme", ("acme", "west", "<west>"), hints=("acme",))

# The bare form, without hints: asked about every path.
BARE = Plugin(
    "acme-bare",
    """
from lect.plugin import CHATML, hookimpl
ASKED = []
@hookimpl
def match(model_path):
    ASKED.append(model_path)
    return "bare" in model_path
@hookimpl
def get_template():
    return CHATML
""",
    "bare",
    attribute="",
)
ZEBRA = family(
    "acme-zebra",
    "zebra",
    ("zebra", "striped", "<zebra>"),
    ("okapi", "shared", "<okapi>"),
    hints=("zebra",),
    templates=("striped", "shared"),
)
LION = family(
    "acme-lion",
    "lion",
    ("lion", "maned", "<lion>"),
    ("liger", "shared", "<liger>"),
    hints=("lion",),
    templates=("maned", "shared"),
)
LAST = Plugin(
    "acme-last",
    """
from lect.plugin import DEFAULT, Match, Specificity, hookimpl
ASKED = []
@hookimpl
def match(model_path, ref):
    ASKED.append(model_path)
    return Match(Specificity.REPO, ref.path) if "quagga" not in model_path else None
@hookimpl
def get_template():
    return DEFAULT
""",
    "last",
    group="lect.fallback",
    attribute="",
)
ZOO = ("acme_bare", "acme_lion", "acme_zebra", "acme_last")


@pytest.fixture(scope="session", params=[False, True], ids=["in order", "reversed"])
def rivals(request, sandbox):
    return sandbox.environment(*([TWO, ONE] if request.param else [ONE, TWO]), one_by_one=True)


@pytest.fixture(scope="session")
def zoo(sandbox):
    return sandbox.environment(BARE, ZEBRA, LION, LAST)


def test_equal_claims_to_different_templates_are_an_error_with_all_details(rivals):
    error = rivals.ask("answer = raised(lect.get_conversation_template, 'acme/acme-7b')")
    assert error["type"] == "AmbiguousModelError"
    assert error["claimants"] == ["acme-one:one", "acme-two:two"]
    assert error["text"] == (
        "'acme/acme-7b' is claimed equally (NAME, 4 characters) by acme-one:one and acme-two:two\n"
        "  the templates differ first in a question: at character 1, 'one>What is 6 times 7?A' / 'two>What is 6 times 7?A'\n"
        "  try: LECT_PINS='acme/acme-7b=acme-two:two'\n"
        "   or: lect.pin('acme/acme-7b', 'acme-two:two')"
    )


# The last has characters that are special to a glob, a list of pins, or a shell.
@pytest.mark.parametrize(
    "path", ["acme/acme-7b", "acme-7b", "/data/acme-7b", "C:\\models\\acme-7b", "acme/acme-[7b]*?;x=y'z q"]
)
def test_the_pin_lines_of_the_error_work_as_they_are_printed(sandbox, path):
    rivals = sandbox.environment(ONE, TWO, one_by_one=True)
    text = rivals.ask(f"answer = raised(lect.resolve, {path!r})")["text"]
    setting, call = re.search(r"try: (LECT_PINS=.*)\n   or: (lect\.pin.*)$", text).groups()
    (assignment,) = shlex.split(setting)
    variable, _, value = assignment.partition("=")
    resolved = f"answer = lect.resolve({path!r}).adapter.id"
    assert rivals.ask(resolved, **{variable: value}) == "acme-two:two"
    assert rivals.ask(f"{call}\n{resolved}") == "acme-two:two"


def test_equal_claims_to_equal_templates_are_no_error(rivals):
    answer, stderr = rivals.run("answer = lect.resolve('acme/twin-7b').adapter.id")
    assert (answer, stderr) == ("acme-one:one", "")


def test_the_listing_does_not_depend_on_the_order_of_installation(rivals):
    assert rivals.ask(
        "answer = [(info.name, info.package, info.version, info.hints, info.status) for info in lect.plugins()]"
    ) == [
        ["one", "acme-one", "0.1.0", ["acme", "twin"], "lazy"],
        ["two", "acme-two", "0.1.0", ["acme", "twin"], "lazy"],
    ]


def test_a_registered_adapter_that_ties_with_an_installed_namesake_can_be_pinned(rivals):
    answer = rivals.ask("""
from lect.plugin import CHATML, Family, Rule
lect.register(Family("one", Rule("acme", CHATML)))
error = raised(lect.resolve, "acme/acme-7b")
lect.pin("acme/*", "one")
answer = [error["claimants"], lect.resolve("acme/acme-7b").template.name, lect.resolve("acme/acme-7b", adapter="acme-one:one").template.name]
""")
    assert answer == [["acme-one:one", "acme-two:two", "one"], "chatml", "acme-one"]


@pytest.fixture(scope="session")
def namesakes(sandbox):
    return sandbox.environment(EAST, WEST)


@pytest.mark.parametrize("package", ["acme-east", "acme-west", "Acme_West"])
def test_plugins_with_the_same_name_are_usable_by_package_name(namesakes, package):
    direction = package[-4:].lower()
    answer = namesakes.ask(f"""
resolution = lect.resolve("acme-7b", adapter="{package}:acme")
answer = [resolution.package, resolution.template.name, lect.get_conv_template("{package}:acme:{direction}").name]
""")
    assert answer == [f"acme-{direction}", direction, direction]


def test_a_short_name_shared_by_two_plugins_is_an_error_that_names_both(namesakes):
    error = namesakes.ask("answer = raised(lect.resolve, 'acme-7b', adapter='acme')")
    assert (error["type"], error["claimants"]) == ("AmbiguousModelError", ["acme-east:acme", "acme-west:acme"])
    assert error["text"] == "'acme' is the name of several: acme-east:acme, acme-west:acme\n  try: 'acme-east:acme'"


def test_a_template_that_only_one_of_two_namesakes_has_is_found_by_its_short_name(namesakes):
    assert namesakes.ask("answer = [lect.get_conv_template(name).name for name in ('acme:east', 'acme:west')]") == [
        "east",
        "west",
    ]


def test_the_bare_form_of_a_plugin_works(zoo):
    answer = zoo.ask("""
resolution = lect.resolve("somebody/bare-7b")
answer = [resolution.adapter.id, resolution.template.name, resolution.specificity.name, resolution.reason]
""")
    assert answer == ["acme-bare:bare", "chatml", "FAMILY", "match() returned True"]


def test_a_plugin_without_hints_is_asked_about_every_path_and_marked_eager(zoo):
    answer = zoo.ask("""
before = status("bare")
lect.resolve("x/zebra-1b")
lect.resolve("x/lion-1b")
answer = [before, status("bare"), sys.modules["acme_bare"].ASKED]
""")
    assert answer == ["eager", "loaded", ["x/zebra-1b", "x/lion-1b"]]


def test_a_plugin_with_hints_is_not_imported_for_other_paths(zoo):
    answer = zoo.ask(f"""
lect.resolve("x/zebra-1b")
answer = [imported(*{ZOO}), status("zebra"), status("lion")]
""")
    assert answer == [["acme_bare", "acme_zebra"], "loaded", "lazy"]


def test_neither_importing_nor_listing_imports_a_plugin(zoo):
    assert zoo.ask(f"lect.plugins()\nanswer = imported(*{ZOO})") == []


def test_a_fallback_is_asked_only_when_no_other_has_matched(zoo):
    answer = zoo.ask("""
known = lect.resolve("x/zebra-1b").adapter.id
before = imported("acme_last")
unknown = lect.resolve("x/okapia-1b")
answer = [known, before, unknown.adapter.id, unknown.adapter.fallback, sys.modules["acme_last"].ASKED]
""")
    assert answer == ["acme-zebra:zebra", [], "acme-last:last", True, ["x/okapia-1b"]]


def test_a_fallback_that_makes_no_claim_is_listed_as_considered(zoo):
    error = zoo.ask("answer = raised(lect.resolve, 'x/quagga-1b')")
    assert error["type"] == "UnknownModelError"
    assert "considered: bare (acme-bare 0.1.0), last (acme-last 0.1.0)\n" in error["text"]


def test_a_template_is_found_by_name_and_only_its_plugin_is_imported(zoo):
    assert zoo.ask(f"answer = [lect.get_conv_template('striped').name, imported(*{ZOO})]") == [
        "striped",
        ["acme_zebra"],
    ]


def test_a_template_name_with_two_owners_is_an_error_whose_advice_works(zoo):
    error = zoo.ask("answer = raised(lect.get_conv_template, 'shared')")
    assert (error["type"], error["claimants"]) == (
        "AmbiguousModelError",
        ["acme-lion:lion:shared", "acme-zebra:zebra:shared"],
    )
    name = error["text"].partition("try: ")[2]
    assert zoo.ask(f"answer = lect.get_conv_template({name}).get_prompt()") == ""
    assert zoo.ask("answer = lect.get_conv_template('zebra:shared').name") == "shared"
