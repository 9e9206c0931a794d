"""What a constraint forces is what templates write, and what it allows is read: with llguidance, over all formats.

`nox -s engines` does the same at length, and with xgrammar and llama.cpp: over one in three of all templates, which
rotate, or over each with LECT_FULL=1.
"""

import itertools
import json
import os
import random
import re
import runpy
from inspect import signature

import hostile
import pytest
from constraints import (
    Guidance,
    Vocabulary,
    XGrammar,
    ends_of,
    problem,
    random_message,
    random_parameters,
    random_tools,
    random_value,
    sample,
    vocabulary_of,
    without_stop,
)
from goldens import REPOSITORY
from sampling import in_turn

import lect
from lect.plugin.grammar import reply_format
from lect.reply.engine.compiled import marks_of
from lect_constrain import constrain

pytest.importorskip("jsonschema")
pytest.importorskip("llguidance")

FULL = os.environ.get("LECT_ENGINES") == "1"
"""Whether to try all templates, at length, in every notation."""
QUESTION = [{"role": "user", "content": "Hi"}]
PYTHON = r"[\[{]'|'[\]}]|[\[ ](?:True|False|None)\b"
# What templates write that their constraints do not allow, since it is read as a mistake.
DEVIATIONS = {
    **dict.fromkeys(
        ("minicpm5", "minicpm5-2b", "qwen3-coder", "seed-oss"), ("lists and objects as Python prints them", PYTHON)
    ),
    "cogito-v1-llama": ("calls as a list, with ids", r"\[\{"),
    **dict.fromkeys(
        (each for name in ("gemma-4", "gemma-4-31b") for each in list(lect.template(name).revisions)[:-1]),
        ("None for null", r"[:\[,]None\b"),
    ),
    "gigachat-3": ("the end of a turn after a call, which in a reply is only what opens one", r"<\|message_sep\|>$"),
    **dict.fromkeys(
        ("lfm2.5", "lfm2.5-230m", "lfm2.5-8b-a1b"), ("strings without escapes", r"='[^'\n\\]*(?:[\n\\]|'(?![,)]))")
    ),
    "lfm2.5-vl-450m": ("strings without escapes", r'="[^"]*[\n\\]|"[^"]*"[^",)\]}]'),
    "minimax-m3": (
        "the end of reasoning that was never opened, lists without items, which are empty texts, and free keys as tags",
        r"^</mm:think>|<(\w+)>\]<\]minimax\[>\[</\1>|<(k|key_2|Z)>",
    ),
}
WITHOUT_CALLS = {"beam", "exaone_deep", "kimi_vl_think", "minimax_append_think", "plain", "react", "think"}
"""The formats that have no calls, or only such that begin with plain words, or in whose headers they are."""
WITHOUT_NULL = {"minimax-m3"}
"""Templates that leave out what is null, even where it is required."""
CHOICES = (("auto", False), ("required", False), ("required", True))
"""Which calls there may be, and whether keys come in any order."""
ENGINES = {"lark": Guidance} | ({"xgrammar": XGrammar, "gbnf": XGrammar} if FULL else {})


def templates():
    """Return the templates that can write calls; in an ordinary run, one of each format."""
    found = {}
    for name, template in hostile.installed().items():
        grammar = template.reply
        if name.startswith(("fastchat:", "xtuner:")) or grammar is None or grammar.name in WITHOUT_CALLS:
            continue
        found.setdefault(name if FULL else grammar.name, (name, template))
    return [pytest.param(template, id=name) for name, template in found.values()]


def engine(notation, constraint, vocabulary):
    written = {"lark": constraint.lark, "gbnf": constraint.gbnf, "xgrammar": constraint.structural_tag}[notation]()
    return ENGINES[notation](vocabulary, written)


every_template = pytest.mark.parametrize("template", in_turn(templates(), 3))
every_notation = pytest.mark.parametrize("notation", ENGINES)


@every_notation
@every_template
def test_what_a_template_writes_is_allowed(template, notation):
    vocabulary, rejected = vocabulary_of(template), []
    for number in range((2 if notation == "gbnf" else 6) if FULL else 1):
        rng = random.Random(f"{template.name} {number}")
        tools = random_tools(rng)
        for choice, any_order in CHOICES:
            constraint = constrain(template, tools, tokenizer=vocabulary, tool_choice=choice, any_order=any_order)
            allowed, loose = engine(notation, constraint, vocabulary), constraint.loose[notation] if any_order else None
            for _ in range(6):
                message = random_message(rng, tools, "reasoning" in template.capabilities, loose)
                if choice == "required" and (message["content"] or "tool_calls" not in message):
                    continue
                try:
                    text = without_stop(template, template.reply_text([*QUESTION, message], tools=tools).text)
                except lect.LectError:
                    continue
                if template.name in WITHOUT_NULL and "null" in json.dumps(message):
                    continue
                if allowed.accepts(text) is not None:
                    rejected.append(text)
    _, pattern = DEVIATIONS.get(template.name, ("", "(?!)"))
    assert [text for text in rejected if not re.search(pattern, text)] == []


def without(text, marks):
    """Return a text without some marks."""
    return re.sub("|".join(map(re.escape, sorted(filter(None, marks), key=len, reverse=True))) or "(?!)", "", text)


@every_notation
@every_template
def test_what_is_allowed_is_read(template, notation):
    vocabulary, unfinished, count = vocabulary_of(template), 0, 0
    marks = {*marks_of(template.reply)}
    parts = [token for token in template.control_tokens if any(token in mark != token for mark in marks)]
    joined = [mark for mark in marks.difference(parts) if any(part in mark for part in parts)]
    # A mark that a key follows, or is in.
    keyed = [f"{mark}{{key}}>" if mark.endswith("<") else mark for mark in joined]
    # xgrammar takes seconds to compile some grammars in GBNF: few of them, and more samples of each.
    rounds, samples = ((4, 17) if notation == "gbnf" else (22, 3)) if FULL else (1, 3)
    for number in range(rounds):
        rng = random.Random(f"{template.name} {number}")
        tools = random_tools(rng)
        for choice, any_order in (*CHOICES, ("none", False)):
            constraint = constrain(template, tools, tokenizer=vocabulary, tool_choice=choice, any_order=any_order)
            allowed, loose = engine(notation, constraint, vocabulary), constraint.loose[notation]
            # Only Lark excludes the control tokens that no reply has in every text: see the page on what is loose.
            never = (
                ()
                if notation == "lark"
                else [each for each in vocabulary.control_tokens() if each in constraint.strays]
            )
            prompt = template.text(QUESTION, tools=tools, add_generation_prompt=True)
            for _ in range(samples):
                count += 1
                text = sample(allowed, rng, ends_of(constraint.node), never=never)
                if text is None:
                    unfinished += 1
                    continue
                reply = template.parse(text, tools=tools, prompt=prompt)
                wrong = problem(reply, tools, choice, loose)
                # A token that is only a part of marks: the same page names it.
                names = re.findall(r'"(\w+)":', json.dumps(tools))
                rest = without(text, [mark.replace("{key}", name) for mark in keyed for name in names])
                assert wrong == "" or (notation != "lark" and any(part in rest for part in parts)), (text, wrong)
    # Chance alone seldom spells the marks of a format that are no tokens.
    assert unfinished <= max(count / 6, 2)


@every_notation
@every_template
def test_a_prompt_may_end_anywhere_in_a_reply(template, notation):
    """Except inside a mark, which is a token."""
    rng = random.Random(template.name)
    vocabulary, marks = vocabulary_of(template), {*template.markers, *marks_of(template.reply)}
    _, pattern = DEVIATIONS.get(template.name, ("", "(?!)"))
    for number in range(24 if FULL else 6):
        tools, any_order = random_tools(rng), number % 2 == 1
        options = {"tokenizer": vocabulary, "tool_choice": "required", "any_order": any_order}
        loose = constrain(template, tools, **options).loose[notation] if any_order else None
        message = {**random_message(rng, tools, "reasoning" in template.capabilities, loose), "content": ""}
        try:
            text = without_stop(template, template.reply_text([*QUESTION, message], tools=tools).text)
        except lect.LectError:
            continue
        is_odd = re.search(pattern, text) or (template.name in WITHOUT_NULL and "null" in json.dumps(message))
        if "tool_calls" not in message or is_odd:
            continue
        inside = {
            at + length
            for mark in marks
            for at in range(len(text))
            if text.startswith(mark, at)
            for length in range(1, len(mark))
        }
        cut = rng.choice([at for at in range(len(text)) if at not in inside])
        prompt = template.text(QUESTION, tools=tools, add_generation_prompt=True) + text[:cut]
        constraint = constrain(template, tools, prompt=prompt, **options)
        assert engine(notation, constraint, vocabulary).accepts(text[cut:]) is None, (text[:cut], text[cut:])


def switches(template):
    """Return the options that may change how a reply begins, each with a value that does."""
    values = {bool: (True, False), int: (0,)}
    return [{}, *({name: value} for name, kind in template.options.items() for value in values.get(kind, ()))]


@pytest.mark.parametrize(
    "template",
    in_turn([pytest.param(each, id=name) for name, each in hostile.installed().items() if each.reply is not None], 6),
)
def test_answers_and_calls_are_left_whatever_the_prompt_has_said(template):
    """What opens a thought, and closes it again, depends on options; content with a schema is an answer too."""
    vocabulary, wrong = vocabulary_of(template), []
    _, pattern = DEVIATIONS.get(template.name, ("", "(?!)"))
    schema = {"type": "object", "properties": {"a": {"enum": ["p", "q"]}}, "required": ["a"]}
    tools = [{"type": "function", "function": {"name": "f", "parameters": schema}}]
    call = {"id": "call_0", "type": "function", "function": {"name": "f", "arguments": {"a": "p"}}}
    answer, words = ({"role": "assistant", "content": text} for text in ('{"a": "p"}', "Yes."))
    calling = {"role": "assistant", "content": "", "tool_calls": [call]}
    can_call = bool(constrain(template, tools).triggers)
    for options in switches(template):
        for given, choice, content, messages in (
            (None, "auto", schema, [answer]),
            (tools, "auto", None, [words, calling]),
            (tools, "auto", schema, [answer, calling]),
            (tools, "required", None, [calling]),
        ):
            if choice == "required" and not can_call:
                continue
            try:
                prompt = template.render(QUESTION, tools=given, add_generation_prompt=True, **options)
            except lect.LectError:
                continue
            is_argument = not signature(constrain).parameters.keys().isdisjoint(options)
            is_seen = prompt.text != template.text(QUESTION, tools=given, add_generation_prompt=True)
            for how in ([] if is_argument else [options]) + [{"prompt": prompt}] * (is_seen or not options):
                constraint = constrain(
                    template, given, tool_choice=choice, content_schema=content, tokenizer=vocabulary, **how
                )
                allowed = engine("lark", constraint, vocabulary)
                for message in messages:
                    try:
                        text = template.reply_text([*QUESTION, message], tools=given, **options).text
                    except lect.LectError:
                        continue
                    text = without_stop(template, text)
                    is_fair = not re.search(pattern, text) and (can_call or message is not calling)
                    # The white space before calls may depend on the options.
                    texts = [text, f"\n{text}"] if "prompt" in how and message is calling else [text]
                    if is_fair and all(allowed.accepts(each) is not None for each in texts):
                        wrong.append((options, choice, content is not None, "prompt" in how, text))
    assert wrong == []


@every_notation
@every_template
def test_a_schema_of_the_content_with_the_words_of_a_call_hides_neither(template, notation):
    """A call in JSON begins as content does that has the same keys, which a lexer must not tell apart too early."""
    vocabulary, wrong = vocabulary_of(template), []
    for number in range((2 if notation == "gbnf" else 20) if FULL else 4):
        rng = random.Random(f"{template.name} words {number}")
        tools = random_tools(rng)
        function = {"name": tools[0]["function"]["name"], "arguments": {}}
        function["arguments"] = random_value(rng, tools[0]["function"]["parameters"])
        calling = {"role": "assistant", "content": "", "tool_calls": [{"id": "call_0", "function": function}]}
        try:
            text = template.reply_text([*QUESTION, calling], tools=tools).text
        except lect.LectError:
            continue
        words = ["city", *dict.fromkeys(re.findall(r'"([a-z]+)"', text))]
        schema = random_parameters(rng, keys=words)
        constraint = constrain(template, tools, tokenizer=vocabulary, content_schema=schema)
        allowed = engine(notation, constraint, vocabulary)
        _, pattern = DEVIATIONS.get(template.name, ("", "(?!)"))
        answers = [
            {"role": "assistant", "content": json.dumps(random_value(rng, schema), ensure_ascii=False)}
            for _ in range(4)
        ]
        for message in [*answers, *[calling] * bool(constraint.triggers)]:
            said = without_stop(template, template.reply_text([*QUESTION, message], tools=tools).text)
            if not re.search(pattern, said) and allowed.accepts(said) is not None:
                wrong.append((json.dumps(schema), said, allowed.accepts(said)))
    assert wrong == []


@every_template
def test_a_named_tool_is_called_once(template):
    rng = random.Random(template.name)
    tools = random_tools(rng)
    vocabulary, name = vocabulary_of(template), tools[0]["function"]["name"]
    constraint = constrain(template, tools, tokenizer=vocabulary, tool_choice={"name": name})
    allowed = engine("lark", constraint, vocabulary)
    for _ in range(10 if FULL else 1):
        text = sample(allowed, rng, ends_of(constraint.node))
        if text is not None:
            reply = template.parse(
                text, tools=tools, prompt=template.text(QUESTION, tools=tools, add_generation_prompt=True)
            )
            assert [call.name for call in reply.tool_calls] == [name], text


@pytest.mark.parametrize("name", in_turn(lect.reply_formats(), 3))
def test_a_format_without_a_template_is_constrained_by_its_example(name):
    found = reply_format(name)
    rng = random.Random(name)
    tools = random_tools(rng)
    vocabulary = Vocabulary()
    if name in WITHOUT_CALLS:
        with pytest.raises(lect.MessageError, match="cannot write calls"):
            constrain(None, tools, format=name, tool_choice="required")
    for choice in ("auto",) if name in WITHOUT_CALLS else ("auto", "required"):
        constraint = constrain(None, tools, format=name, tool_choice=choice)
        allowed = engine("lark", constraint, vocabulary)
        for _ in range(10 if FULL else 1):
            text = sample(allowed, rng, ends_of(constraint.node))
            if text is not None:
                reply = lect.parse(None, text, format=found, tools=tools)
                assert problem(reply, tools, choice, constraint.loose["lark"]) == "", text


@every_notation
@pytest.mark.parametrize(
    "name", ["qwen:qwen3", "qwen:qwen3-coder", "chatglm:glm-4.5", "lfm2:lfm2-1.2b", "gemma:gemma-4"]
)
def test_any_order_has_no_key_twice_and_all_that_are_required(name, notation):
    """JSON, tags, keys and values, Python and Gemma's notation, each with every row of up to three keys."""
    template, names = lect.template(name), ("kaa", "kbb", "kcc")
    parameters = {"type": "object", "properties": {key: {"type": "string"} for key in names}, "required": ["kbb"]}
    tools = [{"type": "function", "function": {"name": "f", "parameters": parameters}}]
    vocabulary = vocabulary_of(template)
    constraint = constrain(template, tools, tokenizer=vocabulary, tool_choice="required", any_order=True)
    assert constraint.loose[notation] == ()
    allowed = engine(notation, constraint, vocabulary)
    for count in range(4):
        call = {"id": "call_0", "type": "function", "function": {"name": "f", "arguments": {}}}
        call["function"]["arguments"] = dict.fromkeys(names[:count], "x")
        message = {"role": "assistant", "content": "", "tool_calls": [call]}
        written = without_stop(template, template.reply_text([*QUESTION, message], tools=tools).text)
        for row in itertools.product(names, repeat=count):
            text = re.sub("|".join(names), lambda match, row=row: row[names.index(match[0])], written)
            assert (allowed.accepts(text) is None) == ("kbb" in row and len({*row}) == count), text


@every_notation
@pytest.mark.parametrize("name", ["qwen:qwen3", "gemma:gemma-4"])
def test_half_of_a_surrogate_pair_is_no_character_of_a_string(name, notation):
    """Decoders replace its three bytes by three characters, which may be too many."""
    template, vocabulary = lect.template(name), vocabulary_of(lect.template(name))
    parameters = {"type": "object", "properties": {"k": {"type": "string", "maxLength": 2}}, "required": ["k"]}
    tools = [{"type": "function", "function": {"name": "f", "parameters": parameters}}]
    allowed = engine(notation, constrain(template, tools, tokenizer=vocabulary, tool_choice="required"), vocabulary)
    call = {"id": "call_0", "type": "function", "function": {"name": "f", "arguments": {"k": "XY"}}}
    message = {"role": "assistant", "content": "", "tool_calls": [call]}
    written = template.reply_text([*QUESTION, message], tools=tools).text
    for data, is_taken in (("é", True), ("你", True), ("\ud83d", False), ("\ude00", False)):
        matcher = allowed.start()
        assert allowed.takes(matcher, vocabulary.encode(written.partition("XY")[0]))
        assert allowed.takes(matcher, vocabulary(data.encode(errors="surrogatepass"))) == is_taken, data


def test_the_page_says_which_formats_can_be_forced():
    made = runpy.run_path(str(REPOSITORY / "docs/make_constraints.py"))
    assert made["PAGE"].read_text("utf-8") == made["page"](), "try: python docs/make_constraints.py"


def test_harmonys_recipient_may_be_in_the_channel():
    """The maker's guide has the recipient in the channel's part of the header; its template writes it before."""
    template = lect.template("gptoss:gpt-oss")
    tools = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}]
    vocabulary = vocabulary_of(template)
    allowed = engine("lark", constrain(template, tools, tokenizer=vocabulary, tool_choice="required"), vocabulary)
    thought = "<|channel|>analysis<|message|>Look.<|end|><|start|>assistant"
    for text in (
        " to=functions.f<|channel|>commentary json<|message|>{}",
        f"{thought} to=functions.f<|channel|>commentary json<|message|>{{}}<|call|>",
        f"{thought}<|channel|>commentary to=functions.f <|constrain|>json<|message|>{{}}<|call|>",
    ):
        assert allowed.accepts(text) is None, text


def test_every_notation_is_the_same_every_time():
    tools = random_tools(random.Random(1))
    template = lect.template("qwen:qwen3")
    one, other = (constrain(template, tools) for _ in range(2))
    assert (one.lark(), one.gbnf(), json.dumps(one.structural_tag())) == (
        other.lark(),
        other.gbnf(),
        json.dumps(other.structural_tag()),
    )


def test_servers_hand_lark_to_llguidance_as_it_is():
    """vLLM passes on its `grammar`, SGLang its `ebnf`, each under that name."""
    import llguidance

    lark = constrain("Qwen/Qwen3-8B", random_tools(random.Random(1))).lark()
    for kind in ("grammar", "ebnf"):
        assert llguidance.grammar_from(kind, lark) == llguidance.LLMatcher.grammar_from_lark(lark)


def test_a_string_of_limited_length_may_have_escapes():
    limited = {"type": "object", "properties": {"a": {"type": "string", "minLength": 2, "maxLength": 4}}}
    tools = [{"type": "function", "function": {"name": "f", "parameters": limited}}]
    template = lect.template("qwen:qwen3")
    vocabulary = vocabulary_of(template)
    allowed = engine("lark", constrain(template, tools, tokenizer=vocabulary, tool_choice="required"), vocabulary)
    for value, fits in (('a\\"\\nb', True), ("a", False), ("abcde", False)):
        call = f'<think>\n\n</think>\n\n<tool_call>\n{{"name": "f", "arguments": {{"a": "{value}"}}}}\n</tool_call>'
        assert (allowed.accepts(call) is None) == fits, value
