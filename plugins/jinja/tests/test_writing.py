"""Turn tables as chat templates for tokenizer_config.json, rendered by jinja2 itself and by the guarded engine."""

import pytest

import lect
import lect_jinja
from lect import dump_template
from lect.format.compare import CONVERSATIONS, compared
from lect.plugin import CHATML, DEFAULT, Turn, TurnTemplate
from lect_jinja.writing.turn_table import renderer, write

PLAIN = TurnTemplate(
    "plain", system=Turn("<s>", "</s>"), user=Turn("<u>", "</u>"), assistant=Turn("<a>", "</a>"), stop=["</a>"]
)
TABLES = [
    CHATML,
    DEFAULT,
    PLAIN,
    PLAIN.but(default_system="Be 'brief'.\n\\n"),
    PLAIN.but(opening="[{{ x }}]", bos="<bos>", eos="</e>", assistant=Turn("<a>", "{eos}\n")),
    PLAIN.but(without_system="-", examples=[("user", "1+1="), ("assistant", "2")]),
    PLAIN.but(default_system="D", examples=[("user", "1+1="), ("assistant", "2")]),
    PLAIN.but(system=None, without_system="-"),
    PLAIN.but(user=Turn("[{round}]<u>", "</u>"), first_round=0),
    PLAIN.but(user_after_system=Turn("", "</u>")),
    PLAIN.but(trim=True, generation="<a>\n", closing="<end>"),
    PLAIN.but(generation="", closing="<end>"),
    PLAIN.but(system=Turn("<s>", "</s>", "<none>"), assistant=Turn("<{role}>", "</a>", "<a/>")),
    PLAIN.but(system_first=True, other=Turn("<{role}>", "</{role}>")),
    PLAIN.but(empty="nothing", refuses=True),
    PLAIN.but(empty="generation"),
]


@pytest.mark.parametrize("table", TABLES, ids=range(len(TABLES)))
def test_a_written_table_renders_the_same(table):
    written = write(table)
    assert not written.lost
    assert not [each for each in compared(table, renderer(written.text, table)) if each.one != each.other]


@pytest.mark.parametrize("table", TABLES, ids=range(len(TABLES)))
def test_the_guarded_engine_renders_the_same(table):
    tokens = {"bos_token": table.bos, "eos_token": table.eos}
    again = lect_jinja.load({"chat_template": write(table).text, **tokens})
    assert not [each for each in compared(table, again) if each.one != each.other]


@pytest.mark.parametrize("table", TABLES[-4:], ids=range(4))
def test_odd_conversations_render_the_same(table):
    render = renderer(write(table).text, table)
    late = [{"role": "user", "content": "1"}, {"role": "system", "content": "2"}, {"role": "user", "content": "3"}]
    for messages in ([], late, [{"role": "tool", "content": "x"}]):
        for ask in (True, False):
            try:
                expected = table.text(messages, add_generation_prompt=ask)
            except lect.RefusedError:
                with pytest.raises(lect.RefusedError, match="there is no turn for the role"):
                    render(messages, ask)
            else:
                assert render(messages, ask) == expected


def test_what_the_model_is_to_learn_is_marked():
    text = write(PLAIN.but(assistant=Turn("<a>", "</a>\n"))).text
    assert (
        text
        == """\
{%- for message in messages -%}
    {%- if message['role'] == 'system' -%}
        {{- '<s>' + message['content'] + '</s>' -}}
    {%- elif message['role'] == 'user' -%}
        {{- '<u>' + message['content'] + '</u>' -}}
    {%- elif message['role'] == 'assistant' -%}
        {{- '<a>' -}}
        {%- generation -%}
        {{- message['content'] + '</a>' -}}
        {%- endgeneration -%}
        {{- '\\n' -}}
    {%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}
    {{- '<a>' -}}
{%- endif -%}
"""
    )


def test_a_chat_template_is_written_unchanged():
    text = "{% for m in messages %}{{ m.role | upper }}: {{ m.content }}\n{% endfor %}"
    assert dump_template(lect_jinja.load(text), "jinja") == text


def test_a_program_says_what_stops_it():
    with pytest.raises(lect.ConversionError, match="lost: all: it is a program"):
        write(lect.Template("mine", lambda chat, out: None))


def test_the_set_of_conversations_has_texts_that_jinja_could_misread():
    said = "".join(message["content"] for messages, _ in CONVERSATIONS.values() for message in messages)
    assert all(mark in said for mark in ("{{", "{%", "'", '"', "\\", "\n"))
