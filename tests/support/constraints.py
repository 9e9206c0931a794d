"""Engines that constrain decoding, a vocabulary for any template, and random tools with messages that fit them."""

import json

from lect_constrain.nodes import Ref, Text

WORDS = [
    b"  ", b"\n\n", b" the", b" a", b"get", b"_w", b'":', b'", "', b'{"', b"}}", b"</", b"name",
    b"Par", b"is", b"12", b"3.5", b"true", b"null", b"True", b"None", b"\xc3\xb6", b"\xe4\xbd\xa0",
]  # fmt: skip
CLOSING = (b'"', b"'", b"}", b"]", b")", b"<", b"</", b"}}", b">", b"/", b"\n")
EOS = "<eos of this test>"


class Vocabulary:
    """All bytes, a few fragments, and the control tokens of a template."""

    def __init__(self, controls=()):
        self.tokens = [bytes([byte]) for byte in range(256)] + WORDS
        self.controls = {}
        for text in dict.fromkeys([*controls, EOS]):
            self.controls[text] = len(self.tokens)
            self.tokens.append(text.encode())
        self.special_token_ids = list(self.controls.values())
        self.eos_token_id, self.bos_token_id = self.controls[EOS], None
        self._longest = sorted(self.controls, key=len, reverse=True)
        self._fragments = {
            token: number for number, token in enumerate(self.tokens) if number not in self.special_token_ids
        }

    def control_tokens(self):
        return {text: number for text, number in self.controls.items() if text != EOS}

    def __call__(self, text):
        return self._ordinary(text if isinstance(text, bytes) else text.encode())

    def encode(self, text):
        """Return the ids of a text, its control tokens as tokens."""
        found, at, begin = [], 0, 0
        while at < len(text):
            control = next((each for each in self._longest if text.startswith(each, at)), None)
            if control:
                found += [*self._ordinary(text[begin:at].encode()), self.controls[control]]
                at = begin = at + len(control)
            else:
                at += 1
        return found + self._ordinary(text[begin:].encode())

    def _ordinary(self, data):
        found, at = [], 0
        while at < len(data):
            length = next(length for length in (8, 7, 6, 5, 4, 3, 2, 1) if data[at : at + length] in self._fragments)
            found.append(self._fragments[data[at : at + length]])
            at += length
        return found

    def decode(self, ids):
        return b"".join(self.tokens[each] for each in ids).decode("utf-8", "replace")


class Guidance:
    """llguidance with a Lark grammar."""

    def __init__(self, vocabulary, grammar):
        import llguidance

        self.vocabulary = vocabulary
        if not hasattr(vocabulary, "guidance"):
            vocabulary.guidance = llguidance.LLTokenizer(llguidance.TokenizerWrapper(vocabulary))
        self.first = llguidance.LLMatcher(
            vocabulary.guidance, llguidance.LLMatcher.grammar_from_lark(grammar), log_level=0
        )
        assert not self.first.is_error(), self.first.get_error()

    def start(self):
        return self.first.deep_copy()

    def accepts(self, text):
        """Return how much of a text is accepted; None if all of it is, and may end there."""
        matcher, ids = self.start(), self.vocabulary.encode(text)
        count = matcher.try_consume_tokens(ids)
        if count < len(ids) or not matcher.is_accepting():
            return self.vocabulary.decode(ids[:count])
        return None

    def allowed(self, matcher):
        mask = matcher.compute_bitmask()
        return [byte * 8 + bit for byte, bits in enumerate(mask) if bits for bit in range(8) if bits >> bit & 1]

    def step(self, matcher, token):
        assert matcher.consume_token(token), matcher.get_error()

    def takes(self, matcher, ids):
        """Go on with all of these tokens if they are allowed, and return whether they are."""
        return matcher.deep_copy().try_consume_tokens(ids) == len(ids) and matcher.consume_tokens(ids)

    def may_end(self, matcher):
        return matcher.is_accepting()


class XGrammar:
    """xgrammar with a structural tag, or with a grammar in EBNF."""

    def __init__(self, vocabulary, written):
        import torch
        import xgrammar

        self.torch, self.module, self.vocabulary = torch, xgrammar, vocabulary
        info = xgrammar.TokenizerInfo(vocabulary.tokens, stop_token_ids=[vocabulary.eos_token_id])
        compiler = xgrammar.GrammarCompiler(info, max_threads=1, cache_enabled=False)
        if isinstance(written, str):
            self.compiled = compiler.compile_grammar(written, root_rule_name="root")
        else:
            self.compiled = compiler.compile_structural_tag(json.dumps(written))
        self.mask = xgrammar.allocate_token_bitmask(1, len(vocabulary.tokens))

    def start(self):
        return self.module.GrammarMatcher(self.compiled)

    def accepts(self, text):
        matcher, ids = self.start(), self.vocabulary.encode(text)
        for at, token in enumerate(ids):
            if not matcher.accept_token(token):
                return self.vocabulary.decode(ids[:at])
        return None if self.may_end(matcher) else text

    def allowed(self, matcher):
        matcher.fill_next_token_bitmask(self.mask)
        bits = [word & 0xFFFFFFFF for word in self.mask[0].tolist()]
        return [at * 32 + bit for at, word in enumerate(bits) if word for bit in range(32) if word >> bit & 1]

    def step(self, matcher, token):
        assert matcher.accept_token(token)

    def takes(self, matcher, ids):
        taken = 0
        while taken < len(ids) and matcher.accept_token(ids[taken]):
            taken += 1
        if taken < len(ids) and taken:
            matcher.rollback(taken)
        return taken == len(ids)

    def may_end(self, matcher):
        if matcher.is_terminated():
            return True
        return self.vocabulary.eos_token_id in self.allowed(matcher)


def ends_of(node):
    """Return the marks at which the texts of a constraint end."""
    if isinstance(node, Ref):
        return ends_of(node.rules[node.name])
    ends = {node.end} if isinstance(node, Text) and node.end else set()
    parts = getattr(node, "items", None) or [each for each in (getattr(node, "item", None),) if each is not None]
    return ends.union(*map(ends_of, parts)) if parts else ends


def sample(engine, rng, ends, longest=900, never=()):
    """Return a random reply that a constraint allows, the more biased to end the longer it is; None if it does not end.

    `ends` are marks that it tries to write, since chance alone would not spell them. `never` are control tokens that no
    reply has: to exclude them as text would take some engines too long.
    """
    vocabulary, matcher, ids = engine.vocabulary, engine.start(), []
    barred = {vocabulary.controls[each] for each in never} | {vocabulary.eos_token_id}
    tokens = [*enumerate(vocabulary.tokens)]
    closing = {number for number, token in tokens if token in CLOSING} | {*vocabulary.special_token_ids}
    plain = {number for number, token in tokens if token.isascii() and token.decode().isprintable()}
    spelled = [vocabulary.encode(mark) for mark in sorted(ends)]
    for step in range(longest):  # A mark is one, however many tokens spell it.
        tired = min(0.5 + step / 300, 0.95)
        if engine.may_end(matcher) and rng.random() < tired:
            break
        if spelled and rng.random() < tired / 3:
            mark = rng.choice(spelled)
            if engine.takes(matcher, mark):
                ids += mark
                continue
        allowed = [each for each in engine.allowed(matcher) if each not in barred and each < len(tokens)]
        if not allowed:
            break
        ending = [each for each in allowed if each in closing]
        simple = [each for each in allowed if each in plain]
        chosen = ending if ending and rng.random() < tired else simple if simple and rng.random() < 0.9 else allowed
        ids.append(rng.choice(chosen))
        engine.step(matcher, ids[-1])
    return vocabulary.decode(ids) if engine.may_end(matcher) else None


TEXTS = [
    "", "Paris", "a b", 'say "hi"', "two\nlines", "<b>x</b>", "back\\slash", "{x}", "Köln", "你好", "it's", "[1, 2]", "None", "5", " edge ",
]  # fmt: skip


PATTERNS = {
    "^[A-Z]{2}-[0-9]+$": ["AB-1", "ZZ-2048"],
    "^(red|dark blue)$": ["red", "dark blue"],
    "^/[a-z_/.]*$": ["/", "/usr/lib_x.so"],
    "[0-9]": ["7", "x 5 y"],
}
"""Patterns of strings, and texts that fit them."""
CONSTANTS = ["celsius", "a b", "Ünï", "", 0, -7, 2.5, True, False, None, ["x", 1], [], {"k": "v", "n": None}]
NODE, LABEL = "#/$defs/node", "#/$defs/label"


def random_schema(rng, depth=0):
    """Return a schema, which may refer to the definitions of the tool."""
    kinds = [
        "string", "integer", "number", "boolean", "null", "enum", "mixed", "const", "bounded", "pattern", "length",
        "union", "nullable", "array", "array", "object", "object", "all", "map", "node", "label",
    ]  # fmt: skip
    kind = rng.choice(kinds if depth < 2 else kinds[:11])
    match kind:
        case "enum":
            return {"type": "string", "enum": rng.sample(["celsius", "a b", "x-y", "Ünï"], rng.randint(1, 3))}
        case "mixed":
            return {"enum": rng.sample(CONSTANTS, rng.randint(1, 4))}
        case "const":
            return {"const": rng.choice(CONSTANTS)}
        case "bounded":
            low = rng.randint(-30, 500)
            bounds = {"minimum": low, "maximum": low + rng.randint(0, 400)}
            return {"type": "integer"} | dict(rng.sample([*bounds.items()], rng.randint(1, 2)))
        case "pattern":
            return {"type": "string", "pattern": rng.choice([*PATTERNS])}
        case "length":
            return {"type": "string", "minLength": rng.randint(0, 2), "maxLength": rng.randint(5, 9)}
        case "union":
            return {"anyOf": [random_schema(rng, depth + 1), {"type": "boolean"}]}
        case "nullable":
            return {"type": [*rng.sample(["string", "integer", "boolean"], rng.randint(1, 2)), "null"]}
        case "array":
            found = {"type": "array", "items": random_schema(rng, depth + 1)}
            return found | ({"minItems": 1, "maxItems": 3} if rng.random() < 0.4 else {})
        case "object":
            return random_object(rng, depth + 1)
        case "all":
            parts = [random_object(rng, depth + 1, keys) for keys in (("city", "X"), ("days", "unit", "zip"))]
            return {"allOf": [{word: part[word] for word in ("type", "properties", "required")} for part in parts]}
        case "map":
            return {"type": "object", "additionalProperties": random_schema(rng, depth + 1)}
        case "node" | "label":
            return {"$ref": NODE if kind == "node" else LABEL}
    return {"type": kind}


def random_object(rng, depth=0, keys=("city", "days", "unit", "a_b", "X", "zip", "path")):
    names = rng.sample(keys, rng.randint(0 if depth == 0 else 1, min(4, len(keys))))
    properties = {name: random_schema(rng, depth) for name in names}
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in names if rng.random() < 0.6],
        "additionalProperties": False,
    }


def random_parameters(rng, **names):
    """Return the schema of a tool, with a definition that recurs if it refers to one."""
    found = random_object(rng, **names)
    if '"$ref"' in json.dumps(found):
        further = rng.choice(
            [{"$ref": NODE}, {"anyOf": [{"$ref": NODE}, {"type": "null"}]}, {"type": "array", "items": {"$ref": NODE}}]
        )
        properties = {"value": random_schema(rng, 2), "next": further}
        node = {"type": "object", "properties": properties, "required": ["value"]}
        label = rng.choice([random_schema(rng, 2), {"anyOf": [random_schema(rng, 2), {"type": "string"}]}])
        found["$defs"] = {"node": node, "label": label}
    return found


def random_value(rng, schema, root=None, depth=0):
    """Return a value that fits a schema, its keys in the order of the schema."""
    root = root or schema

    def inner(each):
        return random_value(rng, each, root, depth + 1)

    if "$ref" in schema:
        return inner(root["$defs"][schema["$ref"].rsplit("/", 1)[-1]])
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return rng.choice(schema["enum"])
    if "anyOf" in schema:
        return inner(schema["anyOf"][-1] if depth > 8 else rng.choice(schema["anyOf"]))
    if "allOf" in schema:
        return {name: value for each in schema["allOf"] for name, value in inner(each).items()}
    if isinstance(schema["type"], list):
        return inner({"type": rng.choice(schema["type"])})
    if "pattern" in schema:
        return rng.choice(PATTERNS[schema["pattern"]])
    match schema["type"]:
        case "string":
            if "maxLength" not in schema:
                return rng.choice(TEXTS)
            # xgrammar allows no escapes in strings of limited length.
            plain = [each for each in TEXTS if not {*each} & {*'"\\\n'}]
            return rng.choice([each for each in plain if schema["minLength"] <= len(each) <= schema["maxLength"]])
        case "integer":
            low, high = schema.get("minimum"), schema.get("maximum")
            low = (-1000 if high is None else high - 2000) if low is None else low
            return rng.randint(low, low + 100_000 if high is None else high)
        case "number":
            return rng.choice([0, 1.5, -2.25, 1e3, 12])
        case "boolean":
            return rng.random() < 0.5
        case "null":
            return None
        case "array":
            count = rng.randint(schema.get("minItems", 0), schema.get("maxItems", 3 if depth < 8 else 0))
            return [inner(schema["items"]) for _ in range(count)]
    if "properties" not in schema:
        return {
            name: inner(schema["additionalProperties"]) for name in rng.sample(["k", "key_2", "Z"], rng.randint(0, 2))
        }
    wanted = {
        name for name in schema["properties"] if name in schema["required"] or rng.random() < (0.5 if depth < 8 else 0)
    }
    return {name: inner(each) for name, each in schema["properties"].items() if name in wanted}


def random_tools(rng):
    names = rng.sample(["get_weather", "search", "f", "run2", "list_all"], rng.randint(1, 3))
    return [
        {"type": "function", "function": {"name": name, "description": "d", "parameters": random_parameters(rng)}}
        for name in names
    ]


def shuffled(rng, value, loose=()):
    """Return arguments with their keys in another order, and those of objects in them, unless `loose` keeps it."""
    kept = [path for path in loose if path.endswith("/any_order")]
    if "/any_order" in kept or not isinstance(value, dict | list):
        return value
    if isinstance(value, list):
        return [shuffled(rng, each) for each in value]
    return {name: value[name] if kept else shuffled(rng, value[name]) for name in rng.sample([*value], len(value))}


def random_message(rng, tools, reasoning, loose=None):
    """Return an assistant's message with calls of some tools, content, or both.

    Keys come in the order of the schema, or in any but where it is in `loose` that a constraint keeps that order.
    """
    message = {"role": "assistant", "content": rng.choice(["", "", "Let me look.", 'So:\n\n- <b> "x"'])}
    if reasoning and rng.random() < 0.6:
        message["reasoning_content"] = rng.choice(["Two and two.", "First.\n\nThen {x} <b>."])
    calls = []
    for index in range(rng.choice([0, 1, 1, 2, 3])):
        function = rng.choice(tools)["function"]
        arguments = random_value(rng, function["parameters"])
        arguments = arguments if loose is None else shuffled(rng, arguments, loose)
        calls.append(
            {"id": f"call_{index}", "type": "function", "function": {"name": function["name"], "arguments": arguments}}
        )
    if calls:
        message["tool_calls"] = calls
    elif not message["content"]:
        message["content"] = "Hello!"
    return message


def vocabulary_of(template):
    return Vocabulary([token for token in template.control_tokens if "{}" not in token])


def without_stop(template, text):
    for stop in template.stop:
        if stop and text.rstrip("\n").endswith(stop):
            return text.rstrip("\n").removesuffix(stop)
    return text


def without(schema, words):
    """Return a schema without some keywords."""
    if isinstance(schema, dict):
        return {word: without(each, words) for word, each in schema.items() if word not in words}
    return [without(each, words) for each in schema] if isinstance(schema, list) else schema


def problem(reply, tools, choice, loose=()):
    """Return what is wrong with a reply that a constraint allowed; empty if nothing is.

    `loose` are the paths of keywords that it does not honour.
    """
    import jsonschema

    dropped = {path.rsplit("/", 1)[-1] for path in loose}
    schemas = {tool["function"]["name"]: without(tool["function"]["parameters"], dropped) for tool in tools}
    if reply.problems:
        return str(reply.problems[0])
    if (choice == "required") > len(reply.tool_calls) or (choice == "none" and reply.tool_calls):
        return f"{len(reply.tool_calls)} calls with {choice!r}"
    for call in reply.tool_calls:
        if not call.complete or call.name not in schemas:
            return f"{call} is incomplete, or of no tool"
        try:
            jsonschema.validate(call.arguments, schemas[call.name])
        except jsonschema.ValidationError as error:
            return str(error)
    return ""
