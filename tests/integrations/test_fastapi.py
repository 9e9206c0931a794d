"""A conversation goes through FastAPI as FastChat's worker and API server send it."""

import json

import pytest
from fastchat_goldens import golden

from lect_fastchat.conversation import Conversation, SeparatorStyle, get_conv_template

jsonable_encoder = pytest.importorskip("fastapi.encoders").jsonable_encoder

TEMPLATES = golden("templates")["templates"]


@pytest.mark.parametrize("name", [name for name, template in TEMPLATES.items() if template["fields"]["sep_style"]])
def test_a_worker_sends_what_fastchats_worker_sends(name):
    fields = TEMPLATES[name]["fields"]
    conversation = get_conv_template(name)
    prompt = conversation.get_prompt()
    conversation.sep_style = int(conversation.sep_style)
    sent = json.loads(json.dumps(jsonable_encoder({"conv": conversation})))["conv"]
    assert sent == {**fields, "sep_style": SeparatorStyle[fields["sep_style"]].value}
    assert Conversation(**sent).get_prompt() == prompt


def test_a_style_is_sent_as_its_number():
    assert jsonable_encoder(get_conv_template("vicuna_v1.1"))["sep_style"] == 2
