"""What `lect new` writes works at once: unedited, it installs, resolves, renders, parses and passes the kit."""

import json

import pages
import pytest
from repository import folder
from sampling import in_turn
from sandbox import JINJA

PLUGINS = [folder(name) for name in ("fastchat", "jinja", "kit", "paddlenlp", "qwen", "xtuner")]
FILES = {
    "tokenizer_config.json": {
        "chat_template": (
            "{{ bos_token }}{% for message in messages %}<|{{ message.role }}|>\n{{ message.content }}<|end|>"
            "{% endfor %}{% if add_generation_prompt %}<|assistant|>\n{% endif %}"
        ),
        "bos_token": "<s>",
        "eos_token": {"content": "<|end|>"},
        "added_tokens_decoder": {"0": {"content": "<unk>"}, "1": {"content": "<s>"}, "2": {"content": "<|end|>"}},
    },
    "with_calls.json": {
        "chat_template": (
            "{% if tools %}<|im_start|>system\n{{ tools | tojson }}<|im_end|>\n{% endif %}"
            "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}"
            "{% for call in message.tool_calls or [] %}\n<tool_call>\n{{ call.function | tojson }}\n</tool_call>{% endfor %}"
            "<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
        ),
    },
    "unheard.json": {
        "chat_template": (
            "{% for message in messages %}<|{{ message.role }}|>{{ message.content }}"
            "{% for call in message.tool_calls or [] %}<do>{{ call.function | tojson }}</do>{% endfor %}<|end|>{% endfor %}"
            "{{ tools or '' }}{% if add_generation_prompt %}<|assistant|>{% endif %}"
        ),
    },
    "chat_template.json": {
        "system": "Be witty.",
        "conversation": ["[Round {{index}}]\nQuestion: {{user}}\n", "Answer: {{bot}}\n"],
        "query": "[Round {{index}}]\nQuestion: {{query}}\nAnswer:",
    },
    "xtuner.json": {
        "SYSTEM": "<S>{system}\n",
        "INSTRUCTION": "<U>{input}\n<B>",
        "SUFFIX": "<end>",
        "SEP": "\n",
        "STOP_WORDS": ["<end>"],
    },
}
VICUNA = (
    "A chat between a curious user and an artificial intelligence assistant. The assistant gives helpful, detailed, and "
    "polite answers to the user's questions. USER: Hello! ASSISTANT:"
)
STARTS = {
    "table": ("", "<|user|>\nHello!<|end|>\n<|assistant|>\n", "Hi!<|end|>"),
    "program": ("--program", "<|user|>\nHello!<|end|>\n<|assistant|>\n", "Hi!<|end|>"),
    "own-jinja": ("--from tokenizer_config.json", "<s><|user|>\nHello!<|end|><|assistant|>\n", "Hi!<|end|>"),
    "calls": ("--from with_calls.json", "<|im_start|>user\nHello!<|im_end|>\n<|im_start|>assistant\n", "Hi!<|im_end|>"),
    "unheard": ("--from unheard.json", "<|user|>Hello!<|end|><|assistant|>", "Hi!<|end|>"),
    "paddle": ("--from chat_template.json", "Be witty.[Round 0]\nQuestion: Hello!\nAnswer:", "Hi!"),
    "xt": ("--from xtuner.json", "<U>Hello!\n<B>", "Hi!<end>"),
    "fast": ("--from fastchat:vicuna_v1.1", VICUNA, "Hi!</s>"),
}
"""Options for `lect new`, the prompt for `Hello!`, and how a model answers `Hi!`."""


SPOKEN = """
prompt = lect.render({model!r}, [{{"role": "user", "content": "Hello!"}}], add_generation_prompt=True).text
answer = [lect.resolve({model!r}).package, prompt, lect.parse({model!r}, {reply!r}).content]
"""


@pytest.fixture(scope="module")
def environment(sandbox):
    made = sandbox.fresh(*PLUGINS)
    sandbox.install_build_tools(made)
    sandbox.install_test_tools(made, *JINJA)
    return made


@pytest.mark.parametrize("name", in_turn(STARTS, 8))
def test_a_new_package_works_at_once(environment, offline, tmp_path, name):
    options, prompt, reply = STARTS[name]
    for file, content in FILES.items():
        (tmp_path / file).write_text(json.dumps(content), "utf-8")

    def printed(command):
        return pages.run_command(command, tmp_path, environment.bin)

    said = printed(f"lect new {name} {options} --json")
    assert said.startswith("note: no installed package parses the calls") == (name == "unheard")
    install, test = json.loads(said[said.index("{") :])["next"]
    assert not [path for path in tmp_path.rglob("*.py") if str(tmp_path) in path.read_text("utf-8")]
    # Without isolation, which would install the build backend again for each package.
    assert f"Successfully installed lect-{name}" in printed(f"{install} --no-build-isolation")
    tested = printed(test)
    assert " passed" in tested, tested
    assert " failed" not in tested, tested
    model = f"{name}/{name.title()}-7B-Chat"
    assert environment.ask(SPOKEN.format(model=model, reply=reply)) == [f"lect-{name}", prompt, "Hi!"]


def test_a_template_without_stop_or_markers(environment, tmp_path):
    template = "{% for message in messages %}{{ message.role + ': ' + message.content + '\\n' }}{% endfor %}"
    (tmp_path / "chat_template.jinja").write_text(template, "utf-8")
    said = pages.run_command("lect new acme --from chat_template.jinja", tmp_path, environment.bin).splitlines()
    assert [line.partition(",")[0] for line in said[:2]] == [
        "note: nothing that ends an answer was found",
        "note: no markers of turns were found",
    ]
    assert said[2] == "lect-acme:"


def test_a_template_whose_tokens_are_elsewhere(environment, tmp_path):
    (tmp_path / "chat_template.jinja").write_text("{{ bos_token + messages[0].content }}", "utf-8")
    said = pages.run_command("lect new acme --from chat_template.jinja", tmp_path, environment.bin)
    assert said.startswith("lect: 'chat_template.jinja' does not write a question and its answer: ")
    assert said.endswith(
        "'bos_token' is undefined\n  try: --from with the model's directory, or its tokenizer_config.json, which has the special tokens too\n"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["chat_template.jinja"]
