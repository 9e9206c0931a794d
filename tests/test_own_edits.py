"""A maintainer's edit of a maker's template is seen: the directory writes what the edited text writes, not the family.

LECT_STRESS=1 makes every edit in each of ten makers' templates; other runs make each in one of them.
"""

import json
import os
import re
from datetime import datetime, time

import goldens
import pytest
from differential import reference
from sampling import STRESS, in_turn
from shared import SHARED

import lect
from lect_jinja.engine.filters import FILTERS
from lect_jinja.identity.template import JinjaTemplate

if not SHARED.exists():
    pytest.skip("the makers' templates are not available: ../shared is missing", allow_module_level=True)

MAKERS = (
    "Qwen--Qwen2.5-3B-Instruct", "Qwen--Qwen3-4B", "meta-llama--Llama-3.1-8B-Instruct", "google--gemma-3-4b-it",
    "mistralai--Mistral-7B-Instruct-v0.3", "microsoft--phi-4", "deepseek-ai--DeepSeek-R1",
    "HuggingFaceH4--zephyr-7b-beta", "zai-org--GLM-4.5", "ibm-granite--granite-3.3-2b-instruct",
)  # fmt: skip
ARGUMENTS = {
    "attr": "'x'", "batch": "2) | list(", "unique": ") | list(", "default": "'x'", "d": "'x'", "format": "'x'", "groupby": "'x'", "join": "'-'",
    "map": "'upper') | list(", "reject": "'none') | list(", "rejectattr": "'x'", "replace": "'<|im_end|>', ''", "select": "'none') | list(",
    "selectattr": "'x'", "slice": "2) | list(", "truncate": "9", "indent": "4, true", "items": ") | list(",
}  # fmt: skip
NAMES = (
    "abs", "batch", "capitalize", "center", "count", "d", "default", "dictsort", "escape", "first", "float",
    "forceescape", "format", "groupby", "indent", "int", "items", "join", "last", "length", "list", "lower", "map",
    "pprint", "reject", "replace", "reverse", "round", "safe", "select", "slice", "sort", "string", "striptags", "sum",
    "title", "tojson", "trim", "truncate", "unique", "upper", "urlencode", "urlize", "wordcount", "wordwrap",
)  # fmt: skip
"""The filters of Jinja2 that give the same each time."""
FORMS = {
    **{f"the filter {name}": f"(X | {name}({ARGUMENTS.get(name, '')}))" for name in NAMES},
    "a text after it": "(X + ' /no_think')",
    "a text before it": "('/no_think ' ~ X)",
    "a sum with nothing": "(X + '')",
    "a product": "(X * 2)",
    "a remainder": "(X % ())",
    "a quotient": "(X / 2)",
    "a cut": "X[:500]",
    "an order": "X[::-1]",
    "an alternative": "(X or 'nothing')",
    "a condition": "(X and 'something')",
    "a comparison": "(X == 'Hello!')",
    "a search": "('Hello!' in X)",
    "a denial": "(not X)",
    "a test": "(X is string)",
    "a choice": "(X if X | length < 500 else 'too long')",
    "line ends": "X.replace('\\n', '\\r\\n')",
    "a marker taken out": "X.replace('<|im_end|>', '').replace('</s>', '')",
    "an image mark": "(X | replace('<image>', '<|vision_start|><|image_pad|><|vision_end|>'))",
    "reasoning taken out": "X.split('</think>')[-1]",
    "words": "(X.split() | join(' '))",
    "a method": "X.strip('!')",
}
EDITS = [
    (slug, name) for number, name in enumerate(FORMS) for slug in (MAKERS if STRESS else [MAKERS[number % len(MAKERS)]])
]
CONTENT = re.compile(r"\w+(?:\.content|\['content'\]|\[\"content\"\])(?![\w.\[])|(?<![\w.'\"])content(?![\w.\[(='\"])")
QUESTION = " Hello!<|im_end|>\n\n<image> Is 1 < 2 & 3?</s> " + "So many words. " * 40
CONVERSATIONS = (
    [{"role": "user", "content": "Hello!"}],
    [{"role": "system", "content": "Be brief."}, {"role": "user", "content": QUESTION}],
    [
        {"role": "user", "content": QUESTION},
        {"role": "assistant", "content": "<think>\nhm\n</think>\n\nYes, it is!"},
        {"role": "user", "content": "Thanks"},
    ],
)


def edited(source, form):
    """Return a template with every content that it writes in another form."""

    def write(tag):
        return CONTENT.sub(lambda content: form.replace("X", content[0]), tag[0])

    return re.sub(r"\{\{.*?\}\}", write, source, flags=re.DOTALL)


def expected(source, messages, tokens):
    """Return what transformers writes; None if the template fails."""
    shared = list(reference()._share_reasoning(messages))
    given = {"messages": shared, "tools": None, "documents": None, "add_generation_prompt": True, **tokens}
    try:
        return reference().ENVIRONMENT.from_string(source).render(**given)
    # A template may fail in any way.
    except Exception:
        return None


def written(template, messages):
    # The reference's clock is set to noon of the day on which the goldens were made.
    dated = {"date": datetime.combine(goldens.THE_DAY, time(12))} if "date" in template.options else {}
    try:
        return template.text(messages, add_generation_prompt=True, **dated)
    except lect.LectError:
        return None


@pytest.mark.parametrize(("slug", "name"), in_turn(EDITS, 3), ids=lambda value: value)
def test_an_edit_is_seen(slug, name, tmp_path):
    maker = (SHARED / f"oracles/jinja/{slug}.jinja").read_text("utf-8")
    source = edited(maker, FORMS[name])
    assert source != maker
    tokens = {name: text for name, text in (reference().INDEX[slug]["special_tokens"] or {}).items() if text}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"chat_template": source, **tokens}), "utf-8")
    is_refused = name.startswith("the filter ") and name.removeprefix("the filter ") not in FILTERS
    try:
        template = lect.resolve(tmp_path).template
    except lect.SourceError:
        assert is_refused
        return
    assert isinstance(template, JinjaTemplate)
    for messages in CONVERSATIONS:
        assert written(template, messages) == (None if is_refused else expected(source, messages, tokens))


def test_commands_take_the_edited_template(tmp_path, monkeypatch, capsys):
    from lect.cli import main

    slug = MAKERS[0]
    maker = (SHARED / f"oracles/jinja/{slug}.jinja").read_text("utf-8")
    monkeypatch.chdir(tmp_path)
    os.mkdir("tuned")
    source = edited(maker, FORMS["a text after it"])
    with open("tuned/chat_template.jinja", "w", encoding="utf-8") as file:
        file.write(source)
    assert main(["diff", "./tuned", "qwen:qwen2.5"]) == 1
    assert "/no_think" in capsys.readouterr().out
    assert main(["convert", "./tuned", "--to", "jinja"]) == 0
    assert capsys.readouterr().out == source
    main(["why", "./tuned"])
    assert "nearest: qwen:qwen2.5; first difference in a question" in capsys.readouterr().out
