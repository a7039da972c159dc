"""The kinds of pictures of one run, by name: what each shows, and what can be chosen of it.

No picture is loaded for it, so that a command line can list them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from senn.base.errors import InputError, printable
from senn.base.gone import refuse_former

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from senn.traces.run import Run


@dataclass(frozen=True)
class Kind:
    """A function ``module.name(run, ax=None, **choices)`` of `senn.traces.pictures`, and what it shows."""

    module: str
    name: str
    shows: str
    choices: tuple[str, ...] = ()


KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind("timeline", "timeline", "every engine and DMA over time", ("arrows", "start", "stop", "nodes")),
        Kind("phases", "phases", "the paper's steps over time", ("start", "stop")),
        Kind("plots", "overlap", "what each step hid and exposed"),
        Kind("network", "network", "the channels, and how busy each was"),
        Kind("critical", "heat", "which levels and nodes wait, send, compute", ("of",)),
        Kind("places", "wavefront", "the elimination, by process and by node", ("step",)),
        Kind("critical", "critical", "the critical path, and what it was spent on", ("start", "stop")),
        Kind("plots", "energy", "time against energy, of several runs", ("beside",)),
    )
}


def check(kind: str, choices: Collection[str], said: Mapping[str, str] | None = None) -> None:
    """InputError for an unknown kind, or a choice of other kinds; ``said``: choice -> name in the message."""
    words = said or {}
    refuse_former("picture", kind)
    if kind not in KINDS:
        raise InputError(f'plot: there is no picture "{printable(kind)}"; choose {", ".join(KINDS)}')
    for choice in choices:
        if choice not in KINDS[kind].choices:
            those = ", ".join(name for name, other in KINDS.items() if choice in other.choices)
            options = ", ".join(words.get(name, name) for name in KINDS[kind].choices)
            mine = f"{kind} has {options}" if options else f"{kind} has no choices"
            name = printable(words.get(choice, choice))
            whose = f"{name} belongs to {those}" if those else f"there is no {name}"
            raise InputError(f"plot: {whose}; {mine}")


def draw(kind: str, run: Run, ax: Axes | None = None, **choices: Any) -> Axes:
    """The picture of this kind, on axes given or its own; InputError as `check` and as its function."""
    check(kind, choices)
    entry = KINDS[kind]
    picture = getattr(import_module(f"senn.traces.pictures.{entry.module}"), entry.name)
    axes: Axes = picture(run, ax, **choices)
    return axes
