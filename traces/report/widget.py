"""The timeline of a run as a widget of a notebook, with what is chosen in it at hand in Python."""

from typing import Any

import anywidget
import traitlets

from senn.traces import report
from senn.traces.report.parts import page
from senn.traces.run import Run


class Timeline(anywidget.AnyWidget):
    """The timeline of the report, to be moved, zoomed and picked in.

    ``find`` takes what the page's own search takes, "I.b.5" or "message 12", and may be set at any time.
    ``chosen`` says what was clicked, by the keys of the run's tables: ``{"kind": "message", "id": 12}``,
    ``{"kind": "instruction", "array": 1, "serial": 5}``, ``{"kind": "activity", "array": 1, "instruction": 5,
    "node": 3}``, ``{"kind": "range", "from": 100, "to": 200}``, None for nothing; ``cycle`` where,
    so that ``run.at(widget.cycle)`` goes on from there.
    ``height`` is in pixels.
    """

    _esm = page("widget.js")
    _page = traitlets.Unicode().tag(sync=True)
    find = traitlets.Unicode("").tag(sync=True)
    height = traitlets.Int(800).tag(sync=True)
    chosen = traitlets.Dict(allow_none=True, default_value=None).tag(sync=True)
    cycle = traitlets.Int(0).tag(sync=True)

    def __init__(self, run: "Run", **choices: Any) -> None:
        super().__init__(_page=report.page(run, parts=("timeline",)), **choices)
