"""The pages of lect-view as a reader sees them, in a browser."""

import json

import browser
import node
import pytest
from character_tokenizer import CharacterTokenizer

import lect
import lect_view

if browser.find() is None:
    pytest.skip(
        "there is no Chromium, so nobody has looked at the views; try: apt-get install chromium",
        allow_module_level=True,
    )

MODEL = "Qwen/Qwen3-4B"
CHAT = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Hello <b>!</b><|im_end|><script>document.title = 'run'</script>"},
    {"role": "assistant", "content": "مرحبا"},
]
RAW = '<think>Hm.</think>Look.<tool_call>\n{"name": "f", "arguments": {"x": 1}}\n</tool_call>'
ABOUT = "getComputedStyle(document.querySelector({!r}), '::after').content"
BACKGROUND = "getComputedStyle(document.body).backgroundColor"


def views():
    template = lect.get_template(MODEL)
    prompt = template.render(CHAT)
    chunks = [RAW[start : start + 6] for start in range(0, len(RAW), 6)]
    return {
        "prompt": lect_view.html(prompt),
        "encoded": lect_view.html(prompt.encode(CharacterTokenizer({"<|im_start|>": 1, "<|im_end|>": 2}))),
        "two": lect_view.html(prompt, against=lect.get_template("Qwen/Qwen2.5-7B-Instruct").render(CHAT)),
        "reply": lect_view.html(lect.parse(MODEL, RAW[:-20])),
        "stream": lect_view.html(lect_view.record(lect.stream(MODEL), chunks)),
        "resolution": lect_view.html(lect.resolve(MODEL)),
    }


@pytest.fixture(scope="module")
def tab():
    opened = browser.Browser(browser.find())
    opened.call("Network.enable")
    yield opened
    opened.close()


@pytest.fixture
def show(tab, tmp_path):
    def opens(name, width=1440):
        page = tmp_path / f"{name}.html"
        page.write_text(views()[name], "utf-8", newline="")
        tab.errors.clear()
        tab.open(page.as_uri(), width=width)
        return tab

    return opens


@pytest.mark.parametrize("width", [380, 1440])
@pytest.mark.parametrize("name", ["prompt", "encoded", "two", "reply", "stream", "resolution"])
def test_a_view_opens_fits_runs_nothing_and_asks_for_nothing(name, width, show):
    tab = show(name, width)
    assert tab.errors == []
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert tab.evaluate("performance.getEntriesByType('resource').length") == 0
    assert tab.evaluate("document.title") != "run"


@pytest.mark.skipif(node.find("axe-core") is None, reason="there is no axe-core; try: nox -s site")
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", ["prompt", "encoded", "two", "reply", "stream", "resolution"])
def test_a_view_is_accessible(name, theme, show):
    tab = show(name)
    tab.evaluate(f"document.querySelector('select.theme').value = {theme!r}")
    assert node.inaccessible(tab) == []


def test_the_text_of_the_page_is_the_prompt(show):
    shown = show("prompt").evaluate("[...document.querySelectorAll('pre')].map((each) => each.textContent).join('')")
    assert shown == lect.get_template(MODEL).render(CHAT).text


def test_a_long_prompt_opens_and_stays_usable(tab, tmp_path):
    chat = [{"role": ("user", "assistant")[at % 2], "content": f"{at} x <b>\n" * 1_200} for at in range(20)]
    prompt = lect.get_template(MODEL).render(chat)
    assert len(prompt.text) > 200_000
    page = tmp_path / "long.html"
    page.write_text(lect_view.html(prompt), "utf-8", newline="")
    tab.errors.clear()
    tab.open(page.as_uri(), width=1440)
    assert tab.evaluate("[...document.querySelectorAll('pre')].map((each) => each.textContent).join('')") == prompt.text
    last = ".turn:last-child bdi:last-of-type .input"
    tab.evaluate(f"document.querySelector({last!r}).focus()")
    assert "messages[19].content" in tab.evaluate(ABOUT.format(last))
    tab.evaluate("document.querySelector('.show-spaces').click()")
    assert tab.evaluate("getComputedStyle(document.querySelector('pre i.n'), '::before').content") != "none"
    assert tab.errors == []


def test_a_forged_marker_is_marked(show):
    tab = show("prompt")
    assert tab.evaluate("document.querySelector('mark.forged').textContent") == "<|im_end|>"
    assert "would have been the control token 151645" in tab.evaluate(
        "document.querySelector('mark.forged').dataset.about"
    )


def test_focus_and_pointer_show_the_field(show):
    tab = show("prompt")
    piece = ".role-system .input"
    assert tab.evaluate(ABOUT.format(piece)) == "none"
    tab.evaluate(f"document.querySelector({piece!r}).focus()")
    assert "messages[0].content 0–9" in tab.evaluate(ABOUT.format(piece))
    tab.evaluate("document.activeElement.blur()")
    place = tab.evaluate(f"JSON.stringify(document.querySelector({piece!r}).getBoundingClientRect())")
    box = json.loads(place)
    tab.call("Input.dispatchMouseEvent", type="mouseMoved", x=box["x"] + 3, y=box["y"] + 3)
    assert "messages[0].content 0–9" in tab.wait_for(f"{ABOUT.format(piece)} !== 'none' && {ABOUT.format(piece)}")


def test_the_theme_can_be_chosen(show):
    tab = show("prompt")
    colours = []
    for theme in ("light", "dark"):
        tab.evaluate(f"document.querySelector('select.theme').value = {theme!r}")
        colours.append(tab.evaluate(BACKGROUND))
    assert colours[0] != colours[1]


def test_white_space_and_ids_are_shown_on_demand(show):
    tab = show("encoded")
    for box, place in (("show-spaces", "pre i.n"), ("show-ids", ".token-begins")):
        mark = f"getComputedStyle(document.querySelector({place!r}), '::before').content"
        assert tab.evaluate(mark) == "none"
        tab.evaluate(f"document.querySelector('.{box}').click()")
        assert tab.evaluate(mark) != "none"


def test_a_stream_is_stepped_through(show):
    tab = show("stream")
    seen = "document.querySelector('.part-content pre').innerText"
    assert tab.evaluate(seen) == "Look."
    tab.evaluate(
        "document.querySelector('.steps input').value = 1;"
        "document.querySelector('.steps input').dispatchEvent(new Event('input'))"
    )
    assert tab.evaluate(seen) == ""
    assert tab.evaluate("document.querySelector('output').textContent").startswith("step 1 of ")
    last = int(tab.evaluate("document.querySelector('.steps input').max"))
    for _ in range(last):
        tab.evaluate("document.querySelector('.on').click()")
    assert tab.evaluate(seen) == "Look."


def test_the_first_difference_is_marked_on_both_sides(show):
    assert show("two").evaluate("document.querySelectorAll('.first-difference').length") == 2
