"""An option of the wrong type is told, for every template that is installed; a family and its maker's template agree
about types."""

import json

import differential
import goldens
import pytest
from installed_templates import installed
from sampling import in_turn
from together import together

import lect
from lect import LectError, UnusedInputError

pytestmark = pytest.mark.filterwarnings("ignore:invalid escape sequence")  # in a maker's template
TEMPLATES = installed()
MAKERS = goldens.native_models()
QUESTION = [{"role": "user", "content": "Hi"}]
WRONG = {bool: ("false", "False", 0, 1, [], {}), str: (True, 7, ["high"]), int: ("7", 0.5)}
RIGHT = {bool: (True, False, None), str: (None,), int: (None,)}


def told(template, name, value):
    """Return why an option is not used; None if it is, or if the template refuses the value anyway."""
    try:
        prompt = template.render(QUESTION, add_generation_prompt=True, **{name: value})
    except LectError:
        return None
    return next((unused for unused in prompt.unused if unused.path == ("options", name)), None)


@together("name", TEMPLATES)
def test_a_value_of_another_type_is_told(name):
    template = TEMPLATES[name]
    for option, kind in template.options.items():
        for value in RIGHT[kind] if kind else ():
            assert told(template, option, value) is None
        for value in WRONG[kind] if kind else ():
            unused = told(template, option, value)
            if kind is bool:
                assert (unused.why, unused.meant) == ("type", "True or False")
                with pytest.raises(UnusedInputError, match=rf"options\.{option} \(did you mean True or False\?\)"):
                    template.render(QUESTION, strict=True, **{option: value})
            else:
                assert unused is None or unused.why == "type"


@together("slug", in_turn(MAKERS, 4))
def test_what_the_makers_template_compares_an_option_with_is_the_type_that_the_family_states(slug):
    family, own = lect.resolve(MAKERS[slug]).template, differential.own_template(slug)
    seen = {name: kind for name, kind in own.options.items() if kind and name in family.options}
    assert {name: family.options[name] for name in seen} == seen


@together("slug", MAKERS)
def test_the_values_that_makers_are_asked_with_are_of_the_types_that_are_stated(slug):
    for case in json.loads(goldens.golden_files()[slug].read_text("utf-8"))["cases"].values():
        for name, value in case.get("options", {}).items():
            kind = lect.resolve(MAKERS[slug]).template.options.get(name)
            assert kind is None or value is None or isinstance(value, kind)


@together("slug", in_turn(differential.entries(), 24))
def test_no_value_that_changes_a_template_of_ones_own_as_it_should_is_told(slug):
    template = differential.own_template(slug)
    for name, kind in template.options.items():
        if kind is bool:
            assert told(template, name, True) is told(template, name, False) is None
            assert told(template, name, "false") is None or told(template, name, "false").why == "type"


def test_nothing_to_render_is_told():
    template = lect.get_template("Qwen/Qwen3-8B")
    for messages, path in (([], ("messages",)), ([{"role": "user"}], ("messages", 0, "content"))):
        assert [(unused.path, unused.why) for unused in template.render(messages).unused] == [(path, "absent")]
        with pytest.raises(UnusedInputError, match="there is none"):
            template.render(messages, strict=True)
    called = {"type": "function", "function": {"name": "f", "arguments": {}}}
    for message in ({"role": "user", "content": ""}, {"role": "assistant", "tool_calls": [called]}):
        assert template.render([QUESTION[0], message]).unused == ()
