"""Everyday tags in replies are text, even where a format has a plain word between angle brackets among its markers.

In content and in the arguments of calls, at once and in chunks; and a constraint lets the model write them.
"""

import builtins
import keyword
import re

import pytest
from constraints import Guidance, Vocabulary
from hostile import installed
from sampled_replies import TOOLS, calls, says, writes_calls, written
from sampling import in_turn
from together import together

import lect
from lect.reply.engine.compiled import marks_of
from lect.reply.reader.near import fold
from lect_constrain import constrain

HTML = (
    "a abbr address area article aside audio b base bdi bdo blockquote body br button canvas caption center cite "
    "code col colgroup data datalist dd del details dfn dialog div dl dt em embed fieldset figcaption figure font "
    "footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img input ins kbd label "
    "legend li link main map mark marquee menu meta meter nav noscript object ol optgroup option output p param "
    "picture pre progress q rp rt ruby s samp script search section select slot small source span strong style "
    "sub summary sup svg table tbody td template textarea tfoot th thead time title tr track u ul var video wbr"
)
XML = (
    "answer artifactId attribute author book catalog channel comment complexType config context dependency "
    "description document element entry enum enumeration error event feed field file function functions groupId "
    "guid id image instruction item items job key language list log message method name node note order parameter "
    "path pattern plugin policy price project properties property query record reference reminder request "
    "required resource resources response restriction result results role root row rule schema sequence sequences "
    "server service settings simpleType step string system task test text thought tool type unk url user users "
    "value version xml"
)
PROGRAMMING = [each for each in (*keyword.kwlist, *dir(builtins)) if each.isalpha()]


def one_of_each_format():
    """Return the names of templates, one for each format of replies."""
    found = {}
    for name, template in installed().items():
        if template.reply and not name.startswith(("fastchat:", "xtuner:")):
            found.setdefault(template.reply.name, name)
    return found.values()


def names_in(texts):
    return {name for text in texts for name in re.findall(r"[^\W_][\w-]*", text)}


def tags():
    """Return the names of tags: everyday ones, and all that any template has among its markers."""
    marked = {marker.strip("</>") for template in installed().values() for marker in template.markers}
    plain = {name for name in marked if re.fullmatch(r"[A-Za-z][\w-]*", name)}
    return sorted({*HTML.split(), *XML.split(), *PROGRAMMING, *plain})


def tagged(template):
    """Return a text with all tags except those that the format itself gives a meaning, spelt right or almost right."""
    grammar = template.reply
    own = {*marks_of(grammar), *grammar.tokens} if grammar else set()
    names = {fold(name) for name in names_in({*own, *template.control_tokens, *template.stop})}
    begun = tuple(mark for mark in own if mark[:1] == "<" and mark.strip("</"))
    meant = [tag for tag in tags() if fold(tag) in names or f"<{tag}>".startswith(begun)]
    return "\n".join(f"As in <{tag}>42</{tag}> here." for tag in tags() if tag not in meant)


def test_there_are_more_than_two_hundred_tags():
    assert len(tags()) > 200


@together("name", in_turn(installed(), 6))
def test_tags_stay_in_content(name):
    template = installed()[name]
    text = tagged(template)
    stream = template.stream(starts_in_reasoning=False, call_id="call_{}".format)
    for at in range(0, len(text), 7):
        stream.feed(text[at : at + 7])
    reply = template.parse(text, starts_in_reasoning=False, call_id="call_{}".format)
    assert (reply.content, reply.tool_calls) == (text, ())
    assert stream.close() == reply


@together("name", [name for name, template in installed().items() if writes_calls(template)])
def test_tags_stay_in_the_arguments_of_calls(name):
    template = installed()[name]
    text = tagged(template)
    found = template.parse(written(template, calls(text)), tools=TOOLS).tool_calls
    assert [each.arguments for each in found] == [{"text": text}]


@pytest.mark.parametrize("name", in_turn(one_of_each_format(), 6))
def test_a_constraint_lets_the_model_write_tags(name):
    template = installed()[name]
    text, vocabulary = tagged(template), Vocabulary(token for token in template.control_tokens if "{}" not in token)
    allowed = Guidance(vocabulary, constrain(template, TOOLS, tokenizer=vocabulary).lark())
    for message in (says, calls):
        reply = written(template, message(text))
        assert reply is None or allowed.accepts(reply) is None


@pytest.mark.parametrize(
    ("model", "tag"),
    [
        ("deepseek-ai/DeepSeek-V3.2", "result"),
        ("MiniMaxAI/MiniMax-M2", "response"),
        ("MiniMaxAI/MiniMax-M3", "item"),
        ("nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "required"),
        ("LGAI-EXAONE/EXAONE-4.0-32B", "tool"),
    ],
)
def test_a_word_of_the_format_is_text_in_an_answer(model, tag):
    text = f"<job><{tag}>42</{tag}></job>"
    assert lect.parse(model, text, starts_in_reasoning=False).content == text


@pytest.mark.parametrize(
    ("model", "token"),
    [
        ("Qwen/Qwen3-8B", "<tool_response>"),
        ("Qwen/Qwen3.5-27B", "<tool_response>"),
        ("google/gemma-3-4b-it", "<start_of_image>"),
        ("microsoft/Phi-3-mini-4k-instruct", "<unk>"),
        ("LGAI-EXAONE/EXAONE-4.0-32B", "[BOS]"),
    ],
)
def test_a_token_of_the_format_is_dropped_from_an_answer(model, token):
    assert lect.parse(model, f"Paris{token}.", starts_in_reasoning=False).content == "Paris."
