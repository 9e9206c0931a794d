"""Templates that try to take long: random programs from the grammar of the language, with values of growing size."""

import random
import re

LETTERS = (
    "a",
    "ab",
    "\\n",
    " ",
    "é",
    "中",
    "😀",
    "%s",
    "%%",
    "{}",
    "}}",
    "0.",
    "9",
    "&",
    "a,b;",
    "\\u2028",
    "\\0",
    "ﬃ",
)
GRAMMAR = {
    # A text.
    "T": """
        (T + T)|(T ~ V)|(T * N)|T[N:]|T[::-1]|T[N]|(T | upper)|(T | lower)|(T | title)|(T | capitalize)|(T | trim)|(T | trim(T))
        (T | replace(T, T))|(T | replace(T, T, N))|(T | indent)|(T | indent(N))|(T | indent(T, true, true))|(V | string)|(T | safe)
        (T | reverse)|(V | tojson)|(V | tojson(indent=N))|(V | tojson(indent=T, sort_keys=true))|(V | tojson(separators=(T, T)))
        (V | tojson(true))|(L | join)|(L | join(T))|(L | join(T, T))|(T | format(V))|(T | format(V, V))|('%s' | format(V))
        (('%s' * N) % ((V,) * N))|('%.*f' % (N, N))|(('%' ~ N ~ 'd') % N)|(('%.' ~ N ~ 'f') % N)|('%r%s' % (V, V))|(('%(a)s' * N) % {'a': V})|((A * S) % V)
        ('{}' * N).format(*L)|('{0}' * N).format(V)|('{:' ~ N ~ '}').format(V)|'{a!r}'.format(a=V)|T.format(V, V)
        T.strip()|T.strip(T)|T.lstrip(T)|T.rstrip(T)|T.removeprefix(T)|T.removesuffix(T)|T.replace(T, T)|T.replace(T, T, N)
        T.join(L)|T.join(T)|T.ljust(N)|T.rjust(N, A)|T.center(N)|T.zfill(N)|T.upper()|T.lower()|T.title()|T.capitalize()
        T.swapcase()|T.casefold()|strftime_now(T)|strftime_now('%' ~ N ~ 'Y')|f(V)|f(V, *L)|f(*T)|f(V, **dict(a=V))
        (T | truncate(N))|(T | truncate(N, true, T, N))|(T | wordwrap(N))|(T | wordwrap(N, true, T))|(T | center(N))|(V | e)|(V | escape)|(V | forceescape)
        (N | filesizeformat)|(T | filesizeformat(true))|(T | striptags)|(V | urlencode)|({T: V} | xmlattr)|({T: V, 'a': T} | urlencode)
        loop.cycle(T, T)|(L | first)|(L | last)|(V | default(T))|(V | d(T))|(T | list | join(T))|(L | map('string') | join)
    """,
    # A container.
    "L": """
        [V, V]|(V, V)|(V,)|[L, L]|(L, L)|{'a': V, 'b': V}|{N: V, T: V}|{(N, N): V}|[leaf, L]|(leaf, leaf)|range(N)|(range(0, 2 ** 4090, 2 ** 4075) | list)|[N + 1, N + 2]
        (L + L)|(L * N)|L[N:]|L[::-1]|L[:]|(L | list)|(T | list)|(L | sort)|(L | sort(attribute=T))|(L | sort(true, true))
        (L | unique | list)|(L | unique(attribute=T) | list)|(L | map('upper') | list)|(L | map('tojson') | list)
        (L | map('replace', T, T) | list)|(L | map(attribute=T) | list)|(L | map(attribute=N, default=V) | list)
        (L | select | list)|(L | select('eq', V) | list)|(L | select('in', V) | list)|(L | reject('none') | list)
        (L | selectattr(T) | list)|(L | selectattr(T, 'eq', V) | list)|(L | rejectattr(T) | list)|(L | reverse | list)
        ({'a': V, T: V} | dictsort)|({'a': V} | dictsort(by='value'))|({'a': V} | items | list)|(L | sum(start=[]))
        {'a': V}.items()|{T: V}.keys()|{'a': V}.values()|{'a': L}.copy()|(L | list).copy()|dict(a=V)|dict([[V, V]])|dict(L)
        (L | batch(N) | list)|(L | batch(N, V) | list)|(L | slice(N) | list)|(T | slice(N, V) | list)
        T.split()|T.split(T)|T.split(sep=T)|T.split(T, N)|T.rsplit(T)|T.rsplit(T, N)|T.splitlines()|T.partition(T)|T.rpartition(T)
        ({'a': L}.get('a'))|({'a': L}.get(V, L))|namespace(a=V).a|namespace([[T, V]])|(V | default(L))|L[L]|(L | map('list') | list)
    """,
    # A number or a truth value.
    "N": """
        (N + N)|(N - N)|(N * N)|(N / N)|(N // N)|(N % N)|(N ** N)|-N|+N
        (V == V)|(L == L)|(T == T)|(L != L)|(T < T)|(L < L)|(L >= L)|(N < N < N)|(T in T)|(V in L)|(V in {'a': V})|(T not in T)
        (V in {'a': V}.values())|(T in T in L)|({'a': V}.items() == {'a': V}.items())|({T: V}.keys() <= {T: V}.keys())
        (L - L)|({'a': L}.items() - N)|(V is eq(V))|(V is ne(V))|(T is lt(T))|(T is ge(T))|(V is in(L))|(V is sameas(V))
        (N is divisibleby(N))|(N is even)|(N is odd)|(V is lower)|(V is upper)|(V is defined)|(V is iterable)|(V is mapping)
        (V is gt(V))|(V is le(V))|(V is boolean)|(V is false)|(V is float)|(V is integer)|(V is number)|(V is true)|(V is undefined)
        (T | wordcount)|(V is callable)|(V is escaped)|(V is filter)|(V is test)
        (V is sequence)|(V is string)|(L | length)|(T | count)|(T | int)|(T | int(N, 16))|(T | float)|(N | float)|(N | abs)
        (N | round)|(N | round(N))|(N | round(N, 'ceil'))|(L | sum)|(L | sum(attribute=T))|(L | max)|(L | min)
        (L | max(attribute=T))|(L | min(attribute=T))|T.find(T)|T.rfind(T)|T.index(T)|T.rindex(T)|T.count(T)|T.find(T, N, N)
        T.startswith(T)|T.endswith(T)|T.startswith((T,) * N)|T.isalnum()|T.isalpha()|T.isascii()|T.isdecimal()|T.isdigit()
        T.islower()|T.isnumeric()|T.isprintable()|T.isspace()|T.istitle()|T.isupper()|(L | list).index(V)|(L | list).count(V)
        loop.changed(V)|loop.length|loop.cycle(*L)|(N if V else N)|(V and V)|(not V)|[1][V]|{}[V]|{}.get(V)
    """,
}
"""What an operation may be, by the kind of its result. V is a value of any kind."""
VALUES = {
    "T": "ns.t|ns.t|ns.t|ns.t|(A * S)|(A * S ~ A)|messages[0].content|(messages[0].content * S)|((messages[0].content ~ A) * S)",
    "L": "ns.l|ns.l|ns.l|ns.l|ns.d|([ns.n] * S)|((ns.t,) * S)|(range(S) | list)|[leaf, leaf]|(A * S).split(A)"
    "|(range(0, S * 2305843009213693951, 2305843009213693951) | list)|[ns.t, ns.l, ns.n]|{'a': ns.l, 'b': ns.t}|(ns.l, ns.l)",
    "N": "ns.n|ns.n|S|S|-S|1|0|(2 ** S)|1e300|0.1|true",
}
"""What the operands are, where they are not operations themselves. S is a number of any order of magnitude, A some letters."""
SEPARATOR = re.compile(r"(?<! )\|(?! )|\n")
OPERATIONS, OPERANDS = (
    {kind: [each.strip() for each in SEPARATOR.split(rules) if each.strip()] for kind, rules in each.items()}
    for each in (GRAMMAR, VALUES)
)
PLACES = re.compile(r"(?<!['.])\b[TLNVSA]\b")
NAMES = {"T": "t", "L": "l", "N": "n"}


class Attack:
    """One program, the same for the same seed.

    Args:
        seed: The seed of all random choices.
        digits: Decimal digits of the largest number by which anything is multiplied.

    Attributes:
        source: The template.
    """

    def __init__(self, seed, digits=7):
        self.random = random.Random(seed)
        self.digits = digits
        first = ", ".join(f"{name}={self.expression(kind, 0)}" for kind, name in NAMES.items())
        doubled = self.random.choice(("[ns.d, ns.d]", "(ns.d, ns.d)", "{'a': ns.d, 'b': ns.d}", "[ns.d]", "(ns.d,)"))
        body = "".join(self.statement() for _ in range(self.random.choice((1, 1, 2))))
        self.source = (
            "{% macro f(x) %}{{ x }}{{ varargs }}{{ kwargs }}{% endmacro %}{% set ns = namespace(t='a', l=[1], n=1, d=[1]) %}"
            f"{{% set ns = namespace({first}, d=[leaf]) %}}"
            f"{{% for i in range({self.random.randrange(24)}) %}}{{% set ns.d = {doubled} %}}{{% endfor %}}"
            f"{{% for i in range({self.size()}) %}}{body}{{% endfor %}}"
        )

    def size(self):
        """Return a number of any order of magnitude."""
        return int(10 ** self.random.uniform(0, self.digits))

    def statement(self):
        """Return a statement; some of them keep what they make, so that the next one has more to do."""
        kind = self.random.choice("TTLLN")
        value = self.expression(kind, self.random.choice((1, 1, 1, 2)))
        return self.random.choice((
            f"{{% set ns.{NAMES[kind]} = {value} %}}",
            f"{{% set x = {value} %}}",
            f"{{% set x = {value} %}}",
            f"{{{{ {value} }}}}",
            f"{{% set ns.t %}}{{{{ {value} }}}}{{{{ ns.t }}}}{{% endset %}}",
            f"{{% for x in {self.expression('L', 0)} %}}{{% set y = {value} %}}{{% endfor %}}",
        ))  # fmt: skip

    def expression(self, kind, depth):
        """Return an expression of a kind."""
        if kind == "S":
            return str(self.size())
        if kind == "A":
            return f"'{self.random.choice(LETTERS)}'"
        if kind == "V":
            kind = self.random.choice("TLN")
        rule = self.random.choice((OPERATIONS if depth > 0 else OPERANDS)[kind])
        return PLACES.sub(lambda place: self.expression(place[0], depth - 1), rule)
