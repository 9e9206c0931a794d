"""How Sphinx builds these pages: `sphinx-build -W -b html docs docs/_build/html`."""

import os

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


def setup(app):
    app.connect("build-finished", add_page)


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
