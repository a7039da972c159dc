"""Robots: serial arms in the paper's frames, with side branches; read from files or generated.

`chain`: an arm as stacked arrays, and its configuration at q; `chain_faults`: what it may not be. `bodies`: a
chain from the frames people write files in. `joints`: the types there are; `shares`: which numbers of q are
whose. `reader`: robot files and the bundled robots; `urdf`: the same from URDF. `generators`: arms from a few
words. `newton_euler`, `tree`, `side_tree`: motion and forces of an arm at a state, in matrices.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from senn.algorithms.robots.reader import bundled, load, of_text, read

__all__ = ["bundled", "load", "of_text", "read"]


def __getattr__(name: str) -> Any:
    """Imports on first use, so that what knows a chain loads no reader of files."""
    if name in __all__:
        return getattr(import_module(f"{__name__}.reader"), name)
    raise AttributeError(f"module '{__name__}' has no attribute {name!r}")
