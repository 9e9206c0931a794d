"""How Sphinx builds these pages: `sphinx-build -W -b html docs docs/_build/html`."""

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
