"""A run: its trace, what ran, and the numbers it gave."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from senn.traces import analysis
from senn.traces.errors import InputError
from senn.traces.exports import formats
from senn.traces.folder import RESERVED, read_folder, write_folder
from senn.traces.pictures import kinds
from senn.traces.record.trace import Detail, Trace
from senn.traces.record.values import Values
from senn.traces.shown.allocation import Allocation
from senn.traces.shown.certificate import Certificate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from senn.traces.replay import Instruction, State
    from senn.traces.report.widget import Timeline

__all__ = ["Run", "Values"]


@dataclass(frozen=True, eq=False)
class Run:
    """What a simulation leaves behind.

    ``description`` says what ran (program, allocation, machine, problem, versions, seed, ...) in JSON's
    terms; ``result`` are the numbers by name; ``values`` every value of the program, if kept;
    ``certificate`` the comparison with the serial reference, if made (`Certificate`); ``summary`` is
    ``analysis.summary(trace)`` unless given (a trace reduced to less detail can no longer give it).
    """

    trace: Trace
    description: Mapping[str, Any]
    result: Mapping[str, NDArray[np.generic]] = field(default_factory=dict)
    values: Values | None = None
    certificate: Mapping[str, Any] | None = None
    summary: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        reserved = [name for name in RESERVED if name in self.description]
        if reserved:
            raise InputError(
                f"run: {', '.join(reserved)} cannot be in the description; the run itself says it"
            )
        if self.certificate is not None:
            object.__setattr__(self, "certificate", Certificate(self.certificate))
        if not self.summary and self.trace.detail != "summary":
            object.__setattr__(self, "summary", analysis.summary(self.trace))

    def __repr__(self) -> str:
        """Short: what ran, how long it took, and what the trace holds."""
        program = self.description.get("program", {})
        return f"Run({program.get('name', 'program')}, n = {program.get('n')}, {self.trace!r})"

    def _repr_html_(self) -> str:
        """What a notebook shows: what ran, how long and on what, verdict, answer, its arrays over time."""
        from senn.traces.pictures.strip import strip
        from senn.traces.shown import run as shown

        return shown.page(self, spent=lambda: analysis.spent_text(self.spent), picture=lambda: strip(self))

    def __getattr__(self, name: str) -> NDArray[Any]:
        """An answer by its name: ``run.qdd`` is ``run.result["qdd"]``."""
        if not name.startswith("_") and name not in self.__dataclass_fields__:
            if name in self.result:
                return self.result[name]
            there = f"it has {', '.join(self.result)}" if self.result else "it was made without numbers"
            raise AttributeError(f"this run has no answer {name!r}; {there}", name=name, obj=self)
        raise AttributeError(name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.result})

    @property
    def allocation(self) -> Allocation:
        """Where its processes live, array by array and level by level."""
        said = self.description["allocation"]
        tables = np.array(said["tables"] if "tables" in said else [said["table"]], dtype=np.int64)
        return Allocation(said.get("name", "table"), said.get("residency", "table"), tables)

    @property
    def labels(self) -> list[str]:
        """A name for every degree of freedom, in the order of qdd: the joint's, and which number of it."""
        return list(self.description.get("problem", {}).get("labels", ()))

    def by_joint(self, name: str) -> dict[str, Any]:
        """An answer with one row for every degree of freedom, such as "qdd", by the names of the joints."""
        found = getattr(self, name)
        if len(found) != len(self.labels) or len(set(self.labels)) != len(found):
            raise InputError(
                f"{name} has {len(found)} rows, and the joints have {len(set(self.labels))} names; take "
                f"run.{name} by number"
            )
        return dict(zip(self.labels, found.tolist(), strict=True))

    @cached_property
    def spent(self) -> dict[str, int]:
        """What the makespan was spent on, in cycles that sum to it: ``analysis.spent(run)``."""
        return analysis.spent(self)

    def plot(self, kind: str = "timeline", ax: "Axes | None" = None, **choices: Any) -> "Axes":
        """A picture of the run: "timeline" (every engine and DMA over time), "phases", "overlap", ....

        The axes that are returned can be changed, shown and saved: ``run.plot().figure.savefig("run.png")``.
        All kinds, and what can be chosen of each, are in `senn.traces.pictures.kinds.KINDS`.
        """
        return kinds.draw(kind, self, ax, **choices)

    def export(self, path: str | os.PathLike[str], to: str | None = None) -> Path:
        """Write the run for another tool, `senn.traces.exports`, and return the file; what is there is
        replaced.

        ``to`` is "perfetto", "chrome", "csv" or another of `senn.traces.exports.FORMATS`; left out, it goes
        by how the file ends: ``run.export("run.pftrace")``.
        """
        return formats.export(self.trace, Path(path), to)

    def widget(self, find: str = "", height: int = 800) -> "Timeline":
        """The timeline of the report in a notebook, to zoom and pick in: `senn.traces.report.widget`.

        ``find`` is looked for at once, "I.b.5" or "message 12"; ``height`` is in pixels. InputError without
        the extra notebook, ``pip install 'senn[notebook]'``, and for a run that keeps its summary only.
        """
        self.trace.require("instructions")
        try:
            from senn.traces.report.widget import Timeline
        except ImportError as error:
            raise InputError(
                "widget: the timeline in a notebook needs anywidget, which is not installed: "
                "pip install 'senn[notebook]'; run.plot() draws one without it"
            ) from error
        return Timeline(self, find=find, height=height)

    def at_detail(self, detail: Detail) -> Self:
        """This run with a trace of less detail and the summary it has; values go with the messages."""
        values = self.values if detail == "full" else None
        return replace(self, trace=self.trace.at_detail(detail), values=values)

    def at(self, cycle: int) -> "State":
        """The state of the machine at a cycle: a look at the record, nothing is run again."""
        from senn.traces import replay  # here, because a replay is made of a run

        return replay.at(self, cycle)

    def steps(self) -> "Iterator[tuple[Instruction, State]]":
        """The instructions of all arrays in order of issue, each with the state at its issue."""
        from senn.traces import replay

        return replay.steps(self)

    def save(self, folder: str | os.PathLike[str], force: bool = False) -> Path:
        """Write the run as a folder (`senn.traces.folder`), whole or not at all, and return its path.

        A run of the same inputs that is there is replaced, another run with ``force`` only, and refused
        without; a folder with anything else in it is never removed.
        """
        return write_folder(self, Path(folder), force)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Self:
        """Read a run folder; InputError, naming the file, if one is missing, altered, added or too old."""
        return cls(**read_folder(Path(folder)))
