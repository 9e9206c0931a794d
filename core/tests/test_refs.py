"""A model path is taken apart by name alone; what cannot name a model is refused first."""

from pathlib import PurePosixPath, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lect.errors import InvalidModelPathError, InvalidModelPathTypeError
from lect.registry.refs import LONGEST_PATH, parse_ref, readings

NAME = "Qwen2.5-7B-Instruct"


@pytest.mark.parametrize(
    ("given_as", "path", "owner", "revision"),
    [
        ("Qwen/Qwen2.5-7B-Instruct", f"Qwen/{NAME}", "Qwen", None),
        ("Qwen2.5-7B-Instruct", NAME, None, None),
        ("Qwen/Qwen2.5-7B-Instruct/", f"Qwen/{NAME}", "Qwen", None),
        ("Qwen/Qwen2.5-7B-Instruct@main", f"Qwen/{NAME}", "Qwen", "main"),
        ("Qwen/Qwen2.5-7B-Instruct@", f"Qwen/{NAME}", "Qwen", None),
        ("/data/llama/Qwen2.5-7B-Instruct", NAME, None, None),
        ("/data/Qwen2.5-7B-Instruct/", NAME, None, None),
        ("./Qwen2.5-7B-Instruct", NAME, None, None),
        ("../models/Qwen2.5-7B-Instruct", NAME, None, None),
        (r"C:\models\Qwen2.5-7B-Instruct", NAME, None, None),
        (r"models\vicuna\Qwen2.5-7B-Instruct\\", NAME, None, None),
        ("/cache/models--Qwen--Qwen2.5-7B-Instruct/snapshots/abc", f"Qwen/{NAME}", "Qwen", None),
        (r"D:\hub\models--Qwen--Qwen2.5-7B-Instruct\snapshots\abc", f"Qwen/{NAME}", "Qwen", None),
        ("/cache/models--Qwen--Qwen2.5-7B-Instruct", f"Qwen/{NAME}", "Qwen", None),
    ],
)
def test_owner_name_and_revision_are_found_in_every_kind_of_path(given_as, path, owner, revision):
    ref = parse_ref(given_as)
    assert (ref.original, ref.path, ref.owner, ref.name, ref.revision) == (given_as, path, owner, NAME, revision)


@pytest.mark.parametrize(
    "path", [PurePosixPath("/data/Qwen2.5-7B-Instruct"), PureWindowsPath("C:/data/Qwen2.5-7B-Instruct")], ids=repr
)
def test_a_path_object_is_a_path(path):
    assert parse_ref(path).name == NAME


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Qwen2.5-7B-Instruct", ("qwen", "2.5", "7", "b", "instruct")),
        ("Qwen-1_8B-Chat", ("qwen", "1.8", "b", "chat")),
        ("vicuna-7b-v1.5-16k", ("vicuna", "7", "b", "v", "1.5", "16", "k")),
        ("Meta-Llama-3-8B", ("meta", "llama", "3", "8", "b")),
        ("internlm2_5-7b-chat", ("internlm", "2.5", "7", "b", "chat")),
        ("Qwen2___5-7B-Instruct", ("qwen", "2.5", "7", "b", "instruct")),
        ("llama_2_7b_chat", ("llama", "2", "7", "b", "chat")),
        ("internlm2_5", ("internlm", "2.5")),
        ("Meta_Llama-3_1-8B", ("meta", "llama", "3.1", "8", "b")),
        ("thisisnotqwen", ("thisisnotqwen",)),
        ("vi\u0441una", ("vi", "\u0441", "una")),
        ("llama\u20102", ("llama", "\u2010", "2")),
        ("模型-7B", ("模型", "7", "b")),
    ],
)
def test_a_name_is_cut_into_words_and_numbers(name, words):
    assert parse_ref(name).words == words


@pytest.mark.parametrize(
    "path",
    [
        "",
        " ",
        "/",
        "//",
        ".",
        "..",
        "./",
        "\\",
        "C:",
        "C:\\",
        "-",
        "--help",
        "-rf",
        "@main",
        "org/@main",
        "models--",
        "models--org--",
        "_",
        "…",
    ],
    ids=ascii,
)
def test_a_path_without_a_name_is_refused(path):
    with pytest.raises(InvalidModelPathError, match="\n  try: a name such as"):
        parse_ref(path)


@pytest.mark.parametrize(
    "path", ["a\0b", "a\nb", "\x1b[31mx", "x\x7f", "a\ud800", "vicuna\u200b", "a\u202eb"], ids=ascii
)
def test_control_characters_are_refused_and_shown_harmlessly(path):
    with pytest.raises(InvalidModelPathError) as caught:
        parse_ref(path)
    assert str(caught.value).replace("\n", "").isprintable()


@pytest.mark.parametrize(
    "path", ["https://user:secret@example.org/x", "s3://bucket/model", "file:///etc/passwd", "hf://org/name"]
)
def test_an_address_is_refused_without_showing_it(path):
    with pytest.raises(InvalidModelPathError, match="a URL is not a model path") as caught:
        parse_ref(path)
    assert path not in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("revision", [None, "main", "refs/pr/1"])
def test_a_scheme_stands_before_owner_and_name(revision):
    path = f"hf:acme/chatty-7b{f'@{revision}' if revision else ''}"
    ref = parse_ref(path)
    assert (ref.original, ref.scheme, ref.path, ref.revision) == (path, "hf", "acme/chatty-7b", revision)
    assert parse_ref("acme/chatty-7b").scheme is None


def test_the_length_of_a_path_is_limited():
    assert parse_ref("a" * LONGEST_PATH).name == "a" * LONGEST_PATH
    with pytest.raises(InvalidModelPathError, match=f"has {LONGEST_PATH + 1} characters") as caught:
        parse_ref("a" * (LONGEST_PATH + 1))
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    "path", [None, 5, b"org/name", ["org", "name"], object()], ids=lambda path: type(path).__name__
)
def test_what_is_neither_text_nor_path_is_a_type_error_too(path):
    with pytest.raises(InvalidModelPathTypeError, match=f"not {type(path).__name__}"):
        parse_ref(path)
    assert issubclass(InvalidModelPathTypeError, TypeError)


@given(st.text(max_size=60))
def test_any_text_is_taken_apart_or_refused(text):
    try:
        ref = parse_ref(text)
    except InvalidModelPathError:
        return
    assert ref.original == text
    assert ref.name
    assert ref.path.endswith(ref.name)
    assert all(word == word.lower() for word in ref.words)


def test_a_revision_may_contain_slashes():
    ref = parse_ref("lmsys/vicuna-7b-v1.5@refs/pr/1")
    assert (ref.path, ref.revision) == ("lmsys/vicuna-7b-v1.5", "refs/pr/1")


def test_a_cached_model_without_an_owner_has_none():
    assert parse_ref("/cache/models--gpt2/snapshots/abc").owner is None


# Names with a tag


@pytest.mark.parametrize(
    ("path", "owner", "name", "tag", "words", "decides"),
    [
        ("qwen2.5:7b", None, "qwen2.5", "7b", "qwen 2.5 7 b", True),
        ("llama3.1:8b-instruct-q4_K_M", None, "llama3.1", "8b-instruct-q4_K_M", "llama 3.1 8 b instruct q 4 k m", True),
        ("llama3:latest", None, "llama3", "latest", "llama 3 latest", True),
        ("llama3:8b-text", None, "llama3", "8b-text", "llama 3 8 b text", True),
        ("llama4:scout", None, "llama4", "scout", "llama 4 scout", True),
        ("acme:cloud", None, "acme", "cloud", "acme cloud", True),
        ("acme:0731:cloud", None, "acme", "0731:cloud", "acme 0731 cloud", True),
        ("ollama/gpt-oss:20b", "ollama", "gpt-oss", "20b", "gpt oss 20 b", True),
        ("hf.co/acme/Acme-7B-GGUF:Q4_K_M", None, "Acme-7B-GGUF", "Q4_K_M", "acme 7 b gguf q 4 k m", False),
        ("openrouter/acme/acme-7b:free", None, "acme-7b", "free", "acme 7 b free", False),
    ],
)
def test_a_tag_belongs_to_the_name(path, owner, name, tag, words, decides):
    ref = parse_ref(path)
    assert (ref.owner, ref.name, ref.tag, " ".join(ref.words), ref.tag_decides) == (owner, name, tag, words, decides)


@pytest.mark.parametrize("path", ["javascript:alert(1)", "data:text/html,x", "mailto:a@b.c", "mysql:user:secret"])
def test_what_follows_a_colon_is_a_tag_only_if_it_looks_like_one(path):
    with pytest.raises(InvalidModelPathError):
        parse_ref(path)


# An owner before the name


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("packer/meta-llama_Llama-3.1-8B-Instruct-GGUF", "llama 3.1 8 b instruct gguf"),
        ("acme_acme-7b-chat", "acme 7 b chat"),
        ("acme_acme", "acme"),
        ("acme_acme-1_8b:q4_K_M", "acme 1.8 b q 4 k m"),
        ("Acme_Acme2___5-7B", "acme 2.5 7 b"),
        ("/models/acme_acme-7b-chat.Q4_K_M.gguf", "acme 7 b chat q 4 k m gguf"),
    ],
)
def test_an_owner_before_the_name_can_be_left_out_once(path, words):
    ref = parse_ref(path)
    shorter = ref._replace(words=tuple(words.split()))
    assert len(shorter.words) < len(ref.words)
    assert readings(ref) == (ref, shorter)
    assert readings(shorter) == (shorter,)


@pytest.mark.parametrize(
    "path",
    [
        "acme-7b-chat",
        "acme2_5-7b-chat",
        "acme2-chat-1_8b",
        "acme2___5-7b",
        "Acme_3_8b",
        "acme_2_7b_chat",
        "open_acme_7b_v2",
        "acme-3.1_tuned-8b",
        "reward_acme-7b-chat",
        "acme-embed_acme-7b",
    ],
)
def test_what_stands_before_an_underscore_need_not_be_an_owner(path):
    assert readings(parse_ref(path)) == (parse_ref(path),)
