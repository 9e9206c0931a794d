"""Formats of which no maker's file was at hand: each says so, and equals what two independent projects write, if attested.

`plugins/*/tests/attested.json` has, by template and by project, prompts that the project's own code wrote, or that are
put together from the strings that it states; `made by` says which.
"""

import json
import re

import make_metadata
import pytest
from goldens import REPOSITORY
from together import together

from lect.cli import main

ATTESTED = {
    name: witnesses
    for path in sorted(REPOSITORY.glob("plugins/*/tests/attested.json"))
    for name, witnesses in json.loads(path.read_text("utf-8")).items()
}
KEYS = {"messages", "tools", "add_generation_prompt", "options", "text"}


ALL = {
    (plugin, name): template
    for plugin in make_metadata.PLUGINS
    for name, template in make_metadata.templates_of(plugin).items()
}
TEMPLATES = {name: template for (_, name), template in ALL.items() if template.evidence == "attested"}
SECOND_HAND = re.compile(r", as |\bGGUF\b|from one copy|its maker publishes none")
"""How a source says that the maker's own file was not at hand."""


@together("template", ALL.values(), ids=str)
def test_a_format_is_second_hand_if_its_source_names_who_has_it_from_the_maker(template):
    if template.evidence != "attested":
        assert template.evidence == ("second-hand" if SECOND_HAND.search(template.source) else "")


@pytest.mark.parametrize(("plugin", "name"), [each for each, template in ALL.items() if template.evidence])
def test_why_says_that_no_file_of_the_makers_was_at_hand(plugin, name, capsys):
    assert main(["why", "acme/model", "--adapter", f"{plugin}:{name}"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert f" evidence {ALL[plugin, name].evidence}: the source names " in shown


def test_every_attested_format_has_its_witnesses_and_no_other_has():
    assert TEMPLATES.keys() == ATTESTED.keys()


@pytest.mark.parametrize("name", ATTESTED)
def test_two_projects_write_what_ours_does(name):
    template = TEMPLATES[name]
    projects = {project.partition("@")[0] for project in ATTESTED[name]}
    assert len(projects) >= 2
    for project, witness in ATTESTED[name].items():
        assert project.partition("@")[0] in template.source
        assert witness["made by"]
        assert witness["cases"]
        for case in witness["cases"]:
            assert case.keys() <= KEYS
            text = template.text(
                case["messages"],
                tools=case.get("tools"),
                add_generation_prompt=case["add_generation_prompt"],
                **case.get("options", {}),
            )
            assert text == case["text"], project
