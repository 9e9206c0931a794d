"""Templates in other notations: `lect.load_template` and the group `lect.notations`."""

import os

import pytest
from installs import install, registry_of

import lect
from lect import ConversionError, PluginError, SourceError, Template
from lect.errors import ConversionWarning, PluginWarning
from lect.plugin import CHATML, Turn, TurnTemplate, expressible

LINES = r"""
from lect import SourceError
from lect.plugin import Turn, TurnTemplate

class Lines:
    def recognises(self, source):
        return isinstance(source.data, dict) and "lines" in source.data

    def read(self, source):
        if not isinstance(source.data["lines"], list):
            raise SourceError("lines is no list")
        user, bot = source.data["lines"]
        return TurnTemplate("lines", user=Turn(user, "\n"), assistant=Turn(bot, "\n"))

adapter = Lines()
"""
GIVEN = {"lines": ["U:", "B:"]}


@pytest.fixture
def only(site, monkeypatch):
    """Install notations, each with one source, and let lect see only those."""

    def see(**sources):
        for name, source in sources.items():
            install(site, f"notation-{name}", "lines", source, group="lect.notations")
        monkeypatch.setattr(lect, "_registry", registry_of(*(f"notation-{name}" for name in sources)))

    return see


def written(template):
    return template.text([{"role": "user", "content": "Hi"}], add_generation_prompt=True)


@pytest.mark.parametrize("given", [str, lambda path: path])
def test_a_file_is_read_by_the_notation_that_recognises_it(only, tmp_path, given):
    only(file=LINES)
    path = tmp_path / "template.json"
    path.write_text('\ufeff{"lines": ["U:", "B:"]}', "utf-8")
    assert written(lect.load_template(given(path))) == "U:Hi\nB:"


@pytest.mark.parametrize("source", [GIVEN, '{"lines": ["U:", "B:"]}'])
def test_a_mapping_or_a_text_is_read_directly(only, source):
    only(given=LINES)
    assert written(lect.load_template(source)) == "U:Hi\nB:"
    assert written(lect.load_template(source, notation="lines")) == "U:Hi\nB:"


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("nowhere.json", "cannot read 'nowhere.json': No such file or directory"),
        ("a\0b", "cannot read"),
        ("{% if %}", "not a template in any installed notation"),
        ({"rows": 1}, "not a template in any installed notation"),
        ('{"lines": 1, "lines": 2}', "the key 'lines' occurs twice in one object"),
        ('{"lines": 1}', "lines is no list"),
        (7, "not a template in any installed notation"),
        ("[" * 100_000 + "{", "not a template in any installed notation"),
    ],
)
def test_what_cannot_be_read_is_one_clear_error(only, source, said, tmp_path, monkeypatch):
    only(strict=LINES)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SourceError, match=said):
        lect.load_template(source)


def test_a_pipe_is_not_waited_for(only, tmp_path):
    only(pipe=LINES)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SourceError, match="it is not a regular file"):
        lect.load_template(tmp_path / "pipe")


def test_a_directory_and_a_file_that_is_not_text_are_left_to_the_notations(only, tmp_path):
    only(places=LINES.replace("return isinstance", "return source.text is source.data is None or isinstance"))
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    for path in (tmp_path, tmp_path / "binary"):
        with pytest.raises(PluginError, match=r"the notation 'lines' failed on .*TypeError"):
            lect.load_template(path)


def test_two_notations_that_recognise_a_source_are_named(site, monkeypatch):
    install(site, "notation-lines", "lines", LINES, group="lect.notations")
    install(site, "notation-rows", "rows", LINES, group="lect.notations")
    monkeypatch.setattr(lect, "_registry", registry_of("notation-lines", "notation-rows"))
    with pytest.raises(SourceError, match="several notations: lines, rows\n  try: notation='lines'"):
        lect.load_template(GIVEN)
    assert written(lect.load_template(GIVEN, notation="rows")) == "U:Hi\nB:"


def test_two_packages_with_the_same_notation_are_named(only):
    only(one=LINES, two=LINES)
    with pytest.raises(PluginError, match="both notation-one and notation-two have a notation 'lines'"):
        lect.load_template(GIVEN)


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("exits", "raise SystemExit(3)"),
        ("is-a-number", "adapter = 7"),
        ("fails-when-looked-at", "class Odd:\n    read = property(lambda self: 1 / 0)\nadapter = Odd()"),
    ],
)
def test_a_broken_notation_is_left_out_and_named(only, name, source):
    only(**{name: source})
    with pytest.warns(PluginWarning, match=f"notation-{name}"), pytest.raises(PluginError, match="cannot be loaded"):
        lect.load_template("{x}", notation="lines")


def test_without_notations_the_error_says_what_to_install(only):
    only()
    with pytest.raises(SourceError, match=r"no installed package reads templates.*\n  try: pip install lect-jinja"):
        lect.load_template("{x}")
    with pytest.raises(SourceError, match="has a notation 'jinja'\n  try: pip install lect-jinja"):
        lect.load_template("{x}", notation="jinja")


# Writing

ARROWS = r"""
from lect.plugin import CHATML, Turn, TurnTemplate, Written, expressible, table_of

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


def test_a_template_is_written_by_a_third_partys_notation(only):
    only(arrows=ARROWS)
    text = lect.dump_template(PLAIN, "lines")
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
        lect.dump_template(template, "lines")
    assert list(caught.value.lost) == lost
    with pytest.warns(ConversionWarning) as warned:
        assert "|" in lect.dump_template(template, "lines", lossy=True)
    assert all(f"lost: {each}" in str(warned[0].message) for each in lost)


def test_losses_that_the_writer_does_not_know_of_are_found(only):
    only(arrows=ARROWS)
    with pytest.raises(ConversionError) as caught:
        lect.dump_template(PLAIN.but(system=Turn("<s>", "</s>")), "lines")
    assert "a question after a system text: at character 1, 's>Be brief." in str(caught.value)
    assert not any(each.startswith("a question:") for each in caught.value.lost)


def test_what_a_lossy_text_loses_besides_is_listed_too(only):
    only(arrows=ARROWS)
    template = PLAIN.but(default_system="D", system=Turn("<s>", "</s>"))
    with pytest.raises(ConversionError) as caught:
        lect.dump_template(template, "lines")
    stated, *found = caught.value.lost
    assert stated == "the default system text"
    # Without the default, what is left of the template differs only after a system text.
    assert found
    assert all("after a" in each or "whole" in each or "texts" in each for each in found)
    with pytest.warns(ConversionWarning) as warned:
        assert lect.dump_template(template, "lines", lossy=True) == TEXT
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
    assert lect.dump_template(template, "lines")
    only(ignores=knows.replace(", **options)\n", ")\n"))
    with pytest.raises(ConversionError) as caught:
        lect.dump_template(template, "lines")
    assert all(f"with {takes}_token='<|other|>': at character" in each for each in caught.value.lost)


def test_a_program_is_not_written(only):
    only(arrows=ARROWS)
    program = Template("mine", lambda chat, out: out.append("x"))
    with pytest.raises(ConversionError, match="lost: all: it is a program"):
        lect.dump_template(program, "lines", lossy=True)


def test_what_cannot_be_read_back_is_unproven(only):
    only(writes=ONLY_WRITES)
    with pytest.warns(ConversionWarning, match="nothing installed can verify that it renders the same"):
        assert lect.dump_template(PLAIN, "lines") == TEXT
    with pytest.raises(SourceError, match="'lines' can be written, but not read"):
        lect.load_template(TEXT, notation="lines")
    with pytest.raises(SourceError, match="no installed package reads"):
        lect.load_template(TEXT)


def test_a_notation_may_render_as_its_tool_does(only):
    renderer = "    def renderer(self, text, template):\n        return lambda messages, ask: 'x'\n\n"
    only(renders=ARROWS.replace("    def recognises", renderer + "    def recognises"))
    with pytest.raises(ConversionError, match="a question: at character 0, '<u>What is"):
        lect.dump_template(PLAIN, "lines")


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
        lect.dump_template(PLAIN, "lines")


@pytest.mark.parametrize(("template", "notation"), [(5, "lines"), (None, "lines"), (CHATML, None), (CHATML, 7)])
def test_only_a_template_is_written_and_only_in_a_named_notation(registry, template, notation):
    with pytest.raises(SourceError, match="expected a Template and a name"):
        lect.dump_template(template, notation)
