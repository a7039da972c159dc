"""The site of the documentation: `./run docs` builds it from the pages as they stand in the checkout."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "src"), str(HERE.parent)]

from docs.site import added, api  # noqa: E402  # it is found by the line above

project = "senn"
author = "The senn developers"
copyright = author
extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["site", "figures", "studies"]

smartquotes = False  # of --option they would make a dash

html_theme = "furo"
html_static_path = ["site/static"]
html_css_files = ["site.css"]
html_title = "senn"
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False

myst_heading_anchors = 4
myst_enable_extensions = ["deflist"]
myst_links_external_new_tab = False
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
suppress_warnings = ["ref.python"]  # two types of one name in signatures are no fault of a page


def setup(app: object) -> None:
    """Pages get what only the site has while they are read."""
    app.connect("source-read", added.to)  # type: ignore[attr-defined]  # an application of Sphinx
    app.connect("autodoc-process-docstring", api.plain)  # type: ignore[attr-defined]
    app.connect("autodoc-process-signature", api.short)  # type: ignore[attr-defined]
