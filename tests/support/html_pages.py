"""What a browser would make of a page, and texts that want to be more than text in it."""

from html.parser import HTMLParser

TAGS = ("script", "img", "svg", "iframe", "style", "pre", "span", "mark", "bdi", "title", "textarea", "plaintext")
HOSTILE = [
    *(f"<{tag}>alert(1)</{tag}>" for tag in TAGS),
    *(f"</{tag}><script>alert(1)</script>" for tag in TAGS),
    *(f'"><{tag} onload="alert(1)" src=x onerror=alert(1)>' for tag in TAGS),
    *(f"' {event}='alert(1)' x='" for event in ("onclick", "onfocus", "onmouseover", "autofocus onfocus", "style")),
    *(f'" {event}="alert(1)" x="' for event in ("onclick", "onfocus", "onmouseover", "autofocus onfocus", "style")),
    *("&lt;script&gt;", "&#60;script&#62;", "&#x3c;b&#x3e;", "&amp;amp;", "&quot;", "&nbsp", "&#0;", "&bogus;"),
    *("<!-- ", "-->", "<!--><script>alert(1)</script>", "<![CDATA[", "]]>", "<?php ?>", "<!doctype x>", "<%= x %>"),
    *(f"a{character}b" for character in "\0\x01\x08\x0b\x0c\r\x1b\x7f\x80\x9f\xad\u061c\u200b\u200e\u200f\u2028\u2029"),
    *(f"a{character}b" for character in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff\ufff9\ufffe\U000e0041"),
    *("javascript:alert(1)", "data:text/html,<script>alert(1)</script>", "url(https://example.com)", "@import 'x';"),
    *("</style><script>alert(1)</script>", "{{ 7*7 }}", "${alert(1)}", "`alert(1)`", "\\u003cscript\\u003e"),
    *("=" * 10_000, "\n" * 1_000, " \t" * 1_000, "x" * 1_000_000),
]  # fmt: skip
VOID = {"meta", "input", "link", "br", "img"}


class Page(HTMLParser):
    """What a browser would make of a page."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes, self.texts, self.abouts, self.marked, self.open = set(), set(), [], [], [], []
        self.feed(page)
        self.close()
        assert self.open == [], "every element is closed"
        self.text = "".join(self.texts)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        given = dict(attrs)
        self.abouts.append(given.get("data-about") or "")
        if tag not in VOID:
            self.open.append((tag, (given.get("class") or "").split()))

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        if any(tag == "pre" for tag, _ in self.open):
            self.texts.append(data)
        self.marked += [(name, data) for _, classes in self.open for name in classes]

    def of(self, name):
        """Return the text in elements of a class."""
        return "".join(data for each, data in self.marked if each == name)
