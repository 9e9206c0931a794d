"""The documentation is true and complete: its examples run, and its reference pages leave nothing out."""

import importlib
import importlib.metadata
import inspect
import json
import re
import tomllib

import make_api
import make_architecture
import make_gallery
import make_metadata
import pages
import pytest
from overlay import overlay
from packaging.requirements import Requirement
from repository import PACKAGES, folder
from sampling import in_turn
from together import together

import lect.addon
import lect.errors
import lect.plugin
import lect_fastchat
from lect.cli import COMMANDS, installed
from lect.facts import Facts
from lect.plugin import CHATML, DEFAULT
from lect.prompt.messages import PART_WORDS
from lect.registry import advice, hookspecs, patterns, settings
from lect.registry.words import meaning
from lect.reports import Verdict
from lect.tokens.encoded import Report
from lect_kit import AdapterSuite

REFERENCE = pages.DOCS / "reference"
# The tutorial needs the package that it writes: test_tutorial.py follows it where that is installed.
TUTORIAL = pages.DOCS / "tutorial" / "first-adapter.md"
PAGES = [page for page in pages.all_pages() if page != TUTORIAL]
WITH_PYTHON = [page for page in PAGES if pages.python_examples(page)]
WITH_COMMANDS = [page for page in PAGES if pages.console_examples(page)]
READMES = ["README.md", "README.zh-CN.md"]
HOME = tomllib.loads((pages.REPOSITORY / "core/pyproject.toml").read_text("utf-8"))["project"]["urls"]["Homepage"]
FILES = f"{HOME}/blob/main/"
"""The address of this repository's files, for READMEs that are read outside it."""
# The others are only reply formats, notations or addons: they have no prompts.
FAMILIES = [name for name in PACKAGES if '"lect.templates"' in (folder(name) / "pyproject.toml").read_text("utf-8")]
GALLERY = [pages.DOCS / "gallery" / f"{name}.md" for name in ("index", *FAMILIES)]

every_family = pytest.mark.parametrize("name", FAMILIES)
# FastChat has no rules: its own adapters decide, and its templates are all of one kind.
every_family_with_rules = pytest.mark.parametrize("name", [name for name in FAMILIES if name != "fastchat"])


def check(page, example, printed):
    if example.printed is not None and not pages.fits(printed, example.printed):
        # Compare again so that pytest shows the difference.
        assert printed.rstrip("\n") == example.printed.rstrip("\n"), f"{pages.name(page)}, line {example.line}"


@pytest.fixture(scope="session")
def programs(tmp_path_factory):
    """Return a function that gives the folder of programs with just the packages that a page says it needs."""
    made = {}

    def programs(page):
        names = tuple(filter(is_installed, pages.needed(page)))
        if names not in made:
            made[names] = overlay(tmp_path_factory.mktemp("environment") / "it", names)
        return made[names]

    return programs


def is_installed(name):
    """Return whether a package is here: others are for the blocks that tests/integrations/test_heavy_pages.py runs."""
    return next(importlib.metadata.distributions(name=Requirement(name).name), None) is not None


@pytest.mark.parametrize("page", in_turn(WITH_PYTHON, 3), ids=pages.name)
def test_python_prints_what_the_page_says(page, tmp_path, programs):
    examples = pages.python_examples(page)
    pages.write_files(page, tmp_path)
    printed = pages.run_program(examples, tmp_path, programs(page) / "python")
    for example, each in zip(examples, printed, strict=True):
        check(page, example, each)


@pytest.mark.parametrize("page", in_turn(WITH_COMMANDS, 3), ids=pages.name)
def test_commands_print_what_the_page_says(page, tmp_path, programs):
    pages.write_files(page, tmp_path)
    for example in pages.console_examples(page):
        check(page, example, pages.run_example(example, tmp_path, programs(page)))


def unexplained(page):
    """Return what no test runs of a page, and what no table explains."""
    for block in pages.read_blocks(page):
        if block.language in ("shell", "sh"):
            for command in block.text.splitlines():
                if not pages.INSTALL.match(command) and not command.startswith(tuple(pages.NOT_RUN)):
                    yield f"line {block.line}: {command}"
        elif block.language not in pages.SHOWN and block.language not in RUN:
            yield f"line {block.line}: a block of the language {block.language}"


RUN = {"python", "console", "py", "shell-session"}
"""Languages of blocks that are run: the last two by tests/integrations/test_heavy_pages.py."""


@together("page", pages.all_pages(), ids=pages.name)
def test_every_block_of_a_page_is_run_or_it_is_said_why_not(page):
    assert list(unexplained(page)) == [], (
        "make it a `console` block, or say in tests/support/pages.py why it is not run"
    )


def test_only_what_is_on_a_page_is_explained():
    shown = "\n".join(block.text for page in pages.all_pages() for block in pages.read_blocks(page))
    assert [command for command in pages.NOT_RUN if command not in shown] == []
    heavy = {"py", "shell-session"}
    for name in pages.ELSEWHERE:
        assert heavy & {block.language for block in pages.read_blocks(pages.REPOSITORY / name)}


TEACHING = re.compile("(?:how-to|tutorial|explanation|reference)/[^/]+$")


@together("page", [page for page in PAGES if page.is_relative_to(pages.DOCS)], ids=pages.name)
def test_a_page_with_examples_says_at_its_top_what_to_install_now_and_once_it_is_published(page):
    blocks = [block for block in pages.read_blocks(page) if block.language not in ("text", "toml", "jinja", "")]
    name = page.relative_to(pages.DOCS).as_posix()
    if TEACHING.match(name) and any(block.language in ("python", "py", "console", "shell-session") for block in blocks):
        assert blocks[0].language == "shell"
        assert re.search(
            r"pip install \./core.*  # once published: pip install \S*lect|\.venv/bin/activate", blocks[0].text
        )


@together("page", pages.all_pages(), ids=pages.name)
def test_links_lead_somewhere(page):
    prose = pages.BLOCK.sub("", page.read_text("utf-8"))
    for target in re.findall(r"\]\(([^)#\s]+)", prose):
        ours = pages.REPOSITORY / target.removeprefix(FILES) if target.startswith(FILES) else page.parent / target
        assert ours.exists() or (target.startswith("https://") and FILES not in target), target


@together("page", [*pages.all_pages(), *pages.REPOSITORY.glob(".github/**/*.yml")], ids=pages.name)
def test_the_project_has_one_address(page):
    assert set(re.findall(r"https://[^\s)]+/lect\b(?!-)", page.read_text("utf-8"))) <= {HOME}


@together("page", pages.all_pages(), ids=pages.name)
def test_packages_to_install_from_a_path_exist(page):
    for block in pages.read_blocks(page):
        if block.language == "shell":
            for path in re.findall(r"(?<= )\./(?!(?:plugins|addons)/(?:\*|NAME)\s)\S+", block.text):
                assert (pages.REPOSITORY / path / "pyproject.toml").exists(), path


@together("page", pages.all_pages(), ids=pages.name)
def test_packages_are_installed_from_paths_with_those_that_they_need(page):
    code = "".join(block.text for block in pages.read_blocks(page) if block.language == "shell")
    for command in filter(None, map(pages.INSTALL.search, code.splitlines())):
        named = set(re.findall(r"\./(?:plugins|addons)/(\w+)", command[1])) & set(PACKAGES)
        assert all(set(needs_of(name)) <= named for name in named), command[1]


def needs_of(name):
    """Return the packages of this repository that one of them needs."""
    return re.findall(r"lect-(\w+)", " ".join(make_metadata.project(name)["project"]["dependencies"]))


@pytest.mark.parametrize(("page", "words"), [("reference", (" and ", "needs?")), ("zh-CN", (" 和 ", "依赖"))])
def test_the_page_of_packages_says_which_need_others(page, words):
    joined, need = words
    names = rf"`\w+`(?:{joined}`\w+`)*"
    sentences = re.findall(rf"({names}) {need} ({names})", (pages.DOCS / page / "packages.md").read_text("utf-8"))
    said = {
        name: re.findall(r"\w+", needs.replace(joined, " "))
        for names, needs in sentences
        for name in re.findall(r"`(\w+)`", names)
    }
    assert said == {name: needs_of(name) for name in PACKAGES if needs_of(name)}


def test_the_help_of_every_command_is_documented():
    # What it prints is compared with the page as that of any other command.
    shown = {example.code for example in pages.console_examples(REFERENCE / "command-line.md") if example.printed}
    names = ["lect", *(f"lect {name}" for name in (*COMMANDS, *installed.names()))]
    assert {f"{name} --help" for name in names} <= shown


# Its own links are where to go next.
ENDED = [page for page in pages.all_pages() if pages.DOCS in page.parents and page.name != "index.md"]
NEXT = re.compile(r"^(?:## Where to go next\n|Where to go next: |接下来：)(.+)\Z", re.DOTALL | re.MULTILINE)


@together("page", ENDED, ids=pages.name)
def test_a_page_ends_with_where_to_go_next(page):
    found = NEXT.search(page.read_text("utf-8"))
    assert found, "no last paragraph or section `Where to go next`"
    assert re.search(r"\]\((?!https)[^)#]+\.md[)#]", found[1])
    assert not re.search(r"^(?:#|```|\|)", found[1], re.MULTILINE), "something follows it"


def public_functions():
    """Return every public function of lect and of the packages that have a module of functions for users."""
    modules = [name for name in make_api.MODULES if not name.startswith(("lect.addon", "lect.plugin", "lect.errors"))]
    return [
        f"{module}.{name}"
        for module in modules
        for name in importlib.import_module(module).__all__
        if inspect.isroutine(getattr(importlib.import_module(module), name))
    ]


@pytest.mark.parametrize("name", public_functions())
def test_every_public_function_is_on_the_map(name):
    # The functions of lect-rows are called through lect.
    name = name.replace("lect_rows.", "lect.")
    assert f"`{name}(" in (REFERENCE / "which-function.md").read_text("utf-8")


def test_the_map_leads_only_to_what_exists():
    page = (REFERENCE / "which-function.md").read_text("utf-8")
    for module, name in re.findall(r"`(lect(?:_\w+)?)\.(\w+)", page):
        assert hasattr(importlib.import_module(module), name), f"{module}.{name}"
    for path, anchor in re.findall(r"\]\((api/\S+?\.md)#(\S+?)\)", page):
        headings = re.findall(r"^#+ (.+)$", (REFERENCE / path).read_text("utf-8"), re.MULTILINE)
        assert anchor in {heading.lower().replace(" ", "-") for heading in headings}, f"{path}#{anchor}"


def test_the_landing_page_lists_the_pages_as_the_toctrees_do():
    text = (pages.DOCS / "index.md").read_text("utf-8")
    tables = {
        heading: re.findall(r"\]\((\S+)\.md\) \|$", rows, re.MULTILINE)
        for heading, rows in re.findall(r"^## (.+)\n((?:(?!## |```).*\n)+)", text, re.MULTILINE)
    }
    trees = {
        caption: names.split()
        for caption, names in re.findall(
            r"^```\{toctree\}\n:hidden:\n:caption: (.+)\n((?:.*\n)*?)```", text, re.MULTILINE
        )
    }
    assert tables == {caption: names for caption, names in trees.items() if caption != "中文"}


@pytest.mark.parametrize("page", sorted((pages.DOCS / "zh-CN").iterdir()), ids=pages.name)
def test_a_translated_page_has_the_blocks_of_its_original(page):
    (original,) = (path for folder in ("how-to", "reference") if (path := pages.DOCS / folder / page.name).exists())
    assert [block[1:] for block in pages.read_blocks(page)] == [block[1:] for block in pages.read_blocks(original)]


@pytest.mark.parametrize("readme", READMES)
def test_the_pictures_of_a_readme_exist(readme):
    shown = re.findall(r'(?:src|srcset)="([^"]+)"', (pages.REPOSITORY / readme).read_text("utf-8"))
    assert len(shown) == 4, "a prompt and a session, each in light and dark"
    assert all((pages.REPOSITORY / path).read_bytes().startswith(b"\x89PNG") for path in shown)


def test_the_chinese_readme_has_the_parts_of_the_readme():
    parts = [
        re.findall(r"^(?:#+ |```\S+$|<!-- .* -->$)", (pages.REPOSITORY / readme).read_text("utf-8"), re.MULTILINE)
        for readme in READMES
    ]
    assert parts[0] == parts[1]


def hooks():
    functions = inspect.getmembers(hookspecs, inspect.isfunction)
    return {
        name: list(inspect.signature(function).parameters)
        for name, function in functions
        if hasattr(function, f"{hookspecs.PROJECT}_spec")
    }


@pytest.mark.parametrize("hook", hooks())
def test_hooks_are_documented(hook):
    assert f"\n### `{hook}({', '.join(hooks()[hook])})`\n" in (REFERENCE / "hooks.md").read_text("utf-8")


@pytest.mark.parametrize("name", ["adapter", "candidates", "fallback", "kind", "package", "parse", "pin", "reason", "ref",
                                  "remarks", "specificity", "stream", "template", "warnings"])  # fmt: skip
def test_a_resolution_is_documented(name):
    assert re.search(rf"`{name}\b", section("templates.md", "Resolution"))


def documented(values):
    """Return `(name of a value, name of a field)` for all fields, or arguments, of some values."""
    return [
        (value.__name__, field) for value in values for field in inspect.signature(value).parameters if field != "facts"
    ]


VALUES = [
    lect.Template, lect.plugin.TurnTemplate, lect.plugin.Turn, lect.Segment, lect.Control, lect.Unused, lect.Reply,
    lect.plugin.ToolCall, lect.plugin.Part, lect.plugin.Call, Verdict,
]  # fmt: skip
HOOK_VALUES = [lect.plugin.ModelRef, lect.plugin.Match, lect.plugin.Rule, lect.plugin.Family, lect.plugin.LazyTemplate]


def section(page, heading):
    """Return the part of a page under the heading of a value, up to the next heading of that level or a higher one."""
    text = pages.BLOCK.sub("", (REFERENCE / page).read_text("utf-8"))
    found = re.search(rf"^(##+) {heading}$(.*?)(?=^##+ |\Z)", text, re.DOTALL | re.MULTILINE)
    assert found, f"{page} has no section {heading}"
    return found[2]


@pytest.mark.parametrize("fact", [field for _, field in documented([Facts])])
def test_the_facts_of_a_template_are_documented(fact):
    assert f"`{fact}`" in section("templates.md", "Template")


@together(("value", "field"), documented(VALUES))
def test_the_fields_of_values_are_documented(value, field):
    assert f"`{field}`" in section("templates.md", value)


@pytest.mark.parametrize(("value", "field"), documented([lect.LossPolicy, lect.LossSpan, Report]))
def test_the_fields_of_values_for_training_are_documented(value, field):
    assert f"`{field}`" in section("tokens.md", value)


@pytest.mark.parametrize("name", [name for name in dir(lect.Encoded) if not name.startswith("_")])
def test_an_encoded_prompt_is_documented(name):
    assert re.search(rf"`{name}\b", section("tokens.md", "Encoded"))


@pytest.mark.parametrize(("value", "field"), documented(HOOK_VALUES))
def test_the_fields_of_values_that_hooks_handle_are_documented(value, field):
    assert f"`{field}`" in section("hooks.md", value)


@pytest.mark.parametrize(
    "name",
    [name for name, value in vars(lect.errors).items() if isinstance(value, type) and issubclass(value, Exception)],
)
def test_errors_and_warnings_are_documented(name):
    text = (REFERENCE / "errors.md").read_text("utf-8")
    assert f"\n## {name}\n" in text


@pytest.mark.parametrize("variable", settings.VARIABLES)
def test_variables_are_documented(variable):
    assert f"\n## `{variable}`\n" in (REFERENCE / "environment.md").read_text("utf-8")


@pytest.mark.parametrize("page", ["reference/packages.md", "zh-CN/packages.md"])
def test_every_package_is_tabled_with_a_link_to_its_formats(page):
    rows = re.findall(
        r"^\| (?:\[(\S+)\]\(\.\./gallery/\1\.md\)|(\w+)) \|", (pages.DOCS / page).read_text("utf-8"), re.MULTILINE
    )
    assert sorted(linked for linked, _ in rows if linked) == sorted(FAMILIES)
    assert sorted(linked or name for linked, name in rows if name not in ("package", "包")) == PACKAGES


def test_every_package_is_an_extra_of_core():
    extras = tomllib.loads((pages.REPOSITORY / "core/pyproject.toml").read_text("utf-8"))["project"][
        "optional-dependencies"
    ]
    packages = {name: [f"lect-{name}"] for name in PACKAGES if not make_metadata.is_apart(name)}
    every = [package for (package,) in packages.values()]
    assert extras == {**packages, "all": every, **make_metadata.EXTRAS}


@every_family_with_rules
def test_the_advice_of_core_knows_every_family(name):
    for rule in adapter(name).rules:
        # A derived model may have the name of its base model before its own.
        needed = (word for word in rule.pattern.split() if word != patterns.ANYTHING and not word.startswith("?"))
        words = tuple(word.split("|")[0] for word in needed)
        assert "/" in rule.pattern or advice.package_for(words) == f"lect-{name}", rule.pattern


@every_family
def test_the_notice_names_the_sources_of_every_family(name):
    (row,) = re.findall(rf"^\| {name} \| (.*) \|$", (pages.REPOSITORY / "NOTICE").read_text("utf-8"), re.MULTILINE)
    for golden in (folder(name) / "tests/golden").glob("*.json"):
        provenance = json.loads(golden.read_text("utf-8"))["provenance"]
        assert "model" not in provenance or provenance["model"].rpartition("/")[2] in row


def adapter(name):
    return importlib.import_module(f"lect_{name}").adapter


@every_family_with_rules
def test_the_readme_of_a_family_has_its_templates_and_what_they_support(name):
    readme = (folder(name) / "README.md").read_text("utf-8")
    tabled = dict(re.findall(r"^\| .+ \| `(\S+)` \| (?:(.*) )?\| .+ \|$", readme, re.MULTILINE))
    templates = [template for template in adapter(name).templates.values() if template not in (CHATML, DEFAULT)]
    assert {key: set(filter(None, words.split(", "))) for key, words in tabled.items()} == {
        each.name: each.capabilities for each in templates
    }
    assert all(
        option in readme for each in templates for option in each.options if option not in ("bos_token", "eos_token")
    )


@together("name", PACKAGES)
def test_the_readme_of_a_package_has_its_reply_formats(name):
    readme = (folder(name) / "README.md").read_text("utf-8")
    project = tomllib.loads((folder(name) / "pyproject.toml").read_text("utf-8"))["project"]
    assert all(f"`{each}`" in readme for each in project.get("entry-points", {}).get("lect.replies", ()))


def test_the_readme_of_fastchat_has_every_template_under_its_style():
    readme = (pages.REPOSITORY / "plugins/fastchat/README.md").read_text("utf-8")
    tabled = {
        style: re.findall("`(.+?)`", names)
        for style, names in re.findall(r"^\| ([A-Z0-9_]+) \| (`.*`) \|$", readme, re.MULTILINE)
    }
    styles = {style.name: [] for style in lect_fastchat.SeparatorStyle}
    for conversation in lect_fastchat.conv_templates.values():
        if conversation.sep_style is not None:
            styles[conversation.sep_style.name].append(conversation.name)
    assert tabled == styles


def test_the_readme_of_the_dialects_has_every_format():
    readme = (pages.REPOSITORY / "plugins/dialects/README.md").read_text("utf-8")
    project = tomllib.loads((pages.REPOSITORY / "plugins/dialects/pyproject.toml").read_text("utf-8"))["project"]
    assert re.findall(r"^\| [^|]+ \| `(\S+)` \|", readme, re.MULTILINE) == list(project["entry-points"]["lect.replies"])


def test_the_reference_of_public_names_is_what_the_docstrings_say():
    written = {page: page.read_text("utf-8") for page in (REFERENCE / "api").iterdir()}
    assert written == make_api.pages(), "try: python docs/make_api.py"


def test_the_picture_of_the_architecture_is_what_the_imports_are():
    drawn = make_architecture.picture()
    assert make_architecture.PICTURE.read_text("utf-8") == drawn, "try: python docs/make_architecture.py"


@pytest.mark.parametrize("module", make_api.MODULES)
def test_every_public_name_is_in_the_reference(module):
    text = (REFERENCE / "api" / f"{module}.md").read_text("utf-8")
    rows = re.findall(r"^\| \[`(\w+)`\]\(\S+\) \| \S.* \|$", text, re.MULTILINE)
    assert set(rows) >= {name for name in importlib.import_module(module).__all__ if not name.startswith("__")}
    assert re.findall(r"^- `\w+`$", text, re.MULTILINE) == [], "a field without a docstring"


@pytest.mark.parametrize(
    "value",
    [lect.Conversation, lect.Encoded, lect.Prompt, lect.Reply, lect.Resolution, lect.Template],
    ids=lambda value: value.__name__,
)
def test_every_method_of_a_class_is_in_the_reference(value):
    text = (REFERENCE / "api" / "lect.md").read_text("utf-8")
    methods = [name for name in vars(value) if inspect.isfunction(vars(value)[name]) and not name.startswith("_")]
    assert all(f"\n### {value.__name__}.{name}\n" in text for name in methods if vars(value)[name].__doc__)


@pytest.fixture(scope="module")
def made():
    """The pages of the gallery as they should be."""
    return make_gallery.pages()


@pytest.mark.parametrize("page", GALLERY, ids=pages.name)
def test_the_gallery_is_what_the_templates_write(page, made):
    assert page.read_text("utf-8") == made[page], "try: python docs/make_gallery.py"


def test_every_template_of_fastchat_is_in_the_gallery():
    rows = re.findall(r"^\| `(\S+)` \| ", (pages.DOCS / "gallery/fastchat.md").read_text("utf-8"), re.MULTILINE)
    assert rows == list(lect_fastchat.conv_templates)


def test_the_gallery_has_no_other_pages(made):
    assert set((pages.DOCS / "gallery").iterdir()) == {*GALLERY, pages.DOCS / "gallery/replies.md"}
    assert set(GALLERY) == set(made)


@every_family
def test_every_golden_and_every_deviation_is_in_the_gallery(name):
    page = (pages.DOCS / "gallery" / f"{name}.md").read_text("utf-8")
    assert page.count("\n| checked against |") >= len(list(folder(name).glob("tests/golden/*.json")))
    assert all(f"`{row['case']}`" in page for row in json.loads((folder(name) / "deviations.json").read_text("utf-8")))


@pytest.mark.parametrize("name", [name for name in dir(AdapterSuite) if name.startswith("test_")])
def test_checks_of_the_conformance_kit_are_documented(name):
    found = " ".join(section("testing.md", f"`{name}`").split())
    assert " ".join(getattr(AdapterSuite, name).__doc__.split()) in found
    assert " If it fails: " in found


def test_the_settings_of_a_suite_are_documented():
    told = [name for name in AdapterSuite.__mro__[-2].__annotations__ if not name.startswith("_")]
    assert told
    assert all(f"| `{name}` |" in section("testing.md", "AdapterSuite") for name in told)


@pytest.mark.parametrize("name", lect.addon.__all__)
def test_what_packages_on_top_may_import_is_documented(name):
    assert f"`{name}" in section("hooks.md", "A package on top")


@pytest.mark.parametrize("name", lect.plugin.__all__)
def test_what_plugins_may_import_is_documented(name):
    assert any(re.search(rf"\b{name}\b", page.read_text("utf-8")) for page in REFERENCE.glob("*.md"))


@pytest.mark.parametrize(("value", "page"), [(lect.plugin.Chat, "Chat"), (lect.plugin.Message, "Message")])
def test_chat_and_message_are_documented(value, page):
    private = {"day_read", "options", "tracked"}
    names = {
        name for name in (*dir(value), *getattr(value, "__annotations__", ())) if not name.startswith("_")
    } - private
    assert all(re.search(rf"`{name}\b", section("templates.md", page)) for name in names)


def test_kinds_of_parts_are_documented():
    assert all(f"`{kind}`" in section("templates.md", "Part") for kind in PART_WORDS)


@pytest.mark.parametrize(
    ("heading", "words"),
    [
        ("Base models and packaging", meaning("size", "packaging")),
        ("Models that nobody talks to", meaning("no chat")),
    ],
)
def test_words_after_a_pattern_are_documented(heading, words):
    rows = re.findall(r"^\| [a-z ]+ \| (`.*`) \|$", section("hooks.md", heading), re.MULTILINE)
    assert {word.strip("`") for row in rows for word in row.split(", ")} == words


def test_words_of_small_adapters_are_documented():
    (row,) = re.findall(r"^\| `chatty 2 \.` \| .*\((.*)\) \|", section("hooks.md", "Rule"), re.MULTILINE)
    assert {word.strip("`") for word in row.split(", ")} == meaning("adapter")
