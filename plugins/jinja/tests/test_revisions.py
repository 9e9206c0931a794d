"""A model's own template that is an earlier one of its maker's is said to be that, with what the later ones change."""

import pytest

import lect
from lect.cli import main
from lect.plugin import Family, Rule, Turn, TurnTemplate
from lect_jinja.check.files import verified_files
from lect_jinja.identity import knowledge

FIRST, SECOND = (
    f"{{% for m in messages %}}<|{{{{ m.role }}}}|>{{{{ m.content }}}}<|{end}|>{{% endfor %}}" for end in "xy"
)
SAID = "revision 1 of 2, of 2025-03-01; the later ones change: a question, a question without the generation prompt, "


@pytest.fixture(autouse=True)
def acme(monkeypatch):
    """Register a model with two revisions, whose texts are known."""

    def template(name, end):
        turn = Turn("<|{role}|>", f"<|{end}|>")
        revisions = {"acme-2025-03": "2025-03-01", "acme": "2026-03-01"}
        return TurnTemplate(name, system=turn, user=turn, assistant=turn, revisions=revisions)

    rows = {
        knowledge.fingerprint(FIRST): {"model": "acme/acme-chat", "source": "there", "template": "acme:acme-2025-03"},
        knowledge.fingerprint(SECOND): {"model": "acme/acme-chat", "source": "here", "template": "acme:acme"},
    }
    monkeypatch.setattr(knowledge, "fingerprints", lambda: rows)
    with lect.register(
        Family("acme", Rule("acme chat", template("acme", "y")), templates=[template("acme-2025-03", "x")])
    ):
        yield


def saved(folder, text):
    (folder / "acme-chat").mkdir()
    (folder / "acme-chat/chat_template.jinja").write_text(text, "utf-8")
    return str(folder / "acme-chat")


def test_why_says_which_revision_it_is_and_what_the_later_ones_change(tmp_path, capsys):
    assert main(["why", saved(tmp_path, FIRST)]) == 0
    out = capsys.readouterr().out
    assert f"\n  {SAID}" in out
    assert "revision    1 of 2, of 2025-03-01; --adapter takes another: acme (2026-03-01)\n" in out


def test_the_audit_says_it_in_a_note(tmp_path, capsys):
    main(["audit", saved(tmp_path, FIRST)])
    assert SAID in capsys.readouterr().out


def test_a_report_says_it_of_an_earlier_template(tmp_path):
    report = verified_files(saved(tmp_path, FIRST))
    assert report.known.startswith(f"an earlier template of acme/acme-chat, as in there; {SAID}")
    assert report.verdict == "different"


def test_nothing_is_later_than_the_latest(tmp_path):
    report = verified_files(saved(tmp_path, SECOND))
    assert report.verdict == "identical"
    assert report.known == "the template of acme/acme-chat, as in here; revision 2 of 2, of 2026-03-01"
