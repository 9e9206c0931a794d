"""Constraints: how long engines take to compile them, and how building one grows with the tools."""

import gzip
import json
from time import perf_counter

import makers
from timing import Line

SHARED = makers.SHARED / "tokenizers"
MODELS = {
    "qwen_3": ("qwen:qwen3", "qwen3", "enabled"),
    "deepseek_v3_1": ("deepseek:deepseek-v3.1", "deepseek_v3", "disabled"),
}
"""xgrammar's own definitions, with our template, the tokenizer, and the mode of reasoning that fits its prompt."""
CHOICES = ("auto", "required")


def tools(count):
    parameters = {
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "days": {"type": "integer"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "unit": {"enum": ["celsius", "fahrenheit"]},
        },
        "required": ["city"],
        "additionalProperties": False,
    }
    return [{"type": "function", "function": {"name": f"tool_{at}", "parameters": parameters}} for at in range(count)]


def lines():
    """Yield the lines of the table."""
    try:
        from lect_constrain import constrain
    except ImportError:
        yield Line("constraints", None, 1, note="lect-constrain is not installed")
        return
    import lect

    yield from growth(lect.template("qwen:qwen3"), constrain)
    for theirs, (name, tokenizer, reasoning) in MODELS.items():
        file = SHARED / tokenizer / "tokenizer.json.gz"
        for choice in CHOICES:
            yield compiled(theirs, name, file, reasoning, choice, constrain)
        yield compiled(theirs, name, file, reasoning, "required", constrain, any_order=True)
    for any_order in (False, True):
        yield first_mask(SHARED / "qwen3" / "tokenizer.json.gz", constrain, any_order)


def growth(template, constrain):
    """Building is linear in the tools."""
    times = {count: best(lambda count=count: constrain(template, tools(count)).gbnf()) for count in (10, 100, 1000)}
    note = ", ".join(f"{count:,}: {1000 * each:.0f} ms" for count, each in times.items())
    yield Line(
        "a constraint for 1,000 tools, a tool, beside 100", times[1000] / times[100] / 10, 2, least=False, note=note
    )


def compiled(theirs, name, file, reasoning, choice, constrain, any_order=False):
    what = f"xgrammar compiles {name} ({choice}{', any order' * any_order}), beside its own {theirs}"
    try:
        import xgrammar
    except ImportError:
        return Line(what, None, 4, least=False, note="xgrammar is not installed")
    if not file.exists():
        return Line(what, None, 4, least=False, note="../shared/tokenizers is missing")
    import lect

    template = lect.template(name)
    vocabulary = read_vocabulary(file)
    stops = [each for each in template.stop.values() if each is not None][:1]
    info = xgrammar.TokenizerInfo(vocabulary, xgrammar.VocabType.BYTE_LEVEL, stop_token_ids=stops)
    own = xgrammar.get_model_structural_tag(theirs, tools=tools(10), tool_choice=choice, reasoning=reasoning)
    ours = constrain(template, tools(10), tool_choice=choice, any_order=any_order).structural_tag()

    def compile_it(tag):
        compiler = xgrammar.GrammarCompiler(info, max_threads=1, cache_enabled=False)
        return best(lambda: compiler.compile_structural_tag(tag))

    mine, other = compile_it(json.dumps(ours)), compile_it(own.model_dump_json())
    return Line(what, mine / other, 4, least=False, note=f"{1000 * mine:.0f} ms, {1000 * other:.0f} ms")


def first_mask(file, constrain, any_order):
    what = f"llguidance compiles ten tools{', any order' * any_order}, with the first mask"
    try:
        import llguidance
    except ImportError:
        return Line(what, None, 50, least=False, note="llguidance is not installed", unit="ms")
    if not file.exists():
        return Line(what, None, 50, least=False, note="../shared/tokenizers is missing", unit="ms")
    tokenizer = llguidance.LLTokenizer(gzip.decompress(file.read_bytes()).decode())
    grammar = llguidance.LLMatcher.grammar_from_lark(constrain("Qwen/Qwen3-8B", tools(10), any_order=any_order).lark())
    taken = best(lambda: llguidance.LLMatcher(tokenizer, grammar, log_level=0).compute_bitmask())
    return Line(what, 1000 * taken, 50, least=False, unit="ms")


def best(function, rounds=3):
    """Return the best time of a few calls."""
    times = []
    for _ in range(rounds):
        start = perf_counter()
        function()
        times.append(perf_counter() - start)
    return min(times)


def read_vocabulary(file):
    """Return the texts of a tokenizer's tokens by id."""
    made = json.loads(gzip.decompress(file.read_bytes()).decode())
    ids = {**made["model"]["vocab"], **{each["content"]: each["id"] for each in made["added_tokens"]}}
    found = [""] * (max(ids.values()) + 1)
    for text, number in ids.items():
        found[number] = text
    return found
