"""Every operation of the language of chat templates, with somebody's text, number or key in every position.

The operations are read from the tables of the environment in which templates run, so that a new one cannot be forgotten.
"""

import inspect
import itertools
import re

import jinja2.filters
from jinja2 import nodes
from jinja2.compiler import operators

from lect import LectError
from lect_jinja.engine.access import LOOP_ATTRIBUTES
from lect_jinja.engine.environment import ENVIRONMENT
from lect_jinja.engine.limits import DEFAULT
from lect_jinja.engine.methods import LOOP_ROWS, METHODS
from lect_jinja.engine.run import Run, compiled
from lect_jinja.engine.values import marked

USERS = [
    {
        "role": "user", "content": "Αβγ", "form": "Α%sβ{}", "digits": "7", "line": "Α\nβ", "n": 65, "k": 2, "f": 1.5,
        "codes": [913, 914], "words": ["Αβ", "γ"], "fields": {"Αβ": "Γδ", "γ": 5},
    },
    {
        "role": "user", "content": "Бжц", "form": "Б%sж{}", "digits": "8", "line": "Б\nж", "n": 66, "k": 4, "f": 2.5,
        "codes": [925, 926], "words": ["Бж", "ц"], "fields": {"Бж": "Цд", "ц": 6},
    },
]  # fmt: skip
"""Two users who differ in every letter and number, and agree in every length."""
THEIRS = re.compile("[\u0370-\u052f]|\\\\u0[34]", re.IGNORECASE)
"""A letter of theirs, also as JSON and Python escape it."""
WORD = re.compile(r"[\\\w]+")
SOMEBODYS = (
    "m.content", "m.content[0]", "m.form", "m.digits", "m.line", "m.n", "m.k", "m.f", "m.codes", "m.codes[0]", "m.words",
    "m.fields", "(m.fields|first)", "m", "('a' ~ m.content)", "(m.content|safe)", "[m.content, 'b']", "(m.n, 'a')",
    "{m.content: 'b'}", "{m.n: m.content}", "{'a': m.k}", "range(m.n, m.n + 1)", "m.fields.items()",
)  # fmt: skip
FEW = ("m.content", "m.content[0]", "m.form", "m.k", "m.f", "m.words", "m.words[0]", "range(m.n, m.n + 1)")
OWN = (
    "'ab%s'", "'a-{}'", "'x\ny'", "'c'", "3", "0.5", "['b', 'a']", "{'b': 'a'}", "('a', 'b')", "true", "none", "range(2)",
)  # fmt: skip
PLAIN = ("'ab%s'", "3", "['b', 'a']")
METHOD_NAMES = sorted(set().union(*METHODS.values()))


def expressions():
    """Yield templates, each of which does one thing."""
    for name, operation in ENVIRONMENT.filters.items():
        for receiver, arguments in calls(keywords(operation, jinja2.filters.FILTERS.get(name))):
            yield f"{{{{ {receiver}|{name}({arguments}) }}}}"
        for their in SOMEBODYS:
            yield f"{{{{ [{their}]|map('{name}')|list }}}}"
            yield f"{{{{ [{their}]|map('{name}', 'a')|list }}}}"
            yield f"{{{{ ['a']|map('{name}', {their})|list }}}}"
    for name in ENVIRONMENT.tests:
        for their in SOMEBODYS:
            yield f"{{{{ {their} is {name} }}}}" if name.isalpha() else f"{{{{ 1 {name} {their} }}}}"
            for own in PLAIN:
                yield f"{{{{ [{own}, {their}]|select('{name}', {their})|list }}}}"
                yield f"{{{{ [{own}, {their}]|reject('{name}', {own})|list }}}}"
    for name in METHOD_NAMES:
        found = {keyword for methods in METHODS.values() if name in methods for keyword in keywords(methods[name])}
        for receiver, arguments in calls(sorted(found)):
            yield f"{{{{ {receiver}.{name}({arguments}) }}}}"
    for name, function in ENVIRONMENT.globals.items():
        for first, arguments in calls(keywords(function.call)):
            separator = ", " * bool(arguments)
            yield f"{{{{ {name}({first}{separator}{arguments}) }}}}"
            yield f"{{% for x in {name}({first}{separator}{arguments}) %}}{{{{ x }}}};{{% endfor %}}"
            yield f"{{{{ {name}(**{first}) }}}}{{{{ {name}(*{first}) }}}}"
    yield from operations()
    yield from statements()


def keywords(*functions):
    """Return the names of the arguments of functions."""
    found = [inspect.signature(inspect.unwrap(function)).parameters for function in functions if function]
    names = {
        name for parameters in found for name, each in parameters.items() if each.kind == each.POSITIONAL_OR_KEYWORD
    }
    return sorted(names - {"context", "environment", "eval_ctx", "value", "text", "mapping", "values"})


def calls(names):
    """Yield a receiver and arguments: somebody's in one position, or in two."""
    for their in SOMEBODYS:
        yield their, ""
        for own in PLAIN:
            yield their, own
            yield own, their
    for their in FEW:
        for own in OWN:
            yield own, their
    for their in FEW[:5]:
        for own, name in itertools.product(PLAIN, names):
            yield own, f"{name}={their}"
        for receiver, first in itertools.product(PLAIN, repeat=2):
            yield receiver, f"{their}, {first}"
            yield receiver, f"{first}, {their}"
            yield receiver, f"{first}, {first}, {their}"
            yield their, f"{receiver}, {first}"
        for name in names:
            yield "[1, 2]", f"{name}=({their}, {their})"


def operations():
    """Yield every operator, subscript and display."""
    signs = ["~", *(kind.operator for kind in nodes.BinExpr.__subclasses__())]
    for their in SOMEBODYS:
        for kind in nodes.UnaryExpr.__subclasses__():
            yield f"{{{{ {kind.operator} {their} }}}}"
        yield f"{{{{ [{their}] }}}}{{{{ ({their},) }}}}{{{{ {{'a': {their}}} }}}}{{{{ {{{their}: 1}} }}}}"
        yield f"{{{{ {{{their}: 1}}|tojson }}}}{{{{ [{their}]|tojson(indent=1) }}}}"
        yield f"{{{{ {their}[::-1] }}}}{{{{ {their}[1:] }}}}{{{{ {their}[0] }}}}"
        for other in (*OWN, *FEW):
            for sign in signs:
                yield f"{{{{ {their} {sign} {other} }}}}"
                yield f"{{{{ {other} {sign} {their} }}}}"
        for other in (*PLAIN, *FEW):
            for sign in operators.values():
                yield f"{{{{ {their} {sign} {other} }}}}"
                yield f"{{{{ {other} {sign} {their} }}}}"
            for left, right in ((their, other), (other, their)):
                yield f"{{{{ {left}[{right}] }}}}"
                yield f"{{{{ {left}[{right}:] }}}}"
                yield f"{{{{ {left}[:{right}] }}}}"
                yield f"{{{{ {left}[::{right}] }}}}"
                yield f"{{{{ {left} if {right} else {right} }}}}"
                yield f"{{{{ {{{left}: {right}, 'a': 1}} }}}}"


def statements():
    """Yield statements that take values apart, or put them together."""
    inside = "{{ x }}" + "".join(f"{{{{ loop.{name} }}}}" for name in sorted(LOOP_ATTRIBUTES))
    for their in SOMEBODYS:
        yield f"{{% for x in {their} %}}{inside}{{% endfor %}}"
        yield f"{{% set x, y = {their} %}}{{{{ x }}}}{{{{ y }}}}"
        yield f"{{% set ns = namespace(x={their}) %}}{{% set ns.y = ns.x %}}{{{{ ns.y }}}}{{{{ ns[m.content] }}}}"
        yield f"{{% macro f(x=1) %}}{{{{ x }}}}{{{{ varargs }}}}{{{{ kwargs }}}}{{% endmacro %}}{{{{ f(*{their}) }}}}"
        yield f"{{% macro f(x=1) %}}{{{{ x }}}}{{{{ varargs }}}}{{{{ kwargs }}}}{{% endmacro %}}{{{{ f(**{their}) }}}}"
        yield f"{{% macro f(x) %}}{{{{ x }}}}{{{{ caller({their}) }}}}{{% endmacro %}}{{% call(y) f({their}) %}}{{{{ y }}}}{{% endcall %}}"
        yield f"{{% set x %}}<{{{{ {their} }}}}>{{% endset %}}{{{{ x }}}}{{{{ x|upper }}}}{{{{ x|length }}}}"
        for name in ENVIRONMENT.filters:
            yield f"{{% filter {name} %}}a{{{{ {their} }}}}{{% endfilter %}}"
        for name in sorted(LOOP_ROWS):
            yield f"{{% for x in [1, 2] %}}{{{{ loop.{name}({their}, 'a') }}}}{{% endfor %}}"


def said(code, user, *, tracked):
    """Return the pieces that a template writes for a user, or the error that it raises."""
    messages = [USERS[user]]
    variables = {"messages": marked(messages, ("messages",)) if tracked else messages}
    run = Run(code, "t", DEFAULT, variables, None, tracked=tracked)
    try:
        return [piece for _, pieces in run.pieces() for piece in pieces]
    except LectError as error:
        return error


def faults(expression):
    """Return what is wrong with the origins of a template's text: nothing, or a sentence for each fault."""
    code = compiled("{% set m = messages[0] %}" + expression, "t", DEFAULT)
    found, own = [], []
    for user, message in enumerate(USERS):
        text, prompt = said(code, user, tracked=False), said(code, user, tracked=True)
        if isinstance(text, LectError) or isinstance(prompt, LectError):
            if type(text) is not type(prompt):
                found.append(f"text gives {text!r}, and render {prompt!r}")
            continue
        if "".join(text) != "".join(prompt):
            found.append(f"text gives {''.join(text)!r}, and render {''.join(prompt)!r}")
        own.append({word for piece in prompt if type(piece) is str for word in WORD.findall(piece)})
        found += [f"the template has {word!r}" for word in own[-1] if THEIRS.search(word)]
        found += [f"{piece!r} is not at {piece.path}, {piece.start}" for piece in prompt if misplaced(piece, message)]
    if len(own) == 2 and own[0] != own[1]:
        # What the template says may be said more or less often for another user, but not differently.
        found.append(f"the template has {own[0] ^ own[1]} for one user only")
    return found


def misplaced(piece, message):
    """Return whether a piece says that it is a part of a field, and is not."""
    if type(piece) is str or piece.start < 0:
        return False
    field = [message]
    for step in piece.path[1:]:
        field = field[step]
    return not field.startswith(piece, piece.start)
