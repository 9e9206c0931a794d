"""Templates that are written in other notations: what is written is proven, and what is lost is listed."""

import inspect
import json

import pytest
from installs import install, registry_of

import lect
import lect_convert
from lect import ConversionError, SourceError, Template, dump_template
from lect.cli import main
from lect.errors import ConversionWarning
from lect.plugin import CHATML, Family, Rule, Turn, TurnTemplate
from lect_convert import expressible
from lect_kit import AdapterSuite

ARROWS = r"""
from lect.plugin import CHATML, Turn, TurnTemplate
from lect_convert import Written, expressible, table_of

class Arrows:
    def write(self, template):
        table, lost = expressible(table_of(template, "lines"), ())
        turns = [turn.prefix + "|" + turn.suffix for turn in (table.turns["user"], table.turns["assistant"])]
        return Written("\n".join(turns) + "\n", lost, rest=table)

    def recognises(self, source):
        return False

    def read(self, source):
        user, assistant = (Turn(*line.split("|")) for line in source.text.splitlines())
        return TurnTemplate("arrows", user=user, assistant=assistant)

adapter = Arrows()
"""
ONLY_WRITES = ARROWS.partition("    def recognises")[0] + "\nadapter = Arrows()\n"
PLAIN = TurnTemplate("plain", user=Turn("<u>", "</u>"), assistant=Turn("<a>", "</a>"))
TEXT = "<u>|</u>\n<a>|</a>\n"
LINES = """
class Lines:
    def recognises(self, source): return False
    def read(self, source): raise NotImplementedError

adapter = Lines()
"""


class TestConvert(AdapterSuite):
    plugin = "convert"
    examples = {}


@pytest.fixture
def only(tmp_path, monkeypatch):
    """Install notations, each with one source, and let lect see only those."""
    monkeypatch.syspath_prepend(tmp_path)

    def see(**sources):
        for name, source in sources.items():
            install(tmp_path, f"notation-{name}", "lines", source, group="lect.notations")
        monkeypatch.setattr(lect, "_registry", registry_of("lect-convert", *(f"notation-{name}" for name in sources)))

    return see


def written(template):
    return template.text([{"role": "user", "content": "Hi"}], add_generation_prompt=True)


def test_a_template_is_written_by_a_third_partys_notation(only):
    only(arrows=ARROWS)
    text = dump_template(PLAIN, "lines")
    assert text == TEXT
    assert written(lect.load_template(text, notation="lines")) == written(PLAIN)


@pytest.mark.parametrize(
    ("change", "lost"),
    [
        ({"default_system": "D"}, ["the default system text"]),
        ({"opening": "("}, ["that every prompt begins with '('"]),
        ({"without_system": "("}, ["that a prompt without a system text begins with '('"]),
        ({"examples": [("user", "x")]}, ["the examples before the first turn"]),
        ({"user_after_system": Turn("<u2>")}, ["that a user's turn is different after a system text"]),
        ({"generation": "<b>"}, ["that a prompt ends with '<b>', but an answer in it follows '<a>'"]),
        (
            {"assistant": Turn("<a>", "{eos}")},
            ["the tokenizer's EOS after an answer, whose text is not known"],
        ),
        ({"closing": "."}, ["that a conversation ends with '.'"]),
        ({"trim": True}, ["that texts are stripped of white space"]),
        (
            {"user": Turn("{round}"), "first_round": 0},
            ["the numbers of rounds", "that rounds are counted from 0"],
        ),
        ({"tool": Turn("<t>")}, ["the turns of tools"]),
        ({"other": Turn("<o>")}, ["the turns of other roles"]),
        ({"stop_ids": [7, 3]}, ["stop ids that have no text: 3, 7"]),
        ({"assistant": Turn("<a>", "</a>", "<none>")}, ["what is written for an empty text"]),
    ],
    ids=lambda case: next(iter(case)) if isinstance(case, dict) else "",
)
def test_what_a_notation_cannot_express_is_listed(only, change, lost):
    only(arrows=ARROWS)
    template = PLAIN.but(**change)
    with pytest.raises(ConversionError, match="the notation 'lines' cannot express all of 'plain'") as caught:
        dump_template(template, "lines")
    assert list(caught.value.lost) == lost
    with pytest.warns(ConversionWarning) as warned:
        assert "|" in dump_template(template, "lines", lossy=True)
    assert all(f"lost: {each}" in str(warned[0].message) for each in lost)


def test_losses_that_the_writer_does_not_know_of_are_found(only):
    only(arrows=ARROWS)
    with pytest.raises(ConversionError) as caught:
        dump_template(PLAIN.but(system=Turn("<s>", "</s>")), "lines")
    assert "a question after a system text: at character 1, 's>Be brief." in str(caught.value)
    assert not any(each.startswith("a question:") for each in caught.value.lost)


def test_what_a_lossy_text_loses_besides_is_listed_too(only):
    only(arrows=ARROWS)
    template = PLAIN.but(default_system="D", system=Turn("<s>", "</s>"))
    with pytest.raises(ConversionError) as caught:
        dump_template(template, "lines")
    stated, *found = caught.value.lost
    assert stated == "the default system text"
    # Without the default, what is left of the template differs only after a system text.
    assert found
    assert all("after a" in each or "whole" in each or "texts" in each for each in found)
    with pytest.warns(ConversionWarning) as warned:
        assert dump_template(template, "lines", lossy=True) == TEXT
    assert all(f"lost: {each}" in str(warned[0].message) for each in caught.value.lost)


def test_what_a_notation_can_express_has_its_places_filled_in():
    places = Turn("<{role}>", "</{role}>{eos}")
    table = TurnTemplate(
        "places",
        user=places,
        assistant=Turn("<{role} {round}>", "{eos}"),
        other=places,
        eos="$",
        user_after_system=places,
    )
    rest, lost = expressible(table, {"other", "user_after_system"})
    assert lost == ["the numbers of rounds"]
    assert rest.turns == {"user": Turn("<user>", "</user>$"), "assistant": Turn("<assistant 1>", "$")}
    assert (rest.generation, rest.user_after_system) == ("<assistant 1>", Turn("<user>", "</user>$"))
    assert rest.other == Turn("<{role}>", "</{role}>$")


@pytest.mark.parametrize("takes", ["bos", "eos"])
def test_an_option_that_both_sides_know_is_part_of_the_proof(only, takes):
    template = PLAIN.but(**{takes: "!"}, assistant=Turn("<a>", "</a>{eos}"))
    proper = (
        "    def renderer(self, text, template):\n"
        "        return lambda messages, ask, **options: template.text(messages, add_generation_prompt=ask, **options)\n\n"
    )
    written = 'lost, rest=table, options=["bos_token", "eos_token"])'
    knows = ARROWS.replace("lost, rest=table)", written).replace("    def recognises", proper + "    def recognises")
    knows = knows.replace('(table_of(template, "lines"), ())', '(table_of(template, "lines"), ["eos"])')
    only(knows=knows)
    assert dump_template(template, "lines")
    only(ignores=knows.replace(", **options)\n", ")\n"))
    with pytest.raises(ConversionError) as caught:
        dump_template(template, "lines")
    assert all(f"with {takes}_token='<|other|>': at character" in each for each in caught.value.lost)


def test_a_program_is_not_written(only):
    only(arrows=ARROWS)
    program = Template("mine", lambda chat, out: out.append("x"))
    with pytest.raises(ConversionError, match="lost: all: it is a program"):
        dump_template(program, "lines", lossy=True)


def test_what_cannot_be_read_back_is_unproven(only):
    only(writes=ONLY_WRITES)
    with pytest.warns(ConversionWarning, match="nothing installed can verify that it renders the same"):
        assert dump_template(PLAIN, "lines") == TEXT


def test_a_notation_may_render_as_its_tool_does(only):
    renderer = "    def renderer(self, text, template):\n        return lambda messages, ask: 'x'\n\n"
    only(renders=ARROWS.replace("    def recognises", renderer + "    def recognises"))
    with pytest.raises(ConversionError, match="a question: at character 0, '<u>What is"):
        dump_template(PLAIN, "lines")


@pytest.mark.parametrize(
    ("name", "source", "said"),
    [
        ("reads", LINES, "'lines' can be read, but not written"),
        (
            "numbers",
            ARROWS.replace('table, lost = expressible(table_of(template, "lines"), ())', "return 7"),
            "wrote 7 for .*; expected Written",
        ),
        (
            "raises",
            ARROWS.replace('table, lost = expressible(table_of(template, "lines"), ())', "raise KeyError(7)"),
            "failed on .*: KeyError: 7",
        ),
    ],
)
def test_a_notation_that_cannot_write_is_named(only, name, source, said):
    only(**{name: source})
    with pytest.raises(lect.LectError, match=said):
        dump_template(PLAIN, "lines")


@pytest.mark.parametrize(("template", "notation"), [(5, "lines"), (None, "lines"), (CHATML, None), (CHATML, 7)])
def test_only_a_template_is_written_and_only_in_a_named_notation(template, notation):
    with pytest.raises(SourceError, match="expected a Template and a name"):
        dump_template(template, notation)


def test_a_notation_that_is_not_installed_says_what_to_install(only, monkeypatch):
    only(arrows=ARROWS)
    monkeypatch.setattr("lect.installing._checkout", lambda: None)
    with pytest.raises(SourceError, match="'ollama' is in lect-ollama, which is not installed\n  try: pip install"):
        dump_template(PLAIN, "ollama")
    with pytest.raises(SourceError, match="no installed package has a notation 'odd'\n  try: one of lines"):
        dump_template(PLAIN, "odd")


# The command


def test_the_command_writes_to_a_file_or_to_standard_output(only, tmp_path, capsys):
    only(arrows=ARROWS)
    template = PLAIN.but(default_system="D")
    with lect.register(Family("plain", Rule("plain", template), templates=[template])):
        assert main(["convert", "plain", "--to", "lines"]) == 1
        assert "try: --lossy, to write the rest" in capsys.readouterr().err
        assert main(["convert", "plain", "--to", "lines", "--lossy"]) == 0
        printed = capsys.readouterr()
        assert printed.out == TEXT
        assert "cannot express all of 'plain:plain'\n  lost: the default system text\n" in printed.err
        assert main(["convert", "plain", "--to", "lines", "--lossy", "--json"]) == 0
        assert json.loads(capsys.readouterr().out) == {"notation": "lines", "template": "plain", "text": TEXT}
        assert main(["convert", "plain", "--to", "lines", "--lossy", "-o", str(tmp_path / "out")]) == 0
        assert (tmp_path / "out").read_text("utf-8") == TEXT


def test_a_wrong_value_is_refused_by_an_error_that_names_the_argument():
    with pytest.raises(lect.MessageError, match=r"^says is 7 \(int\)"):
        expressible(PLAIN, 7)


def test_what_is_public():
    assert sorted(lect_convert.__all__) == ["Written", "expressible", "table_of"]
    parameters = inspect.signature(dump_template).parameters.values()
    assert [str(each).partition(":")[0] for each in parameters] == [
        "model_path",
        "notation",
        "lossy",
        "adapter",
        "default",
    ]
    assert lect_convert.Written._fields == ("text", "lost", "bos", "rest", "options")
