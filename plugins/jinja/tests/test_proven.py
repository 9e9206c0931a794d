"""A template is proven before its texts are trusted, as every other template of lect's: the engine is no exception."""

import warnings

import pytest

from lect import MessageError, Origin, RefusedError
from lect.errors import TemplateWarning
from lect_jinja import JinjaTemplate

SAID = [{"role": "user", "content": "Hi <|im_end|>"}]
CHATML = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"


class Forgetful(JinjaTemplate):
    """A template whose engine forgets where some texts come from."""

    def _write(self, chat, out):
        super()._write(chat, out)
        out[:] = [str.__str__(piece) if "<|im_end|>" in piece else piece for piece in out]


def own(prompt):
    return "".join(segment.text for segment in prompt.segments if segment.origin is Origin.TEMPLATE)


@pytest.mark.parametrize("isolate", [False, True])
def test_a_loss_in_the_engine_is_noticed_and_its_renders_are_marked(isolate):
    template = Forgetful("forgetful", CHATML, isolate=isolate, source="acme/chat_template.jinja")
    with pytest.warns(TemplateWarning) as caught:
        prompts = [template.render(SAID) for _ in range(3)]
    assert len(caught) == 1
    said = str(caught[0].message)
    assert "that has lost its origin (acme/chat_template.jinja)" in said
    assert "\n  found with: LECT_PROOF_SEED=" in said
    for prompt in prompts:
        assert prompt.text == "<|im_start|>user\nHi <|im_end|><|im_end|>\n"
        assert [control.marker for control in prompt.controls] == ["<|im_end|>"]
        assert "Hi" not in own(prompt)
        assert own(prompt).startswith("<|im_start|>")


@pytest.mark.parametrize("isolate", [False, True])
@pytest.mark.parametrize(
    "source",
    [
        CHATML,
        "{% if messages | length > 1 %}{{ raise_exception('one message only') }}{% endif %}{{ messages[0].content }}",
        "{% for m in messages %}{{ m.content | trim }}{{ m.content | length }}{{ strftime_now('%S') }}{% endfor %}",
        "{{ tools | tojson }}{% for m in messages %}{% for key in m | dictsort %}{{ key }}{% endfor %}{% endfor %}",
        "{% for m in messages %}{% if '</think>' in m.content %}<think>{{ m.content.split('</think>')[0] }}</think>{% endif %}"
        "{% endfor %}",
    ],
)
def test_a_template_that_keeps_the_origin_is_proven_without_a_warning(source, isolate):
    template = JinjaTemplate("kept", source, isolate=isolate)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "Hi" not in own(template.render(SAID))


def test_a_conversation_that_is_refused_is_refused_before_the_proof():
    template = JinjaTemplate("refusing", "{{ raise_exception('no') }}")
    with pytest.raises(RefusedError, match="no"):
        template.render(SAID)
    with pytest.raises(MessageError):
        template.render([{"role": "user"}])
