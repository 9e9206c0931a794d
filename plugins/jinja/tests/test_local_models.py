"""Models on disk: `lect.resolve`, `lect.load_template` and the command line, with the files that users have."""

import base64
import json
import os
import pickle
import struct
import subprocess
import sys
import warnings
from contextlib import suppress
from pathlib import Path

import gguf
import pytest
from goldens import REPOSITORY
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lect
import lect_jinja
from lect import LectError, SourceError, UnknownModelError
from lect.plugin import CHATML
from lect_jinja.engine.environment import ENVIRONMENT
from lect_jinja.engine.tree import tree_fingerprint
from lect_jinja.files.untrusted import ModelFileError
from lect_jinja.identity import knowledge
from lect_jinja.identity.knowledge import fingerprint
from lect_jinja.identity.paths import is_installed, read_files

OWN = "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}<|over|>{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"
HELLO = [{"role": "user", "content": "Hello!"}]
CHATML_TEXT = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


@pytest.fixture
def model(tmp_path, monkeypatch):
    """Write the files of a model; return the path as a user types it."""
    monkeypatch.chdir(tmp_path)

    def write(name="checkpoint-500", **files):
        directory = tmp_path / name
        directory.mkdir(parents=True, exist_ok=True)
        for file, content in files.items():
            path = directory / file.replace("_json", ".json").replace("_jinja", ".jinja").replace("_gguf", ".gguf")
            data = content if isinstance(content, bytes) else content.encode() if isinstance(content, str) else None
            path.write_bytes(json.dumps(content).encode() if data is None else data)
        return f"./{name}"

    return write


def test_a_directory_uses_its_own_template(model):
    path = model(chat_template_jinja=OWN, tokenizer_config_json={"eos_token": "<|over|>"})
    resolution = lect.resolve(path)
    assert resolution.package == "lect-jinja"
    assert resolution.template.text(HELLO, add_generation_prompt=True) == "<|user|>Hello!<|over|><|assistant|>"
    assert list(resolution.template.stop) == ["<|over|>"]
    assert lect.get_conversation_template(Path(path)).template.text(HELLO) == "<|user|>Hello!<|over|>"
    assert lect.parse(path, "Hi<|over|>x").content == "Hi"


def test_where_a_reply_ends_is_known_from_the_template_alone(model):
    path = model(chat_template_jinja=OWN)
    assert list(lect.resolve(path).template.stop) == ["<|over|>"]


def test_a_name_never_touches_the_disk(model):
    model("owner/name", chat_template_jinja=OWN)
    code = (
        "import sys, lect; lect.plugins(load=True); seen = []\n"
        "sys.addaudithook(lambda event, args: seen.append(str(args)) if event in ('open', 'os.listdir', 'os.scandir') else None)\n"
        "try: lect.resolve('owner/name')\nexcept lect.UnknownModelError: pass\n"
        "assert not any('owner' in each for each in seen), seen"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_name_is_not_a_path_for_the_adapter_either(model):
    model("owner/name", chat_template_jinja=OWN)
    with pytest.raises(LectError, match="has no chat template"):
        lect.resolve("owner/name", adapter="jinja")


def test_the_same_path_is_read_again_when_a_file_has_changed(model):
    path = model(chat_template_jinja=OWN)
    first = lect.resolve(path).template
    assert lect.resolve(path).template is first
    model(chat_template_jinja=OWN.replace("over", "done"))
    assert lect.resolve(path).template.text(HELLO) == "<|user|>Hello!<|done|>"
    os.remove(f"{path}/chat_template.jinja")
    with pytest.raises(UnknownModelError):
        lect.resolve(path)


def test_a_directory_without_a_template_is_known_by_its_name_or_not_at_all(model):
    path = model("chatter", config_json={"model_type": "llama"})
    with lect.pin("chatter", CHATML):
        assert lect.resolve(path).template is CHATML
    with pytest.raises(UnknownModelError):
        lect.resolve(path)


def test_a_missing_path_is_told_from_one_without_a_template(model, monkeypatch):
    path = model(config_json={"model_type": "llama"})
    monkeypatch.setenv("HOME", str(Path(path).parent))
    with pytest.raises(UnknownModelError, match="jinja: it has no chat template"):
        lect.resolve(f"~/{Path(path).name}")
    with pytest.raises(UnknownModelError, match="jinja: it has no chat template"):
        lect.resolve(path)
    with pytest.raises(UnknownModelError, match="\n  there is no such file or directory\n"):
        lect.resolve(f"{path}0")


def test_for_a_file_of_a_model_its_directory_is_asked_for(model):
    path = model(chat_template_jinja="{{ messages[0].content }}")
    for file in ("chat_template.jinja", "chat_template.jinja#rag"):
        with pytest.raises(UnknownModelError) as caught:
            lect.get_template(f"{path}/{file}")
        assert f"jinja: it is a file; give its directory, {path!r}\n" in str(caught.value)


def test_a_network_share_is_not_looked_at(model, monkeypatch):
    path = model(adapter_config_json={"base_model_name_or_path": "//host/share/nobodys-7b"})
    looked_at = []
    monkeypatch.setattr(
        os, "stat", lambda place, *_, stat=os.stat, **more: looked_at.append(place) or stat(place, **more)
    )
    with pytest.raises(ModelFileError, match="no installed adapter recognises '//host/share/nobodys-7b'"):
        lect.resolve(path)
    for way in (lect_jinja.load, read_files):
        with pytest.raises(ModelFileError, match="is a network share"):
            way("//host/share/model")
    assert looked_at
    assert not [place for place in looked_at if str(place).startswith("//")]


def test_why_names_the_nearest_template_and_the_first_difference(model):
    path = model(chat_template_jinja=CHATML_TEXT.replace("{% endfor %}", "{% endfor %}Well: "))
    resolution = lect.resolve(path)
    (nearest,) = [remark for remark in resolution.remarks if remark.startswith("nearest: ")]
    assert "first difference in a question: at character 42, 'Well: " in nearest


def test_the_family_of_a_known_text_is_named_if_it_is_not_installed(model, monkeypatch):
    row = {"template": "acme:acme-1", "tree": tree_fingerprint(ENVIRONMENT.parse(OWN))}
    monkeypatch.setattr(knowledge, "fingerprints", lambda: {fingerprint(OWN): row})
    resolution = lect.resolve(model(chat_template_jinja=OWN))
    assert resolution.template.text(HELLO) == "<|user|>Hello!<|over|>"
    assert any(
        "a template of acme:acme-1" in each and "try: pip install lect-acme" in each for each in resolution.remarks
    )


def test_ids_and_stops_are_those_of_the_model(model):
    added = {"32000": {"content": "<|im_end|>"}, "32001": {"content": "<|im_start|>"}, "2": {"content": "</s>"}}
    path = model(
        tokenizer_config_json={"chat_template": CHATML_TEXT, "eos_token": "<|im_end|>", "added_tokens_decoder": added},
        generation_config_json={"eos_token_id": [32000, 2, 77]},
    )
    template = lect.resolve(path).template
    assert template.stop["<|im_end|>"] == 32000
    assert template.stop["</s>"] == 2
    assert set(template.stop_ids) == {32000, 2, 77}
    assert template.markers["<|im_start|>"] == 32001


# How replies are read


def replies(path):
    return next(remark for remark in lect.resolve(path).remarks if remark.startswith("replies: "))


def test_the_format_of_replies_is_chosen_by_model_type_then_tokens_then_markers(model):
    thinking = OWN + "{# <think> #}"
    path = model(chat_template_jinja=thinking)
    assert replies(path) == "replies: 'think', by the marker '<think>' in the template"
    assert lect.parse(path, "<think>hm</think>Hi<|over|>").reasoning == "hm"
    model(tokenizer_config_json={"added_tokens_decoder": {"9": {"content": "<tool_call>"}}})
    assert "'hermes_json'" in replies(path)
    assert "special token '<tool_call>'" in replies(path)
    model(config_json={"model_type": "gpt_oss"})
    assert "'harmony'" in replies(path)
    assert "model_type 'gpt_oss'" in replies(path)


# GGUF, LoRA, hub caches


def test_a_gguf_file_uses_its_own_template(model):
    model(model_gguf=gguf.model(OWN))
    template = lect.resolve("./checkpoint-500/model.gguf").template
    assert template.text(HELLO) == "<|user|>Hello!<|over|>"
    assert template.stop["<|im_end|>"] == 3
    assert lect.load_template("./checkpoint-500/model.gguf").text(HELLO) == "<|user|>Hello!<|over|>"


def test_a_lora_adapter_uses_the_template_of_its_base(model, tmp_path):
    base = model("base", chat_template_jinja=OWN)
    path = model("lora", adapter_config_json={"base_model_name_or_path": str(tmp_path / "base")})
    assert lect.resolve(path).template.text(HELLO) == lect.resolve(base).template.text(HELLO)
    assert any("is a LoRA adapter of" in remark for remark in lect.resolve(path).remarks)
    model("lora", chat_template_jinja=OWN.replace("over", "own"))
    assert lect.resolve(path).template.text(HELLO) == "<|user|>Hello!<|own|>"


def test_a_lora_adapter_of_a_missing_model_goes_by_its_name(model):
    with lect.pin("*chatter*", CHATML):
        for base in ("acme/chatter", "/home/somebody/models/chatter"):
            path = model("lora", adapter_config_json={"base_model_name_or_path": base})
            assert lect.resolve(path).template is CHATML


@pytest.mark.parametrize("base", ["acme/nobody-knows-it", " ", "../lora/../nowhere", "https://acme.example/x"])
def test_a_lora_adapter_of_an_unknown_model_is_an_error_that_says_so(base, model):
    path = model("lora", adapter_config_json={"base_model_name_or_path": base})
    with pytest.raises(ModelFileError, match="is a LoRA adapter without a template, and its base is not known"):
        lect.resolve(path)


def test_lora_adapters_in_a_circle_are_refused(model, tmp_path):
    for one, other in (("a", "b"), ("b", "a")):
        path = model(one, adapter_config_json={"base_model_name_or_path": str(tmp_path / other)})
    with pytest.raises(ModelFileError, match="circle"):
        lect.resolve(path)


def test_a_hub_cache_is_a_directory_like_any_other(model):
    path = model("models--acme--Tiny/snapshots/0123abcd", tokenizer_config_json={"chat_template": OWN})
    assert lect.resolve(path).template.text(HELLO) == "<|user|>Hello!<|over|>"


def test_a_template_for_tools_is_used_when_tools_are_given(model):
    named = [{"name": "default", "template": OWN}, {"name": "tool_use", "template": "{{ tools[0].function.name }}"}]
    template = lect.resolve(model(tokenizer_config_json={"chat_template": named})).template
    tool = {"type": "function", "function": {"name": "add", "description": "", "parameters": {"type": "object"}}}
    assert template.text(HELLO) == "<|user|>Hello!<|over|>"
    assert template.text(HELLO, tools=[tool]) == "add"


def test_one_of_several_templates_is_named_after_the_path(model):
    named = [{"name": name, "template": f"{name}: {OWN}"} for name in ("default", "rag")]
    path = model(tokenizer_config_json={"chat_template": named, "eos_token": "<|over|>"})
    assert lect.resolve(path).template.text(HELLO) == "default: <|user|>Hello!<|over|>"
    template = lect.resolve(f"{path}#rag").template
    assert (template.name, template.text(HELLO)) == ("checkpoint-500#rag", "rag: <|user|>Hello!<|over|>")
    assert template.written_at == "./checkpoint-500/tokenizer_config.json#rag"
    assert list(template.stop) == ["<|over|>"]
    assert any(f"further templates: 'rag'; '{path}#rag' selects it" in each for each in lect.resolve(path).remarks)
    done = subprocess.run(
        [sys.executable, "-m", "lect", "prompt", f"{path}#rag", "Hello!"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("rag: <|user|>Hello!")
    for call in (lect.resolve, lambda given: lect_jinja.load(path, chat_template="short")):
        with pytest.raises(SourceError, match=r"no chat template called 'short', only 'default', 'rag'\n.*#default"):
            call(f"{path}#short")


def test_a_directory_may_have_a_hash_sign_in_its_name(model):
    assert lect.resolve(model("run#rag", chat_template_jinja=OWN)).template.text(HELLO) == "<|user|>Hello!<|over|>"


def test_a_named_template_of_the_base_is_found_through_a_lora_adapter(model):
    named = [{"name": name, "template": f"{name}: {OWN}"} for name in ("default", "rag")]
    model("base", tokenizer_config_json={"chat_template": named})
    path = model("lora", adapter_config_json={"base_model_name_or_path": "./base"})
    assert lect.resolve(f"{path}#rag").template.text(HELLO) == "rag: <|user|>Hello!<|over|>"


def test_a_named_template_that_is_edited_in_place_is_read_again(model):
    path = model(chat_template_jinja=OWN)
    folder = Path(path, "additional_chat_templates")
    folder.mkdir()
    (folder / "rag.jinja").write_text("one", "utf-8")
    assert lect.resolve(f"{path}#rag").template.text(HELLO) == "one"
    assert lect.resolve(f"{path}#rag").template.written_at.endswith("additional_chat_templates/rag.jinja")
    (folder / "rag.jinja").write_text("two, and longer", "utf-8")
    assert lect.resolve(f"{path}#rag").template.text(HELLO) == "two, and longer"


def test_a_model_on_disk_is_loaded_with_limits_and_facts(model):
    path = model(chat_template_jinja=OWN, tokenizer_config_json={"eos_token": "</s>"})
    template = lect_jinja.load(path, limits={"work": 5000}, stop=["<|end|>"])
    assert (template.name, template.limits.work, list(template.stop)) == ("checkpoint-500", 5000, ["<|end|>"])
    assert list(lect_jinja.load(Path(path), name="mine").stop) == ["</s>", "<|over|>"]
    with pytest.raises(SourceError, match="nothing' does not exist"):
        lect_jinja.load("./nothing")


# Errors


def test_a_file_that_cannot_be_read_is_an_error_that_names_it(model):
    path = model(tokenizer_config_json=b"\xff\xfe")
    for call in (lect.resolve, lect.load_template, lect.get_template):
        with pytest.raises(SourceError, match=r"tokenizer_config\.json' is not UTF-8"):
            call(path)


@pytest.mark.parametrize("text", ["{% if %}", "{{ x.__class__ }", "{% include 'x' %}"])
def test_a_template_that_cannot_be_run_is_an_error_that_names_its_file(model, text):
    with pytest.raises(SourceError, match=r"chat_template\.jinja in '\./checkpoint-500' cannot be used"):
        lect.resolve(model(chat_template_jinja=text))


def test_several_templates_without_a_default_are_an_error_that_names_them(model):
    named = [{"name": "rag", "template": OWN}, {"name": "short", "template": OWN}]
    with pytest.raises(SourceError, match="no chat template called 'default', only 'rag', 'short'"):
        lect.resolve(model(tokenizer_config_json={"chat_template": named}))


def test_an_undefined_token_that_the_template_writes_is_remarked_on(model):
    path = model(chat_template_jinja="{{ bos_token }}" + OWN)
    assert lect.resolve(path).template.text(HELLO) == "<|user|>Hello!<|over|>"
    assert any("the template writes bos_token" in remark for remark in lect.resolve(path).remarks)


HOSTILE = json.loads((REPOSITORY / "tests/data/hostile_configs.json").read_text("utf-8"))["cases"]
SINGLE = [case for case in HOSTILE if "bytes_expr" not in case and len(case.get("text_expr", "")) < 60]


@pytest.mark.parametrize("case", SINGLE, ids=[case["id"] for case in SINGLE])
def test_a_hostile_file_leads_to_a_prompt_or_to_one_of_our_errors(case, tmp_path):
    path = tmp_path / "checkpoint-500" / case["file"]
    path.parent.mkdir()
    if "base64" in case:
        path.write_bytes(base64.b64decode(case["base64"]))
    else:
        made = case.get("text") or eval(case["text_expr"], {"json": json, "struct": struct})
        path.write_bytes(made if isinstance(made, bytes) else made.encode())
    place = path if path.suffix == ".gguf" else path.parent
    if case["expect"] in ("ok", "error-or-warn"):
        assert isinstance(lect.resolve(place).template.text(HELLO), str)
    else:
        with pytest.raises(LectError):
            lect.resolve(place).template.text(HELLO)


FIELDS = {
    "tokenizer_config.json": [
        "chat_template",
        "bos_token",
        "eos_token",
        "extra_special_tokens",
        "added_tokens_decoder",
    ],
    "special_tokens_map.json": ["bos_token", "extra_special_tokens"],
    "added_tokens.json": ["<a>", ""],
    "tokenizer.json": ["added_tokens"],
    "generation_config.json": ["eos_token_id", "stop_strings"],
    "config.json": ["model_type"],
    "adapter_config.json": ["base_model_name_or_path"],
    "chat_template.json": ["chat_template", "query"],
}
ODD = st.sampled_from([None, True, 0, -1, 2**70, 1.5, "", "a", " ", "\ud800", "\0", "<a{}>", "<u1>", "../x", "/etc"])
KEYS = st.sampled_from(["content", "special", "1", "x", "name", "template", "id", ""])
VALUES = st.recursive(ODD, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_value_of_a_field_leads_to_a_prompt_or_one_of_our_errors(data, tmp_path):
    file = data.draw(st.sampled_from(list(FIELDS)))
    field = data.draw(st.sampled_from(FIELDS[file]))
    for old in tmp_path.iterdir():
        old.unlink()
    (tmp_path / "chat_template.jinja").write_text(OWN)
    (tmp_path / file).write_text(json.dumps({field: data.draw(VALUES)}))
    with suppress(SourceError):
        template = lect.resolve(tmp_path).template
        assert template.text(HELLO) == "<|user|>Hello!<|over|>"
        assert template.parse("Hi<|over|>").content == "Hi"


@pytest.mark.skipif(is_installed("lect_paddlenlp"), reason="lect-paddlenlp is installed, and reads it")
def test_a_template_in_paddlenlps_notation_is_told_apart(model):
    path = model(chat_template_json={"conversation": ["Human: {{user}}", "{{bot}}"], "query": "{{query}}"})
    for call in (lect.resolve, lect.load_template):
        with pytest.raises(SourceError, match=r"try: pip install .*paddlenlp"):
            call(path)


@pytest.mark.parametrize("make", ["loop", "empty-dir", "config-is-dir", "dir-with-symlink-to-etc", "fifo"])
def test_an_odd_place_is_refused_or_left_to_its_name(make, tmp_path):
    place = tmp_path / make
    if make == "loop":
        place.symlink_to(place)
    else:
        place.mkdir()
    if make == "config-is-dir":
        (place / "tokenizer_config.json").mkdir()
    elif make == "dir-with-symlink-to-etc":
        (place / "tokenizer_config.json").symlink_to("/etc/passwd")
    elif make == "fifo":
        os.mkfifo(place / "chat_template.jinja")
    expected = UnknownModelError if make == "empty-dir" else ModelFileError
    with pytest.raises(expected):
        lect.resolve(place)


# The features of every template


def test_a_models_own_template_has_all_features_of_a_template(model):
    template = lect.resolve(model(chat_template_jinja=OWN)).template
    prompt = template.render([{"role": "user", "content": "Hi <|over|>"}], verbose=True)
    assert [segment.text for segment in prompt.segments if segment.path[-1:] == ("content",)] == ["Hi <|over|>"]
    assert [control.marker for control in prompt.controls] == ["<|over|>"]
    assert [unused.path for unused in prompt.unused] == [("options", "verbose")]
    again = pickle.loads(pickle.dumps(template))
    assert again.text(HELLO) == template.text(HELLO)
    assert pickle.loads(pickle.dumps(lect.resolve("./checkpoint-500"))).template.text(HELLO) == template.text(HELLO)


def test_texts_and_mappings_are_read_too():
    assert lect.load_template(OWN).text(HELLO) == "<|user|>Hello!<|over|>"
    config = {"chat_template": OWN + "{{ eos_token }}", "eos_token": "</s>"}
    assert lect.load_template(config).text(HELLO) == "<|user|>Hello!<|over|></s>"
    with pytest.raises(LectError):
        lect.load_template({"something": "else"})


def run(*words):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        done = subprocess.run([sys.executable, "-m", "lect", *words], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def test_the_command_line_takes_a_directory(model):
    path = model(chat_template_jinja=OWN)
    assert run("prompt", path, "Hello!") == (0, "<|user|>Hello!<|over|><|assistant|>", "")
    code, out, _ = run("why", path)
    assert code == 0
    assert "chat_template.jinja is a template of its own" in out
    os.remove(f"{path}/chat_template.jinja")
    model(tokenizer_config_json=b"[")
    code, out, error = run("prompt", path, "Hello!")
    assert (code, out) == (1, "")
    assert "tokenizer_config.json' is not JSON" in error
    assert "Traceback" not in error


def test_a_template_that_is_read_alone_ends_a_reply_where_its_turns_end():
    text = "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}<|over|>{% endfor %}"
    assert list(lect.load_template(text).stop) == ["<|over|>"]
    with_eos = lect.load_template({"chat_template": text, "eos_token": "</s>"})
    assert list(with_eos.stop) == ["</s>", "<|over|>"]
    assert with_eos.parse("Hi!<|over|>").content == "Hi!"
