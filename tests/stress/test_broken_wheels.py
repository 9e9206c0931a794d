"""Wheels that are broken in every way we know, each in a fresh environment: no healthy family gets lost, and
`lect doctor` names each broken wheel."""

from sandbox import REPOSITORY, Plugin

HEALTHY = {
    "Qwen/Qwen3-4B": "lect-qwen",
    "lmsys/vicuna-7b-v1.5": "lect-vicuna",
    "mistralai/Mistral-7B-Instruct-v0.3": "lect-mistral",
    "HuggingFaceH4/zephyr-7b-beta": "lect-zephyr",
}
FAMILIES = [REPOSITORY / "plugins" / package.removeprefix("lect-") for package in HEALTHY.values()]

ADAPTER = """
from lect.plugin import CHATML, Match, Specificity, Template, Turn, TurnTemplate, hookimpl

class Silent(BaseException):
    def __str__(self):
        raise SystemExit

class Adapter:
    @hookimpl
    def match(self, model_path):
        return "broken" in model_path
    @hookimpl
    def get_template(self):
        return CHATML

def throw(error):
    raise error
"""
RAISED = ["RuntimeError('closed')", "SystemExit(3)", "KeyboardInterrupt()", "GeneratorExit()", "Silent()"]
HOOKS = ["match", "get_template", "list_templates", "near_miss", "remarks"]
RETURNED = {
    "match": [
        "7",
        "'yes'",
        "[]",
        "Match('high', None)",
        "Match(Specificity.NAME, 'broken', kind=7)",
        "Match(Specificity.NAME, 'broken', template=5)",
        "Match(Specificity.REPO, '')",
        "Match(Specificity.REPO, 'broken')",
        "Match(Specificity.NAME, 'x' * 10**6)",
    ],
    "get_template": ["7", "None", "Adapter", "TurnTemplate(5, user=Turn(), assistant=Turn())"],
    "list_templates": ["7", "[7]", "[CHATML, CHATML.but(stop=['x'])]", "iter(lambda: throw(Silent()), 0)"],
    "near_miss": ["type('Odd', (), {'__str__': lambda self: 7})()"],
    "remarks": ["7"],
}
MODULES = {
    "imports what is not there": "import nowhere_to_be_found",
    "is no Python": "def (",
    "has a NUL in its source": "x = '\0'",
    "recurses": "def f():\n    f()\nf()",
    "has no object": "",
    "wants another API": "__lect_api__ = '~=9.0'\nadapter = Adapter()",
    "wants a malformed API": "__lect_api__ = 7\nadapter = Adapter()",
    "has no hooks": "adapter = 7",
    "has an unknown hook": "class Odd(Adapter):\n    @hookimpl\n    def mtach(self): pass\nadapter = Odd()",
    "has a hook with an unknown argument": (
        "class Odd(Adapter):\n    @hookimpl\n    def match(self, paht): pass\nadapter = Odd()"
    ),
    "raises when it is looked at": (
        "class Odd(Adapter):\n    def __getattribute__(self, name):\n        raise Silent\nadapter = Odd()"
    ),
    "warns": "import warnings\nwarnings.warn('odd')",
}
CONTENTS = {
    "missing": lambda text: None,
    "empty": lambda text: b"",
    "binary": lambda text: bytes(range(256)),
    "UTF-16": lambda text: text.encode("utf-16"),
    "Latin-1": lambda text: text.replace("\n", "\n# \xe9\n", 1).encode("latin-1"),
}


def hook(name, expression):
    return f"class Odd(Adapter):\n    @hookimpl\n    def {name}(self):\n        return {expression}\nadapter = Odd()"


SOURCES = {
    **{f"raises {raised} when it is imported": f"raise {raised}" for raised in RAISED},
    **{f"raises {raised} in {name}": hook(name, f"throw({raised})") for name in HOOKS for raised in RAISED},
    **{
        f"returns {returned} from {name}": hook(name, returned)
        for name, values in RETURNED.items()
        for returned in values
    },
    **MODULES,
}
DAMAGES = [(file, how) for file in ("METADATA", "entry_points.txt") for how in CONTENTS]
SOUND = "adapter = Adapter()"

ASK = """
import contextlib, io, warnings
from lect.cli import main
healthy = {}
for path in PATHS:
    resolution = lect.resolve(path)
    assert "hello" in resolution.template.text([{"role": "user", "content": "hello"}])
    healthy[path] = resolution.package
# Whatever has to do with the broken one is an error of ours, or works.
for question in (lambda: lect.resolve("broken-7b").remarks, lambda: lect.resolve("unheard-of"), lect.templates):
    with contextlib.suppress(lect.LectError):
        question()
with contextlib.redirect_stdout(io.StringIO()) as said:
    main(["doctor", "--json"])
answer = [healthy, [each["what"] for each in json.loads(said.getvalue())["findings"]]]
"""


def some(cases, scale):
    """Return every twentieth of the cases, or all in a long run."""
    return cases[:: 20 if scale == 1 else 1]


def ask(environment):
    return environment.ask(f"PATHS = {list(HEALTHY)}\n{ASK}", PYTHONWARNINGS="error")


def wheel(source):
    return Plugin("acme-broken", f"{ADAPTER}\n{source}\n", "broken")


def test_there_are_at_least_sixty_cases():
    assert len(SOURCES) + len(DAMAGES) >= 60


def test_no_healthy_family_gets_lost_next_to_a_broken_plugin(sandbox, scale):
    for what, source in some(list(SOURCES.items()), scale):
        healthy, findings = ask(sandbox.fresh(*FAMILIES, wheel(source)))
        assert healthy == HEALTHY, what
        assert any("acme-broken" in finding for finding in findings), what


def test_no_healthy_family_gets_lost_next_to_damaged_metadata(sandbox, scale):
    for file, how in some(DAMAGES, scale):
        environment = sandbox.fresh(*FAMILIES, wheel(SOUND))
        path = environment.site_packages / "acme_broken-0.1.0.dist-info" / file
        contents = CONTENTS[how](path.read_text("utf-8"))
        path.unlink()
        if contents is not None:
            path.write_bytes(contents)
        healthy, findings = ask(environment)
        assert healthy == HEALTHY, (file, how)
        assert any("acme-broken" in finding and file in finding for finding in findings), (file, how)
