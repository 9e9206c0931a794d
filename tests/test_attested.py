"""Formats of which no maker's file was at hand: each equals what two independent projects write.

`plugins/*/tests/attested.json` has, by template and by project, prompts that the project's own code wrote, or that are
put together from the strings that it states; `made by` says which.
"""

import json

import make_metadata
import pytest
from goldens import REPOSITORY

ATTESTED = {
    name: witnesses
    for path in sorted(REPOSITORY.glob("plugins/*/tests/attested.json"))
    for name, witnesses in json.loads(path.read_text("utf-8")).items()
}
KEYS = {"messages", "tools", "add_generation_prompt", "options", "text"}


TEMPLATES = {
    name: template
    for plugin in make_metadata.PLUGINS
    for name, template in make_metadata.templates_of(plugin).items()
    if template.evidence == "attested"
}


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
