"""How Sphinx builds these pages: `sphinx-build -W -b html docs docs/_build/html`."""

import os
from pathlib import Path

project = "lect"
author = "the lect authors"
extensions = ["myst_parser"]
exclude_patterns = ["_build", "requirements.txt"]

html_theme = "furo"
html_title = "lect"
html_show_copyright = False
html_static_path = ["_static"]
html_css_files = ["lect.css"]
html_js_files = ["copy.js"]

# Headings of three levels can be linked to, as on any forge that shows Markdown.
myst_heading_anchors = 3


ROLES = {
    'class="caption" role="heading"': 'class="caption" role="heading" aria-level="2"',
    '<aside class="sidebar-drawer"': '<aside aria-label="all pages" class="sidebar-drawer"',
    '<aside class="toc-drawer': '<aside aria-label="on this page" class="toc-drawer',
    '<div class="content-icon-container"': '<div role="region" aria-label="this page" class="content-icon-container"',
    '<th class="head"><p></p></th>': '<td class="head"></td>',
    '<div id="search-results"></div>': '<h1>Search</h1>\n<div id="search-results"></div>',
}
"""What pages lack for those who hear them: the theme has no names for its parts."""


def setup(app):
    app.connect("build-finished", name_parts)
    app.connect("build-finished", add_page)


def name_parts(app, exception):
    """Name the parts of every page."""
    if exception is not None or app.builder.name != "html":
        return
    for page in Path(app.outdir).rglob("*.html"):
        text = page.read_text("utf-8")
        for theirs, named in ROLES.items():
            text = text.replace(theirs, named)
        page.write_text(text, "utf-8")


def add_page(app, exception):
    """Put the page that runs lect in the browser beside the others, where Pyodide is installed."""
    from sphinx.util.logging import getLogger

    from lect_view.site.build import PyodideError, write_site

    if exception is not None or app.builder.name != "html":
        return
    try:
        write_site(os.path.join(app.outdir, "try"))
    except PyodideError as error:
        getLogger(__name__).info("without the page that runs lect: %s", error)
