"""What installing one package brings: the package, its dependencies, and nothing else."""

import tomllib

import pytest
from repository import FOLDERS
from sampling import in_turn
from sandbox import CORE_NEEDS

HELLO = "[{'role': 'user', 'content': 'Hello!'}]"
BYTES = """type("Bytes", (), {
    "control_tokens": lambda self: {},
    "encode_ordinary": lambda self, text: (list(text.encode()), [(at, at + 1) for at in range(len(text))]),
    "decode": lambda self, ids: bytes(ids).decode(),
})()"""
USES = {
    "apis": ("__import__('lect_apis').request({'input': 'Hi!'}).messages", [{"role": "user", "content": "Hi!"}]),
    "completion": ("'chatml' in __import__('lect_completion').script('bash')", True),
    "constrain": ("__import__('lect_constrain').constrain(lect.template('chatml')).gbnf()[:4]", "root"),
    "convert": ("__import__('lect_convert').table_of(lect.template('chatml'), 'any').name", "chatml"),
    "data": ("__import__('lect_data').Formatter('lect:chatml')({'prompt': ['Hello!']})['turns']", [1]),
    "explain": (f"__import__('lect_explain').explain_requests('lect:chatml', [{HELLO}] * 2)[0].extends", True),
    # One family for all: they have the same shape.
    "qwen": (f"lect.get_template('Qwen/Qwen2.5-7B-Instruct').text({HELLO})[-17:]", "Hello!<|im_end|>\n"),
    "dialects": ("'xlam' in lect.reply_formats()", True),
    "fastchat": ("__import__('lect_fastchat').get_conv_template('vicuna_v1.1').roles[0]", "USER"),
    "fit": (f"lect.template('chatml').fit({HELLO}).changes", []),
    "hub": ("'hub' in [plugin.name for plugin in lect.plugins()]", True),
    "jinja": (f"lect.get_template('./model').text({HELLO})", "user: Hello!"),
    "kit": ("__import__('lect_kit').AdapterSuite.__name__", "AdapterSuite"),
    "media": ("__import__('lect_media').image_size(b'GIF89a' + bytes([9, 0, 7, 0]) + bytes(3)).width", 9),
    "ollama": ("'ollama' in [plugin.name for plugin in lect.plugins()]", True),
    "paddlenlp": (f"""lect.load_template('{{"query": "Q: {{{{query}}}}"}}').text({HELLO})""", "Q: Hello!"),
    "providers": ("'providers' in [plugin.name for plugin in lect.plugins()]", True),
    "rollout": (f"lect.rollout('a/model', {HELLO}, {BYTES}, adapter='chatml').feed(b'Hi!').content", "Hi!"),
    "rows": ("lect.messages([['Hello!', 'Hi!']])[1]['content']", "Hi!"),
    "serve": ("__import__('lect_serve').Settings('lect:chatml').engines", ["echo"]),
    "sglang": ("callable(__import__('lect_sglang').register)", True),
    "tokens": ("lect._registry.function('doctor_tokens').__name__", "doctor_tokens"),
    "view": (f"lect.template('chatml').render({HELLO})._repr_html_()[:22]", '<div class="lect-view '),
    "vllm": ("callable(__import__('lect_vllm').register)", True),
    "xtuner": ("__import__('lect_xtuner').PROMPT_TEMPLATE.internlm_chat['SUFFIX']", "<eoa>"),
}
"""For each plugin, something that works once it is installed."""
NEEDED = {
    "data": ["lect-rows", "lect-tokens", "pyarrow"],
    "explain": ["lect-apis", "lect-tokens"],
    "hub": ["huggingface-hub", "jinja2", "lect-jinja"],
    "jinja": ["jinja2"],
    "kit": ["hypothesis", "pytest"],
    "paddlenlp": ["jinja2", "lect-jinja"],
    "serve": [
        *(f"lect-{name}" for name in ("apis", "constrain", "explain", "fit", "rollout", "tokens", "view")),
        *("httpx", "starlette", "tokenizers", "uvicorn"),
    ],
    "sglang": ["lect-apis", "lect-constrain"],
    "view": ["lect-tokens"],
    "vllm": ["lect-apis", "lect-constrain"],
}
"""What plugins need besides core."""


def test_every_plugin_that_is_not_a_family_is_installed_alone_here():
    projects = {name: tomllib.loads((path / "pyproject.toml").read_text("utf-8")) for name, path in FOLDERS.items()}
    others = {name for name, each in projects.items() if "lect" not in each["project"].get("entry-points", ())}
    assert others | {"qwen", "dialects", "ollama", "providers"} == set(USES)


@pytest.mark.parametrize("plugin", in_turn(USES, 8))
def test_a_plugin_installed_alone_brings_the_core_and_its_dependencies_and_nothing_else(sandbox, plugin):
    needed = NEEDED.get(plugin, [])
    ours = [plugin, *(name.removeprefix("lect-") for name in needed if name.startswith("lect-"))]
    wheels = {sandbox.core_wheel.parent, sandbox.wheelhouse, *(sandbox.wheel(FOLDERS[name]).parent for name in ours)}
    places = [word for place in sorted(wheels) for word in ("--find-links", place)]
    environment = sandbox.empty()
    environment.pip("install", "--quiet", "--no-index", *places, f"lect-{plugin}")
    others = [name for name in needed if not name.startswith("lect-")]
    brought = {f"lect-{plugin}", "lect", *needed, *environment.with_needs(*CORE_NEEDS, *others)}
    assert environment.distributions() == sorted(brought)
    model = environment.directory / "model"
    model.mkdir()
    (model / "chat_template.jinja").write_text(
        "{% for m in messages %}{{ m.role }}: {{ m.content }}{% endfor %}", "utf-8"
    )
    code, expected = USES[plugin]
    assert environment.ask(f"answer = {code}") == expected
    assert {"plain", "think"} <= set(environment.ask("answer = lect.reply_formats()"))
