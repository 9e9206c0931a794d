"""The documentation as a reader sees it, in a browser: `nox -s docs` builds the pages and runs these tests."""

import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import browser
import node
import pages
import pytest
from sampling import in_turn

import lect

BUILT = pages.DOCS / "_build" / "html"
PAGES = sorted(
    page.relative_to(BUILT).as_posix() for page in BUILT.rglob("*.html") if page.relative_to(BUILT).parts[0][0] != "_"
)
TOO_WIDE = """
[document.documentElement, ...document.querySelectorAll("article .table-wrapper")]
    .filter((element) => element.scrollWidth > element.clientWidth + 1)
    .map((element) => element.textContent.trim().slice(0, 60))
"""
COPY = """
navigator.clipboard.writeText = async (text) => { window.copied = text; };
document.querySelector("pre.prompt").parentElement.querySelector("button").click();
window.copied
"""
TALK = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Hello!"},
    {"role": "assistant", "content": "Hi! How can I help?"},
    {"role": "user", "content": "What is 6 times 7?"},
]

if not PAGES:
    pytest.skip("the pages are not built; try: nox -s docs", allow_module_level=True)
if browser.find() is None:
    pytest.skip(
        "there is no Chromium, so nobody has looked at the pages; try: apt-get install chromium",
        allow_module_level=True,
    )


class Silent(SimpleHTTPRequestHandler):
    """Serves files without logging, and an empty icon to browsers, which always ask for one."""

    def do_GET(self):
        if self.path == "/favicon.ico":
            self.send_response(204)
            self.end_headers()
        else:
            super().do_GET()

    def log_message(self, *_arguments):
        pass


@pytest.fixture(scope="module")
def address():
    """The address that serves the pages: what a browser lets a page do depends on it."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=BUILT))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(scope="module")
def tab():
    opened = browser.Browser(browser.find())
    yield opened
    opened.close()


@pytest.mark.parametrize("page", PAGES)
def test_a_page_fits_and_has_no_errors(page, tab, address):
    tab.errors.clear()
    for width in (1440, 1000):
        tab.open(f"{address}/{page}", width=width)
        assert tab.evaluate(TOO_WIDE) == []
    # On a phone, wide tables and code are scrolled in their own boxes.
    tab.open(f"{address}/{page}", width=380)
    assert tab.evaluate("document.documentElement.scrollWidth") <= 380
    assert tab.errors == []


@pytest.mark.skipif(node.find("axe-core") is None, reason="there is no axe-core; try: nox -s site")
@pytest.mark.parametrize("page", in_turn([*PAGES, "search.html?q=Qwen"], 8))
def test_a_page_is_accessible_in_both_themes(page, tab, address):
    for width in (1440, 380):
        tab.open(f"{address}/{page}", width=width)
        for theme in ("light", "dark"):
            tab.evaluate(f"document.body.dataset.theme = {theme!r}; 0")
            assert node.inaccessible(tab) == [], (width, theme)


@pytest.mark.parametrize(("page", "model"), [("qwen", "Qwen/Qwen3.8-27B"), ("phi", "microsoft/Phi-4-mini-instruct")])
def test_the_copy_button_copies_the_prompt_as_it_is(page, model, tab, address):
    tab.open(f"{address}/gallery/{page}.html")
    assert tab.evaluate(COPY) == lect.render(model, TALK, add_generation_prompt=True).text


def test_the_copy_button_of_a_console_copies_the_command(tab, address):
    tab.open(f"{address}/how-to/debug-a-prompt.html")
    copied = tab.evaluate(COPY.replace("pre.prompt", ".highlight-console pre"))
    assert copied.strip() == "lect why Qwen/Qwen2.5-7B-Instruct"


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("Qwen/Qwen2.5-7B-Instruct", "gallery/qwen"),
        ("openai/gpt-oss-20b", "gallery/gptoss"),
        ("which function", "reference/which-function"),
        ("get_conversation_template", "reference/api/lect"),
        ("UnknownModelError", "reference/errors"),
        ("incomplete_call", "reference/reply-problems"),
    ],
)
def test_the_search_finds_models_functions_and_errors(words, page, tab, address):
    tab.open(f"{address}/search.html?q={words.replace(' ', '+')}")
    tab.wait_for("document.querySelector('#search-results .search-summary')?.textContent.includes('found')")
    links = tab.evaluate(
        "[...document.querySelectorAll('#search-results li a')].map((link) => link.getAttribute('href'))"
    )
    assert any(link.startswith(page) for link in links)
