"""Untrusted model files: the right answer or one clear error, quickly and in little memory."""

import base64
import io
import json
import os
import re
import struct
import tracemalloc
from contextlib import suppress

import gguf
import pytest
from counting import cpu_seconds
from goldens import REPOSITORY
from hypothesis import example, given
from hypothesis import strategies as st
from sampling import in_turn

from lect_jinja.files.directory import READ, read_directory
from lect_jinja.files.gguf import read_gguf, read_opened
from lect_jinja.files.tokens import markers_of
from lect_jinja.files.untrusted import ModelFileError

CASES = json.loads((REPOSITORY / "tests/data/hostile_configs.json").read_text("utf-8"))["cases"]
RUNAWAY, MEGABYTES = 1.5, 64
"""CPU seconds, ten times what the slowest file below takes, and how much memory any file may cost."""
TEMPLATE = "{% for m in messages %}{{ m.content }}{% endfor %}"


def flip(data, bit):
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def contents(case):
    """Return the contents of a case's file; some cases have many."""
    if "text" in case:
        return [case["text"].encode()]
    if "base64" in case:
        return [base64.b64decode(case["base64"])]
    good = next(base64.b64decode(each["base64"]) for each in CASES if each["id"] == "gguf-good")
    names = {"json": json, "struct": struct, "good": good, "flip": flip}
    made = eval(case.get("text_expr") or case["bytes_expr"], names)
    return [each.encode() if isinstance(each, str) else each for each in (made if isinstance(made, list) else [made])]


def bounded(read, path):
    """Return what is read, or the error, having checked that the time it takes does not run away."""
    results = []

    def attempt():
        try:
            results.append(read(str(path)))
        except ModelFileError as error:
            results.append(error)

    seconds = cpu_seconds(attempt)
    assert seconds < RUNAWAY
    return results[0]


def peak(read, path):
    """Return how many megabytes it takes to read a file."""
    tracemalloc.start()
    with suppress(ModelFileError):
        read(str(path))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most / 1e6


@pytest.mark.parametrize("case", in_turn(CASES, 3), ids=lambda case: case["id"])
def test_a_hostile_file_is_read_correctly_or_refused(case, tmp_path):
    read = read_gguf if case["file"].endswith(".gguf") else lambda path: read_directory(os.path.dirname(path))
    path = tmp_path / case["file"]
    for data in contents(case):
        path.write_bytes(data)
        result = bounded(read, path)
        is_refused = isinstance(result, ModelFileError)
        if case["expect"] == "error:ModelFileError" and not is_refused:
            # A file without a template is not an error yet: a model may have none. Asking for it is one.
            assert result.templates == {}
        elif case["expect"] in ("ok", "reject:TemplateRejected"):
            # What a template may do is the engine's business.
            assert not is_refused
            assert result.source
        elif case["expect"] == "error-or-warn" and not is_refused:
            assert result.notes
            assert markers_of(result.added) == {}
        if is_refused:
            assert str(path) in str(result)
            assert "\n  try: " in str(result)
            assert len(str(result)) < 600
            assert str(result).replace("\n", "").isprintable()
    assert peak(read, path) < MEGABYTES


def test_a_duplicate_key_is_found_quickly_and_named(tmp_path):
    keys = [f'"k{at}": 0' for at in range(150_000)]
    (tmp_path / "config.json").write_text("{" + ", ".join([*keys, keys[-1]]) + "}")
    error = bounded(read_directory, tmp_path)
    assert "the key 'k149999' occurs twice" in str(error)


def test_only_files_with_fixed_names_are_looked_at(tmp_path):
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"chat_template": "../../../etc/passwd"}))
    found = read_directory(str(tmp_path))
    assert found.source == "../../../etc/passwd"
    assert set(READ) >= {"chat_template.jinja", "tokenizer_config.json", "config.json", "generation_config.json"}


# Links and special files


def test_a_link_that_leads_out_of_the_directory_is_refused(tmp_path):
    (tmp_path / "secret").write_text('{"chat_template": "stolen"}')
    model = tmp_path / "model"
    model.mkdir()
    (model / "tokenizer_config.json").symlink_to(tmp_path / "secret")
    with pytest.raises(ModelFileError, match="leads out of its directory"):
        read_directory(str(model))


def test_a_link_within_the_directory_is_followed(tmp_path):
    (tmp_path / "mine.jinja").write_text(TEMPLATE)
    (tmp_path / "chat_template.jinja").symlink_to("mine.jinja")
    assert read_directory(str(tmp_path)).source == TEMPLATE


def test_a_hub_cache_keeps_its_files_as_blobs(tmp_path):
    blobs = tmp_path / "models--acme--Tiny/blobs"
    snapshot = tmp_path / "models--acme--Tiny/snapshots/0123abcd"
    blobs.mkdir(parents=True)
    snapshot.mkdir(parents=True)
    (blobs / "f00d").write_text(json.dumps({"chat_template": TEMPLATE}))
    (snapshot / "tokenizer_config.json").symlink_to("../../blobs/f00d")
    assert read_directory(str(snapshot)).source == TEMPLATE
    (snapshot / "config.json").symlink_to("../../blobs/gone")
    with pytest.raises(ModelFileError, match="does not exist"):
        read_directory(str(snapshot))


def test_a_loop_of_links_is_refused(tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(ModelFileError, match="cannot be read"):
        read_directory(str(tmp_path / "loop"))
    (tmp_path / "config.json").symlink_to("config.json")
    with pytest.raises(ModelFileError, match="cannot be read"):
        read_directory(str(tmp_path))


@pytest.mark.parametrize("name", ["tokenizer_config.json", "chat_template.jinja", "config.json"])
def test_anything_but_a_regular_file_is_refused_and_never_waited_for(name, tmp_path):
    os.mkfifo(tmp_path / name)
    with pytest.raises(ModelFileError, match="not a regular file"):
        read_directory(str(tmp_path))
    os.remove(tmp_path / name)
    (tmp_path / name).mkdir()
    with pytest.raises(ModelFileError, match="not a regular file"):
        read_directory(str(tmp_path))


def test_a_device_is_refused(tmp_path):
    with pytest.raises(ModelFileError, match="not a regular file"):
        read_gguf("/dev/zero")


def test_a_file_that_becomes_a_link_after_it_was_checked_is_refused(tmp_path, monkeypatch):
    (tmp_path / "secret").write_text('{"chat_template": "stolen"}')
    model = tmp_path / "model"
    model.mkdir()
    config = model / "tokenizer_config.json"
    config.write_text("{}")
    really_open = os.open

    def open_late(path, flags, *rest):
        if os.fspath(path).endswith("tokenizer_config.json"):
            config.unlink()
            config.symlink_to(tmp_path / "secret")
        return really_open(path, flags, *rest)

    monkeypatch.setattr(os, "open", open_late)
    with pytest.raises(ModelFileError, match="cannot be read"):
        read_directory(str(model))


# Where a template may be


def write(directory, **files):
    for name, content in files.items():
        path = directory / name.replace("__", "/").replace("_json", ".json").replace("_jinja", ".jinja")
        path.parent.mkdir(exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")


def test_a_separate_file_takes_precedence_over_the_config_and_a_difference_is_noted(tmp_path):
    write(tmp_path, chat_template_jinja="B", chat_template_json={"chat_template": "C"})
    write(tmp_path, tokenizer_config_json={"chat_template": "A"})
    found = read_directory(str(tmp_path))
    assert (found.source, found.origin) == ("B", "chat_template.jinja")
    assert found.conflicts == ("chat_template.json", "tokenizer_config.json")


def test_line_endings_are_read_as_python_reads_them(tmp_path):
    (tmp_path / "chat_template.jinja").write_bytes(b"a\r\nb\rc\n")
    assert read_directory(str(tmp_path)).source == "a\nb\nc\n"


def test_named_templates_are_found_in_the_config_and_in_the_folder(tmp_path):
    named = [{"name": "default", "template": "D"}, {"name": "rag", "template": "R"}]
    write(tmp_path, tokenizer_config_json={"chat_template": named}, additional_chat_templates__tool_use_jinja="T")
    assert read_directory(str(tmp_path)).templates == {"default": "D", "rag": "R", "tool_use": "T"}


@pytest.mark.parametrize("default", ["plain", "\n {{ messages[0].content }} \n", "{%- if true %}x{%- endif %}\n"])
@pytest.mark.parametrize("with_tools", ["tools", "\n  {{ tools }}  ", "{%- set a = 1 -%}\n\n{{ a }}\n"])
def test_two_templates_in_one_text_render_as_each_does_alone(default, with_tools, tmp_path):
    jinja2 = pytest.importorskip("jinja2")
    environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True)
    named = [{"name": "default", "template": default}, {"name": "tool_use", "template": with_tools}]
    write(tmp_path, tokenizer_config_json={"chat_template": named})
    both = environment.from_string(read_directory(str(tmp_path)).source)
    for tools, alone in ((None, default), (["t"], with_tools)):
        given = {"messages": [{"content": "hi"}], "tools": tools}
        assert both.render(given) == environment.from_string(alone).render(given)


def test_paddlenlps_file_of_the_same_name_is_told_apart(tmp_path):
    write(tmp_path, chat_template_json={"conversation": ["Human: {{user}}", "{{bot}}"], "query": "{{query}}"})
    with pytest.raises(ModelFileError, match="PaddleNLP") as caught:
        read_directory(str(tmp_path))
    assert re.search("try: pip install .*paddlenlp", str(caught.value))
    write(tmp_path, tokenizer_config_json={"chat_template": "A"})
    assert read_directory(str(tmp_path)).source == "A"


def test_stops_come_from_the_tokenizer_and_the_generation_config(tmp_path):
    decoder = {"7": {"content": "<|im_end|>", "special": True}, "8": {"content": "<|eot|>", "special": False}}
    write(
        tmp_path,
        tokenizer_config_json={"eos_token": {"content": "<|im_end|>"}, "added_tokens_decoder": decoder},
        generation_config_json={"eos_token_id": [7, 8, 2], "stop_strings": ["\nObservation:"]},
        special_tokens_map_json={"bos_token": "<s>", "eos_token": "</s>"},
        config_json={"model_type": "qwen2"},
    )
    found = read_directory(str(tmp_path))
    assert found.stop == {"<|im_end|>": 7, "<|eot|>": 8, "\nObservation:": None}
    assert found.stop_ids == (2,)
    assert found.tokens == {"eos_token": "<|im_end|>"}
    assert found.model_type == "qwen2"


@pytest.mark.parametrize(
    ("config", "special", "expected"),
    [
        ({"eos_token": "</c>"}, {"eos_token": "</m>", "bos_token": "<m>"}, {"eos_token": "</m>", "bos_token": "<m>"}),
        ({"eos_token": "</c>"}, {"eos_token": None}, {}),
        ({"eos_token": "</c>"}, {"eos_token": ""}, {}),
        (
            {"eos_token": "</c>", "added_tokens_decoder": {}},
            {"eos_token": "</m>", "bos_token": "<m>"},
            {"eos_token": "</c>"},
        ),
        ({"image_token": "<c>", "add_bos_token": True}, {"image_token": "<m>"}, {"image_token": "<c>"}),
        ({"image_token": "<c>", "extra_special_tokens": {"image_token": "<x>"}}, {}, {"image_token": "<x>"}),
        ({}, {"extra_special_tokens": {"image_token": "<x>"}, "image_token": "<m>"}, {"image_token": "<x>"}),
    ],
)
def test_the_map_of_special_tokens_counts_where_the_config_lists_no_added_ones(config, special, expected, tmp_path):
    # What transformers 5.23 reads: tests/integrations/test_directories.py asks it.
    write(tmp_path, tokenizer_config_json=config, special_tokens_map_json=special)
    assert read_directory(str(tmp_path)).tokens == expected


def test_a_byte_order_mark_stays_in_a_template_and_goes_from_json(tmp_path):
    (tmp_path / "chat_template.jinja").write_text(TEMPLATE, "utf-8-sig")
    (tmp_path / "tokenizer_config.json").write_text('{"eos_token": "</s>"}', "utf-8-sig")
    found = read_directory(str(tmp_path))
    assert found.source == "\ufeff" + TEMPLATE
    assert found.tokens == {"eos_token": "</s>"}


def test_added_tokens_are_found_at_the_beginning_of_the_vocabulary(tmp_path):
    added = [{"id": 5, "content": "<|user|>", "special": False}]
    vocabulary = {"version": "1.0", "added_tokens": added, "model": {"vocab": {str(at): at for at in range(200_000)}}}
    write(tmp_path, tokenizer_json=vocabulary, tokenizer_config_json={"chat_template": "A"})
    assert read_directory(str(tmp_path)).added == {"<|user|>": 5}


def test_tokens_that_differ_in_a_number_are_one_marker():
    added = {f"<unused{at}>": 100 + at for at in range(20)} | {"<s>": 1, "<mask_2>": 2, " ": 3, "e": 4}
    assert markers_of(added) == {"<s>": 1, "<mask_2>": 2, "<unused{}>": [100 + at for at in range(20)]}


# GGUF


def test_a_gguf_file_has_template_tokens_and_stops(tmp_path):
    (tmp_path / "a.gguf").write_bytes(gguf.model(TEMPLATE))
    found = read_gguf(str(tmp_path / "a.gguf"))
    assert (found.source, found.model_type) == (TEMPLATE, "qwen2")
    assert found.tokens == {"bos_token": "<s>", "eos_token": "<|im_end|>"}
    assert found.stop == {"<|im_end|>": 3}
    assert found.added == {"<s>": 1, "</s>": 2, "<|im_end|>": 3}


LONG = "<|" + "a" * (1 << 20) + "|>"
MANY = [f"<{'x' * 20}{chr(0x4E00 + high)}{chr(0x4E00 + low)}>" for high in range(100) for low in range(120)]
TOO_LONG = {
    "a control token": ("model.gguf", gguf.model(TEMPLATE, ("<unk>", "<s>", "</s>", LONG, "hello"))),
    "an ordinary token that is named": ("model.gguf", gguf.model(TEMPLATE, ("<unk>", LONG, "</s>", "<s>", "hello"))),
    "a named token": ("tokenizer_config.json", {"chat_template": TEMPLATE, "eos_token": LONG}),
    "a listed token": ("added_tokens.json", {LONG: 7}),
    "many tokens": ("added_tokens.json", {token: number for number, token in enumerate(MANY)}),
    "a stop": ("generation_config.json", {"stop_strings": [LONG]}),
}


@pytest.mark.parametrize(("name", "content"), TOO_LONG.values(), ids=TOO_LONG)
def test_tokens_that_are_too_long_to_look_for_are_refused(name, content, tmp_path):
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    error = bounded(read_directory, tmp_path)
    assert isinstance(error, ModelFileError)
    assert "characters; at most " in str(error)


def test_many_numbered_tokens_are_one(tmp_path):
    tokens = {f"<{'x' * 20}{number}>": number for number in range(60_000)}
    (tmp_path / "added_tokens.json").write_text(json.dumps(tokens))
    assert len(bounded(read_directory, tmp_path).added) == len(tokens)


def test_a_large_vocabulary_is_skipped_quickly(tmp_path):
    tokens = [f"token{at}" for at in range(60_000)]
    pairs = [
        ("tokenizer.ggml.merges", gguf.ARRAY, (gguf.STRING, tokens)),
        ("tokenizer.chat_template", gguf.STRING, "T"),
    ]
    (tmp_path / "a.gguf").write_bytes(gguf.file(pairs))
    assert bounded(read_gguf, tmp_path / "a.gguf").source == "T"
    assert peak(read_gguf, tmp_path / "a.gguf") < MEGABYTES


@pytest.mark.parametrize("count", [200_000, 3_000_000])
def test_arrays_of_very_many_texts_are_skipped_or_refused(count, tmp_path):
    texts = struct.pack("<IQ", gguf.STRING, count) + bytes(8 * count)
    keys = gguf.text("tokenizer.ggml.tokens") + struct.pack("<I", gguf.ARRAY) + texts
    (tmp_path / "a.gguf").write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + keys)
    result = bounded(read_gguf, tmp_path / "a.gguf")
    assert isinstance(result, ModelFileError) == (count == 3_000_000)
    assert peak(read_gguf, tmp_path / "a.gguf") < MEGABYTES


@pytest.mark.parametrize("wrong", [5, {"a": 1}, [5], [None], True])
def test_stops_of_a_wrong_type_are_refused(wrong, tmp_path):
    for key in ("stop_strings", "eos_token_id"):
        if not (key == "eos_token_id" and wrong in (5, [5])):
            write(tmp_path, generation_config_json={key: wrong})
            with pytest.raises(ModelFileError, match=key):
                read_directory(str(tmp_path))


def test_a_template_in_a_gguf_file_beside_another_is_used_or_its_difference_noted(tmp_path):
    (tmp_path / "model.gguf").write_bytes(gguf.model("B"))
    alone = read_directory(str(tmp_path))
    assert (alone.source, alone.origin) == ("B", "model.gguf: tokenizer.chat_template")
    write(tmp_path, tokenizer_config_json={"chat_template": "A"})
    found = read_directory(str(tmp_path))
    assert found.source == "A"
    assert found.conflicts == ("model.gguf",)


GOOD = gguf.model(TEMPLATE)
TEMPLATE_AT = GOOD.index(TEMPLATE.encode())
TENSORS_AT = GOOD.index(b"token_embd.weight") - 8
DATA_AT = len(GOOD) - 256


def outcome(data):
    try:
        return read_opened(io.BytesIO(data), len(data), "a.gguf")
    except ModelFileError as error:
        return error


def test_a_truncated_gguf_file_is_refused_unless_all_metadata_are_there():
    for length in range(len(GOOD)):
        found = outcome(GOOD[:length])
        assert isinstance(found, ModelFileError) or (length >= DATA_AT - 32 and found.source == TEMPLATE), length


def test_one_wrong_bit_gives_an_error_or_the_right_template():
    right = TEMPLATE.encode()
    for bit in range(8 * DATA_AT):
        found = outcome(flip(GOOD, bit))
        if isinstance(found, ModelFileError) or not found.templates:
            continue
        template = found.source.encode()
        in_the_template = TEMPLATE_AT <= bit // 8 < TEMPLATE_AT + len(right)
        assert template == (flip(right, bit - 8 * TEMPLATE_AT) if in_the_template else right), bit
        # What a token is called may change with its own bits; which token it is, and how many there are, may not.
        assert len(found.added) <= 5


@given(data=st.binary(max_size=400), at=st.integers(0, len(GOOD)))
@example(data=struct.pack("<Q", 2**64 - 1), at=24)
def test_a_gguf_file_with_any_content_raises_nothing_but_our_error(data, at):
    outcome(GOOD[:at] + data + GOOD[at + len(data) :])
