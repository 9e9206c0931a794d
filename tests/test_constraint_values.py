"""A constraint is never narrower or wider than its schema in silence: whatever a notation gets wrong is listed.

GBNF is read by an interpreter of our own, Lark by llguidance if it is installed, and structural tags in `nox -s
engines` only.
"""

import ipaddress
import json
import random
import uuid
from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from constraint_notations import FULL, MODELS, Notations
from sampling import in_turn
from shared import SHARED

import lect
from lect_constrain import lark, tag
from lect_constrain.normal import normal
from lect_constrain.schema import kept

jsonschema = pytest.importorskip("jsonschema")
pytest.importorskip("llguidance")

TRIED = MODELS if FULL else in_turn(MODELS, 3)
FEW = MODELS[:5] if FULL else in_turn(MODELS[:5], 3)


def schema_of(**properties):
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def dates(rng):
    """Yield texts like dates, and whether they are some."""
    for _ in range(40):
        day = date(1, 1, 1) + timedelta(days=rng.randrange(3652058))
        yield day.isoformat(), True
        year, month, number = rng.choice([1900, 2000, 2023, 2024, day.year]), rng.randint(0, 13), rng.randint(0, 32)
        yield f"{year:04}-{month:02}-{number:02}", is_made(date, year, month, number)
    for year in (1900, 2000, 2023, 2024):
        yield f"{year}-02-29", is_made(date, year, 2, 29)
        yield f"{year}-12-31", True
    yield from ((text, False) for text in ("2024-2-29", "20240229", "yesterday", "2024-12-31 ", ""))


def is_made(kind, *arguments):
    try:
        return kind(*arguments) is not None
    except ValueError:
        return False


def times(rng):
    for _ in range(20):
        offset = timezone(timedelta(minutes=rng.randint(-1439, 1439))) if rng.random() < 0.7 else UTC
        moment = datetime(2000, 1, 1, tzinfo=offset) + timedelta(microseconds=rng.randrange(10**11))
        text = moment.timetz().isoformat()
        yield text, True
        yield text[:8] + rng.choice(["Z", ".5Z", ".123456789z"]), True
        yield text[:8], False
        yield f"{rng.randint(24, 99)}{text[2:]}", False
        yield f"{text[:3]}{rng.randint(60, 99)}{text[5:]}", False
    yield from [("23:59:60Z", True), ("12:00:60Z", False), ("23:59:59+24:00", False), ("23:59:59.Z", False)]


def date_times(rng):
    for (day, is_day), (time, is_time) in zip(dates(rng), times(rng), strict=False):
        yield f"{day}{rng.choice('Tt')}{time}", is_day and is_time
        yield f"{day}{time}", False


def uuids(rng):
    for _ in range(20):
        made = str(uuid.UUID(int=rng.getrandbits(128)))
        yield from [(made, True), (made.upper(), True), (made.replace("-", ""), False), (made[:-1] + "g", False)]


def ipv4s(rng):
    for _ in range(30):
        text = ".".join(str(rng.choice([0, 1, 9, 10, 99, 100, 255, 256, rng.randint(0, 300)])) for _ in range(4))
        yield text, is_made(ipaddress.IPv4Address, text)
    yield from [("1.2.3", False), ("01.2.3.4", False)]


def ipv6s(rng):
    for _ in range(60):
        groups = [format(rng.choice([0, 1, 0xFFFF, rng.getrandbits(16)]), "x") for _ in range(rng.randint(0, 9))]
        at = rng.randint(0, len(groups))
        text = ":".join(groups[:at]) + rng.choice(["::", ":"]) + ":".join(groups[at:])
        yield text, is_made(ipaddress.IPv6Address, text)


def emails(rng):
    atoms = ["joe", "x+y", "o'neil", "a_b", "{curly}", "1", "a/b=c"]
    domains = ["example.org", "sub.example.co.uk", "localhost", "x-1.example", "[127.0.0.1]", "[IPv6:::1]"]
    for _ in range(20):
        yield f"{'.'.join(rng.sample(atoms, rng.randint(1, 3)))}@{rng.choice(domains)}", True
    yield from [
        ('"joe bloggs"@example.com', True),
        ("a@", False),
        ("@b.c", False),
        ("a.@b.c", False),
        ("a@-b.c", False),
    ]
    yield from [("a b@c.d", False), ("a..b@c.d", False), ("a@b@c", False), ("a", False)]


def hostnames(rng):
    for label in ("a", "a" * 63, "xn--4gbwdl", "1", "A-b"):
        yield from [(label, True), (f"{label}.example", True)]
    yield from [("a" * 64, False), ("-a", False), ("a-", False), ("a..b", False), ("a_b", False), ("", False)]


def durations(rng):
    yield from ((text, True) for text in ("P1Y", "P4DT12H30M5S", "PT0S", "P2W", "P1M", "PT36H", "P1Y2M3D", "PT1M"))
    yield from ((text, False) for text in ("P", "PT", "P1", "1D", "P1D2Y", "P1YT", "P2W1D", "P1Y3D"))


def uris(rng):
    yield from ((text, True) for text in ("http://a.b/c?d=e#f", "urn:isbn:1", "mailto:a@b.c", "http://[::1]:80/", "a:"))
    yield from ((text, True) for text in ("file:///x/%20y", "http://u:p@h:1/;x=1?y/?", "tel:+1-2"))
    yield from ((text, False) for text in ("//a.b", "a b", "http://a b", "1a:b", "http://a/%2", "a", "", "http://[1]/"))


FORMATS = {
    "date": dates, "time": times, "date-time": date_times, "uuid": uuids, "ipv4": ipv4s, "ipv6": ipv6s, "email": emails,
    "hostname": hostnames, "duration": durations, "uri": uris,
}  # fmt: skip


@pytest.mark.parametrize("name", FEW)
@pytest.mark.parametrize("kind", FORMATS)
def test_a_format_is_exactly_what_its_definition_says(kind, name):
    """Dates, addresses and ids are judged by Python's own types."""
    notations = Notations(name, schema_of(k={"type": "string", "format": kind}))
    if kind != "hostname":
        # An email in raw text may contain a mark, in quotes.
        assert kind == "email" or not any(notations.constraint.loose.values())
    wrong = [each for text, fits in FORMATS[kind](random.Random(kind)) for each in notations.wrong({"k": text}, fits)]
    assert wrong == []


VECTORS = SHARED / "vectors" / "schemas.json"


@pytest.mark.parametrize("name", TRIED)
def test_values_of_the_schemas_are_taken_and_refused_or_that_is_listed(name):
    if not VECTORS.exists():
        pytest.skip("the schemas are not available: ../shared is missing")
    wrong = []
    for case in json.loads(VECTORS.read_text("utf-8")):
        try:
            notations = Notations(name, case["schema"])
        except lect.MessageError as error:
            wrong += [] if "cannot write a call" in str(error) else [(case["name"], str(error))]
            continue
        for fits in (True, False):
            wrong += [
                (case["name"], *each)
                for value in case["valid" if fits else "invalid"]
                for each in notations.wrong(value, fits)
            ]
    assert wrong == []


KEYS = ("a", "b", "x_a", "x_b", "k k")


def odd_value(rng, depth=0):
    """Return a schema with keywords that few tools have."""
    low = rng.choice([-3, 0, 1, 2.5])
    found = [
        {"type": "integer", rng.choice(["minimum", "exclusiveMinimum"]): low, "maximum": low + rng.choice([0, 2, 7.5])},
        {"type": "number", "minimum": low, rng.choice(["maximum", "exclusiveMaximum"]): low + rng.choice([0.5, 4])},
        {"type": "integer", "multipleOf": rng.choice([2, 5])},
        {"type": ["string", "integer"], "minLength": 2, "minimum": 2},
        {"type": "string", "pattern": rng.choice(["b", "^a", "^[^b]*$", "a+$", "^(ab|b)$"]), "maxLength": 3},
        {"enum": [1, 2, 7, "a", "ab"], rng.choice(["minimum", "minLength", "not"]): 2},
        {"oneOf": [{"type": "integer", "minimum": 1}, rng.choice([{"type": "number"}, {"type": "string"}])]},
        {"not": {"type": "integer"}},
        {"type": "array", "items": {"type": "integer"}, rng.choice(["uniqueItems", "minItems"]): True},
        {
            "type": "array",
            "prefixItems": [{"type": "integer"}, {"type": "string"}],
            "items": rng.choice([False, True, {"type": "array"}]),
        },
        {"type": "array", "contains": {"type": "integer"}, "maxItems": 2},
        {"if": {"type": "integer"}, "then": {"minimum": 3}},
        {"allOf": [{"pattern": "a"}, {"pattern": "b"}], "type": "string"},
    ]
    if depth < 2:
        found += [odd_object(rng, depth + 1)] * 4
    value = rng.choice(found)
    if value.get("not") == 2:
        value["not"] = {"const": 2}
    return {word: 1 if word == "minItems" else each for word, each in value.items()}


def odd_object(rng, depth=0):
    found = {"type": "object"}
    if rng.random() < 0.8:
        found["properties"] = {name: odd_value(rng, depth) for name in KEYS if rng.random() < 0.4}
        found["required"] = [name for name in found["properties"] if rng.random() < 0.3]
    further = (
        ("additionalProperties", rng.choice([True, False, odd_value(rng, 2)])),
        ("patternProperties", {"^x_": odd_value(rng, 2)} | ({"_a$": {}} if rng.random() < 0.3 else {})),
        ("minProperties", rng.randint(0, 2)),
        ("maxProperties", rng.randint(2, 3)),
        ("dependentRequired", {"a": ["b"]}),
        ("propertyNames", rng.choice([{"pattern": "^[ax]"}, {"enum": ["a", "b"]}, {"maxLength": 1}])),
        ("x-unheard-of", 1),
    )
    return found | {word: value for word, value in further if rng.random() < 0.25}


def closed(schema):
    """Return a schema whose objects take no members but their properties unless it says so, as servers read tools."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    found = {word: closed(each) for word, each in schema.items()}
    if isinstance(found.get("properties"), dict) and found.get("type") == "object":
        found.setdefault("additionalProperties", "patternProperties" in found)
    return found


def some_value(rng, depth=0):
    """Return one of few values, so that many fit."""
    values = [
        0,
        1,
        2,
        3,
        5,
        7,
        10,
        -3,
        1.5,
        2.5,
        6.5,
        "",
        "a",
        "b",
        "ab",
        "aab",
        "abab",
        'a"b',
        True,
        None,
        [],
        [1],
        [1, 1],
    ]
    values += [[1, "a"], [1, "a", 2], ["a"], {}]
    return some_object(rng, depth + 1) if depth < 2 and rng.random() < 0.3 else rng.choice(values)


def some_object(rng, depth=0):
    return {name: some_value(rng, depth) for name in KEYS if rng.random() < 0.35}


def in_order(value, schema):
    """Return a value whose keys come in the order of the schema, those without a name last."""
    if isinstance(value, dict) and isinstance(schema, dict):
        names = [*schema.get("properties", {}), *schema.get("required", ())]
        names = schema.get("propertyNames", {}).get("enum", names)
        row = [name for name in dict.fromkeys([*names, *value]) if name in value]
        return {name: in_order(value[name], schema.get("properties", {}).get(name, {})) for name in row}
    return value


@pytest.mark.parametrize("known", [tag.HONOURED, lark.HONOURED], ids=["xgrammar", "llguidance"])
def test_without_what_an_engine_ignores_a_schema_allows_no_less(known):
    wrong, fitting = [], 0
    for number in range(1500):
        rng = random.Random(number)
        schema = odd_object(rng)
        try:
            stated = normal(schema, "a tool")
        except lect.MessageError:
            continue
        given = jsonschema.Draft202012Validator(closed(schema))
        values = [value for value in (some_object(rng) for _ in range(8)) if given.is_valid(value)]
        for unless in (None, tag._is_ignored):
            left = jsonschema.Draft202012Validator(kept(stated, known, [], unless=unless))
            fitting += len(values)
            wrong += [(schema, value) for value in values if not left.is_valid(value)]
    assert wrong == []
    assert fitting > 500


@pytest.mark.parametrize("name", FEW)
def test_whatever_a_schema_says_is_honoured_or_listed(name):
    wrong, fitting = [], 0
    for number in range(300 if FULL else 24):
        rng = random.Random(f"{name} {number}")
        schema = odd_object(rng)
        try:
            notations = Notations(name, schema)
        except lect.MessageError:
            # It fits nothing, or nothing that this format can write.
            continue
        judge = jsonschema.Draft202012Validator(closed(schema))
        for _ in range(40):
            value = in_order(some_object(rng), schema)
            fits = judge.is_valid(value)
            fitting += fits
            wrong += [(schema, *each) for each in notations.wrong(value, fits)]
    assert wrong == []
    assert fitting > 50
