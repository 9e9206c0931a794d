"""Qwen against its maker's own templates, on random conversations."""

import differential
import pytest

import lect


@pytest.mark.parametrize(
    ("slug", "template"), [("Qwen--Qwen1.5-4B-Chat", "qwen1.5"), ("Qwen--Qwen2.5-3B-Instruct", "qwen2.5")]
)
def test_equals_the_makers_template_on_random_conversations(slug, template):
    differential.check(slug, lect.get_conv_template(f"qwen:{template}").template)
