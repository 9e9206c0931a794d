"""FastChat beside the families: it is asked last, by path and by name."""

import idiolect


def test_a_family_comes_first():
    assert idiolect.resolve("lmsys/vicuna-7b-v1.5").package == "idiolect-vicuna"
    assert idiolect.resolve("Qwen/Qwen2.5-7B-Instruct").package == "idiolect-qwen"


def test_a_template_of_a_family_wins_over_one_of_fastchats():
    assert idiolect.get_conv_template("qwen-7b-chat").template is idiolect.get_conv_template("qwen:qwen-7b-chat").template
    assert idiolect.get_conv_template("fastchat:qwen-7b-chat").template.source.startswith("lm-sys/FastChat")
    assert idiolect.get_conv_template("koala_v1").template is idiolect.get_conv_template("fastchat:koala_v1").template
