"""Model directories read as transformers' `AutoTokenizer` reads them, over generated combinations of files."""

import itertools
import json

import pytest

import lect_jinja

transformers = pytest.importorskip("transformers", minversion="5.23")
tokenizers = pytest.importorskip("tokenizers")

MARK = "\ufeff"
TEMPLATE = (
    "{%- for m in messages %}\r\n{{ bos_token }}|{{ m['content'] }}|{{ eos_token }}|{{ image_token }}\n{% endfor %}END"
)
OTHER = "other {{ eos_token }}{{ messages[0]['content'] }}"
CHAT = [{"role": "user", "content": "Hi"}]
ABSENT = object()
DECODER = {"1": {"content": "</s>", "special": True}}

IN_CONFIG = {
    "eos_token": ("</config>", {"content": "</config>", "__type": "AddedToken"}, None, ABSENT),
    "image_token": ("<image>", ABSENT),
    "added_tokens_decoder": (DECODER, ABSENT),
    "extra_special_tokens": ({"image_token": "<extra>"}, ["<extra>"], ABSENT),
}
MAPS = (
    {},
    {"eos_token": "</map>"},
    {"bos_token": {"content": "<map>"}, "eos_token": {"content": "</map>"}},
    {"eos_token": None},
    {"eos_token": ""},
    {"extra_special_tokens": {"image_token": "<map-extra>"}},
    {"image_token": "<map-image>"},
)
TEMPLATES = (
    {"config": TEMPLATE},
    {"chat_template.jinja": TEMPLATE},
    {"chat_template.jinja": MARK + TEMPLATE, "config": OTHER},
    {"chat_template.jinja": TEMPLATE, "config": [{"name": "default", "template": OTHER}]},
    {"config": MARK + TEMPLATE},
    {"chat_template.jinja": TEMPLATE, "additional_chat_templates/rag.jinja": MARK + OTHER},
)


def stated(choices):
    """Yield each combination of values, without the names whose value is absent."""
    for values in itertools.product(*choices.values()):
        yield {name: value for name, value in zip(choices, values, strict=True) if value is not ABSENT}


CONFIGS = list(stated(IN_CONFIG))
DIRECTORIES = [
    *((config, special, TEMPLATES[0]) for config in CONFIGS for special in (None, *MAPS)),
    *((CONFIGS[number], None, template) for number in (0, -1) for template in TEMPLATES),
]


def written(directory, config, special, template):
    """Write a model directory."""
    vocabulary = tokenizers.Tokenizer(tokenizers.models.WordLevel({"</s>": 1, "<unk>": 0}, unk_token="<unk>"))
    vocabulary.save(str(directory / "tokenizer.json"))
    config = {"tokenizer_class": "PreTrainedTokenizerFast", **config}
    for name, text in template.items():
        if name == "config":
            config["chat_template"] = text
        else:
            (directory / name).parent.mkdir(exist_ok=True)
            (directory / name).write_bytes(text.encode())
    (directory / "tokenizer_config.json").write_text(json.dumps(config), "utf-8")
    if special is not None:
        (directory / "special_tokens_map.json").write_text(json.dumps(special), "utf-8")


@pytest.mark.parametrize(("config", "special", "template"), DIRECTORIES, ids=str)
def test_a_directory_renders_as_in_transformers(config, special, template, tmp_path):
    written(tmp_path, config, special, template)
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)
    expected = theirs.apply_chat_template(CHAT, tokenize=False)
    assert lect_jinja.load(tmp_path).text(CHAT) == expected
