"""Templates as Modelfiles, rendered by Go itself where it is installed."""

import shutil

import pytest

import lect
from lect import dump_template
from lect.errors import ConversionWarning
from lect.format.compare import compared
from lect.plugin import CHATML, Turn, TurnTemplate
from lect_kit import AdapterSuite
from lect_ollama import notation

PLAIN = TurnTemplate(
    "plain", system=Turn("<s>", "</s>\n"), user=Turn("<u>", "</u>\n"), assistant=Turn("<a>", "</a>\n"), stop=["</a>"]
)
WRITTEN = '''\
TEMPLATE """{{ $role := "" }}{{ range .Messages }}{{ if eq .Role "system" }}<s>{{ .Content }}</s>
{{ else if eq .Role "user" }}<u>{{ .Content }}</u>
{{ else if eq .Role "assistant" }}<a>{{ .Content }}</a>
{{ end }}{{ $role = .Role }}{{ end }}{{ if ne $role "assistant" }}<a>{{ end }}"""
SYSTEM """Be brief."""
PARAMETER stop "</a>"
PARAMETER stop "\\n\\"\\\\"
'''
TABLES = [
    CHATML,
    PLAIN,
    PLAIN.but(default_system="Be brief.\n{{ x }}"),
    PLAIN.but(opening='[{{ "x" }}] """', without_system="-"),
    PLAIN.but(system=None, without_system="-"),
    PLAIN.but(user_after_system=Turn("", "</u>\n")),
    PLAIN.but(system=Turn("<s>", "</s>", "<none>"), assistant=Turn("<{role}>", "{eos}", "<a/>"), eos="</e>"),
    PLAIN.but(generation="<a>\n", other=Turn("<{role}>", "</{role}>"), system_first=True),
    PLAIN.but(bos="<bos>"),
]


class TestOllama(AdapterSuite):
    plugin = "ollama"
    examples = {}


def test_the_modelfile():
    text = notation.write(PLAIN.but(default_system="Be brief.", stop=["</a>", '\n"\\'])).text
    assert text.partition("FROM ./model.gguf\n")[2] == WRITTEN


@pytest.mark.skipif(shutil.which("go") is None, reason="Go is not installed")
@pytest.mark.parametrize("table", TABLES, ids=range(len(TABLES)))
def test_go_renders_it_identically(table):
    text = dump_template(table, "ollama")
    assert text.startswith("# Rendered by Go")
    without_bos = table.but(bos="")
    compared_prompts = compared(without_bos, notation.renderer(text, table))
    assert not [each for each in compared_prompts if each.one != each.other]


def test_without_go_the_modelfile_is_marked_as_not_proven(monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.warns(ConversionWarning, match="nothing installed can verify that it renders the same"):
        assert dump_template(PLAIN, "ollama").startswith("# Not proven")


@pytest.mark.parametrize(
    ("change", "lost"),
    [
        ({"trim": True}, "that texts are stripped of white space"),
        ({"user": Turn("{round}")}, "the numbers of rounds"),
        ({"closing": "."}, "that a conversation ends with '.'"),
        ({"examples": [("user", "x")]}, "the examples before the first turn"),
        ({"default_system": '"""'}, 'a default system text with """ in it'),
        ({"stop_ids": [7]}, "stop ids that have no text: 7"),
    ],
)
def test_what_ollama_cannot_express_is_listed(change, lost):
    with pytest.raises(lect.ConversionError) as caught:
        dump_template(PLAIN.but(**change), "ollama")
    assert caught.value.lost == (lost,)


def test_modelfiles_are_not_read():
    with pytest.raises(lect.SourceError, match="can be written, but not read"):
        lect.load_template('TEMPLATE """{{ .Prompt }}"""', notation="ollama")
