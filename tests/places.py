"""Where the tests find what is no Python: the checkout and its documentation."""

from pathlib import Path

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
