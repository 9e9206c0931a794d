"""The pages: what they show, and that no content leaves its place."""

import pickle
import re

import pytest
from character_tokenizer import CharacterTokenizer
from html_pages import HOSTILE, Page
from sampling import in_turn

import lect
import lect_view
import lect_view.shown
from lect.cli import main
from lect.plugin import Family, Rule, Turn, TurnTemplate
from lect_kit import AdapterSuite

CONTROLS = {"<user>": 2_000_001, "<bot>": 2_000_002, "</s>": 2_000_003}
ACME = TurnTemplate(
    "acme", user=Turn("<user>", "\n"), assistant=Turn("<bot>", "</s>\n"), stop={"</s>": 2_000_003}, markers=CONTROLS
)
CHAT = [{"role": "user", "content": "a</s>"}, {"role": "assistant", "content": "ok"}]
RAW = 'Look.<tool_call>{"name": "f", "arguments": {"x": 1}}</tool_call><tool_call>{"name": "g'


class TestView(AdapterSuite):
    plugin = "view"
    examples = {}


@pytest.fixture(autouse=True)
def families():
    undo = lect.register(Family("acme", Rule("acme", ACME)))
    yield
    undo()


def pages(content):
    """Return every view of a content, whoever says it."""
    prompt = ACME.render([{"role": "user", "content": content}, {"role": "assistant", "content": content}])
    reply = lect.parse("acme-7b", content)
    return {
        "prompt": lect_view.html(prompt),
        "encoded": lect_view.html(prompt.encode(CharacterTokenizer(CONTROLS))) if len(content) < 20_000 else "",
        "two": lect_view.html(prompt, against=ACME.render([{"role": "user", "content": f"{content}!"}])),
        "reply": lect_view.html(reply),
        "stream": lect_view.html(lect_view.record(lect.stream("acme-7b"), [content[:3], content[3:]])),
        "notebook": prompt._repr_html_(),
    }


def shape(page):
    parsed = Page(page)
    return parsed.tags, parsed.attributes


def test_there_are_a_hundred_hostile_contents():
    assert len(HOSTILE) >= 100


def test_no_content_becomes_markup():
    plain = {name: shape(page) for name, page in pages("harmless 1 \n\t\x1b</s>").items()}
    for content in in_turn(dict.fromkeys(HOSTILE), 3):
        for name, page in pages(content).items():
            tags, attributes = shape(page) if page else (set(), set())
            assert tags <= plain[name][0], (name, content[:40])
            assert attributes <= plain[name][1] | {"href", "id"}, (name, content[:40])


@pytest.mark.parametrize("content", ["<b>&amp;\"'</b>", "两  个\t空格\n", "مرحبا!", "👩‍👩‍👧 e\u0301"])
def test_the_text_of_the_page_is_the_prompt(content):
    prompt = ACME.render([{"role": "user", "content": content}])
    assert Page(lect_view.html(prompt)).text == prompt.text
    assert Page(lect_view.html(prompt.encode(CharacterTokenizer(CONTROLS)))).text == prompt.text


def test_what_nobody_would_see_is_spelled_out():
    prompt = ACME.render([{"role": "user", "content": "a\x1b\u202e\0\r\nb\ud7ff"}])
    assert "a\\x1b\\u202e\\x00\\r\nb" in Page(lect_view.html(prompt)).text


def test_a_page_needs_nothing_and_allows_nothing():
    for name, page in pages("hello").items():
        if name == "notebook":
            continue
        policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', page)[1]
        assert policy.startswith("default-src 'none'; style-src 'sha256-")
        assert ("script-src 'sha256-" in policy) == (name == "stream") == ("<script" in page)
        assert "http:" not in page
        assert "https:" not in page
        assert " style=" not in page


def test_origins_fields_and_turns():
    page = Page(lect_view.html(ACME.render(CHAT)))
    assert page.of("template") == "template<user>\n<bot></s>\n"  # The legend comes first.
    assert "messages[0].content 0–5 · prompt 6–11" in page.abouts
    assert page.of("role-user").startswith("user messages[0] · ")
    assert page.of("loss").endswith("ok</s>")


def test_forged_control_text_is_marked_with_what_it_would_have_been():
    page = Page(lect_view.html(ACME.render(CHAT)))
    assert page.of("forged") == "forged</s>"
    about = next(about for about in page.abouts if "⚠" in about)
    assert about.endswith("⚠ not the template's: </s> would have been the control token 2000003, which ends a turn")
    assert "</s> in messages[0].content: would have been the control token" in page.of("bad")
    assert "No control text from outside" in Page(lect_view.html(ACME.render(CHAT[1:]))).of("good")


def test_control_text_that_is_encoded_as_such_is_told_apart():
    prompt = ACME.render(CHAT)
    safe, unsafe = (prompt.encode(CharacterTokenizer(CONTROLS), safe=safe) for safe in (True, False))
    assert "would have been the control token" in lect_view.html(safe)
    assert "is the control token 2000003" in lect_view.html(unsafe)


def test_unused_fields_are_listed_with_reasons():
    page = Page(lect_view.html(ACME.render([{**CHAT[1], "role": "user", "text": "lost"}], colour="red")))
    assert "messages[0].text the format has no place for it; did you mean content?" in page.of("finding")
    assert "options.colour the format reads no such option" in page.of("finding")


def test_an_option_of_another_type_is_listed_as_such():
    switched = ACME.but(options={"loud": bool})
    page = Page(lect_view.html(switched.render(CHAT[:1], loud="no")))
    assert "options.loud" in page.of("finding")
    assert "reads no such option" not in page.of("finding")


def test_tokens_have_ids_weights_and_labels():
    encoded = ACME.render(CHAT).encode(CharacterTokenizer(CONTROLS), policy=lect.LossPolicy(), max_length=11)
    page = lect_view.html(encoded)
    parsed = Page(page)
    assert any("token 0, id 2000001" in about for about in parsed.abouts)
    assert any("token 8, id 111, loss 1" in about for about in parsed.abouts)
    assert parsed.of("labels-begin") == "o"
    assert parsed.of("labels-end") == "</s>"
    assert parsed.of("cut") == "\n"
    assert 'data-id="111"' in page
    assert "max_length cuts off 1 token" in parsed.of("finding")


def test_a_reply_and_its_problems_in_their_places():
    reply = lect.parse("acme-7b", RAW, format="hermes_json")
    page = Page(lect_view.html(reply))
    assert page.text.startswith(RAW)
    assert page.of("part-content") == "contentLook."
    assert '"x": 1' in page.of("part-call")
    start, end = reply.problems[0].span
    assert page.of("problem").removeprefix("problem") == RAW[start:end]
    assert reply.problems[0].text in page.of("bad")


def test_a_recorded_stream_says_what_arrived_when():
    chunks = [RAW[start : start + 5] for start in range(0, len(RAW), 5)]
    recorded = lect_view.record(lect.stream("acme-7b", format="hermes_json"), chunks)
    assert recorded.reply == lect.parse("acme-7b", RAW, format="hermes_json")
    assert [step.chunk for step in recorded.steps] == [*chunks, ""]
    page = lect_view.html(recorded)
    assert f'data-step="{len(chunks)}"' in page
    assert Page(page).text.startswith(RAW)


def test_two_prompts_and_where_they_differ():
    one, other = (ACME.render([{"role": "user", "content": text}]) for text in ("Be very brief.", "Be brief. Now!"))
    page = Page(lect_view.html(one, against=other))
    assert page.text == one.text + other.text
    assert page.of("first-difference") == "very "
    assert page.of("differs") == "differsvery  Now!"
    assert "both are the same" in lect_view.html(one, against=one)


def test_a_long_difference_counts_as_one(monkeypatch):
    monkeypatch.setattr("lect_view.compare.MOST_COMPARED", 3)
    one, other = (ACME.render([{"role": "user", "content": text}]) for text in ("a b c d", "a x c y"))
    assert Page(lect_view.html(one, against=other)).of("differs") == "differsb c dx c y"


def test_a_resolution_says_why():
    page = lect_view.html(lect.resolve("acme-7b"))
    assert "acme-7b" in page
    assert lect.resolve("acme-7b").reason[:10] in page


@pytest.mark.parametrize("thing", [None, "text", 3])
def test_what_cannot_be_shown_is_refused(thing):
    with pytest.raises(lect.MessageError, match="cannot be shown"):
        lect_view.html(thing)
    assert lect_view.picture(thing) is None


def test_only_prompts_are_compared():
    with pytest.raises(lect.MessageError, match="only two prompts"):
        lect_view.html(ACME.render(CHAT), against=lect.parse("acme-7b", "x"))


# In notebooks


def test_what_a_notebook_shows():
    prompt, reply = ACME.render(CHAT), lect.parse("acme-7b", "Hi")
    for each in (prompt, prompt.encode(CharacterTokenizer(CONTROLS)), reply, lect.resolve("acme-7b")):
        shown = each._repr_html_()
        assert shown.startswith('<div class="lect-view inside"><style>')
        assert "<script" not in shown
        Page(shown)


def test_a_prompt_from_another_process_is_shown_too():
    prompt = pickle.loads(pickle.dumps(ACME.render(CHAT)))
    assert prompt._repr_html_() == ACME.render(CHAT)._repr_html_()
    encoded = pickle.loads(pickle.dumps(prompt.encode(CharacterTokenizer(CONTROLS))))
    assert encoded._repr_html_() is None


def test_a_prompt_is_shown_even_if_its_mask_is_invalid():
    prompt = ACME.render([*CHAT[:1], {**CHAT[1], "weight": "much"}])
    assert Page(prompt._repr_html_()).text == prompt.text


def test_the_length_of_a_picture_is_bounded(monkeypatch):
    monkeypatch.setattr(lect_view.shown, "MOST_SHOWN", 8)
    prompt = ACME.render(CHAT)
    for each in (prompt, prompt.encode(CharacterTokenizer(CONTROLS))):
        page = Page(each._repr_html_())
        assert page.text == prompt.text[:8]
        assert page.of("more") == "... and 16 more characters"


# The command


def test_the_command_writes_a_page(tmp_path, capsys):
    out = tmp_path / "page.html"
    assert main(["view", "acme-7b", "Hi", "-o", str(out)]) == 0
    assert out.read_text("utf-8") == lect_view.html(
        ACME.render([{"role": "user", "content": "Hi"}], add_generation_prompt=True)
    )
    assert main(["view", "acme-7b", "Hi", "--against", "chatml"]) == 0
    assert "they differ first at character" in capsys.readouterr().out


def test_the_command_shows_a_reply(tmp_path, capsys):
    file = tmp_path / "reply.txt"
    file.write_text("Hello!\n", "utf-8")
    assert main(["view", "acme-7b", "--reply", str(file)]) == 0
    assert Page(capsys.readouterr().out).of("part-content") == "contentHello!"


def test_the_command_shows_tokens(tmp_path, monkeypatch, capsys):
    from character_tokenizer import install

    folder = install(monkeypatch, tmp_path, CONTROLS)
    assert main(["view", "acme-7b", "Hi", "--tokenizer", folder]) == 0
    assert 'data-id="2000001"' in capsys.readouterr().out


def test_the_command_opens_a_page(monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    assert main(["view", "acme-7b", "Hi", "--open"]) == 0
    assert opened[0].startswith("file:")


def test_the_command_refuses_what_does_not_fit(tmp_path, capsys):
    assert main(["view", "acme-7b", "Hi", "--against", "chatml", "--reply", "x"]) == 2
    assert "only one of --tokenizer, --against and --reply" in capsys.readouterr().err
    assert main(["view", "acme-7b", "Hi", "--notation", "jinja"]) == 2
    assert "that --against names" in capsys.readouterr().err
    file = tmp_path / "note.txt"
    file.write_text("3", "utf-8")
    assert main(["view", "acme-7b", "Hi", "--against", str(file)]) == 1
    (notation,) = re.findall(r"try: --notation (\w+)", capsys.readouterr().err)
    assert main(["view", "acme-7b", "Hi", "--against", str(file), "--notation", notation]) == 1
    assert "try: --notation" not in capsys.readouterr().err
    assert main(["view", "acme-7b", "Hi", "-o", str(tmp_path / "none" / "page.html")]) == 1
    assert "cannot write" in capsys.readouterr().err


# Words that differ, in a terminal


def test_words_that_differ_are_marked(capsys):
    assert main(["diff", "acme", "lect:chatml", "--words"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("a question\n[-<user>-]{+<|im_start|>user\n+}What is 6 times 7?")
    assert " ... " in out, "what is long is shortened"


def test_a_word_diff_has_both_texts():
    pieces = list(lect_view.word_diff("a <b> c", "a <d> c!"))
    assert pieces == [("a ", None), ("<b>", 0), ("<d>", 1), (" c", None), ("!", 1), ("", None)]
    assert list(lect_view.word_diff("same", "same")) == [("same", None)]


def test_side_by_side_each_lists_what_it_drops():
    chat = [{"role": "user", "content": "Hi", "name": "Ada"}]
    page = lect_view.html(lect.template("lect:chatml").render(chat), against=lect.template("lect:default").render(chat))
    assert page.count("<code>messages[0].name</code>") == 2


def test_what_ends_a_text_after_a_final_answer_is_not_where_the_model_continues():
    table = TurnTemplate("t", user=Turn("U", "\n"), assistant=Turn("A", "\n"), stop=["<end>"], markers=["<end>"])
    prompt = table.render([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yes."}])
    assert "the model continues here" not in lect_view.html(prompt)
