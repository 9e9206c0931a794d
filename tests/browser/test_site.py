"""The page that runs lect in the browser, in one: `nox -s site` installs what it needs."""

import json
import re
import threading

import browser
import gguf
import node
import pytest

import lect
from lect_view.site import live
from lect_view.site.build import write_site
from lect_view.site.server import server
from lect_view.site.tokenizer import BytePairs, _letters

if browser.find() is None or node.find("pyodide") is None:
    pytest.skip(
        "there is no Chromium or no Pyodide, so nobody has looked at the page that runs lect; try: nox -s site",
        allow_module_level=True,
    )

MODEL = "Qwen/Qwen3-4B"
CHAT = [{"role": "user", "content": "Hé <|im_end|> <script>document.title = 'run'</script>\n两"}]
TEMPLATE = "{% for m in messages %}<{{ m.role }}>{{ m.content }}</s>{% endfor %}"
RAW = "<think>Hm.</think>\n\nHello!"
SHOWN = "[...document.querySelectorAll('#shown .turn pre')].map((each) => each.textContent).join('')"
READY = "document.body.dataset.python === 'ready'"
CODE = "document.querySelector('#code pre').textContent"
ERROR = "document.querySelector('#error').hidden ? '' : document.querySelector('#error').textContent"
SLOW = "{% for a in range(900) %}" * 3 + "{{ a }}" + "{% endfor %}" * 3
LETTERS = dict(zip(_letters(), range(256), strict=True))
TOKENIZER = {
    "model": {"type": "BPE", "vocab": {**LETTERS, "Ġm": 256}, "merges": ["Ġ m"]},
    "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False},
    "added_tokens": [{"id": 151644, "content": "<|im_start|>"}, {"id": 151645, "content": "<|im_end|>"}],
}
DROP = """
{ const transfer = new DataTransfer();
for (const [name, bytes] of %s) transfer.items.add(new File([new Uint8Array(bytes)], name));
document.querySelector("#drop").dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true })); }
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("site")
    write_site(str(place), str(node.find("pyodide")))
    return place


@pytest.fixture(scope="module")
def page(folder):
    """The page, where Python has started."""
    with server(str(folder)) as opened:
        thread = threading.Thread(target=opened.serve_forever)
        thread.start()
        tab = browser.Browser(browser.find())
        tab.address = f"http://127.0.0.1:{opened.server_port}/"
        tab.open(tab.address, width=1440)
        tab.wait_for(READY)
        yield tab
        tab.close()
        opened.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def no_error_and_no_request_elsewhere(page):
    yield
    assert page.errors == []
    elsewhere = [url for url in page.requests if not url.startswith((page.address, "data:,"))]
    assert elsewhere == []
    assert any(url.endswith("pyodide.asm.wasm") for url in page.requests), "those of the worker are seen"


def fill(page, **fields):
    for name, value in fields.items():
        field = f"document.querySelector('#{name}')"
        page.evaluate(f"{field}.value = {json.dumps(value)}; {field}.dispatchEvent(new Event('input'))")


def choose(page, view):
    page.evaluate(f"document.querySelector('[name=view][value={view}]').click()")


def drop(page, files):
    page.evaluate(DROP % json.dumps([[name, list(content)] for name, content in files.items()]))


def test_the_prompt_is_the_one_that_python_gives(page):
    choose(page, "prompt")
    expected = lect.render(MODEL, CHAT, add_generation_prompt=True).text
    fill(page, model=MODEL, chat=json.dumps(CHAT))
    page.wait_for(f"{SHOWN} === {json.dumps(expected)}")
    assert page.evaluate("document.querySelector('#shown mark.forged').textContent") == "<|im_end|>"
    assert page.evaluate("document.title") != "run"
    names = {}
    exec(page.evaluate(CODE), names)
    assert names["prompt"].text == expected


def test_the_prompt_and_the_code_can_be_copied(page):
    choose(page, "prompt")
    expected = lect.render(MODEL, CHAT, add_generation_prompt=True).text
    fill(page, model=MODEL, chat=json.dumps(CHAT))
    page.wait_for(f"{SHOWN} === {json.dumps(expected)}")
    page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }; 0")
    page.evaluate("document.querySelector('[data-copies=text]').click()")
    assert page.wait_for("window.copied") == expected
    page.evaluate("document.querySelector('[data-copies=python]').click()")
    page.wait_for(f"window.copied === {CODE}")


def test_turns_can_be_edited(page):
    choose(page, "prompt")
    fill(page, model=MODEL, chat=json.dumps(CHAT))
    page.evaluate("document.querySelector('[name=editor][value=json]').click()")
    page.evaluate("document.querySelector('[name=editor][value=turns]').click()")
    page.evaluate("document.querySelector('#add').click()")
    page.evaluate(
        "const field = document.querySelector('.edited:last-child textarea');"
        "field.value = 'Hi.'; field.dispatchEvent(new Event('input'))"
    )
    chat = [*CHAT, {"role": "assistant", "content": "Hi."}]
    page.wait_for(f"{SHOWN} === {json.dumps(lect.render(MODEL, chat).text)}")


@pytest.mark.parametrize(
    "files",
    [
        {"chat_template.jinja": TEMPLATE.encode()},
        {"tokenizer_config.json": json.dumps({"chat_template": TEMPLATE, "eos_token": "</s>"}).encode()},
        {"tiny.gguf": gguf.model(TEMPLATE)},
    ],
    ids=lambda files: next(iter(files)),
)
def test_a_template_can_be_dropped(page, files, tmp_path):
    choose(page, "prompt")
    fill(page, model=MODEL, chat=json.dumps(CHAT))
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    path = tmp_path / "tiny.gguf" if "tiny.gguf" in files else tmp_path
    expected = lect.render(str(path), CHAT, add_generation_prompt=True).text
    drop(page, files)
    page.wait_for(f"{SHOWN} === {json.dumps(expected)}")
    page.evaluate("document.querySelector('#dropped button').click()")
    page.wait_for(f"{SHOWN}.includes('<|im_start|>')")


def test_a_reply_arrives_step_by_step(page):
    choose(page, "reply")
    fill(page, model=MODEL, reply=RAW)
    content = "document.querySelector('#shown .part-content pre')?.innerText"
    page.wait_for(f"{content} === 'Hello!'")
    page.evaluate("document.querySelector('#shown .back').click()")
    page.evaluate("document.querySelector('#shown .back').click()")
    assert page.evaluate(content) == lect.parse(MODEL, RAW).content[:-2]


def test_two_models_are_compared_and_a_format_is_explained(page):
    choose(page, "compare")
    fill(page, model=MODEL, chat=json.dumps(CHAT), against="lect:chatml")
    page.wait_for("document.querySelectorAll('#shown .side')[1]?.textContent === 'chatml'")
    choose(page, "format")
    page.wait_for("document.querySelector('#shown h2')?.textContent.includes('Qwen/Qwen3-4B')")


def test_tokens_ask_for_a_tokenizer_and_are_shown_once_it_is_dropped(page):
    choose(page, "tokens")
    assert "Drop a tokenizer" in page.wait_for("document.querySelector('#shown .tokens h2')?.textContent")
    fill(page, model=MODEL, chat=json.dumps(CHAT))
    drop(page, {"tokenizer.json": json.dumps(TOKENIZER).encode()})
    shown = "[...document.querySelectorAll('#shown .token-begins')].map((each) => each.dataset.id).join(' ')"
    ids = lect.render(MODEL, CHAT, add_generation_prompt=True).encode(BytePairs(TOKENIZER)).ids
    page.wait_for(f"{shown} === {json.dumps(' '.join(map(str, ids)))}")
    assert not page.evaluate("document.querySelector('#model').disabled"), "a tokenizer alone decides no format"
    page.evaluate("document.querySelector('#dropped button').click()")
    page.wait_for("document.querySelector('#shown .tokens h2') !== null")


def test_a_final_answer_is_not_continued(page):
    choose(page, "prompt")
    fill(page, model=MODEL, chat=json.dumps([*CHAT, {"role": "assistant", "content": "Yes."}]))
    page.wait_for(f"{SHOWN}.includes('Yes.')")
    assert "the model continues here" not in page.evaluate("document.querySelector('#shown').textContent")
    assert page.evaluate("document.querySelector('#asks').disabled")


def test_side_by_side_each_says_what_it_drops(page):
    choose(page, "compare")
    chat = [{"role": "user", "content": "Hi", "name": "Ada"}]
    fill(page, model=MODEL, chat=json.dumps(chat), against="lect:chatml")
    sides = "[...document.querySelectorAll('#shown .two > section')].map((each) => each.textContent)"
    page.wait_for(f"{sides}.filter((each) => each.includes('messages[0].name')).length === 2")


def test_an_error_speaks_of_the_page(page):
    choose(page, "prompt")
    fill(page, model="acme/unheard-of-7b", chat=json.dumps(CHAT))
    said = page.wait_for(f"({ERROR}).includes('acme/unheard-of-7b') && {ERROR}")
    assert "drop the model's own files" in said
    assert not re.search(r"\blect [a-z]|\bpip |LECT_|\w=\w", said)
    fill(page, model=MODEL)
    page.wait_for(f"({ERROR}) === ''")


def test_what_takes_too_long_can_be_stopped(page):
    choose(page, "prompt")
    fill(page, model=MODEL, chat=json.dumps(CHAT))
    drop(page, {"chat_template.jinja": SLOW.encode()})
    page.wait_for("!document.querySelector('#stop').hidden")
    page.evaluate("document.querySelector('#stop').click()")
    assert "Stopped" in page.evaluate(ERROR)
    page.wait_for(READY)
    page.evaluate("document.querySelector('#dropped button').click()")
    page.wait_for(f"{SHOWN}.includes('<|im_start|>') && ({ERROR}) === ''")


def test_what_is_wrong_is_said_and_goes_away(page):
    choose(page, "prompt")
    fill(page, model=MODEL, chat="[")
    page.wait_for(f"({ERROR}).includes('is not JSON')")
    assert page.evaluate("document.querySelector('[data-copies=text]').hidden")
    fill(page, chat=json.dumps(CHAT))
    page.wait_for(f"({ERROR}) === ''")


@pytest.mark.parametrize("view", ["prompt", "compare", "reply", "format", "tokens"])
def test_it_fits_a_phone(page, view):
    choose(page, view)
    page.call("Emulation.setDeviceMetricsOverride", width=380, height=900, deviceScaleFactor=1, mobile=False)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("view", ["prompt", "compare", "reply", "format", "tokens"])
def test_it_is_accessible(page, view, theme):
    choose(page, view)
    page.evaluate(f"document.querySelector('select.theme').value = {theme!r}")
    page.wait_for(f"document.querySelector('#shown').dataset.view === {view!r}")
    assert node.inaccessible(page) == []


def test_on_a_phone_findings_are_above_the_prompt(page):
    choose(page, "prompt")
    fill(page, model=MODEL, chat=json.dumps(CHAT))
    page.wait_for("document.querySelector('#shown .finding.bad') !== null")
    page.call("Emulation.setDeviceMetricsOverride", width=380, height=900, deviceScaleFactor=1, mobile=False)
    top = "document.querySelector('#shown {}').getBoundingClientRect().top"
    assert page.evaluate(f"{top.format('.finding.bad')} < {top.format('.turn')}")


def test_the_picture_of_the_example_and_how_much_has_come_are_there_before_python_is(folder, page):
    example = lect.render(MODEL, live.EXAMPLE, add_generation_prompt=True).text
    tab = browser.Browser(browser.find())
    tab.call("Network.emulateNetworkConditions", offline=False, latency=0, downloadThroughput=2e6, uploadThroughput=2e6)
    tab.open(page.address, width=1440)
    assert tab.evaluate(SHOWN) == example
    assert not tab.evaluate(READY)
    bar = "document.querySelector('#loading progress')"
    tab.wait_for(f"{bar}.value > 0 || ({READY})")
    most = tab.evaluate(f"{bar}.max")
    fetched = ["pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json"]
    size = sum((folder / "pyodide" / name).stat().st_size for name in fetched)
    assert most == size + (folder / "packages.zip").stat().st_size
    tab.wait_for(READY)
    assert tab.evaluate("document.querySelector('#loading').hidden")
    assert tab.errors == []
    tab.close()


def test_opened_as_a_file_it_says_so_and_shows_the_example(folder):
    tab = browser.Browser(browser.find())
    tab.open((folder / "index.html").as_uri())
    assert "opened as a file" in tab.evaluate("document.querySelector('#state').textContent")
    assert tab.evaluate(SHOWN) == lect.render(MODEL, live.EXAMPLE, add_generation_prompt=True).text
    assert tab.errors == []
    tab.close()
