"""Robots: serial arms in the paper's frames, with side branches; read from files or generated.

`chain`: an arm as stacked arrays, its faults, and its configuration at q. `bodies`: chains from the frames
of files. `joints`: the types of joints, and their shares of q. `reader`: robot files and the bundled robots.
`urdf`: robots from URDF. `generators`: arms from a few words. `newton_euler`: motion and forces of an arm at
a state. `side_tree`: the structure of side branches.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from senn.algorithms.robots.reader import bundled, description, load, of_text, read

__all__ = ["bundled", "description", "load", "of_text", "read"]


def __getattr__(name: str) -> Any:
    """Imports on first use, so that what knows a chain loads no reader of files."""
    if name in __all__:
        return getattr(import_module(f"{__name__}.reader"), name)
    raise AttributeError(f"module '{__name__}' has no attribute {name!r}")
