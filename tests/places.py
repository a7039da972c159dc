"""Where tests find what is no Python, and the environment in which processes of theirs find senn."""

import os
from pathlib import Path

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "MPLBACKEND": "agg"}
"""Environment of processes that tests start. Their output has a buffer, as anybody's has."""
ENVIRONMENT.pop("PYTHONUNBUFFERED", None)
