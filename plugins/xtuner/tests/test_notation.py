"""Templates in XTuner's notation, valid and invalid."""

import json

import pytest

import lect

GOOD = {"SYSTEM": "S:{system}\n", "INSTRUCTION": "U:{input} B:", "SEP": "\n"}
HELLO = [{"role": "system", "content": "Be {brief}."}, {"role": "user", "content": "{input} {{x}} {"}]
WRITTEN = "S:Be {brief}.\nU:{input} {{x}} { B:"


def read(fields, **more):
    return lect.load_template(fields, **more)


@pytest.mark.parametrize("form", [dict, json.dumps])
def test_a_mapping_and_a_text_are_recognised(form):
    template = read(form(GOOD))
    assert template.text(HELLO) == WRITTEN
    assert (template.name, template.text_separators) == ("xtuner", True)


def test_a_template_is_named_after_its_file(tmp_path):
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(GOOD), "utf-8-sig")
    template = read(path)
    assert (template.name, template.source, template.text(HELLO)) == ("mine", str(path), WRITTEN)


def test_doubled_braces_are_braces():
    template = read({"INSTRUCTION": "{{{input}}} {{}} }}{{"})
    assert template.text([{"role": "user", "content": "x"}]) == "{x} {} }{"


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"SYSTEM": "{system}"}, "has no INSTRUCTION"),
        ({**GOOD, "SUFIX": "x"}, "has a field 'SUFIX'"),
        ({"INSTRUCTION": 7}, r"INSTRUCTION is 7 \(int\); expected str"),
        ({**GOOD, "SYSTEM": ["{system}"]}, r"SYSTEM is \['\{system\}'\] \(list\)"),
        ({**GOOD, "SUFFIX": None}, "SUFFIX is None"),
        ({**GOOD, "SUFFIX_AS_EOS": "True"}, r"SUFFIX_AS_EOS is 'True' \(str\); expected bool"),
        ({**GOOD, "STOP_WORDS": "</s>"}, "STOP_WORDS is '</s>'; expected a list of texts"),
        ({**GOOD, "STOP_WORDS": [""]}, "STOP_WORDS is"),
        ({"INSTRUCTION": "only literal"}, r"INSTRUCTION has no \{input\}"),
        ({**GOOD, "SYSTEM": ""}, r"SYSTEM has no \{system\}"),
        ({"INSTRUCTION": "U: {inputs}"}, r"INSTRUCTION has the placeholder \{inputs\} at character 3\n  try: one of \{input\}"),
        ({"INSTRUCTION": "{input} {}"}, r"the placeholder \{\} at character 8"),
        ({"INSTRUCTION": "{input!r}"}, r"the placeholder \{input!r\} at character 0"),
        ({"INSTRUCTION": "{input:>9}"}, r"the placeholder \{input:>9\}"),
        ({"INSTRUCTION": "{input.__class__}"}, r"the placeholder \{input.__class__\}"),
        ({"INSTRUCTION": "{input} {input}"}, r"a second \{input\} at character 8"),
        ({"INSTRUCTION": "{input} } B:"}, r"a single '\}' at character 8\n  try: \}\} for the character itself"),
        ({"INSTRUCTION": "{ {input}"}, r"a single '\{' at character 0"),
        ({"INSTRUCTION": "{input"}, r"a single '\{' at character 0"),
        ({"INSTRUCTION": "{input} {{eos}}"}, r"INSTRUCTION has \{eos\} as plain text"),
        ({**GOOD, "SEP": "{round}"}, r"SEP has \{round\} as plain text"),
    ],
)  # fmt: skip
def test_errors_name_the_field_and_the_position(fields, said, tmp_path):
    with pytest.raises(lect.SourceError, match=said):
        read(fields)
    path = tmp_path / "template.json"
    path.write_text(json.dumps(fields), "utf-8")
    with pytest.raises(lect.SourceError, match=said) as caught:
        read(path)
    assert "template.json" in str(caught.value)
