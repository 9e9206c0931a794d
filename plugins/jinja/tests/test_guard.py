"""What a template may not do: run code, reach files, take forever. Every attempt raises one of our errors, which names the limit."""

import json
import runpy
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from counting import FROM_A_SMALL_PROCESS, HANGS, slowness
from operations import started
from sampling import in_turn
from shared import SHARED
from together import together

import lect_jinja
from lect import LectError, LimitError, MessageError, RefusedError
from lect_jinja import Limits, load
from lect_jinja.engine.limits import DEFAULT
from lect_jinja.engine.run import MOST_COMPILED, Run, compiled
from lect_jinja.engine.values import DEEPEST, marked, plain

HOSTILE = SHARED / "hostile/templates.json"
ATTACKS = SHARED / "hostile/attacks-2.json"
WRITTEN_BY_CODE = SHARED / "hostile/attacks_3.py"
MESSAGES = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}]
MEGABYTE = 1 << 20
CASES = json.loads(HOSTILE.read_text("utf-8"))["cases"] if HOSTILE.exists() else []
RESOURCE_ATTACKS = json.loads(ATTACKS.read_text("utf-8"))["cases"] if ATTACKS.exists() else {}
MORE_ATTACKS = runpy.run_path(str(WRITTEN_BY_CODE))["ATTACKS"] if WRITTEN_BY_CODE.exists() else {}
TRIED = dict(in_turn((RESOURCE_ATTACKS | MORE_ATTACKS).items(), 8))
MISSING = "the hostile templates are not available: ../shared is missing"
RUNAWAY = 1
"""CPU seconds, several times what the slowest template takes."""
MEMORY = 64 * MEGABYTE
"""More than a plain template needs."""


def measured(sources):
    """Return what templates do, each in a process of its own, as text and as segments: the outcome, what was said, the
    CPU seconds and the bytes beyond those of a plain template."""
    pytest.importorskip("resource")
    given = "".join(json.dumps(source) + "\n" for source in sources)
    command = [*FROM_A_SMALL_PROCESS, sys.executable, str(Path(__file__).parent / "measured.py")]
    run = subprocess.run(command, input=given, capture_output=True, text=True, check=True)
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    return [lines[index : index + 2] for index in range(0, len(lines), 2)]


@pytest.fixture(scope="module")
def outcomes():
    """The results of all hostile templates."""
    # The expressions build texts that are too long, or too deep, to be written out.
    sources = [eval(case["template_expr"]) if case.get("template_expr") else case["template"] for case in CASES]
    return dict(zip((case["id"] for case in CASES), measured(sources), strict=True))


@pytest.fixture(scope="module")
def attacked():
    """The results of all attacks on time, memory and the stack."""
    return dict(zip(TRIED, measured(TRIED.values()), strict=True))


def test_all_hostile_templates_are_here():
    if not CASES:
        pytest.skip(MISSING)
    assert (len(CASES), len(RESOURCE_ATTACKS), len(MORE_ATTACKS)) == (79, 82, 130)


@together("case", CASES, ids=lambda case: case["id"])
def test_a_hostile_template_ends_soon_and_as_expected(case, outcomes):
    for outcome, said, cpu, memory in outcomes[case["id"]]:
        harmless = outcome == "ok" and {"rendered-without-leak", "ok-within-1s"} & set(case["accept"])
        assert outcome in case["accept"] or harmless, said
        assert not [word for word in case.get("must_not_contain", ()) if outcome == "ok" and word in said]
        assert len(said) <= 700 or outcome == "ok"
        assert cpu / slowness() < RUNAWAY
        assert memory < MEMORY


@together("name", TRIED)
def test_an_attack_on_time_or_memory_or_the_stack_gets_neither(name, attacked):
    for outcome, said, cpu, memory in attacked[name]:
        assert outcome in ("ok", "ok-error", "limit", "reject"), said
        assert cpu / slowness() < RUNAWAY
        assert memory < MEMORY


@pytest.mark.parametrize(
    ("limit", "source"),
    [
        ("source", "x" * (DEFAULT.source + 1)),
        ("nodes", "{{ 1 }}" * (DEFAULT.nodes + 1)),
        ("nodes", "{{ " + "1+" * 500_000 + "1 }}"),
        ("nodes", "{{ [" + "1," * 500_000 + "] }}"),
        ("work", "{% for a in range(999) %}{% for b in range(999) %}{% endfor %}{% endfor %}"),
        ("work", "{% for a in range(9999) %}" + "{% set x = 1 %}" * 99 + "{% endfor %}"),
        ("work", "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(50) }}"),
        ("work", "{% for a in range(999) if false %}{% endfor %}" * 500),
        ("work", "{% set s = 'ab' * 10**6 %}{% for a in range(999) %}{{ 'c' in s }}{% endfor %}"),
        ("work", "{% set s = 'ab' * 10**6 %}{% for a in range(999) %}{% set t = s[1:] %}{% endfor %}"),
        ("work", "{% set s = 'ab' * 10**6 %}{% for a in range(999) %}{% set t = s.split('a') %}{% endfor %}"),
        ("work", "{{ range(10**15) | list }}"),
        ("work", "{{ [0] * 10**9 }}"),
        ("string", "{{ 'x' * 10**9 }}"),
        ("string", "{{ 'x'.ljust(10**9) }}"),
        ("string", "{{ 'x'.center(10**9) }}"),
        ("string", "{{ '%1000000000d' % 1 }}"),
        ("string", "{{ '{:>1000000000}'.format(1) }}"),
        ("string", "{{ ('a' * 10**5).replace('a', 'b' * 10**5) }}"),
        ("string", "{{ ('ab' * 10**5) | replace('a', 'c' * 10**5) }}"),
        ("string", "{{ ['a'] | join('x') }}{{ ('x' * 10**6).join(['a'] * 99) }}"),
        ("string", "{{ ('a\\n' * 10**4) | indent(10**4) }}"),
        ("output", "{% set s = 'x' * 10**6 %}{{ s }}{{ s }}{{ s }}"),
        ("depth", "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}"),
        ("depth", "{% set ns = namespace(l=[]) %}{% for i in range(99) %}{% set ns.l = [ns.l] %}{% endfor %}{{ ns.l | tojson }}"),
        ("depth", "{% set ns = namespace(l=()) %}{% for i in range(99) %}{% set ns.l = (ns.l,) %}{% endfor %}{{ {ns.l: 1} }}"),
        ("work", "{% set ns = namespace(l=()) %}{% for i in range(60) %}{% set ns.l = (ns.l, ns.l) %}{% endfor %}{{ {ns.l: 1} }}"),
        ("depth", "{{ " + "[" * 2000 + "]" * 2000 + " }}"),
        ("depth", "{% if 1 %}" * 1000 + "{% endif %}" * 1000),
        ("depth", "{% for x in messages recursive %}{{ loop(messages) }}{% endfor %}"),
        ("work", "{% set ns = namespace(l=[1]) %}{% for i in range(60) %}{% set ns.l = [ns.l, ns.l] %}{% endfor %}{{ ns.l is lower }}"),
        ("work", "{% set ns = namespace(l=[1]) %}{% for i in range(60) %}{% set ns.l = [ns.l, ns.l] %}{% endfor %}{{ ns.l in ([ns.l] | map('list')) }}"),
        ("work", "{% set ns = namespace(l=[1]) %}{% for i in range(60) %}{% set ns.l = [ns.l, ns.l] %}{% endfor %}{{ [ns.l, ns.l] | sort }}"),
        ("work", "{% set l = [1] * 999 %}{{ ([l] * 999) | sum(start=[]) }}"),
        ("work", "{% set d = {'x' * 10**6: 1} %}{{ ([d] * 999) | tojson }}"),
        ("work", "{% set s = 'x' * 500 %}{{ ([s] * 200000) | tojson }}"),
        # What a value takes as text is known before it is written: 100 MB are not.
        ("work", "{% set s = 'x' * 500 %}{{ [s] * 200000 }}"),
        ("work", "{% set s = 'x' * 500 %}{{ {'a': [s] * 200000} }}"),
        ("work", "{% set s = 'x' * 500 %}{{ ([s] * 200000) | string }}"),
        ("work", "{% set s = 'x' * 500 %}{{ 'a' ~ ([s] * 200000) }}"),
        ("work", "{% set s = 'x' * 500 %}{{ '%s' % [[s] * 200000] }}"),
        ("work", "{% set s = 'x' * 500 %}{{ '{}'.format([s] * 200000) }}"),
        ("string", "{{ ([1] * 99999) | tojson(indent=9999) }}"),
        ("string", "{{ ([1] * 99999) | tojson(separators=('x' * 9999, ':')) }}"),
        ("string", "{{ '%1000000000d' is divisibleby 1 }}"),
        ("string", "{{ '%1000000000d' is odd }}"),
        ("bits", "{{ 9**(9**9) }}"),
        ("bits", "{{ 2**5000 }}"),
        ("bits", "{% set ns = namespace(n=3) %}{% for i in range(60) %}{% set ns.n = ns.n * ns.n %}{% endfor %}"),
        ("bits", "{% set ns = namespace(n=3) %}{% for i in range(9999) %}{% set ns.n = ns.n + ns.n %}{% endfor %}"),
        ("bits", "{% set ns = namespace(n=3) %}{% for i in range(9999) %}{% set ns.n = ns.n - (0 - ns.n) %}{% endfor %}"),
        ("bits", "{{ 1.5 | round(10**9, 'floor') }}"),
        ("bits", "{{ ('9' * 10**5) | int }}"),
        ("bits", "{{ strftime_now('%Y' * 10**5) }}"),
    ],
)  # fmt: skip
def test_an_error_names_the_limit_and_how_to_raise_it(limit, source):
    with pytest.raises(LimitError, match=f"limits={{'{limit}'") as caught:
        load(source).text(MESSAGES)
    assert caught.value.limit == limit
    assert caught.value.most == getattr(DEFAULT, limit)


def test_no_text_is_handed_out_beyond_the_limit():
    source = "{% set s = 'x' * 10**6 %}{% for a in range(9) %}{{ s }}{% endfor %}"
    handed = []
    with pytest.raises(LimitError, match="its prompt is too long"):
        handed.extend(map(len, started(source, "", "", tracked=False)._written()))
    assert 0 < sum(handed) <= DEFAULT.output


def test_limits_are_raised_and_lowered_one_by_one():
    source = "{% for a in range(999) %}{% for b in range(999) %}{% endfor %}{% endfor %}ok"
    assert load(source, limits={"work": 10**8}).text(MESSAGES) == "ok"
    with pytest.raises(LimitError):
        load(source).text(MESSAGES)
    small = load("{{ 'x' * 600 }}", limits=Limits(string=599))
    with pytest.raises(LimitError):
        small.text([])
    assert small.but(limits={"string": 600}).text([]) == "x" * 600


@pytest.mark.parametrize("limits", [{"speed": 1}, {"work": 0}, {"work": "a"}, {"work": True}, 5])
def test_invalid_limits_are_refused(limits):
    with pytest.raises(LectError):
        load("x", limits=limits)


@pytest.mark.parametrize(
    "use",
    [
        "ns.t[1:]", "ns.t.strip()", "ns.t | upper", "ns.t | title", "ns.t + c", "ns.t.replace('z', 'c')", "ns.t.split('z')",
        "ns.t ~ 'x'", "ns.t * 2", "ns.t.ljust(500)", "ns.t | tojson", "ns.t | indent", "[ns.t] | join", "ns.t | reverse",
    ],
)  # fmt: skip
def test_going_through_the_pieces_of_a_text_is_counted(use):
    count, times = 200, 50
    source = (
        "{% set c = messages[0].content %}{% set ns = namespace(t='') %}{% for i in range(COUNT) %}{% set ns.t = ns.t + c %}"
        "{% endfor %}{% for j in range(TIMES) %}{% set x = USE %}{% endfor %}"
    )
    source = source.replace("COUNT", str(count)).replace("USE", use)
    variables = {"messages": marked([{"role": "user", "content": "a"}], ("messages",))}

    def spent(times):
        code = compiled(source.replace("TIMES", str(times)), "x", DEFAULT)
        run = Run(code, "x", DEFAULT, variables, None, tracked=True)
        list(run.pieces())
        return DEFAULT.work - run.context.left

    assert spent(times) - spent(0) >= count * times


@pytest.mark.parametrize(
    "source",
    [
        "{% set ns = namespace(last=0) %}{% for m in messages[::-1] %}{% if m.role == 'user' %}{% set ns.last = loop.index0 %}{% endif %}{% endfor %}"
        "{% for m in messages %}{% if m.role == 'user' or loop.last %}<u>{{ m.content.split('</think>')[-1] | trim }}{% else %}<a>{{ m.content }}"
        "{% endif %}{{ messages[loop.index0 - 1].role if loop.index0 }}{% endfor %}",
        "{% set ns = namespace(out='') %}{% for m in messages %}{% set ns.out = ns.out ~ '<' ~ m.role ~ '>' %}"
        "{% set ns.out = ns.out ~ m.content %}{% set ns.out = ns.out ~ '<end>' %}{% endfor %}{{ ns.out }}",
    ],
    ids=["looks back and ahead", "puts its prompt together"],
)
def test_two_thousand_messages_pass(source):
    messages = [{"role": ("user", "assistant")[turn % 2], "content": "word " * 200} for turn in range(2000)]
    template = load(source)
    rendered = template.render(messages)
    assert template.text(messages) == rendered.text
    assert len(rendered.segments) > 4000


def steps(template, count):
    """Return how much work a template does for `count` messages."""
    messages = [{"role": "user", "content": "Hello!"}] * count
    run = Run(compiled(template.jinja, "x", DEFAULT), "x", DEFAULT, {"messages": messages}, None, tracked=False)
    run.text()
    return DEFAULT.work - run.context.left


def test_work_grows_no_faster_than_the_number_of_messages():
    template = load("{% for m in messages %}{{ m.role + ': ' + m.content }}{% if loop.last %}.{% endif %}{% endfor %}")
    assert steps(template, 800) <= 8 * steps(template, 100) + 100


ATTEMPTS = """
import sys
import lect_jinja

template = lect_jinja.load({source!r})
messages = [{{"role": "user", "content": "Hello!"}}]
tools = [{{"type": "function", "function": {{"name": "f", "parameters": {{"type": "object"}}}}}}]
arguments = {{"tools": tools, "add_generation_prompt": True}}
template.text(messages, **arguments)
prompt = template.render(messages, **arguments)
# What lect itself needs for these is imported with the first of them.
prompt.segments, prompt.unused, prompt.controls
seen = []
sys.addaudithook(lambda event, args: seen.append(event))
template.text(messages, **arguments)
prompt = template.render(messages, **arguments)
prompt.segments, prompt.unused, prompt.controls
print(sorted(set(seen) - {{"object.__getattr__", "sys._getframe", "builtins.id", "marshal.dumps", "marshal.loads"}}))
"""


def test_rendering_opens_no_file_and_no_socket_and_imports_nothing():
    source = (
        "{% macro f(x) %}{{ x | tojson(indent=2) }}{% endmacro %}{% for m in messages %}{{ m.content.strip() | upper }}"
        "{{ '%s' % m.role }}{{ '{}'.format(m.role) }}{% endfor %}{{ f(tools) }}{{ strftime_now('%Y') }}"
        "{{ messages | map(attribute='role') | join(', ') }}{{ tools | selectattr('type', 'equalto', 'function') | list | length }}"
    )
    run = subprocess.run(
        [sys.executable, "-c", ATTEMPTS.format(source=source)], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "expression",
    [
        "''.__class__", "''['__class__']", "messages.__len__", "messages[0].__class__.mro()", "namespace(a=1)._Namespace__attrs",
        "loop", "cycler('a')", "joiner(',')", "lipsum()", "raise_exception.call", "raise_exception.__globals__",
        "messages.append(1)", "messages[0].pop('role')", "messages[0].update({})", "messages[0].clear()", "''.encode()",
        "'{0.__class__}'.format(1)", "'{0[x]}'.format({'x': 1})", "'%c'.format_map({})", "'' | attr('__class__')",
        "[1] | random", "1 | pprint", "messages | groupby('role')", "''.translate({})", "namespace(__class__=1).x",
        "messages | map('attr', '__class__') | list", "messages | map(attribute='__class__.__mro__') | list",
        "(messages | map('upper')).gi_frame", "'x' | round(9, 'ceil')", "x._undefined_exception", "x.y", "[raise_exception]", "[raise_exception] | tojson", "messages[0].items",
        "dict(messages[0])['__class__'].x", "caller()", "varargs", "self", "super()", "range", "[range]",
    ],
)  # fmt: skip
def test_a_template_reaches_nothing_but_values(expression):
    try:
        text = load(f"{{{{ {expression} }}}}").text([{"role": "user", "content": "Hello!"}])
    except LectError:
        return
    assert text == "", text


def test_compiled_templates_are_kept_and_bounded():
    first = compiled("{{ 'first' }}", "x", DEFAULT)
    assert compiled("{{ 'first' }}", "y", DEFAULT) is first
    for number in range(MOST_COMPILED):
        compiled(f"{{{{ {number} }}}}", "x", DEFAULT)
    assert compiled("{{ 'first' }}", "x", DEFAULT) is not first


def test_threads_share_a_template():
    template = load("{% for m in messages %}{{ m.content }}{% for x in range(20) %}{{ x }}{% endfor %}{% endfor %}")
    wrong = []

    def render(number):
        messages = [{"role": "user", "content": f"<{number}>"}] * 5
        expected = (f"<{number}>" + "".join(map(str, range(20)))) * 5
        got = {text for _ in range(50) for text in (template.text(messages), template.render(messages).text)}
        wrong.extend(got - {expected})

    threads = [threading.Thread(target=render, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def isolated(source, **limits):
    """Load a template that runs in a process of its own, which may be slow on a busy machine."""
    return load(source, isolate=True, limits={"seconds": HANGS, **limits})


class TestIsolated:
    """The same, in a process of its own."""

    def test_it_gives_the_same_prompt(self):
        source = "{% for m in messages %}<{{ m.role }}>{{ m.content | upper }}{{ m.content | trim }}{% endfor %}{{ strftime_now('%Y') }}{{ x }}"
        messages = [{"role": "user", "content": [{"type": "text", "text": " 你好 "}]}]
        here, there = load(source), isolated(source)
        assert there.render(messages, x=[1]).segments == here.render(messages, x=[1]).segments
        assert there.text(messages) == here.text(messages)
        assert there.accepts == here.accepts

    def test_errors_come_back_unchanged(self):
        with pytest.raises(RefusedError, match="no!"):
            isolated("{{ raise_exception('no!') }}").text(MESSAGES)
        with pytest.raises(MessageError, match="at line 1"):
            isolated("{{ x.y }}").text(MESSAGES)
        with pytest.raises(LimitError) as caught:
            isolated("{{ 2 ** 9999 }}").text(MESSAGES)
        assert (caught.value.limit, caught.value.most) == ("bits", DEFAULT.bits)

    def test_a_template_that_takes_too_long_is_killed_and_the_next_one_works(self):
        endless = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
        with pytest.raises(LimitError) as caught:
            isolated(endless, work=10**12, seconds=0.3).text(MESSAGES)
        assert caught.value.limit == "seconds"
        assert isolated("ok").text(MESSAGES) == "ok"

    def test_a_template_that_takes_too_much_memory_is_stopped(self):
        pytest.importorskip("resource")
        greedy = "{{ ('x' * 10**9) | length }}"
        with pytest.raises(LimitError):
            isolated(greedy, work=10**12, string=10**12, memory=300 * MEGABYTE).text(MESSAGES)
        assert isolated("ok").text(MESSAGES) == "ok"


def test_the_defaults_of_load():
    assert lect_jinja.load.__kwdefaults__ == {
        "chat_template": None,
        "name": None,
        "limits": None,
        "isolate": False,
    }


def nested(depth, value):
    for _ in range(depth):
        value = {"a": [value]}
    return value


def test_plain_values_are_taken_as_they_are_however_they_are_nested():
    messages = [nested(3, "text"), nested(DEEPEST // 2 - 1, 1), {"role": "user", "content": None}]
    assert plain(messages, ("messages",)) is messages
    with pytest.raises(MessageError, match="is nested more than 128 deep"):
        plain([nested(DEEPEST // 2 + 1, 1)], ("messages",))
    # One that is not plain does not concern the others.
    mixed = [messages[0], {1: "x"}]
    made = plain(mixed, ("messages",))
    assert made == [messages[0], {"1": "x"}]
    assert made[0] is messages[0]
