"""Settings from outside: pins, blocks and a config file, with plugins that are really installed."""

import os
from pathlib import Path

import pytest
from sandbox import REPOSITORY, family

ONE = family("acme-one", "one", ("acme", "acme-one", "<one>"), hints=("acme",), templates=("acme-one",))
TWO = family("acme-two", "two", ("acme 7", "acme-two", "<two>"), hints=("acme",), templates=("acme-two",))
MANY = family("acme-many", "Acme_Many", ("many 1", "many-one", "<1>"), ("many 2", "many-two", "<2>"), hints=("many",))
WHO = "resolution = lect.resolve('acme/acme-7b')\nanswer = resolution.adapter.id if resolution.adapter else resolution.template.name"
ERROR = "answer = raised(lect.resolve, 'acme/acme-7b')"


@pytest.fixture(scope="session")
def environment(sandbox):
    return sandbox.environment(ONE, TWO, MANY, REPOSITORY / "plugins/vicuna")


@pytest.fixture
def config(tmp_path):
    def write(text):
        path = tmp_path / "lect.toml"
        path.write_text(text, "utf-8")
        return str(path)

    return write


def test_without_settings_the_names_decide(environment):
    assert environment.ask(WHO) == "acme-two:two"


@pytest.mark.parametrize(
    ("pins", "winner"),
    [
        ("acme/*=acme-one:one", "acme-one:one"),
        ("ACME/acme-7B = acme_one:one", "acme-one:one"),
        ("other/*=two; ;acme/*=one;*=two", "acme-one:one"),
        ("acme/acme-7?=chatml", "chatml"),
        ("*=one:acme-one", "acme-one"),
        ("*=acme-one:one:acme-one", "acme-one"),
        ("other/*=one", "acme-two:two"),
        ("", "acme-two:two"),
    ],
)
def test_pins_in_the_environment_decide(environment, pins, winner):
    assert environment.ask(WHO, LECT_PINS=pins) == winner


def test_a_resolution_says_which_pin_decided(environment):
    answer = environment.ask("answer = lect.resolve('acme/acme-7b').reason", LECT_PINS="acme/*=one")
    assert answer == "pinned by acme/*=one (LECT_PINS)"


@pytest.mark.parametrize("pins", ["acme/*", "=one", "acme/*=", "acme/*=one;nonsense"])
def test_a_malformed_pin_is_one_clear_error(environment, pins):
    error = environment.ask(ERROR, LECT_PINS=pins)
    bad = pins.split(";")[-1]
    assert error["type"] == "PluginError"
    assert error["text"] == f"LECT_PINS has {bad!r}, which is not a pin\n  try: LECT_PINS='acme/*=lect-acme:acme'"


def test_a_pin_to_an_unknown_name_is_an_error_that_names_the_pin(environment):
    error = environment.ask(ERROR, LECT_PINS="acme/*=acme-on:one")
    assert error["type"] == "PluginError"
    assert error["text"].startswith(
        "'acme/acme-7b' is pinned by acme/*=acme-on:one (LECT_PINS), which cannot be used: no template or adapter is "
        "called 'acme-on:one'"
    )
    assert (
        environment.ask("answer = lect.resolve('lmsys/vicuna-7b-v1.5').package", LECT_PINS="acme/*=acme-on:one")
        == "lect-vicuna"
    )


def test_an_adapter_pinned_to_a_path_it_does_not_know_says_so_and_is_not_marked_as_failed(environment):
    answer, stderr = environment.run(
        "answer = [raised(lect.resolve, 'acme/acme-7b'), status('Acme_Many')]", LECT_PINS="acme/*=Acme_Many"
    )
    error, status = answer
    assert error["type"] == "PluginError"
    assert error["text"] == (
        "Acme_Many (acme-many 0.1.0) was chosen for 'acme/acme-7b' (pinned by acme/*=Acme_Many (LECT_PINS)) but "
        "cannot be used: "
        "Acme_Many does not know 'acme/acme-7b' and has several templates\n"
        "  try: one of Acme_Many:many-one, Acme_Many:many-two"
    )
    assert (status, stderr) == ("loaded", "")


@pytest.mark.parametrize(
    "names", ["two", "acme-two", "acme_two", "ACME.Two", " nobody , two ", "acme-two:two", "Acme_Two:two"]
)
def test_a_plugin_is_disabled_by_any_of_its_names(environment, names):
    code = f"{WHO}\nanswer = [answer, status('two'), imported('acme_two')]"
    assert environment.ask(code, LECT_DISABLE_PLUGINS=names) == ["acme-one:one", "blocked: LECT_DISABLE_PLUGINS", []]


@pytest.mark.parametrize("names", ["acme-many", "acme_many", "Acme_Many", "acme-many:Acme_Many", "acme-many:acme-many"])
def test_a_plugin_with_an_oddly_spelled_name_is_disabled_too(environment, names):
    assert (
        environment.ask("answer = status('Acme_Many')", LECT_DISABLE_PLUGINS=names) == "blocked: LECT_DISABLE_PLUGINS"
    )


@pytest.mark.parametrize("names", ["one", " acme_one ,lect-vicuna", "acme-one:one"])
def test_only_the_plugins_that_are_named_are_loaded(environment, names):
    code = f"{WHO}\nanswer = [answer, status('two'), imported('acme_two')]"
    assert environment.ask(code, LECT_LOAD_PLUGINS=names) == ["acme-one:one", "blocked: LECT_LOAD_PLUGINS", []]


def test_an_empty_list_of_plugins_to_load_lets_none_in(environment):
    code = "answer = [[info.status for info in lect.plugins(load=True)], raised(lect.resolve, 'lmsys/vicuna-7b-v1.5')]"
    statuses, error = environment.ask(code, LECT_LOAD_PLUGINS="")
    assert statuses == ["blocked: LECT_LOAD_PLUGINS"] * 4
    assert "considered: none; every adapter is blocked\n" in error["text"]
    assert error["text"].count("\n  blocked: ") == 4


def test_the_error_for_a_model_of_a_blocked_plugin_does_not_advise_installing_it(environment):
    error = environment.ask("answer = raised(lect.resolve, 'lmsys/vicuna-7b-v1.5')", LECT_DISABLE_PLUGINS="lect_vicuna")
    assert (error["type"], error["install"]) == ("UnknownModelError", None)
    assert "\n  blocked: lect-vicuna (LECT_DISABLE_PLUGINS)\n" in error["text"]
    assert "try: unblock lect-vicuna: change LECT_DISABLE_PLUGINS" in error["text"]
    assert "pip install" not in error["text"]


def test_a_blocked_plugin_cannot_be_pinned(environment):
    error = environment.ask(ERROR, LECT_PINS="acme/*=two", LECT_DISABLE_PLUGINS="two")
    assert error["type"] == "PluginError"
    assert "\n  blocked: acme-two (LECT_DISABLE_PLUGINS)\n" in error["text"]


def test_pins_in_a_config_file_decide(environment, config):
    assert (
        environment.ask(WHO, LECT_CONFIG=config('[pins]\n"acme/a=b" = "two"\n"acme/*" = "acme-one:one"\n'))
        == "acme-one:one"
    )


def test_a_block_in_a_config_file_keeps_a_plugin_out_and_messages_name_the_file(environment, config):
    path = config('block = ["acme-two"]\n')
    code = f"{WHO}\nanswer = [answer, status('two'), imported('acme_two')]"
    assert environment.ask(code, LECT_CONFIG=path) == ["acme-one:one", f"blocked: block in {path}", []]
    error = environment.ask("answer = raised(lect.template, 'acme-two')", LECT_CONFIG=path)
    assert f"\n  blocked: acme-two (block in {path})\n" in error["text"]


def test_the_library_does_not_look_for_a_config_file_and_the_command_line_does(environment, config):
    path = Path(config('[pins]\n"acme/*" = "chatml"\n'))
    code = f"import os\nos.chdir({str(path.parent)!r})\n"
    assert environment.ask(code + WHO) == "acme-two:two"
    command = "import contextlib, io, json\nfrom lect.cli import main\nout = io.StringIO()\n"
    command += "with contextlib.redirect_stdout(out):\n    main(['why', 'acme/acme-7b', '--json'])\n"
    command += "answer = json.loads(out.getvalue())['pins']"
    assert environment.ask(code + command) == [
        {"pattern": "acme/*", "adapter": "chatml", "source": str(path), "decides": True}
    ]


def test_a_config_file_without_pins_changes_nothing(environment, config):
    assert environment.ask(WHO, LECT_CONFIG=config("")) == "acme-two:two"


@pytest.mark.parametrize("text", ["[pins", "pins = 3", '[pins]\n"acme/*" = 3', '[pins.acme]\nname = "one"'])
def test_a_malformed_config_file_is_one_clear_error(environment, config, text):
    path = config(text)
    error = environment.ask(ERROR, LECT_CONFIG=path)
    assert error["type"] == "LectError"
    assert error["text"].startswith(f"the config file {path!r} cannot be used: ")
    assert "\n  try: " in error["text"]


def test_a_missing_config_file_is_one_clear_error(environment, tmp_path):
    error = environment.ask(ERROR, LECT_CONFIG=str(tmp_path / "none.toml"))
    assert error["type"] == "LectError"
    assert "No such file" in error["text"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes on this system")
@pytest.mark.parametrize("kind", ["directory", "pipe", "device", "endless", "large", "deep", "binary"])
def test_an_unusable_config_file_is_one_clear_error(environment, tmp_path, kind):
    path = tmp_path / "lect.toml"
    contents = {"large": b"#" * (1 << 20) + b"\n", "deep": b"a = " + b"[" * 10**5, "binary": bytes(range(256))}
    if kind in contents:
        path.write_bytes(contents[kind])
    elif kind == "directory":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path = Path("/dev/full" if kind == "device" else "/dev/zero")
    error = environment.ask(ERROR, LECT_CONFIG=str(path))
    assert error["type"] == "LectError"
    assert error["text"].startswith(f"the config file {str(path)!r} cannot be used: ")


def test_the_order_of_authority_is_argument_then_pin_then_environment_then_config_then_names(environment, config):
    answer = environment.ask(
        """
def who(**options):
    resolution = lect.resolve("acme/acme-7b", **options)
    return resolution.adapter.id if resolution.adapter else resolution.template.name
undo = lect.pin("acme/*", "default")
answer = [who(adapter="acme-two:two"), who()]
lect.pin("acme/acme-7b", "two:acme-two")
answer.append(who())
""",
        LECT_PINS="acme/*=acme-one:one",
        LECT_CONFIG=config('[pins]\n"acme/*" = "chatml"\n'),
    )
    assert answer == ["acme-two:two", "default", "acme-two"], "of two pins of a process the later one holds"
    settings = {"LECT_CONFIG": config('[pins]\n"acme/*" = "chatml"\n')}
    assert environment.ask(WHO, LECT_PINS="acme/*=acme-one:one", **settings) == "acme-one:one"
    assert environment.ask(WHO, **settings) == "chatml"
    undone = "undo = lect.pin('acme/*', 'default')\nlect.resolve('acme/acme-7b')\nundo()\n"
    assert environment.ask(undone + WHO, LECT_PINS="acme/*=acme-one:one") == "acme-one:one"


def test_a_pin_to_a_template_follows_when_the_template_is_replaced(environment):
    answer = environment.ask("""
from lect.plugin import Turn, TurnTemplate
mine, yours = (TurnTemplate("mine", user=Turn(mark, ""), assistant=Turn("", "")) for mark in "mu")
lect.register_conv_template(mine)
lect.pin("acme/*", "mine")
before = lect.resolve("acme/acme-7b").template is mine
lect.register_conv_template(yours, override=True)
answer = [before, lect.resolve("acme/acme-7b").template is yours]
""")
    assert answer == [True, True]
