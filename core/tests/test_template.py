"""A template gives the same text by every path, changes nothing, says what it left out, and finds its markers in the
caller's text."""

from copy import copy, deepcopy
from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made import CHATML, DATED, FOLDING, FULL, PROGRAMS, TABLES, TEMPLATES, THE_DAY, by_program, chats, texts
from together import together

import lect
from lect import LectError, MessageError, PluginError, RefusedError, Unused
from lect.format.compare import first_difference
from lect.plugin import Family, Rule, Template, Turn, TurnTemplate

USER = {"role": "user", "content": "Hi"}
TOOL = {
    "type": "function",
    "function": {"name": "f", "parameters": {"type": "object", "properties": {"<|im_end|>": {}}}},
}
templates = st.sampled_from([*TEMPLATES, *map(by_program, TEMPLATES)])


def text_or_error(way):
    try:
        return str(way())
    except LectError as error:
        return repr(error)


# One text


@given(templates, chats(), st.booleans(), st.sampled_from([None, [TOOL]]))
def test_text_is_the_text_of_render(template, messages, generate, tools):
    arguments = {"tools": tools, "add_generation_prompt": generate}
    assert text_or_error(lambda: template.text(messages, **arguments)) == text_or_error(
        lambda: template.render(messages, **arguments)
    )


@given(templates, chats())
def test_the_callers_values_are_not_changed(template, messages):
    tools = [deepcopy(TOOL)]
    before = deepcopy((messages, tools))
    for way in (template.text, template.render):
        text_or_error(lambda way=way: way(messages, tools=tools, mood="b"))
    assert (messages, tools) == before


@given(templates, texts)
def test_every_text_passes_unchanged_except_for_white_space_that_the_format_trims(template, said):
    text = template.text([{"role": "user", "content": said}])
    assert said in text or said.strip() in text


@together("template", TEMPLATES, ids=repr)
@together("said", ["\ud800", "x\udfff", "\ude00\ud83d", "é\ud83d\ude00"], ids=ascii)
@together("way", [Template.text, Template.render], ids=["text", "render"])
def test_half_of_a_surrogate_pair_is_refused_by_field_and_offset(template, said, way):
    at = next(index for index, letter in enumerate(said) if "\ud800" <= letter <= "\udfff")
    with pytest.raises(
        MessageError, match=rf"^messages\[0\]\.content, at character {at}: '\\ud.* is half of a surrogate pair"
    ):
        way(template, [{"role": "user", "content": said}])


def test_a_day_may_be_given_as_date_or_as_datetime():
    for day in (THE_DAY, datetime(2024, 7, 26, 12)):
        assert DATED.text([USER], date=day).startswith("Today is 2024-07-26")
    before, text, after = date.today(), DATED.text([USER]), date.today()
    assert text.startswith((f"Today is {before}", f"Today is {after}"))


def test_rounds_are_questions_with_their_answers():
    asked = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yes"}]
    assert CHATML.apply_chat_template([["Hi", "Yes"]], tokenize=False) == CHATML.text(asked)
    asked.append({"role": "user", "content": "Bye"})
    expected = CHATML.text(asked, add_generation_prompt=True)
    assert CHATML.apply_chat_template([("Hi", "Yes"), ["Bye"]], tokenize=False) == expected


@pytest.mark.parametrize(
    ("rounds", "said"),
    [
        ([["Hi"], ["Bye"]], r"\[0\] is \['Hi'\] \(list\); expected a question and an answer$"),
        ([["a", "b"], ["a", "b", "c"]], r"\[1\] is .*; expected a question and an answer, or a question$"),
        ([["a", "b"], ["a", None]], r"\[1\] is \['a', None\]"),
        ([["a", "b"], "ab"], r"\[1\] is 'ab' \(str\)"),
        ([[]], r"\[0\] is \[\]"),
    ],
)
def test_what_is_no_round_is_named(rounds, said):
    with pytest.raises(MessageError, match=said):
        CHATML.apply_chat_template(rounds, tokenize=False)


@pytest.mark.parametrize("options", [{"date": "2024-07-26"}, {"date": 5}], ids=repr)
def test_a_day_that_is_not_a_date_is_an_error(options):
    with pytest.raises(MessageError, match=r"option date is .* expected a date or a datetime"):
        DATED.text([USER], **options)


def test_the_opening_token_may_be_replaced():
    assert FULL.text([USER]).startswith("<s><|im_start|>")
    assert FULL.text([USER], bos_token="").startswith("<|im_start|>")
    assert FULL.render([USER], bos_token="<bos>").unused == ()
    with pytest.raises(MessageError, match="option bos_token is None"):
        FULL.text([USER], bos_token=None)


@pytest.mark.parametrize("way", [FULL.text, FULL.render], ids=["text", "render"])
def test_an_option_of_a_type_that_cannot_be_written_is_an_error(way):
    with pytest.raises(MessageError, match=r"^5 \(int\) cannot be part of a prompt; expected text"):
        way([USER], mood=5)


def test_a_refusal_names_the_template_and_what_to_do():
    with pytest.raises(RefusedError, match=r"^folding: roles must alternate\n  try: user, assistant, user, \.\.\.$"):
        FOLDING.text([USER, USER])


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (object(), "cannot write as JSON"),
        (float, "cannot write as JSON"),
        ({("a",): 1}, r"a key of tools\[0\].f is \('a',\) \(tuple\); expected text"),
    ],
    ids=["object", "type", "key"],
)
def test_what_json_cannot_express_is_an_error(value, said):
    with pytest.raises(MessageError, match=said):
        FULL.text([USER], tools=[{"f": value}])


def test_a_set_is_written_as_a_list():
    assert "[1, 2]" in FULL.text([USER], tools=[{"f": {1, 2}}])


# The object


@pytest.mark.parametrize("template", [*TABLES, *PROGRAMS], ids=repr)
def test_a_template_does_not_change(template):
    for name in ("name", "bos", "markers", "program", "anything"):
        with pytest.raises(AttributeError, match="a template does not change"):
            setattr(template, name, "x")
    assert copy(template) is template
    assert deepcopy(template) is template
    if isinstance(template, TurnTemplate):
        with pytest.raises(TypeError):
            template.turns["user"] = Turn()


@pytest.mark.parametrize("field", ["roles", "stop", "markers", "capabilities", "options"])
@pytest.mark.parametrize("value", ["<s>", ["<s>", ""]], ids=repr)
def test_a_text_is_not_taken_for_a_list_of_characters(field, value):
    with pytest.raises(PluginError, match=f"template 'slip': {field} is .* expected a list of texts"):
        Template("slip", FULL.program, **{field: value})


@pytest.mark.parametrize(
    ("field", "word", "hint"),
    [
        ("capabilities", "tols", "did you mean 'tools'?"),
        ("capabilities", "telepathy", "try: some of audio, code_interpreter, documents, "),
        ("capabilities", 7, "try: some of "),
        ("accepts", "part", "did you mean 'parts'?"),
    ],
)
def test_a_word_that_nothing_reads_is_refused(field, word, hint):
    with pytest.raises(PluginError) as refused:
        Template("slip", FULL.program, **{field: [word]})
    assert str(refused.value).startswith(f"template 'slip': {field} contains {word!r}\n  {hint}")


def test_the_options_name_the_tokens_that_may_be_replaced():
    assert tuple(FULL.options) == ("mood", "bos_token")
    assert tuple(Template("x", FULL.program, eos="</s>").options) == ("eos_token",)
    assert tuple(CHATML.options) == ()


def test_templates_differ_first_where_their_texts_do():
    other = TurnTemplate("other", user=Turn("<|im_start|>USER\n"), assistant=Turn("A"))
    assert first_difference(CHATML, CHATML) is None
    assert first_difference(CHATML, other) == (
        "a question: at character 12, 'user\\nWhat is 6 times 7?<|im_end|>\\n<|im_s' / 'USER\\nWhat is 6 times 7?A'"
    )
    facts = {"user": Turn("U"), "assistant": Turn("A")}
    assert first_difference(TurnTemplate("a", **facts, stop=["x"]), TurnTemplate("b", **facts)) == "stop: ('x',) / ()"
    assert first_difference(TurnTemplate("a", **facts, markers=["x"]), TurnTemplate("b", **facts)) == (
        "markers: ('x',) / ()"
    )


def returning(chat, out):
    return "".join(message.content for message in chat.messages)


def adding(chat, out):
    for message in chat.messages:
        out += message.content


def failing(chat, out):
    for message in out.turns(chat.messages):
        out.append(message.raw["mood"])


class SilentError(Exception):
    """An exception that cannot even say what it is."""

    def __str__(self):
        raise SystemExit


def silent(chat, out):
    raise SilentError


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (
            returning,
            "the program of template 'wrong' returns 'Hi'; a program returns nothing, it writes to `out`\n  try: out.",
        ),
        (silent, "template 'wrong' failed: SilentError: (its __str__ raises)\n  try: check the types"),
        (failing, "template 'wrong' failed at messages[0]: KeyError: 'mood'\n  try: check the types of messages"),
    ],
)
def test_what_a_program_does_wrong_is_one_error_that_names_it(program, said):
    template = Template("wrong", program)
    for way in (template.text, template.render):
        for _ in range(3):
            with pytest.raises(PluginError) as caught:
                way([{"role": "user", "content": "Hi"}])
            assert str(caught.value).startswith(said)


def test_a_text_that_is_added_character_by_character_is_one_error_of_the_program_where_origins_are_wanted():
    template = Template("wrong", adding)
    for _ in range(3):
        assert template.text([{"role": "user", "content": "Hi"}]) == "Hi"
        with pytest.raises(
            PluginError, match="writes `out \\+= text`, which adds a text character by character\n  try: out"
        ):
            template.render([{"role": "user", "content": "Hi"}])


def test_the_error_of_a_program_names_its_plugin():
    template = Template("wrong", failing)
    with lect.register(Family("acme", Rule("acme", template))):
        found = lect.get_template("acme-7b")
        with pytest.raises(PluginError, match=r"^template 'acme:wrong' failed at messages\[0\]"):
            found.text([{"role": "user", "content": "Hi"}])


@pytest.mark.parametrize(
    ("misspelt", "meant"),
    [
        ("add_generation_promt", "add_generation_prompt"),
        ("tool", "tools"),
        ("on_controls", "on_control"),
        ("Strict", "strict"),
        ("mod", "mood"),
        ("moood", "mood"),
    ],
)
def test_a_misspelt_argument_is_an_error_that_names_the_right_one(misspelt, meant):
    for way in (FULL.text, FULL.render):
        with pytest.raises(MessageError, match=f"there is no argument or option '{misspelt}'\n  try: {meant}="):
            way([{"role": "user", "content": "Hi"}], **{misspelt: True})


def test_the_tokens_of_a_tokenizer_are_not_misspelt_options():
    template = CHATML.but(bos="<s>")
    assert tuple(template.options) == ("bos_token",)
    prompt = template.render([USER], bos_token="<s>", eos_token="</s>", eot_token="<e>")
    assert [unused.path for unused in prompt.unused] == [("options", "eos_token"), ("options", "eot_token")]


def test_an_option_of_other_templates_is_not_a_misspelt_argument():
    for name in ("enable_thinking", "documents", "tools_in_user_message", "custom_tools", "date", "controls"):
        prompt = FULL.render([{"role": "user", "content": "Hi"}], **{name: []})
        assert prompt.unused == (Unused(("options", name), "dropped"),)


ODD_OPTIONS = {
    "text": (5, ["x"], {}),
    "mapping": ("x", [], 5),
    "names": ("x", [5], {"a": 1}),
    "mappings": ("x", ["x"], {}, 5),
}


@pytest.mark.parametrize("kind", ODD_OPTIONS)
def test_an_option_of_the_wrong_kind_is_refused_by_its_name(kind):
    template = Template("odd", lambda chat, out: out.append(str(chat.option("odd", kind=kind))), options=["odd"])
    for value in ODD_OPTIONS[kind]:
        for way in (template.text, template.render):
            with pytest.raises(MessageError, match=rf"^option odd is .* \({type(value).__name__}\); expected "):
                way([USER], odd=value)
    assert template.text([USER]) == template.text([USER], odd=None) == "None"
